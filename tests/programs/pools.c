// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * pools [ROUNDS=7]: stream-ordered memory of the device's own pool and of one that the program
 * makes; what the pools say of themselves must be what was allocated and freed.
 */
#include "stub.h"

KERNEL(consume, "_ZN4pool7consumeEPfj")
KERNELS(&consume_stub)

#define SMALL 65536
#define LARGE (3u << 20)

static uint64_t allocated, freed, bytes_allocated;

static noinline float *take(size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
	float *p;

	if (pool)
		CALL(cudaMallocFromPoolAsync, (void **)&p, bytes, pool, stream);
	else
		CALL(cudaMallocAsync, (void **)&p, bytes, stream);
	allocated++;
	bytes_allocated += bytes;
	return p;
}

static noinline void give(float *p, cudaStream_t stream)
{
	CALL(cudaFreeAsync, p, stream);
	freed++;
}

static void pool_is(cudaMemPool_t pool, enum cudaMemPoolAttr what, uint64_t value)
{
	uint64_t got = 0;

	CALL(cudaMemPoolGetAttribute, pool, what, &got);
	if (got == value)
		return;
	fprintf(stderr, "pools: attribute %d is %lu, not %lu\n", (int)what, (unsigned long)got,
		(unsigned long)value);
	exit(1);
}

static noinline cudaMemPool_t pool_make(void)
{
	struct cudaMemPoolProps props;
	uint64_t keep = 16u << 20;
	cudaMemPool_t pool;
	int one = 1;

	memset(&props, 0, sizeof(props));
	memcpy(&props.allocType, &one, sizeof(one));	/* pinned */
	memcpy(&props.location, &one, sizeof(one));	/* on a device, 0 */
	CALL(cudaMemPoolCreate, &pool, &props);
	CALL(cudaMemPoolSetAttribute, pool, cudaMemPoolAttrReleaseThreshold, &keep);
	return pool;
}

static noinline void round_trip(cudaMemPool_t pool, cudaStream_t stream, unsigned char value)
{
	float *a = take(SMALL, pool, stream), *b = take(LARGE, pool, stream);
	unsigned char got = 0;

	SET(cudaMemsetAsync, b, value, LARGE, stream);
	COPY(DTOD, SMALL, cudaMemcpyAsync, a, b, SMALL, cudaMemcpyDeviceToDevice, stream);
	LAUNCH(consume, 4, stream, a, 100);
	give(b, stream);
	CALL(cudaStreamSynchronize, stream);
	COPY(DTOH, 1, cudaMemcpy, &got, (char *)a + SMALL - 1, 1, cudaMemcpyDeviceToHost);
	if (got != value)
		fail_call("a copy of the set value, which", got);
	if (pool)
		pool_is(pool, cudaMemPoolAttrUsedMemCurrent, SMALL);
	give(a, stream);
	CALL(cudaStreamSynchronize, stream);
}

int main(int argc, char **argv)
{
	uint64_t rounds = argument(argc, argv, 1, 7);
	cudaMemPool_t mine, standard, set;
	cudaStream_t stream;

	say_device();
	CALL(cudaStreamCreate, &stream);
	mine = pool_make();
	for (uint64_t i = 0; i < rounds; i++) {
		round_trip(NULL, stream, i);
		round_trip(mine, stream, i + 100);
	}
	pool_is(mine, cudaMemPoolAttrUsedMemCurrent, 0);
	pool_is(mine, cudaMemPoolAttrUsedMemHigh, SMALL + LARGE);
	CALL(cudaDeviceSetMemPool, 0, mine);
	CALL(cudaDeviceGetDefaultMemPool, &standard, 0);
	CALL(cudaDeviceGetMemPool, &set, 0);
	if (set != mine || standard == mine)
		fail_call("the pool that was set, which", 0);
	round_trip(NULL, stream, 7);
	CALL(cudaMemPoolTrimTo, mine, 0);
	pool_is(mine, cudaMemPoolAttrReservedMemCurrent, 0);
	CALL(cudaDeviceSetMemPool, 0, standard);
	CALL(cudaMemPoolDestroy, mine);
	expect("pool_allocations", allocated);
	expect("pool_frees", freed);
	expect("pool_bytes", bytes_allocated);
	expect_all();
	return 0;
}
