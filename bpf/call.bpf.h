/*
 * Pairs a function's entry with its return, per thread. The stack pointer is
 * part of the key, so a function that calls itself is paired right too.
 */
#ifndef CALL_BPF_H
#define CALL_BPF_H

#include "emit.bpf.h"
#include "regs.bpf.h"
#include "stack_own.bpf.h"
#include <bpf/bpf_tracing.h>

#ifndef CALL_ARGS
#define CALL_ARGS 6
#endif
#ifndef CALLS_MAX
#define CALLS_MAX 16384		/* in flight at once */
#endif

struct call_key {
	u32 tid;
	u32 program;		/* which function, chosen by the probe */
	u64 sp;			/* behind the return address */
};

struct call {
	u64 start;
	u64 arg[CALL_ARGS];	/* whatever the return probe needs */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);	/* a killed thread never returns */
	__uint(max_entries, CALLS_MAX);
	__type(key, struct call_key);
	__type(value, struct call);
} calls SEC(".maps");

/* Integer argument n (from 0, constant) at a function's entry, also those on the stack. */
static __always_inline u64 call_arg(struct pt_regs *ctx, const u32 n)
{
	u64 v = 0;

	if (n < CALL_REGS)
		return CALL_REG(ctx, n);
	bpf_probe_read_user(&v, sizeof(v),
			    (void *)(PT_REGS_SP(ctx) + CALL_PUSH + 8 * (n - CALL_REGS)));
	return v;
}

/* Fills in c->start. */
static __always_inline void call_begin(struct pt_regs *ctx, u32 program, struct call *c)
{
	struct call_key key = { bpf_get_current_pid_tgid(), program,
				PT_REGS_SP(ctx) + CALL_PUSH };

	stack_own(ctx);
	c->start = bpf_ktime_get_ns();
	bpf_map_update_elem(&calls, &key, c, BPF_ANY);
}

/*
 * False when the call was not wanted, or was pushed out of the map, which is counted: a
 * uretprobe fires only for calls that began after it was attached, and rows attach the entry
 * first, so nothing else can lose the beginning.
 */
static __always_inline bool call_end(struct pt_regs *ctx, u32 program, struct call *call,
				     u64 *dur)
{
	struct call_key key = { bpf_get_current_pid_tgid(), program, PT_REGS_SP(ctx) };
	struct call *c = bpf_map_lookup_elem(&calls, &key);

	stack_own(ctx);
	if (!c) {
		if (wanted())
			emit_lost_map();
		return false;
	}
	*call = *c;
	*dur = bpf_ktime_get_ns() - c->start;
	bpf_map_delete_elem(&calls, &key);
	return true;
}

#endif
