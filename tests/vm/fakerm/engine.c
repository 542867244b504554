// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The engine: one thread for each channel of the driver's, which runs host and
 * copy engine methods in their order.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include "fakerm.h"

/* How many bytes from here on are one piece in the CPU's address space. */
static u8 *operand(struct chan *c, u64 a, bool phys, u32 mode, u32 access, u64 *left)
{
	u8 *p;

	if (!phys) {
		p = area_at(a);
		*left = ~0ull;
		return p ?: gpu_virt(c->space, a, access, left);
	}
	*left = ~0ull;
	return gpu_phys(c->space->gpu, (mode & 3) ? FAKERM_SYS : FAKERM_VID, 0, a);
}

static void bad_address(struct chan *c, u64 a)
{
	pr_warn_ratelimited("fakerm: gpu %u channel %u: no memory at 0x%llx\n",
			    c->space->gpu->id, c->id, a);
}

static void stamp(u8 *p)
{
	*(u64 *)(p + 8) = ktime_get_ns();
}

/* Bits of LAUNCH_DMA */
#define L_TYPE(v)	((v) & 3)
#define L_SEM(v)	(((v) >> 3) & 3)
#define L_LINES		(1u << 9)
#define L_REMAP		(1u << 10)
#define L_IN_PHYS	(1u << 12)
#define L_OUT_PHYS	(1u << 13)
#define L_REDUCE	(1u << 19)

/* A fill: each unit is up to four components, each of one to four bytes. */
static void fill(struct chan *c, u32 v, u64 n)
{
	u32 size = ((c->remap >> 16) & 3) + 1, parts = ((c->remap >> 24) & 3) + 1, k;
	u64 at = c->out, left = 0, i;
	u8 *dst = NULL;

	atomic64_inc(&c->space->gpu->fills);
	for (i = 0; i < n; i++)
		for (k = 0; k < parts; k++, at += size, dst += size, left -= size) {
			if (left < size)
				dst = operand(c, at, v & L_OUT_PHYS, c->dst_mode, FAKERM_WRITE,
					      &left);
			if (!dst)
				return bad_address(c, at);
			memcpy(dst,
			       ((c->remap >> (4 * k)) & 7) == 5 ? &c->remap_b : &c->remap_a,
				size);
		}
}

static void copy(struct chan *c, u32 v, u64 n)
{
	u64 in = c->in, out = c->out, inl, outl, part;
	u8 *src, *dst;

	atomic64_inc(&c->space->gpu->copies);
	atomic64_add(n, &c->space->gpu->copy_bytes);
	while (n) {
		src = operand(c, in, v & L_IN_PHYS, c->src_mode, FAKERM_READ, &inl);
		dst = operand(c, out, v & L_OUT_PHYS, c->dst_mode, FAKERM_WRITE, &outl);
		if (!src || !dst)
			return bad_address(c, src ? out : in);
		part = min3(n, inl, outl);
		memcpy(dst, src, part);
		in += part;
		out += part;
		n -= part;
	}
}

static void copy_semaphore(struct chan *c, u32 v)
{
	u64 left;
	u8 *p = operand(c, c->csem, false, 0, FAKERM_WRITE, &left);

	if (!p)
		return bad_address(c, c->csem);
	if (L_SEM(v) == 2)
		stamp(p);
	smp_wmb();
	if (v & L_REDUCE) /* only "increment" is used, as a counter that wraps */
		*(u32 *)p = *(u32 *)p >= c->cpay ? 0 : *(u32 *)p + 1;
	else
		*(u32 *)p = c->cpay;
}

static void launch(struct chan *c, u32 v)
{
	u64 n = (u64)c->len * ((v & L_LINES) ? c->lines : 1);

	if (L_TYPE(v)) {
		if (v & L_REMAP)
			fill(c, v, n);
		else
			copy(c, v, n);
	}
	if (L_SEM(v))
		copy_semaphore(c, v);
}

static void host_semaphore(struct chan *c, u32 v)
{
	u64 at = ((u64)c->sem_hi << 32) | (c->sem_lo & ~3u), left;
	u8 *p = operand(c, at, false, 0, FAKERM_WRITE, &left);

	if (!p)
		return bad_address(c, at);
	if ((v & 7) == 1) {
		if (v & (1 << 25))
			stamp(p);
		smp_wmb();
		if (v & (1 << 24))
			*(u64 *)p = ((u64)c->pay_hi << 32) | c->pay_lo;
		else
			*(u32 *)p = c->pay_lo;
		return;
	}
	while ((int)(READ_ONCE(*(u32 *)p) - c->pay_lo) < 0 && !kthread_should_stop())
		usleep_range(20, 50);
}

/* MEM_OP_D: an invalidate may carry a replay or a cancel of faults. */
static void memory_op(struct chan *c, u32 v)
{
	struct gpu *gpu = c->space->gpu;
	u32 replay = (c->memop_c >> 2) & 7;
	u64 va = ((u64)c->memop_b << 32) | (c->memop_a & ~0xfffu);

	if ((v >> 27) != 9 && (v >> 27) != 10)
		return;
	down_write(&gpu->tlb);
	up_write(&gpu->tlb);
	if (!replay)
		return;
	if (replay > 2)
		atomic64_inc(&gpu->cancels);
	atomic64_inc(&gpu->replays);
	refault(gpu, replay > 2, va);
}

static void host_method(struct chan *c, u32 m, u32 v)
{
	switch (m) {
	case 0x28: c->memop_a = v; break;
	case 0x2c: c->memop_b = v; break;
	case 0x30: c->memop_c = v; break;
	case 0x34: memory_op(c, v); break;
	case 0x5c: c->sem_lo = v; break;
	case 0x60: c->sem_hi = v; break;
	case 0x64: c->pay_lo = v; break;
	case 0x68: c->pay_hi = v; break;
	case 0x6c: host_semaphore(c, v); break;
	case 0x84: atomic64_inc(&c->space->gpu->cleared); break;
	}
}

static void set_high(u64 *x, u32 v)
{
	*x = (u32)*x | ((u64)v << 32);
}

static void set_low(u64 *x, u32 v)
{
	*x = (*x & ~0xffffffffull) | v;
}

static void copy_method(struct chan *c, u32 m, u32 v)
{
	switch (m) {
	case 0x240: set_high(&c->csem, v); break;
	case 0x244: set_low(&c->csem, v); break;
	case 0x248: c->cpay = v; break;
	case 0x260: c->src_mode = v; break;
	case 0x264: c->dst_mode = v; break;
	case 0x300: launch(c, v); break;
	case 0x400: set_high(&c->in, v); break;
	case 0x404: set_low(&c->in, v); break;
	case 0x408: set_high(&c->out, v); break;
	case 0x40c: set_low(&c->out, v); break;
	case 0x418: c->len = v; break;
	case 0x41c: c->lines = v; break;
	case 0x700: c->remap_a = v; break;
	case 0x704: c->remap_b = v; break;
	case 0x708: c->remap = v; break;
	}
}

static void method(struct chan *c, u32 m, u32 v)
{
	if (m < 0x100)
		host_method(c, m, v);
	else
		copy_method(c, m, v);
}

/* Header: operation 31:29, count 28:16, subchannel 15:13, method 11:0 in words. */
static void run_push(struct chan *c, const u32 *p, u32 n)
{
	u32 i = 0, k, h, op, count, m;

	while (i < n) {
		h = p[i++];
		op = h >> 29;
		count = (h >> 16) & 0x1fff;
		m = (h & 0xfff) << 2;
		if (op == 4) { /* the data is in the header */
			method(c, m, count);
			continue;
		}
		for (k = 0; k < count && i < n; k++, i++)
			method(c, op == 3 ? m : op == 5 ? m + (k ? 4 : 0) : m + 4 * k, p[i]);
	}
}

static void run_entry(struct chan *c, u32 get)
{
	u32 lo = c->gp[2 * get], hi = c->gp[2 * get + 1], n = (hi >> 10) & 0x1fffff;
	u64 at = ((u64)(hi & 0xff) << 32) | (lo & ~3u);
	u8 *p = n ? area_at(at) : NULL;

	if (p)
		run_push(c, (u32 *)p, n);
	else if (n)
		bad_address(c, at);
}

int engine(void *arg)
{
	struct chan *c = arg;

	while (!kthread_should_stop()) {
		u32 get = c->get;

		if (get == READ_ONCE(c->put)) {
			usleep_range(20, 60);
			continue;
		}
		smp_rmb();
		run_entry(c, get);
		smp_wmb();
		WRITE_ONCE(c->get, (get + 1) % c->n);
	}
	return 0;
}
