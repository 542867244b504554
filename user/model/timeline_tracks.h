/* Inside of the timeline, shared by its files alone: tracks, queues, names, depth counters. */
#ifndef TIMELINE_TRACKS_H
#define TIMELINE_TRACKS_H

#include "hash.h"
#include "lanes.h"
#include "perfetto.h"
#include "timeline.h"

struct depth_point { u64 ts; s32 delta; };

struct depth {			/* operations of one GPU that were called but are not
				 * finished */
	u64 track;
	struct depth_point *points;
	size_t n, room;
	s64 value;
	u64 written_at;
	bool written;
};

struct timeline {
	struct perfetto *p;
	struct model *m;
	const struct trace_info *info;
	bool started;
	struct timeline_counts counts;
	u64 added, newest, flushed;
	struct lanes **lanes;		/* every lanes, for flushing */
	size_t n_lanes, lanes_room;
	struct hash threads;		/* pid << 32 | tid -> struct lanes */
	struct hash processes;		/* pid + 1 -> its track's uuid as pointer */
	struct hash process_lanes;	/* (pid, name) -> struct lanes */
	struct hash states;		/* tid + 1 -> state after its last switch */
	struct hash contexts, queues, kernels, names;	/* -> interned id as pointer */
	u64 stages[OP_TYPES];		/* interned ids */
	struct hash submits;		/* (producer, correlation) -> struct submits */
	struct depth *depths;		/* by GPU */
	size_t n_depths;
	u64 uuids;
};

/* Viewers count in s64; a damaged record must not end before it begins. */
static inline u64 time_end(u64 ts, u64 dur_ns)
{
	return ts > PERFETTO_TIME_MAX || dur_ns > PERFETTO_TIME_MAX - ts ? PERFETTO_TIME_MAX :
		ts + dur_ns;
}

void timeline_begin(struct timeline *t);	/* before any packet; acts once */

/* NULL when out of memory. */
struct lanes *tracks_thread(struct timeline *t, u32 pid, u32 tid);
struct lanes *tracks_process(struct timeline *t, u32 pid, u16 producer, const char *name);
u64 tracks_further(struct timeline *t, u64 parent, const char *name);
int tracks_state(struct timeline *t, const struct event *e, u32 state);
void tracks_finish(struct timeline *t);

/* Interned ids of what an operation refers to. */
u64 tracks_context(struct timeline *t, const struct gpu_op *op);
u64 tracks_queue(struct timeline *t, const struct gpu_op *op);
u64 tracks_stage(struct timeline *t, enum op_type type);
/* By the name's pointer: its text is made and hashed once a name, not once an operation. */
u64 tracks_name(struct timeline *t, const struct gpu_op *op);
u64 tracks_kernel(struct timeline *t, const char *mangled);

/* Event ids of operations whose call has not been written yet. */
int submits_add(struct timeline *t, u16 producer, u32 correlation, u64 event_id);
u64 *submits_take(struct timeline *t, u16 producer, u32 correlation, u32 *n);

int depth_add(struct timeline *t, const struct gpu_op *op);
int depth_flush(struct timeline *t, u64 before);

#endif
