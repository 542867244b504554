// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Access counter notifications. */
#include <linux/ktime.h>
#include "fakerm.h"

static bool notes_fetched(struct gpu *gpu)
{
	return READ_ONCE(gpu->regs[R_AC_GET]) == READ_ONCE(gpu->regs[R_AC_PUT]);
}

static bool notes_due(struct gpu *gpu)
{
	return !notes_fetched(gpu) && xchg(&gpu->regs[R_AC_SET], 0);
}

static bool notes_served(struct gpu *gpu)
{
	return notes_fetched(gpu) && READ_ONCE(gpu->regs[R_AC_SET]);
}

/* A GPU counts accesses to memory that is not its own: by physical address of 2 MiB. */
static void packet_note(u32 *e, const struct leaf *leaf, u32 regions, u32 value, u32 tag)
{
	u64 pa = leaf->pa & ~(SZ2M - 1);

	if (!regions)
		regions = 1u << ((leaf->pa & (SZ2M - 1)) >> 16);
	memset(e, 0, PACKET_WORDS * sizeof(*e));
	e[0] = 1 | (1 << 1) | ((tag & 15) << 2) | (leaf->aperture << 8);
	e[2] = (u32)pa;
	e[3] = pa >> 32;
	e[4] = regions;
	e[5] = tag & 0xfffff;
	e[6] = value & 0xffff;
	smp_wmb();
	e[7] = (leaf->peer & 7) | (64 << 20) | (1u << 31);
}

/* Write one notification, if the page is mapped and is not in the GPU's own memory. */
static void put_note(struct gpu *gpu, struct fakerm_notify *in, struct space *space, u64 va)
{
	u32 put = gpu->regs[R_AC_PUT];
	struct leaf leaf;
	bool ok;

	down_read(&gpu->tlb);
	ok = gpu_walk(space, va, &leaf) && leaf.aperture != FAKERM_VID;
	up_read(&gpu->tlb);
	if (!ok)
		return;
	packet_note(gpu->notes[put], &leaf, in->regions, in->value, in->put);
	in->put++;
	atomic64_inc(&gpu->notes_put);
	smp_wmb();
	WRITE_ONCE(gpu->regs[R_AC_PUT], (put + 1) % FAULTS);
}

int notify(struct fakerm_notify *in)
{
	u64 deadline = deadline_of(in->timeout_ms);
	struct user_chan c;
	struct gpu *gpu;
	int err = 0;
	u32 i;

	if (in->gpu >= gpu_count || in->n >= FAULTS)
		return -EINVAL;
	gpu = &gpus[in->gpu];
	if (!READ_ONCE(ops) || !chan_find(gpu, in->client, in->channel, &c))
		return -ENODEV;
	in->put = 0;
	mutex_lock(&gpu->inject_lock);
	in->begin_ns = ktime_get_ns();
	for (i = 0; i < in->n; i++)
		put_note(gpu, in, c.space, in->va + i * in->stride);
	if (in->put)
		err = await(gpu, deadline, notes_served, notes_due);
	in->end_ns = ktime_get_ns();
	mutex_unlock(&gpu->inject_lock);
	space_put(c.space);
	return err;
}
