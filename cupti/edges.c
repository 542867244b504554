// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where a recording begins and ends among the calls of many threads. An operation
 * belongs to it if its call does. Correlation ids count up over all threads, but a
 * thread may be stopped between taking its id and telling us: around either edge
 * ids of calls that are recorded and of calls that are not lie mixed. There each
 * is marked; far from the edges its number decides.
 */
#include <string.h>
#include "library.h"

#define AROUND 0x8000		/* ids on either side of the first one at an edge */

struct edge {
	u64 first;		/* id of the first call at it, with SET; 0: none came */
	u8 mark[2 * AROUND];	/* by id: it is one of those that the edge is about */
};
#define SET (1ULL << 32)

static struct edge begin, end;	/* marked: recorded calls; calls that are not any more */
static bool used;

enum side { BEFORE, MARKED, UNMARKED, BEHIND };

static void edge_mark(struct edge *e, u32 id)
{
	u64 first = load_relaxed(&e->first), none = 0;

	if (!first && __atomic_compare_exchange_n(&e->first, &none, SET | id, false,
						  __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		first = SET | id;
	else if (!first)
		first = none;
	if (id - (u32)first + AROUND < 2 * AROUND)
		store_release(&e->mark[id % (2 * AROUND)], 1);
}

static enum side edge_side(const struct edge *e, u32 id)
{
	u32 first = load_acquire(&e->first), at = id - first + AROUND;

	if (at < 2 * AROUND)
		return load_acquire(&e->mark[id % (2 * AROUND)]) ? MARKED : UNMARKED;
	return id < first ? BEFORE : BEHIND;
}

void edges_reset(bool calls)
{
	store_release(&used, calls);
	memset(&begin, 0, sizeof(begin));
	memset(&end, 0, sizeof(end));
}

void edge_recorded(u32 id)
{
	edge_mark(&begin, id);
}

void edge_left_out(u32 id)
{
	edge_mark(&end, id);
}

bool edges_outside(u32 id)
{
	enum side side;

	if (!load_acquire(&used))
		return false;
	if (!load_acquire(&begin.first))
		return true;
	side = edge_side(&begin, id);
	if (side == BEFORE || side == UNMARKED)
		return true;
	if (!load_acquire(&end.first))
		return false;
	side = edge_side(&end, id);
	return side == MARKED || side == BEHIND;
}
