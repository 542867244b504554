// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * devices [ROUNDS=3]: a ring of all devices; each runs kernels on two streams and hands its
 * buffer to the next, device to device, behind an event. Counts by device are printed too.
 */
#include "stub.h"

KERNEL(step, "_ZN4ring4stepEPfj")
KERNELS(&step_stub)

#define MAX 16
#define BYTES 131071u		/* prime */

static struct node {
	float *buffer;
	cudaStream_t compute, copy;
	cudaEvent_t done;
	uint64_t kernels, copied;
} nodes[MAX];

static noinline void node_make(int device)
{
	struct node *n = &nodes[device];

	CALL(cudaSetDevice, device);
	CALL(cudaMalloc, (void **)&n->buffer, BYTES);
	CALL(cudaStreamCreateWithFlags, &n->compute, cudaStreamNonBlocking);
	CALL(cudaStreamCreateWithFlags, &n->copy, cudaStreamNonBlocking);
	CALL(cudaEventCreateWithFlags, &n->done, cudaEventDisableTiming);
	SET(cudaMemset, n->buffer, device + 1, BYTES);
}

static noinline void work(int device, int count)
{
	struct node *n = &nodes[device];
	int next = (device + 1) % count;

	CALL(cudaSetDevice, device);
	for (int i = 0; i <= device; i++) {
		LAUNCH(step, 4, n->compute, n->buffer, 100);
		n->kernels++;
	}
	CALL(cudaEventRecord, n->done, n->compute);
	CALL(cudaStreamWaitEvent, n->copy, n->done, 0);
	if (next == device)
		return;
	CALL(cudaMemcpyPeerAsync, nodes[next].buffer, next, n->buffer, device, BYTES, n->copy);
	copy_count(PTOP, BYTES);
	n->copied += BYTES;
}

static noinline void peers(int count)
{
	for (int a = 0; a < count; a++)
		for (int b = 0; b < count; b++) {
			int can = 0;

			if (a == b)
				continue;
			CALL(cudaSetDevice, a);
			CALL(cudaDeviceCanAccessPeer, &can, a, b);
			if (can)
				CALL(cudaDeviceEnablePeerAccess, b, 0);
		}
}

int main(int argc, char **argv)
{
	uint64_t rounds = argument(argc, argv, 1, 3);
	unsigned char got = 0;
	int count = 0;

	say_device();
	CHECK(cudaGetDeviceCount, &count);
	if (count > MAX)
		count = MAX;
	peers(count);
	for (int i = 0; i < count; i++)
		node_make(i);
	for (uint64_t r = 0; r < rounds; r++)
		for (int i = 0; i < count; i++) {
			work(i, count);
			CALL(cudaDeviceSynchronize);
		}
	COPY(DTOH, 1, cudaMemcpy, &got, (char *)nodes[0].buffer + BYTES - 1, 1,
	     cudaMemcpyDeviceToHost);
	if (got != 1)	/* device 0's byte went round */
		fail_call("a byte that went round, which", got);
	expect("devices", count);
	for (int i = 0; i < count; i++)
		printf("expect kernels@%d %lu\nexpect bytes@%d %lu\n", i,
		       (unsigned long)nodes[i].kernels, i, (unsigned long)nodes[i].copied);
	expect_all();
	return 0;
}
