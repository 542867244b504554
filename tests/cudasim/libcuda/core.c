// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What every entry point passes through, and the table that the other simulated libraries
 * use. Without a listener a call costs a counter; the clock is read only for someone.
 */
#include <time.h>

#include "engine.h"

struct sim_hooks *sim_hooks;
int sim_ready;
__thread struct thread thread;
static uint32_t correlations;

uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

void call_enter(struct sim_call *call)
{
	struct sim_hooks *hooks = hooks_get();
	CUcontext ctx = current;

	call->depth = thread.depth++;
	if (!call->depth)
		thread.correlation = __atomic_add_fetch(&correlations, 1, __ATOMIC_RELAXED);
	call->correlation = thread.correlation;
	if (ctx) {
		call->context = ctx;
		call->context_id = ctx->id;
	}
	if (unlikely(hooks && hooks->api)) {
		call->start = now();
		hooks->api(call, 0);
	}
}

void call_exit(struct sim_call *call)
{
	struct sim_hooks *hooks = hooks_get();

	if (unlikely(hooks && hooks->api)) {
		call->end = now();
		hooks->api(call, 1);
	}
	thread.depth--;
}

/* ---- entry points of the driver ---- */

static CUresult not_ready(void)
{
	return engine.closing ? CUDA_ERROR_DEINITIALIZED : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult api_begin(struct sim_call *call)
{
	if (unlikely(!sim_ready))
		return not_ready();
	call_enter(call);
	if (unlikely(thread.in_callback))
		return CUDA_ERROR_NOT_PERMITTED;
	return unlikely(sim_faults) ? fault(call->name) : CUDA_SUCCESS;
}

CUresult api_begin_ctx(struct sim_call *call)
{
	CUresult r = api_begin(call);

	if (!r)
		r = context_current();
	return !r && unlikely(current->device->lost) ? CUDA_ERROR_UNKNOWN : r;
}

void api_end(struct sim_call *call)
{
	CUcontext ctx = current;
	CUresult *result = call->result;

	/* the device was lost during the call */
	if (unlikely(ctx && ctx->device->lost) && call->context && !*result)
		*result = CUDA_ERROR_UNKNOWN;
	if (call->correlation)
		call_exit(call);
}

/* ---- reports to the listener ---- */

void sync_report(uint32_t type, uint64_t start, uint32_t stream_id, uint32_t event_id)
{
	struct sim_hooks *hooks = hooks_get();
	struct sim_sync sync = {
		.type = type, .start = start, .correlation = thread.correlation,
		.stream_id = stream_id, .event_id = event_id,
	};

	if (!hooks || !hooks->sync)
		return;
	sync.context_id = current ? current->id : 0;
	sync.end = now();
	hooks->sync(&sync);
}

void resource_report(enum sim_resource what, const struct sim_resource_data *data)
{
	struct sim_hooks *hooks = hooks_get();

	if (hooks && hooks->resource)
		hooks->resource(what, data);
}

/* ---- the table ---- */

static void set_hooks(struct sim_hooks *hooks)
{
	hooks_set(hooks);
}

static int device_count(void)
{
	devices_init();
	return engine.device_count;
}

static bool initialized(void)
{
	return sim_ready;
}

static const struct sim_device_info *device_info(int ordinal)
{
	struct device *d;

	devices_init();
	d = device_of(ordinal);
	return d ? &d->info : NULL;
}

static uint32_t context_id(void *context)
{
	return context_valid(context) ? ((CUcontext)context)->id : 0;
}

static uint32_t context_device(void *context)
{
	return context_valid(context) ? (uint32_t)((CUcontext)context)->device->ordinal : ~0u;
}

static int context_count(void)
{
	return engine.context_count;
}

static uint32_t stream_id(void *stream)
{
	struct CUstream_st *s = current ? stream_of(stream, false) : NULL;

	return s ? s->id : 0;
}

static int fail(const char *name)
{
	faults_load();
	return sim_faults ? fault(name) : 0;
}

const struct sim_core *cudasim_core(void)
{
	static const struct sim_core core = {
		.version = SIM_VERSION, .set_hooks = set_hooks, .call_enter = call_enter,
		.call_exit = call_exit, .now = now, .device_count = device_count,
		.initialized = initialized, .device = device_info, .quiesce = quiesce,
		.settle = settle, .in_flight = in_flight, .context_device = context_device,
		.context_count = context_count,
		.fail = fail, .setting = setting, .context_id = context_id,
		.stream_id = stream_id, .node_id = node_id, .graph_id = graph_id,
	};

	return &core;
}
