// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bpf/sched as plain C: both sides of a switch, wakers, and strangers. */
#include "kernel.h"
#include "../../bpf/sched.bpf.c"
#undef const

static struct task_struct a = { .tgid = 100, .pid = 101, .__state = 2 };
static struct task_struct b = { .tgid = 100, .pid = 102, .__state = 1 };
static struct task_struct other = { .tgid = 900, .pid = 901 };

static struct sched_switch_rec *switch_at(int i)
{
	return host_records[i];
}

static void both_sides_of_a_switch(void)
{
	sched_switch(false, &a, &b);
	assert(host_count == 2);
	assert(!switch_at(0)->on && switch_at(0)->e.tid == 101 && switch_at(0)->state == 2);
	assert(switch_at(0)->other_tid == 102 && switch_at(1)->other_tid == 101);
	assert(switch_at(1)->on && switch_at(1)->e.tid == 102 && switch_at(1)->state == 0);
}

static void who_was_pushed_off_is_runnable(void)
{
	sched_switch(true, &a, &other);
	assert(host_count == 3 && switch_at(2)->state == 0 && !switch_at(2)->on);
	sched_switch(false, &other, &a);
	assert(host_count == 4 && switch_at(3)->on && switch_at(3)->other_tid == 901);
}

static void strangers_are_left_out(void)
{
	sched_switch(false, &other, &other);
	sched_waking(&other);
	sched_wakeup_new(&other);
	assert(host_count == 4);
}

static void a_wake_names_its_waker(void)
{
	struct wake *w;

	host_task = (u64)900 << 32 | 901;
	sched_waking(&b);
	w = host_records[4];
	assert(w->e.kind == EVENT_WAKE && w->e.pid == 100 && w->e.tid == 102);
	assert(w->waker_pid == 900 && w->waker_tid == 901);
}

int main(void)
{
	host_follow(100);
	both_sides_of_a_switch();
	who_was_pushed_off_is_runnable();
	strangers_are_left_out();
	a_wake_names_its_waker();
	host_ring_full = 1;
	sched_switch(false, &a, &b);
	assert(lost == 2);
	return 0;
}
