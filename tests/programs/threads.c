// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * threads [THREADS=4] [STREAMS=3] [ROUNDS=29]: threads on all devices in turn, each with
 * streams of its own.
 */
#include <pthread.h>

#include "stub.h"

KERNEL(scale, "_ZN3ops5scaleIfEEvPT_j")
KERNEL(reduce, "_ZN3ops10reduce_sumEPfj")
KERNELS(&scale_stub, &reduce_stub)

#define STREAMS_MAX 64

static uint64_t streams = 3, rounds = 29;
static int devices;

static void device_check(const void *buffer, int device)
{
	struct cudaPointerAttributes a;

	CHECK(cudaPointerGetAttributes, &a, buffer);
	if (a.device != device || a.type != cudaMemoryTypeDevice) {
		fprintf(stderr, "threads: memory of device %d is on %d\n", device, a.device);
		exit(1);
	}
}

static noinline void round_run(cudaStream_t *s, float *buffer)
{
	for (uint64_t i = 0; i < streams; i++) {
		LAUNCH(scale, 64, s[i], buffer, 100);
		LAUNCH(reduce, 16, s[i], buffer, 100);
	}
}

static void *worker(void *number)
{
	cudaStream_t s[STREAMS_MAX];
	float *buffer;

	CHECK(cudaSetDevice, (size_t)number % devices);
	CALL(cudaMalloc, (void **)&buffer, 4096);
	device_check(buffer, (size_t)number % devices);
	for (uint64_t i = 0; i < streams; i++)
		CALL(cudaStreamCreateWithFlags, &s[i], cudaStreamNonBlocking);
	for (uint64_t i = 0; i < rounds; i++)
		round_run(s, buffer);
	for (uint64_t i = 0; i < streams; i++) {
		CALL(cudaStreamSynchronize, s[i]);
		CALL(cudaStreamDestroy, s[i]);
	}
	CALL(cudaFree, buffer);
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t count = argument(argc, argv, 1, 4);
	pthread_t threads[64];

	streams = argument(argc, argv, 2, streams);
	rounds = argument(argc, argv, 3, rounds);
	if (count > 64 || streams > STREAMS_MAX)
		return 2;
	say_device();
	CHECK(cudaGetDeviceCount, &devices);
	for (uint64_t i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	for (uint64_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	expect("devices", devices);
	expect_all();
	return 0;
}
