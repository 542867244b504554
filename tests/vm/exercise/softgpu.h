/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process on the software GPUs of fakerm.ko, through the real /dev/nvidia-uvm:
 * registers GPUs, address spaces and channels, maps managed memory, makes GPUs
 * fault on it and waits until the driver has served them. Needs no header of the
 * driver's. Functions return 0, or -1 with softgpu_error() saying what failed.
 */
#ifndef SOFTGPU_H
#define SOFTGPU_H

#include <stddef.h>
#include <stdint.h>
#include "fakerm_ioctl.h"
#include "uvm_abi.h"

#define SOFTGPU_CPU	(-1)		/* as a place */
#define SOFTGPU_NONE	(-2)

struct softgpu {
	int uvm;			/* /dev/nvidia-uvm */
	int mm;				/* a second one, that ties the first to our memory */
	int control;			/* /dev/fakerm */
	uint32_t client;		/* the process id */
	unsigned int gpus;
	unsigned int channels;		/* of each GPU: numbers 1 to this */
	struct abi_uuid uuid[FAKERM_GPUS];
};

const char *softgpu_error(void);

/* The handle of a channel: the driver wants no two alike, even on two GPUs. */
static inline uint32_t softgpu_channel(unsigned int gpu, unsigned int number)
{
	return gpu << 8 | number;
}

/* Open and register everything: all GPUs, an address space and channels on each. */
int softgpu_open(struct softgpu *s, unsigned int channels);
void softgpu_close(struct softgpu *s);

/* For a program that picks: open without GPUs, then register one. */
int softgpu_open_bare(struct softgpu *s);
int softgpu_register(struct softgpu *s, unsigned int gpu, unsigned int channels);

/* Managed memory of that size, 2 MiB aligned, at that address if it is not NULL. */
void *softgpu_managed(struct softgpu *s, void *at, size_t size);
int softgpu_free(struct softgpu *s, void *p, size_t size);

/* Faults exactly as given, whatever is mapped; in: the options of struct fakerm_inject. */
int softgpu_inject(struct softgpu *s, struct fakerm_inject *in,
		   const struct fakerm_fault *faults);

/*
 * What a kernel does: access each page of a range, fault where the page tables do
 * not allow it, go on when that has been served. Adds the faults to *faults.
 */
int softgpu_access(struct softgpu *s, unsigned int gpu, void *p, size_t size, int access,
		   uint64_t *faults);

/* The same with data: like memcpy and memset by the GPU. */
int softgpu_write(struct softgpu *s, unsigned int gpu, void *to, const void *from, size_t size,
		  uint64_t *faults);
int softgpu_read(struct softgpu *s, unsigned int gpu, void *to, const void *from, size_t size,
		 uint64_t *faults);

int softgpu_walk(struct softgpu *s, unsigned int gpu, const void *p, struct fakerm_walk *w);
int softgpu_notify(struct softgpu *s, unsigned int gpu, void *p, unsigned int n,
		   uint64_t stride,
		   struct fakerm_notify *in);
/* The driver's error message, printed to the kernel log; x->name gets ours. */
int softgpu_xid(struct softgpu *s, struct fakerm_xid *x);
int softgpu_info(struct softgpu *s, unsigned int gpu, struct fakerm_info *info);

int softgpu_migrate(struct softgpu *s, void *p, size_t size, int where);
int softgpu_prefer(struct softgpu *s, void *p, size_t size, int where);
int softgpu_accessed_by(struct softgpu *s, void *p, size_t size, int gpu, int on);
int softgpu_read_duplication(struct softgpu *s, void *p, size_t size, int on);
int softgpu_peer(struct softgpu *s, unsigned int a, unsigned int b);

/* A name for the place that a uuid means: -1 the CPU, a GPU's number, or -2. */
int softgpu_place(const struct softgpu *s, const uint8_t *uuid);

#endif
