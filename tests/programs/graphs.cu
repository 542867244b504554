// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// graphs [LAUNCHES=13]: a graph captured from <<<>>> launches of nvcc's making.
#include <cstdio>
#include <cstdlib>

namespace layers {
template <int K> __global__ void layer(float *x)
{
	x[threadIdx.x] += K;
}
}

#define CHECK(call)									\
	do {										\
		cudaError_t error = call;						\
		if (error != cudaSuccess) {						\
			fprintf(stderr, "graphs: cannot go on: %s: %s\n", #call,	\
				cudaGetErrorName(error));				\
			exit(1);							\
		}									\
	} while (0)

static __attribute__((noinline)) void capture_model(float *x, cudaStream_t stream)
{
	layers::layer<1><<<64, 256, 0, stream>>>(x);
	layers::layer<2><<<64, 256, 0, stream>>>(x);
	layers::layer<3><<<64, 256, 0, stream>>>(x);
	CHECK(cudaMemsetAsync(x, 0, 1024, stream));
}

int main(int argc, char **argv)
{
	const int launches = argc > 1 ? atoi(argv[1]) : 13;
	cudaDeviceProp prop;
	cudaStream_t stream;
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	float *x;

	CHECK(cudaGetDeviceProperties(&prop, 0));
	printf("graphs: runs on %s\n", prop.name);
	CHECK(cudaMalloc(&x, 4096));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	capture_model(x, stream);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	for (int i = 0; i < launches; i++)
		CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	printf("expect kernels %d\nexpect copies 0\nexpect sets %d\n", 3 * launches, launches);
	printf("expect graph_launches %d\nexpect graph_nodes_captured 4\n", launches);
	printf("expect api:cudaLaunchKernel 3\nexpect api:cudaGraphLaunch %d\n", launches);
	return 0;
}
