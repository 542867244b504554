/* What comes in any order leaves by time; of equal times what came first. */
#ifndef HEAP_H
#define HEAP_H

#include <stddef.h>
#include "types.h"

struct heap_item { u64 ts, order; void *what; };

struct heap {			/* all zero is empty */
	struct heap_item *items;
	size_t n, room;
	u64 order;
};

void heap_put(struct heap *h, u64 ts, void *what);
const struct heap_item *heap_first(const struct heap *h);	/* NULL: empty */
void *heap_take(struct heap *h);				/* of the first; not empty */
void heap_free(struct heap *h);					/* not what is in it */

#endif
