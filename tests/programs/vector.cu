// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// vector [ROUNDS=19]: what nvcc makes of templates in a namespace; prints what it did.
#include <cstdio>
#include <cstdlib>

namespace ops {
template <typename T> __global__ void saxpy(T a, const T *x, T *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] += a * x[i];
}

struct wide {
	double a, b;
};

__global__ void widen(const float *x, wide *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = { x[i], x[i] };
}
}

__constant__ float factor[4];

#define CHECK(call)									\
	do {										\
		cudaError_t error = call;						\
		if (error != cudaSuccess) {						\
			fprintf(stderr, "vector: cannot go on: %s: %s\n", #call,	\
				cudaGetErrorName(error));				\
			exit(1);							\
		}									\
	} while (0)

static __attribute__((noinline)) void train(float *x, float *y, ops::wide *w, int n,
					    cudaStream_t stream, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		ops::saxpy<float><<<(n + 255) / 256, 256, 0, stream>>>(2.0f, x, y, n);
		CHECK(cudaGetLastError());
		ops::widen<<<(n + 255) / 256, 256, 0, stream>>>(y, w, n);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
}

int main(int argc, char **argv)
{
	const int n = 65537, rounds = argc > 1 ? atoi(argv[1]) : 19;
	const float host_factor[4] = { 1, 2, 3, 4 };
	float *x, *y, *host = (float *)malloc(n * sizeof(*host));
	cudaDeviceProp prop;
	cudaStream_t stream;
	ops::wide *w;

	CHECK(cudaGetDeviceProperties(&prop, 0));
	printf("vector: runs on %s\n", prop.name);
	CHECK(cudaMalloc(&x, n * sizeof(*x)));
	CHECK(cudaMalloc(&y, n * sizeof(*y)));
	CHECK(cudaMalloc(&w, n * sizeof(*w)));
	for (int i = 0; i < n; i++)
		host[i] = i;
	CHECK(cudaMemcpyToSymbol(factor, host_factor, sizeof(host_factor)));
	CHECK(cudaMemcpy(x, host, n * sizeof(*x), cudaMemcpyHostToDevice));
	CHECK(cudaMemset(y, 0, n * sizeof(*y)));
	CHECK(cudaStreamCreate(&stream));
	train(x, y, w, n, stream, rounds);
	CHECK(cudaMemcpy(host, y, n * sizeof(*y), cudaMemcpyDeviceToHost));
	CHECK(cudaFree(x));
	CHECK(cudaFree(y));
	CHECK(cudaFree(w));
	printf("expect kernels %d\nexpect copies 3\nexpect sets 1\n", 2 * rounds);
	printf("expect bytes_HtoD %zu\nexpect bytes_DtoH %zu\n",
	       n * sizeof(*x) + sizeof(host_factor), n * sizeof(*y));
	printf("expect api:cudaLaunchKernel %d\nexpect api:cudaMalloc 3\n", 2 * rounds);
	return 0;
}
