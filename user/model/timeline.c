// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Things of the model -> packets: threads with nested slices (API calls, NVTX,
 * ioctls, waits), scheduling states, page faults; GPU streams as render stage
 * events that their API call names; queue depth as counters.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lanes.h"
#include "timeline.h"
#include "timeline_tracks.h"
#include "titles.h"

#define FLUSH_EVERY 65536	/* slices and operations between two looks at what may go out */

u64 timeline_intern(struct timeline *t, enum intern kind, const char *text)
{
	timeline_begin(t);
	return perfetto_intern(t->p, kind, text);
}

static void slice_begin(void *ctx, const struct slice *s, u64 track)
{
	struct timeline *t = ctx;
	struct perfetto_slice out = {
		.track = track, .name = s->name, .category = s->category,
		.submits = s->submits, .n_submits = s->n_submits,
		.flow_out = s->flow_out, .flow_in = s->flow_in, .cuda = s->kind == SLICE_API,
	};
	struct perfetto_note notes[6] = {};
	char text[32];

	t->counts.slices++;
	if (s->kind == SLICE_OTHER)
		return timeline_other_begin(t, s, &out);
	if (s->kind == SLICE_API) {
		notes[0] = (struct perfetto_note){ "correlation", s->a, NULL, false };
		if (s->b)
			notes[1] = (struct perfetto_note){ "result", s->b, NULL, false };
	} else if (s->kind == SLICE_IOCTL) {
		snprintf(text, sizeof(text), "%u:%u", (u32)s->b >> 20, (u32)s->b & 0xfffff);
		notes[0] = (struct perfetto_note){ "cmd", (u32)s->a, NULL, true };
		notes[1] = (struct perfetto_note){ "device", 0, text, false };
		if (s->a >> 32)
			notes[2] = (struct perfetto_note){ "errno", -(s64)(s32)(s->a >> 32),
							   NULL, false };
	} else if (s->kind == SLICE_BLOCK) {
		notes[0] = (struct perfetto_note){ "bytes", s->a, NULL, false };
		notes[1] = (struct perfetto_note){ "sector", s->b, NULL, false };
	} else if (s->kind == SLICE_SPAN) {
		timeline_span_notes(s, notes);
	} else if (s->kind >= SLICE_BATCH) {
		timeline_uvm_notes(s, notes);
	}
	out.notes = t->set.lean ? NULL : notes;
	perfetto_begin(t->p, s->ts, &out);
	t->counts.flows += s->n_submits;
}

static void slice_end(void *ctx, u64 ts, u64 track)
{
	perfetto_end(((struct timeline *)ctx)->p, ts, track);
}

static u64 slice_track(void *ctx, const struct lanes *l)
{
	return tracks_further(ctx, l->parent, l->name);
}

static const struct lanes_ops lanes_ops = { slice_begin, slice_end, slice_track };

static int flush(struct timeline *t, u64 before)
{
	int err = 0;

	for (size_t i = 0; i < t->n_lanes && !err; i++)
		err = lanes_flush(t->lanes[i], before, &lanes_ops, t);
	return err ? err : depth_flush(t, before);
}

/* Now and then lets go what nothing can come before any more. */
static int advance(struct timeline *t)
{
	u64 settled;

	if (++t->added % FLUSH_EVERY)
		return 0;
	settled = model_settled(t->m);
	if (t->newest > t->flushed + 2 * MODEL_HORIZON_NS &&
	    settled < t->newest - MODEL_HORIZON_NS)
		settled = t->newest - MODEL_HORIZON_NS;
	if (settled <= t->flushed)
		return 0;
	t->flushed = settled;
	return flush(t, t->flushed);
}

int timeline_add(struct timeline *t, struct lanes *l, struct slice *s)
{
	int err;

	if (!l)
		return -ENOMEM;
	s->ts = time_end(s->ts, 0);
	if (s->end - s->ts < t->set.min_dur_ns && !s->loose) {
		t->counts.short_slices++;
		perfetto_call_left_out(t->p, s->submits, s->n_submits);
		free(s->submits);
		return 0;
	}
	if (s->end > t->newest)
		t->newest = s->end;
	if (s->ts < t->flushed)
		t->counts.late++;
	err = lanes_add(l, s);
	return err ? err : advance(t);
}

static int instant(struct timeline *t, const struct event *e, u64 name, u64 category,
		   const struct perfetto_note *notes)
{
	struct lanes *l = tracks_thread(t, e->pid, e->tid);
	struct perfetto_slice s = { .name = name, .category = category, .notes = notes };

	if (!l)
		return -ENOMEM;
	s.track = l->uuid;
	perfetto_instant(t->p, e->ts, &s);
	t->counts.instants++;
	return 0;
}

int timeline_instant(struct timeline *t, u64 track, u64 ts, const char *name,
		     const char *category, const struct perfetto_note *notes)
{
	struct perfetto_slice s = {
		.track = track, .notes = t->set.lean ? NULL : notes,
		.name = timeline_intern(t, INTERN_NAME, name),
		.category = timeline_intern(t, INTERN_CATEGORY, category),
	};

	perfetto_instant(t->p, time_end(ts, 0), &s);
	t->counts.instants++;
	return 0;
}

/* ---- API calls and what they launched ---- */

static int on_api(void *ctx, const struct api_call *c)
{
	struct timeline *t = ctx;
	struct slice s = {
		.ts = c->r.e.ts, .end = time_end(c->r.e.ts, c->r.dur_ns), .kind = SLICE_API,
		.rank = RANK_API + c->r.depth, .a = c->r.correlation, .b = (u32)c->r.result,
		.name = timeline_intern(t, INTERN_NAME, c->name),
		.category = timeline_intern(t, INTERN_CATEGORY,
				   c->r.domain == API_DRIVER ? "cuda_driver" : "cuda_runtime"),
	};

	if (!c->r.depth)
		s.submits = submits_take(t, c->r.e.producer, c->r.correlation, &s.n_submits);
	return timeline_add(t, tracks_thread(t, c->r.e.pid, c->r.e.tid), &s);
}

/* Launch arguments by type; at most 9, and of a collective 11. */
static void op_args(const struct gpu_op *op, struct perfetto_note *a)
{
	const struct kernel *k = (const void *)op->g;
	const struct copy *c = (const void *)op->g;
	const struct set *set = (const void *)op->g;

	*a++ = (struct perfetto_note){ "device", op->device->gpu, NULL, false };
	*a++ = (struct perfetto_note){ "stream", op->g->stream, NULL, false };
	*a++ = (struct perfetto_note){ "correlation", op->g->correlation, NULL, false };
	if (op->g->graph_node)
		*a++ = (struct perfetto_note){ "graph_node", op->g->graph_node, NULL, false };
	if (op->g->graph)
		*a++ = (struct perfetto_note){ "graph", op->g->graph, NULL, false };
	if (op->type == OP_KERNEL) {
		*a++ = (struct perfetto_note){ "registers_per_thread", k->registers, NULL,
					       false };
		*a++ = (struct perfetto_note){ "shared_mem_static", k->static_shared_bytes,
					       NULL, false };
		*a++ = (struct perfetto_note){ "shared_mem_dynamic", k->dynamic_shared_bytes,
					       NULL, false };
		if (op->collective)
			timeline_collective_args(op->collective, a);
	} else if (op->type == OP_COPY) {
		*a++ = (struct perfetto_note){ "bytes", c->bytes, NULL, false };
		*a++ = (struct perfetto_note){ "pageable", c->src_kind == MEMORY_PAGEABLE ||
					       c->dst_kind == MEMORY_PAGEABLE, NULL, false };
	} else if (op->type == OP_SET) {
		*a++ = (struct perfetto_note){ "bytes", set->bytes, NULL, false };
	}
}

static int on_op(void *ctx, const struct gpu_op *op)
{
	struct timeline *t = ctx;
	const struct kernel *k = (const void *)op->g;
	struct perfetto_note args[24] = {};
	struct perfetto_op out = {
		.event_id = ++t->counts.ops, .ts = time_end(op->g->e.ts, 0),
		.gpu = op->device->gpu, .args = args,
		.called = op->call && !op->call->delivered,	/* else its slice is written */
	};
	int err = 0;

	timeline_begin(t);
	out.dur_ns = time_end(op->g->e.ts, op->g->dur_ns) - out.ts;
	if (out.dur_ns < t->set.min_dur_ns) {
		t->counts.ops--;
		t->counts.short_ops++;
		err = depth_add(t, op);
		return err ? err : advance(t);
	}
	if (!t->set.lean)
		op_args(op, args);
	out.context = tracks_context(t, op);
	out.queue = tracks_queue(t, op);
	out.stage = tracks_stage(t, op->type);
	if (op->type == OP_KERNEL && !t->set.lean) {
		out.kernel = tracks_kernel(t, op->name);
		out.grid = k->grid;
		out.block = k->block;
	}
	out.name = tracks_name(t, op);
	if (out.ts + out.dur_ns > t->newest)
		t->newest = out.ts + out.dur_ns;
	perfetto_gpu_op(t->p, &out);
	if (out.called)
		err = submits_add(t, op->g->e.producer, op->g->correlation, out.event_id);
	if (!err)
		err = depth_add(t, op);
	return err ? err : advance(t);
}

static int on_sync(void *ctx, const struct sync *s, const struct api_call *call)
{
	static const char *const names[] = { "wait", "wait: event", "wait: stream for event",
					     "wait: stream", "wait: context" };
	struct timeline *t = ctx;
	struct slice out = {
		.ts = s->g.e.ts, .end = time_end(s->g.e.ts, s->g.dur_ns), .kind = SLICE_WAIT,
		.rank = RANK_IN_API,
		.name = timeline_intern(t, INTERN_NAME,
					names[s->type <= SYNC_CONTEXT ? s->type : 0]),
		.category = timeline_intern(t, INTERN_CATEGORY, "cuda_sync"),
	};

	return call ? timeline_add(t, tracks_thread(t, call->r.e.pid, call->r.e.tid), &out) : 0;
}

/* ---- NVTX, overhead ---- */

static int on_nvtx(void *ctx, const struct nvtx *n)
{
	struct timeline *t = ctx;
	struct slice s = {
		.ts = n->e.ts, .end = time_end(n->e.ts, n->dur_ns), .kind = SLICE_NVTX,
		.rank = RANK_NVTX,
		.name = timeline_intern(t, INTERN_NAME,
					model_name(t->m, n->e.producer, n->name)),
		.category = timeline_intern(t, INTERN_CATEGORY, "nvtx"), .a = n->depth,
	};

	if (n->what == NVTX_START_END)		/* may cross the calls of any thread */
		return timeline_add(t, tracks_process(t, n->e.pid, n->e.producer,
						      "NVTX ranges"), &s);
	if (n->what == NVTX_MARK)
		return instant(t, &n->e, s.name, s.category, NULL);
	return timeline_add(t, tracks_thread(t, n->e.pid, n->e.tid), &s);
}

static int on_overhead(void *ctx, const struct overhead *o)
{
	struct timeline *t = ctx;
	const char *name = record_enum_name(EVENT_OVERHEAD, "what", o->what);
	struct slice s = {
		.ts = o->e.ts, .end = time_end(o->e.ts, o->dur_ns), .kind = SLICE_OVERHEAD,
		.name = timeline_intern(t, INTERN_NAME, name ? name : "overhead"),
		.category = timeline_intern(t, INTERN_CATEGORY, "cupti_overhead"),
	};

	return timeline_add(t, tracks_process(t, o->e.pid, o->e.producer, "CUPTI overhead"),
			    &s);
}

/* ---- the kernel's side ---- */

static int on_switch(struct timeline *t, const struct sched_switch_rec *r)
{
	u32 state = r->on ? STATE_RUNNING : !r->state ? STATE_RUNNABLE :
		r->state & 0x30 ? STATE_DEAD :
		    r->state & 0x0c ? STATE_STOPPED : r->state & 2 ? STATE_BLOCKED :
		    STATE_SLEEP;

	return tracks_state(t, &r->e, state);
}

static int on_fault(struct timeline *t, const struct fault *f)
{
	struct perfetto_note notes[] = {
		{ "address", f->addr, NULL, true }, { "ip", f->ip, NULL, true },
		{ "write", f->code >> 1 & 1, NULL, false }, {}
	};

	return instant(t, &f->e, timeline_intern(t, INTERN_NAME, "page fault"),
		       timeline_intern(t, INTERN_CATEGORY, "fault"), notes);
}

static int on_ioctl(struct timeline *t, const struct driver_call *i)
{
	char name[96];
	struct slice s = {
		.ts = i->e.ts, .end = time_end(i->e.ts, i->dur_ns), .kind = SLICE_IOCTL,
		.rank = RANK_IN_API, .category = timeline_intern(t, INTERN_CATEGORY, "ioctl"),
		.a = i->cmd | (u64)(u32)(i->result < 0 ? i->result : 0) << 32, .b = i->device,
	};

	s.name = timeline_intern(t, INTERN_NAME, driver_name(i, name, sizeof(name)));
	return timeline_add(t, tracks_thread(t, i->e.pid, i->e.tid), &s);
}

static int on_block(struct timeline *t, const struct block_io *b)
{
	const char *op = record_enum_name(EVENT_BLOCK, "op", b->op);
	char name[48];
	struct slice s = {
		.ts = b->e.ts, .end = time_end(b->e.ts, b->dur_ns), .kind = SLICE_BLOCK,
		.category = timeline_intern(t, INTERN_CATEGORY, "block"),
		.a = b->bytes, .b = b->sector,
	};

	snprintf(name, sizeof(name), "%s %u:%u", op ? op : "block I/O",
		 b->device >> 20, b->device & 0xfffff);
	s.name = timeline_intern(t, INTERN_NAME, name);
	return timeline_add(t, tracks_process(t, b->e.pid, 0, "block I/O"), &s);
}

static int on_host(void *ctx, const struct host_event *h)
{
	timeline_begin(ctx);
	switch (h->e->kind) {
	case EVENT_SWITCH: return on_switch(ctx, (const void *)h->e);
	case EVENT_WAKE: return tracks_state(ctx, h->e, STATE_RUNNABLE);
	case EVENT_FAULT: return on_fault(ctx, (const void *)h->e);
	case EVENT_DRIVER: return on_ioctl(ctx, (const void *)h->e);
	case EVENT_BLOCK: return on_block(ctx, (const void *)h->e);
	}
	return 0;
}

const struct view timeline_view = {
	.api = on_api, .op = on_op, .sync = on_sync, .nvtx = on_nvtx, .overhead = on_overhead,
	.span = timeline_span, .counter = timeline_counter, .flow = timeline_flow,
	.sample = timeline_sample, .clock = timeline_clock,
	.host = on_host, .uvm = timeline_uvm, .xid = timeline_xid,
	.xid_call = timeline_xid_call, .driver_sum = timeline_driver_sum,
	.other = timeline_other,
};

int timeline_finish(struct timeline *t)
{
	int err;

	timeline_begin(t);
	err = flush(t, ~0ULL);
	tracks_finish(t);
	return err;
}
