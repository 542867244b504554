// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Several traces as one; see trace_set.h. Which fields are ids of what follows
 * from the schema: AS_TIME, AS_STACK, and names of fields for pids, producers
 * and UVM's processors.
 */
#include <stdlib.h>
#include <string.h>
#include "cuda.h"
#include "hash.h"
#include "host.h"
#include "log.h"
#include "trace_set.h"
#include "uvm.h"
#include "xid.h"

#define OWN_IDS 0x80000000u	/* process and thread ids of ours begin here: Linux has none */

struct member {
	struct trace_reader *reader;
	const struct event *next;	/* NULL: at its end */
	bool failed;			/* it could not be read to its end: said already */
	u64 shift;			/* added to its times, modulo 2^64 */
	u64 salt;			/* of its ids of stacks, services, errors */
	u16 *producers, *maps;		/* its id -> ours, 0: none yet */
	struct hash tasks, gpus;	/* its pid or tid, its UVM processor -> ours, where they
					 * differ */
};

struct ids {
	struct hash owners;		/* id -> the member it belongs to */
	u32 next;			/* to try for one of our own */
};

struct trace_set {
	struct member *members;
	size_t n, unaligned;
	u64 from, to;			/* the part that is wanted */
	struct member *delivered;	/* last: its record is done with at the next call */
	u16 producers, maps;		/* the last one given */
	struct ids tasks, gpus;
	u8 record[RECORD_MAX + 8] __attribute__((aligned(8)));
};

static u32 field_number(const struct event *e, const struct field *f)
{
	u32 v = 0;

	memcpy(&v, (const u8 *)e + f->off, f->size < sizeof(v) ? f->size : sizeof(v));
	return v;
}

static u16 producer_of(struct trace_set *s, struct member *m, u16 id)
{
	if (!id)	/* the recorder: probes of the kernel name tasks by id */
		return 0;
	if (!m->producers[id])
		m->producers[id] = s->producers == 0xffff ? 0xffff : ++s->producers;
	return m->producers[id];
}

/* An id that another file has too gets a number of its own. */
static u32 id_of(struct ids *ids, struct member *m, struct hash *ours, u32 id)
{
	void *owner, *number;

	if (!id)
		return 0;
	number = hash_get(ours, id);
	if (number)
		return (uintptr_t)number;
	owner = hash_get(&ids->owners, id);
	if (!owner)
		hash_put(&ids->owners, id, m);
	if (!owner || owner == m)
		return id;
	while (hash_get(&ids->owners, ids->next))
		ids->next++;
	hash_put(&ids->owners, ids->next, m);
	hash_put(ours, id, (void *)(uintptr_t)ids->next);
	return ids->next;
}

static u64 frame_of(struct trace_set *s, struct member *m, u64 frame)
{
	u16 id = frame >> FRAME_SHIFT;

	if (!id)
		return frame;
	if (!m->maps[id] && s->maps < 0xfffe)
		m->maps[id] = ++s->maps;
	return (u64)m->maps[id] << FRAME_SHIFT | (frame & FRAME_MASK);
}

static bool field_is(const struct field *f, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(f->name, *names))
			return true;
	return false;
}

static void renumber_field(struct trace_set *s, struct member *m, struct event *e,
			   const struct field *f)
{
	static const char *const tasks[] = { "pid", "tid", "ppid", "other_tid", "waker_pid",
					     "waker_tid", NULL };
	static const char *const gpus[] = { "gpu", "src", "dst", "processor", NULL };
	static const char *const salted[] = { "service", "xid", NULL };
	bool uvm = e->kind >= EVENT_UVM_FAULT && e->kind <= EVENT_UVM_MARK;
	u8 *at = (u8 *)e + f->off;
	u64 wide;
	u32 v;

	if (f->size == 8 && (f->as == AS_TIME || f->as == AS_STACK || field_is(f, salted))) {
		memcpy(&wide, at, sizeof(wide));
		if (wide)
			wide = f->as == AS_TIME ? wide + m->shift : wide ^ m->salt;
		memcpy(at, &wide, sizeof(wide));
	} else if (f->size == 4 && field_is(f, tasks)) {
		v = id_of(&s->tasks, m, &m->tasks, field_number(e, f));
		memcpy(at, &v, sizeof(v));
	} else if (uvm && field_is(f, gpus)) {
		v = id_of(&s->gpus, m, &m->gpus, field_number(e, f));
		memcpy(at, &v, f->size);
	}
}

static void renumber_more(struct trace_set *s, struct member *m, struct event *e)
{
	struct task *task = (struct task *)e;
	struct stack *stack = (struct stack *)e;
	struct uvm_gpu *gpu = (struct uvm_gpu *)e;
	struct uvm_service *service = (struct uvm_service *)e;
	struct xid *xid = (struct xid *)e;
	struct api_stack *call = (struct api_stack *)e;
	struct map *map = (struct map *)e;
	u64 *frames = (u64 *)(stack + 1);

	switch (e->kind) {
	case EVENT_TASK:
		task->process = producer_of(s, m, task->process);
		break;
	case EVENT_STACK:
		stack->id ^= m->salt;
		for (size_t i = 0; i < (e->size - sizeof(*stack)) / sizeof(*frames); i++)
			frames[i] = frame_of(s, m, frames[i]);
		break;
	case EVENT_MAP:
		map->id = frame_of(s, m, (u64)map->id << FRAME_SHIFT) >> FRAME_SHIFT;
		break;
	case EVENT_SYMBOL:
		((struct symbol *)e)->frame = frame_of(s, m, ((struct symbol *)e)->frame);
		break;
	case EVENT_API_STACK:
		call->process = producer_of(s, m, call->process);
		break;
	case EVENT_UVM_SERVICE:
		service->id ^= m->salt;
		break;
	case EVENT_XID:
		xid->id ^= m->salt;
		break;
	case EVENT_UVM_GPU:
		gpu->gpu = id_of(&s->gpus, m, &m->gpus, gpu->gpu);
		break;
	}
}

static const struct event *renumber(struct trace_set *s, struct member *m)
{
	const struct record_type *type = record_type(m->next->kind);
	struct event *e = (struct event *)s->record;

	memcpy(e, m->next, m->next->size);
	if (e->size < type->size)
		memset(s->record + e->size, 0, type->size - e->size);
	e->producer = producer_of(s, m, e->producer);
	for (const struct field *f = event_fields; f->name; f++)
		renumber_field(s, m, e, f);
	for (const struct field *f = type->fields; f->name; f++)
		renumber_field(s, m, e, f);
	renumber_more(s, m, e);
	return e;
}

static void advance(struct member *m)
{
	int ret = trace_next(m->reader, &m->next);

	if (ret > 0)
		return;
	m->next = NULL;
	m->failed = ret < 0;
}

int trace_set_next(struct trace_set *s, const struct event **e)
{
	struct member *first = NULL;

	if (s->delivered)
		advance(s->delivered);
	for (size_t i = 0; i < s->n; i++) {
		struct member *m = &s->members[i];

		if (m->next && (!first || m->next->ts + m->shift <
				first->next->ts + first->shift))
			first = m;
	}
	s->delivered = first;
	if (!first)
		return 0;
	*e = s->n == 1 ? first->next : renumber(s, first);
	return 1;
}

/* CLOCK_REALTIME minus the trace's clock, by its first clock pair, else by its head. */
static bool clock_origin(const char *path, u64 *origin, char *boot_id)
{
	struct trace_reader *r;
	const struct event *e;
	const struct clock_pair *c;
	bool known;

	if (!strcmp(path, "-") || trace_open(&r, path))
		return false;
	trace_reader_quiet(r);
	memcpy(boot_id, trace_reader_info(r)->boot_id, sizeof(trace_reader_info(r)->boot_id));
	*origin = trace_reader_info(r)->start_realtime_ns - trace_reader_info(r)->start_ns;
	known = trace_reader_info(r)->start_realtime_ns;
	while (trace_next(r, &e) > 0 && e->kind < EVENT_DEFINITIONS_END) {
		c = (const struct clock_pair *)e;
		if (e->kind != EVENT_CLOCK || !c->realtime_ns)
			continue;
		*origin = c->realtime_ns - e->ts;
		known = true;
		break;
	}
	trace_reader_close(r);
	return known;
}

/* Recordings of one boot have one clock already. */
static void set_align(struct trace_set *s, const char *const *paths)
{
	char boot[40], first_boot[40] = "";
	u64 first = 0, origin;
	bool known = clock_origin(paths[0], &first, first_boot);

	for (size_t i = 1; i < s->n; i++) {
		bool one = known && clock_origin(paths[i], &origin, boot);

		if (one && (!*boot || strcmp(boot, first_boot)))
			s->members[i].shift = origin - first;
		s->unaligned += !one;
	}
}

static u64 later(u64 ns, u64 by)
{
	return ns > ~0ULL - by ? ~0ULL : ns + by;
}

/* The latest start in all files; 0 or reported. */
static int set_end(struct trace_set *s, const char *const *paths, u64 *end)
{
	*end = 0;
	for (size_t i = 0; i < s->n; i++) {
		struct member *m = &s->members[i];
		u64 first, last;
		int got = trace_times(m->reader, &first, &last);

		if (got < 0)
			return fail(got, "cannot find the end of %s before it is read (write it to a file)",
				    strcmp(paths[i], "-") ? paths[i] : "standard input");
		if (got && last + m->shift > *end)
			*end = last + m->shift;
	}
	return 0;
}

static int set_window(struct trace_set *s, const char *const *paths,
		      const struct trace_window *w, u64 lead_ns)
{
	u64 start = trace_set_info(s)->start_ns, end, lead;
	int err;

	if (w->from_ns)
		s->from = later(start, w->from_ns);
	if (w->to_ns)
		s->to = later(start, w->to_ns);
	if (w->last_ns) {
		err = set_end(s, paths, &end);
		if (err)
			return err;
		end = end > w->last_ns ? end - w->last_ns : 0;
		s->from = end > s->from ? end : s->from;
	}
	lead = s->from > lead_ns ? s->from - lead_ns : 0;
	for (size_t i = 0; i < s->n; i++) {
		struct member *m = &s->members[i];
		u64 from = lead ? lead - m->shift : 0;

		trace_window(m->reader, from, s->to == ~0ULL ? s->to : s->to - m->shift);
	}
	return 0;
}

int trace_set_open(struct trace_set **set, const char *const *paths, size_t n)
{
	return trace_set_open_window(set, paths, n, NULL, 0);
}

void trace_set_range(const struct trace_set *s, u64 *from, u64 *to)
{
	*from = s->from;
	*to = s->to;
}

int trace_set_open_window(struct trace_set **set, const char *const *paths, size_t n,
			  const struct trace_window *w, u64 lead_ns)
{
	struct trace_set *s = must_alloc(sizeof(*s));
	int err = 0;

	s->members = must_alloc(n * sizeof(*s->members));
	s->n = n;
	s->to = ~0ULL;
	s->tasks.next = OWN_IDS;
	s->gpus.next = 1;
	for (size_t i = 0; i < n && !err; i++) {
		struct member *m = &s->members[i];

		m->producers = must_alloc((1 << 16) * sizeof(u16));
		m->maps = must_alloc((1 << 16) * sizeof(u16));
		m->salt = i ? hash_mix(i) : 0;
		err = trace_open(&m->reader, paths[i]);
	}
	if (!err && n > 1)
		set_align(s, paths);
	if (!err && w && trace_window_asked(w))
		err = set_window(s, paths, w, lead_ns);
	if (err) {
		trace_set_close(s);
		return err;
	}
	for (size_t i = 0; i < n; i++) {
		trace_reader_quiet(s->members[i].reader);
		advance(&s->members[i]);
	}
	*set = s;
	return 0;
}

const struct trace_info *trace_set_info(const struct trace_set *s)
{
	return trace_reader_info(s->members[0].reader);
}

const char *trace_set_damage(const struct trace_set *s)
{
	const char *why = NULL;

	for (size_t i = 0; i < s->n && !why; i++) {
		why = trace_damage(s->members[i].reader);
		if (!why && s->members[i].failed)
			why = "the file cannot be read";
	}
	return why;
}

u64 trace_set_unknown_kinds(const struct trace_set *s)
{
	u64 n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += trace_unknown_kinds(s->members[i].reader);
	return n;
}

u64 trace_set_blocks_missing(const struct trace_set *s)
{
	u64 n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += trace_blocks_missing(s->members[i].reader);
	return n;
}

size_t trace_set_unaligned(const struct trace_set *s)
{
	return s->unaligned;
}

void trace_set_close(struct trace_set *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		trace_reader_close(s->members[i].reader);
		free(s->members[i].producers);
		free(s->members[i].maps);
		hash_free(&s->members[i].tasks);
		hash_free(&s->members[i].gpus);
	}
	hash_free(&s->tasks.owners);
	hash_free(&s->gpus.owners);
	free(s->members);
	free(s);
}
