// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Follows processes from fork to exit and says what became of them. A command
 * adopts itself: the recorder's child runs `adopt` (BPF_PROG_RUN) before it
 * executes. Those that run already are found by `adopt_tasks`, which knows them
 * by the ids that the recorder sees, or by their cgroup; whoever comes into that
 * cgroup later is met at its next fork or exec. Either way host ids are exact in
 * any pid namespace.
 */
#include "emit.bpf.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

/* What an iterator over tasks is given; its place in memory is the kernel's interface. */
struct task_iterator {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FOLLOWED_MAX);
	__type(key, u32);	/* process as the recorder sees it */
	__type(value, u32);
} adopted SEC(".maps");

static __always_inline u32 inner_id(struct pid *pid)	/* as the innermost namespace sees it */
{
	u32 level = BPF_CORE_READ(pid, level);
	u32 nr = 0;

	bpf_core_read(&nr, sizeof(nr), &pid->numbers[level & 31].nr);
	return nr;
}

static __always_inline void task_fill(struct task *t, struct task_struct *task, u16 what)
{
	t->e.pid = BPF_CORE_READ(task, tgid);
	t->e.tid = BPF_CORE_READ(task, pid);
	t->start_ns = BPF_CORE_READ(task, start_time);
	t->cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	t->ppid = BPF_CORE_READ(task, real_parent, tgid);
	t->ns_pid = inner_id(BPF_CORE_READ(task, group_leader, thread_pid));
	t->ns_tid = inner_id(BPF_CORE_READ(task, thread_pid));
	t->exit_code = 0;
	t->what = what;
	t->process = 0;
	t->pad = 0;
}

static __always_inline struct task *task_begin(struct task_struct *task, u16 what)
{
	struct task *t = emit_begin(sizeof(*t), EVENT_TASK);

	if (!t)
		return NULL;
	task_fill(t, task, what);
	bpf_core_read_str(t->comm, sizeof(t->comm), &task->comm);
	return t;
}

static __always_inline void task_emit(struct task_struct *task, u16 what)
{
	struct task *t = task_begin(task, what);

	if (t)
		bpf_ringbuf_submit(t, BPF_RB_FORCE_WAKEUP);	/* maps are read while it
								 * lives */
}

static __always_inline bool follow(u32 pid)
{
	u32 one = 1;

	if (!bpf_map_update_elem(&followed, &pid, &one, BPF_ANY))
		return true;
	emit_lost_map();
	return false;
}

SEC("raw_tp")
int adopt(void *ctx)
{
	if (follow(bpf_get_current_pid_tgid() >> 32))
		task_emit((struct task_struct *)bpf_get_current_task(), TASK_FOUND);
	return 0;
}

/* The id of a process as the current task sees it; 0: it does not. */
static __always_inline u32 seen_id(struct task_struct *leader)
{
	struct task_struct *me = (struct task_struct *)bpf_get_current_task();
	struct pid *mine = BPF_CORE_READ(me, thread_pid);
	struct pid *its = BPF_CORE_READ(leader, thread_pid);
	u32 level = BPF_CORE_READ(mine, level), nr = 0;
	struct pid_namespace *ns = NULL, *its_ns = NULL;

	if (BPF_CORE_READ(its, level) < level)
		return 0;
	bpf_core_read(&ns, sizeof(ns), &mine->numbers[level & 31].ns);
	bpf_core_read(&its_ns, sizeof(its_ns), &its->numbers[level & 31].ns);
	bpf_core_read(&nr, sizeof(nr), &its->numbers[level & 31].nr);
	return ns == its_ns ? nr : 0;
}

static __always_inline bool is_adopted(struct task_struct *task)
{
	u32 id = seen_id(BPF_CORE_READ(task, group_leader));

	return (id && bpf_map_lookup_elem(&adopted, &id)) ||
	       (only_cgroup && in_only_cgroup(task));
}

/* Of every thread there is: those of processes in `adopted` or in the cgroup are followed from
 * here on. */
SEC("iter/task")
int adopt_tasks(struct task_iterator *ctx)
{
	struct task_struct *task = ctx->task;

	if (task && is_adopted(task) && follow(BPF_CORE_READ(task, tgid)))
		task_emit(task, TASK_FOUND);
	return 0;
}

/* Not followed so far, and in the cgroup: from here on it is. */
static __always_inline bool comes_in(struct task_struct *task)
{
	if (!only_cgroup || !in_only_cgroup(task) || !follow(BPF_CORE_READ(task, tgid)))
		return false;
	task_emit(task, TASK_FOUND);
	return true;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(task_fork, struct task_struct *parent, struct task_struct *child)
{
	if (!is_followed(parent->tgid) && !comes_in(child))
		return 0;
	if (child->tgid == parent->tgid || follow(child->tgid))
		task_emit(child, TASK_FORK);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(task_exec, struct task_struct *task)
{
	if (is_followed(task->tgid) || comes_in(task))
		task_emit(task, TASK_EXEC);
	return 0;
}

SEC("tp_btf/task_rename")
int BPF_PROG(task_comm, struct task_struct *task, const char *comm)
{
	struct task *t;

	if (!is_followed(task->tgid))
		return 0;
	t = task_begin(task, TASK_COMM);
	if (!t)
		return 0;
	bpf_probe_read_kernel_str(t->comm, sizeof(t->comm), comm);
	emit_end(t);
	return 0;
}

/* One record a thread; pad 1 tells the recorder that it was the process's last. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(task_exit, struct task_struct *task)
{
	u32 pid = task->tgid;
	struct task *t;
	bool last;

	if (!is_followed(pid))
		return 0;
	last = !BPF_CORE_READ(task, signal, live.counter);
	t = task_begin(task, TASK_EXIT);
	if (t) {
		t->exit_code = task->exit_code;
		t->pad = last;
		emit_end(t);
	}
	if (last)
		bpf_map_delete_elem(&followed, &pid);
	return 0;
}
