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

struct end { u64 ts; u64 part; };

struct marks {			/* by time, but for what is `unsorted`; each begins so */
	char *list;
	size_t size;		/* of one: of launches it is ts alone, of ends a struct end, of
				 * starts a struct sweep_op */
	size_t n, at, room;	/* at: the first one that is not summed */
	bool unsorted;
};

static struct marks *marks_new(size_t size)
{
	struct marks *m = must_alloc(sizeof(*m));

	m->size = size;
	return m;
}

void sweep_init(struct sweep *s, const struct process_steps *steps, struct step_sums *sums)
{
	memset(s, 0, sizeof(*s));
	s->launches = marks_new(sizeof(u64));
	s->starts = marks_new(sizeof(struct sweep_op));
	s->ends = marks_new(sizeof(struct end));
	s->steps = steps;
	s->sums = sums;
}

static void *mark_at(const struct marks *m, size_t i)
{
	return m->list + i * m->size;
}

static u64 ts_at(const struct marks *m, size_t i)
{
	return *(u64 *)mark_at(m, i);
}

/* Most come in order or nearly so. */
static void mark_add(struct marks *m, u64 ts, const void *x)
{
	size_t i, stop;

	if (m->n == m->room) {
		m->room = m->room ? 2 * m->room : 256;
		m->list = must_realloc(m->list, m->room * m->size);
	}
	i = m->n++;
	stop = i > m->at + NEAR ? i - NEAR : m->at;
	while (!m->unsorted && i > stop && ts_at(m, i - 1) > ts)
		i--;
	memmove(mark_at(m, i + 1), mark_at(m, i), (m->n - 1 - i) * m->size);
	memcpy(mark_at(m, i), x, m->size);
	if (i > m->at && ts_at(m, i - 1) > ts)
		m->unsorted = true;
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static void marks_sort(struct marks *m)
{
	if (m->unsorted)
		qsort(mark_at(m, m->at), m->n - m->at, m->size, compare);
	m->unsorted = false;
}

static void marks_forget(struct marks *m)
{
	if (!m->at)
		return;
	m->n -= m->at;
	memmove(m->list, mark_at(m, m->at), m->n * m->size);
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

static u64 common(u64 a, u64 b, u64 c, u64 d)
{
	u64 from = a > c ? a : c, to = b < d ? b : d;

	return to > from ? to - from : 0;
}

/* The part of an idle time before the launch that ended it: [from, to). */
static void idle_host(struct sweep *s, u64 from, u64 to, const struct sweep_op *op)
{
	u64 before = op->since > from ? common(from, to, 0, op->since) : 0, call;

	s->idle[op->since_cause] += before;
	call = common(from + before, to, op->call_start, op->call_end);
	s->idle[op->call_cause] += call;
	s->idle[IDLE_HOST] += to - from - before - call;
}

/* The GPU was idle and gets something to do. */
static void idle_end(struct sweep *s, const struct sweep_op *op)
{
	u64 from = s->idle_since, to = op->start;

	if (to == from)
		return;
	s->gaps++;
	if (!op->launch) {
		s->idle[IDLE_UNKNOWN] += to - from;
	} else if (op->launch <= from) {
		s->idle[IDLE_QUEUED] += to - from;
	} else {
		idle_host(s, from, op->launch, op);
		s->idle[IDLE_LAUNCH] += to - op->launch;
	}
}

static void count(struct sweep *s, u8 part, int by)
{
	for (int i = 0; i < 3; i++)
		if (part >> i & 1)
			s->active[i] += by;
}

static void start(struct sweep *s, const struct sweep_op *op)
{
	if (!s->any)
		s->first = op->start;
	else if (!parts_now(s))
		idle_end(s, op);
	if (!op->part && !parts_now(s))	/* of no length */
		s->idle_since = op->start;
	s->any = true;
	count(s, op->part, 1);
	if (op->launch)
		s->queue--;
}

static void end(struct sweep *s, const struct end *e)
{
	count(s, e->part, -1);
	s->last = e->ts;
	if (e->part && !parts_now(s))
		s->idle_since = e->ts;
}

/* Of equal times launches come first, then ends: what begins where something ends leaves no
 * gap. */
static bool next(struct sweep *s, u64 before)
{
	struct marks *all[] = { s->launches, s->ends, s->starts }, *first = NULL;
	const void *m;

	for (int i = 0; i < 3; i++)
		if (all[i]->at < all[i]->n &&
		    (!first || ts_at(all[i], all[i]->at) < ts_at(first, first->at)))
			first = all[i];
	if (!first || ts_at(first, first->at) > before)
		return false;
	m = mark_at(first, first->at++);
	move(s, *(const u64 *)m);
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
	half = ts_at(s->starts, s->starts->n / 2);
	return half > before ? half : before;
}

/* Sums what is old enough, now and then. */
static void sweep_some(struct sweep *s)
{
	u64 before;

	if (s->starts->n < SWEEP_MIN || s->starts->n & (SWEEP_MIN - 1))
		return;
	before = settled(s);
	marks_sort(s->starts);
	if (before > ts_at(s->starts, 0))
		sweep_until(s, before);
}

void sweep_add(struct sweep *s, const struct sweep_op *op)
{
	struct sweep_op x = *op;
	struct end e = { op->end, op->part };
	u64 launch = op->launch;

	if (s->any && x.start < s->edge) {
		s->late++;
		if (x.end <= s->edge)
			return;
		x.start = s->edge;
		x.launch = 0;
	}
	if (x.end <= x.start)
		x.part = e.part = 0;
	if (x.launch) {
		s->queued++;
		launch = s->any && launch < s->edge ? s->edge : launch;
		mark_add(s->launches, launch, &launch);
	}
	mark_add(s->starts, x.start, &x);
	mark_add(s->ends, e.ts, &e);
	if (x.end > s->newest)
		s->newest = x.end;
	sweep_some(s);
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
