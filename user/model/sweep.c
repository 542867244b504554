// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A line that moves over launches, starts and ends in order of time; see sweep.h. */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "sweep.h"

#define SWEEP_MIN   (32u << 10)	/* marks that are worth a look */
#define NEAR        32		/* places that one out of order is moved on its own */

const char *const idle_cause_names[IDLE_CAUSES] = {
	"unknown", "queued", "launch", "host", "sync", "copy", "memory", "call"
};

struct mark {
	u64 ts;
	u64 delay : 48;		/* from the launch, + 1; 0: no known one, or 78 hours ago */
	u64 part : 8, cause : 8;
};

struct marks {			/* by time, but for what is `unsorted` */
	struct mark *list;
	size_t n, at, room;	/* at: the first one that is not summed */
	bool unsorted;
};

void sweep_init(struct sweep *s, const struct process_steps *steps, struct step_sums *sums)
{
	memset(s, 0, sizeof(*s));
	s->launches = must_alloc(sizeof(*s->launches));
	s->starts = must_alloc(sizeof(*s->starts));
	s->ends = must_alloc(sizeof(*s->ends));
	s->steps = steps;
	s->sums = sums;
}

/* Most come in order or nearly so. */
static void mark_add(struct marks *m, struct mark x)
{
	size_t i, stop;

	if (m->n == m->room) {
		m->room = m->room ? 2 * m->room : 256;
		m->list = must_realloc(m->list, m->room * sizeof(*m->list));
	}
	i = m->n++;
	stop = i > m->at + NEAR ? i - NEAR : m->at;
	if (!m->unsorted)
		for (; i > stop && m->list[i - 1].ts > x.ts; i--)
			m->list[i] = m->list[i - 1];
	m->list[i] = x;
	if (i == stop && i > m->at && m->list[i - 1].ts > x.ts)
		m->unsorted = true;
}

static int compare(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	return x->ts < y->ts ? -1 : x->ts > y->ts;
}

static void marks_sort(struct marks *m)
{
	if (m->unsorted)
		qsort(m->list + m->at, m->n - m->at, sizeof(*m->list), compare);
	m->unsorted = false;
}

static void marks_forget(struct marks *m)
{
	if (!m->at)
		return;
	m->n -= m->at;
	memmove(m->list, m->list + m->at, m->n * sizeof(*m->list));
	m->at = 0;
}

/* [from, to) of the steps it falls into. */
static void step_time(struct sweep *s, u64 from, u64 to, unsigned parts)
{
	const struct step *list = s->steps->list;

	while (s->step < s->steps->n && list[s->step].end <= from)
		s->step++;
	for (size_t i = s->step; i < s->steps->n && list[i].start < to; i++) {
		u64 begin = list[i].start > from ? list[i].start : from;
		u64 end = list[i].end < to ? list[i].end : to;

		s->sums[i].time[parts] += end - begin;
	}
}

static unsigned parts_now(const struct sweep *s)
{
	return (s->active[0] ? PART_COMPUTE : 0) | (s->active[1] ? PART_COMM : 0) |
	       (s->active[2] ? PART_COPY : 0);
}

/* Nothing happened from the edge to `to`. */
static void move(struct sweep *s, u64 to)
{
	unsigned parts = parts_now(s);
	u64 ns = to - s->edge;

	if (s->any && ns) {
		s->time[parts] += ns;
		s->queue_ns += s->queue * ns;
		if (!s->queue)
			s->queue_empty_ns += ns;
		if (parts && s->steps)
			step_time(s, s->edge, to, parts);
	}
	s->edge = to;
}

/* The GPU was idle and gets something to do. */
static void idle_end(struct sweep *s, const struct mark *m)
{
	u64 from = s->idle_since, to = m->ts, launch = m->ts - (m->delay - 1);

	if (to == from)
		return;
	s->gaps++;
	if (!m->delay) {
		s->idle[IDLE_UNKNOWN] += to - from;
	} else if (launch <= from) {
		s->idle[IDLE_QUEUED] += to - from;
	} else {
		s->idle[m->cause] += launch - from;
		s->idle[IDLE_LAUNCH] += to - launch;
	}
}

static void count(struct sweep *s, u8 part, int by)
{
	for (int i = 0; i < 3; i++)
		if (part >> i & 1)
			s->active[i] += by;
}

static void start(struct sweep *s, const struct mark *m)
{
	if (!s->any)
		s->first = m->ts;
	else if (!parts_now(s))
		idle_end(s, m);
	if (!m->part && !parts_now(s))	/* of no length */
		s->idle_since = m->ts;
	s->any = true;
	count(s, m->part, 1);
	if (m->delay)
		s->queue--;
}

static void end(struct sweep *s, const struct mark *m)
{
	count(s, m->part, -1);
	s->last = m->ts;
	if (m->part && !parts_now(s))
		s->idle_since = m->ts;
}

/* Of equal times launches come first, then ends: what begins where something ends leaves no
 * gap. */
static bool next(struct sweep *s, u64 before)
{
	struct marks *all[] = { s->launches, s->ends, s->starts }, *first = NULL;
	const struct mark *m;

	for (int i = 0; i < 3; i++)
		if (all[i]->at < all[i]->n &&
		    (!first || all[i]->list[all[i]->at].ts < first->list[first->at].ts))
			first = all[i];
	if (!first || first->list[first->at].ts > before)
		return false;
	m = &first->list[first->at++];
	move(s, m->ts);
	if (first == s->starts)
		start(s, m);
	else if (first == s->ends)
		end(s, m);
	else if (++s->queue > s->queue_max)
		s->queue_max = s->queue;
	return true;
}

static void sweep_until(struct sweep *s, u64 before)
{
	marks_sort(s->launches);
	marks_sort(s->starts);
	marks_sort(s->ends);
	while (next(s, before))
		;
	marks_forget(s->launches);
	marks_forget(s->starts);
	marks_forget(s->ends);
}

/* The time up to which no more is awaited: of the older half when too many wait. */
static u64 settled(struct sweep *s)
{
	u64 before = s->newest > SWEEP_KEEP_NS ? s->newest - SWEEP_KEEP_NS : 0, half;

	if (s->starts->n < SWEEP_MAX)
		return before;
	marks_sort(s->starts);
	half = s->starts->list[s->starts->n / 2].ts;
	return half > before ? half : before;
}

void sweep_add(struct sweep *s, const struct sweep_op *op)
{
	u64 delay = op->launch ? op->start - op->launch + 1 : 0, oldest, before;
	struct mark m = { op->start, delay >> 48 ? 0 : delay, op->part, op->cause };

	if (s->any && op->start < s->edge) {
		s->late++;
		if (op->end <= s->edge)
			return;
		m.ts = s->edge;
		m.delay = 0;
	}
	if (op->end <= op->start)
		m.part = 0;
	if (m.delay) {
		s->queued++;
		mark_add(s->launches, (struct mark){ s->any && op->launch < s->edge ? s->edge :
						     op->launch, 0, 0, 0 });
	}
	mark_add(s->starts, m);
	if (m.part || op->end == op->start)
		mark_add(s->ends, (struct mark){ op->end, 0, m.part, 0 });
	if (op->end > s->newest)
		s->newest = op->end;
	if (s->starts->n < SWEEP_MIN || s->starts->n & (SWEEP_MIN - 1))
		return;
	before = settled(s);
	marks_sort(s->starts);
	oldest = s->starts->list[0].ts;
	if (before > oldest)
		sweep_until(s, before);
}

void sweep_finish(struct sweep *s)
{
	sweep_until(s, ~0ULL);
}

void sweep_free(struct sweep *s)
{
	struct marks *all[] = { s->launches, s->starts, s->ends };

	for (int i = 0; i < 3; i++) {
		if (all[i])
			free(all[i]->list);
		free(all[i]);
	}
}

u64 sweep_only(const u64 time[PARTS], unsigned parts, unsigned but)
{
	u64 ns = 0;

	for (unsigned i = 1; i < PARTS; i++)
		if ((i & parts) && !(i & but))
			ns += time[i];
	return ns;
}

u64 sweep_any(const u64 time[PARTS], unsigned parts)
{
	return sweep_only(time, parts, 0);
}
