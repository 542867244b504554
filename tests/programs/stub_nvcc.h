/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What stub.h is to C, for the same programs built by nvcc: real kernels, real <<<>>>, the
 * toolkit's own headers. A kernel is nvcc::NAME whatever name it has in C.
 */
#ifndef STUB_NVCC_H
#define STUB_NVCC_H

#include "common.h"

struct stub { struct site site; };

static inline const char *nvcc_mangled(const char *name)
{
	char *text = (char *)malloc(strlen(name) + 32);

	if (!text)
		abort();
	sprintf(text, "_ZN4nvcc%zu%sEPfj", strlen(name), name);
	return text;
}

#define KERNEL(name, mangled)							\
	namespace nvcc {							\
	__global__ void name(float *out, unsigned int n)			\
	{									\
		unsigned int i = 0;						\
										\
		while (i < n)							\
			i += clock() ? 1 : 2;					\
		if (out)							\
			*out = i;						\
	}									\
	}									\
	static struct stub name##_stub = { { nvcc_mangled(#name) } };

#define KERNELS(...)

#define LAUNCH(name, blocks, stream, out, n)					\
	do {									\
		static struct site site_ = { "cudaLaunchKernel" };		\
										\
		nvcc::name<<<blocks, 256, 0, stream>>>(out, n);			\
		CHECK(cudaPeekAtLastError);					\
		site_count(&call_sites, &site_);				\
		site_count(&kernel_sites, &name##_stub.site);			\
	} while (0)

#define FUNCTION(name) ((void *)nvcc::name)
typedef cudaGraphExecUpdateResultInfo CUgraphExecUpdateResultInfo;

static inline void say_device(void)
{
	cudaDeviceProp p;

	CHECK(cudaGetDeviceProperties, &p, 0);
	printf("%s: runs on %s\n", program_invocation_short_name, p.name);
	fflush(stdout);
}

#endif
