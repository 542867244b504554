/*
 * Services: a VA block's share of a batch, one CPU fault, one non-replayable fault, a run over
 * access counters, pages of an ATS system. A function that returns to be called again for the
 * same (it dropped its locks to make room, or waits because the page thrashes) is one service,
 * and the time between belongs to it.
 */
#ifndef UVM_SERVICE_BPF_H
#define UVM_SERVICE_BPF_H

#include "uvm_batch.bpf.h"

#define NV_ERR_MORE_PROCESSING_REQUIRED  0x4d		/* a block's lock was dropped */
#define NV_WARN_MORE_PROCESSING_REQUIRED 0x10005	/* so were all locks, or it throttles */

/* They begin at the time in us, so that those of a module loaded anew, which other probes
 * follow, are other numbers. */
static __always_inline u64 uvm_service_id(void)
{
	if (!uvm_last_service)
		__sync_val_compare_and_swap(&uvm_last_service, 0, bpf_ktime_get_ns() / 1000);
	return __sync_fetch_and_add(&uvm_last_service, 1) + 1;
}

static __always_inline void uvm_service_emit(struct uvm_call *c, u64 end)
{
	struct uvm_service *s;

	if (!c->wanted)
		return;
	s = emit_begin(sizeof(*s), EVENT_UVM_SERVICE);
	if (!s)
		return;
	s->e.ts = c->begun_ns;
	s->e.pid = c->pid;
	s->dur_ns = end - c->begun_ns;
	s->id = c->id;
	s->addr = c->addr;
	s->bytes_in = c->bytes_in;
	s->bytes_out = c->bytes_out;
	s->gpu = c->gpu;
	s->batch = c->what == UVM_SERVICE_REPLAYABLE || c->what == UVM_SERVICE_ATS ?
		c->batch : 0;
	s->faults = c->faults;
	s->status = c->status;
	s->what = c->what;
	s->pad = 0;
	emit_end(s);
}

static __always_inline void uvm_service_close(struct uvm_call *c, u64 end)
{
	if (!c->id)
		return;
	uvm_service_emit(c, end);
	c->blocks++;
	c->id = 0;
	c->paused = false;
}

/* A new service, of memory whose owner is told. */
static __always_inline void uvm_service_open(struct uvm_call *c, u32 what, u32 gpu, u64 space,
					     u64 addr)
{
	struct uvm_owner o;

	if (c->id)
		uvm_service_close(c, c->paused ? c->paused_ns : bpf_ktime_get_ns());
	uvm_owner_of(space, &o);
	c->begun_ns = bpf_ktime_get_ns();
	c->space = space;
	c->pid = o.pid;
	c->wanted = o.wanted && uvm_gpu_wanted(gpu);
	c->batch_wanted |= o.wanted;
	c->addr = addr;
	c->bytes_in = 0;
	c->bytes_out = 0;
	c->faults = 0;
	c->gpu = gpu;
	c->what = what;
	c->status = 0;
	c->id = uvm_service_id();
}

/* True: the service goes on where it paused. */
static __always_inline bool uvm_service_resumed(struct uvm_call *c, u64 block, u64 addr)
{
	if (!c->id || !c->paused || c->block != block || c->addr != addr)
		return false;
	c->paused = false;
	return true;
}

static __always_inline void uvm_service_return(struct uvm_call *c, s32 status)
{
	if (!c->id)
		return;
	c->status = status;
	c->paused_ns = bpf_ktime_get_ns();
	c->paused = status == NV_ERR_MORE_PROCESSING_REQUIRED ||
		    status == NV_WARN_MORE_PROCESSING_REQUIRED;
	if (!c->paused)
		uvm_service_close(c, c->paused_ns);
}

static __always_inline void uvm_block_open(struct uvm_call *c, u32 what, u32 gpu, u64 block,
					   u64 addr)
{
	struct uvm_block b;

	if (uvm_service_resumed(c, block, addr))
		return;
	uvm_block_read(block, &b);
	uvm_service_open(c, what, gpu, b.space, addr);
	c->block = block;
}

/* ---- service_fault_batch_block_locked(gpu, va_block, ..., batch_context, ...) ---- */

static __always_inline void uvm_locked_enter(const u64 *arg)
{
	u64 block = UVM_ARG(locked_block, arg), context = UVM_ARG(locked_batch, arg);
	struct uvm_call *c = uvm_call_get();

	if (!c || c->outer != UVM_IN_REPLAYABLE)
		return;
	c->context = context;
	uvm_batch_named(c, UVM_READ(batch_id, (void *)context));
	uvm_block_open(c, UVM_SERVICE_REPLAYABLE,
		       uvm_gpu_tell((void *)UVM_ARG(locked_gpu, arg)), block,
		       UVM_READ(block_start, (void *)block));
}

static __always_inline void uvm_locked_exit(s64 result)
{
	struct uvm_call *c = uvm_call_get();

	if (c && c->outer == UVM_IN_REPLAYABLE)
		uvm_service_return(c, result);
}

/* ---- uvm_ats_service_faults(gpu_va_space, vma, base, ats_context) ---- */

static __always_inline void uvm_ats_enter(const u64 *arg)
{
	struct uvm_call *c = uvm_call_get();

	if (!c || c->outer != UVM_IN_REPLAYABLE)
		return;
	uvm_service_open(c, UVM_SERVICE_ATS, c->batch_gpu,
			 UVM_READ(gpu_space_space, (void *)arg[0]), arg[2]);
	c->block = 0;
}

static __always_inline void uvm_ats_exit(s64 result)
{
	uvm_locked_exit(result);
}

/* ---- uvm_gpu_service_non_replayable_fault_buffer(gpu | parent_gpu) ---- */

static __always_inline void uvm_single_outer_enter(const u64 *arg)
{
	struct uvm_call *c = uvm_call_begin(UVM_IN_NON_REPLAYABLE);

	if (c)
		c->batch_gpu = UVM_HAS_ARG(service_parent) ? uvm_board_gpu((void *)arg[0]) :
							     uvm_gpu_tell((void *)arg[0]);
}

static __always_inline void uvm_single_outer_exit(s64 result)
{
	struct uvm_call *c = uvm_call_get();

	if (!c || c->outer != UVM_IN_NON_REPLAYABLE)
		return;
	uvm_service_close(c, c->paused_ns);
	uvm_call_end();
}

/* ---- service_managed_fault_in_block_locked([gpu,] va_block, retry, fault_entry, ...) ---- */

static __always_inline void uvm_single_enter(const u64 *arg)
{
	void *entry = (void *)UVM_ARG(single_entry, arg);
	void *gpu = UVM_HAS_ARG(single_gpu) ? (void *)UVM_ARG(single_gpu, arg) :
					      UVM_PTR(entry_gpu, entry);
	struct uvm_call *c = uvm_call_get();

	if (c && c->outer == UVM_IN_NON_REPLAYABLE)
		uvm_block_open(c, UVM_SERVICE_NON_REPLAYABLE, uvm_gpu_tell(gpu),
			       UVM_ARG(single_block, arg), UVM_READ(entry_addr, entry));
}

static __always_inline void uvm_single_exit(s64 result)
{
	struct uvm_call *c = uvm_call_get();

	if (c && c->outer == UVM_IN_NON_REPLAYABLE)
		uvm_service_return(c, result);
}

/* ---- uvm_va_block_cpu_fault(va_block, fault_addr, is_write, service_context) ---- */

static __always_inline void uvm_cpu_enter(const u64 *arg)
{
	struct uvm_call *c = uvm_call_get();

	if (c && c->outer == UVM_IN_CPU_FAULT && c->paused) {
		if (uvm_service_resumed(c, arg[0], arg[1]))
			return;
		uvm_service_close(c, c->paused_ns);	/* given up, then another fault */
		uvm_call_end();
	}
	c = uvm_call_begin(UVM_IN_CPU_FAULT);
	if (c)
		uvm_block_open(c, UVM_SERVICE_CPU, UVM_CPU, arg[0], arg[1]);
}

static __always_inline void uvm_cpu_exit(s64 result)
{
	struct uvm_call *c = uvm_call_get();

	if (!c || c->outer != UVM_IN_CPU_FAULT)
		return;
	uvm_service_return(c, result);
	if (!c->paused)
		uvm_call_end();
}

/* ---- uvm_gpu_service_access_counters(gpu), 560 parent_gpu, 570 the buffer ---- */

static __always_inline u32 uvm_counters_board(void *what)
{
	if (UVM_HAS(counters_parent))
		return uvm_board_gpu(UVM_PTR(counters_parent, what));
	return UVM_HAS_ARG(counters_gpu) ? uvm_gpu_tell(what) : uvm_board_gpu(what);
}

static __always_inline void uvm_counters_enter(const u64 *arg)
{
	struct uvm_call *c = uvm_call_begin(UVM_IN_COUNTERS);

	if (c)
		uvm_service_open(c, UVM_SERVICE_ACCESS_COUNTERS,
				 uvm_counters_board((void *)arg[0]), 0, 0);
}

static __always_inline void uvm_counters_exit(s64 result)
{
	struct uvm_call *c = uvm_call_get();

	if (!c || c->outer != UVM_IN_COUNTERS)
		return;
	uvm_service_close(c, bpf_ktime_get_ns());
	uvm_call_end();
}

/* ---- uvm_va_block_evict_chunks(va_block, gpu, root_chunk, tracker) ---- */

static __always_inline void uvm_evict_enter(const u64 *arg)
{
	struct uvm_call *c = uvm_call_get();

	if (!c)
		c = uvm_call_begin(UVM_IN_EVICTION);
	if (!c)
		return;
	c->evict_ns = bpf_ktime_get_ns();
	c->evict_block = arg[0];
	c->evict_bytes = 0;
	c->evict_gpu = uvm_gpu_tell((void *)arg[1]);
}

static __always_inline void uvm_evict_emit(struct uvm_call *c, s32 status)
{
	struct uvm_block b;
	struct uvm_evict *r;
	struct uvm_owner o;

	uvm_block_read(c->evict_block, &b);
	uvm_owner_of(b.space, &o);
	if (!b.space || !o.wanted || !uvm_gpu_wanted(c->evict_gpu))
		return;		/* no VA space: the block died before it could be evicted */
	r = emit_begin(sizeof(*r), EVENT_UVM_EVICT);
	if (!r)
		return;
	r->dur_ns = r->e.ts - c->evict_ns;
	r->e.ts = c->evict_ns;
	r->e.pid = o.pid;
	r->addr = UVM_READ(block_start, (void *)c->evict_block);
	r->bytes = c->evict_bytes;
	r->range = b.range;
	r->range_bytes = b.range_bytes;
	r->service = c->id;
	r->gpu = c->evict_gpu;
	r->status = status;
	emit_end(r);
}

static __always_inline void uvm_evict_exit(s64 result)
{
	struct uvm_call *c = uvm_call_get();

	if (!c || !c->evict_ns)
		return;
	uvm_evict_emit(c, result);
	c->evict_ns = 0;
	if (c->outer == UVM_IN_EVICTION)
		uvm_call_end();
}

#endif
