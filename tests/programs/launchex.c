// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * launchex [ROUNDS=11]: every way to launch a kernel but <<<>>>: cudaLaunchKernelExC and
 * cuLaunchKernelEx with attributes, cooperative launches of both APIs, cuLaunchKernel; on a
 * stream of its own, on the legacy stream and on the thread's default stream.
 */
#include "stub.h"

KERNEL(extended, "_ZN2ex8extendedEPfj")
KERNEL(together, "_ZN2ex8togetherEPfj")
KERNEL(plain, "_ZN2ex5plainEPfj")
KERNELS(&extended_stub, &together_stub, &plain_stub)

#define ATTRIBUTE_COOPERATIVE 2
#define ATTRIBUTE_PRIORITY 8

static void *null_output;
static unsigned int n = 64;
static void *args[] = { &null_output, &n };

#define DIMS 6, 5, 4, 32, 2, 1
static const dim3 grid = { 6, 5, 4 }, block = { 32, 2, 1 };

#define KERNEL_CALL(stub, ...)					\
	do {							\
		CALL(__VA_ARGS__);				\
		site_count(&kernel_sites, &(stub).site);	\
	} while (0)

static CUfunction function_of(struct stub *s)
{
	CUfunction f;

	CALL(cudaGetFuncBySymbol, &f, s->host);
	return f;
}

static noinline void by_runtime(cudaStream_t stream)
{
	cudaLaunchAttribute attributes[2] = { { .id = ATTRIBUTE_PRIORITY } };
	cudaLaunchConfig_t config = {
		.gridDim = grid, .blockDim = block, .dynamicSmemBytes = 128, .stream = stream,
		.attrs = attributes, .numAttrs = 1,
	};

	KERNEL_CALL(extended_stub, cudaLaunchKernelExC, &config, (void *)extended, args);
	KERNEL_CALL(together_stub, cudaLaunchCooperativeKernel, (void *)together, grid, block,
		    args, 0, stream);
	KERNEL_CALL(plain_stub, cudaLaunchKernel, (void *)plain, grid, block, args, 0, stream);
}

static noinline void by_driver(cudaStream_t stream)
{
	CUlaunchAttribute attribute = { .id = ATTRIBUTE_COOPERATIVE, .value = { 1 } };
	CUlaunchConfig config = {
		.gridDimX = 6, .gridDimY = 5, .gridDimZ = 4, .blockDimX = 32, .blockDimY = 2,
		.blockDimZ = 1, .hStream = stream, .attrs = &attribute, .numAttrs = 1,
	};
	CUfunction f = function_of(&extended_stub), g = function_of(&together_stub);

	KERNEL_CALL(extended_stub, cuLaunchKernelEx, &config, f, args, NULL);
	KERNEL_CALL(together_stub, cuLaunchCooperativeKernel, g, DIMS, 0, stream, args);
	KERNEL_CALL(plain_stub, cuLaunchKernel, function_of(&plain_stub), DIMS, 0, stream, args,
		    NULL);
}

/* The twins that a program built for a default stream of each thread calls. */
static noinline void by_thread(void)
{
	cudaLaunchConfig_t config = { .gridDim = grid, .blockDim = block };
	CUfunction f = function_of(&plain_stub);

	KERNEL_CALL(extended_stub, cudaLaunchKernelExC_ptsz, &config, (void *)extended, args);
	KERNEL_CALL(together_stub, cudaLaunchCooperativeKernel_ptsz, (void *)together, grid,
		    block, args, 0, 0);
	KERNEL_CALL(plain_stub, cuLaunchKernel_ptsz, f, DIMS, 0, 0, args, NULL);
}

int main(int argc, char **argv)
{
	uint64_t rounds = argument(argc, argv, 1, 11);
	cudaStream_t stream;

	say_device();
	CALL(cudaStreamCreate, &stream);
	for (uint64_t i = 0; i < rounds; i++) {
		by_runtime(i % 2 ? stream : 0);
		by_driver(i % 2 ? 0 : stream);
		by_thread();
	}
	CALL(cudaDeviceSynchronize);
	expect("blocks", 120 * 9 * rounds);
	expect("threads", 64 * 120 * 9 * rounds);
	expect_all();
	return 0;
}
