// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a thread is inside of, record by record in order of time: spans of the
 * interpreter and the framework, NVTX ranges, API calls. From it follow the
 * depth of each and the stack of each API call, its frames being the names of
 * the spans around it.
 *
 * Only keys count: the same thread, begin and end. A span that ends after the
 * one it began in crosses it; that is counted, and both count as around what
 * lies within them.
 */
#include <stdlib.h>
#include <string.h>
#include "import_parts.h"
#include "log.h"

#define FRAMES_MAX 4096		/* the innermost; a STACK record holds twice as many */
#define COARSE_NS 1000		/* in files of whole microseconds an inner end may be as late */

struct around {			/* something the thread is inside of */
	u64 end, frame;
	u64 path;		/* hash of the frames from the outermost one to here */
	u32 nvtx_domain;
	bool nvtx;
};

struct calling { u64 end; u32 correlation; };

struct span_thread {
	u32 tid;
	struct around *list;
	u32 n, room;
	bool crossed;		/* the ends are not in order */
	struct calling calls[8];
	u32 calling;
};

#define RECENT 64

struct span_threads {
	struct hash by_tid;
	struct span_thread *recent[RECENT];	/* by tid: the last ones */
	u64 pending_stack;	/* of the call that is being written, 0 none */
	bool any;		/* a stack was written */
};

/* ---- frames ---- */

static const char *const map_names[] = {
	[1] = "[python]", [2] = "[op]", [3] = "[annotation]", [4] = "[nvtx]", [5] = "[span]",
};

static u16 map_of_span(u16 what)
{
	return what == SPAN_PYTHON ? 1 : what == SPAN_OP ? 2 : what == SPAN_ANNOTATION ? 3 : 5;
}

static int map_write(struct import *im, u16 map)
{
	struct { struct map m; char text[16]; } r = {
		.m.e = { .size = sizeof(r), .kind = EVENT_MAP, .cpu = CPU_UNKNOWN },
		.m.id = map,
	};

	if (im->maps & 1u << map)
		return 0;
	im->maps |= 1u << map;
	strcpy(r.text, map_names[map]);
	return trace_put(im->trace, &r.m.e);
}

/* "ProfilerStep#12" and its like are one frame, "ProfilerStep#N": steps of a kind have the
 * same stacks. */
static size_t counted_name(char *out, const char *text, size_t n, u16 map)
{
	size_t digits = n;

	while (digits && text[digits - 1] >= '0' && text[digits - 1] <= '9')
		digits--;
	if (map < 3 || digits == n || !digits || text[digits - 1] != '#')
		return 0;
	memcpy(out, text, digits);
	out[digits] = 'N';
	return digits + 1;
}

static int symbol_write(struct import *im, u64 frame, const char *text, size_t n)
{
	u8 record[RECORD_MAX] __attribute__((aligned(8)));
	struct symbol s = { .frame = frame,
			    .e = { .kind = EVENT_SYMBOL, .cpu = CPU_UNKNOWN } };

	s.e.size = (sizeof(s) + n + 8) & ~(size_t)7;
	memcpy(record, &s, sizeof(s));
	memset(record + sizeof(s), 0, s.e.size - sizeof(s));
	memcpy(record + sizeof(s), text, n);
	return trace_put(im->trace, (struct event *)record);
}

/* The frame of this name; 0 or reported. text is one of im->texts. */
static int frame_of(struct import *im, u16 map, const char *text, size_t n, u64 *frame)
{
	u64 key = hash_address(text) << 16 | map, *known = hash_get(&im->frames, key);
	char counted[IMPORT_TEXT_MAX + 1];
	size_t len;
	int err;

	if (known) {
		*frame = *known;
		return 0;
	}
	len = counted_name(counted, text, n, map);
	if (len) {
		err = frame_of(im, map, texts_add(&im->texts, counted, len), len, frame);
	} else {
		*frame = (u64)map << FRAME_SHIFT | ++im->frame_n;
		err = map_write(im, map) ?: symbol_write(im, *frame, text, n);
	}
	known = arena_alloc(&im->arena, sizeof(*known));
	*known = *frame;
	hash_put(&im->frames, key, known);
	return err;
}

/* ---- the thread ---- */

static struct span_thread *thread_find(struct import *im, u32 tid)
{
	struct span_thread *t;

	if (!im->threads)
		im->threads = must_alloc(sizeof(*im->threads));
	t = im->threads->recent[tid % RECENT];
	if (t && t->tid == tid)
		return t;
	t = hash_get(&im->threads->by_tid, tid);
	if (!t) {
		t = must_alloc(sizeof(*t));
		t->tid = tid;
		hash_put(&im->threads->by_tid, tid, t);
	}
	im->threads->recent[tid % RECENT] = t;
	return t;
}

/* What has ended by now is taken from it. */
static struct span_thread *thread_at(struct import *im, u32 tid, u64 now)
{
	struct span_thread *t = thread_find(im, tid);
	u32 kept = 0;

	while (t->n && t->list[t->n - 1].end <= now)
		t->n--;
	for (u32 i = 0; t->crossed && i < t->n; i++) {
		if (t->list[i].end <= now)
			continue;
		t->list[kept] = t->list[i];
		t->list[kept].path = hash_mix((kept ? t->list[kept - 1].path : 0) ^
					      t->list[kept].frame);
		kept++;
	}
	t->n = t->crossed ? kept : t->n;
	while (t->calling && t->calls[t->calling - 1].end <= now)
		t->calling--;
	return t;
}

static void crossed(struct import *im, const struct import_source *s, const char *what)
{
	struct import_source *now = im->source;

	im->source = (struct import_source *)s;
	import_odd(im, what, "");
	im->source = now;
}

static void around_add(struct import *im, struct span_thread *t, struct around a,
		       const struct import_source *s)
{
	const struct around *top = t->n ? &t->list[t->n - 1] : NULL;

	if (!top)
		t->crossed = false;
	if (top && a.end > top->end) {
		if (s->coarse && a.end <= top->end + COARSE_NS) {
			a.end = top->end;
		} else {
			crossed(im, s, "span ends after the one it began in");
			t->crossed = true;
		}
	}
	a.path = hash_mix((top ? top->path : 0) ^ a.frame);
	if (t->n == t->room) {
		t->room = t->room ? 2 * t->room : 32;
		t->list = must_realloc(t->list, t->room * sizeof(*t->list));
	}
	t->list[t->n++] = a;
}

static u16 depth_of(const struct span_thread *t, bool nvtx, u32 domain)
{
	u32 depth = 0;

	for (u32 i = 0; i < t->n; i++)
		depth += t->list[i].nvtx == nvtx && t->list[i].nvtx_domain == domain;
	return depth < 0xffff ? depth : 0xffff;
}

static int name_frame(struct import *im, u16 producer, u32 name, u16 map, u64 *frame)
{
	struct import_process *p = import_producer(im, producer);
	struct import_name *x = p && name && name <= p->names ? p->by_id[name - 1] : NULL;
	int err;

	*frame = x ? x->frame : 0;
	if (!x || x->map == map)
		return 0;
	err = frame_of(im, map, x->text, x->n, frame);
	x->frame = *frame;
	x->map = map;
	return err;
}

static int span_enter(struct import *im, struct span *r, const struct import_source *s)
{
	struct span_thread *t;
	struct around a = { .end = r->e.ts + r->dur_ns };
	int err;

	if (!r->e.tid || r->what == SPAN_GPU_ANNOTATION || r->what == SPAN_PROFILER)
		return 0;
	t = thread_at(im, r->e.tid, r->e.ts);
	r->depth = depth_of(t, false, 0);
	if (!r->dur_ns || r->what == SPAN_MARK)
		return 0;
	err = name_frame(im, r->e.producer, r->name, map_of_span(r->what), &a.frame);
	if (!err && a.frame)
		around_add(im, t, a, s);
	return err;
}

static int nvtx_enter(struct import *im, struct nvtx *r, const struct import_source *s)
{
	struct around a = { .end = r->e.ts + r->dur_ns, .nvtx = true,
			    .nvtx_domain = r->nvtx_domain };
	struct span_thread *t;
	int err;

	if (!r->e.tid || r->what != NVTX_PUSH_POP)
		return 0;
	t = thread_at(im, r->e.tid, r->e.ts);
	r->depth = depth_of(t, true, r->nvtx_domain);
	err = r->dur_ns ? name_frame(im, r->e.producer, r->name, 4, &a.frame) : 0;
	if (!err && a.frame)
		around_add(im, t, a, s);
	return err;
}

/* ---- stacks ---- */

static int stack_write(struct import *im, u64 id, const u64 *frames, u32 n)
{
	u8 record[sizeof(struct stack) + FRAMES_MAX * sizeof(u64)] __attribute__((aligned(8)));
	struct stack s = {
		.e = { .size = sizeof(s) + n * sizeof(u64), .kind = EVENT_STACK,
		       .cpu = CPU_UNKNOWN },
		.id = id, .user_frames = n,
	};

	memcpy(record, &s, sizeof(s));
	memcpy(record + sizeof(s), frames, n * sizeof(u64));
	return trace_put(im->trace, (struct event *)record);
}

/* The stack of what is around [.., end]: its id, 0 none; written if it is new. */
static int stack_of(struct import *im, const struct span_thread *t, u64 end,
		    const struct import_source *s, u64 *id)
{
	u64 slack = s->coarse ? COARSE_NS : 0, frames[FRAMES_MAX];
	u32 in = 0, n = 0;
	bool cut = false;

	*id = 0;
	for (u32 i = 0; i < t->n; i++) {
		cut |= t->list[i].end + slack < end;
		if (t->list[i].end + slack >= end) {
			*id = t->crossed ? hash_mix(*id ^ t->list[i].frame) : t->list[i].path;
			in++;
		}
	}
	if (cut)
		crossed(im, s, "API call ends after a span it began in");
	*id += in && !*id;
	if (!in || hash_get(&im->stacks, *id))
		return 0;
	for (u32 i = t->n; i-- > 0 && n < FRAMES_MAX; )
		if (t->list[i].end + slack >= end)
			frames[n++] = t->list[i].frame;
	hash_put(&im->stacks, *id, im);
	return stack_write(im, *id, frames, n);
}

/* Inside of another call of the same correlation id: a driver call of a runtime call. */
static void call_depth(struct span_thread *t, struct api *a)
{
	u64 end = a->e.ts + a->dur_ns;

	a->depth = 0;
	for (u32 i = 0; i < t->calling; i++)
		if (a->correlation && t->calls[i].correlation == a->correlation &&
		    end <= t->calls[i].end)
			a->depth++;
	if (t->calling < sizeof(t->calls) / sizeof(*t->calls))
		t->calls[t->calling++] = (struct calling){ end, a->correlation };
}

static int call_enter(struct import *im, struct api *a, const struct import_source *s)
{
	struct import_process *p = import_producer(im, a->e.producer);
	struct span_thread *t;
	int err;

	if (!a->e.tid)
		return 0;
	t = thread_at(im, a->e.tid, a->e.ts);
	call_depth(t, a);
	if (a->depth || !a->correlation || !p || p->own_stacks)
		return 0;
	err = stack_of(im, t, a->e.ts + a->dur_ns, s, &im->threads->pending_stack);
	im->threads->any |= im->threads->pending_stack != 0;
	im->in_spans += im->threads->pending_stack != 0;
	return err;
}

int spans_before(struct import *im, struct event *e, const struct import_source *s)
{
	if (im->threads)
		im->threads->pending_stack = 0;
	switch (e->kind) {
	case EVENT_SPAN:
		return span_enter(im, (struct span *)e, s);
	case EVENT_NVTX:
		return nvtx_enter(im, (struct nvtx *)e, s);
	case EVENT_API:
		return call_enter(im, (struct api *)e, s);
	default:
		return 0;
	}
}

/* Once there are stacks each call says whether it has one, so that nobody waits for it. */
int spans_after(struct import *im, const struct event *e)
{
	const struct api *a = (const struct api *)e;
	struct import_process *p;
	struct api_stack s;

	if (e->kind != EVENT_API || !im->threads || !im->threads->any || a->depth ||
	    !a->correlation)
		return 0;
	p = import_producer(im, e->producer);
	if (!p || p->own_stacks)
		return 0;
	s = (struct api_stack){
		.e = *e, .stack = im->threads->pending_stack, .correlation = a->correlation,
		.process = e->producer,
	};
	s.e.size = sizeof(s);
	s.e.kind = EVENT_API_STACK;
	return trace_put(im->trace, &s.e);
}

/* ---- stacks that the file has itself ---- */

u64 import_stack(struct import *im, u16 producer, const struct import_frame *frames, u32 n)
{
	u64 key, list[FRAMES_MAX];
	struct import_stack *x;
	u32 used = n < FRAMES_MAX ? n : FRAMES_MAX;

	if (!n)
		return 0;
	if (used < n)
		import_odd(im, "stack cut: more than 4096 frames", "");
	for (u32 i = 0; i < used; i++) {
		const struct import_frame *f = &frames[n - 1 - i];
		size_t len = f->n < IMPORT_TEXT_MAX ? f->n : IMPORT_TEXT_MAX;

		const char *text = texts_add(&im->texts, f->name, strnlen(f->name, len));

		list[i] = hash_address(text) << 16 | map_of_span(f->what);
	}
	key = hash_bytes(list, used * sizeof(*list)) | 1;
	for (; (x = hash_get(&im->stacks, key)); key += 2)
		if (x->n == used && !memcmp(x->frames, list, used * sizeof(*list)))
			return x->id;
	x = arena_alloc(&im->arena, sizeof(*x) + used * sizeof(u64));
	x->id = key;
	x->n = used;
	memcpy(x->frames, list, used * sizeof(*list));
	hash_put(&im->stacks, key, x);
	return key;
}

/* Until here a frame is its text and map. */
static int stack_define(struct import *im, struct import_stack *x)
{
	u64 frames[FRAMES_MAX] = {};
	int err = 0;

	for (u32 i = 0; i < x->n && !err; i++) {
		const char *text = (const char *)(uintptr_t)(x->frames[i] >> 16);

		err = frame_of(im, x->frames[i] & 0xffff, text, strlen(text), &frames[i]);
	}
	return err ?: stack_write(im, x->id, frames, x->n);
}

int spans_define(struct import *im)
{
	struct hash_slot *x;
	size_t at = 0;
	int err = 0;

	while (!err && (x = hash_next(&im->stacks, &at)))
		err = stack_define(im, x->value);
	return err;
}

void spans_free(struct import *im)
{
	struct hash_slot *x;
	size_t at = 0;

	while (im->threads && (x = hash_next(&im->threads->by_tid, &at))) {
		free(((struct span_thread *)x->value)->list);
		free(x->value);
	}
	if (im->threads)
		hash_free(&im->threads->by_tid);
	free(im->threads);
	hash_free(&im->frames);
	hash_free(&im->stacks);
}
