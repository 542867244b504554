// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * hostfuncs [ROUNDS=13]: functions of the host in the order of streams, as cudaLaunchHostFunc,
 * as callbacks and as nodes of a graph; each sees what the work before it left.
 */
#include "stub.h"

KERNEL(before, "_ZN4host6beforeEPfj")
KERNEL(after, "_ZN4host5afterEPfj")
KERNELS(&before_stub, &after_stub)

#define BYTES 1021		/* prime */

static unsigned char *device, *pinned, expected;
static uint64_t functions, callbacks, nodes, wrong;

static void look(void *count)
{
	add(*(uint64_t *)count, 1);
	if (pinned[0] != expected || pinned[BYTES - 1] != expected)
		add(wrong, 1);
}

static void called_back(cudaStream_t stream, cudaError_t status, void *count)
{
	if (status)
		add(wrong, 1);
	look(count);
}

static noinline void one_round(cudaStream_t s, unsigned char value)
{
	expected = value;
	SET(cudaMemsetAsync, device, value, BYTES, s);
	LAUNCH(before, 2, s, NULL, 20);
	COPY(DTOH, BYTES, cudaMemcpyAsync, pinned, device, BYTES, cudaMemcpyDeviceToHost, s);
	CALL(cudaLaunchHostFunc, s, look, &functions);
	CALL(cudaStreamAddCallback, s, called_back, &callbacks, 0);
	LAUNCH(after, 2, s, NULL, 20);
	CALL(cudaStreamSynchronize, s);
}

static noinline cudaGraphExec_t graph_make(cudaStream_t s)
{
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CALL(cudaStreamBeginCapture, s, cudaStreamCaptureModeGlobal);
	LAUNCH(before, 2, s, NULL, 20);
	CALL(cudaLaunchHostFunc, s, look, &nodes);
	LAUNCH(after, 2, s, NULL, 20);
	CALL(cudaStreamEndCapture, s, &graph);
	add(before_stub.site.count, -1);
	add(after_stub.site.count, -1);
	CALL(cudaGraphInstantiate, &exec, graph, 0);
	CALL(cudaGraphDestroy, graph);
	return exec;
}

int main(int argc, char **argv)
{
	uint64_t rounds = argument(argc, argv, 1, 13);
	cudaGraphExec_t exec;
	cudaStream_t s;

	say_device();
	CALL(cudaStreamCreate, &s);
	CALL(cudaMalloc, (void **)&device, BYTES);
	CALL(cudaMallocHost, (void **)&pinned, BYTES);
	exec = graph_make(s);
	for (uint64_t i = 0; i < rounds; i++) {
		one_round(s, i + 1);
		CALL(cudaGraphLaunch, exec, s);
		add(before_stub.site.count, 1);
		add(after_stub.site.count, 1);
		CALL(cudaStreamSynchronize, s);
	}
	if (wrong || functions != rounds || callbacks != rounds || nodes != rounds)
		fail_call("what host functions saw, which", (int)wrong);
	CALL(cudaGraphExecDestroy, exec);
	expect("graph_launches", rounds);
	expect("host_functions", functions + callbacks + nodes);
	expect_all();
	return 0;
}
