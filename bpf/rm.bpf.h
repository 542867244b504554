/*
 * What an ioctl of NVIDIA's drivers is about, read from the caller's memory. What
 * was asked is read before the call (the driver writes another class over that of
 * a client), or after it when the page was not there yet; status and handles are
 * read after it. Handles and commands are where they are from driver 515 to 595
 * (vmlinux/nvidia.h); where the status is, user space knows.
 */
#ifndef RM_BPF_H
#define RM_BPF_H

#include "host.h"
#include "nvidia.h"
#include "rm.h"
#include <bpf/bpf_helpers.h>

#define IOC_NR(cmd)   ((cmd) & 0xff)
#define IOC_SIZE(cmd) ((cmd) >> 16 & 0x3fff)

struct rm_params {		/* where in the parameters: offset + 1, 0 nowhere */
	u8 client, object, rm, bytes;
};

#define AT(offset) ((offset) + 1)
#define RM_PARAMS(nr) [RM_ROW(nr)]

static const struct rm_params rm_params[RM_ROWS] = {
	RM_PARAMS(0x27) = { AT(0), AT(8), AT(12) },		/* ALLOC_MEMORY: class */
	RM_PARAMS(0x28) = { AT(0), AT(8), AT(12) },		/* ALLOC_OBJECT: class */
	RM_PARAMS(0x29) = { AT(0), AT(8) },			/* FREE */
	RM_PARAMS(0x2a) = { AT(0), AT(4), AT(8), AT(24) },	/* CONTROL: command */
	RM_PARAMS(0x2b) = { AT(0), AT(8), AT(12) },		/* ALLOC: class */
	RM_PARAMS(0x34) = { AT(0), AT(8) },			/* DUP_OBJECT */
	RM_PARAMS(0x35) = { AT(0), AT(4) },			/* SHARE */
	RM_PARAMS(0x39) = { AT(0), AT(4) },			/* I2C_ACCESS */
	RM_PARAMS(0x41) = { AT(0) },				/* IDLE_CHANNELS */
	RM_PARAMS(0x4a) = { AT(0), AT(4) },			/* VID_HEAP_CONTROL */
	RM_PARAMS(0x4d) = { AT(0), AT(4) },			/* ACCESS_REGISTRY */
	RM_PARAMS(0x4e) = { AT(0), AT(8) },			/* MAP_MEMORY */
	RM_PARAMS(0x4f) = { AT(0), AT(8) },			/* UNMAP_MEMORY */
	RM_PARAMS(0x54) = { 0, AT(8), AT(12) },			/* ALLOC_CONTEXT_DMA2: class */
	RM_PARAMS(0x57) = { AT(0), AT(12) },			/* MAP_MEMORY_DMA */
	RM_PARAMS(0x58) = { AT(0), AT(12) },			/* UNMAP_MEMORY_DMA */
	RM_PARAMS(0x59) = { AT(0), AT(4) },			/* BIND_CONTEXT_DMA */
	RM_PARAMS(0x5e) = { AT(0), AT(8) },			/* UPDATE_DEVICE_MAPPING_INFO */
	RM_PARAMS(206) = { AT(0), AT(4) },			/* ALLOC_OS_EVENT */
	RM_PARAMS(207) = { AT(0), AT(4) },			/* FREE_OS_EVENT */
};

/* By version of the driver: user/driver_calls.c. */
const volatile struct rm_status rm_statuses[RM_ROWS][RM_SIZES] = {};
const volatile u16 uvm_statuses[UVM_CALLS] = {};	/* AT() */

struct rm_asked {
	u64 args;		/* of the caller, behind an XFER wrapper */
	u32 size, rm;
	u16 escape;
	u16 known;		/* 1: all of it could be read */
};

struct rm_seen {
	u32 status, client, object;
	u32 bytes;
};

static __always_inline u32 rm_word(u64 at, u32 size, u32 where, u32 none)
{
	u32 v;

	if (!where || where - 1 + sizeof(v) > size ||
	    bpf_probe_read_user(&v, sizeof(v), (void *)(at + where - 1)))
		return none;
	return v;
}

static __always_inline u32 rm_status(u64 at, u32 size, u32 row)
{
	u32 where = 0;

	for (u32 i = 0; i < RM_SIZES; i++) {
		const volatile struct rm_status *s = &rm_statuses[row & (RM_ROWS - 1)][i];

		if (s->at && (!s->size || s->size == size))
			where = s->at;
	}
	return rm_word(at, size, where, DRIVER_STATUS_NONE);
}

static __always_inline const struct rm_params *rm_params_of(u32 escape)
{
	if (escape < 32 || (escape >= 96 && escape < 200) || escape > 255)
		return NULL;
	return &rm_params[RM_ROW(escape) & (RM_ROWS - 1)];
}

static __always_inline void rm_ask(struct rm_asked *a, u32 cmd, u64 arg)
{
	struct rm_xfer x = { IOC_NR(cmd), IOC_SIZE(cmd), arg };
	const struct rm_params *p;

	a->escape = x.escape;
	if (x.escape == RM_ESCAPE_XFER && bpf_probe_read_user(&x, sizeof(x), (void *)arg))
		return;
	a->escape = x.escape;
	a->args = x.args;
	a->size = x.size;
	p = rm_params_of(x.escape);
	a->known = !p || !p->rm || x.size < p->rm + 3 ||
		   !bpf_probe_read_user(&a->rm, sizeof(a->rm), (void *)(x.args + p->rm - 1));
}

/* done: the call came back without errno, so what the caller has is the driver's answer. */
static __always_inline void rm_see(struct rm_seen *r, const struct rm_asked *a, bool done)
{
	const struct rm_params *p = rm_params_of(a->escape);

	if (!p)
		return;
	r->client = rm_word(a->args, a->size, p->client, 0);
	r->object = rm_word(a->args, a->size, p->object, 0);
	r->bytes = rm_word(a->args, a->size, p->bytes, 0);
	if (done)
		r->status = rm_status(a->args, a->size, RM_ROW(a->escape));
}

/* nvidia-uvm's commands are plain numbers, its parameters begin at arg. */
static __always_inline u32 uvm_status(u32 cmd, u64 arg)
{
	u32 where = cmd == UVM_INITIALIZE ? AT(8) :
		    cmd < UVM_CALLS ? uvm_statuses[cmd & (UVM_CALLS - 1)] : 0;

	return rm_word(arg, ~0u, where, DRIVER_STATUS_NONE);
}

#endif
