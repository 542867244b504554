// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CUPTI's buffers become records. Buffers are from a pool mapped in advance; a
 * bit says who has which, the lowest free one is handed out so that pages stay
 * warm. The size of a CUPTI record is its distance to the next one: that holds
 * for every version, and decides which of its fields exist.
 */
#include <string.h>
#include <sys/mman.h>
#include "library.h"

#define POOL_BUFFERS 64
/* about 1,200 kernels: fits a ring when it comes at once */
#define BUFFER_BYTES (256 << 10)
#define REALTIME_FROM 1000000000000000000ULL	/* 2001; CLOCK_MONOTONIC would be up 31 years */

static u8 *pool;
static u64 taken;		/* a bit for each buffer */

int activity_init(void)
{
	pool = mmap(NULL, (size_t)POOL_BUFFERS * BUFFER_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return pool == MAP_FAILED ? -1 : 0;
}

/* No buffer left: CUPTI drops records and counts them for us. */
void activity_request(uint8_t **buffer, size_t *size, size_t *max_records)
{
	u64 have = load_relaxed(&taken);
	int i;

	*buffer = NULL;
	*size = *max_records = 0;
	while (!library.dead && ~have) {
		i = __builtin_ctzll(~have);
		if (!__atomic_compare_exchange_n(&taken, &have, have | 1ULL << i, true,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		*buffer = pool + (size_t)i * BUFFER_BYTES;
		*size = BUFFER_BYTES;
		return;
	}
}

static void buffer_back(uint8_t *buffer, size_t used)
{
	memset(buffer, 0, used);	/* CUPTI was told that buffers come zeroed */
	__atomic_fetch_and(&taken, ~(1ULL << (buffer - pool) / BUFFER_BYTES), __ATOMIC_RELEASE);
}

static u64 to_monotonic(u64 ts)
{
	if (ts < REALTIME_FROM)
		return ts;
	add_relaxed(&library.ring->clock_fixups, 1);
	return clock_convert(ts);
}

/* Without an end it is not over; other times that cannot be say nothing. Both are counted and
 * no record is made: nobody could place it. */
static bool times(u64 *start, u64 *end)
{
	if (*start && *end >= *start) {
		*start = to_monotonic(*start);
		*end = to_monotonic(*end);
		return true;
	}
	add_relaxed(!*end && (*start || library.forcing) ? &library.ring->unfinished :
		    &library.ring->clock_lost, 1);
	return false;
}

/* Is it one that a call began by itself (ring_slot.begun)? */
static bool operation(u64 node, u32 correlation)
{
	return !node && !edges_outside(correlation);
}

static void *gpu_begin(struct writer *w, u16 kind, u32 size, u64 start, u64 end,
		       u32 correlation)
{
	struct gpu_head *g;

	if (edges_outside(correlation) || !times(&start, &end))
		return NULL;
	g = record_begin_patient(w, kind, size);
	if (!g)
		return NULL;
	memset(&g->dur_ns, 0, size - sizeof(struct event));
	g->e.ts = start;
	g->e.tid = 0;
	g->dur_ns = end - start;
	g->correlation = correlation;
	return g;
}

static void gpu_place(struct gpu_head *g, u32 device, u32 context, u32 stream, u64 node,
		      u32 graph)
{
	context_learn(context, device);
	g->device = device;
	g->context = context;
	g->stream = stream;
	g->graph_node = node;
	g->graph = graph;
}

static bool put_kernel(struct writer *w, const struct cupti_kernel *r)
{
	u32 name = name_kernel(r->name);
	struct kernel *k = gpu_begin(w, EVENT_KERNEL, sizeof(*k), r->start, r->end,
				     r->correlation);
	int i;

	if (!k)
		return operation(r->graph_node, r->correlation);
	gpu_place(&k->g, r->device, r->context, r->stream, r->graph_node, r->graph);
	k->name = name;
	k->registers = r->registers;
	for (i = 0; i < 3; i++) {
		k->grid[i] = r->grid[i];
		k->block[i] = r->block[i];
	}
	k->static_shared_bytes = r->static_shared;
	k->dynamic_shared_bytes = r->dynamic_shared;
	k->local_bytes = r->local_per_thread;
	record_end(w, k);
	return operation(r->graph_node, r->correlation);
}

/* Records of copies within one device and between two are the same up to their stream. */
#define SAME(member)								\
	_Static_assert(offsetof(struct cupti_memcpy, member) ==			\
		       offsetof(struct cupti_memcpy_peer, member), #member)
SAME(copy_kind);
SAME(src_kind);
SAME(dst_kind);
SAME(flags);
SAME(bytes);
SAME(start);
SAME(end);
SAME(device);
SAME(context);
SAME(stream);

/* Of r, only what both have is read. */
static bool put_copy_of(struct writer *w, const struct cupti_memcpy *r, u32 src, u32 dst,
			u32 correlation, u64 node, u32 graph)
{
	struct copy *c = gpu_begin(w, EVENT_COPY, sizeof(*c), r->start, r->end, correlation);

	if (!c)
		return operation(node, correlation);
	gpu_place(&c->g, r->device, r->context, r->stream, node, graph);
	c->bytes = r->bytes;
	c->src_device = src;
	c->dst_device = dst;
	c->copy_kind = r->copy_kind;
	c->src_kind = r->src_kind;
	c->dst_kind = r->dst_kind;
	c->async = r->flags & CUPTI_MEMCPY_ASYNC;
	record_end(w, c);
	return operation(node, correlation);
}

static bool put_copy(struct writer *w, const struct cupti_memcpy *r)
{
	return put_copy_of(w, r, r->device, r->device, r->correlation, r->graph_node, r->graph);
}

static bool put_copy_peer(struct writer *w, const struct cupti_memcpy_peer *r)
{
	return put_copy_of(w, (const void *)r, r->src_device, r->dst_device, r->correlation,
			   r->graph_node, r->graph);
}

static bool put_set(struct writer *w, const struct cupti_memset *r)
{
	struct set *s = gpu_begin(w, EVENT_SET, sizeof(*s), r->start, r->end, r->correlation);

	if (!s)
		return operation(r->graph_node, r->correlation);
	gpu_place(&s->g, r->device, r->context, r->stream, r->graph_node, r->graph);
	s->bytes = r->bytes;
	s->value = r->value;
	s->memory_kind = r->memory_kind;
	s->async = r->flags & CUPTI_MEMSET_ASYNC;
	record_end(w, s);
	return operation(r->graph_node, r->correlation);
}

static void put_sync(struct writer *w, const struct cupti_sync *r)
{
	struct sync *s = gpu_begin(w, EVENT_SYNC, sizeof(*s), r->start, r->end, r->correlation);

	if (!s)
		return;
	gpu_place(&s->g, context_device(r->context), r->context, r->stream, 0, 0);
	s->type = r->type;
	s->event = r->event == CUPTI_NO_VALUE ? 0 : r->event;
	record_end(w, s);
}

static void put_graph(struct writer *w, const struct cupti_graph_trace *r)
{
	struct graph *g = gpu_begin(w, EVENT_GRAPH, sizeof(*g), r->start, r->end,
				    r->correlation);

	if (!g)
		return;
	gpu_place(&g->g, r->device, r->context, r->stream, 0, r->graph);
	record_end(w, g);
}

static void put_overhead(struct writer *w, const struct cupti_overhead *r, size_t size)
{
	u64 start = r->start, end = r->end;
	struct overhead *o;

	if (!times(&start, &end))
		return;
	o = record_begin_patient(w, EVENT_OVERHEAD, sizeof(*o));
	if (!o)
		return;
	o->e.ts = start;
	o->e.tid = r->object_kind == CUPTI_OBJECT_THREAD ? r->object[1] : 0;
	o->dur_ns = end - start;
	o->what = r->what;
	o->correlation = CUPTI_HAS(size, struct cupti_overhead, correlation) ? r->correlation :
		0;
	record_end(w, o);
}

/* Returns whether it is an operation as counted in ring_slot.begun. */
static bool put(struct writer *w, const void *record, size_t size)
{
	switch (*(const u32 *)record) {
	case CUPTI_KIND_CONCURRENT_KERNEL:
	case CUPTI_KIND_KERNEL:
		return put_kernel(w, record);
	case CUPTI_KIND_MEMCPY:
		return put_copy(w, record);
	case CUPTI_KIND_MEMCPY2:
		return put_copy_peer(w, record);
	case CUPTI_KIND_MEMSET:
		return put_set(w, record);
	case CUPTI_KIND_GRAPH_TRACE:
		put_graph(w, record);
		return operation(0, ((const struct cupti_graph_trace *)record)->correlation);
	case CUPTI_KIND_SYNCHRONIZATION:
		put_sync(w, record);
		return false;
	case CUPTI_KIND_OVERHEAD:
		put_overhead(w, record, size);
		return false;
	}
	return false;
}

static u64 buffer_walk(struct writer *w, uint8_t *buffer, size_t valid)
{
	u64 operations = 0;
	void *record = NULL, *next;

	if (library.cupti.next_record(buffer, valid, &record))
		return 0;
	while (record) {
		next = record;
		if (library.cupti.next_record(buffer, valid, &next))
			next = NULL;
		operations += put(w, record, (next ? (uint8_t *)next : buffer + valid) -
				  (uint8_t *)record);
		record = next;
	}
	return operations;
}

/* CUPTI's worker, our helper, or a thread that makes CUPTI flush. */
void activity_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size,
		       size_t valid)
{
	struct writer *w;

	if (library.dead || !buffer)
		return;
	w = writer_get_patient();
	if (w && valid)
		add_relaxed(&library.ring->delivered, buffer_walk(w, buffer, valid));
	if (w)
		cupti_drops(context, stream);
	buffer_back(buffer, valid);
}
