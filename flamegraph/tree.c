// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The tree of frames. Names are interned in an arena; a child is found by the
 * hash of (parent, name) in one table for the whole tree, and what a stack
 * shares with the one before it is not looked up at all. Nothing recurses.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tree.h"

#define CHUNK_BYTES (1 << 20)

struct flame_chunk {
	struct flame_chunk *next;
	size_t used, size;
	char data[];
};

static char *arena_alloc(struct flame_arena *a, size_t n)
{
	struct flame_chunk *c = a->chunks;
	size_t size = n > CHUNK_BYTES ? n : CHUNK_BYTES;

	if (!c || c->size - c->used < n) {
		c = malloc(sizeof(*c) + size);
		if (!c)
			return NULL;
		*c = (struct flame_chunk){ .next = a->chunks, .size = size };
		a->chunks = c;
	}
	c->used += n;
	return c->data + c->used - n;
}

static uint32_t hash_end(uint64_t h)
{
	h ^= h >> 32;
	h *= 0x9e3779b97f4a7c15ULL;
	return h >> 32;
}

/* Eight bytes a step: names of 500 characters are common. */
static uint32_t hash_bytes(const char *s, size_t n)
{
	uint64_t h = n * 0x9e3779b97f4a7c15ULL, v;

	for (; n >= sizeof(v); s += sizeof(v), n -= sizeof(v)) {
		memcpy(&v, s, sizeof(v));
		h = (h ^ v) * 0xff51afd7ed558ccdULL;
		h ^= h >> 29;
	}
	v = 0;
	memcpy(&v, s, n);
	return hash_end((h ^ v) * 0xff51afd7ed558ccdULL);
}

static uint32_t hash_child(uint32_t parent, uint32_t name)
{
	return hash_end(((uint64_t)parent << 32 | name) * 0xff51afd7ed558ccdULL);
}

/* Makes room for one more item of `size` bytes. 0 or -ENOMEM. */
static int array_grow(void *array, uint32_t *room, uint32_t count, size_t size)
{
	uint32_t more = *room ? *room * 2 : 1024;
	void *p;

	if (count < *room)
		return 0;
	if (*room >= 1U << 30)
		return -ENOMEM;
	p = realloc(*(void **)array, more * size);
	if (!p)
		return -ENOMEM;
	*(void **)array = p;
	*room = more;
	return 0;
}

static uint32_t node_hash(const struct flame_tree *t, uint32_t i)
{
	return hash_child(t->nodes[i].parent, t->nodes[i].name);
}

static uint32_t name_hash(const struct flame_tree *t, uint32_t i)
{
	return t->names[i].hash;
}

/* Doubles a table when it is half full. */
static int slots_grow(struct flame_tree *t, uint32_t **slots, uint32_t *mask, uint32_t count,
		      uint32_t (*hash)(const struct flame_tree *, uint32_t))
{
	uint32_t more = *slots ? (*mask + 1) * 2 : 2048, i, at, *fresh;

	if (*slots && count * 2ULL <= *mask)
		return 0;
	fresh = calloc(more, sizeof(*fresh));
	if (!fresh)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		for (at = hash(t, i) & (more - 1); fresh[at]; at = (at + 1) & (more - 1))
			;
		fresh[at] = i + 1;
	}
	free(*slots);
	*slots = fresh;
	*mask = more - 1;
	return 0;
}

/* A folded line cannot carry these within a name. */
static void name_clean(char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (s[i] == ';')
			s[i] = ',';
		else if (s[i] == '\n' || s[i] == '\r')
			s[i] = ' ';
	}
}

/* Index of the name, FLAME_NONE: no memory. */
static uint32_t name_intern(struct flame_tree *t, const char *s, size_t len)
{
	uint32_t hash = hash_bytes(s, len), at, i;
	char *text;

	if (len >= UINT32_MAX ||
	    slots_grow(t, &t->name_slots, &t->name_mask, t->name_count, name_hash) ||
	    array_grow(&t->names, &t->name_room, t->name_count, sizeof(*t->names)))
		return FLAME_NONE;
	for (at = hash & t->name_mask; t->name_slots[at]; at = (at + 1) & t->name_mask) {
		i = t->name_slots[at] - 1;
		if (t->names[i].hash == hash && t->names[i].len == len &&
		    !memcmp(t->names[i].text, s, len))
			return i;
	}
	text = arena_alloc(&t->arena, len + 1);
	if (!text)
		return FLAME_NONE;
	memcpy(text, s, len);
	text[len] = '\0';
	t->names[t->name_count] = (struct flame_name){ text, len, hash, FLAME_BY_NAME };
	t->name_slots[at] = ++t->name_count;
	return t->name_count - 1;
}

/* Like name_intern, for names that may hold what a folded line cannot. */
static uint32_t name_find(struct flame_tree *t, const struct flame_frame *f)
{
	uint32_t i;
	char *copy;

	if (!memchr(f->name, ';', f->len) && !memchr(f->name, '\n', f->len) &&
	    !memchr(f->name, '\r', f->len))
		return name_intern(t, f->name, f->len);
	copy = malloc(f->len);
	if (!copy)
		return FLAME_NONE;
	memcpy(copy, f->name, f->len);
	name_clean(copy, f->len);
	i = name_intern(t, copy, f->len);
	free(copy);
	return i;
}

static uint32_t node_child(struct flame_tree *t, uint32_t parent, uint32_t name)
{
	uint32_t at, i;

	if (slots_grow(t, &t->node_slots, &t->node_mask, t->node_count, node_hash) ||
	    array_grow(&t->nodes, &t->node_room, t->node_count, sizeof(*t->nodes)))
		return FLAME_NONE;
	for (at = hash_child(parent, name) & t->node_mask; t->node_slots[at];
	     at = (at + 1) & t->node_mask) {
		i = t->node_slots[at] - 1;
		if (t->nodes[i].parent == parent && t->nodes[i].name == name)
			return i;
	}
	t->nodes[t->node_count] = (struct flame_node){ .parent = parent, .name = name };
	t->node_slots[at] = ++t->node_count;
	return t->node_count - 1;
}

static int path_grow(struct flame_tree *t, size_t n)
{
	size_t room = n * 2 + 64;
	uint32_t *p;

	if (n <= t->path_room)
		return 0;
	p = realloc(t->path, room * sizeof(*p));
	if (!p)
		return -ENOMEM;
	t->path = p;
	t->path_room = room;
	return 0;
}

static bool name_is(const struct flame_name *name, const struct flame_frame *f)
{
	return name->len == f->len && !memcmp(name->text, f->name, f->len);
}

int flame_add(struct flame_tree *t, const struct flame_frame *frames, size_t n, uint64_t value)
{
	static const struct flame_frame unnamed = { "[unnamed]", 9 };
	const struct flame_frame *f;
	uint32_t node = 0, name;
	size_t i;

	if (__builtin_add_overflow(t->total, value, &t->total))
		return t->total -= value, -EOVERFLOW;
	if (path_grow(t, n))
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		f = frames[i].len ? &frames[i] : &unnamed;
		if (i >= t->path_len || !name_is(flame_name(t, t->path[i]), f)) {
			t->path_len = i;
			name = name_find(t, f);
			if (name != FLAME_NONE && !t->names[name].what)
				t->names[name].what = f->what;
			t->path[i] = name == FLAME_NONE ? FLAME_NONE :
				node_child(t, node, name);
			if (t->path[i] == FLAME_NONE)
				return -ENOMEM;
		}
		node = t->path[i];
	}
	t->path_len = n;
	t->nodes[node].self += value;
	return 0;
}

/* Room for what was, for each node there is room for. */
static int was_grow(struct flame_tree *t)
{
	uint64_t **arrays[] = { &t->was, &t->was_self }, *more;
	size_t i;

	for (i = 0; i < 2 && t->was_room < t->node_room; i++) {
		more = realloc(*arrays[i], t->node_room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		memset(more + t->was_room, 0, (t->node_room - t->was_room) * sizeof(*more));
		*arrays[i] = more;
	}
	t->was_room = t->node_room;
	return 0;
}

int flame_add_pair(struct flame_tree *t, const struct flame_frame *frames, size_t n,
		   uint64_t before, uint64_t after)
{
	int err;

	if (__builtin_add_overflow(t->was_total, before, &t->was_total))
		return t->was_total -= before, -EOVERFLOW;
	err = flame_add(t, frames, n, after);
	if (!err)
		err = was_grow(t);
	if (!err)
		t->was_self[n ? t->path[n - 1] : 0] += before;
	return err;
}

struct flame_tree *flame_new(void)
{
	struct flame_tree *t = calloc(1, sizeof(*t));

	if (t && name_intern(t, "all", 3) == 0 && node_child(t, FLAME_NONE, 0) == 0)
		return t;
	flame_free(t);
	return NULL;
}

void flame_free(struct flame_tree *t)
{
	struct flame_chunk *c, *next;

	if (!t)
		return;
	for (c = t->arena.chunks; c; c = next) {
		next = c->next;
		free(c);
	}
	free(t->names);
	free(t->nodes);
	free(t->name_slots);
	free(t->node_slots);
	free(t->path);
	free(t->was);
	free(t->was_self);
	free(t);
}

uint64_t flame_total(const struct flame_tree *t)
{
	return t->total;
}

uint64_t flame_total_before(const struct flame_tree *t)
{
	return t->was_total;
}

uint64_t flame_gone(const struct flame_tree *t)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; t->was && i < t->node_count; i++)
		if (!t->nodes[i].self)
			sum += t->was_self[i];
	return sum;
}

uint64_t flame_stacks(const struct flame_tree *t)
{
	return t->node_count - 1;
}
