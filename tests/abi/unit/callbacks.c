// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Return codes, the subscriber and its callbacks. */
#include <pthread.h>
#include "unit.h"

static struct seen {
	int domain;
	uint32_t cbid, site, correlation, context_id;
	uint64_t *data;
	const char *symbol;
	unsigned long thread;
} seen[64];
static int seen_count;
static void *subscriber;

static uint32_t any_call(uint32_t domain, const char *name)
{
	return call(domain, name, NULL);
}

static void on_call(void *user, int domain, uint32_t cbid, const void *data)
{
	const struct cupti_callback_data *d = data;
	struct seen *s = &seen[seen_count++];

	*s = (struct seen){ domain, cbid, d->site, d->correlation, d->context_id, d->data,
			    d->symbol, pthread_self() };
	IS(user == &seen_count, 1);
	if (d->site == CUPTI_ENTER)
		*d->data = 1000 + d->correlation;
	else
		IS(*d->data, 1000 + d->correlation);
	any_call(1, "cuMemAlloc_v2");	/* a call of a callback's own is not told */
}

/* Codes measured on libcupti 13.0 (130001), 12.4 (22) and 11.8 without a device. */
static void no_device(void)
{
	uint32_t version = 0;
	uint64_t now;
	size_t n = 8, value;
	void *s;
	int off;

	IS(cuptiGetVersion(&version), 0);
	off = version >= 130000 ? CUPTI_E_UNKNOWN : CUPTI_E_NOT_INITIALIZED;
	IS(cuptiGetTimestamp(&now), 0);
	IS(cuptiSubscribe(&s, on_call, NULL), off);
	IS(cuptiGetLastError(), off);
	IS(cuptiGetLastError(), 0);
	IS(cuptiActivityRegisterTimestampCallback(monotonic), off);
	client_start();
	IS(cuptiActivityEnable(CUPTI_KIND_MEMCPY), off);
	IS(cuptiActivityEnable(CUPTI_KIND_EVENT),
	   version >= 130000 ? off : CUPTI_E_INVALID_KIND);
	IS(cuptiEnableDomain(1, NULL, CUPTI_DOMAIN_RUNTIME_API), CUPTI_E_INVALID_PARAMETER);
	IS(cuptiEnableCallback(1, NULL, 1, 1), CUPTI_E_INVALID_PARAMETER);
	IS(cuptiUnsubscribe(NULL), CUPTI_E_INVALID_PARAMETER);
	IS(cuptiActivityFlushAll(0), off);
	IS(cuptiActivityFlushPeriod(100), off);
	IS(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CUSTOM0, 1), off);
	IS(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CUSTOM0, &now), off);
	IS(cuptiSetThreadIdType(CUPTI_THREAD_ID_SYSTEM), off);
	IS(cuptiActivityGetAttribute(CUPTI_ATTR_DEVICE_BUFFER_SIZE, &n, &value), off);
	IS(cuptiActivityEnableLatencyTimestamps(1), off);
	IS(cuptiActivityGetNumDroppedRecords(NULL, 0, &n), version >= 130000 ? 0 : off);
	IS(cuptiFinalize(), 0);
}

static void one_subscriber(void)
{
	struct cupti_subscriber_params p = { sizeof(p), "first", NULL, 0 };
	char old[64];
	void *s = NULL, *t = NULL;

	IS(cuptiSubscribe(NULL, on_call, NULL), CUPTI_E_INVALID_PARAMETER);
	IS(cuptiSubscribe_v2(&s, on_call, NULL, &p), 0);
	IS(cuptiSubscribe(&t, on_call, NULL), CUPTI_E_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
	p = (struct cupti_subscriber_params){ sizeof(p), "second", old, sizeof(old) };
	IS(cuptiSubscribe_v2(&t, on_call, NULL, &p),
	   CUPTI_E_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
	IS(strcmp(old, "CUPTI for first"), 0);
	p.size = 0;
	IS(cuptiSubscribe_v2(&t, on_call, NULL, &p), CUPTI_E_INVALID_PARAMETER);
	IS(cuptiUnsubscribe(&s), CUPTI_E_INVALID_PARAMETER);
	IS(cuptiUnsubscribe(s), 0);
	IS(cuptiUnsubscribe(s), CUPTI_E_INVALID_PARAMETER);
	IS(cuptiSubscribe(&t, on_call, NULL), 0);
}

static void second_subscriber(void)	/* CUDASIM_SECOND_SUBSCRIBER=1 */
{
	void *s;

	IS(cuptiSubscribe(&s, on_call, NULL), CUPTI_E_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
}

static void fault_injection(void)	/* CUDASIM_FAIL=cuptiSubscribe:err=35 */
{
	void *s;

	IS(cuptiSubscribe(&s, on_call, NULL), CUPTI_E_INSUFFICIENT_PRIVILEGES);
	IS(cuptiGetLastError(), CUPTI_E_INSUFFICIENT_PRIVILEGES);
	IS(cuptiActivityEnable(CUPTI_KIND_MEMCPY), 0);
}

static void driver_launch(void)
{
	call(1, "cuLaunchKernel", NULL);
}

static void subscribe(void)
{
	IS(cuptiSubscribe(&subscriber, on_call, &seen_count), 0);
}

/* Only what is enabled is told: enter and exit, in the calling thread, one correlation. */
static void callbacks(void)
{
	uint32_t correlation, state;

	subscribe();
	call(2, "cudaLaunchKernel_v7000", NULL);
	IS(seen_count, 0);
	IS(cuptiEnableCallback(1, subscriber, CUPTI_DOMAIN_RUNTIME_API, 211), 0);
	IS(cuptiEnableDomain(1, subscriber, CUPTI_DOMAIN_DRIVER_API), 0);
	call(2, "cudaMemcpy_v3020", NULL);
	IS(seen_count, 0);
	correlation = call(2, "cudaLaunchKernel_v7000", driver_launch);
	IS(seen_count, 4);
	IS(seen[0].domain, 2); IS(seen[0].cbid, 211); IS(seen[0].site, CUPTI_ENTER);
	IS(seen[1].domain, 1); IS(seen[1].cbid, 307); IS(seen[1].site, CUPTI_ENTER);
	IS(seen[2].domain, 1); IS(seen[2].cbid, 307); IS(seen[2].site, CUPTI_EXIT);
	IS(seen[3].domain, 2); IS(seen[3].cbid, 211); IS(seen[3].site, CUPTI_EXIT);
	CHECK(seen[0].data == seen[3].data && seen[1].data == seen[2].data);
	CHECK(seen[0].data != seen[1].data);
	IS(seen[0].correlation, correlation); IS(seen[2].correlation, correlation);
	IS(seen[0].thread == pthread_self(), 1);
	IS(seen[0].context_id, 1);
	IS(strcmp(seen[0].symbol, "_Z4axpyv"), 0);
	IS(cuptiGetCallbackState(&state, subscriber, 1, 307), 0); IS(state, 1);
	IS(cuptiEnableDomain(0, subscriber, CUPTI_DOMAIN_DRIVER_API), 0);
	IS(cuptiGetCallbackState(&state, subscriber, 1, 307), 0); IS(state, 0);
	call(2, "cudaLaunchKernel_v7000", driver_launch);
	IS(seen_count, 6);
	IS(cuptiUnsubscribe(subscriber), 0);
	call(2, "cudaLaunchKernel_v7000", driver_launch);
	IS(seen_count, 6);
	call(2, "cudaNoSuchCall_v1", NULL);
}

static void callback_codes(void)
{
	enum cupti_domain *domains;
	const char *name;
	size_t n;

	subscribe();
	IS(cuptiEnableCallback(1, subscriber, 2, 523), CUPTI_E_INVALID_PARAMETER);
	IS(cuptiEnableCallback(1, subscriber, 9, 1), CUPTI_E_INVALID_PARAMETER);
	IS(cuptiEnableDomain(1, subscriber, 0), CUPTI_E_INVALID_PARAMETER);
	IS(cuptiEnableAllDomains(1, subscriber), 0);
	IS(cuptiGetCallbackName(2, 211, &name), 0);
	IS(strcmp(name, "cudaLaunchKernel_v7000"), 0);
	IS(cuptiGetCallbackName(1, 0, &name), 0);
	IS(strcmp(name, "INVALID"), 0);
	IS(cuptiGetCallbackName(2, 523, &name), CUPTI_E_INVALID_PARAMETER);
	IS(cuptiGetCallbackName(3, 13, &name), CUPTI_E_INVALID_PARAMETER);
	IS(cuptiGetResultString(39, &name), 0);
	IS(strcmp(name, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"), 0);
	IS(cuptiGetResultString(-1, &name), CUPTI_E_INVALID_PARAMETER);
	IS(cuptiSupportedDomains(&n, &domains), 0);
	IS(n, 6);
}

static int resources;
static struct cupti_graph_data graph_seen;
static void *stream_seen;

static void on_resource(void *user, int domain, uint32_t cbid, const void *data)
{
	const struct cupti_resource_data *d = data;

	IS(domain, CUPTI_DOMAIN_RESOURCE);
	resources++;
	if (cbid == CUPTI_RESOURCE_STREAM_CREATED)
		stream_seen = d->stream;
	if (cbid >= CUPTI_RESOURCE_GRAPH_CREATED)
		graph_seen = *(struct cupti_graph_data *)d->descriptor;
}

/* A cloned node's callback names it and what it is a clone of, by handles that have ids. */
static void resource_callbacks(void)
{
	struct sim_resource_data d = { .context = (void *)1, .context_id = 1,
				       .object = (void *)0x50 };
	uint64_t id = 0;
	uint32_t graph = 0;

	IS(cuptiSubscribe(&subscriber, on_resource, NULL), 0);
	hooks->resource(SIM_STREAM_CREATED, &d);
	IS(resources, 0);
	IS(cuptiEnableDomain(1, subscriber, CUPTI_DOMAIN_RESOURCE), 0);
	hooks->resource(SIM_STREAM_CREATED, &d);
	IS(resources, 1);
	CHECK(stream_seen == (void *)0x50);
	d.original_object = (void *)0x60;
	d.node_handle = (void *)0x900000001;
	d.original_node_handle = (void *)0x900000002;
	hooks->resource(SIM_GRAPHNODE_CLONED, &d);
	IS(resources, 2);
	CHECK(graph_seen.graph == (void *)0x50 && graph_seen.original_graph == (void *)0x60);
	IS(cuptiGetGraphNodeId(graph_seen.node, &id), 0); IS(id, 0x900000001);
	IS(cuptiGetGraphNodeId(graph_seen.original_node, &id), 0); IS(id, 0x900000002);
	IS(cuptiGetGraphId(graph_seen.graph, &graph), 0); IS(graph, 0x50);
	IS(cuptiGetGraphNodeId(NULL, &id), CUPTI_E_INVALID_PARAMETER);
}

const struct test callback_tests[] = {
	{ "no-device", no_device }, { "one-subscriber", one_subscriber },
	{ "second-subscriber", second_subscriber }, { "fault-injection", fault_injection },
	{ "callbacks", callbacks }, { "callback-codes", callback_codes },
	{ "resource-callbacks", resource_callbacks }, { NULL, NULL },
};
