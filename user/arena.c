// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory that need not be checked by its callers; see arena.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "log.h"

#define CHUNK_BYTES (64 << 10)

struct arena_chunk {
	struct arena_chunk *next;
	u64 data[];
};

void *must_alloc(size_t bytes)
{
	void *p = calloc(1, bytes ? bytes : 1);

	if (!p) {
		fail(-ENOMEM, "cannot allocate %zu bytes", bytes);
		exit(1);
	}
	return p;
}

void *must_realloc(void *p, size_t bytes)
{
	p = realloc(p, bytes ? bytes : 1);
	if (!p) {
		fail(-ENOMEM, "cannot allocate %zu bytes", bytes);
		exit(1);
	}
	return p;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
	struct arena_chunk *chunk;
	size_t room;
	void *p;

	bytes = (bytes + 7) & ~(size_t)7;
	if (bytes > a->left) {
		room = bytes > CHUNK_BYTES / 4 ? bytes : CHUNK_BYTES;
		chunk = must_alloc(sizeof(*chunk) + room);
		chunk->next = a->chunks;
		a->chunks = chunk;
		if (room == bytes && a->left)	/* a large piece has a chunk of its own */
			return chunk->data;
		a->at = (u8 *)chunk->data;
		a->left = room;
	}
	p = a->at;
	a->at += bytes;
	a->left -= bytes;
	return p;
}

void arena_free(struct arena *a)
{
	struct arena_chunk *next;

	for (; a->chunks; a->chunks = next) {
		next = a->chunks->next;
		free(a->chunks);
	}
	a->left = 0;
}

void *pool_get(struct pool *p)
{
	void *piece = p->unused;

	if (!piece)
		return arena_alloc(&p->arena, p->bytes);
	p->unused = *(void **)piece;
	memset(piece, 0, p->bytes);
	return piece;
}

void pool_put(struct pool *p, void *piece)
{
	*(void **)piece = p->unused;
	p->unused = piece;
}

void pool_free(struct pool *p)
{
	arena_free(&p->arena);
	p->unused = NULL;
}

void pointers_add(struct pointers *p, const void *x)
{
	if (p->n == p->room) {
		p->room = p->room ? 2 * p->room : 16;
		p->list = must_realloc(p->list, p->room * sizeof(*p->list));
	}
	p->list[p->n++] = x;
}
