// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What every runtime call begins and ends with: cuInit at the first one, a primary context for
 * each thread, the last error. Also errors by name and versions.
 */
#include "runtime.h"

const struct sim_core *core;
static __thread cudaError_t last_error;
static __thread int device;		/* of cudaSetDevice */
static __thread int bound;		/* 1 + device whose context is current */
static __thread uint32_t bound_epoch;
static uint32_t epoch = 1;		/* cudaDeviceReset makes all threads bind anew */
static bool faults;

/* Counted as an API call of nobody: the real runtime initialises the driver unseen too. */
static cudaError_t rt_init(void)
{
	CUresult r;

	if (__builtin_expect(core && core->initialized(), 1))
		return cudaSuccess;
	r = cuInit(0);
	if (!core) {
		faults = cudasim_core()->setting("FAIL") != NULL;
		core = cudasim_core();
	}
	return rt_error(r);
}

/* The thread's context, made when it is first needed; one set through the driver is kept. */
static cudaError_t rt_bind(void)
{
	CUcontext ctx = NULL;
	CUresult r;

	if (__builtin_expect(bound == device + 1 && bound_epoch == epoch, 1))
		return cudaSuccess;
	if (!bound && !cuCtxGetCurrent(&ctx) && ctx) {
		r = CUDA_SUCCESS;
	} else {
		r = cuDevicePrimaryCtxRetain(&ctx, device);
		if (!r)
			r = cuCtxSetCurrent(ctx);
	}
	if (!r) {
		bound = device + 1;
		bound_epoch = epoch;
	}
	return rt_error(r);
}

cudaError_t rt_begin(struct sim_call *call)
{
	cudaError_t r = rt_init();

	if (r)
		return r;
	core->call_enter(call);
	return __builtin_expect(faults, 0) ? (cudaError_t)core->fail(call->function) : 0;
}

cudaError_t rt_begin_ctx(struct sim_call *call)
{
	cudaError_t r = rt_begin(call);

	return r ? r : rt_bind();
}

void rt_end(struct sim_call *call)
{
	cudaError_t r = *(cudaError_t *)call->result;

	if (r)
		last_error = r;
	if (call->correlation)
		core->call_exit(call);
}

cudaError_t rt_error(CUresult r)
{
	return (cudaError_t)r;
}

int rt_device(void)
{
	return device;
}

static cudaError_t device_set(int ordinal)
{
	if (ordinal < 0 || ordinal >= core->device_count())
		return cudaErrorInvalidDevice;
	device = ordinal;
	return rt_bind();
}

static cudaError_t reset(void)
{
	epoch++;
	bound = 0;
	cuCtxSetCurrent(NULL);
	return rt_error(cuDevicePrimaryCtxReset_v2(device));
}

#define GIVE(ptr, value) ((ptr) ? (*(ptr) = (value), cudaSuccess) : cudaErrorInvalidValue)

RT_PLAIN(cudaSetDevice, 3020, (int ordinal), (ordinal), device_set(ordinal))
RT_PLAIN(cudaInitDevice, 12000, (int ordinal, unsigned int device_flags, unsigned int flags),
	 (ordinal, device_flags, flags), device_set(ordinal))
RT_PLAIN(cudaGetDevice, 3020, (int *out), (out), GIVE(out, device))
RT_API(cudaDeviceReset, 3020, (void), (), reset())
RT_API(cudaDeviceSynchronize, 3020, (void), (), rt_error(cuCtxSynchronize()))
RT_PLAIN(cudaProfilerStart, 4000, (void), (), rt_error(cuProfilerStart()))
RT_PLAIN(cudaProfilerStop, 4000, (void), (), rt_error(cuProfilerStop()))

cudaError_t cudaGetDeviceCount(int *count)
{
	cudaError_t r = rt_init();

	if (count)
		*count = r ? 0 : core->device_count();
	return last_error = r ? r : count ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaDriverGetVersion(int *version)
{
	return rt_error(cuDriverGetVersion(version));
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	return GIVE(version, CUDA_ABI_VERSION);
}

/* ---- errors ---- */

cudaError_t cudaGetLastError(void)
{
	cudaError_t r = last_error;

	last_error = cudaSuccess;
	return r;
}

cudaError_t cudaPeekAtLastError(void)
{
	return last_error;
}

const char *cudaGetErrorName(cudaError_t error)
{
	switch (error) {
#define NAME_CASE(name, number)		\
	case number:			\
		return "cudaError" #name;
	CUDART_ERRORS(NAME_CASE)
	default:
		return error ? "unrecognized error code" : "cudaSuccess";
	}
}

const char *cudaGetErrorString(cudaError_t error)
{
	const char *text = NULL;

	if (error == cudaErrorInvalidConfiguration)
		return "invalid configuration argument";
	if (error == cudaErrorInvalidDeviceFunction)
		return "invalid device function";
	cuGetErrorString((CUresult)error, &text);
	return text ? text : cudaGetErrorName(error);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
					     unsigned int version, unsigned long long flags,
					     int *status)
{
	CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SUCCESS;
	CUresult r = cuGetProcAddress_v2(symbol, function, version, flags, &found);

	if (status)
		*status = found;
	return rt_error(r);
}
