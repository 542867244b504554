// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * launchloop [COUNT=100000] [RATE=0]: launches COUNT small kernels, at most RATE a second (0:
 * as fast as it can), and prints what one launch cost the host, on average and the middle one
 * (a machine that is shared makes the average mean little), and what rate was reached.
 */
#include "stub.h"

KERNEL(scale, "_ZN3ops5scaleIfEEvPT_j")
KERNELS(&scale_stub)

#define STREAMS 4
#define BUCKETS 8192		/* of 8 ns */

static uint64_t buckets[BUCKETS];

/* Waits without sleeping: a sleep is longer than the pause between launches. */
static void pace(uint64_t start, uint64_t i, uint64_t rate)
{
	while (rate && (now_ns() - start) * rate < i * 1000000000ull)
		;
}

static noinline uint64_t launch_all(cudaStream_t *streams, uint64_t count, uint64_t rate)
{
	uint64_t start = now_ns(), busy = 0, before;

	for (uint64_t i = 0; i < count; i++) {
		pace(start, i, rate);
		before = now_ns();
		LAUNCH(scale, 1, streams[i % STREAMS], NULL, 1);
		before = now_ns() - before;
		buckets[before / 8 < BUCKETS ? before / 8 : BUCKETS - 1]++;
		busy += before;
	}
	return busy;
}

static uint64_t percentile(uint64_t count, int percent)
{
	uint64_t i = 0, seen = 0;

	while (i < BUCKETS - 1 && (seen += buckets[i]) * 100 < count * percent)
		i++;
	return i * 8;
}

int main(int argc, char **argv)
{
	uint64_t count = argument(argc, argv, 1, 100000), rate = argument(argc, argv, 2, 0);
	cudaStream_t streams[STREAMS];
	uint64_t start, busy, took;

	say_device();
	for (int i = 0; i < STREAMS; i++)
		CALL(cudaStreamCreateWithFlags, &streams[i], cudaStreamNonBlocking);
	LAUNCH(scale, 1, NULL, NULL, 1);	/* loads the module */
	CALL(cudaDeviceSynchronize);
	start = now_ns();
	busy = launch_all(streams, count, rate);
	took = now_ns() - start;
	CALL(cudaDeviceSynchronize);
	printf("launchloop: ns_per_launch=%.1f p50_ns=%lu p99_ns=%lu launches_per_s=%.0f "
	       "seconds=%.3f\n", (double)busy / count, (unsigned long)percentile(count, 50),
	       (unsigned long)percentile(count, 99), count / (took / 1e9), took / 1e9);
	expect_all();
	return 0;
}
