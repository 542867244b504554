/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runtime entry points by their exported names (cudart_abi.h includes this). RT_STREAM_CALL
 * also declares the _ptsz twin, whose stream 0 means the thread's own default stream.
 */
#ifndef CUDART_ABI_CALLS_H
#define CUDART_ABI_CALLS_H

#define RT_STREAM_CALL(name, ...)	\
	cudaError_t name(__VA_ARGS__);	\
	cudaError_t name##_ptsz(__VA_ARGS__)

const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceFlags(unsigned int *flags);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device);
cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceGetLimit(size_t *value, int limit);
cudaError_t cudaDeviceSetLimit(int limit, size_t value);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);

RT_STREAM_CALL(cudaLaunchKernel, const void *function, dim3 grid, dim3 block, void **args,
	       size_t shared_bytes, cudaStream_t stream);
RT_STREAM_CALL(cudaLaunchCooperativeKernel, const void *function, dim3 grid, dim3 block,
	       void **args, size_t shared_bytes, cudaStream_t stream);
RT_STREAM_CALL(cudaLaunchKernelExC, const cudaLaunchConfig_t *config, const void *function,
	       void **args);
RT_STREAM_CALL(cudaLaunchHostFunc, cudaStream_t stream, cudaHostFn_t function, void *data);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function);
cudaError_t cudaFuncSetAttribute(const void *function, int attribute, int value);
cudaError_t cudaFuncSetCacheConfig(const void *function, int config);
cudaError_t cudaFuncGetName(const char **name, const void *function);
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol);
cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *symbol);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
							  int block_size, size_t shared_bytes);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
								   const void *function,
								   int block_size,
								   size_t shared_bytes,
								   unsigned int flags);

cudaError_t cudaMalloc(void **ptr, size_t bytes);
cudaError_t cudaMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMallocManaged(void **ptr, size_t bytes, unsigned int flags);
cudaError_t cudaMallocHost(void **ptr, size_t bytes);
cudaError_t cudaHostAlloc(void **ptr, size_t bytes, unsigned int flags);
cudaError_t cudaFree(void *ptr);
cudaError_t cudaFreeHost(void *ptr);
cudaError_t cudaHostRegister(void *ptr, size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void *ptr);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr);
RT_STREAM_CALL(cudaMallocAsync, void **ptr, size_t bytes, cudaStream_t stream);
RT_STREAM_CALL(cudaMallocFromPoolAsync, void **ptr, size_t bytes, cudaMemPool_t pool,
	       cudaStream_t stream);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr what,
				    void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr what,
				    void *value);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *ptr);
cudaError_t cudaIpcOpenMemHandle(void **ptr, cudaIpcMemHandle_t handle, unsigned int flags);
cudaError_t cudaIpcCloseMemHandle(void *ptr);
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle);
RT_STREAM_CALL(cudaFreeAsync, void *ptr, cudaStream_t stream);
RT_STREAM_CALL(cudaMemPrefetchAsync, const void *ptr, size_t bytes,
	       struct cudaMemLocation location, unsigned int flags, cudaStream_t stream);
cudaError_t cudaMemAdvise(const void *ptr, size_t bytes, int advice,
			  struct cudaMemLocation location);

/* The synchronous copies and sets have twins named _ptds. */
#define RT_DEFAULT_STREAM_CALL(name, ...)	\
	cudaError_t name(__VA_ARGS__);		\
	cudaError_t name##_ptds(__VA_ARGS__)

RT_DEFAULT_STREAM_CALL(cudaMemcpy, void *dst, const void *src, size_t bytes,
		       enum cudaMemcpyKind kind);
RT_DEFAULT_STREAM_CALL(cudaMemcpy2D, void *dst, size_t dst_pitch, const void *src,
		       size_t src_pitch, size_t width, size_t height, enum cudaMemcpyKind kind);
RT_DEFAULT_STREAM_CALL(cudaMemset, void *dst, int value, size_t bytes);
RT_DEFAULT_STREAM_CALL(cudaMemset2D, void *dst, size_t pitch, int value, size_t width,
		       size_t height);
RT_STREAM_CALL(cudaMemset2DAsync, void *dst, size_t pitch, int value, size_t width,
	       size_t height, cudaStream_t stream);
RT_DEFAULT_STREAM_CALL(cudaMemcpyToSymbol, const void *symbol, const void *src, size_t bytes,
		       size_t offset, enum cudaMemcpyKind kind);
RT_DEFAULT_STREAM_CALL(cudaMemcpyFromSymbol, void *dst, const void *symbol, size_t bytes,
		       size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device,
			   size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device,
				size_t bytes, cudaStream_t stream);
RT_STREAM_CALL(cudaMemcpyAsync, void *dst, const void *src, size_t bytes,
	       enum cudaMemcpyKind kind, cudaStream_t stream);
RT_STREAM_CALL(cudaMemcpy2DAsync, void *dst, size_t dst_pitch, const void *src,
	       size_t src_pitch, size_t width, size_t height, enum cudaMemcpyKind kind,
	       cudaStream_t stream);
RT_STREAM_CALL(cudaMemsetAsync, void *dst, int value, size_t bytes, cudaStream_t stream);
cudaError_t cudaGetSymbolAddress(void **ptr, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol);

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags,
					 int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
RT_STREAM_CALL(cudaStreamSynchronize, cudaStream_t stream);
RT_STREAM_CALL(cudaStreamQuery, cudaStream_t stream);
RT_STREAM_CALL(cudaStreamWaitEvent, cudaStream_t stream, cudaEvent_t event,
	       unsigned int flags);
RT_STREAM_CALL(cudaStreamGetFlags, cudaStream_t stream, unsigned int *flags);
RT_STREAM_CALL(cudaStreamGetPriority, cudaStream_t stream, int *priority);
RT_STREAM_CALL(cudaStreamGetId, cudaStream_t stream, unsigned long long *id);
RT_STREAM_CALL(cudaStreamAddCallback, cudaStream_t stream, cudaStreamCallback_t callback,
	       void *data, unsigned int flags);
RT_STREAM_CALL(cudaStreamBeginCapture, cudaStream_t stream, enum cudaStreamCaptureMode mode);
RT_STREAM_CALL(cudaStreamEndCapture, cudaStream_t stream, cudaGraph_t *graph);
RT_STREAM_CALL(cudaStreamIsCapturing, cudaStream_t stream,
	       enum cudaStreamCaptureStatus *status);
RT_STREAM_CALL(cudaStreamGetCaptureInfo, cudaStream_t stream,
	       enum cudaStreamCaptureStatus *status, unsigned long long *id,
	       cudaGraph_t *graph, const cudaGraphNode_t **needs,
	       const CUgraphEdgeData **edges, size_t *count);
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);

cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
RT_STREAM_CALL(cudaEventRecord, cudaEvent_t event, cudaStream_t stream);
RT_STREAM_CALL(cudaEventRecordWithFlags, cudaEvent_t event, cudaStream_t stream,
	       unsigned int flags);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaEventDestroy(cudaEvent_t event);

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
				   const cudaGraphNode_t *needs, size_t count,
				   const struct cudaKernelNodeParams *params);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
				     const cudaGraphNode_t *needs, size_t count, void *dst,
				     const void *src, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
				   const cudaGraphNode_t *needs, size_t count,
				   const struct cudaMemsetParams *params);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
				 const cudaGraphNode_t *needs, size_t count,
				 const struct cudaHostNodeParams *params);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
				  const cudaGraphNode_t *needs, size_t count);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
				       const cudaGraphNode_t *needs, size_t count,
				       cudaGraph_t child);
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph);
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
					 const struct cudaKernelNodeParams *params);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
					     const struct cudaKernelNodeParams *params);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
				 unsigned long long flags);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
					  unsigned long long flags);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
				CUgraphExecUpdateResultInfo *info);
RT_STREAM_CALL(cudaGraphLaunch, cudaGraphExec_t exec, cudaStream_t stream);
RT_STREAM_CALL(cudaGraphUpload, cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
					     unsigned int version, unsigned long long flags,
					     int *status);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

#endif
