// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A CUDA program that traces itself with CUPTI and knows what must come out:
 * as many records as operations, each caused by a call whose callback was seen,
 * each between that call and the wait for it. argv[1]: "node" or "launch", how
 * graphs are traced, or "forced": flush before the wait; argv[2]: how many kernels
 * a stream.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "check.h"
#include "real.h"

#define CALLS 4096
#define COPIES 7
#define SETS 3
#define NODES 4
#define GRAPH_LAUNCHES 3
#define BYTES 65536

static struct {
	uint64_t enter, exit;
	uint32_t cbid;
	char symbol[32];
} calls[CALLS];				/* by correlation */
static int exits, kernels, copies[2], sets, api_records, graphs, syncs[8], node_kernels;
static uint64_t nodes[64];		/* ids told by callbacks */
static int node_count;
static unsigned long main_thread;
static uint64_t waited, latest;		/* end of the last wait; of the last operation */
static CUstream streams[2];
static uint32_t stream_ids[2], context;
static int per_stream = 23;
static int unfinished;
static bool forced;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* ---- callbacks ---- */

static void on_call(uint32_t cbid, const call_data *d)
{
	CHECK(pthread_self() == main_thread);
	CHECK(d->correlation < CALLS);
	if (d->site == CUPTI_ENTER) {
		calls[d->correlation].enter = now();
		calls[d->correlation].cbid = cbid;
		if (symbol_of(d))
			snprintf(calls[d->correlation].symbol, 32, "%s", symbol_of(d));
		*data_of(d) = d->correlation * 3;
		return;
	}
	IS(*data_of(d), d->correlation * 3);
	IS(calls[d->correlation].cbid, cbid);
	calls[d->correlation].exit = now();
	exits++;
}

static void on_resource(uint32_t cbid, const resource_data *d)
{
	const graph_data *g = (const graph_data *)d->descriptor;
	uint64_t id;

	if (cbid != CUPTI_RESOURCE_GRAPHNODE_CREATED && cbid != CUPTI_RESOURCE_GRAPHNODE_CLONED)
		return;
	IS(cuptiGetGraphNodeId(g->node, &id), 0);
	if (cbid == CUPTI_RESOURCE_GRAPHNODE_CLONED) {
		uint64_t origin;
		int i;

		IS(cuptiGetGraphNodeId(g->original_node, &origin), 0);
		for (i = 0; i < node_count && nodes[i] != origin; i++)
			;
		CHECK(i < node_count);	/* a clone of a node we saw made */
	}
	CHECK(node_count < 64);
	nodes[node_count++] = id;
}

static void on_callback(void *user, domain_type domain, uint32_t cbid, const void *data)
{
	if (domain == CUPTI_DOMAIN_DRIVER_API)
		on_call(cbid, data);
	else
		on_resource(cbid, data);
}

/* ---- records ---- */

static void cause(uint32_t correlation_id, const char *prefix, uint64_t start, uint64_t end)
{
	const char *name = NULL;

	CHECK(correlation_id > 0 && correlation_id < CALLS && calls[correlation_id].enter);
	IS(cuptiGetCallbackName(CUPTI_DOMAIN_DRIVER_API, calls[correlation_id].cbid, &name), 0);
	if (strncmp(name, prefix, strlen(prefix)))
		printf("caused by %s\n", name);
	CHECK(!strncmp(name, prefix, strlen(prefix)));
	CHECK(calls[correlation_id].enter <= start && start < end);
	latest = end > latest ? end : latest;
}

static void on_kernel(const kernel_record *k)
{
	int i;

	IS(context_of(k), context);
	CHECK(stream_of(k) == stream_ids[0] || stream_of(k) == stream_ids[1]);
	if (forced && !k->start && !k->end) {
		unfinished++;
		return;
	}
	if (!k->graph_node) {
		kernels++;
		cause(k->correlation, "cuLaunchKernel", k->start, k->end);
		IS(strcmp(k->name, calls[k->correlation].symbol), 0);
		return;
	}
	node_kernels++;
	cause(k->correlation, "cuGraphLaunch", k->start, k->end);
	for (i = 0; i < node_count && nodes[i] != k->graph_node; i++)
		;
	CHECK(i < node_count);
}

static void on_copy(const memcpy_record *m)
{
	bool out = m->copy_kind == CUPTI_MEMCPY_DTOH;

	IS(m->bytes, BYTES);
	CHECK(out || m->copy_kind == CUPTI_MEMCPY_HTOD);
	cause(m->correlation, out ? "cuMemcpyDtoHAsync" : "cuMemcpyHtoDAsync", m->start,
	      m->end);
	copies[out]++;
}

static void on_record(const any_record *record)
{
	const kernel_record *k = (const kernel_record *)record;
	const sync_record *y = (const sync_record *)record;
	const memset_record *s = (const memset_record *)record;
	const graph_record *g = (const graph_record *)record;
	const api_record *a = (const api_record *)record;

	switch (k->kind) {
	case CUPTI_KIND_CONCURRENT_KERNEL:
		on_kernel(k);
		break;
	case CUPTI_KIND_MEMCPY:
		on_copy((const memcpy_record *)record);
		break;
	case CUPTI_KIND_MEMSET:
		IS(s->value, 0x5a);
		IS(s->bytes, BYTES);
		cause(s->correlation, "cuMemsetD8Async", s->start, s->end);
		sets++;
		break;
	case CUPTI_KIND_DRIVER:
		CHECK(calls[a->correlation].cbid == a->cbid);
		CHECK(calls[a->correlation].enter >= a->start &&
		      calls[a->correlation].exit >= a->end);
		api_records++;
		break;
	case CUPTI_KIND_SYNCHRONIZATION:
		CHECK(y->type < 8 && y->start <= y->end);
		CHECK(calls[y->correlation].enter <= y->start);
		syncs[y->type]++;
		break;
	case CUPTI_KIND_GRAPH_TRACE:
		cause(g->correlation, "cuGraphLaunch", g->start, g->end);
		CHECK(graph_of(g) != 0);
		graphs++;
		break;
	default:
		CHECK(!"a record of a kind that was not enabled");
	}
}

static void request(uint8_t **buffer, size_t *size, size_t *max_records)
{
	*size = 16384;		/* small: several are needed */
	*max_records = 0;
	*buffer = malloc(*size);
}

static void complete(context_type ctx, uint32_t stream, uint8_t *buffer, size_t size,
		     size_t valid)
{
	any_record *record = NULL;

	CHECK(pthread_self() != main_thread);
	while (cuptiActivityGetNextRecord(buffer, valid, &record) == 0)
		on_record(record);
	free(buffer);
}

/* ---- the program ---- */

static void trace_start(bool launch)
{
	static subscriber_handle subscriber;

	main_thread = pthread_self();
	IS(cuptiSubscribe(&subscriber, on_callback, NULL), 0);
	IS(cuptiActivityRegisterTimestampCallback(now), 0);
	IS(cuptiActivityRegisterCallbacks(request, complete), 0);
	IS(cuptiEnableDomain(1, subscriber, CUPTI_DOMAIN_DRIVER_API), 0);
	IS(cuptiEnableDomain(1, subscriber, CUPTI_DOMAIN_RESOURCE), 0);
	IS(cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	IS(cuptiActivityEnable(CUPTI_KIND_MEMCPY), 0);
	IS(cuptiActivityEnable(CUPTI_KIND_MEMSET), 0);
	IS(cuptiActivityEnable(CUPTI_KIND_SYNCHRONIZATION), 0);
	if (launch)
		IS(cuptiActivityEnable(CUPTI_KIND_GRAPH_TRACE), 0);
	IS(cuptiActivityEnable(CUPTI_KIND_DRIVER), 0);
}

static CUfunction load(void)
{
	static const char ptx[] = ".version 7.0\n.target sm_50\n.address_size 64\n"
		".visible .entry axpy(\n.param .u64 x\n)\n{\nret;\n}\n";
	CUmodule module;
	CUfunction function;

	IS(cuModuleLoadData(&module, ptx), 0);
	IS(cuModuleGetFunction(&function, module, "axpy"), 0);
	return function;
}

static void launch(CUfunction f, CUstream s)
{
	CUdeviceptr x = 0;
	void *args[] = { &x };

	IS(cuLaunchKernel(f, 64, 1, 1, 128, 1, 1, 0, s, args, NULL), 0);
}

static void graph_work(CUfunction f, CUstream s)
{
	CUgraph graph;
	CUgraphExec exec;
	int i;

	IS(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL), 0);
	for (i = 0; i < NODES; i++)
		launch(f, s);
	IS(cuStreamEndCapture(s, &graph), 0);
	IS(cuGraphInstantiateWithFlags(&exec, graph, 0), 0);
	for (i = 0; i < GRAPH_LAUNCHES; i++)
		IS(cuGraphLaunch(exec, s), 0);
}

static void work(void)
{
	CUfunction f = load();
	CUdeviceptr memory;
	char *host = malloc(BYTES);
	CUevent event;
	int i;

	IS(cuMemAlloc(&memory, BYTES), 0);
	for (i = 0; i < 2; i++) {
		IS(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING), 0);
		IS(cuptiGetStreamIdEx(NULL, streams[i], 0, &stream_ids[i]), 0);
	}
	CHECK(stream_ids[0] != stream_ids[1]);
	for (i = 0; i < 2 * per_stream; i++)
		launch(f, streams[i & 1]);
	if (forced)
		IS(cuptiActivityFlushAll(CUPTI_FLUSH_FORCED), 0);
	for (i = 0; i < COPIES; i++)
		IS(cuMemcpyHtoDAsync(memory, host, BYTES, streams[0]), 0);
	for (i = 0; i < SETS; i++)
		IS(cuMemsetD8Async(memory, 0x5a, BYTES, streams[1]), 0);
	IS(cuEventCreate(&event, 0), 0);
	IS(cuEventRecord(event, streams[1]), 0);
	IS(cuEventSynchronize(event), 0);
	IS(cuMemcpyDtoHAsync(host, memory, BYTES, streams[1]), 0);
	graph_work(f, streams[0]);
	IS(cuStreamSynchronize(streams[0]), 0);
	IS(cuStreamSynchronize(streams[1]), 0);
	IS(cuCtxSynchronize(), 0);
	waited = now();
	free(host);
}

int main(int argc, char **argv)
{
	bool launch = argc > 1 && !strcmp(argv[1], "launch");
	size_t dropped = 99;
	CUcontext ctx;

	forced = argc > 1 && !strcmp(argv[1], "forced");
	if (argc > 2)
		per_stream = atoi(argv[2]);
	trace_start(launch);
	IS(cuInit(0), 0);
	IS(cuDevicePrimaryCtxRetain(&ctx, 0), 0);
	IS(cuCtxSetCurrent(ctx), 0);
	IS(cuptiGetContextId(ctx, &context), 0);
	work();
	IS(cuptiActivityFlushAll(0), 0);

	CHECK(latest <= waited);
	IS(kernels + unfinished, 2 * per_stream);
	CHECK(!forced || unfinished > 0);
	IS(copies[0], COPIES);
	IS(copies[1], 1);
	IS(sets, SETS);
	IS(api_records, exits);
	IS(graphs, launch ? GRAPH_LAUNCHES : 0);
	IS(node_kernels, launch ? 0 : NODES * GRAPH_LAUNCHES);
	CHECK(node_count >= NODES);
	IS(syncs[CUPTI_SYNC_EVENT_SYNCHRONIZE], 1);
	IS(syncs[CUPTI_SYNC_STREAM_SYNCHRONIZE], 2);
	IS(syncs[CUPTI_SYNC_CONTEXT_SYNCHRONIZE], 1);
	IS(cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped), 0);
	IS(dropped, 0);
	printf("%d calls, %d kernels, %d copies, %d sets, %d graphs, %d node kernels\n", exits,
	       kernels, copies[0] + copies[1], sets, graphs, node_kernels);
	return 0;
}
