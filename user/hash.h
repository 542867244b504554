/*
 * A map from u64 to pointer: open addressing, linear probing, at most 70% full.
 * Removal moves the entries behind back, so there are no tombstones to collect.
 */
#ifndef HASH_H
#define HASH_H

#include <stdint.h>
#include "arena.h"

struct hash_slot {
	u64 key;
	void *value;		/* NULL: empty */
};

struct hash {			/* all zero is an empty map */
	struct hash_slot *slots;
	size_t used, room;	/* room: power of two */
};

void *hash_get(const struct hash *h, u64 key);		/* NULL: none */
void hash_put(struct hash *h, u64 key, void *value);	/* value not NULL; replaces */
void *hash_take(struct hash *h, u64 key);		/* removes and returns, NULL: none */
/* Iterate: start with *at = 0; NULL at the end. No put or take meanwhile. */
struct hash_slot *hash_next(const struct hash *h, size_t *at);
void hash_free(struct hash *h);				/* not the values */

/* A key of an address. */
static inline u64 hash_address(const void *p)
{
	return (uintptr_t)p;
}

u64 hash_mix(u64 x);
u64 hash_bytes(const void *p, size_t n);

/* Texts, each kept once: equal texts give equal pointers. */
struct texts {
	struct hash map;
	struct arena arena;
};

const char *texts_add(struct texts *t, const char *s, size_t n);
void texts_free(struct texts *t);

#endif
