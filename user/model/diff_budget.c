// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Budgets: what may change by how much, as sections of a file.
 *
 *   [defaults] floor=1% alpha=0.003
 *   [metric "copy.HtoD.bytes"]
 *   max_increase=0
 *   [ignore] kernel="nccl*" until=2027-01-31 reason="fabric #123"
 *
 * Values stand behind the section or on lines of their own; '#' begins a comment.
 */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "diff_parts.h"
#include "log.h"

static const double floors[DIMS] = {
	[DIM_STEP] = 0.03, [DIM_SPEED] = 0.05, [DIM_KERNEL] = 0.01, [DIM_COLLECTIVE] = 0.05,
	[DIM_COPY] = 0.05, [DIM_API] = 0.10, [DIM_SYNC] = 0.10, [DIM_FAULT] = 0.10,
	[DIM_IDLE] = 0.10, [DIM_DELAY] = 0.10,
};

#define MEAN_FLOOR 0.03		/* one slow launch moves a mean */

static const struct diff_rule nothing = {
	.floor = NAN, .alpha = NAN, .min_share = NAN, .max = NAN, .max_increase = NAN,
	.max_median = NAN, .max_launches = NAN, .gate = -1,
};

void diff_defaults(struct diff *d)
{
	d->defaults = nothing;
	d->defaults.alpha = 0.003;
	d->defaults.min_share = 0.005;
	d->defaults.min_runs = 3;
}

double diff_min_share(const struct diff *d)
{
	return d->defaults.min_share;
}

/* ---- which rules are about a gate ---- */

static bool about(const struct diff_rule *r, const struct diff_gate *g)
{
	bool kernel = g->key->dim == DIM_KERNEL || g->key->dim == DIM_COLLECTIVE;

	if (r->kernel && (!kernel || fnmatch(r->kernel, g->key->name, 0)))
		return false;
	return !r->glob || !fnmatch(r->glob, g->id, FNM_CASEFOLD);
}

double diff_floor(const struct diff *d, const struct diff_gate *g)
{
	double floor = fmax(floors[g->key->dim], isnan(d->defaults.floor) ? 0
							: d->defaults.floor);
	bool said = false;

	if (g->key->dim == DIM_KERNEL && !isnan(d->defaults.floor))
		floor = d->defaults.floor;
	if (!strcmp(g->what, "mean"))
		floor = fmax(floor, MEAN_FLOOR);
	for (size_t i = 0; i < d->rules.n; i++) {
		const struct diff_rule *r = d->rules.list[i];

		if (r->section == 'i' || isnan(r->floor) || !about(r, g))
			continue;
		floor = r->floor;
		said = true;
	}
	return said ? floor : fmax(floor, expm1(2 * g->history));
}

/* Where half of the work is done by other kernels, more or fewer of those that stayed, or of
 * the calls that launch them, say nothing of better or worse. */
static bool others_kernels(const struct diff *d, const struct diff_gate *g)
{
	u16 dim = g->key->dim;

	return fmin(d->matched[DIFF_A], d->matched[DIFF_B]) < DIFF_KEPT_LEAST &&
	       (dim == DIM_KERNEL || dim == DIM_API || dim == DIM_STEP);
}

bool diff_gated(const struct diff *d, const struct diff_gate *g)
{
	int gate = -1;

	for (size_t i = 0; i < d->rules.n; i++) {
		const struct diff_rule *r = d->rules.list[i];

		if (r->section != 'i' && r->gate >= 0 && about(r, g))
			gate = r->gate;
	}
	if (gate >= 0)
		return gate;
	if (!g->timed && others_kernels(d, g))
		return false;
	return !g->told && (!g->timed || isnan(g->share) || g->share >= diff_min_share(d));
}

static const char *today(void)
{
	static char date[16];
	time_t now = time(NULL);
	struct tm tm;

	strftime(date, sizeof(date), "%Y-%m-%d", gmtime_r(&now, &tm));
	return date;
}

static void limits(struct diff *d, struct diff_gate *g, const struct diff_rule *r)
{
	double a = g->center[DIFF_A], b = g->center[DIFF_B], max = r->max, more;
	bool median = g->timed && strcmp(g->what, "mean");
	bool launches = !strcmp(g->what, "launches");

	if (r->section == 'k' && median && !isnan(r->max_median))
		max = r->max_median;
	if (r->section == 'k' && launches && !isnan(r->max_launches))
		max = r->max_launches;
	if (!isnan(r->max_increase) && (r->section == 'm' || median) && !isnan(a) &&
	    !isnan(b)) {
		more = r->increase_pct ? a * r->max_increase : r->max_increase;
		g->budget = r;
		g->verdict = b - a > more ? DIFF_REGRESSED :
			     g->verdict == DIFF_REGRESSED ? DIFF_UNCHANGED : g->verdict;
		g->reason = b - a > more ? "grew by more than its budget" : "within its budget";
	}
	if (!isnan(max) && b > max) {
		g->budget = r;
		g->verdict = DIFF_REGRESSED;
		g->reason = "above its budget";
	}
}

void diff_apply_budgets(struct diff *d, struct diff_gate *g)
{
	for (size_t i = 0; i < d->rules.n; i++) {
		const struct diff_rule *r = d->rules.list[i];

		if (!about(r, g))
			continue;
		if (r->section != 'i')
			limits(d, g, r);
		else if (!r->until || strcmp(today(), r->until) <= 0)
			g->ignored = r;
	}
}

/* ---- the file ---- */

struct reader {
	struct diff *d;
	const char *path;
	u32 line;
	struct diff_rule *rule;
};

static int bad(const struct reader *in, const char *what, const char *word)
{
	return fail(0, "cannot read %s, line %u: %s \"%s\"", in->path, in->line, what, word);
}

/* "220us", "3%", "1.5MiB": the base unit; *pct: it was a share. False: no number. */
static bool number(const char *text, double *v, bool *pct)
{
	static const struct { const char *unit; double times; } units[] = {
		{ "", 1 }, { "%", 0.01 }, { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 },
		{ "s", 1e9 }, { "B", 1 }, { "K", 1e3 }, { "M", 1e6 }, { "G", 1e9 },
		{ "KB", 1e3 }, { "MB", 1e6 }, { "GB", 1e9 },
		{ "KiB", 1024 }, { "MiB", 1048576 }, { "GiB", 1073741824 },
	};
	char *end;

	*v = strtod(text, &end);
	if (end == text || !(*v >= 0))
		return false;
	*pct = *end == '%';
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(end, units[i].unit)) {
			*v *= units[i].times;
			return true;
		}
	return false;
}

static int put_number(struct reader *in, const char *key, const char *text)
{
	struct diff_rule *r = in->rule;
	const struct { const char *key; double *to; } fields[] = {
		{ "floor", &r->floor }, { "alpha", &r->alpha }, { "min_share", &r->min_share },
		{ "max", &r->max }, { "max_increase", &r->max_increase },
		{ "max_median", &r->max_median }, { "max_launches", &r->max_launches },
	};
	bool pct;
	double v;

	if (!number(text, &v, &pct))
		return bad(in, "no number:", text);
	if (!strcmp(key, "min_runs") && r->section == 'd') {
		if (v != floor(v) || v < 2 || v > 1000)
			return bad(in, "min_runs is a number from 2 to 1000, not", text);
		r->min_runs = v;
		return 0;
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (!strcmp(key, fields[i].key)) {
			*fields[i].to = v;
			if (fields[i].to == &r->max_increase)
				r->increase_pct = pct;
			return 0;
		}
	return bad(in, "unknown setting", key);
}

/* A date that exists, as it is written: texts then sort as dates. */
static bool date(const char *text)
{
	struct tm tm = {}, same;
	char again[16];
	const char *end = strptime(text, "%Y-%m-%d", &tm);

	same = tm;
	return end && !*end && timegm(&same) != -1 && same.tm_mday == tm.tm_mday &&
	       strftime(again, sizeof(again), "%Y-%m-%d", &tm) && !strcmp(again, text);
}

static int put(struct reader *in, const char *key, const char *value)
{
	struct diff_rule *r = in->rule;
	const char *text = diff_text(in->d, value);

	if (!r)
		return bad(in, "no section before", key);
	if (r->section == 'i' && !strcmp(key, "kernel"))
		r->kernel = text;
	else if (r->section == 'i' && !strcmp(key, "metric"))
		r->glob = text;
	else if (r->section == 'i' && !strcmp(key, "reason"))
		r->reason = text;
	else if (r->section == 'i' && !strcmp(key, "until"))
		return date(value) ? (r->until = text, 0) : bad(in, "no date:", value);
	else if (r->section == 'i')
		return bad(in, "[ignore] has no setting", key);
	else if (!strcmp(key, "gate") && (!strcmp(value, "on") || !strcmp(value, "off")))
		r->gate = !strcmp(value, "on");
	else
		return put_number(in, key, value);
	return 0;
}

/* ---- words of a line ---- */

/* The next word, without its quotes, and what ended it: a blank, `stop` or NUL. NULL: none, or
 * (*err) a quote that does not end. */
static char *word(struct reader *in, char **at, char stop, char *ended, int *err)
{
	char *s = *at + strspn(*at, " \t"), *out = s, *from = s;
	bool quoted = false;

	if (!*s || *s == '#')
		return NULL;
	for (; *s && (quoted || (!isspace((unsigned char)*s) && *s != stop)); s++) {
		if (*s == '"')
			quoted = !quoted;
		else
			*out++ = *s;
	}
	if (quoted)
		*err = bad(in, "a quote does not end:", from);
	*ended = *s;
	*at = *s ? s + 1 : s;
	*out = 0;
	return quoted ? NULL : from;
}

static void rule_new(struct reader *in, int what, const char *glob)
{
	struct diff *d = in->d;

	in->rule = what ? arena_alloc(&d->arena, sizeof(*in->rule)) : &d->defaults;
	if (what) {
		*in->rule = nothing;
		pointers_add(&d->rules, in->rule);
	}
	in->rule->section = "dmki"[what];
	in->rule->line = in->line;
	if (what == 1)
		in->rule->glob = diff_text(d, glob);
	if (what == 2)
		in->rule->kernel = diff_text(d, glob);
}

/* The ']' that is not inside of quotes. NULL: none. */
static char *section_end(char *s)
{
	bool quoted = false;

	for (; *s && (quoted || *s != ']'); s++)
		quoted ^= *s == '"';
	return *s ? s : NULL;
}

static int section(struct reader *in, char **at)
{
	static const char *const names[] = { "defaults", "metric", "kernel", "ignore", NULL };
	char *end = section_end(*at), *name, *glob, *inside = *at + 1, ended;
	int err = 0, i = 0;

	if (!end)
		return bad(in, "a section does not end:", *at);
	*end = 0;
	*at = end + 1;
	name = word(in, &inside, 0, &ended, &err);
	glob = name ? word(in, &inside, 0, &ended, &err) : NULL;
	if (err)
		return err;
	while (names[i] && (!name || strcmp(names[i], name)))
		i++;
	if (!names[i])
		return bad(in, "unknown section", name ? name : "");
	if ((i == 1 || i == 2) != !!glob)
		return bad(in, glob ? "no name belongs behind" : "a name is missing behind",
			   name);
	rule_new(in, i, glob);
	return 0;
}

static int line(struct reader *in, char *at)
{
	char *key, *value, ended;
	int err = 0;

	at += strspn(at, " \t");
	if (*at == '[')
		err = section(in, &at);
	while (!err && (key = word(in, &at, '=', &ended, &err))) {
		if (ended != '=')
			at += strspn(at, " \t");
		if (ended != '=' && *at++ != '=')
			return bad(in, "no value for", key);
		value = word(in, &at, 0, &ended, &err);
		if (!err)
			err = value ? put(in, key, value) : bad(in, "no value for", key);
	}
	return err;
}

static void check_ignores(const struct diff *d, const char *path)
{
	for (size_t i = 0; i < d->rules.n; i++) {
		const struct diff_rule *r = d->rules.list[i];

		if (r->section == 'i' && r->until && strcmp(today(), r->until) > 0)
			warn("%s, line %u: what was to be ignored until %s counts again", path,
			     r->line, r->until);
	}
}

int diff_budgets_read(struct diff *d, const char *path)
{
	struct reader in = { .d = d, .path = path };
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;
	int err = 0;

	if (!f)
		return fail(-errno, "cannot open %s", path);
	while (!err && getline(&text, &room, f) >= 0) {
		in.line++;
		text[strcspn(text, "\r\n")] = 0;
		err = line(&in, text);
	}
	if (!err && ferror(f))
		err = fail(-errno, "cannot read %s", path);
	free(text);
	fclose(f);
	if (!err)
		check_ignores(d, path);
	return err;
}
