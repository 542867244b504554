// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What goes into the database: a row for each thing the model delivers. */
#include <stdio.h>
#include <string.h>
#include "sqlite_parts.h"
#include "symbols.h"

#define MACHINE (1ULL << 48)	/* VM 1 in a global id, as a single machine has */
#define INVALID 0xffffffffLL

/* Ids of processes and threads have 24 bits there. Linux ends at 2^22, so ids that importers
 * made (from 2^31 on) get ones from 2^23. */
static u64 small_id(struct export *x, u32 id)
{
	void *known;

	if (!(id >> 23))
		return id;
	known = hash_get(&x->ids, id);
	if (!known) {
		known = (void *)(uintptr_t)(1u << 23 | (++x->own_ids & 0x7fffff));
		hash_put(&x->ids, id, known);
	}
	return (uintptr_t)known;
}

static u64 global_pid(struct export *x, u16 producer, u32 pid)
{
	u64 small = small_id(x, pid), gid = MACHINE | small << 24;
	const struct process_info *p;

	if (hash_get(&x->tasks, gid))
		return gid;
	p = model_process(x->m, producer, pid);
	hash_put(&x->tasks, gid, x);
	export_put(x, T_PROCESS, (s64[]){ gid, small, TEXT(p->comm) });
	if (p->source)
		export_put(x, T_SOURCE, (s64[]){ gid, TEXT(p->source + 1), p->source->rank < 0 ?
						 NONE : p->source->rank, p->source->world });
	return gid;
}

static u64 global_tid(struct export *x, const struct event *e)
{
	u64 gid = global_pid(x, e->producer, e->pid) | small_id(x, e->tid);
	const struct thread_info *t;

	if (!e->tid || hash_get(&x->tasks, gid))
		return gid;
	hash_put(&x->tasks, gid, x);
	t = model_thread(x->m, e->tid);
	if (t->comm[0])
		export_put(x, T_THREAD, (s64[]){ export_string(x, t->comm), NONE, gid });
	return gid;
}

/* 0 stands for none. */
static s64 known(u64 v)
{
	return v ? (s64)v : NONE;
}

/* ---- stacks ---- */

static s64 put_chain(struct export *x, enum export_table t, u64 stack, u64 number)
{
	const char *module, *name;
	const u64 *frames;
	u32 kernel, n = stack ? model_stack(x->m, stack, &frames, &kernel) : 0, i;

	for (i = 0; i < n; i++) {
		module = NULL;
		name = demangle(model_frame_name(x->m, frames[i], &module));
		export_put(x, t, (s64[]){ number, export_string(x, name),
					  export_string(x, module), 0, i });
	}
	return n ? (s64)number : NONE;
}

static s64 call_chain(struct export *x, u64 stack)
{
	void *number = hash_get(&x->stacks, stack);

	if (!stack || number)
		return number ? (s64)(uintptr_t)number : NONE;
	if (put_chain(x, T_CALL_CHAIN, stack, x->chains + 1) == NONE)
		return NONE;
	number = (void *)(uintptr_t)++x->chains;
	hash_put(&x->stacks, stack, number);
	return x->chains;
}

/* ---- the GPU ---- */

#define HEAD_COLUMNS 8

static void gpu_head(struct export *x, const struct gpu_head *g, s64 *v)
{
	v[0] = g->e.ts;
	v[1] = g->e.ts + g->dur_ns;
	v[2] = g->device;
	v[3] = g->context;
	v[4] = g->stream;
	v[5] = known(g->correlation);
	v[6] = global_pid(x, g->e.producer, g->e.pid);
	v[7] = known(g->graph_node);
}

/* "void at::native::reduce_kernel<512, 1>(T3)" without all but "reduce_kernel". */
static const char *short_name(const char *name, char *out, size_t size)
{
	static const char anonymous[] = "(anonymous namespace)::";
	const char *from = name, *at = name;
	size_t n;

	for (; *at && *at != '<' && *at != '('; at++) {
		if (*at == ' ' || (at[0] == ':' && at[1] == ':'))
			from = at + (*at == ' ' ? 1 : 2);
		if (!strncmp(at + 1, anonymous, strlen(anonymous))) {
			at += strlen(anonymous);
			from = at + 1;
		}
	}
	n = at > from ? (size_t)(at - from) : strlen(from);
	snprintf(out, size, "%.*s", (int)n, from);
	return out;
}

static s64 short_string(struct export *x, const char *name)
{
	char text[256];
	u64 key;
	void *id;

	short_name(name, text, sizeof(text));
	key = hash_bytes(text, strlen(text)) | 1;	/* odd: addresses are not */
	id = hash_get(&x->strings, key);
	if (!id) {
		id = (void *)(uintptr_t)++x->string_n;
		export_put(x, T_STRING, (s64[]){ x->string_n, TEXT(text) });
		hash_put(&x->strings, key, id);
	}
	return (uintptr_t)id;
}

static s64 collective_text(struct export *x, const char *s)
{
	return s ? export_string(x, s) : NONE;
}

static s64 put_collective(struct export *x, const struct collective_info *info)
{
	const struct collective *c = &info->c;
	u64 id = x->collectives.used + 1;
	void *known = hash_get(&x->collectives, hash_address(info));

	if (known)
		return (uintptr_t)known;
	hash_put(&x->collectives, hash_address(info), (void *)(uintptr_t)id);
	export_put(x, T_COLLECTIVE, (s64[]){
		id, collective_text(x, info->name), collective_text(x, info->type),
		collective_text(x, info->group), collective_text(x, info->description),
		collective_text(x, info->ranks), c->bytes, c->sequence, c->group_size, c->peer,
		c->in_elements, c->out_elements });
	return id;
}

static void put_kernel(struct export *x, const struct gpu_op *op)
{
	const struct kernel *k = (const struct kernel *)op->g;
	const char *name = demangle(op->name);
	s64 v[HEAD_COLUMNS + 15], *own = v + HEAD_COLUMNS;
	u32 i;

	gpu_head(x, op->g, v);
	own[0] = known(op->g->graph);
	own[1] = export_string(x, name);
	own[2] = short_string(x, name);
	own[3] = name == op->name ? NONE : export_string(x, op->name);
	own[4] = k->registers;
	for (i = 0; i < 3; i++) {
		own[5 + i] = k->grid[i];
		own[8 + i] = k->block[i];
	}
	own[11] = k->static_shared_bytes;
	own[12] = k->dynamic_shared_bytes;
	own[13] = k->local_bytes;
	own[14] = op->collective ? put_collective(x, op->collective) : NONE;
	export_put(x, T_KERNEL, v);
}

/* enum memory_kind as ENUM_CUDA_MEM_KIND counts. */
static s64 memory_kind(u32 kind)
{
	return kind ? kind - 1 : 7;
}

static int on_op(void *ctx, const struct gpu_op *op)
{
	const struct copy *c = (const struct copy *)op->g;
	const struct set *f = (const struct set *)op->g;
	struct export *x = ctx;
	s64 v[HEAD_COLUMNS + 6], *own = v + HEAD_COLUMNS;

	gpu_head(x, op->g, v);
	switch (op->type) {
	case OP_KERNEL:
		put_kernel(x, op);
		break;
	case OP_COPY:
		memcpy(own, (s64[]){ c->bytes, c->copy_kind, memory_kind(c->src_kind),
				     memory_kind(c->dst_kind), c->src_device, c->dst_device },
		       6 * sizeof(*own));
		export_put(x, T_MEMCPY, v);
		break;
	case OP_SET:
		own[0] = f->value;
		own[1] = f->bytes;
		own[2] = memory_kind(f->memory_kind);
		export_put(x, T_MEMSET, v);
		break;
	default:
		own[0] = own[1] = op->g->graph;
		export_put(x, T_GRAPH, v);
	}
	return 0;
}

static int on_sync(void *ctx, const struct sync *s, const struct api_call *call)
{
	struct export *x = ctx;
	s64 v[HEAD_COLUMNS + 3], *own = v + HEAD_COLUMNS;

	gpu_head(x, &s->g, v);
	own[0] = NONE;		/* that the column is there says that the type is CUPTI's */
	own[1] = s->type;
	own[2] = s->event ? s->event : INVALID;
	export_put(x, T_SYNC, v);
	return 0;
}

static int on_device(void *ctx, const struct device_info *info)
{
	struct export *x = ctx;
	const struct device *d = &info->d;
	const struct process_info *p = model_process(x->m, info->producer, d->e.pid);
	char bus[32], uuid[40] = "";
	u32 i;

	for (i = 0; i < 16; i++)
		sprintf(uuid + strlen(uuid), "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ?
			"-" : "", d->uuid[i]);
	snprintf(bus, sizeof(bus), "%04x:%02x:%02x.%x", d->pci_domain, d->pci_bus,
		 d->pci_device, d->pci_function);
	if (!hash_get(&x->gpus, info->gpu)) {
		hash_put(&x->gpus, info->gpu, x);
		export_put(x, T_GPU, (s64[]){ MACHINE, info->gpu, TEXT(d->name), TEXT(bus),
					      d->mem_bytes, d->sm_count, TEXT(uuid),
					      d->cc_major, d->cc_minor });
	}
	export_put(x, T_CUDA_DEVICE, (s64[]){ info->gpu, info->ordinal,
					      small_id(x, p->pid), TEXT(uuid), d->sm_count });
	return 0;
}

/* ---- threads ---- */

static int on_api(void *ctx, const struct api_call *c)
{
	const struct api *a = &c->r;
	struct export *x = ctx;

	export_put(x, T_RUNTIME, (s64[]){ a->e.ts, a->e.ts + a->dur_ns,
					  a->domain == API_DRIVER, global_tid(x, &a->e),
					  known(a->correlation), export_string(x, c->name),
					  a->result, call_chain(x, c->stack) });
	return 0;
}

static int on_overhead(void *ctx, const struct overhead *o)
{
	u32 type = o->what >> 16 ? (o->what >> 16) + 2 : 1 + (o->what == 1);
	struct export *x = ctx;

	export_put(x, T_OVERHEAD, (s64[]){ o->e.ts, o->e.ts + o->dur_ns, global_tid(x, &o->e),
					   known(o->correlation), type });
	return 0;
}

static void put_domain(struct export *x, const struct nvtx *n, u64 gid)
{
	u64 key = (u64)n->e.producer << 32 | n->nvtx_domain;

	if (!n->nvtx_domain || hash_get(&x->domains, key))
		return;
	hash_put(&x->domains, key, x);
	export_put(x, T_NVTX, (s64[]){ n->e.ts, n->e.ts, 75, NONE,
				       TEXT(model_name(x->m, n->e.producer, n->nvtx_domain)),
				       gid, NONE, n->nvtx_domain });
}

static int on_nvtx(void *ctx, const struct nvtx *n)
{
	static const u8 types[] = { 0, 59, 60, 34 };
	struct export *x = ctx;
	u64 gid = global_tid(x, &n->e);

	put_domain(x, n, gid);
	export_put(x, T_NVTX, (s64[]){ n->e.ts, n->what == NVTX_MARK ? NONE :
				       (s64)(n->e.ts + n->dur_ns), types[n->what & 3],
				       known(n->color), NONE, gid,
				       export_string(x, model_name(x->m, n->e.producer,
								   n->name)),
				       n->nvtx_domain });
	return 0;
}

static int on_span(void *ctx, const struct span *s)
{
	struct export *x = ctx;
	s64 category = !s->category ? NONE :
		export_string(x, model_name(x->m, s->e.producer, s->category));

	export_put(x, T_SPAN, (s64[]){ s->e.ts, s->e.ts + s->dur_ns, global_tid(x, &s->e),
				       export_string(x, model_name(x->m, s->e.producer,
								   s->name)),
				       category, s->what,
				       known(s->id), s->device == ~0u ? NONE : s->device,
				       s->stream == ~0u ? NONE : s->stream });
	return 0;
}

static int on_counter(void *ctx, const struct counter *c)
{
	struct export *x = ctx;

	export_put(x, T_COUNTER, (s64[]){ c->e.ts, global_pid(x, c->e.producer, c->e.pid),
					  export_string(x, model_name(x->m, c->e.producer,
								      c->name)),
					  c->value, c->exponent,
					  c->device == ~0u ? NONE : c->device });
	return 0;
}

static int on_sample(void *ctx, const struct sample *s)
{
	struct export *x = ctx;
	u64 id = ++x->samples;

	export_put(x, T_SAMPLE, (s64[]){ id, s->e.ts, s->e.cpu == CPU_UNKNOWN ? NONE :
					 s->e.cpu, 1, global_tid(x, &s->e), s->weight,
					 s->name ? export_string(x, model_name(x->m,
							s->e.producer, s->name)) : NONE });
	put_chain(x, T_SAMPLE_CHAIN, s->stack, id);
	return 0;
}

/* ENUM_SAMPLING_THREAD_STATE of TASK_* bits. */
static s64 thread_state(const struct sched_switch_rec *s)
{
	if (s->on || s->state == SCHED_STATE_UNKNOWN)
		return 0;
	if (!s->state)
		return 1;
	return s->state & 0x30 ? 5 : s->state & 0x0c ? 4 : s->state & 2 ? 3 : 2;
}

static int on_host(void *ctx, const struct host_event *h)
{
	const struct sched_switch_rec *s = (const struct sched_switch_rec *)h->e;
	struct export *x = ctx;

	if (h->e->kind == EVENT_SWITCH)
		export_put(x, T_SCHED, (s64[]){ s->e.ts, s->e.cpu, s->on, global_tid(x, &s->e),
						thread_state(s) });
	return 0;
}

const struct view export_view = {
	.device = on_device, .api = on_api, .op = on_op, .sync = on_sync, .nvtx = on_nvtx,
	.span = on_span, .counter = on_counter, .sample = on_sample, .overhead = on_overhead,
	.host = on_host,
};

/* ---- what numbers mean ---- */

struct word { u32 id; const char *name, *label; };

static void put_words(struct export *x, enum export_table t, const struct word *words, u32 n)
{
	for (; n; n--, words++)
		export_put(x, t, (s64[]){ words->id, TEXT(words->name), TEXT(words->label) });
}

#define WORDS(x, t, list) put_words(x, t, list, sizeof(list) / sizeof(*(list)))

void export_enums(struct export *x)
{
	static const struct word copies[] = {
		{ 0, "UNKNOWN", "Unknown" }, { 1, "HTOD", "Host-to-Device" },
		{ 2, "DTOH", "Device-to-Host" }, { 3, "HTOA", "Host-to-Array" },
		{ 4, "ATOH", "Array-to-Host" }, { 5, "ATOA", "Array-to-Array" },
		{ 6, "ATOD", "Array-to-Device" }, { 7, "DTOA", "Device-to-Array" },
		{ 8, "DTOD", "Device-to-Device" }, { 9, "HTOH", "Host-to-Host" },
		{ 10, "PTOP", "Peer-to-Peer" }, { 11, "UVM_HTOD", "Unified Host-to-Device" },
		{ 12, "UVM_DTOH", "Unified Device-to-Host" },
		{ 13, "UVM_DTOD", "Unified Device-to-Device" },
	}, kinds[] = {
		{ 0, "PAGEABLE", "Pageable" }, { 1, "PINNED", "Pinned" },
		{ 2, "DEVICE", "Device" }, { 3, "ARRAY", "Array" }, { 4, "MANAGED", "Managed" },
		{ 5, "DEVICE_STATIC", "Device Static" },
		{ 6, "MANAGED_STATIC", "Managed Static" }, { 7, "UNKNOWN", "Unknown" },
	}, syncs[] = {
		{ 0, "UNKNOWN", "Unknown" }, { 1, "EVENT_SYNCHRONIZE", "Event sync" },
		{ 2, "STREAM_WAIT_EVENT", "Stream wait sync" },
		{ 3, "STREAM_SYNCHRONIZE", "Stream sync" },
		{ 4, "CONTEXT_SYNCHRONIZE", "Context sync" },
	}, events[] = {
		{ 34, "NvtxMark", "NvtxMark" }, { 59, "NvtxPushPopRange", "NvtxPushPopRange" },
		{ 60, "NvtxStartEndRange", "NvtxStartEndRange" },
		{ 75, "NvtxDomainCreate", "NvtxDomainCreate" },
	};

	WORDS(x, T_COPY_KIND, copies);
	WORDS(x, T_MEMORY_KIND, kinds);
	WORDS(x, T_SYNC_TYPE, syncs);
	WORDS(x, T_EVENT_TYPE, events);
	export_put(x, T_META, (s64[]){ TEXT("EXPORT_PRODUCT_NAME"), TEXT("gpuscope") });
	export_put(x, T_META,
		   (s64[]){ TEXT("EXPORT_PRODUCT_VERSION"), TEXT(GPUSCOPE_VERSION) });
	export_put(x, T_META, (s64[]){ TEXT("EXPORT_SCHEMA_VERSION"), TEXT("3.25.0") });
}
