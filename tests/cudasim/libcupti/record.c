// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The engine's hooks: what it tells becomes CUPTI's records, in the layout of CUDA 13.0. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "state.h"

#define EXTERNAL_DEPTH 64
#define UNFINISHED 4096

_Atomic uint8_t kinds[CUPTI_KIND_COUNT];
_Atomic uint8_t context_kinds[CONTEXTS][CUPTI_KIND_COUNT];
_Atomic uint8_t api_kinds[2][CBIDS];
_Atomic uint8_t latency, thread_id_type;
static __thread struct {
	uint64_t id[EXTERNAL_DEPTH];
	uint32_t depth;
} external[CUPTI_EXTERNAL_SIZE];

bool kind_wanted(uint32_t kind, uint32_t context)
{
	return kinds[kind] || (context < CONTEXTS && context_kinds[context][kind]);
}

static uint32_t thread_id(void)
{
	return thread_id_type == CUPTI_THREAD_ID_SYSTEM ? (uint32_t)syscall(SYS_gettid) :
		(uint32_t)(uintptr_t)pthread_self();
}

/* Operations that a forced flush told unfinished. */
struct told { uint32_t type, correlation; uint64_t node; };
static pthread_mutex_t told_lock = PTHREAD_MUTEX_INITIALIZER;
static struct told told[UNFINISHED];
static atomic_int told_count;
static __thread bool unfinished;

static bool told_take(const struct sim_record *r)
{
	int i;

	if (told_count == 0)
		return false;
	pthread_mutex_lock(&told_lock);
	for (i = 0; i < told_count; i++)
		if (told[i].type == r->type && told[i].correlation == r->correlation &&
		    told[i].node == r->graph_node)
			break;
	if (i == told_count)
		i = -1;
	else
		told[i] = told[--told_count];
	pthread_mutex_unlock(&told_lock);
	return i >= 0;
}

/* True once for an operation; beyond UNFINISHED of them the rest waits for its end. */
static bool told_add(const struct sim_record *r)
{
	struct told t = { r->type, r->correlation, r->graph_node };
	int i;

	pthread_mutex_lock(&told_lock);
	for (i = 0; i < told_count; i++)
		if (!memcmp(&told[i], &t, sizeof(t)))
			break;
	if (i < told_count || i == UNFINISHED)
		i = -1;
	else
		told[told_count++] = t;
	pthread_mutex_unlock(&told_lock);
	return i >= 0;
}

struct times { uint64_t start, end, queued, submitted; };

/* Is this one of `percent` of a hundred? Evenly spread, the last of each group. */
static bool share(unsigned int n, int percent)
{
	return (uint64_t)n * percent / 100 != (uint64_t)(n - 1) * percent / 100;
}

/*
 * CUDASIM_ZERO_TS=PERCENT of the operations have no times, CUDASIM_INVERT_TS=PERCENT an end
 * before their start, as when CUPTI's buffers ran out.
 */
static struct times times_of(const struct sim_record *r)
{
	static atomic_uint count;
	static atomic_int zero = -1, inverted;
	unsigned int n = ++count;
	int64_t offset = clock_offset(CLOCK_OF_GPU);
	struct times t = { r->start + offset, r->end + offset, 0, 0 };

	if (zero < 0) {
		inverted = number_setting("INVERT_TS", 0);
		zero = number_setting("ZERO_TS", 0);
	}
	if (latency) {
		t.queued = r->queued + offset;
		t.submitted = r->submitted + offset;
	}
	if (share(n, zero))
		t.start = t.end = 0;
	else if (share(n, inverted))
		t = (struct times){ t.end + 1, t.start, t.queued, t.submitted };
	if (unfinished)
		memset(&t, 0, sizeof(t));
	return t;
}

static void record_kernel(const struct sim_record *r)
{
	static _Atomic int64_t launches;
	struct times t = times_of(r);
	struct cupti_kernel k = {
		.kind = kind_wanted(CUPTI_KIND_CONCURRENT_KERNEL, r->context_id) ?
			CUPTI_KIND_CONCURRENT_KERNEL : CUPTI_KIND_KERNEL,
		.registers = r->registers,
		.start = t.start, .end = t.end, .completed = t.end,
		.queued = t.queued, .submitted = t.submitted,
		.device = r->device, .context = r->context_id, .stream = r->stream_id,
		.grid = { r->grid[0], r->grid[1], r->grid[2] },
		.block = { r->block[0], r->block[1], r->block[2] },
		.static_shared = r->static_shared, .dynamic_shared = r->dynamic_shared,
		.shared_executed = r->static_shared + r->dynamic_shared,
		.local_per_thread = r->local_bytes,
		.correlation = r->correlation,
		.grid_id = ++launches,
		.name = r->name,
		.graph_node = r->graph_node, .graph = r->graph,
		.channel_type = CUPTI_CHANNEL_COMPUTE,
	};

	if (kind_wanted(CUPTI_KIND_CONCURRENT_KERNEL, r->context_id) ||
	    kind_wanted(CUPTI_KIND_KERNEL, r->context_id))
		buffer_put(&k, k.kind);
}

static void record_copy(const struct sim_record *r)
{
	struct times t = times_of(r);
	struct cupti_memcpy m = {
		.kind = CUPTI_KIND_MEMCPY,
		.copy_kind = r->copy_kind, .src_kind = r->src_kind, .dst_kind = r->dst_kind,
		.flags = r->async ? CUPTI_MEMCPY_ASYNC : 0,
		.bytes = r->bytes,
		.start = t.start, .end = t.end,
		.device = r->device, .context = r->context_id, .stream = r->stream_id,
		.correlation = r->correlation,
		.graph_node = r->graph_node, .graph = r->graph,
		.channel_type = CUPTI_CHANNEL_ASYNC_MEMCPY,
		.copies = 1,
	};

	if (kind_wanted(CUPTI_KIND_MEMCPY, r->context_id))
		buffer_put(&m, m.kind);
}

static void record_peer_copy(const struct sim_record *r)
{
	struct times t = times_of(r);
	struct cupti_memcpy_peer m = {
		.kind = CUPTI_KIND_MEMCPY2,
		.copy_kind = r->copy_kind, .src_kind = r->src_kind, .dst_kind = r->dst_kind,
		.flags = r->async ? CUPTI_MEMCPY_ASYNC : 0,
		.bytes = r->bytes,
		.start = t.start, .end = t.end,
		.device = r->device, .context = r->context_id, .stream = r->stream_id,
		.src_device = r->src_device, .dst_device = r->dst_device,
		.src_context = r->context_id, .dst_context = r->context_id,
		.correlation = r->correlation,
		.graph_node = r->graph_node, .graph = r->graph,
		.channel_type = CUPTI_CHANNEL_ASYNC_MEMCPY,
	};

	if (kind_wanted(CUPTI_KIND_MEMCPY2, r->context_id))
		buffer_put(&m, m.kind);
}

static void record_set(const struct sim_record *r)
{
	struct times t = times_of(r);
	struct cupti_memset m = {
		.kind = CUPTI_KIND_MEMSET,
		.value = r->value, .bytes = r->bytes,
		.start = t.start, .end = t.end,
		.device = r->device, .context = r->context_id, .stream = r->stream_id,
		.correlation = r->correlation,
		.flags = r->async ? CUPTI_MEMSET_ASYNC : 0,
		.memory_kind = r->dst_kind,
		.graph_node = r->graph_node, .graph = r->graph,
		.channel_type = CUPTI_CHANNEL_COMPUTE,
	};

	if (kind_wanted(CUPTI_KIND_MEMSET, r->context_id))
		buffer_put(&m, m.kind);
}

static void record_graph(const struct sim_record *r)
{
	struct times t = times_of(r);
	struct cupti_graph_trace g = {
		.kind = CUPTI_KIND_GRAPH_TRACE,
		.correlation = r->correlation,
		.start = t.start, .end = t.end,
		.device = r->device, .graph = r->graph,
		.context = r->context_id, .stream = r->stream_id,
		.end_device = r->device, .end_context = r->context_id,
	};

	if (kind_wanted(CUPTI_KIND_GRAPH_TRACE, r->context_id))
		buffer_put(&g, g.kind);
}

static void record_op(const struct sim_record *r)
{
	switch (r->type) {
	case SIM_KERNEL:
		record_kernel(r);
		break;
	case SIM_COPY:
		if (r->copy_kind == CUPTI_MEMCPY_PTOP)
			record_peer_copy(r);
		else
			record_copy(r);
		break;
	case SIM_SET:
		record_set(r);
		break;
	case SIM_GRAPH:
		record_graph(r);
		break;
	default:	/* host functions and events have no records */
		break;
	}
}

static void record_new(const struct sim_record *r)
{
	if (!told_take(r))
		record_op(r);
}

/* ---- CUDASIM_REC_DELAY_MS=N: a record is there N ms after its operation's end ---- */

struct late {
	struct late *next;
	struct sim_record r;
};

static pthread_mutex_t late_lock = PTHREAD_MUTEX_INITIALIZER;
static struct late *late_first, **late_end = &late_first;

static void late_add(const struct sim_record *r)
{
	struct late *l = malloc(sizeof(*l));

	if (!l)
		return record_new(r);
	l->next = NULL;
	l->r = *r;
	pthread_mutex_lock(&late_lock);
	*late_end = l;
	late_end = &l->next;
	pthread_mutex_unlock(&late_lock);
}

/* Gives what has waited long enough; all: whatever there is. */
void record_late(bool all)
{
	uint64_t delay = number_setting("REC_DELAY_MS", 0) * 1000000ull, now = core()->now();
	struct late *l, *next;

	pthread_mutex_lock(&late_lock);
	for (l = late_first; l && (all || l->r.end + delay <= now); l = next) {
		next = l->next;
		record_new(&l->r);
		free(l);
	}
	late_first = l;
	if (!l)
		late_end = &late_first;
	pthread_mutex_unlock(&late_lock);
}

static void on_record(const struct sim_record *r)
{
	static atomic_int delayed = -1;

	if (delayed < 0)
		delayed = number_setting("REC_DELAY_MS", 0) > 0;
	if (!delayed)
		return record_new(r);
	late_add(r);
	record_late(false);
}

static void give_unfinished(const struct sim_record *r)
{
	if (told_add(r))
		record_op(r);
}

void record_unfinished(void)
{
	unfinished = true;
	core()->in_flight(give_unfinished);
	unfinished = false;
}

static void on_sync(const struct sim_sync *s)
{
	int64_t offset = clock_offset(CLOCK_OF_CPU);
	struct cupti_sync r = {
		.kind = CUPTI_KIND_SYNCHRONIZATION,
		.type = s->type,
		.start = s->start + offset, .end = s->end + offset,
		.correlation = s->correlation,
		.context = s->context_id, .stream = s->stream_id,
		.event = s->event_id ? s->event_id : CUPTI_NO_VALUE,
	};

	if (kind_wanted(CUPTI_KIND_SYNCHRONIZATION, s->context_id))
		buffer_put(&r, r.kind);
	callback_sync(s);
}

void record_overhead(uint32_t what, uint64_t start, uint64_t end)
{
	int64_t offset = clock_offset(CLOCK_OF_CPU);
	struct cupti_overhead r = {
		.kind = CUPTI_KIND_OVERHEAD,
		.what = what,
		.object_kind = CUPTI_OBJECT_THREAD,
		.object = { getpid(), thread_id() },
		.start = start + offset, .end = end + offset,
	};

	if (kind_wanted(CUPTI_KIND_OVERHEAD, 0))
		buffer_put(&r, r.kind);
}

bool external_push(int kind, uint64_t id)
{
	if (external[kind].depth == EXTERNAL_DEPTH)
		return false;
	external[kind].id[external[kind].depth++] = id;
	return true;
}

bool external_pop(int kind, uint64_t *id)
{
	if (external[kind].depth == 0)
		return false;
	external[kind].depth--;
	if (id)
		*id = external[kind].id[external[kind].depth];
	return true;
}

static void record_external(const struct sim_call *call)
{
	struct cupti_external r = {
		.kind = CUPTI_KIND_EXTERNAL_CORRELATION,
		.correlation = call->correlation,
	};

	if (call->depth || !kind_wanted(CUPTI_KIND_EXTERNAL_CORRELATION, call->context_id))
		return;
	for (r.external_kind = 1; r.external_kind < CUPTI_EXTERNAL_SIZE; r.external_kind++) {
		if (external[r.external_kind].depth == 0)
			continue;
		r.id = external[r.external_kind].id[external[r.external_kind].depth - 1];
		buffer_put(&r, r.kind);
	}
}

static void record_api(const struct sim_call *call, uint32_t cbid)
{
	bool driver = call->domain == CUPTI_DOMAIN_DRIVER_API;
	struct cupti_api_record r = {
		.kind = driver ? CUPTI_KIND_DRIVER : CUPTI_KIND_RUNTIME,
		.cbid = cbid,
		.process = getpid(), .thread = thread_id(),
		.correlation = call->correlation,
		.result = call->result ? *(const int *)call->result : 0,
	};
	int64_t offset;

	if (!kind_wanted(r.kind, call->context_id) && !api_kinds[!driver][cbid])
		return;
	offset = clock_offset(CLOCK_OF_CPU);
	r.start = call->start + offset;
	r.end = call->end + offset;
	buffer_put(&r, r.kind);
}

static void on_api(struct sim_call *call, int site)
{
	uint32_t cbid = cbid_of(call);

	if (cbid == NO_CBID)
		return;
	callback_api(call, cbid, site);
	if (site == 0)	/* before its operations' records, which may come during the call */
		record_external(call);
	else
		record_api(call, cbid);
}

static void on_resource(enum sim_resource what, const struct sim_resource_data *d)
{
	object_track(what, d);
	callback_resource(what, d);
}

static void on_fini(void)
{
	buffer_stop(false);
}

static struct sim_hooks hooks = {
	.api = on_api,
	.record = on_record,
	.sync = on_sync,
	.resource = on_resource,
	.fini = on_fini,
	.graph_nodes = true,
};

void hooks_update(void)
{
	hooks.graph_nodes = !kinds[CUPTI_KIND_GRAPH_TRACE];
}

void hooks_install(void)
{
	static atomic_bool installed;

	if (!atomic_exchange(&installed, true))
		core()->set_hooks(&hooks);
}

/* At once, so that contexts made before the first call are known. */
__attribute__((constructor)) static void start(void)
{
	hooks_install();
}
