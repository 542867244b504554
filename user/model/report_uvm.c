// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sums of unified memory: by process and allocation, by GPU, by the kernels that waited. */
#include <stdlib.h>
#include <string.h>
#include "report_parts.h"

/* ---- rows ---- */

static struct memory_row *memory_row(struct report *r, const struct uvm_event *e)
{
	struct uvm_report *u = &r->uvm;
	u64 key = e->memory ? hash_address(e->memory) : hash_address(e->process);
	struct memory_row *row = hash_get(&u->memory_map, key);

	if (row)
		return row;
	row = arena_alloc(&r->arena, sizeof(*row));
	row->process = e->process;
	row->memory = e->memory;
	hash_put(&u->memory_map, key, row);
	u->memories = report_list_add(u->memories, u->memory_n++, row);
	return row;
}

static struct uvm_gpu_row *gpu_row(struct report *r, const struct uvm_gpu_info *g)
{
	struct uvm_report *u = &r->uvm;
	struct uvm_gpu_row *row = hash_get(&u->gpu_map, hash_address(g));

	if (row)
		return row;
	row = arena_alloc(&r->arena, sizeof(*row));
	row->gpu = g;
	hash_put(&u->gpu_map, hash_address(g), row);
	u->gpus = report_list_add(u->gpus, u->gpu_n++, row);
	return row;
}

static struct stalled_row *stalled_row(struct report *r, const char *mangled)
{
	struct uvm_report *u = &r->uvm;
	const char *name = report_name(r, mangled);
	struct stalled_row *row = hash_get(&u->stalled_map, hash_address(name));

	if (row)
		return row;
	row = arena_alloc(&r->arena, sizeof(*row));
	row->name = name;
	hash_put(&u->stalled_map, hash_address(name), row);
	u->stalled = report_list_add(u->stalled, u->stalled_n++, row);
	return row;
}

static struct fault_call_row *fault_call_row(struct report *r, const char *name)
{
	struct uvm_report *u = &r->uvm;
	struct fault_call_row *row = hash_get(&u->call_map, hash_address(name));

	if (row)
		return row;
	row = arena_alloc(&r->arena, sizeof(*row));
	row->name = name;
	hash_put(&u->call_map, hash_address(name), row);
	u->calls = report_list_add(u->calls, u->call_n++, row);
	return row;
}

static struct memory_block *block_get(struct report *r, struct memory_row *row, u64 addr)
{
	u64 key = (addr >> UVM_BLOCK) + 1;
	struct memory_block *b = hash_get(&row->blocks, key);

	if (!b) {
		b = arena_alloc(&r->arena, sizeof(*b));
		hash_put(&row->blocks, key, b);
	}
	return b;
}

/* ---- kinds ---- */

static void on_fault(struct report *r, const struct uvm_event *e)
{
	const struct uvm_fault *f = (const void *)e->e;
	struct memory_row *row = memory_row(r, e);
	enum uvm_side side = f->gpu == UVM_CPU ? SIDE_CPU : SIDE_GPU;
	u64 more = f->instances > 1 ? f->instances - 1 : 0;

	row->faults[side][f->access < UVM_ACCESSES ? f->access : UVM_READ]++;
	row->instances += more;
	row->duplicates += !!(f->flags & UVM_DUPLICATE);
	row->fatal += !!(f->flags & UVM_FATAL);
	r->uvm.faults[side]++;
	r->uvm.instances += more;
	r->uvm.duplicates += !!(f->flags & UVM_DUPLICATE);
	r->uvm.fatal += !!(f->flags & UVM_FATAL);
	if (side == SIDE_CPU) {
		if (e->call)
			fault_call_row(r, e->call->name)->faults++;
		return;
	}
	row->onward += row->last_fault && f->addr >= row->last_fault &&
		       f->addr - row->last_fault <= 1ULL << UVM_BLOCK;
	row->last_fault = f->addr;
}

/* Batches of an allocation: its services tell, as they come batch by batch. */
static void count_batch(struct memory_row *row, const struct uvm_service *s)
{
	u32 *last = &row->last_batch[s->gpu % UVM_GPUS];

	if (s->what != UVM_SERVICE_REPLAYABLE || !s->batch || *last == s->batch)
		return;
	*last = s->batch;
	row->batches++;
}

static void cpu_service(struct report *r, const struct uvm_event *e,
			const struct uvm_service *s)
{
	struct thread_row *t = report_thread(r, s->e.pid, s->e.tid, s->e.ts,
					     s->e.ts + s->dur_ns);
	struct fault_call_row *call;

	if (s->bytes_in) {	/* else the page was nowhere yet: no GPU had it */
		t->cpu_faults++;
		t->cpu_fault_ns += s->dur_ns;
		t->cpu_fault_bytes += s->bytes_in;
		t->cpu_faults_in_api += !!e->call;
	}
	if (!e->call)
		return;
	call = fault_call_row(r, e->call->name);
	call->out_bytes += s->bytes_in;
	call->service_ns += s->dur_ns;
}

static void on_service(struct report *r, const struct uvm_event *e)
{
	const struct uvm_service *s = (const void *)e->e;
	struct memory_row *row = memory_row(r, e);
	enum uvm_side side = s->what == UVM_SERVICE_CPU ? SIDE_CPU : SIDE_GPU;

	count_batch(row, s);
	histogram_add(&row->service[side], s->dur_ns);
	histogram_add(&r->uvm.service[side], s->dur_ns);
	row->served_bytes[side] += s->bytes_in;
	if (side == SIDE_CPU)
		cpu_service(r, e, s);
	for (u32 i = 0; i < e->kernel_n; i++) {
		struct stalled_row *k = stalled_row(r, e->kernels[i]->name);

		k->faults[e->kernel_n > 1] += s->faults;
		k->bytes[e->kernel_n > 1] += s->bytes_in;
	}
}

static void on_batch(struct report *r, const struct uvm_event *e)
{
	const struct uvm_batch *b = (const void *)e->e;
	struct uvm_gpu_row *g;

	histogram_add(&r->uvm.batch, b->dur_ns);
	for (u32 i = 0; i < e->kernel_n; i++) {
		struct stalled_row *k = stalled_row(r, e->kernels[i]->name);

		k->batches[e->kernel_n > 1]++;
		k->stalled_ns += e->kernels[i]->overlap_ns;
	}
	if (!e->gpu)
		return;
	g = gpu_row(r, e->gpu);
	histogram_add(&g->batch, b->dur_ns);
	g->fetch_ns += b->fetch_ns;
	g->service_ns += b->service_ns;
	g->cached += b->cached;
	g->coalesced += b->coalesced;
	g->duplicates += b->duplicates;
	g->replays += b->replays;
	g->bytes += b->bytes;
	g->kernel_one += e->kernel_n == 1;
	g->kernel_overlap += e->kernel_n > 1;
	g->kernel_none += !e->kernel_n;
}

static bool by_fault(u32 cause)
{
	return cause == UVM_CAUSE_REPLAYABLE_FAULT || cause == UVM_CAUSE_NON_REPLAYABLE_FAULT ||
	       cause == UVM_CAUSE_PREFETCH;	/* the driver's own, around a fault */
}

/* Where its blocks go to and fro, and what comes back after an eviction. */
static void follow_block(struct report *r, struct memory_row *row,
			 const struct uvm_migration *m)
{
	struct memory_block *b = block_get(r, row, m->addr);

	if (m->cause == UVM_CAUSE_EVICTION) {
		b->evicted = m->src;
		b->moved = false;
		return;
	}
	if (b->evicted && m->dst != UVM_CPU) {
		row->again_bytes += m->bytes;
		gpu_row(r, model_uvm_gpu(r->model, b->evicted))->again_bytes += m->bytes;
		b->evicted = 0;
	}
	if (!by_fault(m->cause) || m->copy)
		return;
	b->turns += b->moved && b->last != m->dst;
	b->moved = true;
	b->last = m->dst;
	b->bytes += m->bytes;
	if (m->dst != UVM_CPU)
		b->in_bytes += m->bytes;
}

static void on_migration(struct report *r, const struct uvm_event *e)
{
	const struct uvm_migration *m = (const void *)e->e;
	struct memory_row *row = memory_row(r, e);
	enum uvm_way way = m->dst == UVM_CPU ? WAY_OUT : m->src == UVM_CPU ? WAY_IN : WAY_PEER;
	struct uvm_gpu_row *g = e->gpu ? gpu_row(r, e->gpu) : NULL;

	row->bytes[way][m->cause < UVM_CAUSES - 1 ? m->cause : UVM_CAUSES - 1] += m->bytes;
	follow_block(r, row, m);
	if (g)
		*(way == WAY_IN ? &g->in_bytes : way == WAY_OUT ? &g->out_bytes :
		  &g->peer_bytes) += m->bytes;
}

static void on_evict(struct report *r, const struct uvm_event *e)
{
	const struct uvm_evict *v = (const void *)e->e;
	struct memory_row *row = memory_row(r, e);
	struct uvm_gpu_row *g = e->gpu ? gpu_row(r, e->gpu) : NULL;

	row->evictions++;
	row->evicted_bytes += v->bytes;
	if (!g)
		return;
	g->evictions++;
	g->evicted_bytes += v->bytes;
	g->evict_ns += v->dur_ns;
}

static void on_mark(struct report *r, const struct uvm_event *e)
{
	const struct uvm_mark *k = (const void *)e->e;
	u32 what = k->what < UVM_MARKS ? k->what : 0;

	memory_row(r, e)->marks[what]++;
	r->uvm.marks[what]++;
}

int report_uvm(void *ctx, const struct uvm_event *u)
{
	switch (u->e->kind) {
	case EVENT_UVM_FAULT: on_fault(ctx, u); break;
	case EVENT_UVM_SERVICE: on_service(ctx, u); break;
	case EVENT_UVM_BATCH: on_batch(ctx, u); break;
	case EVENT_UVM_MIGRATION: on_migration(ctx, u); break;
	case EVENT_UVM_EVICT: on_evict(ctx, u); break;
	default: on_mark(ctx, u);
	}
	return 0;
}

/* ---- what both printers and the findings ask ---- */

u64 memory_faults(const struct memory_row *row, enum uvm_side side)
{
	u64 n = 0;

	for (int i = 0; i < UVM_ACCESSES; i++)
		n += row->faults[side][i];
	return n;
}

u64 memory_moved(const struct memory_row *row, enum uvm_way way)
{
	u64 n = 0;

	for (int i = 0; i < UVM_CAUSES; i++)
		n += row->bytes[way][i];
	return n;
}

u64 memory_by_fault(const struct memory_row *row, enum uvm_way way)
{
	u64 n = 0;

	for (int i = 0; i < UVM_CAUSES; i++)
		n += by_fault(i) ? row->bytes[way][i] : 0;
	return n;
}

const char *uvm_cause_name(u32 cause)
{
	return record_enum_name(EVENT_UVM_MIGRATION, "cause",
				cause < UVM_CAUSES - 1 ? cause : UVM_CAUSE_UNKNOWN);
}

/* ---- the end ---- */

static u64 memory_weight(const struct memory_row *m)
{
	return m->service[SIDE_CPU].sum + m->service[SIDE_GPU].sum;
}

static u32 memory_pid(const struct memory_row *m)
{
	return m->process ? m->process->pid : 0;
}

static int memory_compare(const void *a, const void *b)
{
	const struct memory_row *x = *(struct memory_row *const *)a;
	const struct memory_row *y = *(struct memory_row *const *)b;
	u64 p = memory_weight(x), q = memory_weight(y);

	if (p != q)
		return p > q ? -1 : 1;
	if (memory_pid(x) != memory_pid(y))
		return memory_pid(x) < memory_pid(y) ? -1 : 1;
	if (!x->memory || !y->memory)
		return !x->memory - !y->memory;
	return x->memory->addr < y->memory->addr ? -1 : x->memory->addr > y->memory->addr;
}

static int stalled_compare(const void *a, const void *b)
{
	const struct stalled_row *x = *(struct stalled_row *const *)a;
	const struct stalled_row *y = *(struct stalled_row *const *)b;

	if (x->stalled_ns != y->stalled_ns)
		return x->stalled_ns > y->stalled_ns ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int driver_compare(const void *a, const void *b)
{
	const struct driver_row *x = *(struct driver_row *const *)a;
	const struct driver_row *y = *(struct driver_row *const *)b;

	if (x->h.sum != y->h.sum)
		return x->h.sum > y->h.sum ? -1 : 1;
	return memcmp(&x->call.cmd, &y->call.cmd, sizeof(x->call.cmd));
}

void report_uvm_finish(struct report *r)
{
	struct uvm_report *u = &r->uvm;

	if (u->memory_n)
		qsort(u->memories, u->memory_n, sizeof(*u->memories), memory_compare);
	if (u->stalled_n)
		qsort(u->stalled, u->stalled_n, sizeof(*u->stalled), stalled_compare);
	if (u->driver_n)
		qsort(u->drivers, u->driver_n, sizeof(*u->drivers), driver_compare);
}

void report_uvm_free(struct uvm_report *u)
{
	struct hash *maps[] = { &u->memory_map, &u->gpu_map, &u->stalled_map, &u->call_map,
				&u->driver_map, &u->thread_map, &u->xid_map };
	void *lists[] = { u->memories, u->gpus, u->stalled, u->calls, u->drivers, u->threads,
			  u->xids };

	for (size_t i = 0; i < u->memory_n; i++) {
		hash_free(&u->memories[i]->blocks);
		histogram_free(&u->memories[i]->service[SIDE_CPU]);
		histogram_free(&u->memories[i]->service[SIDE_GPU]);
	}
	for (size_t i = 0; i < u->gpu_n; i++)
		histogram_free(&u->gpus[i]->batch);
	for (size_t i = 0; i < u->driver_n; i++)
		histogram_free(&u->drivers[i]->h);
	histogram_free(&u->service[SIDE_CPU]);
	histogram_free(&u->service[SIDE_GPU]);
	histogram_free(&u->batch);
	hash_free(&u->xid_kinds);
	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++) {
		hash_free(maps[i]);
		free(lists[i]);
	}
}
