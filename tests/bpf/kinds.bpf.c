// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A program for every type of probe row; each says only that it ran, and with what. */
#include "emit.bpf.h"
#include "kinds.h"
#include <bpf/bpf_tracing.h>
#include <bpf/usdt.bpf.h>

#define SIGUSR1 10

const volatile s32 add = 0;		/* --add: to every value */
const volatile u32 only[4] = {};	/* --only: these kinds */
const volatile u32 only_count = 0;

struct defined_stack { struct stack s; u64 frames[2]; };
struct defined_symbol { struct symbol s; char text[24]; };

static __always_inline void define(void)
{
	struct defined_stack *k = emit_begin(sizeof(*k), EVENT_STACK);
	struct defined_symbol *y;

	if (k) {
		k->s.id = HIT_STACK;
		k->s.kernel_frames = 0;
		k->s.user_frames = 2;
		k->frames[0] = 0x11;
		k->frames[1] = 0x22;
		emit_end(k);
	}
	y = emit_begin(sizeof(*y), EVENT_SYMBOL);
	if (!y)
		return;
	y->s.frame = 0x11;
	y->s.offset = 0;
	__builtin_memcpy(y->text, "_ZN4leaf4workEi\0\0\0\0\0\0\0\0", 24);
	emit_end(y);
}

static __always_inline bool is_asked(u32 what)
{
	for (int i = 0; i < 4; i++)
		if (i < only_count && only[i] == what)
			return true;
	return !only_count;
}

static __always_inline int say(u32 what, u64 value, u64 stack)
{
	struct hit *h;

	if (!wanted() || !is_asked(what))
		return 0;
	h = emit_begin(sizeof(*h), EVENT_HIT);
	if (!h)
		return 0;
	h->value = value + add;
	h->stack = stack;
	h->slots[0] = 0;
	h->slots[1] = what;
	h->slots[2] = 1000;
	h->slots[3] = ~0U;
	h->what = what;
	h->pad = 0;
	emit_end(h);
	return 0;
}

SEC("uprobe")
int BPF_KPROBE(on_uprobe, u64 value)
{
	if (value == 0)		/* the first call */
		define();
	return say(HIT_UPROBE, value, HIT_STACK);
}

SEC("uretprobe")
int BPF_KRETPROBE(on_uretprobe, u64 value)
{
	return say(HIT_URETPROBE, value, 0);
}

SEC("usdt")
int BPF_USDT(on_usdt, u32 correlation, u32 producer, u32 slot, u32 tid, u32 what)
{
	return say(HIT_USDT, correlation, 0);
}

SEC("tp")
int on_tracepoint(void *ctx)
{
	return say(HIT_TRACEPOINT, 0, 0x99);
}

SEC("raw_tp")
int on_raw_tracepoint(void *ctx)
{
	return say(HIT_RAW, 0, 0);
}

SEC("tp_btf")
int BPF_PROG(on_btf_tracepoint, int sig)
{
	return sig == SIGUSR1 ? say(HIT_BTF, sig, 0) : 0;
}

SEC("perf_event")
int on_perf_event(void *ctx)
{
	return say(HIT_PERF, 0, 0);
}
