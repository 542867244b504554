/*
 * What uvm_perf_event_notify() announces, whether or not anybody listens in the driver: faults,
 * migrations, revocations.
 */
#ifndef UVM_EVENTS_BPF_H
#define UVM_EVENTS_BPF_H

#include "uvm_service.bpf.h"

/* uvm_perf_event_t, 515..595 */
enum { UVM_EVENT_FAULT = 6, UVM_EVENT_MIGRATION = 7, UVM_EVENT_REVOCATION = 8 };
#define UVM_TRANSFER_COPY 2	/* UVM_VA_BLOCK_TRANSFER_MODE_COPY; 1 is a move */
#define UVM_TYPE_CPU 255

/* The owner of `space`: of the service that runs, when it is the same one. */
static __always_inline void uvm_event_owner(const struct uvm_call *c, u64 space,
					    struct uvm_owner *o)
{
	if (c && c->id && c->space == space && c->what != UVM_SERVICE_ACCESS_COUNTERS) {
		o->pid = c->pid;
		o->wanted = c->wanted;
	} else {
		uvm_owner_of(space, o);
	}
}

/* Is it of the service that runs? */
static __always_inline bool uvm_event_inside(const struct uvm_call *c, u64 space)
{
	return c && c->id && (c->space == space || c->what == UVM_SERVICE_ACCESS_COUNTERS);
}

static __always_inline void uvm_fault_gpu(struct uvm_fault *f, void *entry, void *data)
{
	f->addr = UVM_READ(entry_addr, entry);
	f->gpu_ns = UVM_READ(entry_timestamp, entry);
	f->pc = 0;
	f->instances = UVM_READ(entry_instances, entry);
	f->client = UVM_READ(entry_client, entry);
	f->access = UVM_READ(entry_access, entry);
	f->type = UVM_READ(entry_type, entry);
	f->flags = (u8)UVM_READ(event_fault_duplicate, data) ? UVM_DUPLICATE : 0;
	if (UVM_READ(entry_fatal, entry))
		f->flags |= UVM_FATAL;
	if (UVM_READ(entry_replayable, entry)) {
		f->batch = UVM_READ(event_fault_batch, data);
	} else {
		f->flags |= UVM_NON_REPLAYABLE;
		f->batch = 0;
	}
}

static __always_inline void uvm_fault_cpu(struct uvm_fault *f, void *data)
{
	f->addr = UVM_READ(event_cpu_addr, data);
	f->gpu_ns = 0;
	f->pc = UVM_READ(event_cpu_pc, data);
	f->instances = 1;
	f->client = 0;
	f->access = (u8)UVM_READ(event_cpu_write, data) ? UVM_WRITE : UVM_READ;
	f->type = UVM_TYPE_CPU;
	f->flags = 0;
	f->batch = 0;
}

static __always_inline void uvm_on_fault(u64 space, void *data)
{
	u32 gpu = UVM_READ(event_fault_proc, data);
	struct uvm_call *c = uvm_call_get();
	struct uvm_block b;
	struct uvm_owner o;
	struct uvm_fault *f;

	uvm_event_owner(c, space, &o);
	uvm_gpu_tell_id(gpu, space, NULL);
	if (c)
		c->batch_wanted |= o.wanted;
	if (!o.wanted || !uvm_gpu_wanted(gpu))
		return;
	uvm_block_read(UVM_READ(event_fault_block, data), &b);
	f = emit_begin(sizeof(*f), EVENT_UVM_FAULT);
	if (!f)
		return;
	f->e.pid = o.pid;
	f->service = uvm_event_inside(c, space) ? c->id : 0;
	f->range = b.range;
	f->range_bytes = b.range_bytes;
	f->gpu = gpu;
	if (gpu == UVM_CPU)
		uvm_fault_cpu(f, data);
	else
		uvm_fault_gpu(f, UVM_PTR(event_fault_entry, data), data);
	__builtin_memset(f->pad, 0, sizeof(f->pad));
	if (c && f->service)	/* the verifier does not know that the second says the first */
		c->faults++;
	emit_end(f);
}

/* Sums of the thread's batch, service and eviction. */
static __always_inline void uvm_migration_count(struct uvm_call *c, u64 space, u64 bytes,
						u32 dst, u32 cause)
{
	if (!c)
		return;
	if (c->batch_open)
		c->batch_bytes += bytes;
	if (c->evict_ns && cause == UVM_CAUSE_EVICTION)
		c->evict_bytes += bytes;
	if (!uvm_event_inside(c, space))
		return;
	if (c->gpu == dst)
		c->bytes_in += bytes;
	else
		c->bytes_out += bytes;
}

static __always_inline void uvm_on_migration(u64 space, void *data)
{
	u32 dst = UVM_READ(event_move_dst, data), src = UVM_READ(event_move_src, data);
	u64 bytes = UVM_READ(event_move_bytes, data);
	u32 cause = UVM_READ(event_move_cause, data);
	void *push = dst || src ? UVM_PTR(event_move_push, data) : NULL;
	struct uvm_call *c = uvm_call_get();
	struct uvm_migration *m;
	struct uvm_block b;
	struct uvm_owner o;

	uvm_event_owner(c, space, &o);
	uvm_gpu_tell_id(dst, space, push);
	uvm_gpu_tell_id(src, space, push);
	uvm_migration_count(c, space, bytes, dst, cause);
	if (!o.wanted || (!uvm_gpu_wanted(dst) && !uvm_gpu_wanted(src) &&
			  !uvm_event_inside(c, space)))
		return;
	uvm_block_read(UVM_READ(event_move_block, data), &b);
	m = emit_begin(sizeof(*m), EVENT_UVM_MIGRATION);
	if (!m)
		return;
	m->e.pid = o.pid;
	m->addr = UVM_READ(event_move_addr, data);
	m->bytes = bytes;
	m->service = c ? c->id : 0;
	m->range = b.range;
	m->range_bytes = b.range_bytes;
	m->src = src;
	m->dst = dst;
	m->src_node =
	    UVM_HAS(event_move_src_node) ? (s16)UVM_READ(event_move_src_node, data) : -1;
	m->dst_node =
	    UVM_HAS(event_move_dst_node) ? (s16)UVM_READ(event_move_dst_node, data) : -1;
	m->cause = cause;
	m->copy = (u32)UVM_READ(event_move_mode, data) == UVM_TRANSFER_COPY;
	m->pad[0] = 0;
	m->pad[1] = 0;
	emit_end(m);
}

struct uvm_mark_args {
	u64 addr, bytes, processors;
	u32 processor, what, value;
};

static __always_inline void uvm_mark_emit(u64 space, u64 block, const struct uvm_mark_args *a)
{
	struct uvm_call *c = uvm_call_get();
	struct uvm_block b = {};
	struct uvm_owner o;
	struct uvm_mark *m;

	uvm_event_owner(c, space, &o);
	uvm_gpu_tell_id(a->processor, space, NULL);
	if (!o.wanted || (a->processor && !uvm_gpu_wanted(a->processor)))
		return;
	if (!block && uvm_event_inside(c, space))
		block = c->block;	/* what the driver says in the middle of it is of it */
	if (block)
		uvm_block_read(block, &b);
	if (a->addr - b.range >= b.range_bytes)
		b.range = b.range_bytes = 0;
	m = emit_begin(sizeof(*m), EVENT_UVM_MARK);
	if (!m)
		return;
	m->e.pid = o.pid;
	m->addr = a->addr;
	m->bytes = a->bytes;
	m->service = uvm_event_inside(c, space) ? c->id : 0;
	m->range = b.range;
	m->range_bytes = b.range_bytes;
	m->processors = a->processors;
	m->processor = a->processor;
	m->what = a->what;
	m->value = a->value;
	m->pad = 0;
	emit_end(m);
}

static __always_inline void uvm_on_revocation(u64 space, void *data)
{
	struct uvm_mark_args a = {
		.addr = UVM_READ(event_revoke_addr, data),
		.bytes = UVM_READ(event_revoke_bytes, data),
		.processor = UVM_READ(event_revoke_proc, data), .what = UVM_REVOCATION,
	};

	uvm_mark_emit(space, UVM_READ(event_revoke_block, data), &a);
}

/* uvm_perf_event_notify(va_space_events, event_id, event_data) */
static __always_inline void uvm_notify(const u64 *arg)
{
	u64 space = UVM_READ(events_space, (void *)arg[0]);

	switch ((u32)arg[1]) {
	case UVM_EVENT_FAULT: uvm_on_fault(space, (void *)arg[2]); break;
	case UVM_EVENT_MIGRATION: uvm_on_migration(space, (void *)arg[2]); break;
	case UVM_EVENT_REVOCATION: uvm_on_revocation(space, (void *)arg[2]); break;
	}
}

#endif
