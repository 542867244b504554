// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a writer remembers of definitions: each distinct one once, to leave out
 * copies and to repeat all in a long trace. Losses are not kept: repeated they
 * would be counted twice.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "trace_format.h"

#define KEEP_BYTES (256u << 20)	/* beyond this, new ones are written but not remembered */

struct definitions {
	struct event **list;
	size_t n, room, bytes;
	u32 *table;		/* index in list + 1, open addressing */
	size_t mask;
};

static void *grown(void *p, size_t n, size_t size)
{
	p = realloc(p, n * size);
	if (!p)
		err(1, "cannot remember the definitions of a trace");
	return p;
}

struct definitions *definitions_new(void)
{
	struct definitions *d = grown(NULL, 1, sizeof(*d));

	*d = (struct definitions){};
	return d;
}

void definitions_free(struct definitions *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->list[i]);
	free(d->list);
	free(d->table);
	free(d);
}

/* A task's story may come back to an earlier state (a name taken back), a module may be loaded
 * again: there, time counts. */
static u64 time_of(const struct event *e)
{
	return e->kind == EVENT_TASK || e->kind == EVENT_CLOCK || e->kind == EVENT_NOTE ?
		e->ts : 0;
}

static u64 hash(const struct event *e)
{
	const u64 *p = (const u64 *)e;
	u64 h = hash_mix(time_of(e) ^ ((u64)e->size << 48 | e->kind << 16 | e->producer));

	for (u32 i = 1; i < e->size / 8u; i++) {
		if (i == 2)	/* size, kind, producer and the CPU, which does not count */
			continue;
		h = hash_mix(h ^ p[i]);
	}
	return h;
}

static bool equal(const struct event *a, const struct event *b)
{
	return a->size == b->size && a->kind == b->kind && a->producer == b->producer &&
	       a->pid == b->pid && a->tid == b->tid && time_of(a) == time_of(b) &&
	       !memcmp(a + 1, b + 1, a->size - sizeof(*a));
}

static u32 *slot(const struct definitions *d, const struct event *e)
{
	size_t i = hash(e) & d->mask;

	while (d->table[i] && !equal(d->list[d->table[i] - 1], e))
		i = (i + 1) & d->mask;
	return &d->table[i];
}

static void rehash(struct definitions *d)
{
	d->room = d->room ? d->room * 2 : 1024;
	d->list = grown(d->list, d->room, sizeof(*d->list));
	free(d->table);
	d->mask = d->room * 2 - 1;
	d->table = grown(NULL, d->mask + 1, sizeof(*d->table));
	memset(d->table, 0, (d->mask + 1) * sizeof(*d->table));
	for (size_t i = 0; i < d->n; i++)
		*slot(d, d->list[i]) = i + 1;
}

bool definitions_add(struct definitions *d, const struct event *e)
{
	u32 *s;

	if (e->kind == EVENT_LOST)
		return true;
	if (d->n == d->room)
		rehash(d);
	s = slot(d, e);
	if (*s)
		return false;
	if (d->bytes > KEEP_BYTES)
		return true;
	d->list[d->n] = grown(NULL, 1, e->size);
	memcpy(d->list[d->n], e, e->size);
	d->bytes += e->size + sizeof(e);
	*s = ++d->n;
	return true;
}

const struct event *definitions_next(const struct definitions *d, size_t *i)
{
	return *i < d->n ? d->list[(*i)++] : NULL;
}
