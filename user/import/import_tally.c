// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Things counted by two words each: what a file holds, and what in it was not understood. */
#include <stdlib.h>
#include <string.h>
#include "import_parts.h"

static u64 tally_key(const char *group, const char *key, size_t n)
{
	return hash_bytes(group, strlen(group)) + 31 * hash_bytes(key, n);
}

static struct tally_item *tally_find(const struct tally *t, const char *group, const char *key,
				     size_t n, u64 *at)
{
	struct tally_item *x;

	for (*at = tally_key(group, key, n); (x = hash_get(&t->map, *at)); ++*at)
		if (!strcmp(x->group, group) && strlen(x->key) == n && !memcmp(x->key, key, n))
			return x;
	return NULL;
}

void tally_add(struct tally *t, const char *group, const char *key, size_t n, u64 count)
{
	struct tally_item *x;
	u64 at;

	n = strnlen(key, n);
	x = tally_find(t, group, key, n, &at);
	if (!x && t->n >= TALLY_MAX) {
		key = "(others)";
		n = strlen(key);
		x = tally_find(t, group, key, n, &at);
	}
	if (!x) {
		x = must_alloc(sizeof(*x));
		x->group = memcpy(must_alloc(strlen(group) + 1), group, strlen(group));
		x->key = memcpy(must_alloc(n + 1), key, n);
		hash_put(&t->map, at, x);
		if (!(t->n & (t->n - 1)))
			t->list = must_realloc(t->list, 2 * (t->n + 1) * sizeof(*t->list));
		t->list[t->n++] = x;
	}
	x->count += count;
}

void tally_free(struct tally *t)
{
	for (u32 i = 0; i < t->n; i++) {
		free(t->list[i]->group);
		free(t->list[i]->key);
		free(t->list[i]);
	}
	free(t->list);
	hash_free(&t->map);
}
