// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * errors: calls that fail, each with the error that CUDA documents for it; between them the
 * program goes on. `expect errors:NAME N` says how many calls of NAME failed.
 */
#include "stub.h"

KERNEL(scale, "_ZN3ops5scaleIfEEvPT_j")
KERNELS(&scale_stub)

static struct site *failed_sites;
static int wrong;

/* Calls an API function that must return `error`; both the call and its failing are counted. */
#define FAILS(error, function, ...)							\
	do {										\
		static struct site called_ = { #function }, failed_ = { #function };	\
		int got_ = function(__VA_ARGS__);					\
											\
		site_count(&call_sites, &called_);					\
		site_count(&failed_sites, &failed_);					\
		answer(#function, error, got_);						\
	} while (0)

static void answer(const char *name, int want, int got)
{
	if (got == want)
		return;
	fprintf(stderr, "errors: %s returned %d (%s), not %d\n", name, got,
		cudaGetErrorName(got), want);
	wrong = 1;
}

static noinline void launches(void)
{
	float *out = NULL;
	unsigned int n = 1;
	void *args[] = { &out, &n };
	dim3 one = { 1, 1, 1 }, none = { 0, 1, 1 }, many = { 2048, 1, 1 };

	FAILS(cudaErrorInvalidConfiguration, cudaLaunchKernel, scale, one, many, args, 0, NULL);
	answer("cudaGetLastError", cudaErrorInvalidConfiguration, cudaGetLastError());
	answer("cudaGetLastError again", cudaSuccess, cudaGetLastError());
	FAILS(cudaErrorInvalidConfiguration, cudaLaunchKernel, scale, none, one, args, 0, NULL);
	FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel, answer, one, one, args, 0,
	      NULL);
	LAUNCH(scale, 1, NULL, NULL, 1);
}

static noinline void memory(void)
{
	char *device, host[64];
	void *unused;

	FAILS(cudaErrorMemoryAllocation, cudaMalloc, &unused, (size_t)1 << 50);
	CALL(cudaMalloc, (void **)&device, 4096);
	FAILS(cudaErrorInvalidValue, cudaMemcpy, host, device + (1 << 30), 64,
	      cudaMemcpyDeviceToHost);
	FAILS(cudaErrorInvalidValue, cudaFree, host);
	CALL(cudaFree, device);
	FAILS(cudaErrorInvalidValue, cudaFree, device);
}

static noinline void events(void)
{
	cudaEvent_t start, end;
	float ms;

	CALL(cudaEventCreate, &start);
	CALL(cudaEventCreate, &end);
	FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime, &ms, start, end);
	CALL(cudaEventDestroy, start);
	CALL(cudaEventDestroy, end);
}

/* Waiting for a stream that is being captured ends the capture. */
static noinline void capture(void)
{
	cudaStream_t stream;
	cudaGraph_t graph;

	CALL(cudaStreamCreate, &stream);
	CALL(cudaStreamBeginCapture, stream, cudaStreamCaptureModeThreadLocal);
	FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize, stream);
	FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture, stream, &graph);
	CALL(cudaStreamSynchronize, stream);
	CALL(cudaStreamDestroy, stream);
}

int main(void)
{
	say_device();
	launches();
	memory();
	events();
	capture();
	CALL(cudaDeviceSynchronize);
	expect("errors", sites_sum(failed_sites));
	sites_print(failed_sites, "errors");
	expect_all();
	return wrong;
}
