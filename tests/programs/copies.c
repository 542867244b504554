// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * copies: every direction, pinned and pageable, waiting and not, in prime counts; what comes
 * back is compared with what was sent.
 */
#include "stub.h"

#define SIZE 100003		/* prime */

static char *pinned, *pageable, *back;
static char *device_a, *device_b;
static cudaStream_t stream;

static void check(const char *what, int c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (back[i] != (char)c) {
			fprintf(stderr, "copies: %s: byte %zu is %d, not %d\n", what, i,
				back[i], (char)c);
			exit(1);
		}
}

static noinline void there_and_back(const char *what, char *from, int c)
{
	memset(from, c, SIZE);
	COPY(HTOD, SIZE, cudaMemcpy, device_a, from, SIZE, cudaMemcpyHostToDevice);
	COPY(DTOD, SIZE, cudaMemcpy, device_b, device_a, SIZE, cudaMemcpyDeviceToDevice);
	COPY(DTOH, SIZE, cudaMemcpy, back, device_b, SIZE, cudaMemcpyDeviceToHost);
	check(what, c, SIZE);
}

static noinline void there_and_back_async(const char *what, char *from, int c)
{
	memset(from, c, SIZE);
	COPY(HTOD, SIZE, cudaMemcpyAsync, device_a, from, SIZE, cudaMemcpyHostToDevice, stream);
	COPY(DTOD, SIZE, cudaMemcpyAsync, device_b, device_a, SIZE, cudaMemcpyDeviceToDevice,
	     stream);
	COPY(DTOH, SIZE, cudaMemcpyAsync, back, device_b, SIZE, cudaMemcpyDeviceToHost, stream);
	CALL(cudaStreamSynchronize, stream);
	check(what, c, SIZE);
}

/* A small pageable source may be overwritten as soon as the call returns. */
static noinline void small_source(void)
{
	char small[32];

	memset(small, 5, sizeof(small));
	COPY(HTOD, 32, cudaMemcpyAsync, device_a, small, 32, cudaMemcpyHostToDevice, stream);
	memset(small, 6, sizeof(small));
	CALL(cudaStreamSynchronize, stream);
	COPY(DTOH, 32, cudaMemcpy, back, device_a, 32, cudaMemcpyDeviceToHost);
	check("small pageable source", 5, 32);
}

static noinline void fill(void)
{
	SET(cudaMemset, device_a, 17, SIZE);
	SET(cudaMemsetAsync, device_a, 19, 4096, stream);
	SET(cudaMemset2DAsync, device_a + 8192, 512, 21, 13, 5, stream);
	CALL(cudaStreamSynchronize, stream);
	COPY(DTOH, SIZE, cudaMemcpy, back, device_a, SIZE, cudaMemcpyDeviceToHost);
	check("set", 19, 4096);
	memmove(back, back + 4096, SIZE - 4096);
	check("set after", 17, 4096);
	for (int row = 0; row < 5; row++) {
		memmove(back, back + (row ? 512 : 4096), 8192);
		check("row set", 21, 13);
		if (back[13] != 17)
			fail_call("cudaMemset2DAsync", row);
	}
}

static noinline void registered(void)
{
	CALL(cudaHostRegister, pageable, SIZE, 0);
	there_and_back_async("registered", pageable, 23);
	CALL(cudaHostUnregister, pageable);
}

/* How long the device needs for one copy that is big enough to show the rate. */
static noinline float copy_ms(void *from, void *to, enum direction d)
{
	cudaEvent_t start, end;
	float ms;

	CALL(cudaEventCreate, &start);
	CALL(cudaEventCreate, &end);
	CALL(cudaEventRecord, start, stream);
	COPY(d, SIZE * 20, cudaMemcpyAsync, to, from, SIZE * 20, cudaMemcpyDefault, stream);
	CALL(cudaEventRecord, end, stream);
	CALL(cudaEventSynchronize, end);
	CALL(cudaEventElapsedTime, &ms, start, end);
	CALL(cudaEventDestroy, start);
	CALL(cudaEventDestroy, end);
	return ms;
}

/* The best of five: the program may lose its CPU in between. */
static noinline float best_gbs(void *from, void *to, enum direction d)
{
	float ms, best = copy_ms(from, to, d);

	for (int i = 0; i < 4; i++) {
		ms = copy_ms(from, to, d);
		best = ms < best ? ms : best;
	}
	return SIZE * 20 / best / 1e6;
}

static noinline void rates(void)
{
	char *fast, *slow = (char *)calloc(20, SIZE), *a, *b;
	float pinned, pageable, inside;

	CALL(cudaMallocHost, (void **)&fast, SIZE * 20);
	CALL(cudaMalloc, (void **)&a, SIZE * 20);
	CALL(cudaMalloc, (void **)&b, SIZE * 20);
	pinned = best_gbs(fast, a, HTOD);
	pageable = best_gbs(slow, a, HTOD);
	inside = best_gbs(a, b, DTOD);
	printf("copies: GB/s pinned %.1f pageable %.1f within %.1f\n", pinned, pageable,
	       inside);
	if (pageable > pinned || pinned > inside) {
		fprintf(stderr, "copies: not in the order pageable, pinned, within\n");
		exit(1);
	}
	CALL(cudaFree, a);
	CALL(cudaFree, b);
	CALL(cudaFreeHost, fast);
	free(slow);
}

int main(void)
{
	say_device();
	CALL(cudaMalloc, (void **)&device_a, SIZE);
	CALL(cudaMalloc, (void **)&device_b, SIZE);
	CALL(cudaMallocHost, (void **)&pinned, SIZE);
	pageable = (char *)malloc(SIZE);
	back = (char *)malloc(SIZE);
	CALL(cudaStreamCreate, &stream);
	for (int i = 0; i < 7; i++)
		there_and_back("pinned", pinned, i);
	for (int i = 0; i < 5; i++)
		there_and_back("pageable", pageable, i);
	for (int i = 0; i < 11; i++)
		there_and_back_async("pinned, not waited for", pinned, i);
	for (int i = 0; i < 3; i++)
		there_and_back_async("pageable, not waited for", pageable, i);
	small_source();
	fill();
	registered();
	rates();
	CALL(cudaFree, device_a);
	CALL(cudaFree, device_b);
	CALL(cudaFreeHost, pinned);
	expect_all();
	return 0;
}
