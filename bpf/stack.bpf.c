// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The CPU stack of each CUDA call, by the API-enter USDT of the library in the
 * process. A stack is named by a 64-bit hash of its addresses and its process
 * image; its addresses are sent once, so a hit costs 48 bytes.
 */
#include "emit.bpf.h"
#include "cuda.h"
#include "recent.bpf.h"
#include "stack_own.bpf.h"
#include <bpf/bpf_tracing.h>
#include <bpf/usdt.bpf.h>

#define STACK_DEPTH 127

struct raw_stack {
	struct stack head;
	u64 ips[STACK_DEPTH + 1];
};

/* Room of the thread's own: since 6.0 a uprobe's program may be preempted on its CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct raw_stack);
} raw_stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);	/* one thrown out is only sent again */
	__uint(max_entries, 32768);
	__type(key, u64);			/* stack id */
	__type(value, u8);
} stacks_sent SEC(".maps");

static __always_inline u64 mix(u64 h, u64 v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
	return h ^ h >> 32;
}

/* A process after exec is another image: equal addresses there mean other code. */
static __always_inline u64 image_hash(struct task_struct *task)
{
	u64 h = mix(task->tgid, task->group_leader->start_time);

	return mix(h, task->self_exec_id);
}

static __always_inline u64 stack_hash(const struct raw_stack *s, u32 frames, u64 h)
{
	for (u32 i = 0; i < STACK_DEPTH; i++) {
		if (i >= frames)
			break;
		h = mix(h, s->ips[i]);
	}
	return h ? h : 1;
}

/* False: the ring was full, and the addresses must be sent with the next hit. */
static __always_inline bool stack_send(struct raw_stack *s, u64 id, u32 frames)
{
	u32 size = sizeof(s->head) + frames * 8;

	emit_head(&s->head.e, size, EVENT_STACK);
	s->head.id = id;
	s->head.kernel_frames = 0;
	s->head.user_frames = frames;
	if (size > sizeof(*s) || bpf_ringbuf_output(&events, s, size, BPF_RB_FORCE_WAKEUP)) {
		emit_lost();
		return false;
	}
	return true;
}

/* The id of this thread's user stack, whose addresses are in the ring before it; 0: none. */
static __always_inline u64 stack_take(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct raw_stack *s = bpf_task_storage_get(&raw_stacks, task, NULL,
						   BPF_LOCAL_STORAGE_GET_F_CREATE);
	u8 one = 1;
	long n;
	u64 id;

	if (!s) {
		emit_lost_map();
		return 0;
	}
	n = bpf_get_stack(ctx, s->ips, STACK_DEPTH * 8, BPF_F_USER_STACK);
	if (n <= 0)
		return 0;
	n = n / 8 & STACK_DEPTH;
	id = stack_hash(s, n, image_hash(task));
	if (!bpf_map_lookup_elem(&stacks_sent, &id) && stack_send(s, id, n))
		bpf_map_update_elem(&stacks_sent, &id, &one, BPF_ANY);
	return id;
}

/* what: the callback id, its domain above (cupti/callback.c). */
static __always_inline void recent_api(u32 correlation, u32 what)
{
	struct recent_call c = { .ts = bpf_ktime_get_ns(), .cmd = correlation,
				 .rm = what & 0xffffff, .what = RECENT_CUDA,
				 .op = what >> 24 };

	recent_add(&c);
}

SEC("usdt")
int BPF_USDT(api_enter, u32 correlation, u16 process, u16 slot, u32 ns_tid, u32 what)
{
	struct api_stack *a;
	u64 stack;

	stack_own(ctx);
	if (!is_followed(bpf_get_current_pid_tgid() >> 32))
		return 0;
	recent_api(correlation, what);
	stack = stack_take(ctx);
	a = emit_begin(sizeof(*a), EVENT_API_STACK);
	if (!a)
		return 0;
	a->stack = stack;
	a->correlation = correlation;
	a->process = process;
	a->slot = slot;
	a->ns_tid = ns_tid;
	a->pad = 0;
	emit_end(a);
	return 0;
}
