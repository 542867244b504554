// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Managed memory: which allocation of a process an address is in, and which
 * place of the program made it. Allocations come here in order of time.
 */
#include "parts.h"

/* ---- what is allocated now: a treap by address, as a program may hold 100,000 pieces ---- */

/* The first that ends behind addr; NULL: none. */
static struct live *live_at(struct live *t, u64 addr)
{
	struct live *first = NULL;

	while (t) {
		if (t->end > addr)
			first = t;
		t = t->end > addr ? t->left : t->right;
	}
	return first;
}

static void live_split(struct live *t, u64 start, struct live **below, struct live **above)
{
	while (t) {
		if (t->start < start) {
			*below = t;
			below = &t->right;
			t = t->right;
		} else {
			*above = t;
			above = &t->left;
			t = t->left;
		}
	}
	*below = *above = NULL;
}

static void live_put(struct live **at, struct live *x)
{
	while (*at && (*at)->rank >= x->rank)
		at = x->start < (*at)->start ? &(*at)->left : &(*at)->right;
	live_split(*at, x->start, &x->left, &x->right);
	*at = x;
}

static void live_take(struct live **at, struct live *x)
{
	struct live *a = x->left, *b = x->right;

	while (*at != x)
		at = x->start < (*at)->start ? &(*at)->left : &(*at)->right;
	while (a && b) {
		if (a->rank >= b->rank) {
			*at = a;
			at = &a->right;
			a = a->right;
		} else {
			*at = b;
			at = &b->left;
			b = b->left;
		}
	}
	*at = a ? a : b;
}

static void live_end(struct model *m, struct process *p, struct live *l)
{
	l->m->live_bytes -= l->end - l->start;
	live_take(&p->live, l);
	pool_put(&m->uvm.lives, l);
}

/* What is still thought to be there has gone without a word: its free was not seen. */
static void live_begin(struct model *m, struct process *p, const struct live *what)
{
	struct live *old, *x = pool_get(&m->uvm.lives);

	*x = *what;
	x->rank = hash_mix(x->start);
	while ((old = live_at(p->live, x->start)) && old->start < x->end)
		live_end(m, p, old);
	live_put(&p->live, x);
	x->m->live_bytes += x->end - x->start;
	if (x->m->live_bytes > x->m->live_max)
		x->m->live_max = x->m->live_bytes;
}

/* ---- places ---- */

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
	struct live *l = live_at(p->live, addr);

	if (!l || l->start != addr) {
		m->counts.free_unknown++;
		return;
	}
	if (l->ts > begun)
		return;
	l->m->frees++;
	live_end(m, p, l);
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
	live_begin(m, p, &(struct live){ .start = a->addr, .end = a->addr + a->bytes,
					 .ts = w->r.e.ts, .m = x });
}

struct managed *managed_at(struct model *m, const struct process_info *info, u64 addr,
			   u64 range, u64 range_bytes, enum link_kind *link)
{
	struct process *p = (struct process *)info;
	const struct live *l = live_at(p->live, addr);
	struct managed *x;

	*link = LINK_EXACT;
	if (l && l->start <= addr)
		return l->m;
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

		hash_free(&p->places);
	}
}
