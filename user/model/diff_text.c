// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What all views of a comparison say alike: numbers with units, names, the order of gates. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "diff_view.h"
#include "out.h"

char *diff_value(char *buf, const struct diff_gate *g, double v)
{
	if (isnan(v))
		return strcpy(buf, "-");
	switch (g->unit) {
	case 'n':
		return v < 1e18 ? human_ns(buf, llround(v)) : strcpy(buf, "?");
	case 'b':
		return v < 1e18 ? human_bytes(buf, llround(v)) : strcpy(buf, "?");
	case 'm':
		snprintf(buf, 32, "%.2f%%", v / 1e4);
		break;
	case 'x':
		snprintf(buf, 32, "%.4f", v);
		break;
	default:
		snprintf(buf, 32, v == floor(v) ? "%.0f" : "%.2f", v);
	}
	return buf;
}

char *diff_delta(char *buf, double delta)
{
	if (isnan(delta))
		strcpy(buf, "-");
	else if (delta >= 10)
		snprintf(buf, 32, "x%.1f", 1 + delta);
	else
		snprintf(buf, 32, delta ? "%+.2f%%" : "0", 100 * delta);
	return buf;
}

char *diff_interval(char *buf, const struct diff_gate *g)
{
	if (isnan(g->low) || isnan(g->high))
		return strcpy(buf, "-");
	snprintf(buf, 64, "%+.2f..%+.2f%%", 100 * g->low, 100 * g->high);
	return buf;
}

char *diff_p(char *buf, const struct diff_gate *g)
{
	if (isnan(g->p_adjusted))
		return strcpy(buf, g->timed ? "-" : "exact");
	snprintf(buf, 32, g->p_adjusted < 1e-4 ? "<0.0001" : "%.4f", g->p_adjusted);
	return buf;
}

char *diff_share(char *buf, const struct diff_gate *g)
{
	if (isnan(g->share))
		return strcpy(buf, "-");
	snprintf(buf, 32, "%.1f", 100 * g->share);
	return buf;
}

/* Of a path the innermost two: the rest is in the JSON. */
static const char *path_end(const char *path)
{
	const char *at = path + strlen(path);
	int frames = 0;

	while (at > path && (at[-1] != ';' || ++frames < 2))
		at--;
	return at;
}

const char *diff_name(struct diff *d, const struct diff_gate *g)
{
	const struct diff_key *k = g->key;

	return diff_textf(d, "%s%s%s%s%s%s%s%s%s%s", k->name[0] ? k->name : g->what,
			  k->config[0] ? "  " : "", k->config, k->path[0] ? "  in " : "",
			  path_end(k->path), g->per_step ? " a step" : "",
			  g->note ? " [" : "", g->note ? g->note : "", g->note ? "]" : "",
			  g->ignored ? " (ignored)" : "");
}

/* What changed by its effect, what did not by its size; what is about the whole comes first. */
static double weight(const struct diff_gate *g)
{
	double share = isnan(g->share) ? 2 : g->share;
	double change = isnan(g->delta) ? 1 : fmin(fabs(g->delta), 10);

	if (g->verdict == DIFF_REGRESSED || g->verdict == DIFF_IMPROVED)
		return share * change;
	return share + g->timed;	/* of one kernel its time before its count */
}

static int compare(const void *a, const void *b)
{
	const struct diff_gate *x = *(struct diff_gate *const *)a;
	const struct diff_gate *y = *(struct diff_gate *const *)b;
	double p = weight(x), q = weight(y);

	if (x->verdict != y->verdict)
		return x->verdict > y->verdict ? -1 : 1;
	if (!x->ignored != !y->ignored)
		return x->ignored ? 1 : -1;
	if (p != q)
		return p > q ? -1 : 1;
	if (x->key->dim != y->key->dim)
		return x->key->dim < y->key->dim ? -1 : 1;
	return strcmp(x->id, y->id);
}

size_t diff_sorted(struct diff *d, const struct diff_gate ***list)
{
	*list = arena_alloc(&d->arena, (d->gates.n + 1) * sizeof(**list));
	if (!d->gates.n)
		return 0;
	memcpy(*list, d->gates.list, d->gates.n * sizeof(**list));
	qsort(*list, d->gates.n, sizeof(**list), compare);
	return d->gates.n;
}

const char *diff_reason(struct diff *d, const struct diff_gate *g)
{
	const char *text = g->reason ? g->reason : "";

	if (g->verdict == DIFF_INCONCLUSIVE && g->more)
		text = diff_textf(d, "%s; needs %u more run%s a side", text, g->more,
				  g->more == 1 ? "" : "s");
	if (g->budget)
		text = diff_textf(d, "%s (line %u of the budgets)", text, g->budget->line);
	if (g->ignored)
		text = diff_textf(d, "%s%signored until %s: %s", text, *text ? "; " : "",
				  g->ignored->until ? g->ignored->until : "further notice",
				  g->ignored->reason ? g->ignored->reason : "no reason given");
	return text;
}

const char *diff_speed_text(struct diff *d)
{
	if (!d->speed_taken)
		return "too few kernels to tell the machine's speed from theirs: nothing was taken out";
	return diff_textf(d, "machine speed factor %.3f after: kernels took %.2f%% %s in common (taken out of their times)",
			  1 / (1 + d->speed_change), 100 * fabs(d->speed_change),
			  d->speed_change > 0 ? "longer" : "less");
}

const char *diff_steps_text(struct diff *d)
{
	const struct diff_run *a = d->runs[DIFF_A], *b = d->runs[DIFF_B];

	if (d->per_step)
		return diff_textf(d, "%llu before, %llu after in the first runs (%s%s%s): counts are a step's",
				  a->steps, b->steps, steps_method_name(a->method),
				  a->step_name[0] ? ", " : "", a->step_name);
	if (d->same_windows)
		return "not known of all runs; counts are those of a recording, all of which hold as much";
	return "not known of all runs, which hold different amounts of work: counts are compared by proportion, roughly";
}
