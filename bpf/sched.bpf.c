// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* When followed threads ran, what they left the CPU for, and who woke them. */
#include "emit.bpf.h"
#include "host.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

static __always_inline u32 task_state(struct task_struct *task)
{
	struct task_struct___old *old = (void *)task;

	if (bpf_core_field_exists(task->__state))
		return BPF_CORE_READ(task, __state);
	return BPF_CORE_READ(old, state);
}

static __always_inline void switch_emit(struct task_struct *task, u32 on, u32 state, u32 other)
{
	struct sched_switch_rec *s = emit_begin(sizeof(*s), EVENT_SWITCH);

	if (!s)
		return;
	s->e.pid = task->tgid;
	s->e.tid = task->pid;
	s->on = on;
	s->state = state;
	s->other_tid = other;
	s->pad = 0;
	emit_end(s);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	if (is_followed(prev->tgid))
		switch_emit(prev, 0, preempt ? 0 : task_state(prev), next->pid);
	if (is_followed(next->tgid))
		switch_emit(next, 1, 0, prev->pid);
	return 0;
}

static __always_inline int wake_emit(struct task_struct *task)
{
	u64 waker = bpf_get_current_pid_tgid();
	struct wake *w;

	if (!is_followed(task->tgid))
		return 0;
	w = emit_begin(sizeof(*w), EVENT_WAKE);
	if (!w)
		return 0;
	w->e.pid = task->tgid;
	w->e.tid = task->pid;
	w->waker_pid = waker >> 32;
	w->waker_tid = waker;
	emit_end(w);
	return 0;
}

/* Not sched_wakeup: that one may run on the target's CPU, long after the waker went on. */
SEC("tp_btf/sched_waking")
int BPF_PROG(sched_waking, struct task_struct *task)
{
	return wake_emit(task);
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(sched_wakeup_new, struct task_struct *task)
{
	return wake_emit(task);
}
