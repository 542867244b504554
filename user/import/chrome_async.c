// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What begins in one event and ends in another: B and E nest within a thread,
 * b and e (S and F until 2014) within an id. The latter overlap on a thread,
 * so they get a row of their own for each category and name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "chrome.h"

#define OPEN_MAX (1u << 20)

struct chrome_open {
	struct chrome_open *next;	/* around it */
	struct chrome_category *category;
	struct chrome_thread *thread;
	s64 ts;
	u64 correlation, external;
	bool correlated, numbered;
	u32 name_n;
	char name[];
};

static bool push(struct chrome *c, struct chrome_open **at, struct chrome_thread *t)
{
	const struct chrome_event *e = &c->e;
	struct chrome_open *o;

	if (c->open_n == OPEN_MAX) {
		import_odd(c->im, "begin while too many are open", "");
		return false;
	}
	o = must_alloc(sizeof(*o) + e->name.n + 1);
	*o = (struct chrome_open){
		.next = *at, .category = e->category, .thread = t, .ts = e->ts,
		.correlated = HAS(e, ARG_CORRELATION), .numbered = HAS(e, ARG_EXTERNAL),
		.name_n = e->name.n,
	};
	if (o->correlated)
		o->correlation = e->number[ARG_CORRELATION];
	if (o->numbered)
		o->external = e->number[ARG_EXTERNAL];
	memcpy(o->name, e->name.s, e->name.n);
	*at = o;
	c->open_n++;
	return true;
}

/* The span that ends now, as if it were one event. */
static void become(struct chrome *c, const struct chrome_open *o, s64 end)
{
	struct chrome_event *e = &c->e;

	e->name = (struct chrome_text){ o->name, o->name_n };
	e->category = o->category;
	e->dur = end > o->ts ? end - o->ts : 0;
	e->ts = o->ts;
	if (o->correlated) {
		e->number[ARG_CORRELATION] = o->correlation;
		e->args |= 1ULL << ARG_CORRELATION;
	}
	if (o->numbered) {
		e->number[ARG_EXTERNAL] = o->external;
		e->args |= 1ULL << ARG_EXTERNAL;
	}
}

static void pop(struct chrome *c, struct chrome_open **at)
{
	struct chrome_open *o = *at;

	*at = o->next;
	c->open_n--;
	free(o);
}

void chrome_put_begin(struct chrome *c)
{
	struct chrome_thread *t = chrome_thread(c);

	push(c, &t->open, t);
}

void chrome_put_end(struct chrome *c)
{
	struct chrome_thread *t = chrome_thread(c);

	if (!t->open) {
		import_odd(c->im, "end without a begin", "");
		return;
	}
	become(c, t->open, c->e.ts);
	kineto_put(c);
	pop(c, &t->open);
}

/* Of the text: addresses would give another order of things each time. */
static u64 category_hash(const struct chrome_category *category)
{
	return category ? hash_bytes(category->name, category->n) : 0;
}

static u64 row_of(const struct chrome_category *category, const char *name, u32 n)
{
	return hash_mix(hash_bytes(name, n) + category_hash(category)) | CHROME_ID_TEXT;
}

static void put_async_span(struct chrome *c, const struct chrome_open *o, s64 end)
{
	struct chrome_thread row = *o->thread;
	char name[64] = "async";

	become(c, o, end);
	if (o->category)
		snprintf(name, sizeof(name), "async %s", o->category->name);
	row.tid = import_tid(c->im, row.producer, row_of(o->category, o->name, o->name_n),
			     name);
	chrome_put_span(c, &row, SPAN_OTHER);
}

void chrome_put_async(struct chrome *c, bool end)
{
	const struct chrome_event *e = &c->e;
	u64 key = category_hash(e->category);
	struct chrome_open *top;

	if (!e->id.given) {
		import_odd(c->im, "async event without an id", "");
		return;
	}
	key = hash_mix(key + hash_mix(e->id.n));
	if (e->scope.s)
		key = hash_mix(key + hash_bytes(e->scope.s, e->scope.n));
	top = hash_get(&c->async, key);
	if (!end) {
		if (push(c, &top, chrome_thread(c)))
			hash_put(&c->async, key, top);
		return;
	}
	if (!top) {
		import_odd(c->im, "end without a begin", "");
		return;
	}
	put_async_span(c, top, e->ts);
	pop(c, &top);
	if (top)
		hash_put(&c->async, key, top);
	else
		hash_take(&c->async, key);
}

/* What did not end lasts to the end of the trace. */
static void put_unfinished(struct chrome *c, struct chrome_open *o, bool async)
{
	for (; o; pop(c, &o)) {
		import_odd(c->im, "begin without an end", "");
		chrome_clear(c);
		if (async) {
			put_async_span(c, o, c->last_ns);
			continue;
		}
		become(c, o, c->last_ns);
		chrome_put_span(c, o->thread, SPAN_OTHER);
	}
}

void chrome_async_end(struct chrome *c)
{
	struct chrome_thread *t;
	struct hash_slot *slot;
	size_t at = 0;

	while ((slot = hash_next(&c->threads, &at))) {
		t = slot->value;
		put_unfinished(c, t->open, false);
		t->open = NULL;
	}
	at = 0;
	while ((slot = hash_next(&c->async, &at)))
		put_unfinished(c, slot->value, true);
	hash_free(&c->async);
}
