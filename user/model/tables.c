// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What ids stand for: names, stacks, files, symbols, losses, notes, clocks. */
#include <stdlib.h>
#include <string.h>
#include "parts.h"

struct frames { u32 n, kernel; u64 ip[]; };
struct frame_name { const char *name, *module; };

struct producer *producer_get(struct model *m, u16 producer)
{
	struct producer *p = m->producers[producer];

	if (!p)
		p = m->producers[producer] = arena_alloc(&m->arena, sizeof(*p));
	return p;
}

/* The text behind a record: up to its NUL, never beyond the record. */
static const char *tail_text(struct model *m, const struct event *e, size_t fixed)
{
	const char *s = record_text(e, fixed);

	return texts_add(&m->texts, s, e->size > fixed ? strnlen(s, e->size - fixed) : 0);
}

void table_name(struct model *m, const struct name *n)
{
	struct producer *p = producer_get(m, n->e.producer);

	if (!hash_get(&p->names, n->id))
		hash_put(&p->names, n->id, (void *)tail_text(m, &n->e, sizeof(*n)));
}

const char *model_name(struct model *m, u16 producer, u32 id)
{
	struct producer *p = producer_get(m, producer);
	const char *s = hash_get(&p->names, id);

	if (s || !id)
		return s ? s : m->unknown;
	m->counts.undefined_names++;
	hash_put(&p->names, id, (void *)m->unknown);
	return m->unknown;
}

static const char *text_of(struct model *m, u16 producer, u32 id)
{
	return id ? model_name(m, producer, id) : NULL;
}

void table_collective(struct model *m, const struct collective *c)
{
	struct producer *p = producer_get(m, c->e.producer);
	struct collective_info *x;

	if (!c->id || hash_get(&p->collectives, c->id))
		return;
	x = arena_alloc(&m->arena, sizeof(*x));
	x->c = *c;
	x->name = text_of(m, c->e.producer, c->name);
	x->type = text_of(m, c->e.producer, c->type);
	x->group = text_of(m, c->e.producer, c->group);
	x->description = text_of(m, c->e.producer, c->description);
	x->ranks = text_of(m, c->e.producer, c->ranks);
	hash_put(&p->collectives, c->id, x);
}

/* NULL: none, or never defined. */
const struct collective_info *collective_get(struct model *m, const struct kernel *k)
{
	if (!k->collective)
		return NULL;
	return hash_get(&producer_get(m, k->g.e.producer)->collectives, k->collective);
}

void table_stack(struct model *m, const struct stack *s)
{
	size_t room = s->e.size > sizeof(*s) ? (s->e.size - sizeof(*s)) / sizeof(u64) : 0;
	size_t n = (size_t)s->kernel_frames + s->user_frames;
	struct frames *f;

	m->stacks_seen = true;
	if (hash_get(&m->stacks, s->id))
		return;
	if (n > room)
		n = room;
	f = arena_alloc(&m->arena, sizeof(*f) + n * sizeof(u64));
	f->n = n;
	f->kernel = s->kernel_frames < n ? s->kernel_frames : n;
	memcpy(f->ip, s + 1, n * sizeof(u64));
	hash_put(&m->stacks, s->id, f);
}

u32 model_stack(struct model *m, u64 id, const u64 **frames, u32 *kernel_frames)
{
	struct frames *f = id ? hash_get(&m->stacks, id) : NULL;

	if (!f && id) {
		m->counts.undefined_stacks++;
		f = arena_alloc(&m->arena, sizeof(*f));
		hash_put(&m->stacks, id, f);
	}
	*frames = f ? f->ip : NULL;
	if (kernel_frames)
		*kernel_frames = f ? f->kernel : 0;
	return f ? f->n : 0;
}

void table_map(struct model *m, const struct map *x)
{
	if (!hash_get(&m->maps, x->id))
		hash_put(&m->maps, x->id, (void *)tail_text(m, &x->e, sizeof(*x)));
}

void table_symbol(struct model *m, const struct symbol *s)
{
	if (!hash_get(&m->symbols, s->frame))
		hash_put(&m->symbols, s->frame, (void *)tail_text(m, &s->e, sizeof(*s)));
}

static const char *frame_module(struct model *m, u64 frame)
{
	u64 id = frame >> FRAME_SHIFT;
	const char *path, *slash;

	if (id == FRAME_KERNEL)
		return "kernel";
	path = id ? hash_get(&m->maps, id) : NULL;
	slash = path ? strrchr(path, '/') : NULL;
	return slash && slash[1] ? slash + 1 : path;
}

const char *model_frame_name(struct model *m, u64 frame, const char **module)
{
	struct frame_name *f = hash_get(&m->frames, frame);
	char buf[512];
	int n;

	if (!f) {
		f = arena_alloc(&m->arena, sizeof(*f));
		f->module = frame_module(m, frame);
		f->name = hash_get(&m->symbols, frame);
		if (!f->name) {
			if (frame >> FRAME_SHIFT == FRAME_KERNEL || !f->module)
				n = snprintf(buf, sizeof(buf), "0x%llx", frame);
			else
				n = snprintf(buf, sizeof(buf), "%.400s+0x%llx", f->module,
					     frame & FRAME_MASK);
			f->name = texts_add(&m->texts, buf, n);
		}
		hash_put(&m->frames, frame, f);
	}
	if (module)
		*module = f->module;
	return f->name;
}

static bool module_is(const char *module, const char *name)
{
	return !strncmp(module, name, strlen(name));
}

/* Code that runs between the program's CUDA call and the place where the stack is taken. */
static bool between(const char *module)
{
	return module_is(module, "libgpuscope-cuda.so") || module_is(module, "libcupti.so") ||
	       module_is(module, "libcuda.so") || module_is(module, "libcudart.so");
}

/*
 * How many of the innermost frames stand between the program and the call. Frames of no known
 * file count when there is a known one further out (CUDA's own generated code); the first frame
 * of anything else ends it, so a program's frames are never cut out of the middle.
 */
u32 model_frames_between(struct model *m, const u64 *frames, u32 n)
{
	const char *module;
	u32 i, cut = 0;

	for (i = 0; i < n; i++) {
		model_frame_name(m, frames[i], &module);
		if (!module)
			continue;
		if (!between(module))
			break;
		cut = i + 1;
	}
	return cut;
}

void table_lost(struct model *m, const struct lost *l)
{
	size_t places = sizeof(m->counts.lost) / sizeof(*m->counts.lost);
	bool known = l->where < places && record_enum_name(EVENT_LOST, "where", l->where);
	u32 where = known ? l->where : 0;

	if (l->count == LOST_UNKNOWN) {
		m->counts.lost_unknown++;
		m->counts.lost_unknown_where |= 1u << where;
	} else {
		m->counts.lost[where] += l->count;
	}
}

void table_note(struct model *m, const struct note_record *n)
{
	struct note_record *copy;
	size_t size = n->e.size < sizeof(*n) ? sizeof(*n) : n->e.size;

	if (n->what == NOTE_SIMULATED)
		m->counts.simulated = true;
	for (size_t i = 0; i < m->notes.n; i++) {
		const struct note_record *old = m->notes.list[i];

		if (old->what == n->what &&
		    !strcmp(record_text(&old->e, sizeof(*n)), record_text(&n->e, sizeof(*n))))
			return;
	}
	copy = arena_alloc(&m->arena, size + 1);
	memcpy(copy, n, size);
	pointers_add(&m->notes, copy);
}

size_t model_notes(const struct model *m, const struct note_record *const **list)
{
	*list = (const struct note_record *const *)m->notes.list;
	return m->notes.n;
}

/* The last CLOCKS pairs are kept. */
void table_clock(struct model *m, const struct clock_pair *c)
{
	size_t at = m->clock_count++ % CLOCKS;

	m->clocks[at].ts = c->e.ts;
	m->clocks[at].realtime_minus = c->realtime_ns - c->e.ts;
	if (c->e.producer && c->cupti_realtime)
		producer_get(m, c->e.producer)->realtime = true;
}

/* By the pair that is nearest in time. */
u64 clock_convert(const struct model *m, u64 realtime)
{
	size_t n = m->clock_count < CLOCKS ? m->clock_count : CLOCKS;
	u64 best = ~0ULL, ts = realtime, at, away;

	for (size_t i = 0; i < n; i++) {
		at = realtime - m->clocks[i].realtime_minus;
		away = at > m->clocks[i].ts ? at - m->clocks[i].ts : m->clocks[i].ts - at;
		if (away < best) {
			best = away;
			ts = at;
		}
	}
	return ts;
}
