// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CUDASIM_UVM: managed memory is the real driver's (/dev/nvidia-uvm over the
 * software GPUs of tests/vm/fakerm), and a kernel whose first two arguments are
 * (managed pointer, bytes) touches that range on its GPU, page by page: the driver
 * takes the faults. The kernel lasts as long as that takes. What each one did is
 * written to the file that CUDASIM_UVM names: the truth of tests.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "softgpu.h"

static struct softgpu soft;
static FILE *truth;

struct touch { const char *name; void *p; size_t bytes; unsigned int gpu; int access; };

static CUresult failed(void)
{
	fprintf(stderr, "cudasim: cannot use unified memory: %s\n", softgpu_error());
	return CUDA_ERROR_UNKNOWN;
}

bool uvm_used(void)
{
	return truth;
}

/* How many GPUs there are, 0: no unified memory of the driver's. */
int uvm_open(void)
{
	const char *path = setting("UVM");

	if (!path)
		return 0;
	if (softgpu_open(&soft, 1)) {
		failed();
		return 0;
	}
	truth = !strcmp(path, "-") ? stderr : fopen(path, "ae");
	return truth ? (int)soft.gpus : 0;
}

/* The CUDA device is the GPU that UVM knows: same UUID, address and memory. */
void uvm_device(struct sim_device_info *d, int ordinal)
{
	struct fakerm_info info;

	if (softgpu_info(&soft, ordinal, &info)) {
		failed();
		return;
	}
	memcpy(d->uuid, info.uuid, sizeof(d->uuid));
	d->mem_bytes = info.vid_bytes;
	d->pci_domain = info.domain;
	d->pci_bus = info.pci >> 8;
	d->pci_device = info.pci >> 3 & 31;
}

void *uvm_allocate(size_t bytes)
{
	return softgpu_managed(&soft, NULL, bytes);
}

void uvm_free(void *p, size_t bytes)
{
	if (softgpu_free(&soft, p, bytes))
		failed();
}

CUresult uvm_prefetch(void *p, size_t bytes, int device)
{
	fprintf(truth, "prefetch 0x%lx %zu to %d\n", (unsigned long)p, bytes, device);
	return softgpu_migrate(&soft, p, bytes, device) ? failed() : CUDA_SUCCESS;
}

static void touch_run(void *data)
{
	struct touch *t = data;
	uint64_t faults = 0, begin = now();

	if (softgpu_access(&soft, t->gpu, t->p, t->bytes, t->access, &faults))
		failed();
	fprintf(truth, "kernel %s 0x%lx bytes %zu faults %lu begin %lu end %lu\n", t->name,
		(unsigned long)t->p, t->bytes, (unsigned long)faults, (unsigned long)begin,
		(unsigned long)now());
	fflush(truth);
	free(t);
}

static int access_of(const char *kernel)
{
	if (strstr(kernel, "read"))
		return FAKERM_READ;
	return strstr(kernel, "atomic") ? FAKERM_ATOMIC : FAKERM_WRITE;
}

/* Lets the kernel touch what its arguments say, where that is managed memory. */
void uvm_kernel(struct work *w, const struct CUctx_st *ctx, void **params)
{
	struct memory m;
	struct touch *t;
	char *p;

	if (!truth || !params || !params[0] || !params[1])
		return;
	p = *(char **)params[0];
	m = memory_find(p);
	t = m.kind == MEM_MANAGED ? calloc(1, sizeof(*t)) : NULL;
	if (!t)
		return;
	t->name = w->rec.name;
	t->p = p;
	t->bytes = *(unsigned int *)params[1];
	if (t->bytes > m.end - (uintptr_t)p)
		t->bytes = m.end - (uintptr_t)p;
	t->gpu = ctx->device->ordinal;
	t->access = access_of(t->name);
	caller_start();
	w->payload = PAY_HOST;	/* when it ends, nobody knows */
	w->function = touch_run;
	w->data = t;
}
