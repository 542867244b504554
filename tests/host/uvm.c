// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bpf/uvm as plain C: batches, services that pause, owners, filters, losses, on a driver whose
 * structs are laid out as this file likes. */
#include "kernel.h"
#include <stddef.h>

struct mm_struct { struct task_struct *owner; };

static long read_kernel(void *to, u32 n, void *from)
{
	memset(to, 0, n);
	if ((u64)from < 4096)
		return -14;
	memcpy(to, from, n);
	return 0;
}

#undef bpf_probe_read_kernel
#define bpf_probe_read_kernel(to, n, from) read_kernel((to), (n), (void *)(from))
#define bpf_core_field_offset(field) offsetof(struct vm_area_struct___uvm, shared.rb)
#define bpf_get_func_arg(ctx, n, to) (*(to) = ((u64 *)(ctx))[n], 0)
#define bpf_get_func_ret(ctx, to) (*(to) = ((u64 *)(ctx))[0], 0)
#define barrier_var(x) ((void)0)
#define __noinline __attribute__((noinline))

#include "../../bpf/uvm.bpf.c"
#undef const

/* ---- the driver's structs ---- */

struct h_parent { u32 id; struct pci_dev___uvm *pci; char product[40]; };
struct h_gpu { u64 pad; struct h_parent *parent; u32 id; u8 uuid[16]; };
struct h_space {
	struct mm_struct *mm;
	struct address_space___uvm *mapping;
	struct h_gpu *gpus[4];
};
struct h_range { u64 start, end; struct h_space *space; };
struct h_block { u32 pad; u64 start, end; struct h_range *range; };
struct h_entry { u64 addr, time; u32 bits; u16 client, instances; };
struct h_events { u64 pad; struct h_space *space; };
struct h_batch { u32 id, cached, coalesced, duplicates; };
struct h_fault {
	struct h_block *block;
	u32 proc;
	struct h_entry *entry;
	u32 batch;
	u8 duplicate;
};
struct h_cpu { struct h_block *block; u32 proc; u64 addr, pc; u8 write; };
struct h_move {
	struct h_block *block;
	u32 dst, src, mode, cause;
	u64 addr, bytes;
	void *push;
};

static void set(volatile struct uvm_field *f, size_t off, u8 bit, u8 bits)
{
	*f = (struct uvm_field){ .off = off, .bit = bit, .bits = bits };
}
#define LAY(field, type, member)                                                               \
	set(&uvm_layout.field, offsetof(struct type, member), 0,                               \
	    8 * sizeof(((struct type *)0)->member))

static void lay_out(void)
{
	volatile struct uvm_field *all = &uvm_layout.event_fault_block;

	for (int i = 0; i < UVM_FIELD_COUNT; i++)
		set(&all[i], UVM_ABSENT, 0, 0);
	memset((void *)&uvm_layout.arg, UVM_ARG_ABSENT, sizeof(uvm_layout.arg));
	LAY(parent_id, h_parent, id); LAY(parent_pci, h_parent, pci);
	set(&uvm_layout.parent_product, offsetof(struct h_parent, product), 0, 0);
	LAY(gpu_id, h_gpu, id); LAY(gpu_parent, h_gpu, parent);
	set(&uvm_layout.gpu_uuid, offsetof(struct h_gpu, uuid), 0, 0);
	LAY(space_mm, h_space, mm); LAY(space_mapping, h_space, mapping);
	set(&uvm_layout.space_gpus, offsetof(struct h_space, gpus), 0, 0);
	LAY(range_start, h_range, start); LAY(range_end, h_range, end);
	LAY(range_space, h_range, space); LAY(block_start, h_block, start);
	LAY(block_range, h_block, range);
	LAY(entry_addr, h_entry, addr); LAY(entry_timestamp, h_entry, time);
	LAY(entry_client, h_entry, client); LAY(entry_instances, h_entry, instances);
	set(&uvm_layout.entry_type, offsetof(struct h_entry, bits), 0, 5);
	set(&uvm_layout.entry_access, offsetof(struct h_entry, bits), 5, 4);
	set(&uvm_layout.entry_fatal, offsetof(struct h_entry, bits) + 1, 1, 1);
	set(&uvm_layout.entry_replayable, offsetof(struct h_entry, bits) + 1, 2, 1);
	LAY(events_space, h_events, space);
	LAY(batch_id, h_batch, id); LAY(batch_cached, h_batch, cached);
	LAY(batch_coalesced, h_batch, coalesced); LAY(batch_duplicates, h_batch, duplicates);
	LAY(event_fault_block, h_fault, block); LAY(event_fault_proc, h_fault, proc);
	LAY(event_fault_entry, h_fault, entry); LAY(event_fault_batch, h_fault, batch);
	LAY(event_fault_duplicate, h_fault, duplicate);
	LAY(event_cpu_addr, h_cpu, addr); LAY(event_cpu_pc, h_cpu, pc);
	LAY(event_cpu_write, h_cpu, write);
	LAY(event_move_block, h_move, block); LAY(event_move_dst, h_move, dst);
	LAY(event_move_src, h_move, src); LAY(event_move_mode, h_move, mode);
	LAY(event_move_cause, h_move, cause); LAY(event_move_addr, h_move, addr);
	LAY(event_move_bytes, h_move, bytes); LAY(event_move_push, h_move, push);
	uvm_layout.arg.locked_gpu = 0;
	uvm_layout.arg.locked_block = 1;
	uvm_layout.arg.locked_batch = 3;
	uvm_layout.arg.single_gpu = 0;
	uvm_layout.arg.single_block = 1;
	uvm_layout.arg.single_entry = 3;
}

#define BITS(type, access, fatal, replayable) \
	((type) | (access) << 5 | (fatal) << 9 | (replayable) << 10)

static struct task_struct trainer = {
	.group_leader = &trainer, .real_parent = &trainer, .thread_pid = &host_pid,
	.cgroups = &host_css, .tgid = 500, .pid = 500, .start_time = 7, .comm = "trainer",
};
static struct mm_struct mm = { &trainer };
static struct pci_dev___uvm pci = { { { "0001:c3:1f.7" } } };
static struct h_parent parent = { 1, &pci, "NVIDIA H100" };
static struct h_gpu gpu = { .parent = &parent, .id = 1, .uuid = "fakegpu" };
static struct h_space space = { .mm = &mm, .gpus = { &gpu } };
static struct h_range range = { 0x400000, 0x7fffff, &space };
static struct h_block block = { 0, 0x400000, 0x5fffff, &range };
static struct h_events events_of = { 0, &space };
static struct h_batch batch;

/* ---- what the driver does ---- */

static void enter(int (*probe)(struct pt_regs *), u64 a, u64 b, u64 c, u64 d)
{
	struct pt_regs regs = { .di = a, .si = b, .dx = c, .cx = d };

	probe(&regs);
}
static void leave(int (*probe)(struct pt_regs *), u64 result)
{
	struct pt_regs regs = { .ax = result };

	probe(&regs);
}

static void fault_of(u64 addr, u32 bits, bool duplicate)
{
	struct h_entry e = { addr, 99, bits, 17, 3 };
	struct h_fault f = { (bits >> 9 & 1) ? NULL : &block, 1, &e, batch.id, duplicate };

	enter(notify, (u64)&events_of, UVM_EVENT_FAULT, (u64)&f, 0);
}
static void moves(u32 src, u32 dst, u64 addr, u64 bytes, u32 cause)
{
	struct h_move m = { &block, dst, src, 1, cause, addr, bytes, NULL };

	enter(notify, (u64)&events_of, UVM_EVENT_MIGRATION, (u64)&m, 0);
}
static void fetch(u32 faults)
{
	enter(fetch_enter, (u64)&gpu, (u64)&batch, 0, 0);
	batch.cached = faults;
	batch.coalesced = faults;
	leave(fetch_exit, 0);
	batch.id += faults != 0;
}
static void locked(u32 status)
{
	enter(locked_enter, (u64)&gpu, (u64)&block, 0, (u64)&batch);
	leave(locked_exit, status);
}
static void replay(void)
{
	enter(replay_enter, (u64)&gpu, UVM_REPLAY_START, (u64)&batch, 0);
	leave(replay_exit, 0);
}

static void *record(int from_end, u16 kind)
{
	struct event *e = host_records[host_count - 1 - from_end];

	assert(host_count > from_end && e->kind == kind);
	return e;
}

/* ---- the tests ---- */

static void one_batch(void)
{
	struct uvm_gpu *g;
	struct uvm_fault *f;
	struct uvm_service *s;
	struct uvm_migration *m;
	struct uvm_batch *b;
	struct task *t;

	leave(replayable_exit, 0);
	leave(locked_exit, 0);
	assert(!host_count && !lost_map);		/* we came in the middle */
	enter(replayable_enter, (u64)&gpu, 0, 0, 0);
	g = record(0, EVENT_UVM_GPU);
	assert(g->gpu == 1 && g->pci_domain == 1 && g->pci_bus == 0xc3 && g->pci_device == 31 &&
	       g->pci_function == 7 && !strcmp(g->name, "NVIDIA H100") && g->uuid[0] == 'f');
	fetch(3);
	enter(serve_enter, (u64)&gpu, 0, (u64)&batch, 0);
	enter(locked_enter, (u64)&gpu, (u64)&block, 0, (u64)&batch);
	t = record(0, EVENT_TASK);
	assert(t->e.pid == 500 && !strcmp(t->comm, "trainer") && t->cgroup == 77);
	fault_of(0x401000, BITS(1, UVM_WRITE, 0, 1), false);
	fault_of(0x401000, BITS(1, UVM_WRITE, 0, 1), true);
	moves(0, 1, 0x401000, 4096, UVM_CAUSE_REPLAYABLE_FAULT);
	moves(1, 0, 0x500000, 8192, UVM_CAUSE_EVICTION);
	batch.duplicates = 2;
	leave(locked_exit, 0);
	leave(serve_exit, 0);
	replay();
	assert(host_count == 7); /* the batch is not over before the next */
	fetch(0);
	leave(replayable_exit, 0);
	f = record(5, EVENT_UVM_FAULT);
	assert(f->e.pid == 500 && f->e.tid == 101 && f->addr == 0x401000 && f->type == 1 &&
	       f->access == UVM_WRITE && f->batch == 1 && f->instances == 3 &&
	       f->client == 17 && !f->flags && f->range == 0x400000 &&
	       f->range_bytes == 0x400000 && f->gpu == 1);
	f = record(4, EVENT_UVM_FAULT);
	assert(f->flags == UVM_DUPLICATE);
	m = record(3, EVENT_UVM_MIGRATION);
	assert(m->bytes == 4096 && m->service == f->service && m->src_node == -1 &&
	       m->dst == 1);
	s = record(1, EVENT_UVM_SERVICE);
	assert(s->id == f->service && s->faults == 2 && s->bytes_in == 4096 &&
	       s->bytes_out == 8192 && s->batch == 1 && s->gpu == 1 && s->addr == 0x400000);
	b = record(0, EVENT_UVM_BATCH);
	assert(b->gpu == 1 && b->batch == 1 && b->cached == 3 && b->duplicates == 2 &&
	       b->replays == 1 && b->blocks == 1 && b->bytes == 12288 && !b->e.pid &&
	       b->dur_ns > b->fetch_ns + b->service_ns && b->fetch_ns && b->service_ns &&
	       b->e.ts < s->e.ts && b->e.ts + b->dur_ns > s->e.ts + s->dur_ns);
	assert(!uvm_call_get());
}

/* A block's lock was dropped: both halves are one service, and the second names no fault. */
static void paused(void)
{
	int before = host_count;
	struct uvm_service *s;

	enter(replayable_enter, (u64)&gpu, 0, 0, 0);
	fetch(1);
	enter(locked_enter, (u64)&gpu, (u64)&block, 0, (u64)&batch);
	fault_of(0x402000, BITS(1, UVM_READ, 0, 1), false);
	leave(locked_exit, NV_ERR_MORE_PROCESSING_REQUIRED);
	host_now += 1000000;
	locked(0);
	s = record(0, EVENT_UVM_SERVICE);
	assert(host_count == before + 2 && s->dur_ns > 1000000 && s->faults == 1 && !s->status);
	/* without replay: the batch ends where it is left */
	leave(replayable_exit, 0);
	assert(((struct uvm_batch *)record(0, EVENT_UVM_BATCH))->replays == 0);
}

/* Replay policy "block": an id for each replay. */
static void policy_block(void)
{
	struct uvm_batch *a, *b;

	enter(replayable_enter, (u64)&gpu, 0, 0, 0);
	fetch(2);
	locked(0);
	replay();
	batch.id++;
	locked(0);
	replay();
	batch.id++;
	leave(replayable_exit, 0);
	a = record(2, EVENT_UVM_BATCH);
	b = record(0, EVENT_UVM_BATCH);
	assert(a->batch + 1 == b->batch && a->e.ts == b->e.ts && a->dur_ns < b->dur_ns &&
	       a->cached == 2 && a->replays == 1 && b->replays == 1);
}

static void cpu_faults(void)
{
	struct h_cpu c = { &block, 0, 0x403000, 0x1234, 1 };
	struct uvm_service *s;
	struct uvm_fault *f;
	u32 lost_before;

	enter(cpu_enter, (u64)&block, 0x403000, 1, 0);
	enter(notify, (u64)&events_of, UVM_EVENT_FAULT, (u64)&c, 0);
	leave(cpu_exit, NV_WARN_MORE_PROCESSING_REQUIRED);	/* it thrashes: wait */
	host_now += 500000;
	enter(cpu_enter, (u64)&block, 0x403000, 1, 0);
	leave(cpu_exit, 0);
	f = record(1, EVENT_UVM_FAULT);
	s = record(0, EVENT_UVM_SERVICE);
	assert(f->gpu == UVM_CPU && f->pc == 0x1234 && f->access == UVM_WRITE &&
	       f->type == 255);
	assert(s->dur_ns > 500000 && s->what == UVM_SERVICE_CPU && s->id == f->service);
	assert(!uvm_call_get());
	/* given up: what was waited for is told with its own end */
	enter(cpu_enter, (u64)&block, 0x403000, 1, 0);
	leave(cpu_exit, NV_WARN_MORE_PROCESSING_REQUIRED);
	host_now += 900000000;
	enter(cpu_enter, (u64)&block, 0x404000, 1, 0);
	s = record(0, EVENT_UVM_SERVICE);
	assert(s->addr == 0x403000 && s->dur_ns < 900000000);
	/* a return that never fired */
	lost_before = lost_map;
	enter(cpu_enter, (u64)&block, 0x405000, 1, 0);
	leave(cpu_exit, 0);
	assert(lost_map == lost_before + 1);
}

static void single(void)
{
	struct h_entry e = { 0x406000, 5, BITS(1, UVM_READ, 0, 0), 2, 1 };
	struct h_fault f = { &block, 1, &e, 77, false };
	struct uvm_fault *r;

	enter(single_outer_enter, (u64)&gpu, 0, 0, 0);
	enter(single_enter, (u64)&gpu, (u64)&block, 0, (u64)&e);
	enter(notify, (u64)&events_of, UVM_EVENT_FAULT, (u64)&f, 0);
	leave(single_exit, 0);
	leave(single_outer_exit, 0);
	r = record(1, EVENT_UVM_FAULT);
	assert(r->flags == UVM_NON_REPLAYABLE && r->batch == 0 && r->service);
	assert(((struct uvm_service *)record(0, EVENT_UVM_SERVICE))->what ==
	       UVM_SERVICE_NON_REPLAYABLE);
	assert(!uvm_call_get());
}

static void fatal_one(void)
{
	struct uvm_fault *f;

	enter(replayable_enter, (u64)&gpu, 0, 0, 0);
	fetch(1);
	fault_of(0x900000, BITS(0, UVM_READ, 1, 1), false);
	f = record(0, EVENT_UVM_FAULT);
	assert(f->flags == UVM_FATAL && !f->service && !f->range && f->batch == batch.id);
	assert(f->e.pid == 500);
	replay();
	leave(replayable_exit, 0);
}

static void evicted(void)
{
	struct uvm_evict *v;

	enter(evict_enter, (u64)&block, (u64)&gpu, 0, 0);
	moves(1, 0, 0x400000, 65536, UVM_CAUSE_EVICTION);
	leave(evict_exit, 0);
	v = record(0, EVENT_UVM_EVICT);
	assert(v->bytes == 65536 && v->gpu == 1 && v->e.pid == 500 && !v->service && v->dur_ns);
	assert(!uvm_call_get());
	block.range = NULL;		/* the block died */
	enter(evict_enter, (u64)&block, (u64)&gpu, 0, 0);
	leave(evict_exit, 0);
	block.range = &range;
	assert(record(0, EVENT_UVM_EVICT) == (void *)v);
}

/* Owners: by the mapping when there is no mm, by what was known when the process goes. */
static void owners(void)
{
	static struct address_space___uvm mapping, other;
	static struct file___uvm file = { &mapping };
	static struct vm_area_struct___uvm vma = { &mm, &file };
	struct uvm_owner o;

	space.mapping = &mapping;
	mapping.i_mmap.rb_root.rb_node = &vma.shared.rb;
	space.mm = NULL;
	trainer.tgid = 600;
	uvm_owner_of((u64)&space, &o);
	assert(o.pid == 600 && o.wanted);
	file.f_mapping = &other;	/* what was found is of another file: not believed */
	trainer.tgid = 700;
	uvm_owner_of((u64)&space, &o);
	assert(o.pid == 600);
	trainer.tgid = 500;
	space.mm = &mm;
	uvm_owner_of((u64)&space, &o);
	assert(o.pid == 500);
	mm.owner = NULL;
	uvm_owner_of((u64)&space, &o);
	assert(o.pid == 500);
	mm.owner = &trainer;
}

static void filters(void)
{
	int before;

	only_pid = 501;
	before = host_count;
	enter(replayable_enter, (u64)&gpu, 0, 0, 0);
	fetch(1);
	enter(locked_enter, (u64)&gpu, (u64)&block, 0, (u64)&batch);
	fault_of(0x402000, BITS(1, UVM_READ, 0, 1), false);
	moves(0, 1, 0x402000, 4096, 0);
	leave(locked_exit, 0);
	replay();
	leave(replayable_exit, 0);
	assert(host_count == before);
	only_pid = 500;
	cpu_faults();
	only_pid = 0;
	only_gpu = 2;
	before = host_count;
	uvm_gpu_define(1, &gpu);
	host_count = before;
	enter(evict_enter, (u64)&block, (u64)&gpu, 0, 0);
	leave(evict_exit, 0);
	assert(host_count == before);
	only_gpu = 0;
	only_pci = 1 << 16 | 0xc3 << 8 | 31 << 3 | 7;
	uvm_gpu_define(1, &gpu);
	assert(uvm_gpu_wanted(1) && !uvm_gpu_wanted(2));
	only_pci = ~0ULL;
}

static void losses(void)
{
	u64 before = lost, maps = lost_map;

	host_ring_full = 1;
	enter(cpu_enter, (u64)&block, 0x403000, 1, 0);
	leave(cpu_exit, 0);
	host_ring_full = 0;
	assert(lost == before + 1);
	host_map_full = 1;
	enter(cpu_enter, (u64)&block, 0x403000, 1, 0);
	leave(cpu_exit, 0);
	host_map_full = 0;
	assert(lost_map > maps && !uvm_call_get());
}

static void bitmaps(void)
{
	u64 mask[UVM_MASK_WORDS] = { 0, 1ULL << 63, 0, ~0ULL };
	u32 first;

	assert(pages_in(mask, 0, 512, &first) == 65 && first == 127);
	assert(pages_in(mask, 128, 512, &first) == 64 && first == 192);
	assert(pages_in(mask, 200, 250, &first) == 50 && first == 200);
	assert(pages_in(mask, 0, 0, &first) == 0);
	assert(bits_of(~0ULL) == 64 && bits_of(5) == 2);
}

int main(void)
{
	lay_out();
	one_batch();
	paused();
	policy_block();
	cpu_faults();
	single();
	fatal_one();
	evicted();
	owners();
	filters();
	losses();
	bitmaps();
	return 0;
}
