// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A process on the software GPUs; see softgpu.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "softgpu.h"

#define PAGE	4096ul
#define SZ2M	(2ul << 20)

static const struct abi_uuid cpu = { {
	0xa6, 0x5e, 0x0f, 0x4e, 0xd7, 0xd4, 0x7b, 0xa2, 0x50, 0x47, 0x41, 0x2c, 0x14, 0x2a,
		0x77, 0x73
} };
static _Thread_local char error[160];

const char *softgpu_error(void)
{
	return error;
}

static int failed(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, sizeof(error), format, args);
	va_end(args);
	return -1;
}

/* An ioctl of the driver's: the call's own error, or the status that it left. */
static int call(int fd, unsigned long request, void *params, const uint32_t *status,
		const char *what)
{
	if (ioctl(fd, request, params))
		return failed("cannot %s: %s", what, strerror(errno));
	if (*status)
		return failed("cannot %s: driver status 0x%x", what, *status);
	return 0;
}

static int control(struct softgpu *s, unsigned long request, void *params, const char *what)
{
	if (ioctl(s->control, request, params))
		return failed("cannot %s: %s", what, strerror(errno));
	return 0;
}

/* /dev may lack the node, where nobody makes them: a root process can. */
static int open_fakerm(void)
{
	int fd = open("/dev/fakerm", O_RDWR | O_CLOEXEC);
	unsigned int minor;
	char name[32];
	FILE *misc;

	if (fd >= 0 || errno != ENOENT)
		return fd;
	misc = fopen("/proc/misc", "re");
	while (misc && fscanf(misc, "%u %31s", &minor, name) == 2)
		if (!strcmp(name, "fakerm") &&
		    !mknod("/dev/fakerm", S_IFCHR | 0666, makedev(10, minor)))
			fd = open("/dev/fakerm", O_RDWR | O_CLOEXEC);
	if (misc)
		fclose(misc);
	return fd;
}

int softgpu_info(struct softgpu *s, unsigned int gpu, struct fakerm_info *info)
{
	memset(info, 0, sizeof(*info));
	info->gpu = gpu;
	return control(s, FAKERM_INFO, info, "ask fakerm about a GPU");
}

/* Without the second descriptor the GPU's address space is refused. */
static int tie_to_memory(struct softgpu *s)
{
	struct abi_mm_initialize mm = { .uvm_fd = s->uvm };

	s->mm = open("/dev/nvidia-uvm", O_RDWR | O_CLOEXEC);
	if (s->mm < 0)
		return failed("cannot open /dev/nvidia-uvm: %s", strerror(errno));
	return call(s->mm, ABI_MM_INITIALIZE, &mm, &mm.status,
		    "tie the address space to memory");
}

int softgpu_open_bare(struct softgpu *s)
{
	struct abi_initialize init = { 0 };
	struct fakerm_info info;
	unsigned int i;

	memset(s, 0, sizeof(*s));
	s->mm = s->control = -1;
	s->client = getpid();
	s->uvm = open("/dev/nvidia-uvm", O_RDWR | O_CLOEXEC);
	if (s->uvm < 0)
		return failed("cannot open /dev/nvidia-uvm: %s", strerror(errno));
	if (call(s->uvm, ABI_INITIALIZE, &init, &init.status, "initialize UVM") ||
	    tie_to_memory(s))
		return -1;
	s->control = open_fakerm();
	if (s->control < 0)
		return failed("cannot open /dev/fakerm: %s", strerror(errno));
	if (softgpu_info(s, 0, &info))
		return -1;
	s->gpus = info.gpus;
	for (i = 0; i < s->gpus; i++) {
		if (softgpu_info(s, i, &info))
			return -1;
		memcpy(s->uuid[i].b, info.uuid, sizeof(info.uuid));
	}
	return 0;
}

/* A channel has addresses for its resources, which fakerm has none of. */
static int register_channel(struct softgpu *s, unsigned int gpu, unsigned int number)
{
	struct abi_register_channel c = {
		.gpu = s->uuid[gpu], .rm_fd = -1, .client = s->client,
		.channel = softgpu_channel(gpu, number), .length = SZ2M
	};
	char *va = mmap(NULL, 2 * SZ2M, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (va == MAP_FAILED)
		return failed("cannot reserve addresses: %s", strerror(errno));
	c.base = ((uintptr_t)va + SZ2M - 1) & ~(SZ2M - 1);
	return call(s->uvm, ABI_REGISTER_CHANNEL, &c, &c.status, "register a channel");
}

int softgpu_register(struct softgpu *s, unsigned int gpu, unsigned int channels)
{
	struct abi_register_gpu g = { .gpu = s->uuid[gpu], .rm_fd = -1 };
	struct abi_register_va_space v = {
		.gpu = s->uuid[gpu], .rm_fd = -1, .client = s->client, .va_space = 1
	};
	uint32_t i;

	if (call(s->uvm, ABI_REGISTER_GPU, &g, &g.status, "register a GPU"))
		return -1;
	if (call(s->uvm, ABI_REGISTER_GPU_VASPACE, &v, &v.status, "register an address space"))
		return -1;
	for (i = 1; i <= channels; i++)
		if (register_channel(s, gpu, i))
			return -1;
	s->channels = channels;
	return 0;
}

int softgpu_open(struct softgpu *s, unsigned int channels)
{
	unsigned int i;

	if (softgpu_open_bare(s))
		return -1;
	for (i = 0; i < s->gpus; i++)
		if (softgpu_register(s, i, channels))
			return -1;
	return 0;
}

void softgpu_close(struct softgpu *s)
{
	close(s->control);
	close(s->mm);
	close(s->uvm);
}

/* The driver wants the offset in its file to be the address. */
void *softgpu_managed(struct softgpu *s, void *at, size_t size)
{
	char *p = at;

	if (!p) {
		p = mmap(NULL, size + SZ2M, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			return failed("cannot reserve addresses: %s", strerror(errno)), NULL;
		p = (char *)(((uintptr_t)p + SZ2M - 1) & ~(SZ2M - 1));
	}
	p = mmap(p, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, s->uvm,
		 (off_t)(uintptr_t)p);
	if (p == MAP_FAILED)
		return failed("cannot map managed memory: %s", strerror(errno)), NULL;
	return p;
}

int softgpu_free(struct softgpu *s, void *p, size_t size)
{
	(void)s; /* the driver frees a managed range when it is unmapped */
	if (munmap(p, size))
		return failed("cannot unmap managed memory: %s", strerror(errno));
	return 0;
}

int softgpu_inject(struct softgpu *s, struct fakerm_inject *in,
		   const struct fakerm_fault *faults)
{
	in->faults = (uintptr_t)faults;
	return control(s, FAKERM_INJECT, in, "inject faults");
}

int softgpu_walk(struct softgpu *s, unsigned int gpu, const void *p, struct fakerm_walk *w)
{
	memset(w, 0, sizeof(*w));
	w->va = (uintptr_t)p;
	w->gpu = gpu;
	w->client = s->client;
	w->channel = softgpu_channel(gpu, 1);
	return control(s, FAKERM_WALK, w, "walk the GPU's page tables");
}

static int allowed(const struct fakerm_walk *w, int access)
{
	if (w->aperture == FAKERM_UNMAPPED)
		return 0;
	if (access == FAKERM_WRITE)
		return w->writable & 1;
	return access == FAKERM_READ || access == FAKERM_PREFETCH || w->writable == 3;
}

static int fault_type(const struct fakerm_walk *w, int access)
{
	if (w->aperture == FAKERM_UNMAPPED)
		return FAKERM_BAD_PTE;
	return access == FAKERM_WRITE ? FAKERM_READ_ONLY : FAKERM_NO_ATOMIC;
}

/* The faults that a sweep over these pages raises: at most a batch of them. */
static int sweep(struct softgpu *s, unsigned int gpu, uintptr_t *at, uintptr_t end, int access,
		 struct fakerm_fault *faults)
{
	struct fakerm_walk w;
	int n = 0;

	for (; *at < end && n < 256; *at += PAGE) {
		if (softgpu_walk(s, gpu, (void *)*at, &w))
			return -1;
		if (allowed(&w, access))
			continue;
		faults[n++] = (struct fakerm_fault){
			.va = *at, .client = s->client, .access = access,
			.channel = softgpu_channel(gpu, 1),
			.type = fault_type(&w, access)
		};
	}
	return n;
}

/* After each batch its pages are looked at again: one may have been taken away or throttled. */
int softgpu_access(struct softgpu *s, unsigned int gpu, void *p, size_t size, int access,
		   uint64_t *faults)
{
	uintptr_t at = (uintptr_t)p & ~(PAGE - 1), end = (uintptr_t)p + size;
	struct fakerm_fault batch[256];
	uint64_t last = 0;
	int again = 0, n;

	while ((n = sweep(s, gpu, &at, end, access, batch)) > 0) {
		struct fakerm_inject in = { .gpu = gpu, .n = n };

		if (softgpu_inject(s, &in, batch))
			return -1;
		*faults += in.put;
		again = batch[0].va == last ? again + 1 : 0;
		if (in.cancels || again > 1000)
			return failed("the GPU's access to 0x%llx was refused",
				      (unsigned long long)batch[0].va);
		at = last = batch[0].va;
	}
	return n;
}

/* One piece, within a page: again while the page goes away before it is used. */
static int copy_page(struct softgpu *s, unsigned int gpu, uintptr_t va, void *buffer, size_t n,
		     int write, uint64_t *faults)
{
	struct fakerm_copy k = {
		.va = va, .buffer = (uintptr_t)buffer, .gpu = gpu, .client = s->client,
			.channel = softgpu_channel(gpu, 1),
		.n = n, .write = write
	};

	while (ioctl(s->control, FAKERM_COPY, &k)) {
		if (errno != ENXIO)
			return failed("cannot copy by the GPU: %s", strerror(errno));
		if (softgpu_access(s, gpu, (void *)va, n, write ? FAKERM_WRITE : FAKERM_READ,
				   faults))
			return -1;
	}
	return 0;
}

static int copy(struct softgpu *s, unsigned int gpu, uintptr_t va, char *buffer, size_t size,
		int write, uint64_t *faults)
{
	size_t n;

	if (softgpu_access(s, gpu, (void *)va, size, write ? FAKERM_WRITE : FAKERM_READ,
			   faults))
		return -1;
	for (; size; size -= n, va += n, buffer += n) {
		n = PAGE - (va & (PAGE - 1));
		if (n > size)
			n = size;
		if (copy_page(s, gpu, va, buffer, n, write, faults))
			return -1;
	}
	return 0;
}

int softgpu_write(struct softgpu *s, unsigned int gpu, void *to, const void *from, size_t size,
		  uint64_t *faults)
{
	return copy(s, gpu, (uintptr_t)to, (char *)from, size, 1, faults);
}

int softgpu_read(struct softgpu *s, unsigned int gpu, void *to, const void *from, size_t size,
		 uint64_t *faults)
{
	return copy(s, gpu, (uintptr_t)from, to, size, 0, faults);
}

int softgpu_notify(struct softgpu *s, unsigned int gpu, void *p, unsigned int n,
		   uint64_t stride,
		   struct fakerm_notify *in)
{
	in->va = (uintptr_t)p;
	in->gpu = gpu;
	in->client = s->client;
	in->channel = softgpu_channel(gpu, 1);
	in->n = n;
	in->stride = stride;
	return control(s, FAKERM_NOTIFY, in, "write access counter notifications");
}

int softgpu_xid(struct softgpu *s, struct fakerm_xid *x)
{
	if (prctl(PR_GET_NAME, x->name))
		return failed("cannot read our name: %s", strerror(errno));
	return control(s, FAKERM_XID, x, "print an Xid");
}

static struct abi_uuid uuid_of(const struct softgpu *s, int where)
{
	return where < 0 ? cpu : s->uuid[where];
}

int softgpu_place(const struct softgpu *s, const uint8_t *uuid)
{
	unsigned int i;

	if (!memcmp(uuid, cpu.b, sizeof(cpu.b)))
		return SOFTGPU_CPU;
	for (i = 0; i < s->gpus; i++)
		if (!memcmp(uuid, s->uuid[i].b, sizeof(s->uuid[i].b)))
			return i;
	return SOFTGPU_NONE;
}

int softgpu_migrate(struct softgpu *s, void *p, size_t size, int where)
{
	struct abi_migrate m = {
		.base = (uintptr_t)p, .length = size, .where = uuid_of(s, where), .cpu_node = 0
	};

	return call(s->uvm, ABI_MIGRATE, &m, &m.status, "migrate");
}

int softgpu_prefer(struct softgpu *s, void *p, size_t size, int where)
{
	struct abi_range none = { .base = (uintptr_t)p, .length = size };
	struct abi_prefer pl = {
		.base = (uintptr_t)p, .length = size, .where = uuid_of(s, where),
			.node_or_status = -1
	};

	if (where == SOFTGPU_NONE)
		return call(s->uvm, ABI_UNPREFER, &none, &none.status,
			    "unset the preferred location");
	if (ioctl(s->uvm, ABI_PREFER, &pl))
		return failed("cannot set the preferred location: %s", strerror(errno));
	/* the older driver has its status where the newer one has the node, which it leaves */
	if (pl.node_or_status != -1)
		pl.status = pl.node_or_status;
	return pl.status ? failed("cannot set the preferred location: driver status 0x%x", pl.status) : 0;
}

int softgpu_accessed_by(struct softgpu *s, void *p, size_t size, int gpu, int on)
{
	struct abi_accessed_by a = {
		.base = (uintptr_t)p, .length = size, .gpu = uuid_of(s, gpu)
	};

	return call(s->uvm, on ? ABI_ACCESSED_BY : ABI_NOT_ACCESSED_BY, &a, &a.status,
		    "set accessed-by");
}

int softgpu_read_duplication(struct softgpu *s, void *p, size_t size, int on)
{
	struct abi_range r = { .base = (uintptr_t)p, .length = size };

	return call(s->uvm, on ? ABI_READ_DUP_ON : ABI_READ_DUP_OFF, &r, &r.status,
		    "set read duplication");
}

int softgpu_peer(struct softgpu *s, unsigned int a, unsigned int b)
{
	struct abi_enable_peer p = { .a = s->uuid[a], .b = s->uuid[b] };

	return call(s->uvm, ABI_ENABLE_PEER, &p, &p.status, "enable peer access");
}
