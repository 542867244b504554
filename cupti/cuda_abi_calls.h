/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Driver entry points by their exported names (cuda_abi.h includes this). STREAM_CALL also
 * declares the _ptsz twin, whose stream 0 means the thread's own default stream.
 */
#ifndef CUDA_ABI_CALLS_H
#define CUDA_ABI_CALLS_H

#include "cuda_abi.h"

#define STREAM_CALL(name, ...)		\
	CUresult name(__VA_ARGS__);	\
	CUresult name##_ptsz(__VA_ARGS__)

CUresult cuInit(unsigned int flags);
CUresult cuDriverGetVersion(int *version);
CUresult cuGetErrorName(CUresult error, const char **name);
CUresult cuGetErrorString(CUresult error, const char **text);
CUresult cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags);
CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags,
			     CUdriverProcAddressQueryResult *status);
CUresult cuGetExportTable(const void **table, const CUuuid *id);

CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDeviceGetCount(int *count);
CUresult cuDeviceGetName(char *name, int size, CUdevice device);
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device);
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device);
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device);
CUresult cuDeviceGetPCIBusId(char *text, int size, CUdevice device);
CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text);
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer);
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device);
CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device);
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool);

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active);
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags);
CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);
CUresult cuCtxCreate_v4(CUcontext *context, void *params, unsigned int flags, CUdevice device);
CUresult cuCtxDestroy_v2(CUcontext context);
CUresult cuCtxGetCurrent(CUcontext *context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxPushCurrent_v2(CUcontext context);
CUresult cuCtxPopCurrent_v2(CUcontext *context);
CUresult cuCtxGetDevice(CUdevice *device);
CUresult cuCtxGetFlags(unsigned int *flags);
CUresult cuCtxGetId(CUcontext context, unsigned long long *id);
CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version);
CUresult cuCtxSynchronize(void);
CUresult cuCtxGetLimit(size_t *value, CUlimit limit);
CUresult cuCtxSetLimit(CUlimit limit, size_t value);
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest);
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags);
CUresult cuCtxDisablePeerAccess(CUcontext peer);

CUresult cuModuleLoad(CUmodule *module, const char *path);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count,
			    int *options, void **values);
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image);
CUresult cuModuleUnload(CUmodule module);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult cuModuleGetGlobal_v2(CUdeviceptr *ptr, size_t *bytes, CUmodule module,
			      const char *name);
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode);
CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module);
CUresult cuLibraryLoadData(CUlibrary *library, const void *code, int *jit_options,
			   void **jit_values, unsigned int jit_count, int *options,
			   void **values, unsigned int count);
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name);
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library);
CUresult cuLibraryUnload(CUlibrary library);
CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel);
CUresult cuKernelGetName(const char **name, CUkernel kernel);
CUresult cuFuncGetName(const char **name, CUfunction function);
CUresult cuFuncGetModule(CUmodule *module, CUfunction function);
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function);
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value);
CUresult cuFuncSetCacheConfig(CUfunction function, int config);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
						     int block_size, size_t shared_bytes);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
							      int block_size,
							      size_t shared_bytes,
							      unsigned int flags);

STREAM_CALL(cuLaunchKernel, CUfunction function, unsigned int grid_x, unsigned int grid_y,
	    unsigned int grid_z, unsigned int block_x, unsigned int block_y,
	    unsigned int block_z, unsigned int shared_bytes, CUstream stream, void **params,
	    void **extra);
STREAM_CALL(cuLaunchKernelEx, const CUlaunchConfig *config, CUfunction function, void **params,
	    void **extra);
STREAM_CALL(cuLaunchCooperativeKernel, CUfunction function, unsigned int grid_x,
	    unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
	    unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
	    CUstream stream, void **params);
STREAM_CALL(cuLaunchHostFunc, CUstream stream, CUhostFn function, void *data);

CUresult cuMemAlloc_v2(CUdeviceptr *ptr, size_t bytes);
CUresult cuMemAllocPitch_v2(CUdeviceptr *ptr, size_t *pitch, size_t width, size_t height,
			    unsigned int element);
CUresult cuMemFree_v2(CUdeviceptr ptr);
CUresult cuMemAllocHost_v2(void **ptr, size_t bytes);
CUresult cuMemHostAlloc(void **ptr, size_t bytes, unsigned int flags);
CUresult cuMemFreeHost(void *ptr);
CUresult cuMemHostRegister_v2(void *ptr, size_t bytes, unsigned int flags);
CUresult cuMemHostUnregister(void *ptr);
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *ptr, unsigned int flags);
CUresult cuMemAllocManaged(CUdeviceptr *ptr, size_t bytes, unsigned int flags);
STREAM_CALL(cuMemAllocAsync, CUdeviceptr *ptr, size_t bytes, CUstream stream);
STREAM_CALL(cuMemAllocFromPoolAsync, CUdeviceptr *ptr, size_t bytes, CUmemoryPool pool,
	    CUstream stream);
STREAM_CALL(cuMemFreeAsync, CUdeviceptr ptr, CUstream stream);
CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props);
CUresult cuMemPoolDestroy(CUmemoryPool pool);
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep);
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute what, void *value);
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute what, void *value);
CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr ptr);
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *ptr, CUipcMemHandle handle, unsigned int flags);
CUresult cuIpcCloseMemHandle(CUdeviceptr ptr);
CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event);
CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle);
CUresult cuMemGetInfo_v2(size_t *free, size_t *total);
CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr ptr);
STREAM_CALL(cuMemPrefetchAsync_v2, CUdeviceptr ptr, size_t bytes, CUmemLocation location,
	    unsigned int flags, CUstream stream);
CUresult cuMemAdvise_v2(CUdeviceptr ptr, size_t bytes, CUmem_advise advice,
			CUmemLocation location);
CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr ptr);
CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes,
				void **values, CUdeviceptr ptr);

/* The synchronous copies and sets have twins named _ptds. */
#define DEFAULT_STREAM_CALL(name, ...)	\
	CUresult name(__VA_ARGS__);	\
	CUresult name##_ptds(__VA_ARGS__)

DEFAULT_STREAM_CALL(cuMemcpy, CUdeviceptr dst, CUdeviceptr src, size_t bytes);
DEFAULT_STREAM_CALL(cuMemcpyHtoD_v2, CUdeviceptr dst, const void *src, size_t bytes);
DEFAULT_STREAM_CALL(cuMemcpyDtoH_v2, void *dst, CUdeviceptr src, size_t bytes);
DEFAULT_STREAM_CALL(cuMemcpyDtoD_v2, CUdeviceptr dst, CUdeviceptr src, size_t bytes);
DEFAULT_STREAM_CALL(cuMemcpyPeer, CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src,
		    CUcontext src_context, size_t bytes);
DEFAULT_STREAM_CALL(cuMemcpy2D_v2, const CUDA_MEMCPY2D *copy);
DEFAULT_STREAM_CALL(cuMemcpy3D_v2, const CUDA_MEMCPY3D *copy);
DEFAULT_STREAM_CALL(cuMemsetD8_v2, CUdeviceptr dst, unsigned char value, size_t count);
DEFAULT_STREAM_CALL(cuMemsetD16_v2, CUdeviceptr dst, unsigned short value, size_t count);
DEFAULT_STREAM_CALL(cuMemsetD32_v2, CUdeviceptr dst, unsigned int value, size_t count);
DEFAULT_STREAM_CALL(cuMemsetD2D8_v2, CUdeviceptr dst, size_t pitch, unsigned char value,
		    size_t width, size_t height);
DEFAULT_STREAM_CALL(cuMemsetD2D16_v2, CUdeviceptr dst, size_t pitch, unsigned short value,
		    size_t width, size_t height);
DEFAULT_STREAM_CALL(cuMemsetD2D32_v2, CUdeviceptr dst, size_t pitch, unsigned int value,
		    size_t width, size_t height);
STREAM_CALL(cuMemsetD2D8Async, CUdeviceptr dst, size_t pitch, unsigned char value,
	    size_t width, size_t height, CUstream stream);
STREAM_CALL(cuMemsetD2D16Async, CUdeviceptr dst, size_t pitch, unsigned short value,
	    size_t width, size_t height, CUstream stream);
STREAM_CALL(cuMemsetD2D32Async, CUdeviceptr dst, size_t pitch, unsigned int value,
	    size_t width, size_t height, CUstream stream);
STREAM_CALL(cuMemcpyAsync, CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream);
STREAM_CALL(cuMemcpyHtoDAsync_v2, CUdeviceptr dst, const void *src, size_t bytes,
	    CUstream stream);
STREAM_CALL(cuMemcpyDtoHAsync_v2, void *dst, CUdeviceptr src, size_t bytes, CUstream stream);
STREAM_CALL(cuMemcpyDtoDAsync_v2, CUdeviceptr dst, CUdeviceptr src, size_t bytes,
	    CUstream stream);
STREAM_CALL(cuMemcpyPeerAsync, CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src,
	    CUcontext src_context, size_t bytes, CUstream stream);
STREAM_CALL(cuMemcpy2DAsync_v2, const CUDA_MEMCPY2D *copy, CUstream stream);
STREAM_CALL(cuMemcpy3DAsync_v2, const CUDA_MEMCPY3D *copy, CUstream stream);
STREAM_CALL(cuMemsetD8Async, CUdeviceptr dst, unsigned char value, size_t count,
	    CUstream stream);
STREAM_CALL(cuMemsetD16Async, CUdeviceptr dst, unsigned short value, size_t count,
	    CUstream stream);
STREAM_CALL(cuMemsetD32Async, CUdeviceptr dst, unsigned int value, size_t count,
	    CUstream stream);

CUresult cuStreamCreate(CUstream *stream, unsigned int flags);
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority);
CUresult cuStreamDestroy_v2(CUstream stream);
STREAM_CALL(cuStreamSynchronize, CUstream stream);
STREAM_CALL(cuStreamQuery, CUstream stream);
STREAM_CALL(cuStreamWaitEvent, CUstream stream, CUevent event, unsigned int flags);
STREAM_CALL(cuStreamGetFlags, CUstream stream, unsigned int *flags);
STREAM_CALL(cuStreamGetPriority, CUstream stream, int *priority);
STREAM_CALL(cuStreamGetId, CUstream stream, unsigned long long *id);
STREAM_CALL(cuStreamGetCtx, CUstream stream, CUcontext *context);
STREAM_CALL(cuStreamAddCallback, CUstream stream, CUstreamCallback callback, void *data,
	    unsigned int flags);
STREAM_CALL(cuStreamBeginCapture_v2, CUstream stream, CUstreamCaptureMode mode);
STREAM_CALL(cuStreamEndCapture, CUstream stream, CUgraph *graph);
STREAM_CALL(cuStreamIsCapturing, CUstream stream, CUstreamCaptureStatus *status);
STREAM_CALL(cuStreamGetCaptureInfo_v3, CUstream stream, CUstreamCaptureStatus *status,
	    uint64_t *id, CUgraph *graph, const CUgraphNode **needs,
	    const CUgraphEdgeData **edges, size_t *count);
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode);

CUresult cuEventCreate(CUevent *event, unsigned int flags);
STREAM_CALL(cuEventRecord, CUevent event, CUstream stream);
STREAM_CALL(cuEventRecordWithFlags, CUevent event, CUstream stream, unsigned int flags);
CUresult cuEventQuery(CUevent event);
CUresult cuEventSynchronize(CUevent event);
CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end);
CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end);
CUresult cuEventDestroy_v2(CUevent event);

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags);
CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *needs,
				 size_t count, const CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *needs,
			      size_t count, const CUDA_MEMCPY3D *params, CUcontext context);
CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *needs,
			      size_t count, const CUDA_MEMSET_NODE_PARAMS *params,
			      CUcontext context);
CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *needs,
			    size_t count, const CUDA_HOST_NODE_PARAMS *params);
CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *needs,
			     size_t count);
CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *needs,
				  size_t count, CUgraph child);
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph);
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
					   const CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count);
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type);
CUresult cuGraphClone(CUgraph *clone, CUgraph graph);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
				     unsigned long long flags);
CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph,
			      CUgraphExecUpdateResultInfo *info);
STREAM_CALL(cuGraphLaunch, CUgraphExec exec, CUstream stream);
STREAM_CALL(cuGraphUpload, CUgraphExec exec, CUstream stream);
CUresult cuGraphExecDestroy(CUgraphExec exec);
CUresult cuGraphDestroy(CUgraph graph);

CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

#endif
