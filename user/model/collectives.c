// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Kernels of collectives, member by member, and which of them are one; see collectives.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "collectives.h"
#include "kernel_class.h"

/* Calls of one kind may be the same collective: the group's, or of no known group the
 * function's own. */
static u32 kind_of(struct collectives *c, const struct gpu_op *op, const char *name)
{
	const struct collective_info *x = op->collective;
	const char *start = name, *text;
	char key[1024];
	size_t n;
	uintptr_t kind;

	if (x && x->name && x->group)
		n = snprintf(key, sizeof(key), "%.200s, group %.100s%s%.600s", x->name,
			     x->group, x->ranks ? " of " : "", x->ranks ? x->ranks : "");
	else
		n = snprintf(key, sizeof(key), "%.*s", (int)kernel_short_name(name, &start),
			     start);
	text = texts_add(&c->texts, key, n < sizeof(key) ? n : sizeof(key) - 1);
	kind = (uintptr_t)hash_get(&c->kind_map, hash_address(text));
	if (kind)
		return kind - 1;
	c->kinds = must_realloc(c->kinds, (c->kind_n + 1) * sizeof(*c->kinds));
	c->kinds[c->kind_n++] = text;
	hash_put(&c->kind_map, hash_address(text), (void *)(uintptr_t)c->kind_n);
	return c->kind_n - 1;
}

void collectives_add(struct collectives *c, u32 member, const struct gpu_op *op,
		     const char *name)
{
	const struct gpu_head *g = op->g;

	if (c->call_n == COMM_CALLS_MAX) {
		c->left_out++;
		return;
	}
	if (c->call_n == c->call_room) {
		c->call_room = c->call_room ? 2 * c->call_room : 256;
		c->calls = must_realloc(c->calls, c->call_room * sizeof(*c->calls));
	}
	c->calls[c->call_n++] = (struct comm_call){
		g->e.ts, g->e.ts + g->dur_ns,
		op->collective && op->collective->group ? op->collective->c.sequence : 0,
		kind_of(c, op, name), member
	};
}

static int call_compare(const void *a, const void *b)
{
	const struct comm_call *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->member != y->member)
		return x->member < y->member ? -1 : 1;
	if (x->sequence != y->sequence)
		return x->sequence < y->sequence ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static int matched_compare(const void *a, const void *b)
{
	const struct matched *x = a, *y = b;
	u64 p = x->calls[0]->start, q = y->calls[0]->start;

	if (p != q)
		return p < q ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

static void matched_add(struct collectives *c, const struct comm_call *const *calls, u32 n)
{
	const struct comm_call *first = calls[0], *last = first, *shortest = first;
	u64 end = first->end, end_min = first->end, longest = 0;
	struct matched *m;

	if (!(c->n & (c->n - 1)))	/* 0 and powers of two: full */
		c->list = must_realloc(c->list, (c->n ? 2 * c->n : 1) * sizeof(*c->list));
	m = &c->list[c->n++];
	*m = (struct matched){ .n = n, .kind = first->kind, .sequence = first->sequence };
	m->calls = arena_alloc(&c->arena, n * sizeof(*m->calls));
	memcpy(m->calls, calls, n * sizeof(*m->calls));
	for (u32 i = 0; i < n; i++) {
		const struct comm_call *x = calls[i];

		first = x->start < first->start ? x : first;
		last = x->start > last->start ? x : last;
		end = x->end > end ? x->end : end;
		end_min = x->end < end_min ? x->end : end_min;
		if (x->end - x->start < shortest->end - shortest->start)
			shortest = x;
		if (x->end - x->start > longest)
			longest = x->end - x->start;
	}
	m->spread_ns = last->start - first->start;
	m->end_spread_ns = end - end_min;
	m->dur_spread_ns = longest - (shortest->end - shortest->start);
	m->last = last->member;
	m->shortest = shortest->member;
}

/* Calls of one kind: by member: each one's run of them. */
struct runs { size_t *at, n; };

/* With sequence numbers: equal ones are one collective. */
static void match_sequences(struct collectives *c, const struct runs *r,
			    const struct comm_call **calls)
{
	size_t *at = must_alloc(r->n * sizeof(*at));
	u64 low, n;

	memcpy(at, r->at, r->n * sizeof(*at));
	do {
		low = ~0ULL;
		n = 0;
		for (size_t i = 0; i < r->n; i++)
			if (at[i] < r->at[i + 1] && c->calls[at[i]].sequence < low)
				low = c->calls[at[i]].sequence;
		for (size_t i = 0; i < r->n; i++)
			if (at[i] < r->at[i + 1] && c->calls[at[i]].sequence == low)
				calls[n++] = &c->calls[at[i]++];
		if (n > 1)
			matched_add(c, calls, n);
		else
			c->unmatched += n;
	} while (low != ~0ULL);
	free(at);
}

/* Without: the k-th ones, if no member has more or fewer. */
static void match_counts(struct collectives *c, const struct runs *r,
			 const struct comm_call **calls)
{
	size_t each = r->at[1] - r->at[0];

	for (size_t i = 1; i < r->n; i++)
		if (r->at[i + 1] - r->at[i] != each)
			each = 0;
	if (!each || r->n < 2) {
		c->unmatched += r->at[r->n] - r->at[0];
		return;
	}
	for (size_t k = 0; k < each; k++) {
		for (size_t i = 0; i < r->n; i++)
			calls[i] = &c->calls[r->at[i] + k];
		matched_add(c, calls, r->n);
	}
}

/* The kind that begins at `from`. Where it ends. */
static size_t match_kind(struct collectives *c, size_t from, u32 members)
{
	struct runs r = { .at = must_alloc((members + 1) * sizeof(*r.at)) };
	const struct comm_call **calls = must_alloc(members * sizeof(*calls));
	bool numbered = true;
	size_t i = from;

	for (; i < c->call_n && c->calls[i].kind == c->calls[from].kind; i++) {
		if (i == from || c->calls[i].member != c->calls[i - 1].member)
			r.at[r.n++] = i;
		else if (c->calls[i].sequence == c->calls[i - 1].sequence)
			numbered = false;
		numbered = numbered && c->calls[i].sequence;
	}
	r.at[r.n] = i;
	if (numbered)
		match_sequences(c, &r, calls);
	else
		match_counts(c, &r, calls);
	free(r.at);
	free(calls);
	return i;
}

static int u64_compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Lower median of one of the spreads. */
static u64 median(const struct collectives *c, size_t off)
{
	u64 *list = must_alloc(c->n * sizeof(*list)), m;

	for (size_t i = 0; i < c->n; i++)
		list[i] = *(const u64 *)((const char *)&c->list[i] + off);
	qsort(list, c->n, sizeof(*list), u64_compare);
	m = list[(c->n - 1) / 2];
	free(list);
	return m;
}

/* All leave a collective together: as far as ends differ, clocks do. */
static void judge_clocks(struct collectives *c)
{
	c->clock_error_ns = median(c, offsetof(struct matched, end_spread_ns));
	c->by_start = 2 * c->clock_error_ns <= median(c, offsetof(struct matched, spread_ns));
}

static void blame(struct collectives *c, struct matched *m, struct straggler *const *stragglers)
{
	u64 latest = 0, shortest = ~0ULL, by_start, by_dur, waited;
	struct straggler *last;

	if (!c->by_start)
		m->last = m->shortest;
	last = stragglers[m->last];
	last->last++;
	for (u32 i = 0; i < m->n; i++) {
		const struct comm_call *x = m->calls[i];

		latest = x->start > latest ? x->start : latest;
		if (x->end - x->start < shortest)
			shortest = x->end - x->start;
	}
	for (u32 i = 0; i < m->n; i++) {
		const struct comm_call *x = m->calls[i];
		struct straggler *s = stragglers[x->member];

		by_start = latest - x->start;
		by_dur = x->end - x->start - shortest;
		waited = c->by_start ? by_start : by_dur;
		s->matched++;
		s->waited_start_ns += by_start;
		s->waited_dur_ns += by_dur;
		s->waited_ns += waited;
		last->caused_ns += waited;
	}
}

void collectives_match(struct collectives *c, struct straggler *const *stragglers)
{
	u32 members = 0;
	size_t at = 0;

	for (size_t i = 0; i < c->call_n; i++)
		if (c->calls[i].member >= members)
			members = c->calls[i].member + 1;
	if (c->call_n)
		qsort(c->calls, c->call_n, sizeof(*c->calls), call_compare);
	while (at < c->call_n)
		at = match_kind(c, at, members);
	if (!c->n)
		return;
	qsort(c->list, c->n, sizeof(*c->list), matched_compare);
	judge_clocks(c);
	for (size_t i = 0; i < c->n; i++)
		blame(c, &c->list[i], stragglers);
}

void collectives_free(struct collectives *c)
{
	texts_free(&c->texts);
	arena_free(&c->arena);
	hash_free(&c->kind_map);
	free(c->kinds);
	free(c->calls);
	free(c->list);
}
