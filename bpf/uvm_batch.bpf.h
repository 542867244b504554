/*
 * Batches of replayable faults: from the fetch to the replay that lets the GPU go on. A batch
 * is told when the driver turns to the next one, so that all its replays are in it. With a
 * replay policy "block" (not the default) each replay gets an id of the driver's and is a batch
 * here, and the first of them counts what was fetched; with "once" only the last of a run has
 * a replay, and the others end where the next fetch begins.
 */
#ifndef UVM_BATCH_BPF_H
#define UVM_BATCH_BPF_H

#include "uvm_call.bpf.h"
#include "uvm_gpus.bpf.h"
#include "uvm_owner.bpf.h"

#define UVM_REPLAY_START 0	/* UVM_FAULT_REPLAY_TYPE_START; the other one is of a cancel */

static __always_inline void uvm_batch_emit(struct uvm_call *c, u64 end)
{
	struct uvm_batch *b;

	if ((uvm_filtered() && !c->batch_wanted) || !uvm_gpu_wanted(c->batch_gpu))
		return;
	b = emit_begin(sizeof(*b), EVENT_UVM_BATCH);
	if (!b)
		return;
	b->e.ts = c->fetch_ns;
	b->e.pid = 0;
	b->dur_ns = end - c->fetch_ns;
	b->fetch_ns = c->fetched_ns ? c->fetched_ns - c->fetch_ns : 0;
	b->service_ns = c->served_ns;
	b->bytes = c->batch_bytes;
	b->gpu = c->batch_gpu;
	b->batch = c->batch;
	b->cached = c->cached;
	b->coalesced = c->coalesced;
	b->duplicates = c->duplicates;
	b->blocks = c->blocks;
	b->replays = c->replays;
	b->status = c->batch_status;
	emit_end(b);
}

/* What is counted anew for the next batch; the context stays. */
static __always_inline void uvm_batch_clear(struct uvm_call *c)
{
	c->fetched_ns = 0;
	c->replayed_ns = 0;
	c->served_ns = 0;
	c->batch_bytes = 0;
	c->batch = 0;
	c->cached = 0;
	c->coalesced = 0;
	c->duplicates = 0;
	c->blocks = 0;
	c->replays = 0;
	c->batch_status = 0;
	c->batch_open = false;
	c->batch_wanted = false;
}

static __always_inline void uvm_batch_close(struct uvm_call *c)
{
	if (!c->batch_open)
		return;
	uvm_batch_emit(c, c->replayed_ns ? c->replayed_ns : bpf_ktime_get_ns());
	uvm_batch_clear(c);
}

/* Also opens a batch whose fetch was not seen (that function is inlined somewhere): it then
 * begins where the driver was entered, or where the batch before ended. */
static __always_inline void uvm_batch_named(struct uvm_call *c, u32 batch)
{
	if (c->batch_open && c->batch && c->batch != batch) {	/* policy "block" */
		u64 fetch = c->fetch_ns;

		uvm_batch_close(c);
		c->fetch_ns = fetch;
	}
	c->batch_open = true;
	c->batch = batch;
}

/* ---- uvm_gpu_service_replayable_faults(gpu), from 560 uvm_parent_gpu_...(parent_gpu) ---- */

static __always_inline void uvm_replayable_enter(const u64 *arg)
{
	struct uvm_call *c = uvm_call_begin(UVM_IN_REPLAYABLE);

	if (!c)
		return;
	c->fetch_ns = bpf_ktime_get_ns();
	/* whichever of the two it is: the other's field says no */
	c->batch_gpu = UVM_HAS_ARG(service_parent) ? uvm_board_gpu((void *)arg[0]) :
						     uvm_gpu_tell((void *)arg[0]);
}

static __always_inline void uvm_replayable_exit(s64 result)
{
	struct uvm_call *c = uvm_call_get();

	if (!c || c->outer != UVM_IN_REPLAYABLE)
		return;
	uvm_batch_close(c);
	uvm_call_end();
}

/* ---- fetch_fault_buffer_entries(gpu, batch_context, mode) ---- */

static __always_inline void uvm_fetch_enter(const u64 *arg)
{
	struct uvm_call *c = uvm_call_get();

	if (!c || c->outer != UVM_IN_REPLAYABLE)
		return;
	uvm_batch_close(c);
	c->fetch_ns = bpf_ktime_get_ns();
	c->context = arg[1];
}

static __always_inline void uvm_fetch_exit(s64 result)
{
	struct uvm_call *c = uvm_call_get();

	if (!c || c->outer != UVM_IN_REPLAYABLE || !c->context)
		return;
	c->cached = UVM_READ(batch_cached, (void *)c->context);
	c->coalesced = UVM_READ(batch_coalesced, (void *)c->context);
	c->fetched_ns = bpf_ktime_get_ns();
	c->batch_open = c->cached != 0;
	/* counted up behind the fetch, in the same function */
	c->batch = UVM_READ(batch_id, (void *)c->context) + 1;
}

/* ---- service_fault_batch(gpu, mode, batch_context) ---- */

static __always_inline void uvm_serve_enter(const u64 *arg)
{
	struct uvm_call *c = uvm_call_get();

	if (!c || c->outer != UVM_IN_REPLAYABLE)
		return;
	c->context = arg[2];
	c->serve_ns = bpf_ktime_get_ns();
	uvm_batch_named(c, UVM_READ(batch_id, (void *)c->context));
	if (!c->cached) {	/* the fetch was not seen */
		c->cached = UVM_READ(batch_cached, (void *)c->context);
		c->coalesced = UVM_READ(batch_coalesced, (void *)c->context);
	}
}

static __always_inline void uvm_serve_exit(s64 result)
{
	struct uvm_call *c = uvm_call_get();

	if (!c || !c->serve_ns)
		return;
	c->served_ns += bpf_ktime_get_ns() - c->serve_ns;
	c->serve_ns = 0;
	c->duplicates = UVM_READ(batch_duplicates, (void *)c->context);
	c->batch_status = result;
}

/* ---- push_replay_on_gpu(gpu, type, batch_context) ---- */

static __always_inline void uvm_replay_enter(const u64 *arg)
{
	struct uvm_call *c = uvm_call_get();

	if (!c || c->outer != UVM_IN_REPLAYABLE)
		return;
	c->kept = (u32)arg[1] == UVM_REPLAY_START ? arg[2] : 0;
}

static __always_inline void uvm_replayed(struct uvm_call *c)
{
	if (!c->batch_open)
		return;
	c->replays++;
	c->replayed_ns = bpf_ktime_get_ns();
}

static __always_inline void uvm_replay_exit(s64 result)
{
	struct uvm_call *c = uvm_call_get();

	if (!c || c->outer != UVM_IN_REPLAYABLE || !c->kept)
		return;
	c->kept = 0;
	uvm_replayed(c);
}

/* uvm_tools_broadcast_replay(gpu, push, batch_id, client_type): the alternative, called just
 * before the push is handed over. */
static __always_inline void uvm_broadcast_replay(const u64 *arg)
{
	struct uvm_call *c = uvm_call_get();

	if (c && c->outer == UVM_IN_REPLAYABLE)
		uvm_replayed(c);
}

#endif
