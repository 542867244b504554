// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Kernel launches: checked, timed by the model, never executed (but see uvm.c). */
#include "engine.h"

#define BLOCK_MAX 1024

CUresult kernel_work(struct work *w, CUfunction f, const uint32_t *grid, const uint32_t *block,
		     uint32_t shared_bytes)
{
	uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
	uint64_t threads = (uint64_t)block[0] * block[1] * block[2];

	if (!function_of(f))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!blocks || !threads || threads > BLOCK_MAX || block[2] > 64 || grid[1] > 65535 ||
	    grid[2] > 65535 || shared_bytes > f->dynamic_max)
		return CUDA_ERROR_INVALID_VALUE;
	*w = (struct work){
		.duration = model_kernel(f, blocks * threads),
		.rec = {
			.type = SIM_KERNEL, .name = f->name,
			.grid = { grid[0], grid[1], grid[2] },
			.block = { block[0], block[1], block[2] },
			.registers = f->registers, .static_shared = f->static_shared,
			.dynamic_shared = shared_bytes, .local_bytes = f->local_bytes,
		},
	};
	return CUDA_SUCCESS;
}

static CUresult launch(CUfunction f, const uint32_t *dims, uint32_t shared_bytes,
		       struct CUstream_st *s, void **params)
{
	struct work w;
	CUresult r = s ? kernel_work(&w, f, dims, dims + 3, shared_bytes)
		       : CUDA_ERROR_INVALID_HANDLE;

	if (r)
		return r;
	if (unlikely(s->capture.graph))
		return capture_add(s, &w, CU_GRAPH_NODE_TYPE_KERNEL);
	uvm_kernel(&w, s->ctx, params);
	return submit(s, &w, NULL);
}

#define LAUNCH_API(name, decl, args, expr)						\
	DRIVER(api_begin_ctx, false, function_name(function), name, decl, args, expr)	\
	DRIVER(api_begin_ctx, true, function_name(function), name##_ptsz, decl, args, expr)
#define DIMS ((uint32_t[]){ grid_x, grid_y, grid_z, block_x, block_y, block_z })

LAUNCH_API(cuLaunchKernel,
	   (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
	    unsigned int block_x, unsigned int block_y, unsigned int block_z,
	    unsigned int shared_bytes, CUstream stream, void **params, void **extra),
	   (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,
	    params, extra),
	   launch(function, DIMS, shared_bytes, stream_of(stream, per_thread), params))
LAUNCH_API(cuLaunchCooperativeKernel,
	   (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
	    unsigned int block_x, unsigned int block_y, unsigned int block_z,
	    unsigned int shared_bytes, CUstream stream, void **params),
	   (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,
	    params),
	   launch(function, DIMS, shared_bytes, stream_of(stream, per_thread), params))
LAUNCH_API(cuLaunchKernelEx,
	   (const CUlaunchConfig *config, CUfunction function, void **params, void **extra),
	   (config, function, params, extra),
	   config ? launch(function, &config->gridDimX, config->sharedMemBytes,
			   stream_of(config->hStream, per_thread), params)
		  : CUDA_ERROR_INVALID_VALUE)
