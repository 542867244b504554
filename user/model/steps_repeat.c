// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Steps without names: a kernel that comes again and again with the same bag of
 * kernels between. A loop repeats on many levels (layers inside of a step), so
 * one good repetition is not enough: from the first good one on all must be
 * equal, to the end of what is looked at, and they must be most of it. Among
 * those that pass, the shortest repetition is taken, and of the kernels that
 * begin it the one before which the GPU waits longest: there a step begins.
 */
#include <stdlib.h>
#include <string.h>
#include "steps_parts.h"

#define COVERED_PCT 80		/* of the kernels looked at, in repetitions */
#define PERIOD_MIN   2		/* kernels of a repetition */
#define REPEATED_MIN 2
#define LENGTH_PCT   2		/* kernels by which repetitions may differ where bags do */

static int occurrence_compare(const void *a, const void *b)
{
	const struct occurrence *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static int u64_compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

struct places {			/* where a name stands in the sorted sample */
	u32 name, n, first;	/* first: in `at` */
};

struct search {
	const struct occurrence *x;
	size_t n;
	u64 *bags;		/* sums of mixed names before a place: a bag is a difference */
	u64 *waits;		/* sums of the GPU's idle time before a place */
	u32 *at;		/* places, name by name */
	struct places *names;
	size_t name_n;
	bool by_length;		/* bags may differ */
	/* the best so far */
	const struct places *best;
	u32 from, period;	/* the first of its places that counts; kernels */
	u64 wait;		/* of the GPU before a repetition, mean */
};

static bool near(const struct search *s, u64 x, u64 y)
{
	return x == y || (s->by_length && (x > y ? x - y : y - x) * 100 <= y * LENGTH_PCT);
}

static bool alike(const struct search *s, u32 a, u32 b, u32 c, u32 d)
{
	return s->bags[b] - s->bags[a] == s->bags[d] - s->bags[c] ||
	       (s->by_length && near(s, b - a, d - c));
}

static u64 less(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* Is this name the begin of a repetition? */
static void try(struct search *s, const struct places *p)
{
	const u32 *at = s->at + p->first;
	u32 last = p->n - 1, i = last, period;
	u64 covered, wait = 0;

	if (p->n <= REPEATED_MIN)
		return;
	while (i && alike(s, at[i - 1], at[i], at[last - 1], at[last]))
		i--;
	period = at[last] - at[last - 1];
	covered = at[last] - at[i] + less(s->n - at[last], period) + less(at[i], period);
	if (last - i < REPEATED_MIN || period < PERIOD_MIN ||
	    covered * 100 < s->n * COVERED_PCT)
		return;
	for (u32 k = i; k <= last; k++)
		wait += s->waits[at[k] + 1] - s->waits[at[k]];
	wait /= last - i + 1;
	if (s->best && (near(s, period, s->period) ? wait <= s->wait : period > s->period))
		return;
	s->best = p;
	s->from = i;
	s->period = period;
	s->wait = wait;
}

/* Sums before each place, and places by name. */
static void search_prepare(struct search *s)
{
	struct hash index = {};
	u64 end = s->n ? s->x[0].start : 0;
	u32 *of = must_alloc(s->n * sizeof(*of)), sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct occurrence *x = &s->x[i];
		uintptr_t k = (uintptr_t)hash_get(&index, x->name);

		if (!k) {
			s->names[s->name_n].name = x->name;
			k = ++s->name_n;
			hash_put(&index, x->name, (void *)k);
		}
		of[i] = k - 1;
		s->names[k - 1].n++;
		s->bags[i + 1] = s->bags[i] + hash_mix(x->name + 1);
		s->waits[i + 1] = s->waits[i] + (x->start > end ? x->start - end : 0);
		end = x->end > end ? x->end : end;
	}
	for (size_t i = 0; i < s->name_n; i++) {
		s->names[i].first = sum;
		sum += s->names[i].n;
		s->names[i].n = 0;
	}
	for (size_t i = 0; i < s->n; i++) {
		struct places *p = &s->names[of[i]];

		s->at[p->first + p->n++] = i;
	}
	free(of);
	hash_free(&index);
}

static void start_add(struct sequence *q, u64 start)
{
	if (q->start_n == REPEAT_MAX) {
		q->left_out++;
		return;
	}
	if (q->start_n == q->start_room) {
		q->start_room = q->start_room ? 2 * q->start_room : 64;
		q->starts = must_realloc(q->starts, q->start_room * sizeof(*q->starts));
	}
	q->starts[q->start_n++] = start;
}

static void sequence_take(struct sequence *q, const struct search *s)
{
	const u32 *at = s->at + s->best->first;
	u32 last = s->best->n - 1;

	q->anchor = s->best->name;
	q->period = at[last] - at[last - 1];
	for (u32 i = s->from; i <= last; i++)
		start_add(q, s->x[at[i]].start);
}

static void sequence_decide(struct sequence *q)
{
	struct search s = { .x = q->sample, .n = q->n };

	if (q->n)
		qsort(q->sample, q->n, sizeof(*q->sample), occurrence_compare);
	s.bags = must_alloc((s.n + 1) * sizeof(*s.bags));
	s.waits = must_alloc((s.n + 1) * sizeof(*s.waits));
	s.at = must_alloc(s.n * sizeof(*s.at) + 1);
	s.names = must_alloc(s.n * sizeof(*s.names) + 1);
	search_prepare(&s);
	for (int pass = 0; pass < 2 && !s.best; pass++) {
		s.by_length = pass;
		for (size_t i = 0; i < s.name_n; i++)
			try(&s, &s.names[i]);
	}
	if (s.best)
		sequence_take(q, &s);
	free(s.bags);
	free(s.waits);
	free(s.at);
	free(s.names);
	free(q->sample);
	q->sample = NULL;
	q->decided = true;
}

void sequence_add(struct sequence *q, const struct kernel *k)
{
	u64 start = k->g.e.ts;

	q->kernels++;
	if (q->decided) {
		if (q->anchor && k->name == q->anchor)
			start_add(q, start);
		return;
	}
	if (q->n == q->room) {
		q->room = q->room ? 2 * q->room : 256;
		q->sample = must_realloc(q->sample, q->room * sizeof(*q->sample));
	}
	q->sample[q->n] = (struct occurrence){ start, start + k->g.dur_ns, k->name, q->n };
	if (++q->n == REPEAT_SAMPLE)
		sequence_decide(q);
}

struct sequence *sequence_choose(struct owner *o)
{
	struct sequence *q = NULL;

	for (size_t i = 0; i < o->sequence_n; i++)
		if (!q || o->sequences[i]->kernels > q->kernels)
			q = o->sequences[i];
	if (!q)
		return NULL;
	if (!q->decided)
		sequence_decide(q);
	if (!q->anchor)
		return NULL;
	qsort(q->starts, q->start_n, sizeof(*q->starts), u64_compare);
	return q;
}

void sequence_free(struct sequence *q)
{
	free(q->sample);
	free(q->starts);
}
