// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The comparison as text: the verdict, then what it rests on, the worst first. */
#include <string.h>
#include "diff_view.h"
#include "out.h"

static size_t limit(size_t n, u32 top)
{
	return top && n > top ? top : n;
}

static void print_side(struct diff *d, FILE *f, int side, const char *head)
{
	const struct diff_run *r = d->runs[side];
	const char *names = "";
	u32 i = 0;

	for (; r && i < 5; r = r->next, i++)
		names = diff_textf(d, "%s%s%s", names, i ? ", " : "", r->name);
	out_line(f, "%s %u run%s: %s%s", head, d->run_n[side], d->run_n[side] == 1 ? "" : "s",
		 names, r ? ", ..." : "");
}

static void print_head(struct diff *d, FILE *f)
{
	const struct diff_run *a = d->runs[DIFF_A], *b = d->runs[DIFF_B];

	out_line(f, "%-14s %s", diff_verdict_name(d->verdict), d->why);
	print_side(d, f, DIFF_A, "before        ");
	print_side(d, f, DIFF_B, "after         ");
	out_line(f, "GPUs           %s%s", a->gpus[0] ? a->gpus : "?",
		 a->simulated ? " (simulated)" : "");
	if (strcmp(a->driver, b->driver))
		out_line(f, "driver         %s before, %s after",
			 a->driver[0] ? a->driver : "?", b->driver[0] ? b->driver : "?");
	if (d->verdict == DIFF_NOT_COMPARABLE)
		return;
	out_line(f, "steps          %s", diff_steps_text(d));
	out_line(f, "matched        kernels with %.1f%% of the GPU time before, %.1f%% after",
		 100 * d->matched[DIFF_A], 100 * d->matched[DIFF_B]);
	out_line(f, "machine        %s", diff_speed_text(d));
	if (d->counts_void)
		out_line(f, "counts         not compared: %s", d->counts_void);
}

/* cudnn.benchmark and its like choose by measuring, anew in each run. */
static void print_hint(struct diff *d, FILE *f)
{
	if (fmin(d->matched[DIFF_A], d->matched[DIFF_B]) < DIFF_KEPT_LEAST)
		out_line(f, "kernels        %zu new, %zu vanished: counts of kernels and calls are told, not judged, since others do most of the work",
			 d->fresh.n, d->vanished.n);
	else if (d->selection)
		out_line(f, "kernels        %s; their counts, launches and sets are told, not judged",
			 d->selection);
}

static void gate_cells(struct diff *d, struct table *t, const struct diff_gate *g)
{
	char b[64];

	table_cell(t, "%s", diff_delta(b, g->delta));
	table_cell(t, "%s", diff_value(b, g, g->center[DIFF_A]));
	table_cell(t, "%s", diff_value(b, g, g->center[DIFF_B]));
	table_cell(t, "%s", diff_interval(b, g));
	table_cell(t, "%s", diff_p(b, g));
	table_cell(t, "%s", diff_share(b, g));
	table_cell(t, "%s %s", diff_dim_name(g->key->dim), g->what);
	table_cell(t, "%s", diff_name(d, g));
}

/* Gates of one verdict; those that are told alone only where they changed. */
static void print_gates(struct diff *d, FILE *f, u32 top, int width, enum diff_verdict v,
			const char *title)
{
	static const char *const heads[] = { "CHANGE", "BEFORE", "AFTER", "~95% SURE", "P",
					     "~SHARE%", "<NUMBER", "<OF", NULL };
	struct table *t = table_new(heads);
	const struct diff_gate **list;
	size_t n = diff_sorted(d, &list), all = 0, rows = 0;

	for (size_t i = 0; i < n; i++) {
		if (list[i]->verdict != v)
			continue;
		if (v == DIFF_NONE && !(fabs(list[i]->delta) > 0.001))
			continue;
		if (limit(all + 1, top) == all + 1) {
			gate_cells(d, t, list[i]);
			rows++;
		}
		all++;
	}
	if (rows && rows < all)
		fprintf(f, "\n%s (%zu of %zu)\n", title, rows, all);
	else if (rows)
		fprintf(f, "\n%s (%zu)\n", title, all);
	if (rows)
		table_print(t, f, width, "  ");
	table_free(t);
}

/* Said once, in the first line. */
static bool too_few(const struct diff_gate *g)
{
	return g->verdict == DIFF_INCONCLUSIVE && g->timed && isnan(g->p);
}

static void print_reasons(struct diff *d, FILE *f, u32 top)
{
	const struct diff_gate **list;
	size_t n = diff_sorted(d, &list), shown = 0;

	for (size_t i = 0; i < n && (!top || shown < top); i++) {
		const char *reason = diff_reason(d, list[i]);

		if (list[i]->verdict < DIFF_INCONCLUSIVE || !*reason || too_few(list[i]))
			continue;
		if (!shown++)
			fputs("\nwhy\n", f);
		out_line(f, "  %s %s of %s: %s", diff_dim_name(list[i]->key->dim),
			 list[i]->what, diff_name(d, list[i]), reason);
	}
}

static void print_one_sided(struct diff *d, FILE *f, u32 top, int width,
			    const struct pointers *list, int side, const char *title)
{
	static const char *const heads[] = { "SHARE%", "LAUNCHES", "<KERNEL", NULL };
	struct table *t = table_new(heads);
	size_t n = limit(list->n, top);
	char b[64];

	for (size_t i = 0; i < n; i++) {
		const struct diff_gate *g = list->list[i];

		table_cell(t, "%s", diff_share(b, g));
		table_cell(t, "%s", diff_value(b, g, stats_mean(g->value[side],
								d->run_n[side])));
		table_cell(t, "%s", diff_name(d, g));
	}
	if (n)
		fprintf(f, n < list->n ? "\n%s (%zu of %zu)\n" : "\n%s (%zu)\n", title, n,
			list->n);
	if (n)
		table_print(t, f, width, "  ");
	table_free(t);
}

void diff_print(struct diff *d, FILE *f, u32 top, int width)
{
	print_head(d, f);
	if (d->verdict == DIFF_NOT_COMPARABLE)
		return;
	print_hint(d, f);
	print_gates(d, f, top, width, DIFF_REGRESSED, "regressed");
	print_gates(d, f, top, width, DIFF_IMPROVED, "improved");
	print_gates(d, f, top, width, DIFF_INCONCLUSIVE, "inconclusive");
	print_reasons(d, f, top);
	print_one_sided(d, f, top, width, &d->fresh, DIFF_B, "new kernels");
	print_one_sided(d, f, top, width, &d->vanished, DIFF_A, "vanished kernels");
	print_gates(d, f, top, width, DIFF_NONE, "changed, told alone");
	print_gates(d, f, top, width, DIFF_UNCHANGED, "unchanged");
}
