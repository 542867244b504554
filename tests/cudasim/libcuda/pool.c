// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory pools: what stream-ordered allocations are taken from. A pool keeps what is freed, up
 * to its threshold, until it is trimmed or a thread has waited; the numbers are kept, the
 * memory itself is the process's.
 */
#include <stdlib.h>

#include "engine.h"

#define POOL_MAGIC 0x504f4f4c
#define CHUNK (2ull << 20)	/* what a pool takes from the device at a time */
#define max(a, b) ((a) > (b) ? (a) : (b))

struct CUmemPoolHandle_st {
	uint32_t magic;
	struct device *device;
	bool standard;			/* the device's own: not to be destroyed */
	int reuse[3];
	uint64_t threshold;
	uint64_t used, used_high, reserved, reserved_high;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUmemPoolHandle_st standard[MAX_DEVICES];

static uint64_t chunks(uint64_t bytes)
{
	return (bytes + CHUNK - 1) / CHUNK * CHUNK;
}

static void pool_fill(CUmemoryPool p, struct device *d)
{
	*p = (struct CUmemPoolHandle_st){ .magic = POOL_MAGIC, .device = d,
					  .reuse = { 1, 1, 1 } };
}

static CUmemoryPool pool_standard(struct device *d)
{
	CUmemoryPool p = &standard[d->ordinal];

	pthread_mutex_lock(&lock);
	if (!p->magic)
		pool_fill(p, d);
	p->standard = true;
	pthread_mutex_unlock(&lock);
	return p;
}

static bool pool_valid(CUmemoryPool p)
{
	return p && p->magic == POOL_MAGIC;
}

CUmemoryPool pool_current(struct device *d)
{
	return d->pool ? d->pool : pool_standard(d);
}

struct device *pool_device(CUmemoryPool p)
{
	return pool_valid(p) ? p->device : NULL;
}

/* An allocation of the pool came (bytes > 0) or went. */
void pool_count(CUmemoryPool p, int64_t bytes)
{
	pthread_mutex_lock(&lock);
	p->used += bytes;
	p->used_high = max(p->used_high, p->used);
	p->reserved = max(p->reserved, chunks(p->used));
	p->reserved_high = max(p->reserved_high, p->reserved);
	pthread_mutex_unlock(&lock);
}

static void pool_trim(CUmemoryPool p, uint64_t keep)
{
	pthread_mutex_lock(&lock);
	if (p->reserved > keep)
		p->reserved = max(chunks(keep), chunks(p->used));
	pthread_mutex_unlock(&lock);
}

static CUresult create(CUmemoryPool *out, const CUmemPoolProps *props)
{
	struct device *d = NULL;

	if (!out || !props || props->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	d = device_of(props->location.id);
	if (!d)
		return CUDA_ERROR_INVALID_DEVICE;
	*out = malloc(sizeof(**out));
	if (!*out)
		return CUDA_ERROR_OUT_OF_MEMORY;
	pool_fill(*out, d);
	return CUDA_SUCCESS;
}

/* Allocations may outlive their pool, which then cannot be freed: it only loses its handle. */
static CUresult destroy(CUmemoryPool p)
{
	if (!pool_valid(p) || p->standard)
		return CUDA_ERROR_INVALID_VALUE;
	if (p->device->pool == p)
		p->device->pool = NULL;
	p->magic = 0;
	if (!p->used)
		free(p);
	return CUDA_SUCCESS;
}

static CUresult attribute(CUmemoryPool p, CUmemPool_attribute what, void *value, bool set)
{
	uint64_t *fields[] = {
		[CU_MEMPOOL_ATTR_RELEASE_THRESHOLD] = pool_valid(p) ? &p->threshold : NULL,
		[CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT] = p ? &p->reserved : NULL,
		[CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH] = p ? &p->reserved_high : NULL,
		[CU_MEMPOOL_ATTR_USED_MEM_CURRENT] = p ? &p->used : NULL,
		[CU_MEMPOOL_ATTR_USED_MEM_HIGH] = p ? &p->used_high : NULL,
	};

	if (!pool_valid(p) || !value || what < 1 || what > CU_MEMPOOL_ATTR_USED_MEM_HIGH)
		return CUDA_ERROR_INVALID_VALUE;
	if (what < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) {
		int *flag = &p->reuse[what - 1];

		*(set ? flag : (int *)value) = *(set ? (int *)value : flag);
		return CUDA_SUCCESS;
	}
	if (!set) {
		*(uint64_t *)value = *fields[what];
		return CUDA_SUCCESS;
	}
	if (what == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
		p->threshold = *(uint64_t *)value;
	else if (what == CU_MEMPOOL_ATTR_USED_MEM_HIGH && !*(uint64_t *)value)
		p->used_high = p->used;
	else if (what == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH && !*(uint64_t *)value)
		p->reserved_high = p->reserved;
	else
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* A thread has waited for the device: what is free above the thresholds goes back. */
void pools_waited(struct device *d)
{
	CUmemoryPool p = d->pool ? d->pool : &standard[d->ordinal];

	if (pool_valid(p))
		pool_trim(p, p->threshold);
}

static CUresult pool_get(CUmemoryPool *pool, CUdevice device, bool now_set)
{
	struct device *d = device_of(device);

	if (!pool)
		return CUDA_ERROR_INVALID_VALUE;
	if (!d)
		return CUDA_ERROR_INVALID_DEVICE;
	*pool = now_set ? pool_current(d) : pool_standard(d);
	return CUDA_SUCCESS;
}

static CUresult pool_set(CUdevice device, CUmemoryPool pool)
{
	struct device *d = device_of(device);

	if (!d)
		return CUDA_ERROR_INVALID_DEVICE;
	if (!pool_valid(pool) || pool->device != d)
		return CUDA_ERROR_INVALID_VALUE;
	d->pool = pool;
	return CUDA_SUCCESS;
}

static CUresult trim(CUmemoryPool p, size_t keep)
{
	if (!pool_valid(p))
		return CUDA_ERROR_INVALID_VALUE;
	pool_trim(p, keep);
	return CUDA_SUCCESS;
}

API(cuDeviceGetDefaultMemPool, (CUmemoryPool *pool, CUdevice device), (pool, device),
    pool_get(pool, device, false))
API(cuDeviceGetMemPool, (CUmemoryPool *pool, CUdevice device), (pool, device),
    pool_get(pool, device, true))
API(cuDeviceSetMemPool, (CUdevice device, CUmemoryPool pool), (device, pool),
    pool_set(device, pool))
API(cuMemPoolCreate, (CUmemoryPool *pool, const CUmemPoolProps *props), (pool, props),
    create(pool, props))
API(cuMemPoolDestroy, (CUmemoryPool pool), (pool), destroy(pool))
API(cuMemPoolTrimTo, (CUmemoryPool pool, size_t keep), (pool, keep), trim(pool, keep))
API(cuMemPoolSetAttribute, (CUmemoryPool pool, CUmemPool_attribute what, void *value),
    (pool, what, value), attribute(pool, what, value, true))
API(cuMemPoolGetAttribute, (CUmemoryPool pool, CUmemPool_attribute what, void *value),
    (pool, what, value), attribute(pool, what, value, false))
