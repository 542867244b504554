/* Single events beside the faults: thrashing, throttling, remote maps, read duplication,
 * fatal faults, access counters, and how far the driver widened a fault. */
#ifndef UVM_MARKS_BPF_H
#define UVM_MARKS_BPF_H

#include "uvm_events.bpf.h"

#define UVM_PAGE_SHIFT 12	/* x86-64; the driver's bitmaps count these */
#define UVM_MASK_WORDS 8	/* 512 pages: a block of 2 MiB */

static __always_inline u64 uvm_block_space(u64 block)
{
	struct uvm_block b;

	uvm_block_read(block, &b);
	return b.space;
}

/* uvm_tools_record_thrashing(va_space, address, size, processors *) */
static __always_inline void uvm_thrashing(const u64 *arg)
{
	struct uvm_mark_args a = { .addr = arg[1], .bytes = arg[2], .what = UVM_THRASHING };

	bpf_probe_read_kernel(&a.processors, sizeof(a.processors), (void *)arg[3]);
	uvm_mark_emit(arg[0], 0, &a);
}

/* uvm_tools_record_throttling_start(va_space, address, processor), ..._end() */
static __always_inline void uvm_throttle(const u64 *arg, u32 what)
{
	struct uvm_mark_args a = { .addr = arg[1], .processor = arg[2], .what = what };

	uvm_mark_emit(arg[0], 0, &a);
}

static __always_inline void uvm_throttle_start(const u64 *arg)
{
	uvm_throttle(arg, UVM_THROTTLE_START);
}

static __always_inline void uvm_throttle_end(const u64 *arg)
{
	uvm_throttle(arg, UVM_THROTTLE_END);
}

/* uvm_tools_record_map_remote(va_block, push, processor, residency, address, size, cause on the
 * stack) */
static __always_inline void uvm_map_remote(const u64 *arg)
{
	struct uvm_mark_args a = {
		.addr = arg[4], .bytes = arg[5], .processor = arg[2], .what = UVM_MAP_REMOTE,
		.processors = (u32)arg[3] < 64 ? 1ULL << ((u32)arg[3] & 63) : 0,
	};

	uvm_mark_emit(uvm_block_space(arg[0]), arg[0], &a);
}

/* uvm_tools_record_gpu_fatal_fault(gpu_id, va_space, entry, reason) */
static __always_inline void uvm_fatal(const u64 *arg)
{
	void *entry = (void *)arg[2];
	struct uvm_mark_args a = {
		.addr = UVM_READ(entry_addr, entry), .processor = arg[0],
		.what = UVM_FATAL_FAULT, .value = arg[3],
	};

	uvm_mark_emit(arg[1], 0, &a);
}

/* uvm_tools_broadcast_access_counter(gpu, entry, ...): the driver calls it with
 * uvm_enable_builtin_tests=1 only. */
static __always_inline void uvm_counter(const u64 *arg)
{
	void *entry = (void *)arg[1];
	struct uvm_mark_args a = {
		.addr = UVM_READ(counter_addr, entry),
		.processor = uvm_gpu_tell((void *)arg[0]), .what = UVM_ACCESS_COUNTER,
		.value = UVM_READ(counter_value, entry),
	};

	uvm_mark_emit(UVM_READ(counter_space, entry), 0, &a);
}

/* ---- bitmaps of a block's pages ---- */

static __always_inline u32 bits_of(u64 x)
{
	x -= x >> 1 & 0x5555555555555555ULL;
	x = (x & 0x3333333333333333ULL) + (x >> 2 & 0x3333333333333333ULL);
	return ((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fULL) * 0x0101010101010101ULL >> 56;
}

/* The lowest n bits, n from below 0 to above 64. Without a branch, as all of this: the verifier
 * of 6.1 follows each way through eight words on its own ("BPF program is too large"). */
static __always_inline u64 low_bits(s32 n)
{
	s32 sign = n >> 31;

	barrier_var(sign);	/* else it becomes a maximum, and that a branch */
	n &= ~sign;
	sign = (n - 64) >> 31;
	barrier_var(sign);
	n = 64 + ((n - 64) & sign);
	return ~(~0ULL << (n >> 1) << (n - (n >> 1)));
}

/* Pages of a bitmap between two bits, and the first of them. */
static __always_inline u32 pages_in(const u64 *mask, u32 from, u32 to, u32 *first)
{
	u32 pages = 0;

	*first = from;
	for (u32 i = UVM_MASK_WORDS; i-- > 0;) {
		u64 word = mask[i] & low_bits(to - i * 64) & ~low_bits(from - i * 64);
		u32 at = i * 64 + bits_of((word & -word) - 1);
		u32 any = -(u32)((word | -word) >> 63);	/* ~0 or 0 */

		barrier_var(any);
		pages += bits_of(word);
		*first = (*first & ~any) | (at & any);
	}
	return pages;
}

/* uvm_tools_record_read_duplicate(va_block, dst, region, page_mask *), where a region is two
 * u16: first page and the one behind the last */
static __always_inline void uvm_duplicated(const u64 *arg)
{
	struct uvm_mark_args a = { .processor = arg[1], .what = UVM_READ_DUPLICATE };
	u64 mask[UVM_MASK_WORDS] = {};
	u32 first, from = (u16)arg[2], to = (u16)(arg[2] >> 16);

	bpf_probe_read_kernel(mask, sizeof(mask), (void *)arg[3]);
	a.bytes = (u64)pages_in(mask, from, to, &first) << UVM_PAGE_SHIFT;
	a.addr = UVM_READ(block_start, (void *)arg[0]) + ((u64)first << UVM_PAGE_SHIFT);
	uvm_mark_emit(uvm_block_space(arg[0]), arg[0], &a);
}

/*
 * uvm_perf_prefetch_get_hint_va_block(va_block, ..., hint * on the stack): the pages that the
 * driver would migrate besides. Told where it returns, by a kretprobe alone: trampolines of
 * 6.1 take six arguments at most.
 */
static __always_inline void uvm_hint_enter(struct pt_regs *ctx)
{
	struct uvm_call *c = uvm_call_get();

	if (!c || !c->id)
		return;
#ifdef __TARGET_ARCH_arm64
	c->kept = CALL_REG(ctx, 6);
#else
	bpf_probe_read_kernel(&c->kept, sizeof(c->kept), (void *)PT_REGS_SP(ctx) + CALL_PUSH);
#endif
}

static __always_inline void uvm_hint_exit(s64 result)
{
	struct uvm_mark_args a = { .what = UVM_PREFETCH_HINT };
	struct uvm_call *c = uvm_call_get();
	u64 mask[UVM_MASK_WORDS] = {};
	u32 first, pages;

	if (!c || !c->id || !c->kept)
		return;
	UVM_READ_INTO(&mask, prefetch_mask, (void *)c->kept);
	a.processor = UVM_READ(prefetch_residency, (void *)c->kept);
	c->kept = 0;
	pages = pages_in(mask, 0, UVM_MASK_WORDS * 64, &first);
	if (!pages)
		return;
	a.bytes = (u64)pages << UVM_PAGE_SHIFT;
	a.addr = UVM_READ(block_start, (void *)c->block) + ((u64)first << UVM_PAGE_SHIFT);
	uvm_mark_emit(c->space, c->block, &a);
}

#endif
