// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A profiler's trace of any size, for import.sh: operators in two threads, in each a call and
 * its kernel, with the arguments that PyTorch 2.x writes.
 *   import BYTES > FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include "types.h"

static const char *const kernels[] = {
	"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, at::detail::Array<char*, 1> >(int, at::native::FillFunctor<float>, at::detail::Array<char*, 1>)",
	"ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn",
	"void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 3, 64, 64>(float*, unsigned int)",
	"triton_poi_fused_add_mul_0",
};
static const char *const ops[] = { "aten::addmm", "aten::linear", "aten::to", "aten::cat" };

static long long us(u64 ns)
{
	return ns / 1000;
}

/* A launch: four events, and the two ends of its arrow. */
static long launch(u64 i)
{
	u64 ts = 1000000 + i * 9001, gpu = ts + 30500;
	int tid = 4321 + i % 2 * 7, k = i * 7 % 4;
	long n = 0;

	n += printf("  {\n    \"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"model.py(%d): forward\", \"pid\": 4321, \"tid\": %d,\n    \"ts\": %lld.%03d, \"dur\": 17.500,\n    \"args\": {\n      \"Python parent id\": %llu, \"Python id\": %llu, \"Ev Idx\": %llu\n    }\n  },\n",
		    k * 10, tid, us(ts), (int)(ts % 1000), i, i + 1, i * 4);
	n += printf("  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"pid\": 4321, \"tid\": %d,\n    \"ts\": %lld.%03d, \"dur\": 15.250,\n    \"args\": {\n      \"External id\": %llu,\"Record function id\": 0, \"Concrete Inputs\": [\"\", \"\", \"\"], \"Input type\": [\"float\", \"float\", \"\"], \"Input Strides\": [[4096, 1], [1, 4096], []], \"Input Dims\": [[64, 4096], [4096, 4096], []], \"Ev Idx\": %llu\n    }\n  },\n",
		    ops[k], tid, us(ts + 1000), (int)(ts % 1000), i + 1, i * 4 + 1);
	n += printf("  {\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 4321, \"tid\": %d,\n    \"ts\": %lld.%03d, \"dur\": 6.125,\n    \"args\": {\n      \"External id\": %llu, \"cbid\": 211, \"correlation\": %llu\n    }\n  },\n",
		    tid, us(ts + 4000), (int)(ts % 1000), i + 1, i + 1);
	n += printf("  {\n    \"ph\": \"s\", \"id\": %llu, \"pid\": 4321, \"tid\": %d, \"ts\": %lld.%03d,\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"\n  },\n",
		    i + 1, tid, us(ts + 4000), (int)(ts % 1000));
	n += printf("  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"pid\": 0, \"tid\": 7,\n    \"ts\": %lld.%03d, \"dur\": 8.%03d,\n    \"args\": {\n      \"External id\": %llu, \"queued\": 0, \"device\": 0, \"context\": 1, \"stream\": 7, \"correlation\": %llu, \"registers per thread\": 32, \"shared memory\": 16384, \"blocks per SM\": 2.370370, \"warps per SM\": 9.481482, \"grid\": [%d, 1, 1], \"block\": [128, 1, 1], \"est. achieved occupancy %%\": 15\n    }\n  },\n",
		    kernels[k], us(gpu), (int)(gpu % 1000), (int)(i % 900), i + 1, i + 1,
		    64 + k);
	n += printf("  {\n    \"ph\": \"f\", \"id\": %llu, \"pid\": 0, \"tid\": 7, \"ts\": %lld.%03d,\n    \"cat\": \"ac2g\", \"name\": \"ac2g\", \"bp\": \"e\"\n  },\n",
		    i + 1, us(gpu), (int)(gpu % 1000));
	return n;
}

int main(int argc, char **argv)
{
	long bytes = argc > 1 ? atol(argv[1]) : 1000000, n = 0;

	printf("{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [{ \"id\": 0, \"name\": \"a GPU\", \"totalGlobalMem\": 85024112640, \"computeMajor\": 8, \"computeMinor\": 0, \"numSms\": 108 }],\n  \"baseTimeNanoseconds\": 1700000000000000000,\n  \"traceEvents\": [\n");
	for (u64 i = 0; n < bytes; i++)
		n += launch(i);
	printf("  {\n    \"ph\": \"M\", \"name\": \"process_name\", \"pid\": 4321, \"tid\": 0, \"ts\": 0, \"args\": { \"name\": \"python\" }\n  }\n  ]\n}\n");
	return fflush(stdout) || ferror(stdout);
}
