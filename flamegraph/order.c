// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * In which order a tree is drawn: depth first, children by name. Narrow nodes
 * go before anything is sorted, so that the cost follows what is seen.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tree.h"

/* A parent stands before its children: one pass from the end adds all up. */
void flame_sum(struct flame_tree *t)
{
	uint32_t i;

	for (i = 0; i < t->node_count; i++)
		t->nodes[i].total = t->nodes[i].self;
	for (i = t->node_count - 1; i > 0; i--)
		t->nodes[t->nodes[i].parent].total += t->nodes[i].total;
	for (i = 0; t->was && i < t->node_count; i++)
		t->was[i] = t->was_self[i];
	for (i = t->was ? t->node_count - 1 : 0; i > 0; i--)
		t->was[t->nodes[i].parent] += t->was[i];
}

/* By parent, then by name: siblings stand together and sorted. */
static int node_compare(const void *pa, const void *pb, void *tree)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct flame_tree *t = tree;
	const struct flame_name *na = flame_name(t, a), *nb = flame_name(t, b);
	uint32_t len = na->len < nb->len ? na->len : nb->len;
	int c;

	if (t->nodes[a].parent != t->nodes[b].parent)
		return t->nodes[a].parent < t->nodes[b].parent ? -1 : 1;
	c = memcmp(na->text, nb->text, len);
	return c ? c : (na->len > nb->len) - (na->len < nb->len);
}

struct walk {
	uint32_t *kept;		/* sorted node numbers */
	uint32_t *first;	/* by node: index in kept of its first child, FLAME_NONE:
				 * none */
	struct flame_place *stack;	/* still to be placed; the top is next */
	uint32_t kept_count;
};

static int walk_prepare(struct walk *w, struct flame_tree *t, uint64_t least)
{
	uint32_t i;

	w->kept = malloc(t->node_count * sizeof(*w->kept));
	w->first = malloc(t->node_count * sizeof(*w->first));
	if (!w->kept || !w->first)
		return -ENOMEM;
	for (i = 0; i < t->node_count; i++)
		w->first[i] = FLAME_NONE;
	for (i = 1; i < t->node_count; i++)
		if (t->nodes[i].total ? t->nodes[i].total >= least :
		    !least && t->was && t->was[i])
			w->kept[w->kept_count++] = i;
	qsort_r(w->kept, w->kept_count, sizeof(*w->kept), node_compare, t);
	for (i = w->kept_count; i-- > 0; )
		w->first[t->nodes[w->kept[i]].parent] = i;
	w->stack = malloc((w->kept_count + 1) * sizeof(*w->stack));
	return w->stack ? 0 : -ENOMEM;
}

/* Pushes the children of p so that the first one is popped first. */
static uint32_t walk_push(struct walk *w, const struct flame_tree *t, struct flame_place p,
			  uint32_t top)
{
	uint32_t i = w->first[p.node], end, n;
	uint64_t x = p.x;

	if (i == FLAME_NONE)
		return top;
	for (end = i; end < w->kept_count && t->nodes[w->kept[end]].parent == p.node; end++)
		;
	for (n = end; i < end; i++) {
		w->stack[top + --n - w->first[p.node]] = (struct flame_place){
			.node = w->kept[i], .depth = p.depth + 1, .x = x,
		};
		x += t->nodes[w->kept[i]].total;
	}
	return top + end - w->first[p.node];
}

int flame_order(struct flame_tree *t, uint64_t least, struct flame_order *order)
{
	struct walk w = {};
	uint32_t top = 0;
	int err;

	flame_sum(t);
	err = walk_prepare(&w, t, least);
	order->places = err ? NULL : malloc((w.kept_count + 1) * sizeof(*order->places));
	if (!order->places) {
		err = -ENOMEM;
		goto out;
	}
	order->count = order->depth = 0;
	order->pruned = t->node_count - 1 - w.kept_count;
	w.stack[top++] = (struct flame_place){};
	while (top) {
		struct flame_place p = w.stack[--top];

		order->places[order->count++] = p;
		if (p.depth > order->depth)
			order->depth = p.depth;
		top = walk_push(&w, t, p, top);
	}
out:
	free(w.kept);
	free(w.first);
	free(w.stack);
	return err;
}
