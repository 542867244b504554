// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * graphs [LAUNCHES=11] [KERNELS=7]: a graph captured from two streams (fork and join), and one
 * built node by node, launched in turn LAUNCHES times; once more after the second was updated.
 * Captured launches are API calls but no kernels.
 */
#include "stub.h"

KERNEL(attention, "_ZN3ops9attentionEPfj")
KERNEL(relu, "_ZN3ops4reluEPfj")
KERNELS(&attention_stub, &relu_stub)

#define COPY_BYTES 8209		/* prime */

static cudaStream_t main_stream, side_stream;
static float *device_buffer;
static char *host_buffer;

/* Takes back what LAUNCH counted while it only captured; each graph launch adds it again. */
static noinline void capture_layers(uint64_t kernels)
{
	for (uint64_t i = 0; i < kernels; i++) {
		LAUNCH(attention, 256, main_stream, device_buffer, 100);
		add(attention_stub.site.count, -1);
	}
}

static noinline cudaGraphExec_t graph_capture(uint64_t kernels)
{
	cudaEvent_t fork, join;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CALL(cudaEventCreateWithFlags, &fork, cudaEventDisableTiming);
	CALL(cudaEventCreateWithFlags, &join, cudaEventDisableTiming);
	CALL(cudaStreamBeginCapture, main_stream, cudaStreamCaptureModeGlobal);
	CALL(cudaMemcpyAsync, device_buffer, host_buffer, COPY_BYTES, cudaMemcpyHostToDevice,
	     main_stream);
	CALL(cudaEventRecord, fork, main_stream);
	CALL(cudaStreamWaitEvent, side_stream, fork, 0);
	LAUNCH(relu, 256, side_stream, device_buffer, 100);
	add(relu_stub.site.count, -1);
	capture_layers(kernels);
	CALL(cudaEventRecord, join, side_stream);
	CALL(cudaStreamWaitEvent, main_stream, join, 0);
	CALL(cudaStreamEndCapture, main_stream, &graph);
	CALL(cudaGraphInstantiate, &exec, graph, 0);
	CALL(cudaGraphDestroy, graph);
	CALL(cudaEventDestroy, fork);
	CALL(cudaEventDestroy, join);
	return exec;
}

static noinline cudaGraphExec_t graph_build(void)
{
	struct cudaMemsetParams set = {
		.dst = device_buffer, .value = 7, .elementSize = 1, .width = 4096, .height = 1,
	};
	float *out = device_buffer;
	unsigned int n = 10;
	void *args[] = { &out, &n };
	struct cudaKernelNodeParams kernel = {
		.func = (void *)relu, .gridDim = { 64, 1, 1 }, .blockDim = { 256, 1, 1 },
		.kernelParams = args,
	};
	cudaGraphNode_t first, second;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CALL(cudaGraphCreate, &graph, 0);
	CALL(cudaGraphAddMemsetNode, &first, graph, NULL, 0, &set);
	CALL(cudaGraphAddKernelNode, &second, graph, &first, 1, &kernel);
	CALL(cudaGraphInstantiate, &exec, graph, 0);
	CALL(cudaGraphDestroy, graph);
	return exec;
}

/* The built graph again with another value to set, put into the exec that exists. */
static noinline void graph_update(cudaGraphExec_t exec)
{
	CUgraphExecUpdateResultInfo info;
	cudaStream_t s = side_stream;
	cudaGraph_t graph;

	CALL(cudaStreamBeginCapture, s, cudaStreamCaptureModeGlobal);
	CALL(cudaMemsetAsync, device_buffer, 9, 4096, s);
	LAUNCH(relu, 64, s, device_buffer, 10);
	add(relu_stub.site.count, -1);
	CALL(cudaStreamEndCapture, s, &graph);
	CALL(cudaGraphExecUpdate, exec, graph, &info);
	CALL(cudaGraphDestroy, graph);
}

static noinline void check_buffer(int set, int copied)
{
	unsigned char got[2];

	COPY(DTOH, 2, cudaMemcpy, got, (char *)device_buffer + 4095, 2, cudaMemcpyDeviceToHost);
	if (got[0] == set && got[1] == copied)
		return;
	fprintf(stderr, "graphs: set and copy left %d %d, not %d %d\n", got[0], got[1], set,
		copied);
	exit(1);
}

static noinline void replay(cudaGraphExec_t captured, cudaGraphExec_t built, uint64_t kernels)
{
	CALL(cudaGraphLaunch, captured, main_stream);
	copy_count(HTOD, COPY_BYTES);
	add(attention_stub.site.count, kernels);
	add(relu_stub.site.count, 1);
	CALL(cudaGraphLaunch, built, main_stream);
	add(sets, 1);
	add(relu_stub.site.count, 1);
}

int main(int argc, char **argv)
{
	uint64_t launches = argument(argc, argv, 1, 11), kernels = argument(argc, argv, 2, 7);
	cudaGraphExec_t captured, built;

	say_device();
	CALL(cudaMalloc, (void **)&device_buffer, 1 << 20);
	CALL(cudaMallocHost, (void **)&host_buffer, COPY_BYTES);
	memset(host_buffer, 3, COPY_BYTES);
	CALL(cudaStreamCreate, &main_stream);
	CALL(cudaStreamCreate, &side_stream);
	captured = graph_capture(kernels);
	built = graph_build();
	for (uint64_t i = 0; i < launches; i++)
		replay(captured, built, kernels);
	CALL(cudaStreamSynchronize, main_stream);
	check_buffer(7, 3);
	graph_update(built);
	replay(captured, built, kernels);
	CALL(cudaStreamSynchronize, main_stream);
	check_buffer(9, 3);
	CALL(cudaGraphExecDestroy, captured);
	CALL(cudaGraphExecDestroy, built);
	expect("graph_launches", 2 * (launches + 1));
	expect("graph_nodes_captured", kernels + 2);	/* in the one that is launched */
	expect("graph_nodes_added", 2);			/* by hand, in the other */
	expect_all();
	return 0;
}
