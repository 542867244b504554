// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Managed memory: which allocation of a process an address is in, and which
 * place of the program made it. Allocations come here in order of time.
 */
#include <stdlib.h>
#include <string.h>
#include "parts.h"

/* Index of the first live one that ends behind addr. */
static size_t live_search(const struct process *p, u64 addr)
{
	size_t low = 0, high = p->live_n, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (p->live[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void live_end(struct process *p, size_t at)
{
	struct live *l = &p->live[at];

	l->m->live_bytes -= l->end - l->start;
	p->live_n--;
	memmove(l, l + 1, (p->live_n - at) * sizeof(*l));
}

/* What is still thought to be there has gone without a word: its free was not seen. */
static void live_begin(struct process *p, struct live x)
{
	size_t at = live_search(p, x.start);

	while (at < p->live_n && p->live[at].start < x.end)
		live_end(p, at);
	if (p->live_n == p->live_room) {
		p->live_room = p->live_room ? 2 * p->live_room : 16;
		p->live = must_realloc(p->live, p->live_room * sizeof(*p->live));
	}
	memmove(&p->live[at + 1], &p->live[at], (p->live_n - at) * sizeof(*p->live));
	p->live[at] = x;
	p->live_n++;
	x.m->live_bytes += x.end - x.start;
	if (x.m->live_bytes > x.m->live_max)
		x.m->live_max = x.m->live_bytes;
}

/* By stack; without one by address. Keys of both kinds that meet are told apart. */
static struct managed *place_get(struct model *m, struct process *p, const char *api, u64 stack,
				 u64 addr)
{
	u64 key = hash_mix(stack ? stack : addr ^ !!api);
	struct managed *x;

	for (; (x = hash_get(&p->places, key)); key++)
		if (x->stack == stack && !x->api == !api && (stack || x->addr == addr))
			return x;
	x = arena_alloc(&m->arena, sizeof(*x));
	x->process = &p->info;
	x->api = api;
	x->stack = stack;
	x->addr = addr;
	hash_put(&p->places, key, x);
	return x;
}

/* A free ends what began before its call did: another thread may have got the same address
 * again before the call was recorded. */
static void managed_end(struct model *m, struct process *p, const struct waiting_uvm *w)
{
	u64 addr = w->r.alloc.addr;
	u64 begun = w->call && w->call->have_call ? w->call->c.r.e.ts : w->r.e.ts;
	size_t at = live_search(p, addr);

	if (at == p->live_n || p->live[at].start != addr) {
		m->counts.free_unknown++;
		return;
	}
	if (p->live[at].ts > begun)
		return;
	p->live[at].m->frees++;
	live_end(p, at);
}

void managed_alloc(struct model *m, const struct waiting_uvm *w)
{
	const struct alloc *a = &w->r.alloc;
	struct process *p = (struct process *)model_process(m, a->e.producer, a->e.pid);
	const struct api_call *c = w->call && w->call->have_call ? &w->call->c : NULL;
	struct managed *x;

	m->counts.allocs += !a->freed;
	m->counts.frees += !!a->freed;
	if (a->freed) {
		managed_end(m, p, w);
		return;
	}
	m->counts.alloc_no_stack += !c || !c->stack;
	if (!a->bytes || a->addr + a->bytes < a->addr)
		return;
	x = place_get(m, p, c ? model_name(m, c->r.e.producer, c->r.name) : m->unknown,
		      c ? c->stack : 0, a->addr);
	x->addr = a->addr;
	x->bytes = a->bytes;
	x->allocs++;
	x->all_bytes += a->bytes;
	live_begin(p, (struct live){ a->addr, a->addr + a->bytes, w->r.e.ts, x });
}

struct managed *managed_at(struct model *m, const struct process_info *info, u64 addr,
			   u64 range, u64 range_bytes, enum link_kind *link)
{
	struct process *p = (struct process *)info;
	size_t at = live_search(p, addr);
	struct managed *x;

	*link = LINK_EXACT;
	if (at < p->live_n && p->live[at].start <= addr)
		return p->live[at].m;
	*link = LINK_NONE;
	if (!range)
		return NULL;
	*link = LINK_RANGE;
	x = place_get(m, p, NULL, 0, range);
	x->bytes = range_bytes;
	if (x->live_max < range_bytes)
		x->live_max = range_bytes;
	return x;
}

void managed_free(struct model *m)
{
	for (size_t i = 0; i < m->processes.n; i++) {
		struct process *p = (struct process *)m->processes.list[i];

		free(p->live);
		hash_free(&p->places);
	}
}
