// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bpf/follow as plain C: who is followed, what is said of them, and what a full map or ring
 * costs. */
#include "kernel.h"
#include "../../bpf/follow.bpf.c"
#undef const

static struct task_struct stranger = { .tgid = 900, .pid = 900 };

static struct task_struct child_of(struct task_struct *parent, u32 tgid, u32 pid)
{
	struct task_struct t = *parent;

	t.tgid = tgid;
	t.pid = pid;
	t.real_parent = parent;
	return t;
}

static struct task *last(void)
{
	return host_count ? host_records[host_count - 1] : NULL;
}

static void adoption_says_who_it_is(void)
{
	struct task *t;

	adopt(NULL);
	t = last();
	assert(host_count == 1 && t->what == TASK_FOUND && is_followed(100));
	assert(t->e.pid == 100 && t->e.tid == 101 && t->ns_pid == 7 && t->ns_tid == 7);
	assert(t->start_ns == 4242 && t->cgroup == 77 && !strcmp(t->comm, "train") && !t->pad);
	assert(t->e.kind == EVENT_TASK && t->e.size == sizeof(*t) && t->e.producer == 0);
}

static void strangers_are_not_followed(void)
{
	struct task_struct child = child_of(&stranger, 901, 901);
	int before = host_count;

	task_fork(&stranger, &child);
	task_exec(&stranger);
	task_comm(&stranger, "x");
	task_exit(&stranger);
	assert(host_count == before && !is_followed(901) && !is_followed(900));
}

static void children_and_threads_are_followed(void)
{
	struct task_struct child = child_of(&host_current, 200, 200);
	struct task_struct thread = child_of(&host_current, 100, 102);

	task_fork(&host_current, &child);
	assert(is_followed(200) && last()->what == TASK_FORK && last()->ppid == 100);
	task_fork(&host_current, &thread);
	assert(last()->e.pid == 100 && last()->e.tid == 102);
	task_comm(&thread, "worker");
	assert(last()->what == TASK_COMM && !strcmp(last()->comm, "worker"));
}

static void the_last_thread_ends_it(void)
{
	struct task_struct child = child_of(&host_current, 200, 200);

	host_signal.live.counter = 1;
	child.exit_code = 9;
	task_exit(&child);
	assert(last()->what == TASK_EXIT && last()->exit_code == 9 && !last()->pad &&
	       is_followed(200));
	host_signal.live.counter = 0;
	task_exit(&child);
	assert(last()->pad == 1 && !is_followed(200));
	host_signal.live.counter = 1;
}

/* The ring may be full: the map is right all the same. */
static void a_full_ring_loses_words_not_processes(void)
{
	struct task_struct child = child_of(&host_current, 300, 300);
	int before = host_count;

	host_ring_full = 1;
	task_fork(&host_current, &child);
	assert(is_followed(300) && lost == 1);
	host_signal.live.counter = 0;
	task_exit(&child);
	assert(!is_followed(300) && lost == 2 && host_count == before);
	host_signal.live.counter = 1;
	host_ring_full = 0;
}

static void a_full_map_is_counted(void)
{
	struct task_struct child = child_of(&host_current, 400, 400);
	int before = host_count;

	host_map_full = 1;
	task_fork(&host_current, &child);
	host_map_full = 0;
	assert(!is_followed(400) && lost_map == 1 && host_count == before);
}

static void those_that_run_already(void)
{
	static int elsewhere;
	struct pid inside = { 1, { { 600, NULL }, { 33, NULL } } };
	struct task_struct leader = child_of(&host_current, 600, 600);
	struct task_struct thread = child_of(&host_current, 600, 601);
	struct task_iterator at = { NULL, &leader };
	u32 id = 33, one = 1;
	int before = host_count;

	leader.thread_pid = thread.thread_pid = &inside;
	leader.group_leader = thread.group_leader = &leader;
	adopt_tasks(&at);
	assert(host_count == before && !is_followed(600));
	bpf_map_update_elem(&adopted, &id, &one, BPF_ANY);
	adopt_tasks(&at);
	assert(is_followed(600) && last()->what == TASK_FOUND && last()->ns_pid == 33);
	at.task = &thread;
	adopt_tasks(&at);
	assert(last()->e.pid == 600 && last()->e.tid == 601);
	before = host_count;
	inside.numbers[1].ns = &elsewhere;	/* the number means another process there */
	adopt_tasks(&at);
	inside.numbers[1].ns = NULL;
	inside.level = 0;			/* it is outside of our namespace */
	adopt_tasks(&at);
	at.task = NULL;				/* the last call has none */
	adopt_tasks(&at);
	assert(host_count == before);
}

static void strangers_come_into_the_cgroup(void)
{
	static struct cgroup_subsys_state above;	/* the root has no parent */
	struct task_struct child = child_of(&host_current, 910, 910);
	struct task_struct thread = child_of(&host_current, 911, 911);
	int before = host_count;

	host_cgroup.self.parent = &above;
	task_exec(&child);
	assert(host_count == before && !is_followed(910));
	only_cgroup = 77;
	task_exec(&child);
	assert(is_followed(910) && last()->what == TASK_EXEC && host_count == before + 2);
	task_fork(&stranger, &thread);
	assert(is_followed(911) && last()->what == TASK_FORK);
	only_cgroup = 78;
	before = host_count;
	child.tgid = child.pid = 912;
	task_exec(&child);
	assert(host_count == before && !is_followed(912));
	only_cgroup = 0;
}

int main(void)
{
	adoption_says_who_it_is();
	strangers_are_not_followed();
	children_and_threads_are_followed();
	the_last_thread_ends_it();
	a_full_ring_loses_words_not_processes();
	a_full_map_is_counted();
	those_that_run_already();
	strangers_come_into_the_cgroup();
	return 0;
}
