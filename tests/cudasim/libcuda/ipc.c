// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory and events shared between processes. A handle names a descriptor of the process that
 * gave it, which another one opens through /proc: nothing is left behind by whoever dies.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine.h"

#define HANDLE_MAGIC 0x31435049		/* IPC1 */
#define page_up(n) (((n) + 4095) & ~(size_t)4095)

struct handle {				/* in the 64 bytes of a CUipc*Handle */
	uint32_t magic;
	int pid, fd, device;
	uint64_t bytes, offset;
};

static int handle_open(const struct handle *h)
{
	char path[64];

	if (h->magic != HANDLE_MAGIC)
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", h->pid, h->fd);
	return open(path, O_RDWR | O_CLOEXEC);
}

/* ---- memory ---- */

/* From now on the allocation's pages are a file's: same address, same contents. */
static int memory_share(struct memory *m)
{
	size_t bytes = page_up(m->end - m->start);
	int fd = memfd_create("cudasim", MFD_CLOEXEC);

	if (fd < 0)
		return -1;
	if (ftruncate(fd, bytes) || pwrite(fd, (void *)m->start, m->end - m->start, 0) < 0 ||
	    mmap((void *)m->start, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
		 0) == MAP_FAILED) {
		close(fd);
		return -1;
	}
	return fd;
}

static CUresult memory_give(CUipcMemHandle *out, CUdeviceptr ptr)
{
	struct memory m = memory_find((void *)ptr);
	struct handle h = { .magic = HANDLE_MAGIC, .pid = getpid() };

	if (!out || m.kind != MEM_DEVICE || m.pool || m.foreign)
		return CUDA_ERROR_INVALID_VALUE;
	wait_context(NULL);		/* nothing may write while the pages are exchanged */
	h.fd = m.fd ? m.fd : memory_share(&m);
	if (h.fd < 0)
		return CUDA_ERROR_OPERATING_SYSTEM;
	memory_shared(m.start, h.fd);
	h.device = m.device->ordinal;
	h.bytes = m.end - m.start;
	h.offset = ptr - m.start;
	memset(out, 0, sizeof(*out));
	memcpy(out, &h, sizeof(h));
	return CUDA_SUCCESS;
}

static CUresult memory_open(CUdeviceptr *out, const CUipcMemHandle *handle)
{
	struct memory m = { .kind = MEM_DEVICE, .mapped = true, .foreign = true,
			    .ctx = current };
	struct handle h;
	void *p;
	int fd;

	memcpy(&h, handle, sizeof(h));
	if (h.pid == getpid())
		return CUDA_ERROR_INVALID_CONTEXT;	/* as the real one */
	m.device = device_of(h.device);
	fd = out && m.device ? handle_open(&h) : -1;
	if (fd < 0)
		return CUDA_ERROR_INVALID_VALUE;
	p = mmap(NULL, page_up(h.bytes), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return CUDA_ERROR_MAP_FAILED;
	m.start = (uintptr_t)p;
	m.end = m.start + h.bytes;
	if (!memory_add(&m))
		return CUDA_ERROR_OUT_OF_MEMORY;
	*out = m.start + h.offset;
	return CUDA_SUCCESS;
}

static CUresult memory_close(CUdeviceptr ptr)
{
	struct memory m = memory_find((void *)ptr);

	if (!m.foreign)
		return CUDA_ERROR_INVALID_VALUE;
	wait_context(NULL);
	return memory_free(m.start, 0);
}

/* ---- events ---- */

struct shared_mark *mark_share(int *fd)
{
	void *p;

	*fd = memfd_create("cudasim-event", MFD_CLOEXEC);
	if (*fd < 0)
		return NULL;
	p = ftruncate(*fd, 4096) ? MAP_FAILED
				 : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (p == MAP_FAILED) {
		close(*fd);
		return NULL;
	}
	return p;
}

/*
 * What the other process did before its event must be in memory when ours goes on: it does
 * its copies up to a tick late. One that died will not; a second is enough to tell.
 */
void mark_wait(const struct mark *m)
{
	uint64_t until = now() + 1000000000;

	while ((int32_t)(__atomic_load_n(&m->shared->done, __ATOMIC_ACQUIRE) - m->number) < 0 &&
	       now() < until)
		usleep(20);
}

static CUresult event_give(CUipcEventHandle *out, CUevent event)
{
	struct handle h = { .magic = HANDLE_MAGIC, .pid = getpid() };

	if (!out || event_descriptor(event, &h.fd))
		return CUDA_ERROR_INVALID_VALUE;
	memset(out, 0, sizeof(*out));
	memcpy(out, &h, sizeof(h));
	return CUDA_SUCCESS;
}

static CUresult event_open(CUevent *out, const CUipcEventHandle *handle)
{
	struct handle h;
	void *p;
	int fd;

	memcpy(&h, handle, sizeof(h));
	if (h.pid == getpid())
		return CUDA_ERROR_INVALID_CONTEXT;
	fd = out ? handle_open(&h) : -1;
	if (fd < 0)
		return CUDA_ERROR_INVALID_VALUE;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		close(fd);
		return CUDA_ERROR_MAP_FAILED;
	}
	return event_adopt(out, p, fd);
}

CTX_API(cuIpcGetMemHandle, (CUipcMemHandle *handle, CUdeviceptr ptr), (handle, ptr),
	memory_give(handle, ptr))
CTX_API(cuIpcOpenMemHandle_v2, (CUdeviceptr *ptr, CUipcMemHandle handle, unsigned int flags),
	(ptr, handle, flags), memory_open(ptr, &handle))
CTX_API(cuIpcCloseMemHandle, (CUdeviceptr ptr), (ptr), memory_close(ptr))
CTX_API(cuIpcGetEventHandle, (CUipcEventHandle *handle, CUevent event), (handle, event),
	event_give(handle, event))
CTX_API(cuIpcOpenEventHandle, (CUevent *event, CUipcEventHandle handle), (event, handle),
	event_open(event, &handle))
