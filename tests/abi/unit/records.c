// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Activity records: kinds, layouts, buffers, losses, clocks. */
#include <pthread.h>
#include <time.h>
#include <unistd.h>
#include "cupti_sizes.h"
#include "unit.h"

static void until(int (*fact)(void))	/* what another thread does; ten seconds at most */
{
	struct timespec ms = { 0, 1000000 };
	int i;

	for (i = 0; i < 10000 && !fact(); i++)
		nanosleep(&ms, NULL);
	CHECK(fact());
}

static void kinds(void)
{
	static const int bad[] = { 0, -1, 6, 7, 23, 27, 42, 56, 1000 };
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		IS(cuptiActivityEnable(bad[i]), CUPTI_E_INVALID_KIND);
	IS(cuptiActivityFlushAll(0), CUPTI_E_INVALID_OPERATION);
	IS(cuptiActivityRegisterCallbacks(NULL, NULL), CUPTI_E_INVALID_PARAMETER);
	client_start();
	kernels(1);
	IS(cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	kernels(3);
	IS(cuptiActivityDisable(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	kernels(1);
	IS(cuptiActivityEnable(CUPTI_KIND_KERNEL), 0);
	kernels(2);
	IS(cuptiActivityFlushAll(0), 0);
	IS(count(CUPTI_KIND_CONCURRENT_KERNEL), 3);
	IS(count(CUPTI_KIND_KERNEL), 2);
	IS(record_count, 5);
}

static void one_of_each(void)
{
	struct sim_sync sync = { CUPTI_SYNC_STREAM_SYNCHRONIZE, 10, 20, 77, 1, 7, 0 };

	shape.registers = 40;
	shape.grid[2] = 3;
	shape.block[0] = 128;
	shape.dynamic_shared = 512;
	shape.graph_node = 0x500000001;
	shape.graph = 9;
	op(SIM_KERNEL, 100, 150);
	shape.copy_kind = CUPTI_MEMCPY_HTOD;
	shape.src_kind = CUPTI_MEMORY_PAGEABLE;
	shape.dst_kind = CUPTI_MEMORY_DEVICE;
	shape.bytes = 4096;
	shape.async = true;
	op(SIM_COPY, 200, 260);
	shape.value = 0xa5;
	op(SIM_SET, 300, 370);
	shape.copy_kind = CUPTI_MEMCPY_PTOP;
	shape.dst_device = 1;
	op(SIM_COPY, 400, 480);
	op(SIM_GRAPH, 500, 590);
	op(SIM_HOST, 600, 601);		/* has no record */
	hooks->sync(&sync);
	call(2, "cudaLaunchKernel_v7000", NULL);
	call(1, "cuLaunchKernel", NULL);
}

static const uint32_t all_kinds[] = {
	CUPTI_KIND_CONCURRENT_KERNEL, CUPTI_KIND_MEMCPY, CUPTI_KIND_MEMSET, CUPTI_KIND_MEMCPY2,
	CUPTI_KIND_GRAPH_TRACE, CUPTI_KIND_SYNCHRONIZATION, CUPTI_KIND_RUNTIME,
	CUPTI_KIND_DRIVER,
};

static void enable_all(void)
{
	unsigned int i;

	client_start();
	for (i = 0; i < sizeof(all_kinds) / sizeof(all_kinds[0]); i++)
		IS(cuptiActivityEnable(all_kinds[i]), 0);
}

/* One record each, of the size the version has, with what the engine said. */
static void layouts(void)
{
	struct cupti_kernel *k;
	struct cupti_memcpy *m;
	struct cupti_memset *s;
	uint32_t version;
	int i;

	enable_all();
	IS(cuptiActivityRegisterTimestampCallback(monotonic), 0);
	one_of_each();
	IS(cuptiActivityFlushAll(0), 0);
	cuptiGetVersion(&version);
	IS(record_count, 8);
	for (i = 0; i < 8; i++) {
		IS(*(uint32_t *)records[i], all_kinds[i]);
		IS(sizes[i], cupti_record_size(all_kinds[i], version));
	}
	k = nth(CUPTI_KIND_CONCURRENT_KERNEL, 0);
	IS(k->registers, 40); IS(k->grid[2], 3); IS(k->block[0], 128);
	IS(k->dynamic_shared, 512);
	IS(k->context, 1); IS(k->stream, 7); IS(k->graph, 9); IS(k->graph_node, 0x500000001);
	IS(k->end - k->start, 50); IS(k->start, 100); IS(k->queued, 0);
	IS(strcmp(k->name, "_Z4axpyv"), 0);
	m = nth(CUPTI_KIND_MEMCPY, 0);
	IS(m->copy_kind, CUPTI_MEMCPY_HTOD); IS(m->bytes, 4096);
	IS(m->flags, CUPTI_MEMCPY_ASYNC);
	IS(m->src_kind, CUPTI_MEMORY_PAGEABLE); IS(m->start, 200); IS(m->end, 260);
	s = nth(CUPTI_KIND_MEMSET, 0);
	IS(s->value, 0xa5); IS(s->bytes, 4096); IS(s->start, 300); IS(s->end, 370);
	IS(((struct cupti_memcpy_peer *)nth(CUPTI_KIND_MEMCPY2, 0))->dst_device, 1);
	IS(((struct cupti_graph_trace *)nth(CUPTI_KIND_GRAPH_TRACE, 0))->graph, 9);
	IS(((struct cupti_sync *)nth(CUPTI_KIND_SYNCHRONIZATION, 0))->correlation, 77);
	IS(((struct cupti_api_record *)nth(CUPTI_KIND_RUNTIME, 0))->cbid, 211);
	IS(((struct cupti_api_record *)nth(CUPTI_KIND_DRIVER, 0))->cbid, 307);
}

static void latency(void)
{
	client_start();
	IS(cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	IS(cuptiActivityRegisterTimestampCallback(monotonic), 0);
	IS(cuptiActivityEnableLatencyTimestamps(1), 0);
	op(SIM_KERNEL, 100, 150);
	IS(cuptiActivityFlushAll(0), 0);
	IS(((struct cupti_kernel *)records[0])->queued, 98);
	IS(((struct cupti_kernel *)records[0])->submitted, 99);
}

/* GRAPH_TRACE asks the engine for one operation a launch instead of the nodes. */
static void graph_kinds(void)
{
	IS(hooks->graph_nodes, 1);
	IS(cuptiActivityEnable(CUPTI_KIND_GRAPH_TRACE), 0);
	IS(hooks->graph_nodes, 0);
	IS(cuptiActivityDisable(CUPTI_KIND_GRAPH_TRACE), 0);
	IS(hooks->graph_nodes, 1);
}

static int next_begun(void) { return record_count == 3 && requests == 2; }

/* A full buffer comes by itself, a partial one by a flush, both from the worker. */
static void buffers(void)
{
	buffer_bytes = 700;	/* three kernels of 216 */
	client_start();
	IS(cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	kernels(4);
	until(next_begun);
	IS(completions, 1);
	IS(cuptiActivityFlushAll(0), 0);
	CHECK(complete_thread != pthread_self() && request_thread == complete_thread);
	IS(record_count, 4);
	IS(completions, 2);
	IS(cuptiActivityFlushAll(0), 0);
	IS(completions, 2);	/* nothing new: nothing comes */
	buffer_bytes = 65536;
	buffer_records = 2;
	kernels(5);
	IS(cuptiActivityFlushAll(0), 0);
	IS(record_count, 9);
	IS(completions, 5);
}

static void app_thread(void)	/* CUDASIM_BUFFER_THREAD=app */
{
	buffer_bytes = 216 * 4;
	client_start();
	IS(cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	kernels(1);
	IS(cuptiActivityFlushAll(0), 0);
	IS(record_count, 1);
	CHECK(complete_thread == pthread_self());
}

static size_t dropped(void)
{
	size_t n = 99;

	IS(cuptiActivityGetNumDroppedRecords(NULL, 0, &n), 0);
	return n;
}

/* A declined buffer, or one too small, loses records; the count starts anew when read. */
static void declined(void)
{
	buffer_bytes = 0;
	client_start();
	IS(cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	kernels(5);
	IS(cuptiActivityFlushAll(0), 0);
	IS(dropped(), 5);
	IS(dropped(), 0);
	buffer_bytes = 100;
	kernels(2);
	IS(cuptiActivityFlushAll(0), 0);
	IS(dropped(), 2);
	buffer_bytes = 65536;
	kernels(2);
	IS(cuptiActivityFlushAll(0), 0);
	IS(record_count, 2);
	IS(dropped(), 0);
}

static void drop(void)		/* CUDASIM_DROP=every=10, then after=10: $UNIT_LEFT come */
{
	client_start();
	IS(cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	kernels(35);
	IS(cuptiActivityFlushAll(0), 0);
	IS(record_count, atoi(getenv("UNIT_LEFT")));
	IS(dropped(), 35 - record_count);
}

static uint64_t start_of(int n)
{
	return ((struct cupti_kernel *)nth(CUPTI_KIND_CONCURRENT_KERNEL, n))->start;
}

static bool is_realtime(uint64_t t)
{
	return t > 1000000000000000000ULL;
}

static void clock_default(void)
{
	uint64_t before = realtime(), now;

	client_start();
	IS(cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	kernels(1);
	IS(cuptiActivityFlushAll(0), 0);
	CHECK(start_of(0) + 1000 >= before && start_of(0) <= realtime() + 1000);
	IS(cuptiGetTimestamp(&now), 0);
	CHECK(is_realtime(now));
}

static void clock_callback(void)
{
	uint64_t now;

	client_start();
	IS(cuptiActivityRegisterTimestampCallback(NULL), CUPTI_E_INVALID_PARAMETER);
	IS(cuptiActivityRegisterTimestampCallback(monotonic), 0);
	IS(cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	op(SIM_KERNEL, 12345, 12400);
	IS(cuptiActivityFlushAll(0), 0);
	IS(start_of(0), 12345);		/* the same clock: not a nanosecond off */
	IS(cuptiGetTimestamp(&now), 0);
	CHECK(!is_realtime(now));
}

/* CUDASIM_CLOCK_LATCH=1: with a context there GPU times keep CLOCK_REALTIME, others do not. */
static void clock_latch(void)
{
	struct cupti_api_record *api;

	client_start();
	live_contexts = 1;
	IS(cuptiActivityRegisterTimestampCallback(monotonic), 0);
	IS(cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	IS(cuptiActivityEnable(CUPTI_KIND_RUNTIME), 0);
	kernels(1);
	call(2, "cudaLaunchKernel_v7000", NULL);
	IS(cuptiActivityFlushAll(0), 0);
	CHECK(is_realtime(start_of(0)));
	api = nth(CUPTI_KIND_RUNTIME, 0);
	CHECK(!is_realtime(api->start) && api->end >= api->start);
}

/* CUDASIM_TS_CORRUPT=1: the third registration spoils three kernels. */
static void clock_corrupt(void)
{
	int i;

	client_start();
	for (i = 0; i < 3; i++)
		IS(cuptiActivityRegisterTimestampCallback(monotonic), 0);
	IS(cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	kernels(6);
	IS(cuptiActivityFlushAll(0), 0);
	for (i = 0; i < 6; i++)
		IS(is_realtime(start_of(i)), i < 3);
}

static void external(void)
{
	struct cupti_external *e;
	uint64_t id = 0;

	client_start();
	IS(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CUSTOM0, &id),
	   CUPTI_E_QUEUE_EMPTY);
	IS(cuptiActivityPushExternalCorrelationId(0, 1), CUPTI_E_INVALID_PARAMETER);
	IS(cuptiActivityEnable(CUPTI_KIND_EXTERNAL_CORRELATION), 0);
	IS(cuptiActivityEnable(CUPTI_KIND_RUNTIME), 0);
	IS(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CUSTOM0, 41), 0);
	IS(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CUSTOM0, 42), 0);
	call(2, "cudaLaunchKernel_v7000", NULL);
	IS(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CUSTOM0, &id), 0);
	IS(id, 42);
	IS(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CUSTOM0, &id), 0);
	call(2, "cudaLaunchKernel_v7000", NULL);
	IS(cuptiActivityFlushAll(0), 0);
	IS(record_count, 3);
	e = records[0];		/* precedes the call's record */
	IS(e->kind, CUPTI_KIND_EXTERNAL_CORRELATION);
	IS(e->id, 42); IS(e->external_kind, CUPTI_EXTERNAL_CUSTOM0);
	IS(e->correlation, ((struct cupti_api_record *)records[1])->correlation);
}

/* A forced flush brings what still runs, without times and once. */
static void forced_flush(void)
{
	struct cupti_kernel *k;

	client_start();
	IS(cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	kernels(1);
	running = shape;
	running.type = SIM_KERNEL;
	running.correlation = 99;
	running.start = monotonic();
	IS(cuptiActivityFlushAll(0), 0);
	IS(record_count, 1);
	IS(cuptiActivityFlushAll(CUPTI_FLUSH_FORCED), 0);
	IS(cuptiActivityFlushAll(CUPTI_FLUSH_FORCED), 0);
	IS(record_count, 2);
	k = records[1];
	IS(k->correlation, 99); IS(k->start, 0); IS(k->end, 0);
	running.end = monotonic();
	hooks->record(&running);
	running.type = 0;
	kernels(1);
	IS(cuptiActivityFlushAll(CUPTI_FLUSH_FORCED), 0);
	IS(record_count, 3);
	IS(dropped(), 0);
}

static void single_calls(void)
{
	client_start();
	IS(cuptiActivityEnableRuntimeApi(211, 1), 0);
	IS(cuptiActivityEnableRuntimeApi(0, 1), CUPTI_E_INVALID_PARAMETER);
	call(2, "cudaLaunchKernel_v7000", NULL);
	call(2, "cudaMemcpy_v3020", NULL);
	call(1, "cuLaunchKernel", NULL);
	IS(cuptiActivityFlushAll(0), 0);
	IS(record_count, 1);
}

static void thread_ids(void)
{
	struct cupti_api_record *a, *b;

	client_start();
	IS(cuptiActivityEnable(CUPTI_KIND_RUNTIME), 0);
	call(2, "cudaMemcpy_v3020", NULL);
	IS(cuptiSetThreadIdType(CUPTI_THREAD_ID_SYSTEM), 0);
	IS(cuptiSetThreadIdType(2), CUPTI_E_INVALID_PARAMETER);
	call(2, "cudaMemcpy_v3020", NULL);
	IS(cuptiActivityFlushAll(0), 0);
	a = records[0];
	b = records[1];
	IS(a->thread, (uint32_t)pthread_self());
	IS(b->thread, getpid());
	IS(b->process, getpid());
}

static void attributes(void)
{
	size_t value = 0, n = sizeof(value);
	uint8_t byte = 1;

	IS(cuptiActivityGetAttribute(CUPTI_ATTR_DEVICE_BUFFER_SIZE, &n, &value), 0);
	IS(value, 3200000);
	value = 8 << 20;
	IS(cuptiActivitySetAttribute(CUPTI_ATTR_DEVICE_BUFFER_SIZE, &n, &value), 0);
	value = 0;
	IS(cuptiActivityGetAttribute(CUPTI_ATTR_DEVICE_BUFFER_SIZE, &n, &value), 0);
	IS(value, 8 << 20);
	n = 4;
	IS(cuptiActivityGetAttribute(0, &n, &value), CUPTI_E_PARAMETER_SIZE_NOT_SUFFICIENT);
	IS(cuptiActivityGetAttribute(99, &n, &value), CUPTI_E_INVALID_PARAMETER);
	n = 1;
	IS(cuptiActivitySetAttribute(CUPTI_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &n, &byte), 0);
}

/* What exists already is told on demand. */
static void dump(void)
{
	struct sim_resource_data d = { .context = (void *)3, .context_id = 3 };

	hooks->resource(SIM_CONTEXT_CREATED, &d);
	d.object_id = 13;
	hooks->resource(SIM_STREAM_CREATED, &d);
	client_start();
	IS(cuptiActivityEnableAndDump(CUPTI_KIND_DEVICE), 0);
	IS(cuptiActivityEnableAndDump(CUPTI_KIND_CONTEXT), 0);
	IS(cuptiActivityEnableAndDump(CUPTI_KIND_STREAM), 0);
	IS(cuptiActivityFlushAll(0), 0);
	IS(record_count, 3);
	IS(((struct cupti_device *)records[0])->multiprocessors, 132);
	IS(((struct cupti_context *)records[1])->context, 3);
	IS(((struct cupti_context *)records[1])->null_stream, 7);
	IS(((struct cupti_stream *)records[2])->stream, 13);
}

static void overhead(void)
{
	struct cupti_overhead *o;

	client_start();
	IS(cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	IS(cuptiActivityEnable(CUPTI_KIND_OVERHEAD), 0);
	kernels(1);
	IS(cuptiActivityFlushAll(0), 0);
	IS(cuptiActivityFlushAll(0), 0);
	o = nth(CUPTI_KIND_OVERHEAD, 0);
	CHECK(o && o->what == CUPTI_OVERHEAD_ACTIVITY_BUFFER_REQUEST && o->end >= o->start);
	o = nth(CUPTI_KIND_OVERHEAD, 1);
	CHECK(o && o->what == CUPTI_OVERHEAD_CUPTI_BUFFER_FLUSH);
	IS(o->object[0], getpid());
}

static void finalize(void)
{
	client_start();
	IS(cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	kernels(1);
	IS(cuptiActivityFlushAll(0), 0);
	IS(cuptiFinalize(), 0);
	kernels(3);
	IS(cuptiActivityFlushAll(0), 0);
	IS(record_count, 1);
	IS(cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	kernels(1);
	IS(cuptiActivityFlushAll(0), 0);
	IS(record_count, 2);
}

const struct test record_tests[] = {
	{ "kinds", kinds }, { "layouts", layouts }, { "latency", latency },
	{ "graph-kinds", graph_kinds }, { "buffers", buffers }, { "app-thread", app_thread },
	{ "declined", declined }, { "drop", drop }, { "clock-default", clock_default },
	{ "clock-callback", clock_callback }, { "clock-latch", clock_latch },
	{ "clock-corrupt", clock_corrupt },
	{ "external", external }, { "single-calls", single_calls },
	{ "thread-ids", thread_ids }, { "attributes", attributes },
	{ "dump", dump }, { "overhead", overhead }, { "finalize", finalize },
	{ "forced-flush", forced_flush }, { NULL, NULL },
};
