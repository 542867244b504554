// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which kernels ran on a GPU at a time. Kernels come in any order and are asked
 * for in order of time: they wait by start, are moved to the list of those that
 * may still run when the questions reach them, and leave it after their end.
 */
#include <stdlib.h>
#include "parts.h"

/* without unified memory in the recording so far, that many are kept for what may come */
#define KEEP_UNASKED 65536
#define SWEEP_MIN    64

static struct runnings *runnings_get(struct uvm_part *u, u32 gpu)
{
	if (gpu >= u->gpu_n) {
		u->gpus = must_realloc(u->gpus, (gpu + 1) * sizeof(*u->gpus));
		while (u->gpu_n <= gpu)
			u->gpus[u->gpu_n++] = (struct runnings){ .sweep = SWEEP_MIN };
	}
	return &u->gpus[gpu];
}

void overlap_kernel(struct model *m, const struct gpu_head *g)
{
	const struct kernel *k = (const void *)g;
	struct running *r;

	if (!m->view->uvm || (g->e.kind != EVENT_KERNEL && g->e.kind != EVENT_GRAPH))
		return;
	r = pool_get(&m->uvm.runnings);
	r->start = g->e.ts;
	r->end = g->e.ts + g->dur_ns < g->e.ts ? ~0ULL : g->e.ts + g->dur_ns;
	r->name = g->e.kind == EVENT_KERNEL ? model_name(m, g->e.producer, k->name) : "[graph]";
	r->pid = g->e.pid;
	r->producer = g->e.producer;
	r->ordinal = g->device;
	heap_put(&m->uvm.kernels, r->start, r);
	if (m->uvm.kernels.n > (m->uvm.seen ? WAITING_MAX : KEEP_UNASKED))
		pool_put(&m->uvm.runnings, heap_take(&m->uvm.kernels));
}

/* Those that ended before `before` go. */
static void runnings_sweep(struct model *m, struct runnings *s, u64 before)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->list[i]->end < before)
			pool_put(&m->uvm.runnings, s->list[i]);
		else
			s->list[n++] = s->list[i];
	s->n = n;
	s->sweep = 2 * n + SWEEP_MIN;
}

/* Only now is it asked who it was and where: their definitions may have come behind it. */
static void runnings_add(struct model *m, struct running *r, u64 before)
{
	struct runnings *s;

	r->process = model_process(m, r->producer, r->pid);
	r->gpu = device_get(m, r->producer, r->ordinal)->gpu;
	s = runnings_get(&m->uvm, r->gpu);
	if (s->n >= s->sweep)
		runnings_sweep(m, s, before);
	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 16;
		s->list = must_realloc(s->list, s->room * sizeof(*s->list));
	}
	s->list[s->n++] = r;
}

static void begin_until(struct model *m, u64 until, u64 before)
{
	const struct heap_item *first;

	while ((first = heap_first(&m->uvm.kernels)) && first->ts <= until) {
		struct running *r = heap_take(&m->uvm.kernels);

		if (r->end < before)
			pool_put(&m->uvm.runnings, r);
		else
			runnings_add(m, r, before);
	}
}

/* A long event may have met many that are long over for those behind it. */
void overlap_find(struct model *m, u32 gpu, u32 pid, u64 from, u64 to)
{
	struct runnings *s;
	size_t over = 0;

	m->uvm.met.n = 0;
	begin_until(m, to, from);
	s = runnings_get(&m->uvm, gpu);
	for (size_t i = 0; i < s->n; i++) {
		struct running *r = s->list[i];
		u64 start = r->start > from ? r->start : from, end = r->end < to ? r->end : to;

		over += r->end < from;
		if (end < start || (pid && r->pid != pid))
			continue;
		r->overlap_ns = end - start;
		pointers_add(&m->uvm.met, r);
	}
	if (over > SWEEP_MIN && over > s->n / 2)
		runnings_sweep(m, s, from);
}

void overlap_forget(struct model *m, u64 before)
{
	if (m->uvm.waiting.n && heap_first(&m->uvm.waiting)->ts < before)
		return;
	begin_until(m, before, before);
}

void overlap_free(struct model *m)
{
	for (size_t i = 0; i < m->uvm.gpu_n; i++)
		free(m->uvm.gpus[i].list);
	free(m->uvm.gpus);
	heap_free(&m->uvm.kernels);
}
