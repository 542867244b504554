/*
 * The union of intervals of one device, exact although they come out of order:
 * new ones are staged, then sorted and merged. When many are kept, those that
 * ended long ago are folded into a sum; what comes for that time afterwards is
 * counted as late and left out.
 */
#ifndef INTERVAL_H
#define INTERVAL_H

#include <stddef.h>
#include "types.h"

#define GAPS 16			/* the longest ones are kept */

struct interval {
	u64 start, end;
	u64 launch_ns;		/* when the call that launched its first operation began; 0
				 * unknown */
	const char *name;	/* of its first operation */
	const char *longest;	/* the launching thread's longest call since its launch before,
				 * or NULL */
	u64 longest_ns, since_ns;	/* see struct api_call */
	u32 tid;		/* thread that launched it, 0 unknown */
};

struct intervals {		/* all zero is empty */
	u64 settled;		/* set from outside: no earlier one comes any more */
	u64 first, last;	/* first start, last end of all */
	u64 folded;		/* length of what is kept no more; it ended at `edge` */
	u64 edge;
	u64 late;		/* intervals that began before `edge` after it was set */
	u64 gap_count;
	u64 gap_unlaunched_ns;	/* part of the gaps before the call that ended them began */
	u64 gap_unknown_ns;	/* gaps that were ended by what has no known call */
	struct interval *merged, *staged;
	size_t merged_n, merged_room, staged_n, staged_room;
	struct interval gaps[GAPS];	/* longest first; all but start and end are of what
					 * ended it */
	u32 gap_n;
	bool any, unsorted;	/* unsorted: the staged ones */
};

/* [start, end); empty ones count for first and last. keep_ns: how far back from the last end
 * intervals are kept. */
void intervals_add(struct intervals *s, struct interval x, u64 keep_ns);
void intervals_finish(struct intervals *s);	/* folds all; nothing may be added afterwards */
u64 intervals_busy(const struct intervals *s);	/* after intervals_finish */
u64 intervals_idle(const struct intervals *s);
void intervals_free(struct intervals *s);

#endif
