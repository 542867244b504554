// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Contexts: primary ones by reference count, others by create; current per thread, a stack. */
#include <stdlib.h>

#include "engine.h"

#define CONTEXT_MAGIC 0x43545831
#define STACK_MAX (sizeof(thread.stack) / sizeof(*thread.stack))
#define CONTEXTS_MAX (sizeof(engine.contexts) / sizeof(*engine.contexts))

static uint32_t context_ids;

bool context_valid(CUcontext ctx)
{
	return ctx && ctx->magic == CONTEXT_MAGIC && !ctx->destroyed;
}

CUresult context_current(void)
{
	return context_valid(current) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

static void context_report(CUcontext ctx, enum sim_resource what)
{
	struct sim_resource_data data = {
		.context = ctx, .context_id = ctx->id, .object = ctx, .object_id = ctx->id,
		.device = ctx->device->ordinal,
	};

	resource_report(what, &data);
}

static CUresult context_new(CUcontext *out, uint32_t flags, struct device *device, bool primary)
{
	CUcontext ctx = calloc(1, sizeof(*ctx));

	if (!ctx)
		return CUDA_ERROR_OUT_OF_MEMORY;
	ctx->magic = CONTEXT_MAGIC;
	ctx->device = device;
	ctx->flags = flags;
	ctx->primary = primary;
	ctx->legacy = stream_new(ctx, 0, 0, 7);
	pthread_mutex_lock(&engine.lock);
	if (!ctx->legacy || engine.context_count == CONTEXTS_MAX) {
		pthread_mutex_unlock(&engine.lock);
		free(ctx);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	ctx->id = ++context_ids;
	engine.contexts[engine.context_count++] = ctx;
	pthread_mutex_unlock(&engine.lock);
	*out = ctx;
	context_report(ctx, SIM_CONTEXT_CREATED);
	return CUDA_SUCCESS;
}

/* The struct stays, so that a stale handle is seen as destroyed and not as memory of others. */
static void context_end(CUcontext ctx)
{
	wait_context(ctx);
	context_report(ctx, SIM_CONTEXT_DESTROY);
	pthread_mutex_lock(&engine.lock);
	ctx->destroyed = true;
	for (uint32_t i = 0; i < engine.context_count; i++)
		if (engine.contexts[i] == ctx)
			engine.contexts[i--] = engine.contexts[--engine.context_count];
	pthread_mutex_unlock(&engine.lock);
}

/* ---- primary contexts ---- */

static CUresult primary_retain(CUcontext *out, CUdevice ordinal)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct device *device = device_of(ordinal);
	CUresult r = CUDA_SUCCESS;

	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	if (!device->primary)
		r = context_new(&device->primary, device->primary_flags, device, true);
	if (!r)
		device->primary_refs++;
	*out = device->primary;
	pthread_mutex_unlock(&lock);
	return r;
}

static CUresult primary_reset(CUdevice ordinal)
{
	struct device *device = device_of(ordinal);
	CUcontext ctx;

	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	ctx = device->primary;
	device->primary = NULL;
	device->primary_refs = 0;
	if (ctx)
		context_end(ctx);
	return CUDA_SUCCESS;
}

static CUresult primary_release(CUdevice ordinal)
{
	struct device *device = device_of(ordinal);

	if (!device || !device->primary)
		return CUDA_ERROR_INVALID_CONTEXT;
	return --device->primary_refs ? CUDA_SUCCESS : primary_reset(ordinal);
}

static CUresult primary_state(CUdevice ordinal, unsigned int *flags, int *active)
{
	struct device *device = device_of(ordinal);

	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	*flags = device->primary_flags;
	*active = device->primary != NULL;
	return CUDA_SUCCESS;
}

static CUresult primary_flags(CUdevice ordinal, unsigned int flags)
{
	struct device *device = device_of(ordinal);

	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	device->primary_flags = flags;
	if (device->primary)
		device->primary->flags = flags;
	return CUDA_SUCCESS;
}

API(cuDevicePrimaryCtxRetain, (CUcontext *context, CUdevice device), (context, device),
    primary_retain(context, device))
API(cuDevicePrimaryCtxRelease_v2, (CUdevice device), (device), primary_release(device))
API(cuDevicePrimaryCtxReset_v2, (CUdevice device), (device), primary_reset(device))
API(cuDevicePrimaryCtxGetState, (CUdevice device, unsigned int *flags, int *active),
    (device, flags, active), primary_state(device, flags, active))
API(cuDevicePrimaryCtxSetFlags_v2, (CUdevice device, unsigned int flags), (device, flags),
    primary_flags(device, flags))

/* ---- the stack of a thread ---- */

static CUresult push(CUcontext ctx)
{
	if (!context_valid(ctx))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (thread.top == STACK_MAX)
		return CUDA_ERROR_OUT_OF_MEMORY;
	thread.stack[thread.top++] = ctx;
	return CUDA_SUCCESS;
}

static CUresult pop(CUcontext *out)
{
	if (!thread.top)
		return CUDA_ERROR_INVALID_CONTEXT;
	thread.top--;
	if (out)
		*out = thread.stack[thread.top];
	return CUDA_SUCCESS;
}

static CUresult set(CUcontext ctx)
{
	if (thread.top)
		thread.top--;
	return ctx ? push(ctx) : CUDA_SUCCESS;
}

static CUresult get(CUcontext *out)
{
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = current;
	return CUDA_SUCCESS;
}

static CUresult create(CUcontext *out, unsigned int flags, CUdevice ordinal)
{
	struct device *device = device_of(ordinal);
	CUresult r;

	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	r = device ? context_new(out, flags, device, false) : CUDA_ERROR_INVALID_DEVICE;
	return r ? r : push(*out);
}

static CUresult destroy(CUcontext ctx)
{
	if (!context_valid(ctx) || ctx->primary)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (current == ctx)
		thread.top--;
	context_end(ctx);
	return CUDA_SUCCESS;
}

API(cuCtxCreate_v2, (CUcontext *context, unsigned int flags, CUdevice device),
    (context, flags, device), create(context, flags, device))
API(cuCtxCreate_v4, (CUcontext *context, void *params, unsigned int flags, CUdevice device),
    (context, params, flags, device), create(context, flags, device))
API(cuCtxDestroy_v2, (CUcontext context), (context), destroy(context))
API(cuCtxGetCurrent, (CUcontext *context), (context), get(context))
API(cuCtxSetCurrent, (CUcontext context), (context), set(context))
API(cuCtxPushCurrent_v2, (CUcontext context), (context), push(context))
API(cuCtxPopCurrent_v2, (CUcontext *context), (context), pop(context))

/* ---- about the current one ---- */

static CUresult synchronize(void)
{
	uint64_t start = now();

	wait_context(current);
	pools_waited(current->device);
	sync_report(4, start, NONE, 0);
	return CUDA_SUCCESS;
}

#define GIVE(ptr, value) ((ptr) ? (*(ptr) = (value), CUDA_SUCCESS) : CUDA_ERROR_INVALID_VALUE)

static CUresult id_get(CUcontext ctx, unsigned long long *id)
{
	ctx = ctx ? ctx : current;
	return context_valid(ctx) ? GIVE(id, ctx->id) : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult limit_get(size_t *value, CUlimit limit)
{
	static const size_t limits[] = { 1024, 1 << 20, 8 << 20 };

	if (limit > CU_LIMIT_MALLOC_HEAP_SIZE)
		return CUDA_ERROR_UNSUPPORTED_LIMIT;
	return GIVE(value, limits[limit]);
}

static CUresult priorities(int *least, int *greatest)
{
	if (least)
		*least = 0;
	if (greatest)
		*greatest = -5;
	return CUDA_SUCCESS;
}

CTX_API(cuCtxSynchronize, (void), (), synchronize())
CTX_API(cuCtxGetDevice, (CUdevice *device), (device), GIVE(device, current->device->ordinal))
CTX_API(cuCtxGetFlags, (unsigned int *flags), (flags), GIVE(flags, current->flags))
API(cuCtxGetId, (CUcontext context, unsigned long long *id), (context, id), id_get(context, id))
API(cuCtxGetApiVersion, (CUcontext context, unsigned int *version), (context, version),
    GIVE(version, CUDA_ABI_VERSION))
CTX_API(cuCtxGetLimit, (size_t *value, CUlimit limit), (value, limit), limit_get(value, limit))
CTX_API(cuCtxSetLimit, (CUlimit limit, size_t value), (limit, value), CUDA_SUCCESS)
CTX_API(cuCtxGetStreamPriorityRange, (int *least, int *greatest), (least, greatest),
	priorities(least, greatest))
CTX_API(cuCtxEnablePeerAccess, (CUcontext peer, unsigned int flags), (peer, flags),
	context_valid(peer) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT)
CTX_API(cuCtxDisablePeerAccess, (CUcontext peer), (peer),
	context_valid(peer) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT)
API(cuProfilerStart, (void), (), CUDA_SUCCESS)
API(cuProfilerStop, (void), (), CUDA_SUCCESS)
