// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* culaunch's probes as plain C: what no live test can arrange on purpose. */
#include <bpf/bpf_helpers.h>
#include <stdio.h>

struct upid { int nr; void *ns; };
struct pid { u32 level; struct upid numbers[2]; };
struct cgroup;
struct cgroup_subsys_state { struct cgroup *cgroup; struct cgroup_subsys_state *parent; };
struct kernfs_node { u64 id; };
struct cgroup { struct cgroup_subsys_state self; struct kernfs_node *kn; };
struct css_set { struct cgroup *dfl_cgrp; };
struct task_struct {
	struct task_struct *group_leader, *real_parent;
	struct pid *thread_pid;
	struct css_set *cgroups;
	u32 tgid, pid;
	u64 start_time;
	char comm[16];
};

static struct pid host_pid = { 1, { { 100, NULL }, { 7, NULL } } };
static struct kernfs_node host_node = { 77 };
static struct cgroup host_cgroup = { .kn = &host_node };
static struct css_set host_css = { &host_cgroup };
static struct task_struct host_parent = { .tgid = 50 };
static struct task_struct host_current = {
	.group_leader = &host_current, .real_parent = &host_parent, .thread_pid = &host_pid,
	.cgroups = &host_css, .tgid = 100, .start_time = 4242, .comm = "train",
};
#define bpf_get_current_task() ((u64)&host_current)

#define const	/* constants that user space sets before load are set here */
#include "../../bpf/culaunch.bpf.c"
#undef const

static u64 memory[32], *stack = memory + 16;	/* stack[0]: return address; stack[1]...:
						 * arguments 6... */

static struct pt_regs entry(u64 a, u64 b, u64 c)
{
	return (struct pt_regs){ .di = a, .si = b, .dx = c, .sp = (u64)stack };
}

static struct pt_regs result(s64 value)
{
	return (struct pt_regs){ .ax = value, .sp = (u64)stack + 8 };
}

static void launch_entry(u64 func)
{
	struct pt_regs r = { func, 7, 2, 5, 128, 2, 0, (u64)stack };

	stack[1] = 3;
	stack[2] = 4096;
	stack[3] = 0x51;
	launch_enter(&r);
}

static void launch_return(s64 value)
{
	struct pt_regs r = result(value);

	launch_exit(&r);
}

static void learn(u64 func, const char *name, s64 value)
{
	u64 out = func;
	struct pt_regs e = entry((u64)&out, 1, (u64)name), r = result(value);

	get_function_enter(&e);
	get_function_exit(&r);
}

static void *last(void)
{
	return host_count ? host_records[host_count - 1] : NULL;
}

static int since(int *seen)	/* records that came since the last look */
{
	int n = host_count - *seen;

	*seen = host_count;
	return n;
}

static int seen;

static void one_call_is_one_record_behind_its_task(void)
{
	struct launch *l;
	struct task *t;

	launch_entry(0xbeef);
	launch_return(400);
	assert(since(&seen) == 2);
	t = host_records[0];
	assert(t->e.kind == EVENT_TASK && t->e.pid == 100 && t->e.tid == 100);
	assert(t->start_ns == 4242 && t->ppid == 50 && t->ns_pid == 7 && t->cgroup == 77);
	assert(!strcmp(t->comm, "train") && t->what == TASK_FOUND);
	l = host_records[1];
	assert(l->e.kind == EVENT_LAUNCH && l->e.size == sizeof(*l) && l->e.producer == 0);
	assert(l->e.pid == 100 && l->e.tid == 101 && l->e.cpu == 3);
	assert(l->dur_ns == 1000 && l->e.ts == 2000 && l->func == 0xbeef && l->stream == 0x51);
	assert(l->grid[0] == 7 && l->grid[1] == 2 && l->grid[2] == 5);
	assert(l->block[0] == 128 && l->block[1] == 2 && l->block[2] == 3);
	assert(l->shared_bytes == 4096 && l->result == 400 && l->name == 0);
	launch_entry(0xbeef);
	launch_return(0);
	assert(since(&seen) == 1);	/* the task is known */
}

static void names_are_sent_once_and_again_when_they_change(void)
{
	static char name[] = "_Z5saxpyiPf";
	struct name *n;
	u32 first;

	learn(0xbeef, name, 0);
	n = last();
	assert(since(&seen) == 1 && n->e.kind == EVENT_NAME && n->what == NAME_KERNEL);
	assert(!strcmp((char *)(n + 1), name) && n->e.size == sizeof(*n) + 16);
	assert(!memcmp((char *)(n + 1) + 12, "\0\0\0\0", 4));
	first = n->id;
	learn(0xbeef, name, 0);
	assert(since(&seen) == 0);
	launch_entry(0xbeef);
	launch_return(0);
	assert(((struct launch *)last())->name == first && since(&seen) == 1);
	learn(0xbeef, "other", 0);
	assert(since(&seen) == 1 && ((struct name *)last())->id != first);
	learn(0xf00d, "failed", 500);
	assert(since(&seen) == 0);
	learn(0xf00d, NULL, 0);		/* the name cannot be read */
	assert(since(&seen) == 0);
}

static void long_names_are_cut_inside_the_buffer(void)
{
	static char name[3 * NAME_ROOM];
	struct name *n;

	memset(name, 'x', sizeof(name) - 1);
	learn(0x10, name, 0);
	n = last();
	assert(since(&seen) == 1 && n->e.size == sizeof(*n) + NAME_ROOM);
	assert(strlen((char *)(n + 1)) == NAME_ROOM - 1);
}

static void an_alias_has_the_name_of_its_kernel(void)
{
	u64 out = 0xa11a5;
	struct pt_regs e = entry((u64)&out, 0x10, 0), r = result(0);

	kernel_function_enter(&e);
	kernel_function_exit(&r);
	launch_entry(0xa11a5);
	launch_return(0);
	assert(((struct launch *)last())->name == last_name && since(&seen) == 1);
}

static void a_config_and_a_graph_are_launches_too(void)
{
	struct launch_config c = { { 1, 2, 3 }, { 4, 5, 6 }, 77, 0, 0x99 };
	struct pt_regs e = entry((u64)&c, 0xbeef, 0), r = result(0), g = entry(0x66, 0x99, 0);
	struct launch *l;

	launch_ex_enter(&e);
	launch_ex_exit(&r);
	l = last();
	assert(since(&seen) == 1 && l->api == LAUNCH_KERNEL_EX && l->func == 0xbeef && l->name);
	assert(l->grid[2] == 3 && l->block[0] == 4 && l->shared_bytes == 77 &&
	       l->stream == 0x99);
	graph_enter(&g);
	graph_exit(&r);
	l = last();
	assert(since(&seen) == 1 && l->api == LAUNCH_GRAPH && l->func == 0x66 && !l->name);
}

static void a_call_inside_itself_keeps_its_own_time(void)
{
	struct pt_regs inner = entry(2, 0, 0), r = result(0);

	launch_entry(1);
	inner.sp -= 64;
	r.sp -= 64;
	launch_enter(&inner);
	launch_exit(&r);
	assert(((struct launch *)last())->func == 2);
	launch_return(0);
	assert(((struct launch *)last())->func == 1 && since(&seen) == 2);
}

static void a_return_without_entry_is_counted_and_silent(void)
{
	launch_return(0);
	assert(since(&seen) == 0 && lost == 0 && lost_map == 1);
	host_map_full = 1;		/* the call found no room: its return says so */
	launch_entry(1);
	host_map_full = 0;
	launch_return(0);
	assert(since(&seen) == 0 && lost_map == 2);
}

static void a_full_ring_is_counted_and_the_call_forgotten(void)
{
	host_ring_full = 1;
	launch_entry(1);
	launch_return(0);
	learn(0x20, "nowhere", 0);
	host_ring_full = 0;
	assert(lost == 2);
	launch_return(0);		/* the call must be gone from the map */
	assert(since(&seen) == 0 && lost_map == 3);
}

static void filters_decide_in_the_probe(void)
{
	min_ns = 1001;
	launch_entry(1);
	launch_return(0);
	min_ns = 0;
	only_failed = true;
	launch_entry(1);
	launch_return(0);
	assert(since(&seen) == 0);
	launch_entry(1);
	launch_return(-1);
	assert(since(&seen) == 1);
	only_failed = false;
	only_pid = 99;
	launch_entry(1);
	launch_return(0);
	only_pid = 100;
	only_tid = 99;
	launch_entry(1);
	launch_return(0);
	only_pid = only_tid = 0;
	use_followed = true;
	launch_entry(1);
	launch_return(0);
	assert(since(&seen) == 0 && lost_map == 3);
	host_update(&followed, &(u32){ 100 }, 4, &(u32){ 1 }, 4);
	launch_entry(1);
	launch_return(0);
	assert(since(&seen) == 1);
	use_followed = false;
}

static struct launch *launch_once(void)
{
	launch_entry(1);
	launch_return(0);
	return since(&seen) ? host_records[host_count - 1] : NULL;
}

static void a_cgroup_holds_those_below_it(void)
{
	struct kernfs_node id[3] = { { 1 }, { 500 }, { 77 } };
	struct cgroup c[3] = { { .kn = &id[0] }, { .kn = &id[1] }, { .kn = &id[2] } };
	struct cgroup_subsys_state none = {};
	struct css_set css = { &c[2] };

	for (int i = 0; i < 3; i++) {
		c[i].self.cgroup = &c[i];
		c[i].self.parent = i ? &c[i - 1].self : &none;
	}
	host_current.cgroups = &css;
	for (int i = 0; i < 3; i++) {
		only_cgroup = id[i].id;
		assert(launch_once());
	}
	only_cgroup = 501;
	assert(!launch_once());
	only_cgroup = 500;
	css.dfl_cgrp = &c[0];
	assert(!launch_once() && !wanted_task(&host_current));
	host_current.cgroups = &(struct css_set){ &c[1] };
	host_current.pid = 101;
	only_pid = 100;
	assert(wanted_task(&host_current));
	only_tid = 102;
	assert(!wanted_task(&host_current));
	only_tid = 0;
	only_pid = 99;
	assert(!wanted_task(&host_current));
	only_pid = only_cgroup = 0;
	use_followed = true;
	assert(wanted_task(&host_current));
	host_delete(&followed, &(u32){ 100 }, 4);
	assert(!wanted_task(&host_current));
	use_followed = false;
	host_current.cgroups = &host_css;
}

static void the_reader_is_woken_when_so_much_is_unread(void)
{
	host_unread = 100;
	launch_entry(1);
	launch_return(0);
	assert(host_flags == BPF_RB_NO_WAKEUP);
	host_unread = wake_bytes + sizeof(struct launch);
	launch_entry(1);
	launch_return(0);
	assert(host_flags == BPF_RB_FORCE_WAKEUP);
	host_unread = wake_bytes + 4096;	/* once is enough */
	launch_entry(1);
	launch_return(0);
	assert(host_flags == BPF_RB_NO_WAKEUP);
}

static void a_process_that_became_another_is_told_again(void)
{
	since(&seen);
	strcpy(host_current.comm, "serve");
	launch_entry(1);
	launch_return(0);
	assert(since(&seen) == 2);
}

int main(void)
{
	one_call_is_one_record_behind_its_task();
	names_are_sent_once_and_again_when_they_change();
	long_names_are_cut_inside_the_buffer();
	an_alias_has_the_name_of_its_kernel();
	a_config_and_a_graph_are_launches_too();
	a_call_inside_itself_keeps_its_own_time();
	a_return_without_entry_is_counted_and_silent();
	a_full_ring_is_counted_and_the_call_forgotten();
	filters_decide_in_the_probe();
	a_cgroup_holds_those_below_it();
	the_reader_is_woken_when_so_much_is_unread();
	a_process_that_became_another_is_told_again();
	puts("culaunch: 11 cases");
	return 0;
}
