/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The simulated runtime: a thin layer over the simulated driver, as the real one is. Every
 * entry point does its work by calls of the driver's public entry points, so a listener sees
 * both, the driver's nested in the runtime's.
 */
#ifndef RUNTIME_H
#define RUNTIME_H

#include "api.h"
#include "cudart_abi.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof(*(a)))

/* runtime.c */
extern const struct sim_core *core;
cudaError_t rt_begin(struct sim_call *call);		/* cuInit was done */
cudaError_t rt_begin_ctx(struct sim_call *call);	/* and the thread has a context */
void rt_end(struct sim_call *call);
cudaError_t rt_error(CUresult r);
int rt_device(void);

/* register.c */
struct kernel {			/* what a cudaKernel_t points to */
	const void *host;
	const char *name;
	struct fatbin *fatbin;
	CUfunction function;	/* NULL until it is first needed */
};
struct kernel *kernel_of(const void *host);
struct kernel *kernel_of_handle(const void *handle);
const char *kernel_name(const struct kernel *k);
cudaError_t kernel_function(struct kernel *k, CUfunction *function);
cudaError_t variable_address(const void *host, CUdeviceptr *ptr, size_t *bytes);

#define RT_BODY(begin, ptsz, symbol, name, full, decl, args, expr)	\
	cudaError_t name decl						\
	API_BODY(cudaError_t, 2, full, #name, symbol, ptsz, begin, rt_end, args, expr)
/* version is the suffix of CUPTI's enumerator: cudaMalloc is known there as cudaMalloc_v3020 */
#define RT_PLAIN(name, version, decl, args, expr)	\
	RT_BODY(rt_begin, false, NULL, name, #name "_v" #version, decl, args, expr)
#define RT_API(name, version, decl, args, expr)	\
	RT_BODY(rt_begin_ctx, false, NULL, name, #name "_v" #version, decl, args, expr)
#define RT_STREAM_API(name, version, version_ptsz, decl, args, expr)			       \
	RT_API(name, version, decl, args, expr)						       \
	RT_BODY(rt_begin_ctx, true, NULL, name##_ptsz, #name "_ptsz_v" #version_ptsz, decl,    \
		args, expr)
#define RT_DEFAULT_API(name, version, decl, args, expr)	\
	RT_API(name, version, decl, args, expr)		\
	RT_BODY(rt_begin_ctx, true, NULL, name##_ptds, #name "_ptds_v7000", decl, args, expr)

/* The driver's entry point of the right default stream. */
#define ON_STREAM(name, ...)		\
	rt_error(per_thread ? name##_ptsz(__VA_ARGS__) : name(__VA_ARGS__))
#define ON_DEFAULT(name, ...)		\
	rt_error(per_thread ? name##_ptds(__VA_ARGS__) : name(__VA_ARGS__))

#endif
