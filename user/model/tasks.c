// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Processes, threads, devices. A process is (pid, start); each library instance
 * is one of its own, so a program that begins anew by exec with a new producer
 * is a new process here although its pid stays.
 */
#include <string.h>
#include "parts.h"

static struct process *process_new(struct model *m, u32 pid, u16 producer)
{
	struct process *p = arena_alloc(&m->arena, sizeof(*p));

	p->info.pid = pid;
	p->info.producer = producer;
	pointers_add(&m->processes, &p->info);
	hash_put(&m->pids, pid, p);
	if (producer)
		producer_get(m, producer)->process = p;
	return p;
}

/* One without CUDA takes on the producer when its library comes. */
static struct process *process_adopt(struct model *m, struct process *p, u16 producer)
{
	p->info.producer = producer;
	producer_get(m, producer)->process = p;
	return p;
}

const struct process_info *model_process(struct model *m, u16 producer, u32 pid)
{
	struct process *p = producer ? producer_get(m, producer)->process : NULL;

	if (!p)
		p = hash_get(&m->pids, pid);
	if (!p || (producer && p->info.producer != producer && p->info.producer))
		p = process_new(m, pid, producer);
	else if (producer && !p->info.producer)
		p = process_adopt(m, p, producer);
	return &p->info;
}

/* Does the record begin a new process under this pid? Definitions are repeated in long traces:
 * one that is not younger than what is known begins nothing. */
static bool task_begins(const struct process *p, const struct task *t)
{
	if (t->e.ts && t->e.ts <= p->seen_ns)
		return false;
	if (p->info.start_ns && t->start_ns && p->info.start_ns != t->start_ns)
		return true;
	return (t->what == TASK_FORK && p->info.end_ns) ||
	       (t->what == TASK_EXEC && p->info.producer);
}

static struct process *process_of_task(struct model *m, const struct task *t)
{
	struct process *p = hash_get(&m->pids, t->e.pid), *next;

	if (t->process && producer_get(m, t->process)->process)
		return producer_get(m, t->process)->process;
	if (p && !task_begins(p, t) && (!t->process || !p->info.producer))
		return t->process ? process_adopt(m, p, t->process) : p;
	if (p && !p->info.end_ns)
		p->info.end_ns = t->e.ts;
	next = process_new(m, t->e.pid, t->process);
	if (p && t->what == TASK_EXEC)
		next->info.ppid = p->info.ppid;
	return next;
}

static void process_update(struct model *m, const struct task *t)
{
	struct process *p = process_of_task(m, t);

	if (t->e.pid != t->e.tid || t->e.ts < p->seen_ns)
		return;
	p->seen_ns = t->e.ts;
	if (t->start_ns)
		p->info.start_ns = t->start_ns;
	if (t->ppid)
		p->info.ppid = t->ppid;
	if (t->comm[0])
		memcpy(p->info.comm, t->comm, COMM_LEN - 1);
	if (t->what == TASK_EXIT)
		p->info.end_ns = t->e.ts;
}

int table_task(struct model *m, const struct task *t)
{
	struct thread *x;

	if (t->e.tid) {
		x = thread_get(m, t->e.tid, t->e.pid);
		x->info.pid = t->e.pid;
		if (t->comm[0])
			memcpy(x->info.comm, t->comm, COMM_LEN - 1);
	}
	if (t->e.pid == t->e.tid || t->process)
		process_update(m, t);
	return m->view->task ? m->view->task(m->ctx, t) : 0;
}

struct thread *thread_get(struct model *m, u32 tid, u32 pid)
{
	struct thread *t = hash_get(&m->threads, tid);

	if (t)
		return t;
	t = arena_alloc(&m->arena, sizeof(*t));
	t->info.tid = tid;
	t->info.pid = pid;
	hash_put(&m->threads, tid, t);
	return t;
}

const struct thread_info *model_thread(struct model *m, u32 tid)
{
	return &thread_get(m, tid, 0)->info;
}

/* What is said again of a producer replaces nothing. */
void table_source(struct model *m, const struct source *s)
{
	struct process *p = (struct process *)model_process(m, s->e.producer, s->e.pid);
	struct source *copy;

	if (p->info.source)
		return;
	copy = arena_alloc(&m->arena, s->e.size + 1);
	memcpy(copy, s, s->e.size);
	copy->host[sizeof(copy->host) - 1] = 0;
	p->info.source = copy;
	m->disorder = m->alone ? s->disorder : 0;
}

size_t model_processes(const struct model *m, const struct process_info *const **list)
{
	*list = (const struct process_info *const *)m->processes.list;
	return m->processes.n;
}

size_t model_devices(const struct model *m, const struct device_info *const **list)
{
	*list = (const struct device_info *const *)m->devices.list;
	return m->devices.n;
}

size_t model_gpus(const struct model *m)
{
	return m->gpu_count;
}

/* The physical device: by UUID over all producers. Without one it is known to this producer
 * alone. */
static void gpu_number(struct model *m, struct device_info *d)
{
	static const u8 none[16];
	struct device_info *x;
	u64 key;

	d->gpu = m->gpu_count;
	if (memcmp(d->d.uuid, none, sizeof(none))) {
		for (key = hash_bytes(d->d.uuid, 16); (x = hash_get(&m->gpus, key)); key++)
			if (!memcmp(x->d.uuid, d->d.uuid, 16)) {
				d->gpu = x->gpu;
				return;
			}
		hash_put(&m->gpus, key, d);
	}
	m->gpu_count++;
}

static struct device_info *device_new(struct model *m, u16 producer, const struct device *d)
{
	struct device_info *x = arena_alloc(&m->arena, sizeof(*x));

	x->producer = producer;
	x->ordinal = d->ordinal;
	x->d = *d;
	x->d.name[sizeof(x->d.name) - 1] = 0;
	gpu_number(m, x);
	hash_put(&producer_get(m, producer)->devices, d->ordinal, x);
	pointers_add(&m->devices, x);
	return x;
}

int table_device(struct model *m, const struct device *d)
{
	struct producer *p = producer_get(m, d->e.producer);
	struct device_info *x;

	if (d->simulated)
		m->counts.simulated = true;
	if (hash_get(&p->devices, d->ordinal))
		return 0;
	x = device_new(m, d->e.producer, d);
	return m->view->device ? m->view->device(m->ctx, x) : 0;
}

const struct device_info *device_get(struct model *m, u16 producer, u32 ordinal)
{
	const struct device_info *x = hash_get(&producer_get(m, producer)->devices, ordinal);
	struct device unknown = { .e.producer = producer, .ordinal = ordinal, .minor = ~0u,
				  .numa_node = -1 };

	return x ? x : device_new(m, producer, &unknown);
}
