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
	struct timeline_settings set;
	struct timeline_counts counts;
	u64 clock_at, clock_ahead;	/* last snapshot: when, CLOCK_REALTIME minus
					 * CLOCK_MONOTONIC */
	u64 added, newest, flushed;
	struct lanes **lanes;		/* every lanes, for flushing */
	size_t n_lanes, lanes_room;
	struct hash threads;		/* pid << 32 | tid -> struct lanes */
	struct hash processes;		/* pid + 1 -> its track's uuid as pointer */
	struct hash process_lanes;	/* (pid, name) -> struct lanes */
	struct hash uvm_lanes;		/* (GPU, name) -> struct lanes */
	struct hash tops;		/* name -> uuid as pointer */
	struct hash states;		/* tid + 1 -> state after its last switch */
	struct hash counter_tracks;	/* (producer, pid, name, GPU) -> uuid as pointer */
	struct hash texts;		/* hash -> struct text: names that must live on */
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

/* Viewers count processes in s32; ids that trace_set.c gave begin at 2^31, those of Linux end
 * at 2^22. */
static inline u32 shown_pid(u32 pid)
{
	return pid >> 31 ? (pid & 0x3fffffff) | 0x40000000 : pid;
}

void timeline_begin(struct timeline *t);	/* before any packet; acts once */

/* NULL when out of memory. */
struct lanes *tracks_thread(struct timeline *t, u32 pid, u32 tid);
/* name lives on: see tracks_text. */
struct lanes *tracks_process(struct timeline *t, u32 pid, u16 producer, const char *name);
const char *tracks_text(struct timeline *t, const char *text);	/* a copy that does */
s32 tracks_rank(struct timeline *t, u32 pid);	/* of a distributed job, -1 unknown */
u64 tracks_further(struct timeline *t, u64 parent, const char *name);
u64 tracks_process_uuid(struct timeline *t, u32 pid);
/* One of the tracks under "GPU n unified memory"; name lives on. NULL when out of memory. */
struct lanes *tracks_uvm(struct timeline *t, const struct uvm_gpu_info *g, const char *name);
/* A track at the top, by its name. */
u64 tracks_top(struct timeline *t, const char *name);
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

/* timeline.c, for timeline_uvm.c */
enum slice_kind {
	SLICE_API, SLICE_NVTX, SLICE_IOCTL, SLICE_WAIT, SLICE_OVERHEAD, SLICE_BLOCK,
	SLICE_SPAN, SLICE_FLOW, SLICE_OTHER, SLICE_BATCH, SLICE_SERVICE, SLICE_EVICT,
};
enum { RANK_NVTX = 0, RANK_API = 1, RANK_IN_API = 8, RANK_LOOSE = 0xffff };	/* + depth */
u64 timeline_intern(struct timeline *t, enum intern kind, const char *text);
int timeline_add(struct timeline *t, struct lanes *l, struct slice *s);
int timeline_instant(struct timeline *t, u64 track, u64 ts, const char *name,
		     const char *category, const struct perfetto_note *notes);

/* timeline_uvm.c */
int timeline_uvm(void *ctx, const struct uvm_event *u);
int timeline_xid(void *ctx, const struct xid_event *x);
/* What a slice of unified memory says of itself; at most 4 and an end. */
void timeline_uvm_notes(const struct slice *s, struct perfetto_note *notes);

/* timeline_span.c */
int timeline_span(void *ctx, const struct span *s);
int timeline_counter(void *ctx, const struct counter *c);
int timeline_flow(void *ctx, const struct flow *f);
int timeline_sample(void *ctx, const struct sample *s);
int timeline_clock(void *ctx, const struct clock_pair *c);
void timeline_span_notes(const struct slice *s, struct perfetto_note *notes);	/* at most 1 */
/* At most 11 and an end. */
void timeline_collective_args(const struct collective_info *c, struct perfetto_note *a);

/* timeline_other.c */
#define OTHER_NOTES 40		/* fields that are shown */
int timeline_other(void *ctx, const struct event *e);
int timeline_xid_call(void *ctx, const struct xid_call *c, const char *name);
int timeline_driver_sum(void *ctx, const struct driver_sum *s);
/* Begins a slice of it: submits is the record. */
void timeline_other_begin(struct timeline *t, const struct slice *s,
			  struct perfetto_slice *out);

int depth_add(struct timeline *t, const struct gpu_op *op);
int depth_flush(struct timeline *t, u64 before);

#endif
