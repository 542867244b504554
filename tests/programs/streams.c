// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * streams [STREAMS=7] [KERNELS=5]: a chain of streams, each waiting for an event of the one
 * before it; the times between events must be those of the order. Counts by stream, under
 * the id that the runtime says, are printed too.
 */
#include "stub.h"

KERNEL(link_kernel, "_ZN5chain4linkEPfj")
KERNELS(&link_kernel_stub)

#define MAX 64

static struct link {
	cudaStream_t stream;
	cudaEvent_t begin, end;
	uint64_t kernels;
	unsigned long long id;
} links[MAX];

static noinline void link_make(struct link *l, uint64_t i)
{
	int least, greatest;

	CALL(cudaDeviceGetStreamPriorityRange, &least, &greatest);
	if (i % 3 == 0)
		CALL(cudaStreamCreate, &l->stream);
	else if (i % 3 == 1)
		CALL(cudaStreamCreateWithFlags, &l->stream, cudaStreamNonBlocking);
	else
		CALL(cudaStreamCreateWithPriority, &l->stream, cudaStreamNonBlocking, greatest);
	CALL(cudaStreamGetId, l->stream, &l->id);
	CALL(cudaEventCreate, &l->begin);
	CALL(cudaEventCreate, &l->end);
}

static noinline void link_run(struct link *l, const struct link *before, uint64_t kernels)
{
	if (before)
		CALL(cudaStreamWaitEvent, l->stream, before->end, 0);
	CALL(cudaEventRecord, l->begin, l->stream);
	for (uint64_t i = 0; i < kernels; i++)
		LAUNCH(link_kernel, 2, l->stream, NULL, 1000);
	l->kernels += kernels;
	CALL(cudaEventRecord, l->end, l->stream);
}

static noinline void times_check(uint64_t count)
{
	float inside, between;

	for (uint64_t i = 0; i < count; i++) {
		CALL(cudaEventElapsedTime, &inside, links[i].begin, links[i].end);
		if (inside <= 0)
			fail_call("the time of kernels, which is none and", (int)i);
		if (!i)
			continue;
		CALL(cudaEventElapsedTime, &between, links[i - 1].end, links[i].begin);
		if (between < 0)
			fail_call("an event before what it waited for, which", (int)i);
	}
}

int main(int argc, char **argv)
{
	uint64_t count = argument(argc, argv, 1, 7), kernels = argument(argc, argv, 2, 5);

	say_device();
	if (count > MAX)
		count = MAX;
	for (uint64_t i = 0; i < count; i++)
		link_make(&links[i], i);
	for (uint64_t i = 0; i < count; i++)
		link_run(&links[i], i ? &links[i - 1] : NULL, kernels + i);
	CALL(cudaEventSynchronize, links[count - 1].end);
	times_check(count);
	for (uint64_t i = 0; i < count; i++) {
		printf("expect kernels@stream%llu %lu\n", links[i].id,
		       (unsigned long)links[i].kernels);
		CALL(cudaStreamDestroy, links[i].stream);
		CALL(cudaEventDestroy, links[i].begin);
		CALL(cudaEventDestroy, links[i].end);
	}
	expect("streams", count);
	expect_all();
	return 0;
}
