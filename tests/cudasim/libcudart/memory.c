// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory, copies and sets by the driver's calls of the same meaning. */
#include <string.h>

#include "runtime.h"

#define D(ptr) ((CUdeviceptr)(uintptr_t)(ptr))

static cudaError_t pointer_attributes(struct cudaPointerAttributes *a, const void *ptr)
{
	uint32_t type = 0, managed = 0;
	int ordinal = 0;

	if (!a)
		return cudaErrorInvalidValue;
	memset(a, 0, sizeof(*a));
	a->device = -2;
	if (cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, D(ptr)))
		return cudaSuccess;	/* not an error since CUDA 11: unregistered */
	cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, D(ptr));
	cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, D(ptr));
	a->type = managed		       ? cudaMemoryTypeManaged
		  : type == CU_MEMORYTYPE_HOST ? cudaMemoryTypeHost
					       : cudaMemoryTypeDevice;
	a->device = ordinal;
	a->devicePointer = (void *)ptr;
	a->hostPointer = a->type == cudaMemoryTypeDevice ? NULL : (void *)ptr;
	return cudaSuccess;
}

static cudaError_t prefetch(const void *ptr, size_t bytes, struct cudaMemLocation location,
			    unsigned int flags, cudaStream_t stream, bool per_thread)
{
	CUmemLocation where = { location.type, location.id };

	return ON_STREAM(cuMemPrefetchAsync_v2, D(ptr), bytes, where, flags, stream);
}

RT_API(cudaMalloc, 3020, (void **ptr, size_t bytes), (ptr, bytes),
       rt_error(cuMemAlloc_v2((CUdeviceptr *)ptr, bytes)))
RT_API(cudaMallocPitch, 3020, (void **ptr, size_t *pitch, size_t width, size_t height),
       (ptr, pitch, width, height),
       rt_error(cuMemAllocPitch_v2((CUdeviceptr *)ptr, pitch, width, height, 4)))
RT_API(cudaMallocManaged, 6000, (void **ptr, size_t bytes, unsigned int flags),
       (ptr, bytes, flags), rt_error(cuMemAllocManaged((CUdeviceptr *)ptr, bytes, flags)))
RT_API(cudaMallocHost, 3020, (void **ptr, size_t bytes), (ptr, bytes),
       rt_error(cuMemAllocHost_v2(ptr, bytes)))
RT_API(cudaHostAlloc, 3020, (void **ptr, size_t bytes, unsigned int flags), (ptr, bytes, flags),
       rt_error(cuMemHostAlloc(ptr, bytes, flags)))
RT_API(cudaFree, 3020, (void *ptr), (ptr), rt_error(cuMemFree_v2(D(ptr))))
RT_API(cudaFreeHost, 3020, (void *ptr), (ptr), rt_error(cuMemFreeHost(ptr)))
RT_API(cudaHostRegister, 4000, (void *ptr, size_t bytes, unsigned int flags),
       (ptr, bytes, flags), rt_error(cuMemHostRegister_v2(ptr, bytes, flags)))
RT_API(cudaHostUnregister, 4000, (void *ptr), (ptr), rt_error(cuMemHostUnregister(ptr)))
RT_API(cudaHostGetDevicePointer, 3020, (void **device, void *host, unsigned int flags),
       (device, host, flags),
       rt_error(cuMemHostGetDevicePointer_v2((CUdeviceptr *)device, host, flags)))
RT_API(cudaMemGetInfo, 3020, (size_t *free, size_t *total), (free, total),
       rt_error(cuMemGetInfo_v2(free, total)))
RT_API(cudaPointerGetAttributes, 4000,
       (struct cudaPointerAttributes *attributes, const void *ptr), (attributes, ptr),
       pointer_attributes(attributes, ptr))
RT_STREAM_API(cudaMallocAsync, 11020, 11020, (void **ptr, size_t bytes, cudaStream_t stream),
	      (ptr, bytes, stream),
	      ON_STREAM(cuMemAllocAsync, (CUdeviceptr *)ptr, bytes, stream))
RT_STREAM_API(cudaFreeAsync, 11020, 11020, (void *ptr, cudaStream_t stream), (ptr, stream),
	      ON_STREAM(cuMemFreeAsync, D(ptr), stream))
RT_STREAM_API(cudaMemPrefetchAsync, 12020, 12020,
	      (const void *ptr, size_t bytes, struct cudaMemLocation location,
	       unsigned int flags, cudaStream_t stream), (ptr, bytes, location, flags, stream),
	      prefetch(ptr, bytes, location, flags, stream, per_thread))
RT_API(cudaMemAdvise, 12020,
       (const void *ptr, size_t bytes, int advice, struct cudaMemLocation location),
       (ptr, bytes, advice, location),
       rt_error(cuMemAdvise_v2(D(ptr), bytes, advice,
			       (CUmemLocation){ location.type, location.id })))

/* ---- copies ---- */

static cudaError_t copy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
			bool per_thread)
{
	switch (kind) {
	case cudaMemcpyHostToDevice:
		return ON_DEFAULT(cuMemcpyHtoD_v2, D(dst), src, bytes);
	case cudaMemcpyDeviceToHost:
		return ON_DEFAULT(cuMemcpyDtoH_v2, dst, D(src), bytes);
	case cudaMemcpyDeviceToDevice:
		return ON_DEFAULT(cuMemcpyDtoD_v2, D(dst), D(src), bytes);
	case cudaMemcpyHostToHost:
	case cudaMemcpyDefault:
		return ON_DEFAULT(cuMemcpy, D(dst), D(src), bytes);
	}
	return cudaErrorInvalidMemcpyDirection;
}

static cudaError_t copy_async(void *dst, const void *src, size_t bytes,
			      enum cudaMemcpyKind kind, cudaStream_t stream, bool per_thread)
{
	switch (kind) {
	case cudaMemcpyHostToDevice:
		return ON_STREAM(cuMemcpyHtoDAsync_v2, D(dst), src, bytes, stream);
	case cudaMemcpyDeviceToHost:
		return ON_STREAM(cuMemcpyDtoHAsync_v2, dst, D(src), bytes, stream);
	case cudaMemcpyDeviceToDevice:
		return ON_STREAM(cuMemcpyDtoDAsync_v2, D(dst), D(src), bytes, stream);
	case cudaMemcpyHostToHost:
	case cudaMemcpyDefault:
		return ON_STREAM(cuMemcpyAsync, D(dst), D(src), bytes, stream);
	}
	return cudaErrorInvalidMemcpyDirection;
}

static CUDA_MEMCPY2D copy_2d(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
			     size_t width, size_t height)
{
	return (CUDA_MEMCPY2D){
		.srcMemoryType = CU_MEMORYTYPE_UNIFIED, .srcDevice = D(src),
		.srcPitch = src_pitch, .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
		.dstDevice = D(dst), .dstPitch = dst_pitch, .WidthInBytes = width,
		.Height = height,
	};
}

static cudaError_t copy_to(const void *symbol, const void *src, size_t bytes, size_t offset,
			   enum cudaMemcpyKind kind, bool per_thread)
{
	CUdeviceptr at;
	cudaError_t r = variable_address(symbol, &at, NULL);

	return r ? r : copy((void *)(at + offset), src, bytes, kind, per_thread);
}

static cudaError_t copy_from(void *dst, const void *symbol, size_t bytes, size_t offset,
			     enum cudaMemcpyKind kind, bool per_thread)
{
	CUdeviceptr at;
	cudaError_t r = variable_address(symbol, &at, NULL);

	return r ? r : copy(dst, (void *)(at + offset), bytes, kind, per_thread);
}

static CUcontext context_of(int device)
{
	CUcontext ctx = NULL;

	cuDevicePrimaryCtxRetain(&ctx, device);
	return ctx;
}

static cudaError_t address_get(void **ptr, size_t *bytes, const void *symbol)
{
	CUdeviceptr at;
	size_t size;
	cudaError_t r = variable_address(symbol, &at, &size);

	if (!r && ptr)
		*ptr = (void *)at;
	if (!r && bytes)
		*bytes = size;
	return r;
}

RT_DEFAULT_API(cudaMemcpy, 3020,
	       (void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind),
	       (dst, src, bytes, kind), copy(dst, src, bytes, kind, per_thread))
RT_STREAM_API(cudaMemcpyAsync, 3020, 7000,
	      (void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
	       cudaStream_t stream), (dst, src, bytes, kind, stream),
	      copy_async(dst, src, bytes, kind, stream, per_thread))
RT_DEFAULT_API(cudaMemcpy2D, 3020,
	       (void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
		size_t height, enum cudaMemcpyKind kind),
	       (dst, dst_pitch, src, src_pitch, width, height, kind),
	       ({
		       CUDA_MEMCPY2D c = copy_2d(dst, dst_pitch, src, src_pitch, width, height);

		       ON_DEFAULT(cuMemcpy2D_v2, &c);
	       }))
RT_STREAM_API(cudaMemcpy2DAsync, 3020, 7000,
	      (void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
	       size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
	      (dst, dst_pitch, src, src_pitch, width, height, kind, stream),
	      ({
		      CUDA_MEMCPY2D c = copy_2d(dst, dst_pitch, src, src_pitch, width, height);

		      ON_STREAM(cuMemcpy2DAsync_v2, &c, stream);
	      }))
RT_API(cudaMemcpyPeer, 4000,
       (void *dst, int dst_device, const void *src, int src_device, size_t bytes),
       (dst, dst_device, src, src_device, bytes),
       rt_error(cuMemcpyPeer(D(dst), context_of(dst_device), D(src), context_of(src_device),
			     bytes)))
RT_API(cudaMemcpyPeerAsync, 4000,
       (void *dst, int dst_device, const void *src, int src_device, size_t bytes,
	cudaStream_t stream), (dst, dst_device, src, src_device, bytes, stream),
       rt_error(cuMemcpyPeerAsync(D(dst), context_of(dst_device), D(src),
				  context_of(src_device), bytes, stream)))
RT_DEFAULT_API(cudaMemset, 3020, (void *dst, int value, size_t bytes), (dst, value, bytes),
	       ON_DEFAULT(cuMemsetD8_v2, D(dst), value, bytes))
RT_STREAM_API(cudaMemsetAsync, 3020, 7000,
	      (void *dst, int value, size_t bytes, cudaStream_t stream),
	      (dst, value, bytes, stream),
	      ON_STREAM(cuMemsetD8Async, D(dst), value, bytes, stream))
RT_DEFAULT_API(cudaMemset2D, 3020,
	       (void *dst, size_t pitch, int value, size_t width, size_t height),
	       (dst, pitch, value, width, height),
	       ON_DEFAULT(cuMemsetD2D8_v2, D(dst), pitch, value, width, height))
RT_STREAM_API(cudaMemset2DAsync, 3020, 7000,
	      (void *dst, size_t pitch, int value, size_t width, size_t height,
	       cudaStream_t stream), (dst, pitch, value, width, height, stream),
	      ON_STREAM(cuMemsetD2D8Async, D(dst), pitch, value, width, height, stream))
RT_DEFAULT_API(cudaMemcpyToSymbol, 3020,
	       (const void *symbol, const void *src, size_t bytes, size_t offset,
		enum cudaMemcpyKind kind), (symbol, src, bytes, offset, kind),
	       copy_to(symbol, src, bytes, offset, kind, per_thread))
RT_DEFAULT_API(cudaMemcpyFromSymbol, 3020,
	       (void *dst, const void *symbol, size_t bytes, size_t offset,
		enum cudaMemcpyKind kind), (dst, symbol, bytes, offset, kind),
	       copy_from(dst, symbol, bytes, offset, kind, per_thread))
RT_API(cudaGetSymbolAddress, 3020, (void **ptr, const void *symbol), (ptr, symbol),
       address_get(ptr, NULL, symbol))
RT_API(cudaGetSymbolSize, 3020, (size_t *bytes, const void *symbol), (bytes, symbol),
       address_get(NULL, bytes, symbol))
