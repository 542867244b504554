// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The life of a comparison: may runs be compared, what are their gates, what is said of all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "diff_parts.h"
#include "log.h"

#define MATCHED_LEAST 0.05	/* below this share of GPU time they are different programs */

struct diff *diff_new(void)
{
	struct diff *d = must_alloc(sizeof(*d));

	diff_defaults(d);
	return d;
}

void diff_free(struct diff *d)
{
	for (int side = 0; side < DIFF_SIDES; side++)
		for (struct diff_run *r = d->runs[side], *next; r; r = next) {
			next = r->next;
			diff_run_free(r);
		}
	free(d->rules.list);
	free(d->gates.list);
	free(d->fresh.list);
	free(d->vanished.list);
	hash_free(&d->noise);
	hash_free(&d->keys);
	texts_free(&d->texts);
	arena_free(&d->arena);
	free(d);
}

void diff_steps_pattern(struct diff *d, const char *pattern)
{
	d->pattern = pattern;
}

void diff_any_machine(struct diff *d)
{
	d->any_machine = true;
}

const char *diff_verdict_name(enum diff_verdict v)
{
	static const char *const names[DIFF_VERDICTS] = {
		"told", "unchanged", "improved", "inconclusive", "regressed", "not comparable",
	};

	return names[v];
}

enum diff_verdict diff_verdict(const struct diff *d)
{
	return d->verdict;
}

const char *diff_why(const struct diff *d)
{
	return d->why;
}

bool diff_has(const struct diff *d, int side)
{
	return d->runs[side];
}

bool diff_undecided(const struct diff *d)
{
	return d->tally[DIFF_INCONCLUSIVE];
}

/* ---- may they be compared? ---- */

static const char *known(const char *text)
{
	return text[0] ? text : "?";
}

static const char *machines_differ(struct diff *d)
{
	const struct diff_run *first = d->runs[DIFF_A];

	for (int side = 0; side < DIFF_SIDES; side++)
		for (const struct diff_run *r = d->runs[side]; r; r = r->next)
			if (strcmp(r->gpus, first->gpus) || r->simulated != first->simulated)
				return diff_textf(d, "%s ran on %s, %s on %s (--any-machine compares all the same)",
						  first->name, known(first->gpus), r->name,
						  known(r->gpus));
	return NULL;
}

static const char *nothing_ran(struct diff *d)
{
	for (int side = 0; side < DIFF_SIDES; side++)
		for (const struct diff_run *r = d->runs[side]; r; r = r->next)
			if (!r->kernels)
				return diff_textf(d, "no kernel ran in %s", r->name);
	return NULL;
}

/* ---- by what counts are compared ---- */

static double step_launches(const struct diff_run *r)
{
	return (double)r->kernels / (r->steps ? r->steps : 1);
}

/* All runs have steps that mean the same: a repetition that was found by rule may be several
 * steps long in one run and one in another. */
static bool all_have_steps(const struct diff *d)
{
	const struct diff_run *first = d->runs[DIFF_A];

	for (int side = 0; side < DIFF_SIDES; side++)
		for (const struct diff_run *r = d->runs[side]; r; r = r->next) {
			double ratio = step_launches(r) / step_launches(first);

			if (!r->slots || r->method != first->method)
				return false;
			if (r->method == STEPS_REPEATED && (ratio > 1.5 || ratio < 1 / 1.5))
				return false;
		}
	return true;
}

static void count_names(const struct diff_run *r, struct hash *counts, struct arena *arena)
{
	for (size_t i = 0; i < r->cells.n; i++) {
		const struct diff_cell *c = r->cells.list[i];
		u64 *n = hash_get(counts, hash_address(c->key->name));

		if (c->key->dim != DIM_KERNEL)
			continue;
		if (!n)
			hash_put(counts, hash_address(c->key->name),
				 n = arena_alloc(arena, sizeof(*n)));
		*n += c->count;
	}
}

/* How much work a recording holds: the middle over kernels of launches here to there. */
static double window_of(const struct hash *counts, const struct hash *first)
{
	double *ratio = must_alloc((counts->used + 1) * sizeof(*ratio)), middle;
	struct hash_slot *slot;
	size_t used = 0;
	u64 *n;

	for (size_t at = 0; (slot = hash_next(counts, &at));) {
		n = hash_get(first, slot->key);
		if (n && *n)
			ratio[used++] = (double)*(u64 *)slot->value / *n;
	}
	middle = used ? stats_median(ratio, used) : 1;
	free(ratio);
	return middle;
}

/* Without steps: most kernels were launched as often as in the first run. */
static bool windows_alike(struct diff *d)
{
	struct hash first = {}, counts;
	struct arena arena = {};
	bool alike = true;

	count_names(d->runs[DIFF_A], &first, &arena);
	for (int side = 0; side < DIFF_SIDES; side++)
		for (struct diff_run *r = d->runs[side]; r; r = r->next) {
			counts = (struct hash){};
			count_names(r, &counts, &arena);
			r->work = window_of(&counts, &first);
			alike &= r->work == 1;
			hash_free(&counts);
		}
	hash_free(&first);
	arena_free(&arena);
	return alike;
}

static void choose_counting(struct diff *d)
{
	d->per_step = all_have_steps(d);
	d->same_windows = d->per_step || windows_alike(d);
	for (int side = 0; side < DIFF_SIDES; side++)
		for (const struct diff_run *r = d->runs[side]; r; r = r->next) {
			if (!r->lost && !r->damaged)
				continue;
			d->counts_void = diff_textf(d, "%s is not whole (%llu records lost%s)",
						    r->name, r->lost,
						    r->damaged ? ", damaged" : "");
		}
}

/* ---- the verdict ---- */

/* Of those that are of one side alone, how many are of a usual step (without steps: all). */
static size_t in_step(const struct diff *d, const struct pointers *list, int side)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		n += stats_mean(((const struct diff_gate *)list->list[i])->value[side],
				d->run_n[side]) > 0;
	return n;
}

static void number_gate(struct diff *d, const char *what, size_t n)
{
	const char *none = diff_text(d, "");
	struct diff_gate *g = diff_gate_new(d, diff_key(d, DIM_KERNEL, none, none, none), what,
					    'c');

	g->told = true;
	for (u32 i = 0; i < d->run_n[DIFF_B]; i++)
		g->value[DIFF_B][i] = n;
	pointers_add(&d->gates, g);
}

/* So much of the GPU's time undecided, and nothing can be said of the whole. */
#define UNDECIDED_SHARE 0.1

static void tally(struct diff *d)
{
	double undecided = 0;
	bool whole = false;

	for (size_t i = 0; i < d->gates.n; i++) {
		const struct diff_gate *g = d->gates.list[i];
		enum diff_verdict *side = g->timed ? &d->time_verdict : &d->counts_verdict;

		if (g->ignored)
			continue;
		d->tally[g->verdict]++;
		if (g->verdict == DIFF_INCONCLUSIVE) {
			undecided += g->kernel && !g->part && !isnan(g->share) ? g->share : 0;
			whole |= !g->kernel && g->key->dim <= DIM_SPEED;
		} else if (g->verdict > *side) {
			*side = g->verdict;
		}
	}
	if ((undecided > UNDECIDED_SHARE || whole) && d->time_verdict < DIFF_REGRESSED)
		d->time_verdict = DIFF_INCONCLUSIVE;
	if (d->counts_verdict < DIFF_UNCHANGED)	/* none was judged */
		d->counts_verdict = DIFF_INCONCLUSIVE;
}

static u32 most_more(const struct diff *d)
{
	u32 more = 0;

	for (size_t i = 0; i < d->gates.n; i++) {
		const struct diff_gate *g = d->gates.list[i];

		if (g->verdict == DIFF_INCONCLUSIVE && !g->ignored && g->more > more)
			more = g->more;
	}
	return more;
}

static const char *plural(u32 n)
{
	return n == 1 ? "" : "s";
}

static bool few_runs(const struct diff *d)
{
	return d->run_n[DIFF_A] < d->defaults.min_runs ||
	       d->run_n[DIFF_B] < d->defaults.min_runs;
}

static void decide(struct diff *d)
{
	u32 worse, better, more = most_more(d);

	tally(d);
	worse = d->tally[DIFF_REGRESSED];
	better = d->tally[DIFF_IMPROVED];
	d->verdict = d->counts_verdict;
	/* times of few runs are no reason for doubt in what is exact; it is said, and counts
	 * under --strict */
	if (d->time_verdict > d->verdict &&
	    !(d->time_verdict == DIFF_INCONCLUSIVE && few_runs(d)))
		d->verdict = d->time_verdict;
	if (d->counts_verdict == DIFF_INCONCLUSIVE && d->verdict == DIFF_INCONCLUSIVE)
		d->why = d->counts_void ? d->counts_void :
			 diff_textf(d, "no count could be compared; times need %u runs a side",
				    d->defaults.min_runs);
	else if (worse)
		d->why = diff_textf(d, "%u gate%s regressed, %u improved", worse, plural(worse),
				    better);
	else if (d->verdict == DIFF_INCONCLUSIVE)
		d->why = diff_textf(d, "needs %u more run%s a side", more, plural(more));
	else if (few_runs(d))
		d->why = diff_textf(d, "counts alone were compared; times need %u runs a side, these are %u and %u",
				    d->defaults.min_runs, d->run_n[DIFF_A], d->run_n[DIFF_B]);
	else
		d->why = diff_textf(d, "%u gate%s unchanged, %u improved, %u inconclusive",
				    d->tally[DIFF_UNCHANGED],
				    plural(d->tally[DIFF_UNCHANGED]), better,
				    d->tally[DIFF_INCONCLUSIVE]);
}

static int not_comparable(struct diff *d, const char *why)
{
	d->verdict = DIFF_NOT_COMPARABLE;
	d->why = why;
	return 0;
}

int diff_compare(struct diff *d)
{
	const char *why;

	for (int side = 0; side < DIFF_SIDES; side++)
		if (!d->runs[side])
			return fail(0, "cannot compare: no runs on side %c", 'A' + side);
	why = nothing_ran(d);
	if (!why && !d->any_machine)
		why = machines_differ(d);
	if (why)
		return not_comparable(d, why);
	choose_counting(d);
	diff_rows(d);
	if (fmin(d->matched[DIFF_A], d->matched[DIFF_B]) < MATCHED_LEAST)
		return not_comparable(d, diff_textf(d, "kernels of the same name have %.1f%% of the GPU time before, %.1f%% after: these are different programs",
						    100 * d->matched[DIFF_A],
						    100 * d->matched[DIFF_B]));
	diff_metrics(d);
	number_gate(d, "new", in_step(d, &d->fresh, DIFF_B));
	number_gate(d, "vanished", in_step(d, &d->vanished, DIFF_A));
	diff_judge(d);
	decide(d);
	return 0;
}
