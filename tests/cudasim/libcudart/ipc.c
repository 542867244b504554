// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory pools, and what processes share, by the driver's calls of the same meaning. */
#include <string.h>

#include "runtime.h"

#define D(ptr) ((CUdeviceptr)(uintptr_t)(ptr))

static cudaError_t pool_create(cudaMemPool_t *pool, const struct cudaMemPoolProps *p)
{
	CUmemPoolProps props = {
		.allocType = p->allocType, .handleTypes = p->handleTypes,
		.location = { p->location.type, p->location.id }, .maxSize = p->maxSize,
		.usage = p->usage,
	};

	return rt_error(cuMemPoolCreate(pool, &props));
}

RT_STREAM_API(cudaMallocFromPoolAsync, 11020, 11020,
	      (void **ptr, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
	      (ptr, bytes, pool, stream),
	      ON_STREAM(cuMemAllocFromPoolAsync, (CUdeviceptr *)ptr, bytes, pool, stream))
RT_API(cudaMemPoolCreate, 11020, (cudaMemPool_t *pool, const struct cudaMemPoolProps *props),
       (pool, props), props ? pool_create(pool, props) : cudaErrorInvalidValue)
RT_API(cudaMemPoolDestroy, 11020, (cudaMemPool_t pool), (pool),
       rt_error(cuMemPoolDestroy(pool)))
RT_API(cudaMemPoolTrimTo, 11020, (cudaMemPool_t pool, size_t keep), (pool, keep),
       rt_error(cuMemPoolTrimTo(pool, keep)))
RT_API(cudaMemPoolSetAttribute, 11020,
       (cudaMemPool_t pool, enum cudaMemPoolAttr what, void *value), (pool, what, value),
       rt_error(cuMemPoolSetAttribute(pool, (CUmemPool_attribute)what, value)))
RT_API(cudaMemPoolGetAttribute, 11020,
       (cudaMemPool_t pool, enum cudaMemPoolAttr what, void *value), (pool, what, value),
       rt_error(cuMemPoolGetAttribute(pool, (CUmemPool_attribute)what, value)))
RT_API(cudaDeviceGetDefaultMemPool, 11020, (cudaMemPool_t *pool, int device), (pool, device),
       rt_error(cuDeviceGetDefaultMemPool(pool, device)))
RT_API(cudaDeviceGetMemPool, 11020, (cudaMemPool_t *pool, int device), (pool, device),
       rt_error(cuDeviceGetMemPool(pool, device)))
RT_API(cudaDeviceSetMemPool, 11020, (int device, cudaMemPool_t pool), (device, pool),
       rt_error(cuDeviceSetMemPool(device, pool)))

static cudaError_t open_memory(void **ptr, const cudaIpcMemHandle_t *handle, unsigned int flags)
{
	CUipcMemHandle h;

	memcpy(&h, handle, sizeof(h));
	return rt_error(cuIpcOpenMemHandle_v2((CUdeviceptr *)ptr, h, flags));
}

static cudaError_t open_event(cudaEvent_t *event, const cudaIpcEventHandle_t *handle)
{
	CUipcEventHandle h;

	memcpy(&h, handle, sizeof(h));
	return rt_error(cuIpcOpenEventHandle(event, h));
}

RT_API(cudaIpcGetMemHandle, 4010, (cudaIpcMemHandle_t *handle, void *ptr), (handle, ptr),
       rt_error(cuIpcGetMemHandle((CUipcMemHandle *)handle, D(ptr))))
RT_API(cudaIpcOpenMemHandle, 4010,
       (void **ptr, cudaIpcMemHandle_t handle, unsigned int flags), (ptr, handle, flags),
       open_memory(ptr, &handle, flags))
RT_API(cudaIpcCloseMemHandle, 4010, (void *ptr), (ptr), rt_error(cuIpcCloseMemHandle(D(ptr))))
RT_API(cudaIpcGetEventHandle, 4010, (cudaIpcEventHandle_t *handle, cudaEvent_t event),
       (handle, event), rt_error(cuIpcGetEventHandle((CUipcEventHandle *)handle, event)))
RT_API(cudaIpcOpenEventHandle, 4010, (cudaEvent_t *event, cudaIpcEventHandle_t handle),
       (event, handle), open_event(event, &handle))
