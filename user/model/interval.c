// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Union of intervals in bounded memory; see interval.h. */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "interval.h"

#define STAGE_MIN 4096u
#define KEEP_MIN  (32u << 10)	/* fewer than this are never folded early */

static int compare(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Puts [start, end) behind or into the last of the list; starts only grow. */
static void append(struct interval *list, size_t *n, struct interval x)
{
	struct interval *last = *n ? &list[*n - 1] : NULL;

	if (!last || x.start > last->end) {
		list[(*n)++] = x;
		return;
	}
	if (x.end > last->end)
		last->end = x.end;
}

/* Merges the staged ones into the sorted list. Only the part of it from the first staged start
 * on is moved. */
static void intervals_merge(struct intervals *s)
{
	struct interval *old;
	size_t keep = s->merged_n, tail, i = 0, j = 0, n;

	if (s->unsorted)
		qsort(s->staged, s->staged_n, sizeof(*s->staged), compare);
	s->unsorted = false;
	if (s->merged_n + s->staged_n > s->merged_room) {
		s->merged_room = (s->merged_n + s->staged_n) * 5 / 4;
		s->merged = must_realloc(s->merged, s->merged_room * sizeof(*s->merged));
	}
	while (keep && s->merged[keep - 1].end >= s->staged[0].start)
		keep--;
	tail = s->merged_n - keep;
	old = must_alloc(tail * sizeof(*old));
	memcpy(old, s->merged + keep, tail * sizeof(*old));
	n = keep;
	while (i < tail || j < s->staged_n)
		if (j == s->staged_n || (i < tail && old[i].start <= s->staged[j].start))
			append(s->merged, &n, old[i++]);
		else
			append(s->merged, &n, s->staged[j++]);
	free(old);
	s->merged_n = n;
	s->staged_n = 0;
}

/* The gap from the edge to `next`. */
static void gap_note(struct intervals *s, const struct interval *next)
{
	u64 start = s->edge, end = next->start;
	u32 at = s->gap_n;

	s->gap_count++;
	if (!next->launch_ns)
		s->gap_unknown_ns += end - start;
	else if (next->launch_ns > start)
		s->gap_unlaunched_ns += (next->launch_ns < end ? next->launch_ns : end) - start;
	while (at && s->gaps[at - 1].end - s->gaps[at - 1].start < end - start)
		at--;
	if (at == GAPS)
		return;
	if (s->gap_n < GAPS)
		s->gap_n++;
	memmove(&s->gaps[at + 1], &s->gaps[at], (s->gap_n - 1 - at) * sizeof(*s->gaps));
	s->gaps[at] = *next;
	s->gaps[at].start = start;
	s->gaps[at].end = end;
}

/* Folds the oldest intervals that ended before `before`. */
static void intervals_fold(struct intervals *s, u64 before)
{
	size_t n = 0;

	for (; n < s->merged_n && s->merged[n].end <= before; n++) {
		struct interval *x = &s->merged[n];

		if (s->edge && x->start > s->edge)
			gap_note(s, x);
		s->folded += x->end - x->start;
		s->edge = x->end;
	}
	if (!n)
		return;
	s->merged_n -= n;
	memmove(s->merged, s->merged + n, s->merged_n * sizeof(*s->merged));
}

void intervals_add(struct intervals *s, struct interval x, u64 keep_ns)
{
	u64 before;

	if (x.end < x.start)
		x.end = x.start;
	if (!s->any || x.start < s->first)
		s->first = x.start;
	if (x.end > s->last)
		s->last = x.end;
	s->any = true;
	if (x.start < s->edge) {
		s->late++;
		if (x.end <= s->edge)
			return;
		x.start = s->edge;
	}
	if (s->staged_n == s->staged_room) {
		s->staged_room = s->staged_room ? 2 * s->staged_room : 64;
		s->staged = must_realloc(s->staged, s->staged_room * sizeof(*s->staged));
	}
	if (s->staged_n && x.start < s->staged[s->staged_n - 1].start)
		s->unsorted = true;
	s->staged[s->staged_n++] = x;
	if (s->staged_n < STAGE_MIN || s->staged_n < s->merged_n / 4)
		return;
	intervals_merge(s);
	before = s->last > keep_ns ? s->last - keep_ns : 0;
	before = s->settled > before ? s->settled : before;
	/* a quarter goes: moving the rest pays */
	if (s->merged_n > KEEP_MIN && s->merged[s->merged_n / 4].end <= before)
		intervals_fold(s, before);
}

void intervals_finish(struct intervals *s)
{
	if (s->staged_n)
		intervals_merge(s);
	intervals_fold(s, ~0ULL);
}

u64 intervals_busy(const struct intervals *s)
{
	return s->folded;
}

u64 intervals_idle(const struct intervals *s)
{
	return s->any ? s->last - s->first - s->folded : 0;
}

void intervals_free(struct intervals *s)
{
	free(s->merged);
	free(s->staged);
	memset(s, 0, sizeof(*s));
}
