// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Devices and their properties, from the driver's attributes (the numbers are the same). */
#include <string.h>

#include "runtime.h"

static int attribute(int number, int device)
{
	int value = 0;

	cuDeviceGetAttribute(&value, (CUdevice_attribute)number, device);
	return value;
}

#define A(name) attribute(CU_DEVICE_ATTRIBUTE_##name, device)

static void properties_size(struct cudaDeviceProp *p, int device)
{
	p->sharedMemPerBlock = A(MAX_SHARED_MEMORY_PER_BLOCK);
	p->regsPerBlock = A(MAX_REGISTERS_PER_BLOCK);
	p->warpSize = A(WARP_SIZE);
	p->memPitch = A(MAX_PITCH);
	p->maxThreadsPerBlock = A(MAX_THREADS_PER_BLOCK);
	p->maxThreadsDim[0] = A(MAX_BLOCK_DIM_X);
	p->maxThreadsDim[1] = A(MAX_BLOCK_DIM_Y);
	p->maxThreadsDim[2] = A(MAX_BLOCK_DIM_Z);
	p->maxGridSize[0] = A(MAX_GRID_DIM_X);
	p->maxGridSize[1] = A(MAX_GRID_DIM_Y);
	p->maxGridSize[2] = A(MAX_GRID_DIM_Z);
	p->totalConstMem = A(TOTAL_CONSTANT_MEMORY);
	p->textureAlignment = A(TEXTURE_ALIGNMENT);
	p->multiProcessorCount = A(MULTIPROCESSOR_COUNT);
	p->memoryBusWidth = A(GLOBAL_MEMORY_BUS_WIDTH);
	p->l2CacheSize = A(L2_CACHE_SIZE);
	p->maxThreadsPerMultiProcessor = A(MAX_THREADS_PER_MULTIPROCESSOR);
	p->sharedMemPerMultiprocessor = A(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
	p->regsPerMultiprocessor = A(MAX_REGISTERS_PER_MULTIPROCESSOR);
	p->sharedMemPerBlockOptin = A(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
	p->maxBlocksPerMultiProcessor = A(MAX_BLOCKS_PER_MULTIPROCESSOR);
	p->reservedSharedMemPerBlock = A(RESERVED_SHARED_MEMORY_PER_BLOCK);
}

static void properties_can(struct cudaDeviceProp *p, int device)
{
	p->major = A(COMPUTE_CAPABILITY_MAJOR);
	p->minor = A(COMPUTE_CAPABILITY_MINOR);
	p->canMapHostMemory = A(CAN_MAP_HOST_MEMORY);
	p->concurrentKernels = A(CONCURRENT_KERNELS);
	p->ECCEnabled = A(ECC_ENABLED);
	p->pciBusID = A(PCI_BUS_ID);
	p->pciDeviceID = A(PCI_DEVICE_ID);
	p->pciDomainID = A(PCI_DOMAIN_ID);
	p->asyncEngineCount = A(ASYNC_ENGINE_COUNT);
	p->unifiedAddressing = A(UNIFIED_ADDRESSING);
	p->streamPrioritiesSupported = A(STREAM_PRIORITIES_SUPPORTED);
	p->globalL1CacheSupported = A(GLOBAL_L1_CACHE_SUPPORTED);
	p->localL1CacheSupported = A(LOCAL_L1_CACHE_SUPPORTED);
	p->managedMemory = A(MANAGED_MEMORY);
	p->concurrentManagedAccess = A(CONCURRENT_MANAGED_ACCESS);
	p->computePreemptionSupported = A(COMPUTE_PREEMPTION_SUPPORTED);
	p->canUseHostPointerForRegisteredMem = A(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM);
	p->cooperativeLaunch = A(COOPERATIVE_LAUNCH);
	p->hostRegisterSupported = A(HOST_REGISTER_SUPPORTED);
	p->memoryPoolsSupported = A(MEMORY_POOLS_SUPPORTED);
	p->clusterLaunch = A(CLUSTER_LAUNCH);
	p->deviceNumaId = A(NUMA_ID);
	p->hostNumaId = A(HOST_NUMA_ID);
}

static cudaError_t properties(struct cudaDeviceProp *p, int device)
{
	if (!p)
		return cudaErrorInvalidValue;
	memset(p, 0, sizeof(*p));
	if (cuDeviceGetName(p->name, sizeof(p->name), device))
		return cudaErrorInvalidDevice;
	cuDeviceGetUuid_v2(&p->uuid, device);
	cuDeviceTotalMem_v2(&p->totalGlobalMem, device);
	properties_size(p, device);
	properties_can(p, device);
	return cudaSuccess;
}

static cudaError_t peer(CUresult (*call)(CUcontext), int device)
{
	CUcontext ctx = NULL;
	CUresult r = cuDevicePrimaryCtxRetain(&ctx, device);

	return rt_error(r ? r : call(ctx));
}

static CUresult peer_enable(CUcontext ctx)
{
	return cuCtxEnablePeerAccess(ctx, 0);
}

static cudaError_t flags_get(unsigned int *flags)
{
	int active;

	return rt_error(cuDevicePrimaryCtxGetState(rt_device(), flags, &active));
}

RT_PLAIN(cudaGetDeviceProperties, 12000, (struct cudaDeviceProp *prop, int device),
	 (prop, device), properties(prop, device))
RT_PLAIN(cudaDeviceGetAttribute, 5000, (int *value, int number, int device),
	 (value, number, device),
	 rt_error(cuDeviceGetAttribute(value, (CUdevice_attribute)number, device)))
RT_PLAIN(cudaDeviceGetPCIBusId, 4010, (char *text, int size, int device), (text, size, device),
	 rt_error(cuDeviceGetPCIBusId(text, size, device)))
RT_PLAIN(cudaDeviceGetByPCIBusId, 4010, (int *device, const char *text), (device, text),
	 rt_error(cuDeviceGetByPCIBusId(device, text)))
RT_PLAIN(cudaDeviceCanAccessPeer, 4000, (int *can, int device, int other), (can, device, other),
	 rt_error(cuDeviceCanAccessPeer(can, device, other)))
RT_API(cudaDeviceEnablePeerAccess, 4000, (int other, unsigned int flags), (other, flags),
       peer(peer_enable, other))
RT_API(cudaDeviceDisablePeerAccess, 4000, (int other), (other),
       peer(cuCtxDisablePeerAccess, other))
RT_API(cudaDeviceGetStreamPriorityRange, 5050, (int *least, int *greatest), (least, greatest),
       rt_error(cuCtxGetStreamPriorityRange(least, greatest)))
RT_API(cudaDeviceGetLimit, 3020, (size_t *value, int limit), (value, limit),
       rt_error(cuCtxGetLimit(value, (CUlimit)limit)))
RT_API(cudaDeviceSetLimit, 3020, (int limit, size_t value), (limit, value),
       rt_error(cuCtxSetLimit((CUlimit)limit, value)))
RT_PLAIN(cudaSetDeviceFlags, 3020, (unsigned int flags), (flags),
	 rt_error(cuDevicePrimaryCtxSetFlags_v2(rt_device(), flags)))
RT_PLAIN(cudaGetDeviceFlags, 7000, (unsigned int *flags), (flags), flags_get(flags))
