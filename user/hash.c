// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Open-addressing map and interned texts; see hash.h. */
#include <stdlib.h>
#include <string.h>
#include "hash.h"

u64 hash_mix(u64 x)		/* the finaliser of splitmix64: every bit reaches every bit */
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

u64 hash_bytes(const void *p, size_t n)
{
	const u8 *s = p;
	u64 h = 0x9e3779b97f4a7c15ULL ^ n, word;

	for (; n >= 8; n -= 8, s += 8) {
		memcpy(&word, s, 8);
		h = hash_mix(h ^ word);
	}
	word = 0;
	memcpy(&word, s, n);
	return hash_mix(h ^ word);
}

/* The slot of the key, or the empty one where it would go. */
static struct hash_slot *hash_find(const struct hash *h, u64 key)
{
	size_t mask = h->room - 1, i = hash_mix(key) & mask;

	while (h->slots[i].value && h->slots[i].key != key)
		i = (i + 1) & mask;
	return &h->slots[i];
}

void *hash_get(const struct hash *h, u64 key)
{
	return h->room ? hash_find(h, key)->value : NULL;
}

static void hash_grow(struct hash *h)
{
	struct hash old = *h;

	h->room = old.room ? 2 * old.room : 16;
	h->slots = must_alloc(h->room * sizeof(*h->slots));
	for (size_t i = 0; i < old.room; i++)
		if (old.slots[i].value)
			*hash_find(h, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

void hash_put(struct hash *h, u64 key, void *value)
{
	struct hash_slot *s;

	if (h->used * 10 >= h->room * 7)
		hash_grow(h);
	s = hash_find(h, key);
	h->used += !s->value;
	s->key = key;
	s->value = value;
}

void *hash_take(struct hash *h, u64 key)
{
	size_t mask = h->room - 1, hole, i, home;
	struct hash_slot *s;
	void *value;

	if (!h->room)
		return NULL;
	s = hash_find(h, key);
	value = s->value;
	if (!value)
		return NULL;
	hole = s - h->slots;
	for (i = (hole + 1) & mask; h->slots[i].value; i = (i + 1) & mask) {
		home = hash_mix(h->slots[i].key) & mask;
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			h->slots[hole] = h->slots[i];
			hole = i;
		}
	}
	h->slots[hole].value = NULL;
	h->used--;
	return value;
}

struct hash_slot *hash_next(const struct hash *h, size_t *at)
{
	while (*at < h->room)
		if (h->slots[(*at)++].value)
			return &h->slots[*at - 1];
	return NULL;
}

void hash_free(struct hash *h)
{
	free(h->slots);
	memset(h, 0, sizeof(*h));
}

struct text {
	struct text *next;	/* of the same hash */
	size_t n;
	char s[];
};

const char *texts_add(struct texts *t, const char *s, size_t n)
{
	u64 key = hash_bytes(s, n);
	struct text *first = hash_get(&t->map, key), *x;

	for (x = first; x; x = x->next)
		if (x->n == n && !memcmp(x->s, s, n))
			return x->s;
	x = arena_alloc(&t->arena, sizeof(*x) + n + 1);
	x->next = first;
	x->n = n;
	memcpy(x->s, s, n);
	hash_put(&t->map, key, x);
	return x->s;
}

void texts_free(struct texts *t)
{
	arena_free(&t->arena);
	hash_free(&t->map);
}
