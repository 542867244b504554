/*
 * What a thread is doing inside nvidia-uvm.ko: one state a thread, from the outermost function
 * of ours that it entered to the return of that one. No function of the driver is left by
 * another way than its return; what found the map full, or a return that never fired (the
 * kernel was out of kretprobe instances), is counted in lost_map.
 */
#ifndef UVM_CALL_BPF_H
#define UVM_CALL_BPF_H

#include "emit.bpf.h"
#include "regs.bpf.h"
#include "uvm.h"

#define UVM_CALLS_MAX 4096	/* threads inside the driver at once */

/* The outermost function. */
enum uvm_outer {
	UVM_IN_REPLAYABLE = 1, UVM_IN_NON_REPLAYABLE, UVM_IN_CPU_FAULT, UVM_IN_COUNTERS,
	UVM_IN_EVICTION,
};

struct uvm_call {
	/* the batch of replayable faults; open from a fetch that found some */
	u64 fetch_ns, fetched_ns, replayed_ns, serve_ns, served_ns, batch_bytes;
	u64 context;		/* of the batch, in the driver */
	u32 batch_gpu, batch, cached, coalesced, duplicates, blocks, replays;
	s32 batch_status;
	bool batch_open, batch_wanted;
	/* the service, open while id is not 0 */
	bool paused;		/* it returned, and will be called again for the same */
	bool wanted;
	u64 id, begun_ns, paused_ns, addr, bytes_in, bytes_out;
	u64 block, space;
	u32 pid, gpu, faults, what;
	s32 status;
	/* an eviction */
	u32 evict_gpu;
	u64 evict_ns, evict_block, evict_bytes;

	u64 kept;		/* an argument, from a function's entry to its return */
	u32 outer;		/* enum uvm_outer */
	u32 depth_pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, UVM_CALLS_MAX);
	__type(key, u32);	/* tid */
	__type(value, struct uvm_call);
} uvm_calls SEC(".maps");

static struct uvm_call uvm_call_none;	/* too large for the stack of a probe */
u64 uvm_last_service = 0;

/* NULL: the thread is in no function of ours, or was before we came. */
static __always_inline struct uvm_call *uvm_call_get(void)
{
	u32 tid = bpf_get_current_pid_tgid();

	return bpf_map_lookup_elem(&uvm_calls, &tid);
}

/* A state left over says that its function's return was missed. */
static __always_inline struct uvm_call *uvm_call_begin(u32 outer)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct uvm_call *c = bpf_map_lookup_elem(&uvm_calls, &tid);

	if (c || bpf_map_update_elem(&uvm_calls, &tid, &uvm_call_none, BPF_ANY))
		emit_lost_map();
	if (c)
		bpf_map_update_elem(&uvm_calls, &tid, &uvm_call_none, BPF_ANY);
	c = bpf_map_lookup_elem(&uvm_calls, &tid);
	if (c)
		c->outer = outer;
	return c;
}

static __always_inline void uvm_call_end(void)
{
	u32 tid = bpf_get_current_pid_tgid();

	bpf_map_delete_elem(&uvm_calls, &tid);
}

/* ---- one body behind kprobe and fentry ---- */

#define UVM_REGS 6

static __always_inline void uvm_regs(u64 *arg, struct pt_regs *ctx)
{
	arg[0] = CALL_REG(ctx, 0);
	arg[1] = CALL_REG(ctx, 1);
	arg[2] = CALL_REG(ctx, 2);
	arg[3] = CALL_REG(ctx, 3);
	arg[4] = CALL_REG(ctx, 4);
	arg[5] = CALL_REG(ctx, 5);
}

/* Those behind a function's last stay as they are: no body asks for them. Nothing is asked
 * about that here, which would double the verifier's ways six times. */
static __always_inline void uvm_func_args(u64 *arg, void *ctx)
{
	for (u32 i = 0; i < UVM_REGS; i++)
		bpf_get_func_arg(ctx, i, &arg[i]);
}

/* NAME and NAME_f, which call body(const u64 arg[6]). */
#define UVM_ENTRY(name, body)							\
	SEC("kprobe") int name(struct pt_regs *ctx)				\
	{									\
		u64 arg[UVM_REGS];						\
										\
		uvm_regs(arg, ctx);						\
		body(arg);							\
		return 0;							\
	}									\
	SEC("fentry") int name##_f(void *ctx)					\
	{									\
		u64 arg[UVM_REGS] = {};						\
										\
		uvm_func_args(arg, ctx);					\
		body(arg);							\
		return 0;							\
	}

/* NAME and NAME_f, which call body(s64 what the function returned). */
#define UVM_RETURN(name, body)							\
	SEC("kretprobe") int name(struct pt_regs *ctx)				\
	{									\
		body(PT_REGS_RC(ctx));						\
		return 0;							\
	}									\
	SEC("fexit") int name##_f(void *ctx)					\
	{									\
		u64 result = 0;							\
										\
		bpf_get_func_ret(ctx, &result);					\
		body(result);							\
		return 0;							\
	}

#endif
