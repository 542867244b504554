/*
 * Says once who a process is (struct task), before the first record about it:
 * it may be gone when user space looks. Known again after exec or when its id
 * was given to another: the start time and the name are compared.
 */
#ifndef TASK_BPF_H
#define TASK_BPF_H

#include "emit.bpf.h"
#include <bpf/bpf_core_read.h>

struct task_known {
	u64 start_ns;
	u64 comm[COMM_LEN / 8];	/* as words: compared without memcmp */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, u32);	/* pid */
	__type(value, struct task_known);
} tasks_known SEC(".maps");

/* The process's id as its own, innermost namespace counts. */
static __always_inline u32 task_ns_pid(struct task_struct *leader)
{
	struct pid *id = BPF_CORE_READ(leader, thread_pid);
	u32 level = BPF_CORE_READ(id, level), nr = 0;
	struct upid *numbers = __builtin_preserve_access_index(&id->numbers[0]);

	numbers = (void *)numbers + (level & 31) * bpf_core_type_size(struct upid);
	bpf_core_read(&nr, sizeof(nr), &numbers->nr);
	return nr;
}

static __always_inline void task_emit(u32 pid, struct task_struct *leader,
				      const struct task_known *k)
{
	struct task *t = emit_begin(sizeof(*t), EVENT_TASK);

	if (!t)
		return;
	t->e.pid = pid;
	t->e.tid = pid;
	t->start_ns = k->start_ns;
	t->cgroup = BPF_CORE_READ(leader, cgroups, dfl_cgrp, kn, id);
	t->ppid = BPF_CORE_READ(leader, real_parent, tgid);
	t->ns_pid = task_ns_pid(leader);
	t->ns_tid = t->ns_pid;
	t->exit_code = 0;
	t->what = TASK_FOUND;
	t->process = 0;
	t->pad = 0;
	__builtin_memcpy(t->comm, k->comm, COMM_LEN);
	emit_end(t);
}

/* About a process, by the task that leads it. */
static __always_inline void task_tell_of(struct task_struct *leader, u32 pid)
{
	struct task_known *old = bpf_map_lookup_elem(&tasks_known, &pid), now = {};

	now.start_ns = BPF_CORE_READ(leader, start_time);
	bpf_core_read(now.comm, COMM_LEN, &leader->comm);
	if (old && old->start_ns == now.start_ns && old->comm[0] == now.comm[0] &&
	    old->comm[1] == now.comm[1])
		return;
	bpf_map_update_elem(&tasks_known, &pid, &now, BPF_ANY);
	task_emit(pid, leader, &now);
}

/* About the current process. */
static __always_inline void task_tell(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();

	task_tell_of(BPF_CORE_READ(task, group_leader), bpf_get_current_pid_tgid() >> 32);
}

#endif
