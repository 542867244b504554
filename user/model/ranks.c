// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sums by process and GPU; see ranks.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "api_class.h"
#include "ranks.h"

struct kind { enum kernel_class class; bool comm; };	/* of a kernel's name */

void ranks_init(struct ranks *r, struct model *m, struct steps *steps)
{
	memset(r, 0, sizeof(*r));
	r->model = m;
	r->steps = steps;
}

static struct rank *rank_get(struct ranks *r, const struct process_info *p)
{
	struct rank *k = hash_get(&r->by_process, hash_address(p));

	if (k)
		return k;
	k = arena_alloc(&r->arena, sizeof(*k));
	k->process = p;
	k->steps = r->steps ? steps_of(r->steps, p->producer, p->pid) : NULL;
	if (k->steps)
		k->sums = arena_alloc(&r->arena, (k->steps->n + 1) * sizeof(*k->sums));
	hash_put(&r->by_process, hash_address(p), k);
	r->list = must_realloc(r->list, (r->n + 1) * sizeof(*r->list));
	return r->list[r->n++] = k;
}

static struct rank_gpu *gpu_get(struct ranks *r, struct rank *k, const struct device_info *d)
{
	struct rank_gpu *g;

	for (size_t i = 0; i < k->gpu_n; i++)
		if (k->gpus[i]->device == d)
			return k->gpus[i];
	g = arena_alloc(&r->arena, sizeof(*g));
	g->device = d;
	g->member = r->member_n;
	sweep_init(&g->sweep, k->steps, k->sums);
	k->gpus = must_realloc(k->gpus, (k->gpu_n + 1) * sizeof(*k->gpus));
	k->gpus[k->gpu_n++] = g;
	r->members = must_realloc(r->members, (r->member_n + 1) * sizeof(*r->members));
	r->members[r->member_n++] = (struct member){ k, g };
	return g;
}

static const struct kind *kind_get(struct ranks *r, const char *name)
{
	struct kind *k = hash_get(&r->kinds, hash_address(name));

	if (k)
		return k;
	k = arena_alloc(&r->arena, sizeof(*k));
	k->class = kernel_class(name);
	k->comm = k->class == CLASS_COMM;
	hash_put(&r->kinds, hash_address(name), k);
	return k;
}

static void class_add(struct class_sum *c, u64 ns)
{
	c->count++;
	c->total_ns += ns;
}

static void comm_add(struct ranks *r, struct hash *map, struct comm_row ***list, size_t *n,
		     const char *name, u64 ns, u64 bytes)
{
	struct comm_row *row = hash_get(map, hash_address(name));

	if (!row) {
		row = arena_alloc(&r->arena, sizeof(*row));
		row->name = name;
		hash_put(map, hash_address(name), row);
		*list = must_realloc(*list, (*n + 1) * sizeof(**list));
		(*list)[(*n)++] = row;
	}
	class_add(&row->sum, ns);
	row->bytes += bytes;
}

static u8 idle_cause(enum api_class class)
{
	switch (class) {
	case API_SYNC:
	case API_EVENT:
		return IDLE_SYNC;
	case API_COPY:
		return IDLE_COPY;
	case API_ALLOC:
	case API_FREE:
		return IDLE_MEMORY;
	default:
		return IDLE_CALL;
	}
}

/* What the launching thread did before. */
static void add_before(struct ranks *r, struct sweep_op *x, const struct api_call *c)
{
	const char *name;

	x->launch = c->r.e.ts;
	if (c->since_ns) {
		x->since = x->launch - c->since_ns;
		x->since_cause = idle_cause(c->launch_class);
	}
	if (!c->longest_name)
		return;
	name = model_name(r->model, c->r.e.producer, c->longest_name);
	x->call_start = c->longest_ts;
	x->call_end = c->longest_ts + c->longest_ns;
	x->call_cause = idle_cause(api_class(name, strlen(name)));
}

static void add_launch(struct ranks *r, struct rank *k, const struct gpu_op *op)
{
	u64 ns = op->g->dur_ns;

	if (!op->call) {
		class_add(&k->no_launch, ns);
		return;
	}
	if (op->early) {
		class_add(&k->early, ns);
	} else {
		histogram_add(&k->delay, op->g->e.ts - op->call->r.e.ts);
		histogram_add(&r->delay, op->g->e.ts - op->call->r.e.ts);
	}
	if (op->call->r.class == API_GRAPH_LAUNCH)
		class_add(&k->graph_launched, ns);
}

static void add_to_step(struct rank *k, const struct gpu_op *op, bool comm)
{
	const struct step *step = k->steps ? step_of(k->steps, op) : NULL;
	struct step_sums *s;

	if (!step) {
		k->no_step += k->steps && (op->call || k->steps->on_gpu);
		return;
	}
	s = &k->sums[step - k->steps->list];
	s->kernels++;
	s->kernel_ns += op->g->dur_ns;
	s->comm_kernels += comm;
	s->comm_ns += comm ? op->g->dur_ns : 0;
}

static enum part add_kernel(struct ranks *r, struct rank *k, struct rank_gpu *g,
			    const struct gpu_op *op, const char *name)
{
	const struct kind *kind = kind_get(r, name);
	const struct collective_info *c = op->collective;
	bool comm = kind->comm || c;
	u64 ns = op->g->dur_ns;

	g->kernels++;
	g->kernel_ns += ns;
	class_add(&k->kernels, ns);
	class_add(&k->classes[comm ? CLASS_COMM : kind->class], ns);
	if (op->g->graph_node)
		class_add(&k->graph_nodes, ns);
	add_launch(r, k, op);
	add_to_step(k, op, comm);
	if (!comm)
		return PART_COMPUTE;
	class_add(&k->comm, ns);
	comm_add(r, &r->comm_map, &r->comm, &r->comm_n, name, ns, c ? c->c.bytes : 0);
	if (c && c->name)
		comm_add(r, &r->collective_map, &r->collectives, &r->collective_n, c->name, ns,
			 c->c.bytes);
	collectives_add(&r->matched, g->member, op, name);
	return PART_COMM;
}

void ranks_op(struct ranks *r, const struct gpu_op *op, const char *name)
{
	struct rank *k = rank_get(r, op->process);
	struct rank_gpu *g = gpu_get(r, k, op->device);
	const struct gpu_head *h = op->g;
	struct sweep_op x = {
		.start = h->e.ts,
		.end = h->e.ts + h->dur_ns < h->e.ts ? ~0ULL : h->e.ts + h->dur_ns,
		.part = PART_COPY,
	};

	g->operations++;
	if (op->type == OP_KERNEL) {
		x.part = add_kernel(r, k, g, op, name);
	} else if (op->type == OP_COPY) {
		class_add(&k->copies, h->dur_ns);
		k->copy_bytes += ((const struct copy *)h)->bytes;
	} else if (op->type == OP_SET) {
		class_add(&k->sets, h->dur_ns);
	} else {
		x.part = PART_COMPUTE;	/* a graph as a whole */
	}
	if (op->call && !op->early)
		add_before(r, &x, op->call);
	sweep_add(&g->sweep, &x);
}

void ranks_api(struct ranks *r, const struct api_call *c)
{
	struct rank *k;

	if (c->r.class != API_LAUNCH && c->r.class != API_GRAPH_LAUNCH)
		return;
	k = rank_get(r, model_process(r->model, c->r.e.producer, c->r.e.pid));
	k->launches += c->r.class == API_LAUNCH;
	k->graph_launches += c->r.class == API_GRAPH_LAUNCH;
}

/* One GPU's sums to its rank's; times before its first and behind its last operation are idle
 * of no known cause. */
static void rank_sum(struct rank *k, const struct sweep *s)
{
	u64 outside = rank_window(k) / k->gpu_n - (s->last - s->first);

	for (int i = 0; i < PARTS; i++)
		k->time[i] += s->time[i];
	for (int i = 0; i < IDLE_CAUSES; i++)
		k->idle[i] += s->idle[i];
	k->time[0] += outside;
	k->idle[IDLE_UNKNOWN] += outside;
	k->gaps += s->gaps;
	k->queue_ns += s->queue_ns;
	k->queue_empty_ns += s->queue_empty_ns + outside;
	k->queued += s->queued;
	k->late += s->late;
	if (s->queue_max > k->queue_max)
		k->queue_max = s->queue_max;
}

static void rank_finish(struct rank *k)
{
	k->number = k->process->source ? k->process->source->rank : -1;
	for (size_t i = 0; i < k->gpu_n; i++) {
		struct sweep *s = &k->gpus[i]->sweep;

		sweep_finish(s);
		if (!i || s->first < k->first)
			k->first = s->first;
		if (s->last > k->last)
			k->last = s->last;
	}
	for (size_t i = 0; i < k->gpu_n; i++)
		rank_sum(k, &k->gpus[i]->sweep);
}

static int rank_compare(const void *a, const void *b)
{
	const struct rank *x = *(struct rank *const *)a, *y = *(struct rank *const *)b;

	if (x->number != y->number)
		return (u32)x->number < (u32)y->number ? -1 : 1;	/* unknown: last */
	if (x->process->producer != y->process->producer)
		return x->process->producer < y->process->producer ? -1 : 1;
	return x->process->pid < y->process->pid ? -1 : x->process->pid > y->process->pid;
}

static int comm_compare(const void *a, const void *b)
{
	const struct comm_row *x = *(struct comm_row *const *)a;
	const struct comm_row *y = *(struct comm_row *const *)b;

	if (x->sum.total_ns != y->sum.total_ns)
		return x->sum.total_ns > y->sum.total_ns ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void match(struct ranks *r)
{
	struct straggler **list = must_alloc((r->member_n + 1) * sizeof(*list));

	for (size_t i = 0; i < r->member_n; i++)
		list[i] = &r->members[i].gpu->straggler;
	collectives_match(&r->matched, list);
	free(list);
}

void ranks_finish(struct ranks *r)
{
	const struct process_steps *const *list;
	size_t n = r->steps ? steps_list(r->steps, &list) : 0;

	for (size_t i = 0; i < n; i++)	/* also those without a GPU */
		rank_get(r, model_process(r->model, list[i]->producer, list[i]->pid));
	for (size_t i = 0; i < r->n; i++)
		rank_finish(r->list[i]);
	if (r->n)
		qsort(r->list, r->n, sizeof(*r->list), rank_compare);
	if (r->comm_n)
		qsort(r->comm, r->comm_n, sizeof(*r->comm), comm_compare);
	if (r->collective_n)
		qsort(r->collectives, r->collective_n, sizeof(*r->collectives), comm_compare);
	match(r);
}

void ranks_free(struct ranks *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct rank *k = r->list[i];

		for (size_t g = 0; g < k->gpu_n; g++)
			sweep_free(&k->gpus[g]->sweep);
		free(k->gpus);
		histogram_free(&k->delay);
	}
	histogram_free(&r->delay);
	hash_free(&r->by_process);
	hash_free(&r->kinds);
	hash_free(&r->comm_map);
	hash_free(&r->collective_map);
	free(r->list);
	free(r->comm);
	free(r->collectives);
	free(r->members);
	collectives_free(&r->matched);
	steps_free(r->steps);
	arena_free(&r->arena);
}

u64 rank_window(const struct rank *k)
{
	return (k->last - k->first) * k->gpu_n;
}

u64 rank_step_time(const struct rank *k, size_t i)
{
	return (k->steps->list[i].end - k->steps->list[i].start) * (k->gpu_n ? k->gpu_n : 1);
}

const char *rank_label(const struct rank *k, char *buf, size_t size)
{
	if (k->number >= 0)
		snprintf(buf, size, "%d", k->number);
	else
		snprintf(buf, size, "pid %u", k->process->pid);
	return buf;
}

const char *member_label(const struct ranks *r, u32 member, char *buf, size_t size)
{
	const struct member *m = &r->members[member];
	size_t n;

	rank_label(m->rank, buf, size);
	n = strlen(buf);
	if (m->rank->gpu_n > 1)
		snprintf(buf + n, size - n, " GPU %u", m->gpu->device->ordinal);
	return buf;
}
