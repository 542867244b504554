// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compiles only where each field of cupti/cupti_abi.h lies where the real
 * header has it. abi.bats makes constants.h (a C(ours, theirs) a constant) and
 * checks that no field of ours is missing from the list here.
 */
#include <cuda.h>
#include <cupti.h>
#include "cupti_abi.h"

#define SAME(a, b) _Static_assert((a) == (b), #a " is not " #b)
#define SIZE(type, member) sizeof(((type *)0)->member)
#define F(ours, theirs) \
	SAME(offsetof(OURS, ours), offsetof(THEIRS, theirs)); \
	SAME(SIZE(OURS, ours), SIZE(THEIRS, theirs));
#define C(ours, theirs) SAME((long long)ours, (long long)theirs);

#include "constants.h"
SAME(CUPTI_NO_VALUE, CUPTI_SYNCHRONIZATION_INVALID_VALUE);
SAME(CUPTI_NO_VALUE, CUPTI_INVALID_STREAM_ID);
SAME(CUPTI_NO_VALUE, CUPTI_INVALID_CONTEXT_ID);

#define OURS struct cupti_callback_data
#define THEIRS CUpti_CallbackData
SAME(sizeof(OURS), sizeof(THEIRS));
F(site, callbackSite) F(function, functionName) F(params, functionParams)
F(result, functionReturnValue) F(symbol, symbolName) F(context, context)
F(context_id, contextUid) F(data, correlationData) F(correlation, correlationId)
#undef OURS
#undef THEIRS
#define OURS struct cupti_managed_params
#define THEIRS cuMemAllocManaged_params
SAME(sizeof(OURS), sizeof(THEIRS));
F(address, dptr) F(bytes, bytesize) F(flags, flags)
#undef THEIRS
#define THEIRS cudaMallocManaged_v6000_params
SAME(sizeof(OURS), sizeof(THEIRS));
F(address, devPtr) F(bytes, size) F(flags, flags)
#undef OURS
#undef THEIRS
#define OURS struct cupti_free_params
#define THEIRS cuMemFree_v2_params
F(address, dptr)
#undef THEIRS
#define THEIRS cuMemFreeAsync_params
F(address, dptr)
#undef THEIRS
#define THEIRS cuMemFreeAsync_ptsz_params
F(address, dptr)
#undef THEIRS
#define THEIRS cudaFree_v3020_params
F(address, devPtr)
#undef THEIRS
#define THEIRS cudaFreeAsync_v11020_params
F(address, devPtr)
#undef THEIRS
#define THEIRS cudaFreeAsync_ptsz_v11020_params
F(address, devPtr)
#undef THEIRS
#undef OURS
#define OURS struct cupti_resource_data
#define THEIRS CUpti_ResourceData
SAME(sizeof(OURS), sizeof(THEIRS));
F(context, context) F(stream, resourceHandle.stream) F(descriptor, resourceDescriptor)
#undef OURS
#undef THEIRS
#define OURS struct cupti_module_data
#define THEIRS CUpti_ModuleResourceData
SAME(sizeof(OURS), sizeof(THEIRS));
F(module, moduleId) F(cubin_size, cubinSize) F(cubin, pCubin)
#undef OURS
#undef THEIRS
#define OURS struct cupti_graph_data
#define THEIRS CUpti_GraphData
SAME(sizeof(OURS), sizeof(THEIRS));
F(graph, graph) F(original_graph, originalGraph) F(node, node) F(original_node, originalNode)
F(node_type, nodeType) F(dependency, dependency) F(exec, graphExec)
#undef OURS
#undef THEIRS
#define OURS struct cupti_synchronize_data
#define THEIRS CUpti_SynchronizeData
SAME(sizeof(OURS), sizeof(THEIRS));
F(context, context) F(stream, stream)
#undef OURS
#undef THEIRS
#define OURS struct cupti_subscriber_params
#define THEIRS CUpti_SubscriberParams
SAME(sizeof(OURS), sizeof(THEIRS));
F(size, structSize) F(name, subscriberName) F(old_name, oldSubscriberName)
F(old_name_size, oldSubscriberSize)
#undef OURS
#undef THEIRS

/* ---- records ---- */
#define OURS struct cupti_kernel
#define THEIRS CUpti_ActivityKernel10
SAME(sizeof(OURS), sizeof(THEIRS));
F(kind, kind) F(cache_config, cacheConfig.both) F(shared_config, sharedMemoryConfig)
F(registers, registersPerThread) F(cache_requested, partitionedGlobalCacheRequested)
F(cache_executed, partitionedGlobalCacheExecuted) F(start, start) F(end, end)
F(completed, completed) F(device, deviceId) F(context, contextId) F(stream, streamId)
F(grid[0], gridX) F(grid[1], gridY) F(grid[2], gridZ)
F(block[0], blockX) F(block[1], blockY) F(block[2], blockZ)
F(static_shared, staticSharedMemory) F(dynamic_shared, dynamicSharedMemory)
F(local_per_thread, localMemoryPerThread) F(local_total, localMemoryTotal)
F(correlation, correlationId) F(grid_id, gridId) F(name, name) F(queued, queued)
F(submitted, submitted) F(launch_type, launchType)
F(carveout_requested, isSharedMemoryCarveoutRequested)
F(carveout, sharedMemoryCarveoutRequested)
F(shared_executed, sharedMemoryExecuted) F(graph_node, graphNodeId)
F(shmem_limit, shmemLimitConfig) F(graph, graphId) F(access_policy, pAccessPolicyWindow)
F(channel, channelID) F(channel_type, channelType) F(cluster[0], clusterX)
F(cluster[1], clusterY) F(cluster[2], clusterZ) F(cluster_policy, clusterSchedulingPolicy)
F(local_total_64, localMemoryTotal_v2) F(max_cluster, maxPotentialClusterSize)
F(max_active_clusters, maxActiveClusters) F(device_launched, isDeviceLaunched)
SAME(offsetof(OURS, max_cluster), sizeof(CUpti_ActivityKernel8));
SAME(offsetof(OURS, device_launched), sizeof(CUpti_ActivityKernel9));
#undef OURS
#undef THEIRS
#define OURS struct cupti_memcpy
#define THEIRS CUpti_ActivityMemcpy6
SAME(sizeof(OURS), sizeof(THEIRS));
F(kind, kind) F(copy_kind, copyKind) F(src_kind, srcKind) F(dst_kind, dstKind) F(flags, flags)
F(bytes, bytes) F(start, start) F(end, end) F(device, deviceId) F(context, contextId)
F(stream, streamId) F(correlation, correlationId) F(runtime_correlation, runtimeCorrelationId)
F(graph_node, graphNodeId) F(graph, graphId) F(channel, channelID) F(channel_type, channelType)
F(device_launched, isDeviceLaunched) F(copies, copyCount)
SAME(offsetof(OURS, copies), sizeof(CUpti_ActivityMemcpy5));
#undef OURS
#undef THEIRS
#define OURS struct cupti_memcpy_peer
#define THEIRS CUpti_ActivityMemcpyPtoP4
SAME(sizeof(OURS), sizeof(THEIRS));
F(kind, kind) F(copy_kind, copyKind) F(src_kind, srcKind) F(dst_kind, dstKind) F(flags, flags)
F(bytes, bytes) F(start, start) F(end, end) F(device, deviceId) F(context, contextId)
F(stream, streamId) F(src_device, srcDeviceId) F(src_context, srcContextId)
F(dst_device, dstDeviceId) F(dst_context, dstContextId) F(correlation, correlationId)
F(graph_node, graphNodeId) F(graph, graphId) F(channel, channelID) F(channel_type, channelType)
#undef OURS
#undef THEIRS
#define OURS struct cupti_memset
#define THEIRS CUpti_ActivityMemset4
SAME(sizeof(OURS), sizeof(THEIRS));
F(kind, kind) F(value, value) F(bytes, bytes) F(start, start) F(end, end) F(device, deviceId)
F(context, contextId) F(stream, streamId) F(correlation, correlationId) F(flags, flags)
F(memory_kind, memoryKind) F(graph_node, graphNodeId) F(graph, graphId) F(channel, channelID)
F(channel_type, channelType) F(device_launched, isDeviceLaunched)
#undef OURS
#undef THEIRS
#define OURS struct cupti_api_record
#define THEIRS CUpti_ActivityAPI
SAME(sizeof(OURS), sizeof(THEIRS));
F(kind, kind) F(cbid, cbid) F(start, start) F(end, end) F(process, processId)
F(thread, threadId) F(correlation, correlationId) F(result, returnValue)
#undef OURS
#undef THEIRS
#define OURS struct cupti_sync
#define THEIRS CUpti_ActivitySynchronization2
SAME(sizeof(OURS), sizeof(THEIRS));
F(kind, kind) F(type, type) F(start, start) F(end, end) F(correlation, correlationId)
F(context, contextId) F(stream, streamId) F(event, cudaEventId) F(event_sync, cudaEventSyncId)
F(result, returnValue)
SAME(offsetof(OURS, event_sync), sizeof(CUpti_ActivitySynchronization));
#undef OURS
#undef THEIRS
#define OURS struct cupti_overhead
#define THEIRS CUpti_ActivityOverhead3
SAME(sizeof(OURS), sizeof(THEIRS));
F(kind, kind) F(what, overheadKind) F(object_kind, objectKind)
F(object[0], objectId.pt.processId)
F(object[1], objectId.pt.threadId) F(object[2], objectId.dcs.streamId) F(start, start)
F(end, end) F(correlation, correlationId) F(data, overheadData)
SAME(offsetof(OURS, correlation), sizeof(CUpti_ActivityOverhead));
#undef OURS
#undef THEIRS
#define OURS struct cupti_graph_trace
#define THEIRS CUpti_ActivityGraphTrace2
SAME(sizeof(OURS), sizeof(THEIRS));
F(kind, kind) F(correlation, correlationId) F(start, start) F(end, end) F(device, deviceId)
F(graph, graphId) F(context, contextId) F(stream, streamId) F(end_device, endDeviceId)
F(end_context, endContextId)
SAME(offsetof(OURS, end_device), sizeof(CUpti_ActivityGraphTrace));
#undef OURS
#undef THEIRS
#define OURS struct cupti_external
#define THEIRS CUpti_ActivityExternalCorrelation
SAME(sizeof(OURS), sizeof(THEIRS));
F(kind, kind) F(external_kind, externalKind) F(id, externalId) F(correlation, correlationId)
#undef OURS
#undef THEIRS
#define OURS struct cupti_stream
#define THEIRS CUpti_ActivityStream
SAME(sizeof(OURS), sizeof(THEIRS));
F(kind, kind) F(context, contextId) F(stream, streamId) F(priority, priority) F(flag, flag)
F(correlation, correlationId)
#undef OURS
#undef THEIRS
#define OURS struct cupti_context
#define THEIRS CUpti_ActivityContext3
SAME(sizeof(OURS), sizeof(THEIRS));
F(kind, kind) F(context, contextId) F(device, deviceId) F(api_kind, computeApiKind)
F(null_stream, nullStreamId) F(parent, parentContextId) F(green, isGreenContext)
F(multiprocessors, numMultiprocessors) F(cig_mode, cigMode)
SAME(offsetof(OURS, parent), sizeof(CUpti_ActivityContext));
SAME(offsetof(OURS, cig_mode), sizeof(CUpti_ActivityContext2));
#undef OURS
#undef THEIRS
#define OURS struct cupti_device
#define THEIRS CUpti_ActivityDevice5
SAME(sizeof(OURS), sizeof(THEIRS));
F(kind, kind) F(flags, flags) F(memory_bandwidth, globalMemoryBandwidth)
F(memory_bytes, globalMemorySize) F(constant_bytes, constantMemorySize) F(l2_bytes, l2CacheSize)
F(warp_threads, numThreadsPerWarp) F(clock_khz, coreClockRate) F(copy_engines, numMemcpyEngines)
F(multiprocessors, numMultiprocessors) F(max_ipc, maxIPC)
F(max_warps, maxWarpsPerMultiprocessor)
F(max_blocks, maxBlocksPerMultiprocessor) F(max_shared, maxSharedMemoryPerMultiprocessor)
F(max_registers, maxRegistersPerMultiprocessor) F(max_block_registers, maxRegistersPerBlock)
F(max_block_shared, maxSharedMemoryPerBlock) F(max_block_threads, maxThreadsPerBlock)
F(max_block[0], maxBlockDimX) F(max_block[1], maxBlockDimY) F(max_block[2], maxBlockDimZ)
F(max_grid[0], maxGridDimX) F(max_grid[1], maxGridDimY) F(max_grid[2], maxGridDimZ)
F(cc_major, computeCapabilityMajor) F(cc_minor, computeCapabilityMinor) F(id, id)
F(ecc, eccEnabled) F(uuid, uuid) F(name, name) F(visible, isCudaVisible) F(mig, isMigEnabled)
F(gpu_instance, gpuInstanceId) F(compute_instance, computeInstanceId) F(mig_uuid, migUuid)
F(numa, isNumaNode) F(numa_id, numaId)
SAME(offsetof(OURS, numa), sizeof(CUpti_ActivityDevice4));
