// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sync: every way to wait, and checks that order is kept: within a stream, across streams by
 * events, by the legacy default stream, by host functions.
 */
#include "stub.h"

KERNEL(busy, "_ZN3ops4busyEPfj")
KERNELS(&busy_stub)

#define BUSY_BLOCKS 131072	/* 1.7 ms on the simulated GPU */
#define BUSY_COUNT 5000		/* some milliseconds on a real one */

static uint64_t stamps[8];
static int failed;

static void stamp(void *slot)
{
	stamps[(size_t)slot] = now_ns();
}

static void check(int ok, const char *fact)
{
	printf("%s: %s\n", ok ? "ok" : "FALSE", fact);
	failed |= !ok;
}

static noinline void busy_launch(cudaStream_t s)
{
	LAUNCH(busy, BUSY_BLOCKS, s, NULL, BUSY_COUNT);
}

static noinline void stamp_launch(cudaStream_t s, size_t slot)
{
	CALL(cudaLaunchHostFunc, s, stamp, (void *)slot);
}

static noinline void events(cudaStream_t a)
{
	cudaEvent_t start, end;
	float ms = 0;
	uint64_t host = now_ns();

	CALL(cudaEventCreate, &start);
	CALL(cudaEventCreate, &end);
	CALL(cudaEventRecord, start, a);
	for (int i = 0; i < 3; i++)
		busy_launch(a);
	CALL(cudaEventRecord, end, a);
	CALL(cudaEventSynchronize, end);
	host = now_ns() - host;
	CALL(cudaEventElapsedTime, &ms, start, end);
	check(ms > 0, "time passes between two events");
	check(ms * 1e6 <= host, "events around kernels measure no more than the host saw");
	check(cudaEventQuery(end) == cudaSuccess, "an event that was waited for has happened");
	CALL(cudaEventDestroy, start);
	CALL(cudaEventDestroy, end);
}

static noinline void across(cudaStream_t a, cudaStream_t b)
{
	cudaEvent_t event;

	CALL(cudaEventCreateWithFlags, &event, cudaEventDisableTiming | cudaEventBlockingSync);
	busy_launch(a);
	stamp_launch(a, 0);
	CALL(cudaEventRecord, event, a);
	CALL(cudaStreamWaitEvent, b, event, 0);
	stamp_launch(b, 1);
	CALL(cudaEventSynchronize, event);
	CALL(cudaStreamSynchronize, b);
	check(stamps[0] && stamps[1] >= stamps[0], "a stream waits for the event of another");
	CALL(cudaEventDestroy, event);
}

static noinline void within(cudaStream_t a)
{
	busy_launch(a);
	stamp_launch(a, 2);
	busy_launch(a);
	stamp_launch(a, 3);
	CALL(cudaStreamSynchronize, a);
	check(stamps[2] && stamps[3] > stamps[2], "a stream keeps its order");
}

static noinline void legacy(cudaStream_t a, cudaStream_t apart)
{
	busy_launch(a);
	stamp_launch(a, 4);
	busy_launch(NULL);		/* after a */
	stamp_launch(NULL, 5);
	stamp_launch(a, 6);		/* after the legacy stream */
	CALL(cudaDeviceSynchronize);
	check(stamps[5] >= stamps[4], "the legacy stream waits for a blocking stream");
	check(stamps[6] >= stamps[5], "a blocking stream waits for the legacy stream");
	busy_launch(NULL);
	CALL(cudaStreamSynchronize, apart);
	check(cudaStreamQuery(NULL) == cudaErrorNotReady, "a non-blocking stream does not");
	check(cudaGetLastError() == cudaErrorNotReady, "not ready is the last error");
	CALL(cudaDeviceSynchronize);
	check(cudaStreamQuery(NULL) == cudaSuccess, "after waiting for the device all is done");
}

/* The same where no host function holds anything up: only the times on the device tell. */
static noinline void legacy_times(cudaStream_t a)
{
	cudaEvent_t e[4];
	float after_legacy, after_a;

	for (int i = 0; i < 4; i++)
		CALL(cudaEventCreate, &e[i]);
	busy_launch(NULL);
	CALL(cudaEventRecord, e[0], NULL);
	CALL(cudaEventRecord, e[1], a);
	busy_launch(a);
	CALL(cudaEventRecord, e[2], a);
	CALL(cudaEventRecord, e[3], NULL);
	CALL(cudaDeviceSynchronize);
	CALL(cudaEventElapsedTime, &after_legacy, e[0], e[1]);
	CALL(cudaEventElapsedTime, &after_a, e[2], e[3]);
	check(after_legacy >= 0, "a blocking stream is after the legacy stream's kernel");
	check(after_a >= 0, "the legacy stream is after a blocking stream's kernel");
	for (int i = 0; i < 4; i++)
		CALL(cudaEventDestroy, e[i]);
}

int main(void)
{
	cudaStream_t a, b, apart;

	say_device();
	CALL(cudaStreamCreate, &a);
	CALL(cudaStreamCreate, &b);
	CALL(cudaStreamCreateWithFlags, &apart, cudaStreamNonBlocking);
	for (int i = 0; i < 5; i++)
		events(a);
	across(a, b);
	within(a);
	legacy(a, apart);
	legacy_times(a);
	CALL(cudaStreamDestroy, a);
	CALL(cudaStreamDestroy, b);
	CALL(cudaStreamDestroy, apart);
	expect_all();
	return failed;
}
