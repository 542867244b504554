/*
 * Memory of analyses: it either comes or the program says so and leaves. An
 * arena gives pieces that live until all are freed; a pool gives pieces of one
 * size back and forth.
 */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>
#include "types.h"

void *must_alloc(size_t bytes);			/* zeroed */
void *must_realloc(void *p, size_t bytes);

struct arena {
	struct arena_chunk *chunks;
	u8 *at;
	size_t left;
};

void *arena_alloc(struct arena *a, size_t bytes);	/* aligned to 8, zeroed */
void arena_free(struct arena *a);

struct pool {
	size_t bytes;		/* of a piece: set before the first use */
	void *unused;
	struct arena arena;
};

void *pool_get(struct pool *p);			/* zeroed */
void pool_put(struct pool *p, void *piece);
void pool_free(struct pool *p);

struct pointers {		/* a growing list of stable pointers */
	const void **list;
	size_t n, room;
};

void pointers_add(struct pointers *p, const void *x);

#endif
