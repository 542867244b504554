// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the ids in imported records stand for: processes, threads, names,
 * collectives, devices, correlations. Equal things get equal ids; ids of the
 * file are kept where they fit and no other process has them.
 */
#include <stdlib.h>
#include <string.h>
#include "import_parts.h"
#include "log.h"

#define PRODUCERS 0xfffe
#define CORRELATIONS 256		/* of neighbouring ids share an entry */

struct correlations { u32 first; };

void import_comm(char comm[COMM_LEN], const char *name)
{
	size_t n = strlen(name);

	if (n > COMM_LEN - 1) {
		n = COMM_LEN - 1;
		while (n && ((unsigned char)name[n] & 0xc0) == 0x80)
			n--;
	}
	memset(comm, 0, COMM_LEN);
	memcpy(comm, name, n);
}

struct import_process *import_producer(const struct import *im, u16 producer)
{
	return producer && producer <= im->process_n ? im->processes[producer] : NULL;
}

/* A number that no other process or thread of the trace has: `id` itself if that can be. */
static u32 number_take(struct import *im, u64 id, void *owner)
{
	u32 n = id;

	if (!id || id >= ID_OWN_FIRST || hash_get(&im->numbers, id))
		n = im->next_number++;
	hash_put(&im->numbers, n, owner);
	return n;
}

static struct import_process *process_new(struct import *im, u64 id)
{
	struct import_process *p = arena_alloc(&im->arena, sizeof(*p));

	p->source = im->source;
	p->id = id;
	p->producer = ++im->process_n;
	p->first_ns = NO_TIME;
	p->pid = number_take(im, id, p);
	im->processes[p->producer] = p;
	hash_put(&im->source->processes, id, p);
	return p;
}

u16 import_process(struct import *im, u64 id, const char *name)
{
	struct import_process *p = hash_get(&im->source->processes, id);

	if (!p && im->process_n == PRODUCERS) {
		if (!im->error)
			im->error = fail(0, "cannot import %s: more than %u processes in all (import fewer files at once)",
					 im->source->path, PRODUCERS);
		return PRODUCERS;
	}
	if (!p)
		p = process_new(im, id);
	if (name && *name && !p->comm[0])
		import_comm(p->comm, name);
	return p->producer;
}

u32 import_pid(struct import *im, u16 producer)
{
	struct import_process *p = import_producer(im, producer);

	return p ? p->pid : 0;
}

u32 import_tid(struct import *im, u16 producer, u64 id, const char *name)
{
	struct import_process *p = import_producer(im, producer);
	struct import_thread *t;

	if (!p)
		return 0;
	t = hash_get(&p->threads, id);
	if (!t) {
		t = arena_alloc(&im->arena, sizeof(*t));
		t->tid = id == p->id ? p->pid : number_take(im, id, t);
		hash_put(&p->threads, id, t);
	}
	if (name && *name && !t->comm[0])
		import_comm(t->comm, name);
	return t->tid;
}

/* ---- names ---- */

_Static_assert(NAME_COLLECTIVE < 8, "name_key: what fits below the text's alignment");

static u64 name_key(const char *text, u16 producer, enum name_what what)
{
	return (hash_address(text) | what) << 16 | producer;
}

static void name_add(struct import_process *p, struct import_name *x)
{
	x->id = ++p->names;
	if (p->names > p->by_id_room) {
		p->by_id_room = p->by_id_room ? 2 * p->by_id_room : 64;
		p->by_id = must_realloc(p->by_id, p->by_id_room * sizeof(*p->by_id));
	}
	p->by_id[x->id - 1] = x;
}

static struct import_name *name_find(struct import *im, u16 producer, enum name_what what,
				     const char *s, size_t n)
{
	struct import_process *p = import_producer(im, producer);
	struct import_name *x;
	const char *text;
	u64 key;

	n = strnlen(s, n);
	if (!n || !p)
		return NULL;
	if (n > IMPORT_TEXT_MAX) {
		n = IMPORT_TEXT_MAX;
		import_odd(im, "name cut: longer than 65000 bytes", "");
	}
	text = texts_add(&im->texts, s, n);
	key = name_key(text, producer, what);
	x = hash_get(&im->names, key);
	if (!x) {
		x = arena_alloc(&im->arena, sizeof(*x));
		*x = (struct import_name){ text, n, 0, producer, what, 0, 0 };
		name_add(p, x);
		hash_put(&im->names, key, x);
	}
	return x;
}

/* By a few bytes of its text: names that share them take turns in the slot. */
static u32 name_slot(const char *s, size_t n, u16 producer, enum name_what what)
{
	u64 head = 0, tail = 0, key = n | (u64)what << 32 | (u64)producer << 40;

	if (n >= 8) {
		memcpy(&head, s, 8);
		memcpy(&tail, s + n - 8, 8);
	} else if (n >= 4) {
		memcpy(&head, s, 4);
		memcpy(&tail, s + n - 4, 4);
	} else {
		head = (u8)s[0] | (u8)s[n / 2] << 8 | (u8)s[n - 1] << 16;
	}
	key = (key ^ head) * 0x9e3779b97f4a7c15ULL;
	return (key ^ tail) * 0x9e3779b97f4a7c15ULL >> 54;
}

u32 import_name(struct import *im, u16 producer, enum name_what what, const char *s, size_t n)
{
	struct import_name **recent, *x;

	if (!s || !n)
		return 0;
	recent = &im->recent[name_slot(s, n, producer, what)];
	x = *recent;
	if (x && x->n == n && x->producer == producer && x->what == what &&
	    !memcmp(x->text, s, n))
		return x->id;
	x = name_find(im, producer, what, s, n);
	if (x)
		*recent = x;
	return x ? x->id : 0;
}
/* ---- collectives ---- */

u32 import_collective(struct import *im, u16 producer, const struct collective *c)
{
	struct import_process *p = import_producer(im, producer);
	struct collective copy = *c;
	struct import_collective *x, *first;
	u64 key;

	if (!p)
		return 0;
	copy.e = (struct event){ .size = sizeof(copy), .kind = EVENT_COLLECTIVE,
				 .producer = producer, .cpu = CPU_UNKNOWN };
	copy.id = 0;
	key = hash_bytes(&copy, sizeof(copy));
	first = hash_get(&im->collectives, key);
	for (x = first; x; x = x->same_hash) {
		copy.id = x->c.id;
		if (!memcmp(&x->c, &copy, sizeof(copy)))
			return copy.id;
	}
	copy.id = ++p->collectives;
	x = arena_alloc(&im->arena, sizeof(*x));
	x->c = copy;
	x->same_hash = first;
	hash_put(&im->collectives, key, x);
	*im->collective_end = x;
	im->collective_end = &x->next;
	return copy.id;
}

/* ---- devices ---- */

static bool zero(const u8 *p, size_t n)
{
	return !n || (!*p && !memcmp(p, p + 1, n - 1));
}

static void device_fill(struct device *to, const struct device *d)
{
#define FILL(member, unknown) (to->member = to->member == (unknown) ? d->member : to->member)
	FILL(mem_bytes, 0);
	FILL(minor, ~0u);
	FILL(numa_node, -1);
	FILL(sm_count, 0);
	FILL(pci_domain, 0);
	FILL(pci_bus, 0);
	FILL(pci_device, 0);
	FILL(pci_function, 0);
#undef FILL
	if (!to->cc_major && !to->cc_minor) {
		to->cc_major = d->cc_major;
		to->cc_minor = d->cc_minor;
	}
	if (zero(to->uuid, sizeof(to->uuid)))
		memcpy(to->uuid, d->uuid, sizeof(to->uuid));
	if (!to->name[0])
		memcpy(to->name, d->name, sizeof(to->name));
	to->name[sizeof(to->name) - 1] = 0;
}

void import_device(struct import *im, u16 producer, const struct device *d)
{
	struct import_process *p = import_producer(im, producer);
	struct device *x;

	if (!p)
		return;
	x = hash_get(&p->devices, d->ordinal);
	if (!x) {
		x = arena_alloc(&im->arena, sizeof(*x));
		x->e = (struct event){ .size = sizeof(*x), .kind = EVENT_DEVICE, .pid = p->pid,
				       .producer = producer, .cpu = CPU_UNKNOWN };
		x->ordinal = d->ordinal;
		x->minor = ~0u;
		x->numa_node = -1;
		hash_put(&p->devices, d->ordinal, x);
	}
	device_fill(x, d);
}

/* ---- correlations ---- */

u32 import_correlation(struct import *im, u16 producer, u64 id)
{
	struct import_process *p = import_producer(im, producer);
	struct correlations *c;

	if (id < ID_OWN_FIRST || !p)
		return id;
	c = hash_get(&p->correlations, id / CORRELATIONS);
	if (!c) {
		if (p->correlation_blocks == ID_OWN_FIRST / CORRELATIONS) {
			import_odd(im, "correlation id beyond 31 bits: too many", "");
			return 0;
		}
		c = arena_alloc(&im->arena, sizeof(*c));
		c->first = ID_OWN_FIRST + p->correlation_blocks++ * CORRELATIONS;
		hash_put(&p->correlations, id / CORRELATIONS, c);
	}
	return c->first + id % CORRELATIONS;
}

void import_ids_free(struct import *im)
{
	for (u32 i = 1; i <= im->process_n; i++) {
		struct import_process *p = im->processes[i];

		hash_free(&p->threads);
		hash_free(&p->devices);
		hash_free(&p->correlations);
		free(p->by_id);
	}
	hash_free(&im->names);
	hash_free(&im->collectives);
	hash_free(&im->numbers);
}
