// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Graphs by the driver's calls of the same meaning. */
#include "runtime.h"

#define NODE cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,	\
	size_t count
#define NODE_ARGS node, graph, needs, count

static cudaError_t kernel_params(CUDA_KERNEL_NODE_PARAMS *to,
				 const struct cudaKernelNodeParams *p)
{
	*to = (CUDA_KERNEL_NODE_PARAMS){
		.gridDimX = p->gridDim.x, .gridDimY = p->gridDim.y, .gridDimZ = p->gridDim.z,
		.blockDimX = p->blockDim.x, .blockDimY = p->blockDim.y,
		.blockDimZ = p->blockDim.z, .sharedMemBytes = p->sharedMemBytes,
		.kernelParams = p->kernelParams, .extra = p->extra,
	};

	return kernel_function(kernel_of(p->func), &to->func);
}

static cudaError_t add_kernel(NODE, const struct cudaKernelNodeParams *p)
{
	CUDA_KERNEL_NODE_PARAMS params;
	cudaError_t r = kernel_params(&params, p);

	return r ? r : rt_error(cuGraphAddKernelNode_v2(NODE_ARGS, &params));
}

static cudaError_t set_kernel(cudaGraphNode_t node, const struct cudaKernelNodeParams *p)
{
	CUDA_KERNEL_NODE_PARAMS params;
	cudaError_t r = kernel_params(&params, p);

	return r ? r : rt_error(cuGraphKernelNodeSetParams_v2(node, &params));
}

static cudaError_t exec_set_kernel(cudaGraphExec_t exec, cudaGraphNode_t node,
				   const struct cudaKernelNodeParams *p)
{
	CUDA_KERNEL_NODE_PARAMS params;
	cudaError_t r = kernel_params(&params, p);

	return r ? r : rt_error(cuGraphExecKernelNodeSetParams_v2(exec, node, &params));
}

static cudaError_t add_copy(NODE, void *dst, const void *src, size_t bytes)
{
	CUDA_MEMCPY3D params = {
		.srcMemoryType = CU_MEMORYTYPE_UNIFIED, .srcDevice = (CUdeviceptr)src,
		.dstMemoryType = CU_MEMORYTYPE_UNIFIED, .dstDevice = (CUdeviceptr)dst,
		.WidthInBytes = bytes, .Height = 1, .Depth = 1,
	};
	CUcontext ctx = NULL;

	cuCtxGetCurrent(&ctx);
	return rt_error(cuGraphAddMemcpyNode(NODE_ARGS, &params, ctx));
}

static cudaError_t add_set(NODE, const struct cudaMemsetParams *p)
{
	CUDA_MEMSET_NODE_PARAMS params = {
		.dst = (CUdeviceptr)p->dst, .pitch = p->pitch, .value = p->value,
		.elementSize = p->elementSize, .width = p->width, .height = p->height,
	};
	CUcontext ctx = NULL;

	cuCtxGetCurrent(&ctx);
	return rt_error(cuGraphAddMemsetNode(NODE_ARGS, &params, ctx));
}

static cudaError_t add_host(NODE, const struct cudaHostNodeParams *p)
{
	CUDA_HOST_NODE_PARAMS params = { .fn = p->fn, .userData = p->userData };

	return rt_error(cuGraphAddHostNode(NODE_ARGS, &params));
}

#define WITH(params, expr) ((params) ? (expr) : cudaErrorInvalidValue)

RT_API(cudaGraphCreate, 10000, (cudaGraph_t *graph, unsigned int flags), (graph, flags),
       rt_error(cuGraphCreate(graph, flags)))
RT_API(cudaGraphAddKernelNode, 10000, (NODE, const struct cudaKernelNodeParams *params),
       (NODE_ARGS, params), WITH(params, add_kernel(NODE_ARGS, params)))
RT_API(cudaGraphAddMemcpyNode1D, 11010,
       (NODE, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind),
       (NODE_ARGS, dst, src, bytes, kind), add_copy(NODE_ARGS, dst, src, bytes))
RT_API(cudaGraphAddMemsetNode, 10000, (NODE, const struct cudaMemsetParams *params),
       (NODE_ARGS, params), WITH(params, add_set(NODE_ARGS, params)))
RT_API(cudaGraphAddHostNode, 10000, (NODE, const struct cudaHostNodeParams *params),
       (NODE_ARGS, params), WITH(params, add_host(NODE_ARGS, params)))
RT_API(cudaGraphAddEmptyNode, 10000, (NODE), (NODE_ARGS),
       rt_error(cuGraphAddEmptyNode(NODE_ARGS)))
RT_API(cudaGraphAddChildGraphNode, 10000, (NODE, cudaGraph_t child), (NODE_ARGS, child),
       rt_error(cuGraphAddChildGraphNode(NODE_ARGS, child)))
RT_API(cudaGraphChildGraphNodeGetGraph, 10000, (cudaGraphNode_t node, cudaGraph_t *graph),
       (node, graph), rt_error(cuGraphChildGraphNodeGetGraph(node, graph)))
RT_API(cudaGraphKernelNodeSetParams, 10000,
       (cudaGraphNode_t node, const struct cudaKernelNodeParams *params), (node, params),
       WITH(params, set_kernel(node, params)))
RT_API(cudaGraphExecKernelNodeSetParams, 10010,
       (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *params),
       (exec, node, params), WITH(params, exec_set_kernel(exec, node, params)))
RT_API(cudaGraphGetNodes, 10000, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count),
       (graph, nodes, count), rt_error(cuGraphGetNodes(graph, nodes, count)))
RT_API(cudaGraphClone, 10000, (cudaGraph_t *out, cudaGraph_t graph), (out, graph),
       rt_error(cuGraphClone(out, graph)))
RT_API(cudaGraphInstantiate, 12000,
       (cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags),
       (exec, graph, flags), rt_error(cuGraphInstantiateWithFlags(exec, graph, flags)))
RT_API(cudaGraphInstantiateWithFlags, 11040,
       (cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags),
       (exec, graph, flags), rt_error(cuGraphInstantiateWithFlags(exec, graph, flags)))
RT_API(cudaGraphExecUpdate, 10020,
       (cudaGraphExec_t exec, cudaGraph_t graph, CUgraphExecUpdateResultInfo *info),
       (exec, graph, info), rt_error(cuGraphExecUpdate_v2(exec, graph, info)))
RT_STREAM_API(cudaGraphLaunch, 10000, 10000, (cudaGraphExec_t exec, cudaStream_t stream),
	      (exec, stream), ON_STREAM(cuGraphLaunch, exec, stream))
RT_STREAM_API(cudaGraphUpload, 10000, 10000, (cudaGraphExec_t exec, cudaStream_t stream),
	      (exec, stream), ON_STREAM(cuGraphUpload, exec, stream))
RT_API(cudaGraphExecDestroy, 10000, (cudaGraphExec_t exec), (exec),
       rt_error(cuGraphExecDestroy(exec)))
RT_API(cudaGraphDestroy, 10000, (cudaGraph_t graph), (graph), rt_error(cuGraphDestroy(graph)))
