/*
 * Of the kernel's structures, what the recorder's probes read; and the helpers
 * that only they use. Included before the probes.
 */
#ifndef HOST_KERNEL_H
#define HOST_KERNEL_H

#include <bpf/bpf_helpers.h>
#include <stdbool.h>
#include <stdio.h>

typedef u32 umode_t;
struct upid { int nr; void *ns; };
struct pid { u32 level; struct upid numbers[2]; };
struct kernfs_node { u64 id; };
struct cgroup;
struct cgroup_subsys_state { struct cgroup *cgroup; struct cgroup_subsys_state *parent; };
struct cgroup { struct cgroup_subsys_state self; struct kernfs_node *kn; };
struct css_set { struct cgroup *dfl_cgrp; };
struct signal_struct { struct { int counter; } live; };
struct inode { void *i_cdev; umode_t i_mode; u32 i_rdev; };
struct file { struct inode *f_inode; };
struct fdtable { u32 max_fds; struct file **fd; };
struct files_struct { struct fdtable *fdt; };
struct task_struct {
	struct task_struct *group_leader, *real_parent;
	struct pid *thread_pid;
	struct css_set *cgroups;
	struct signal_struct *signal;
	struct files_struct *files;
	void *stack;
	u32 tgid, pid, __state, flags;
	int exit_code;
	u64 start_time, self_exec_id;
	char comm[16];
};
struct task_struct___old { long state; };

static struct kernfs_node host_node = { 77 };
static struct cgroup host_cgroup = { .kn = &host_node };
static struct css_set host_css = { &host_cgroup };
static struct signal_struct host_signal = { { 1 } };
static struct pid host_pid = { 1, { { 100, NULL }, { 7, NULL } } };
static struct task_struct host_current = {
	.group_leader = &host_current, .real_parent = &host_current, .thread_pid = &host_pid,
	.cgroups = &host_css, .signal = &host_signal, .tgid = 100, .pid = 101,
	.start_time = 4242, .self_exec_id = 1, .comm = "train",
};

#define BPF_PROG(name, args...) name(args)
#define bpf_get_current_task() ((u64)&host_current)
#define bpf_get_current_task_btf() (&host_current)
#define bpf_core_read_str(to, n, from) strncpy((to), (const char *)(from), (n))
#define bpf_probe_read_kernel_str(to, n, from) strncpy((to), (from), (n))
#define bpf_probe_read_kernel(to, n, from) (memcpy((to), (from), (n)), 0)
#define bpf_core_field_exists(field) 1
#define BPF_MAP_TYPE_TASK_STORAGE 29
#define BPF_F_NO_PREALLOC 1

/* One task, so one value a map. */
static void *host_storage;
static size_t host_storage_size;
static int host_no_storage;

static void *host_storage_get(size_t size, u64 flags)
{
	if (!host_storage && flags && !host_no_storage) {
		host_storage = calloc(1, size);
		host_storage_size = size;
	}
	return host_storage;
}

#define bpf_task_storage_get(map, task, first, flags) \
	((typeof((map)->value))host_storage_get(sizeof(*(map)->value), (flags)))

/* Is the process followed? As the recorder would have it. */
#define host_follow(p) do {							\
	u32 pid_ = (p), one_ = 1;						\
	bpf_map_update_elem(&followed, &pid_, &one_, 0);			\
} while (0)
#define host_unfollow(p) do {							\
	u32 pid_ = (p);								\
	bpf_map_delete_elem(&followed, &pid_);					\
} while (0)

#define const	/* constants that user space sets before load are set here */

#endif
