// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See heap.h. */
#include <stdlib.h>
#include "arena.h"
#include "heap.h"

static bool before(const struct heap_item *a, const struct heap_item *b)
{
	return a->ts != b->ts ? a->ts < b->ts : a->order < b->order;
}

void heap_put(struct heap *h, u64 ts, void *what)
{
	struct heap_item x = { ts, h->order++, what };
	size_t at = h->n++;

	if (h->n > h->room) {
		h->room = h->room ? 2 * h->room : 64;
		h->items = must_realloc(h->items, h->room * sizeof(*h->items));
	}
	for (; at && before(&x, &h->items[(at - 1) / 2]); at = (at - 1) / 2)
		h->items[at] = h->items[(at - 1) / 2];
	h->items[at] = x;
}

const struct heap_item *heap_first(const struct heap *h)
{
	return h->n ? &h->items[0] : NULL;
}

void *heap_take(struct heap *h)
{
	void *what = h->items[0].what;
	struct heap_item x = h->items[--h->n];
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < h->n; at = child) {
		if (child + 1 < h->n && before(&h->items[child + 1], &h->items[child]))
			child++;
		if (!before(&h->items[child], &x))
			break;
		h->items[at] = h->items[child];
	}
	h->items[at] = x;
	return what;
}

void heap_free(struct heap *h)
{
	free(h->items);
	*h = (struct heap){};
}
