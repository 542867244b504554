/*
 * Slices of one thread (or of one kind) in the order a track can take:
 * begin and end balanced, children inside parents. Slices come in any order
 * within the horizon and wait here until nothing earlier can come. One that
 * crosses its neighbour instead of nesting goes to a further lane. Ends of
 * arrows come as slices of no length and go to the innermost slice around them.
 */
#ifndef LANES_H
#define LANES_H

#include <stddef.h>
#include "perfetto.h"

struct slice {
	u64 ts, end;
	u64 name, category;	/* interned ids */
	u16 kind;		/* the caller's */
	bool loose;		/* the end of an arrow; stays a slice where none is around it */
	u16 rank;		/* of slices that begin and end together the lowest is the
				 * outermost */
	u32 n_submits;
	u64 *submits;		/* owned; freed after writing */
	u64 flow_out, flow_in;	/* ids of arrows that leave and end here, 0 none */
	u64 a, b;		/* the caller's */
};

struct lane {			/* one track */
	u64 uuid;
	u64 at;			/* latest begin or end written: nothing earlier may follow */
	u64 *ends;		/* of the slices that are open, innermost last */
	u32 depth, room;
};

struct lanes {
	u64 uuid, parent;	/* of the first lane, already described; parent for further
				 * ones */
	const char *name;	/* of further lanes */
	bool any_loose;		/* among those that wait */
	struct slice *slices;	/* waiting */
	size_t n, room;
	struct lane *lane;
	u32 n_lanes;
};

struct lanes_ops {
	void (*begin)(void *ctx, const struct slice *s, u64 track);
	void (*end)(void *ctx, u64 ts, u64 track);
	u64 (*track)(void *ctx, const struct lanes *l);	/* describe a further lane: its uuid */
};

/* 0 or -ENOMEM. */
int lanes_add(struct lanes *l, const struct slice *s);
/* Writes all slices that begin before `before` (and with ~0 ends everything). */
int lanes_flush(struct lanes *l, u64 before, const struct lanes_ops *ops, void *ctx);
void lanes_free(struct lanes *l);

#endif
