// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Launches: <<<>>> keeps its configuration on a stack of the thread until the stub takes it. */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

static __thread struct {
	dim3 grid, block;
	size_t shared_bytes;
	cudaStream_t stream;
} configurations[16];
static __thread unsigned int configured;

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
					 cudaStream_t stream)
{
	if (configured == ARRAY_SIZE(configurations))
		return 1;
	configurations[configured].grid = grid;
	configurations[configured].block = block;
	configurations[configured].shared_bytes = shared_bytes;
	configurations[configured].stream = stream;
	configured++;
	return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes,
				       void *stream)
{
	if (!configured)
		return cudaErrorMissingConfiguration;
	configured--;
	*grid = configurations[configured].grid;
	*block = configurations[configured].block;
	*shared_bytes = configurations[configured].shared_bytes;
	*(cudaStream_t *)stream = configurations[configured].stream;
	return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
	*kernel = (cudaKernel_t)kernel_of(host);
	return *kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

/* The driver says INVALID_VALUE to a wrong size, the runtime has an error of its own for it. */
static cudaError_t launch_error(CUresult r)
{
	return r == CUDA_ERROR_INVALID_VALUE ? cudaErrorInvalidConfiguration : rt_error(r);
}

static cudaError_t launch(struct kernel *k, dim3 g, dim3 b, void **args, size_t shared_bytes,
			  cudaStream_t stream, bool per_thread)
{
	CUfunction f;
	cudaError_t r = kernel_function(k, &f);

	if (r)
		return r;
	return launch_error((per_thread ? cuLaunchKernel_ptsz : cuLaunchKernel)(
		f, g.x, g.y, g.z, b.x, b.y, b.z, shared_bytes, stream, args, NULL));
}

static cudaError_t launch_together(struct kernel *k, dim3 g, dim3 b, void **args,
				   size_t shared_bytes, cudaStream_t stream, bool per_thread)
{
	CUfunction f;
	cudaError_t r = kernel_function(k, &f);

	if (r)
		return r;
	return launch_error((per_thread ? cuLaunchCooperativeKernel_ptsz
					: cuLaunchCooperativeKernel)(
		f, g.x, g.y, g.z, b.x, b.y, b.z, shared_bytes, stream, args));
}

static cudaError_t launch_config(struct kernel *k, const cudaLaunchConfig_t *c, void **args,
				 bool per_thread)
{
	CUlaunchConfig config = {
		.gridDimX = c->gridDim.x, .gridDimY = c->gridDim.y, .gridDimZ = c->gridDim.z,
		.blockDimX = c->blockDim.x, .blockDimY = c->blockDim.y,
		.blockDimZ = c->blockDim.z, .sharedMemBytes = c->dynamicSmemBytes,
		.hStream = c->stream, .attrs = c->attrs, .numAttrs = c->numAttrs,
	};
	CUfunction f;
	cudaError_t r = kernel_function(k, &f);

	if (r)
		return r;
	return launch_error((per_thread ? cuLaunchKernelEx_ptsz : cuLaunchKernelEx)(
		&config, f, args, NULL));
}

static struct kernel *either(const void *function)
{
	struct kernel *k = kernel_of(function);

	return k ? k : kernel_of_handle(function);
}

#define LAUNCH_API(name, version, kernel, decl, args, expr)				       \
	RT_BODY(rt_begin_ctx, false, kernel_name(kernel), name, #name "_v" #version, decl,     \
		args, expr)								       \
	RT_BODY(rt_begin_ctx, true, kernel_name(kernel), name##_ptsz,			       \
		#name "_ptsz_v" #version, decl, args, expr)

LAUNCH_API(cudaLaunchKernel, 7000, kernel_of(function),
	   (const void *function, dim3 grid, dim3 block, void **args, size_t shared_bytes,
	    cudaStream_t stream), (function, grid, block, args, shared_bytes, stream),
	   launch(kernel_of(function), grid, block, args, shared_bytes, stream, per_thread))
LAUNCH_API(cudaLaunchCooperativeKernel, 9000, kernel_of(function),
	   (const void *function, dim3 grid, dim3 block, void **args, size_t shared_bytes,
	    cudaStream_t stream), (function, grid, block, args, shared_bytes, stream),
	   launch_together(kernel_of(function), grid, block, args, shared_bytes, stream,
			   per_thread))
LAUNCH_API(cudaLaunchKernelExC, 11060, either(function),
	   (const cudaLaunchConfig_t *config, const void *function, void **args),
	   (config, function, args),
	   config ? launch_config(either(function), config, args, per_thread)
		  : cudaErrorInvalidValue)

/* nvcc 12 and later: the stub holds a kernel handle. Reported as cudaLaunchKernel. */
static cudaError_t stub_launch(const void *function, struct kernel *k, dim3 grid, dim3 block,
			       void **args, size_t shared_bytes, cudaStream_t stream)
API_BODY(cudaError_t, 2, "cudaLaunchKernel_v7000", "cudaLaunchKernel", k->name, false,
	 rt_begin_ctx, rt_end, (function, grid, block, args, shared_bytes, stream),
	 launch(k, grid, block, args, shared_bytes, stream, per_thread))

static cudaError_t stub_launch_ptsz(const void *function, struct kernel *k, dim3 grid,
				    dim3 block, void **args, size_t shared_bytes,
				    cudaStream_t stream)
API_BODY(cudaError_t, 2, "cudaLaunchKernel_ptsz_v7000", "cudaLaunchKernel_ptsz", k->name, true,
	 rt_begin_ctx, rt_end, (function, grid, block, args, shared_bytes, stream),
	 launch(k, grid, block, args, shared_bytes, stream, per_thread))

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
			       size_t shared_bytes, cudaStream_t stream)
{
	struct kernel *k = (struct kernel *)kernel;

	if (!k)
		return cudaErrorInvalidDeviceFunction;
	return stub_launch(k->host, k, grid, block, args, shared_bytes, stream);
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
				    size_t shared_bytes, cudaStream_t stream)
{
	struct kernel *k = (struct kernel *)kernel;

	if (!k)
		return cudaErrorInvalidDeviceFunction;
	return stub_launch_ptsz(k->host, k, grid, block, args, shared_bytes, stream);
}

/* ---- questions about kernels ---- */

static cudaError_t attributes_get(struct cudaFuncAttributes *a, struct kernel *k)
{
	int shared = 0, local = 0, dynamic = 0;
	CUfunction f;
	cudaError_t r = kernel_function(k, &f);

	if (r)
		return r;
	memset(a, 0, sizeof(*a));
	cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f);
	cuFuncGetAttribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, f);
	cuFuncGetAttribute(&dynamic, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f);
	cuFuncGetAttribute(&a->numRegs, CU_FUNC_ATTRIBUTE_NUM_REGS, f);
	cuFuncGetAttribute(&a->maxThreadsPerBlock, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f);
	cuFuncGetAttribute(&a->binaryVersion, CU_FUNC_ATTRIBUTE_BINARY_VERSION, f);
	a->sharedSizeBytes = shared;
	a->localSizeBytes = local;
	a->maxDynamicSharedSizeBytes = dynamic;
	a->ptxVersion = a->binaryVersion;
	return cudaSuccess;
}

#define OF_KERNEL(function, expr)					\
	({								\
		CUfunction f;						\
		cudaError_t r = kernel_function(either(function), &f);	\
		r ? r : rt_error(expr);					\
	})

RT_API(cudaFuncGetAttributes, 3020,
       (struct cudaFuncAttributes *attributes, const void *function), (attributes, function),
       attributes_get(attributes, either(function)))
RT_API(cudaFuncSetAttribute, 9000, (const void *function, int attribute, int value),
       (function, attribute, value),
       OF_KERNEL(function, cuFuncSetAttribute(f, attribute, value)))
RT_API(cudaFuncSetCacheConfig, 3020, (const void *function, int config), (function, config),
       OF_KERNEL(function, cuFuncSetCacheConfig(f, config)))
RT_API(cudaFuncGetName, 12030, (const char **name, const void *function), (name, function),
       OF_KERNEL(function, cuFuncGetName(name, f)))
RT_API(cudaGetFuncBySymbol, 11000, (cudaFunction_t *function, const void *symbol),
       (function, symbol), kernel_function(either(symbol), function))
RT_API(cudaGetKernel, 12000, (cudaKernel_t *kernel, const void *symbol), (kernel, symbol),
       __cudaGetKernel(kernel, symbol))
RT_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor, 6050,
       (int *blocks, const void *function, int block_size, size_t shared_bytes),
       (blocks, function, block_size, shared_bytes),
       OF_KERNEL(function, cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, block_size,
								       shared_bytes)))
RT_API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 7000,
       (int *blocks, const void *function, int block_size, size_t shared_bytes,
	unsigned int flags), (blocks, function, block_size, shared_bytes, flags),
       OF_KERNEL(function, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
				   blocks, f, block_size, shared_bytes, flags)))
