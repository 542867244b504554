// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * NVTX ranges and marks. Every binary of the program that uses NVTX has tables
 * of its own and calls us once; we put our functions into them. A range is one
 * record when it ends; text, colour and start wait in the thread's writer
 * (push/pop) or in a fixed set of places (start/end, which may change threads).
 */
#include "library.h"
#include "nvtx_abi.h"

#define OPEN_MAX 4096		/* start/end ranges open at once */
#define TEXT_MAX 1024		/* bytes of a wide text in UTF-8 */

struct range {			/* an open start/end range */
	u32 taken, turn;	/* turn: which use of this place; part of the id */
	u32 tid;
	struct nvtx_frame frame;
};

static struct range ranges[OPEN_MAX];
static u32 range_hint;

static bool nvtx_on(void)
{
	return load_acquire(&library.on) & WANT_NVTX;
}

static char *utf8_put(char *to, u32 c)
{
	if (c < 0x80) {
		*to++ = c;
	} else if (c < 0x800) {
		*to++ = 0xc0 | c >> 6;
		*to++ = 0x80 | (c & 63);
	} else if (c < 0x10000) {
		*to++ = 0xe0 | c >> 12;
		*to++ = 0x80 | (c >> 6 & 63);
		*to++ = 0x80 | (c & 63);
	} else {
		*to++ = 0xf0 | (c >> 18 & 7);
		*to++ = 0x80 | (c >> 12 & 63);
		*to++ = 0x80 | (c >> 6 & 63);
		*to++ = 0x80 | (c & 63);
	}
	return to;
}

static u32 intern_wide(u16 what, const wchar_t *text)
{
	char buf[TEXT_MAX], *to = buf;

	if (!text)
		return 0;
	while (*text && to < buf + TEXT_MAX - 5)
		to = utf8_put(to, *text++);
	*to = 0;
	return name_intern(what, buf);
}

/* The size a caller states is what it has: an older header knows fewer fields. */
static struct nvtx_frame frame_of(const void *domain, const struct nvtx_attributes *a)
{
	struct nvtx_frame f = { 0, domain, 0, 0 };

	if (a && a->size >= offsetof(struct nvtx_attributes, text) + sizeof(a->text)) {
		if (a->color_type == NVTX_COLOR_IS_ARGB)
			f.color = a->color;
		if (a->text_type == NVTX_TEXT_ASCII)
			f.name = name_intern(NAME_NVTX, a->text);
		else if (a->text_type == NVTX_TEXT_UNICODE)
			f.name = intern_wide(NAME_NVTX, a->text);
		else if (a->text_type == NVTX_TEXT_REGISTERED)
			f.name = name_again((uintptr_t)a->text);
	}
	f.start = clock_now();
	return f;
}

static struct nvtx_frame frame_text(const char *text)
{
	struct nvtx_frame f = { 0, NULL, name_intern(NAME_NVTX, text), 0 };

	f.start = clock_now();
	return f;
}

static struct nvtx_frame frame_wide(const wchar_t *text)
{
	struct nvtx_frame f = { 0, NULL, intern_wide(NAME_NVTX, text), 0 };

	f.start = clock_now();
	return f;
}

static void put_range(const struct nvtx_frame *f, u64 end, u32 tid, u16 what, u16 depth)
{
	struct writer *w = writer_get();
	struct nvtx *n = record_begin(w, EVENT_NVTX, sizeof(*n));

	if (!n)
		return;
	n->e.ts = f->start;
	if (tid)
		n->e.tid = tid;
	n->dur_ns = end - f->start;
	n->name = f->name;
	n->nvtx_domain = (uintptr_t)f->domain;
	n->color = f->color;
	n->what = what;
	n->depth = depth;
	record_end(w, n);
}

/* ---- push and pop: a stack in each thread for all domains together ---- */

static u32 depth_in(const struct writer *w, const void *domain)
{
	u32 i, depth = 0;

	for (i = 0; i < w->frames; i++)
		depth += w->frame[i].domain == domain;
	return depth;
}

/* A thread without a slot of its own has no stack: its ranges are counted as lost. */
static int push(struct nvtx_frame f)
{
	struct writer *w = writer_get();
	u32 depth;

	if (w && w->frames_epoch != load_relaxed(&library.nvtx_epoch)) {
		w->frames_epoch = load_relaxed(&library.nvtx_epoch);
		w->frames = 0;
	}
	if (!w || !w->index || w->frames == NVTX_DEPTH) {
		if (w)
			add_relaxed(&library.ring->no_slot_lost, 1);
		return NVTX_NO_TRACKING;
	}
	depth = depth_in(w, f.domain);
	w->frame[w->frames++] = f;
	return depth;
}

static int pop(const void *domain)
{
	struct writer *w = nvtx_on() ? writer_get() : NULL;
	u64 end = clock_now();
	struct nvtx_frame f;
	u32 i, depth;

	if (!w || !w->index || w->frames_epoch != load_relaxed(&library.nvtx_epoch))
		return NVTX_NO_TRACKING;
	for (i = w->frames; i-- > 0; ) {
		if (w->frame[i].domain != domain)
			continue;
		f = w->frame[i];
		w->frames--;
		for (; i < w->frames; i++)
			w->frame[i] = w->frame[i + 1];
		depth = depth_in(w, domain);
		put_range(&f, end, 0, NVTX_PUSH_POP, depth);
		return depth;
	}
	return NVTX_NO_TRACKING;
}

/* ---- start and end ---- */

static u64 start(struct nvtx_frame f)
{
	u32 n, from = load_relaxed(&range_hint);

	for (n = 0; n < OPEN_MAX; n++) {
		u32 i = (from + n) % OPEN_MAX, free = 0;

		if (!__atomic_compare_exchange_n(&ranges[i].taken, &free, 1, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		store_relaxed(&range_hint, i + 1);
		writer_get();	/* knows the thread */
		ranges[i].frame = f;
		ranges[i].tid = self.ns_tid;
		return ((u64)++ranges[i].turn << 32) | (i + 1);
	}
	add_relaxed(&library.ring->no_slot_lost, 1);
	return 0;
}

static void range_end(u64 id)
{
	u32 i = (u32)id - 1, yes = 1;
	u64 end = clock_now();
	struct range r;

	if (!id || i >= OPEN_MAX || load_acquire(&ranges[i].taken) != 1 ||
	    ranges[i].turn != id >> 32)
		return;
	r = ranges[i];
	/* Ended twice at once: one of them goes away empty. */
	if (!__atomic_compare_exchange_n(&ranges[i].taken, &yes, 0, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return;
	if (nvtx_on())
		put_range(&r.frame, end, r.tid, NVTX_START_END, 0);
}

static void mark(struct nvtx_frame f)
{
	put_range(&f, f.start, 0, NVTX_MARK, 0);
}

/* ---- what the tables call ---- */

static void core_mark_ex(const struct nvtx_attributes *a)
{
	if (nvtx_on())
		mark(frame_of(NULL, a));
}
static void core_mark_a(const char *text) { if (nvtx_on()) mark(frame_text(text)); }
static void core_mark_w(const wchar_t *text) { if (nvtx_on()) mark(frame_wide(text)); }
static u64 core_start_ex(const struct nvtx_attributes *a)
{
	return nvtx_on() ? start(frame_of(NULL, a)) : 0;
}
static u64 core_start_a(const char *text) { return nvtx_on() ? start(frame_text(text)) : 0; }
static u64 core_start_w(const wchar_t *text) { return nvtx_on() ? start(frame_wide(text)) : 0; }
static int core_push_ex(const struct nvtx_attributes *a)
{
	return nvtx_on() ? push(frame_of(NULL, a)) : NVTX_NO_TRACKING;
}
static int core_push_a(const char *text)
{
	return nvtx_on() ? push(frame_text(text)) : NVTX_NO_TRACKING;
}
static int core_push_w(const wchar_t *text)
{
	return nvtx_on() ? push(frame_wide(text)) : NVTX_NO_TRACKING;
}
static int core_pop(void) { return pop(NULL); }

static void domain_mark_ex(const void *domain, const struct nvtx_attributes *a)
{
	if (nvtx_on())
		mark(frame_of(domain, a));
}
static u64 domain_start_ex(const void *domain, const struct nvtx_attributes *a)
{
	return nvtx_on() ? start(frame_of(domain, a)) : 0;
}
static void domain_end(const void *domain, u64 id) { range_end(id); }
static int domain_push_ex(const void *domain, const struct nvtx_attributes *a)
{
	return nvtx_on() ? push(frame_of(domain, a)) : NVTX_NO_TRACKING;
}

/* Handles of domains and strings are the ids of their names: nothing to free. */
static const void *domain_a(const char *text)
{
	return (void *)(uintptr_t)name_intern(NAME_NVTX_DOMAIN, text);
}
static const void *domain_w(const wchar_t *text)
{
	return (void *)(uintptr_t)intern_wide(NAME_NVTX_DOMAIN, text);
}
static const void *register_a(const void *domain, const char *text)
{
	return (void *)(uintptr_t)name_intern(NAME_NVTX, text);
}
static const void *register_w(const void *domain, const wchar_t *text)
{
	return (void *)(uintptr_t)intern_wide(NAME_NVTX, text);
}
static void domain_destroy(const void *domain) { }

static const struct { u32 id; void *function; } core[] = {
	{ NVTX_CORE_MARK_EX, core_mark_ex }, { NVTX_CORE_MARK_A, core_mark_a },
	{ NVTX_CORE_MARK_W, core_mark_w }, { NVTX_CORE_START_EX, core_start_ex },
	{ NVTX_CORE_START_A, core_start_a }, { NVTX_CORE_START_W, core_start_w },
	{ NVTX_CORE_END, range_end }, { NVTX_CORE_PUSH_EX, core_push_ex },
	{ NVTX_CORE_PUSH_A, core_push_a }, { NVTX_CORE_PUSH_W, core_push_w },
	{ NVTX_CORE_POP, core_pop }, {}
}, core2[] = {
	{ NVTX_CORE2_MARK_EX, domain_mark_ex }, { NVTX_CORE2_START_EX, domain_start_ex },
	{ NVTX_CORE2_END, domain_end }, { NVTX_CORE2_PUSH_EX, domain_push_ex },
	{ NVTX_CORE2_POP, pop }, { NVTX_CORE2_REGISTER_A, register_a },
	{ NVTX_CORE2_REGISTER_W, register_w }, { NVTX_CORE2_DOMAIN_A, domain_a },
	{ NVTX_CORE2_DOMAIN_W, domain_w }, { NVTX_CORE2_DOMAIN_DESTROY, domain_destroy }, {}
};

static void patch(const struct nvtx_callbacks *callbacks, int module, const void *functions)
{
	const struct { u32 id; void *function; } *f = functions;
	nvtx_function **table;
	unsigned count;

	if (!callbacks->module(module, &table, &count))
		return;
	for (; f->id; f++)
		if (f->id < count && table[f->id])
			*table[f->id] = (nvtx_function)f->function;
}

void nvtx_patch(const void *(*tables)(uint32_t id))
{
	const struct nvtx_callbacks *callbacks = tables ? tables(NVTX_TABLE_CALLBACKS) : NULL;

	if (!callbacks || callbacks->size < sizeof(*callbacks))
		return;
	patch(callbacks, NVTX_MODULE_CORE, core);
	patch(callbacks, NVTX_MODULE_CORE2, core2);
}
