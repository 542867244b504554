// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory. Device memory is host memory in disguise, so copies move real bytes; a sorted array
 * of ranges says what kind each address is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine.h"

#define GRAIN 512		/* what the real allocator aligns to */
#define MMAP_FROM (1u << 16)	/* memory of the host; the device's is always mapped (ipc.c) */
#define PAGE 4096		/* of the real driver's memory */

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct memory *ranges;
static size_t range_count, range_size;

static uint64_t used(const struct device *d)
{
	return __atomic_load_n(&d->used_bytes, __ATOMIC_RELAXED);
}

/* Index of the first range that ends after ptr. */
static size_t range_search(uintptr_t ptr)
{
	size_t low = 0, high = range_count, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (ranges[mid].end <= ptr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* What it takes of its device, unless another process has that in its books. */
static void memory_count(const struct memory *m, int sign)
{
	int64_t bytes = sign * (int64_t)(m->end - m->start);

	if (m->device && !m->foreign)
		__atomic_add_fetch(&m->device->used_bytes, bytes, __ATOMIC_RELAXED);
	if (m->pool)
		pool_count(m->pool, bytes);
}

bool memory_add(const struct memory *m)
{
	size_t at;
	bool ok = true;

	pthread_rwlock_wrlock(&lock);
	if (range_count == range_size) {
		size_t size = range_size ? 2 * range_size : 256;
		void *grown = realloc(ranges, size * sizeof(*ranges));

		if (grown) {
			ranges = grown;
			range_size = size;
		}
	}
	at = range_search(m->start);
	ok = range_count < range_size && (at == range_count || ranges[at].start >= m->end);
	if (ok) {
		memmove(&ranges[at + 1], &ranges[at], (range_count - at) * sizeof(*ranges));
		ranges[at] = *m;
		range_count++;
		memory_count(m, 1);
	}
	pthread_rwlock_unlock(&lock);
	return ok;
}

/* What ptr points into; kind MEM_PAGEABLE when it is none of ours. */
struct memory memory_find(const void *ptr)
{
	struct memory m = { .kind = MEM_PAGEABLE };
	size_t at;

	pthread_rwlock_rdlock(&lock);
	at = range_search((uintptr_t)ptr);
	if (at < range_count && ranges[at].start <= (uintptr_t)ptr)
		m = ranges[at];
	pthread_rwlock_unlock(&lock);
	return m;
}

/* Takes the range that begins at ptr out of the table; kind 0 when there is none. */
static struct memory range_take(uintptr_t ptr)
{
	struct memory m = { 0 };
	size_t at;

	pthread_rwlock_wrlock(&lock);
	at = range_search(ptr);
	if (at < range_count && ranges[at].start == ptr) {
		m = ranges[at];
		range_count--;
		memmove(&ranges[at], &ranges[at + 1], (range_count - at) * sizeof(*ranges));
		memory_count(&m, -1);
	}
	pthread_rwlock_unlock(&lock);
	return m;
}

/* Others can open the allocation that begins there. */
void memory_shared(uintptr_t start, int fd)
{
	size_t at;

	pthread_rwlock_wrlock(&lock);
	at = range_search(start);
	if (at < range_count && ranges[at].start == start)
		ranges[at].fd = fd;
	pthread_rwlock_unlock(&lock);
}

static CUresult allocate_on(struct device *device, CUmemoryPool pool, void **out, size_t bytes,
			    enum memory_kind kind)
{
	struct memory m = { .kind = kind, .device = device, .ctx = current, .pool = pool };
	void *ptr = NULL;

	if (!out || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	bytes = (bytes + GRAIN - 1) & ~(size_t)(GRAIN - 1);
	if (device && used(device) + bytes > device->info.mem_bytes)
		return CUDA_ERROR_OUT_OF_MEMORY;
	m.uvm = kind == MEM_MANAGED && uvm_used();
	if (m.uvm)
		bytes = (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
	m.mapped = bytes >= MMAP_FROM || kind == MEM_DEVICE;
	if (m.uvm)
		ptr = uvm_allocate(bytes);
	else if (m.mapped)
		ptr = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	else if (posix_memalign(&ptr, GRAIN, bytes))
		ptr = NULL;
	if (!ptr || ptr == MAP_FAILED)
		return CUDA_ERROR_OUT_OF_MEMORY;
	m.start = (uintptr_t)ptr;
	m.end = m.start + bytes;
	if (!memory_add(&m))
		return CUDA_ERROR_OUT_OF_MEMORY;
	*out = ptr;
	return CUDA_SUCCESS;
}

static CUresult allocate(void **out, size_t bytes, enum memory_kind kind)
{
	return allocate_on(kind == MEM_PINNED ? NULL : current->device, NULL, out, bytes, kind);
}

static CUresult allocate_ordered(CUdeviceptr *out, size_t bytes, CUmemoryPool pool,
				 struct CUstream_st *s)
{
	if (!s)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!pool)
		pool = pool_current(s->ctx->device);
	if (!pool_device(pool))
		return CUDA_ERROR_INVALID_VALUE;
	return allocate_on(pool_device(pool), pool, (void **)out, bytes, MEM_DEVICE);
}

static void give_back(const struct memory *m)
{
	if (m->uvm)
		uvm_free((void *)m->start, m->end - m->start);
	else if (m->mapped)
		munmap((void *)m->start, m->end - m->start);
	else if (!m->registered)
		free((void *)m->start);
}

/* kind 0: any. */
CUresult memory_free(uintptr_t ptr, uint32_t kind)
{
	struct memory m = memory_find((void *)ptr);

	if (m.start != ptr || m.registered || m.kind == MEM_PAGEABLE ||
	    (kind && m.kind != kind))
		return CUDA_ERROR_INVALID_VALUE;
	m = range_take(ptr);
	if (m.fd)
		close(m.fd);
	give_back(&m);
	return CUDA_SUCCESS;
}

CUresult memory_global(CUdeviceptr *ptr, size_t bytes)
{
	return allocate((void **)ptr, bytes, MEM_DEVICE);
}

/* The real call waits for the device too: a copy may still use the memory. */
static CUresult free_now(uintptr_t ptr, uint32_t kind)
{
	if (!ptr)
		return CUDA_SUCCESS;
	if (memory_find((void *)ptr).foreign)
		return CUDA_ERROR_INVALID_VALUE;
	wait_context(NULL);
	return memory_free(ptr, kind);
}

static CUresult allocate_pitch(CUdeviceptr *ptr, size_t *pitch, size_t width, size_t height)
{
	if (!pitch)
		return CUDA_ERROR_INVALID_VALUE;
	*pitch = (width + GRAIN - 1) & ~(size_t)(GRAIN - 1);
	return allocate((void **)ptr, *pitch * height, MEM_DEVICE);
}

static CUresult free_async(CUdeviceptr ptr, struct CUstream_st *s)
{
	struct work w = { .payload = PAY_FREE, .dst = (char *)ptr };

	if (!s)
		return CUDA_ERROR_INVALID_HANDLE;
	if (memory_find((void *)ptr).start != ptr)
		return CUDA_ERROR_INVALID_VALUE;
	return submit(s, &w, NULL);
}

/* ---- memory of the host ---- */

static CUresult host_register(void *ptr, size_t bytes)
{
	struct memory m = { .kind = MEM_PINNED, .registered = true, .ctx = current };

	if (!ptr || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	m.start = (uintptr_t)ptr;
	m.end = m.start + bytes;
	return memory_add(&m) ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
}

static CUresult host_unregister(void *ptr)
{
	struct memory m = memory_find(ptr);

	if (m.start != (uintptr_t)ptr || !m.registered)
		return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
	wait_context(NULL);
	range_take(m.start);
	return CUDA_SUCCESS;
}

static CUresult host_device_pointer(CUdeviceptr *out, void *ptr)
{
	if (!out || memory_find(ptr).kind == MEM_PAGEABLE)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (uintptr_t)ptr;
	return CUDA_SUCCESS;
}

/* ---- questions ---- */

static CUresult info_get(size_t *available, size_t *total)
{
	struct device *d = current->device;

	if (total)
		*total = d->info.mem_bytes;
	if (available)
		*available = d->info.mem_bytes - used(d);
	return CUDA_SUCCESS;
}

static CUresult range_get(CUdeviceptr *base, size_t *bytes, CUdeviceptr ptr)
{
	struct memory m = memory_find((void *)ptr);

	if (m.kind == MEM_PAGEABLE)
		return CUDA_ERROR_NOT_FOUND;
	if (base)
		*base = m.start;
	if (bytes)
		*bytes = m.end - m.start;
	return CUDA_SUCCESS;
}

static CUresult pointer_get(void *value, CUpointer_attribute attribute, CUdeviceptr ptr)
{
	struct memory m = memory_find((void *)ptr);

	if (!value || m.kind == MEM_PAGEABLE)
		return CUDA_ERROR_INVALID_VALUE;
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		*(CUcontext *)value = m.ctx;
		break;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(uint32_t *)value = m.kind == MEM_PINNED ? CU_MEMORYTYPE_HOST
							   : CU_MEMORYTYPE_DEVICE;
		break;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		*(CUdeviceptr *)value = ptr;
		break;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(uint32_t *)value = m.kind == MEM_MANAGED;
		break;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)value = m.ctx->device->ordinal;
		break;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		*(CUdeviceptr *)value = m.start;
		break;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		*(size_t *)value = m.end - m.start;
		break;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

/* Unlike the single question, this one never fails: an unknown pointer answers zeroes. */
static CUresult pointer_get_all(unsigned int count, CUpointer_attribute *attributes,
				void **values, CUdeviceptr ptr)
{
	for (unsigned int i = 0; i < count; i++)
		if (pointer_get(values[i], attributes[i], ptr))
			*(uint32_t *)values[i] = 0;
	return CUDA_SUCCESS;
}

static CUresult managed_check(CUdeviceptr ptr)
{
	return memory_find((void *)ptr).kind == MEM_MANAGED ? CUDA_SUCCESS
							    : CUDA_ERROR_INVALID_VALUE;
}

static CUresult prefetch(CUdeviceptr ptr, size_t bytes, CUmemLocation to)
{
	CUresult r = managed_check(ptr);

	if (r || !uvm_used())
		return r;
	return uvm_prefetch((void *)ptr, bytes,
			    to.type == CU_MEM_LOCATION_TYPE_DEVICE ? to.id : -1);
}

#define stream_here() stream_of(stream, per_thread)

CTX_API(cuMemAlloc_v2, (CUdeviceptr *ptr, size_t bytes), (ptr, bytes),
	allocate((void **)ptr, bytes, MEM_DEVICE))
CTX_API(cuMemAllocPitch_v2,
	(CUdeviceptr *ptr, size_t *pitch, size_t width, size_t height, unsigned int element),
	(ptr, pitch, width, height, element), allocate_pitch(ptr, pitch, width, height))
CTX_API(cuMemAllocManaged, (CUdeviceptr *ptr, size_t bytes, unsigned int flags),
	(ptr, bytes, flags), allocate((void **)ptr, bytes, MEM_MANAGED))
CTX_API(cuMemFree_v2, (CUdeviceptr ptr), (ptr), free_now(ptr, 0))
CTX_API(cuMemAllocHost_v2, (void **ptr, size_t bytes), (ptr, bytes),
	allocate(ptr, bytes, MEM_PINNED))
CTX_API(cuMemHostAlloc, (void **ptr, size_t bytes, unsigned int flags), (ptr, bytes, flags),
	allocate(ptr, bytes, MEM_PINNED))
CTX_API(cuMemFreeHost, (void *ptr), (ptr), free_now((uintptr_t)ptr, MEM_PINNED))
CTX_API(cuMemHostRegister_v2, (void *ptr, size_t bytes, unsigned int flags),
	(ptr, bytes, flags), host_register(ptr, bytes))
CTX_API(cuMemHostUnregister, (void *ptr), (ptr), host_unregister(ptr))
CTX_API(cuMemHostGetDevicePointer_v2, (CUdeviceptr *device, void *ptr, unsigned int flags),
	(device, ptr, flags), host_device_pointer(device, ptr))
STREAM_API(cuMemAllocAsync, (CUdeviceptr *ptr, size_t bytes, CUstream stream),
	   (ptr, bytes, stream), allocate_ordered(ptr, bytes, NULL, stream_here()))
STREAM_API(cuMemAllocFromPoolAsync,
	   (CUdeviceptr *ptr, size_t bytes, CUmemoryPool pool, CUstream stream),
	   (ptr, bytes, pool, stream), pool ? allocate_ordered(ptr, bytes, pool, stream_here())
					    : CUDA_ERROR_INVALID_VALUE)
STREAM_API(cuMemFreeAsync, (CUdeviceptr ptr, CUstream stream), (ptr, stream),
	   free_async(ptr, stream_here()))
CTX_API(cuMemGetInfo_v2, (size_t *free, size_t *total), (free, total), info_get(free, total))
CTX_API(cuMemGetAddressRange_v2, (CUdeviceptr *base, size_t *bytes, CUdeviceptr ptr),
	(base, bytes, ptr), range_get(base, bytes, ptr))
CTX_API(cuPointerGetAttribute, (void *value, CUpointer_attribute attribute, CUdeviceptr ptr),
	(value, attribute, ptr), pointer_get(value, attribute, ptr))
CTX_API(cuPointerGetAttributes,
	(unsigned int count, CUpointer_attribute *attributes, void **values, CUdeviceptr ptr),
	(count, attributes, values, ptr), pointer_get_all(count, attributes, values, ptr))
STREAM_API(cuMemPrefetchAsync_v2,
	   (CUdeviceptr ptr, size_t bytes, CUmemLocation location, unsigned int flags,
	    CUstream stream), (ptr, bytes, location, flags, stream),
	   prefetch(ptr, bytes, location))
CTX_API(cuMemAdvise_v2,
	(CUdeviceptr ptr, size_t bytes, CUmem_advise advice, CUmemLocation location),
	(ptr, bytes, advice, location),
	managed_check(ptr))
