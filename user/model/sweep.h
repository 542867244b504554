/*
 * One GPU of one process over time, exact: how long it computed, communicated,
 * copied, in every combination, and why it was idle; how many operations were
 * launched and had not started; the same for each step.
 *
 * Operations come in any order within SWEEP_KEEP_NS (or within SWEEP_MAX of them);
 * what is older is summed and forgotten. What comes for that time afterwards is
 * counted as late, and the part of it that is already summed is left out.
 */
#ifndef SWEEP_H
#define SWEEP_H

#include "steps.h"

#define SWEEP_KEEP_NS (3 * MODEL_HORIZON_NS)
#define SWEEP_MAX     (128u << 10)	/* operations that wait, whatever the clock says */

enum part { PART_COMPUTE = 1, PART_COMM = 2, PART_COPY = 4, PARTS = 8 };	/* bits */

enum idle_cause {		/* of a GPU with nothing to do, by what ended that */
	IDLE_UNKNOWN = 0,	/* no launch is known of what came next */
	IDLE_QUEUED,		/* it was launched before: waited for another stream, an event,
				 * a graph */
	IDLE_LAUNCH,		/* from the begin of its launch call to its start */
	/* before that call, what its thread did: */
	IDLE_HOST,		/* in no CUDA call, or in short ones */
	IDLE_SYNC, IDLE_COPY, IDLE_MEMORY, IDLE_CALL,	/* in the longest call since its last
							 * launch, or in that launch, by what
							 * it is for */
	IDLE_CAUSES
};
extern const char *const idle_cause_names[IDLE_CAUSES];

struct step_sums {		/* over the GPUs of a process */
	u64 time[PARTS];	/* [0]: not used; idle is what the step's length leaves */
	u64 kernels, kernel_ns;	/* launched by it */
	u64 comm_kernels, comm_ns;	/* part of them */
};

struct sweep_op {
	u64 start, end;
	u64 launch;		/* begin of the call; 0 unknown, or after start */
	/* of the launching thread: */
	u64 since;		/* end of its launch before, 0 unknown */
	u64 call_start, call_end;	/* its longest call between the two; both 0: none */
	u8 part;
	u8 call_cause, since_cause;	/* enum idle_cause: that call, the launch before */
};

struct marks;

struct sweep {
	struct marks *launches, *starts, *ends;
	u64 newest;		/* last end of all */
	u64 edge;		/* all before it is summed */
	u64 late;
	const struct process_steps *steps;	/* NULL: none */
	struct step_sums *sums;
	size_t step;		/* the first one that may still get something */

	u64 first, last;	/* first start, last end */
	u64 time[PARTS];	/* by what ran at a time; [0]: idle between first and last */
	u64 idle[IDLE_CAUSES];	/* sums to time[0] */
	u64 gaps;
	u64 queue_ns;		/* length times time, between first and last */
	u64 queue_empty_ns;
	u64 queue_max;
	u64 queued;		/* operations whose launch is known */
	/* state at the edge */
	u64 active[3];		/* operations that run, by bit of enum part */
	u64 queue, idle_since;
	bool any;
};

void sweep_init(struct sweep *s, const struct process_steps *steps, struct step_sums *sums);
void sweep_add(struct sweep *s, const struct sweep_op *op);
void sweep_finish(struct sweep *s);	/* sums all; nothing may be added afterwards */
void sweep_free(struct sweep *s);

/* Time with any of these parts. */
u64 sweep_any(const u64 time[PARTS], unsigned parts);
/* Time with any of these parts and none of those. */
u64 sweep_only(const u64 time[PARTS], unsigned parts, unsigned but);

#endif
