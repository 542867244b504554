// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include "uvm_top.h"

static struct uvm_use *use_of(struct uvm_top *t, u32 pid, u64 range, u64 range_bytes)
{
	u64 key = hash_mix((u64)pid << 32 ^ hash_mix(range));
	struct uvm_use *first = hash_get(&t->uses, key), *u = first;

	while (u && (u->pid != pid || u->range != range))
		u = u->next;
	if (u)
		return u;
	if (t->count == UVM_TOP_MAX) {
		t->more++;
		return NULL;
	}
	u = must_alloc(sizeof(*u));
	*u = (struct uvm_use){ .next = first, .pid = pid, .range = range,
			       .range_bytes = range_bytes };
	hash_put(&t->uses, key, u);
	t->count++;
	return u;
}

void uvm_top_fault(struct uvm_top *t, const struct uvm_gpus *g, const struct uvm_joined *f)
{
	struct uvm_use *u;

	if (!uvm_gpus_chosen(g, f->fault.gpu))
		return;
	u = use_of(t, f->fault.e.pid, f->fault.range, f->fault.range_bytes);
	if (!u)
		return;
	u->faults++;
	if (!(f->missing & UVM_MISSING_BATCH))
		histogram_add(&u->latency, f->latency_ns);
}

static void add_migration(struct uvm_top *t, const struct uvm_gpus *g,
			  const struct uvm_migration *m)
{
	struct uvm_use *u;

	if (!uvm_gpus_chosen(g, m->src) && !uvm_gpus_chosen(g, m->dst))
		return;
	u = use_of(t, m->e.pid, m->range, m->range_bytes);
	if (u && m->dst == UVM_CPU)
		u->to_cpu += m->bytes;
	else if (u)
		u->to_gpu += m->bytes;
}

static void add_eviction(struct uvm_top *t, const struct uvm_gpus *g, const struct uvm_evict *v)
{
	struct uvm_use *u;

	if (!uvm_gpus_chosen(g, v->gpu))
		return;
	u = use_of(t, v->e.pid, v->range, v->range_bytes);
	if (u)
		u->evicted += v->bytes;
}

static void add_mark(struct uvm_top *t, const struct uvm_mark *m)
{
	struct uvm_use *u;

	if (m->what != UVM_THRASHING && m->what != UVM_THROTTLE_START)
		return;
	u = use_of(t, m->e.pid, m->range, m->range_bytes);
	if (u)
		u->thrash++;
}

void uvm_top_record(struct uvm_top *t, const struct uvm_gpus *g, const struct event *e)
{
	switch (e->kind) {
	case EVENT_UVM_MIGRATION: add_migration(t, g, (const struct uvm_migration *)e); break;
	case EVENT_UVM_EVICT: add_eviction(t, g, (const struct uvm_evict *)e); break;
	case EVENT_UVM_MARK: add_mark(t, (const struct uvm_mark *)e); break;
	}
}

/* By faults, then bytes; then in an order that does not change from run to run. */
static int busiest_first(const void *a, const void *b)
{
	const struct uvm_use *x = *(struct uvm_use *const *)a, *y = *(struct uvm_use *const *)b;
	u64 p = x->to_gpu + x->to_cpu, q = y->to_gpu + y->to_cpu;

	if (x->faults != y->faults)
		return x->faults > y->faults ? -1 : 1;
	if (p != q)
		return p > q ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->range > y->range) - (x->range < y->range);
}

struct uvm_use **uvm_top_sort(struct uvm_top *t, u32 *count)
{
	struct uvm_use **list = must_alloc((t->count + 1) * sizeof(*list));
	struct hash_slot *slot;
	size_t at = 0;

	*count = 0;
	while ((slot = hash_next(&t->uses, &at)))
		for (struct uvm_use *u = slot->value; u; u = u->next)
			list[(*count)++] = u;
	qsort(list, *count, sizeof(*list), busiest_first);
	return list;
}

void uvm_top_clear(struct uvm_top *t)
{
	u32 count;
	struct uvm_use **list = uvm_top_sort(t, &count);

	for (u32 i = 0; i < count; i++) {
		histogram_free(&list[i]->latency);
		free(list[i]);
	}
	free(list);
	hash_free(&t->uses);
	*t = (struct uvm_top){};
}
