// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What frameworks and other tools said of themselves, on the timeline: spans on
 * their threads, annotations as the GPU saw them, counters, arrows; and what
 * a kernel says of the collective it is part of.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "symbols.h"
#include "timeline_tracks.h"

const char *tracks_text(struct timeline *t, const char *text)
{
	u64 key = hash_bytes(text, strlen(text));
	char *own;

	for (; (own = hash_get(&t->texts, key)); key++)
		if (!strcmp(own, text))
			return own;
	own = strdup(text);
	if (own)
		hash_put(&t->texts, key, own);
	return own ? own : "?";
}

s32 tracks_rank(struct timeline *t, u32 pid)
{
	const struct process_info *const *list;
	size_t n = model_processes(t->m, &list);

	for (size_t i = 0; i < n; i++)
		if (list[i]->pid == pid && list[i]->source)
			return list[i]->source->rank;
	return -1;
}

static const char *category(struct timeline *t, const struct span *s)
{
	static const char *const names[] = {
		[SPAN_OTHER] = "span", [SPAN_PYTHON] = "python", [SPAN_OP] = "operator",
		[SPAN_ANNOTATION] = "annotation", [SPAN_GPU_ANNOTATION] = "gpu_annotation",
		[SPAN_PROFILER] = "profiler", [SPAN_MARK] = "mark",
	};

	if (s->category)
		return model_name(t->m, s->e.producer, s->category);
	return names[s->what <= SPAN_MARK ? s->what : SPAN_OTHER];
}

/* A GPU as viewers number them. */
static u32 gpu_of(struct timeline *t, u16 producer, u32 ordinal)
{
	const struct device_info *const *list;
	size_t n = model_devices(t->m, &list);

	for (size_t i = 0; i < n; i++)
		if (list[i]->producer == producer && list[i]->ordinal == ordinal)
			return list[i]->gpu;
	return ordinal;
}

static struct lanes *span_lanes(struct timeline *t, const struct span *s)
{
	char name[64];

	if (s->what == SPAN_GPU_ANNOTATION) {
		snprintf(name, sizeof(name), "GPU %u annotations, stream %u",
			 gpu_of(t, s->e.producer, s->device), s->stream);
		return tracks_process(t, s->e.pid, s->e.producer,
				      tracks_text(t, name));
	}
	if (s->what == SPAN_PROFILER || !s->e.tid)
		return tracks_process(t, s->e.pid, s->e.producer, s->what == SPAN_PROFILER ?
				      "profiler" : "spans of no thread");
	return tracks_thread(t, s->e.pid, s->e.tid);
}

int timeline_span(void *ctx, const struct span *s)
{
	struct timeline *t = ctx;
	struct lanes *l = span_lanes(t, s);
	const char *name = model_name(t->m, s->e.producer, s->name);
	struct slice out = {
		.ts = s->e.ts, .end = time_end(s->e.ts, s->dur_ns), .kind = SLICE_SPAN,
		.rank = RANK_NVTX, .a = s->depth, .b = s->id,
	};

	if (!l)
		return -ENOMEM;
	if (s->what == SPAN_MARK)
		return timeline_instant(t, l->uuid, s->e.ts, name, category(t, s), NULL);
	out.name = timeline_intern(t, INTERN_NAME, name);
	out.category = timeline_intern(t, INTERN_CATEGORY, category(t, s));
	t->counts.spans++;
	return timeline_add(t, l, &out);
}

/* ---- counters ---- */

static u64 counter_track(struct timeline *t, const struct counter *c)
{
	const char *name = model_name(t->m, c->e.producer, c->name);
	u64 key = hash_mix(hash_mix(hash_address(name) ^ c->device) ^
			   ((u64)c->e.producer << 32 | c->e.pid));
	u64 uuid = (uintptr_t)hash_get(&t->counter_tracks, key);
	char text[160];

	if (uuid)
		return uuid;
	if (c->device == ~0u)
		snprintf(text, sizeof(text), "%s", name);
	else
		snprintf(text, sizeof(text), "GPU %u %s",
			 gpu_of(t, c->e.producer, c->device), name);
	uuid = ++t->uuids;
	perfetto_counter_track(t->p, uuid, tracks_process_uuid(t, c->e.pid), text,
			       strstr(name, "memory") ? UNIT_BYTES : UNIT_NONE);
	hash_put(&t->counter_tracks, key, (void *)(uintptr_t)uuid);
	return uuid;
}

int timeline_counter(void *ctx, const struct counter *c)
{
	struct timeline *t = ctx;
	u64 ts = time_end(c->e.ts, 0), track;
	double real = c->value;
	s32 e = c->exponent < -400 ? -400 : c->exponent > 400 ? 400 : c->exponent;

	timeline_begin(t);
	track = counter_track(t, c);
	t->counts.counters++;
	if (!e || !c->value) {
		perfetto_counter(t->p, ts, track, c->value);
		return 0;
	}
	for (; e > 0; e--)
		real *= 10;
	if (e < 0) {		/* one division: 0.1 and not ten roundings of it */
		double by = 1;

		while (e++)
			by *= 10;
		real /= by;
	}
	perfetto_counter_real(t->p, ts, track, real);
	return 0;
}

/* ---- arrows ---- */

int timeline_flow(void *ctx, const struct flow *f)
{
	struct timeline *t = ctx;
	u64 id = hash_mix(hash_mix((u64)f->e.producer << 32 | f->name) ^ f->id) | 1;
	struct slice s = {
		.ts = f->e.ts, .end = time_end(f->e.ts, 0), .kind = SLICE_FLOW, .loose = true,
		.rank = RANK_LOOSE, .category = timeline_intern(t, INTERN_CATEGORY, "flow"),
		.name = timeline_intern(t, INTERN_NAME,
					model_name(t->m, f->e.producer, f->name)),
	};

	*(f->begin ? &s.flow_out : &s.flow_in) = id;
	t->counts.arrows++;
	return timeline_add(t, tracks_thread(t, f->e.pid, f->e.tid), &s);
}

/* ---- samples, clocks ---- */

#define FRAMES_SHOWN 512

int timeline_sample(void *ctx, const struct sample *s)
{
	const char *names[FRAMES_SHOWN];
	struct timeline *t = ctx;
	const u64 *frames;
	u32 kernel, n = s->stack ? model_stack(t->m, s->stack, &frames, &kernel) : 0, i;

	timeline_begin(t);
	if (!tracks_thread(t, s->e.pid, s->e.tid))
		return -ENOMEM;
	if (n > FRAMES_SHOWN)
		n = FRAMES_SHOWN;	/* the innermost */
	for (i = 0; i < n; i++)
		names[n - 1 - i] = demangle(model_frame_name(t->m, frames[i], NULL));
	perfetto_sample(t->p, time_end(s->e.ts, 0), s->e.cpu, shown_pid(s->e.pid),
			shown_pid(s->e.tid), names, n);
	t->counts.samples++;
	return 0;
}

/* As the clocks drift, or are set: a snapshot where they moved, and now and then. */
#define CLOCK_MOVED_NS 1000
#define CLOCK_EVERY_NS 10000000000ULL

int timeline_clock(void *ctx, const struct clock_pair *c)
{
	struct timeline *t = ctx;
	u64 ahead = c->realtime_ns - c->e.ts, moved;

	if (c->e.producer || !c->realtime_ns)
		return 0;
	timeline_begin(t);
	moved = ahead > t->clock_ahead ? ahead - t->clock_ahead : t->clock_ahead - ahead;
	if (t->clock_at && moved < CLOCK_MOVED_NS && c->e.ts < t->clock_at + CLOCK_EVERY_NS)
		return 0;
	t->clock_at = c->e.ts;
	t->clock_ahead = ahead;
	perfetto_clock(t->p, time_end(c->e.ts, 0), c->realtime_ns);
	return 0;
}

/* ---- collectives ---- */

void timeline_span_notes(const struct slice *s, struct perfetto_note *notes)
{
	if (s->b)
		notes[0] = (struct perfetto_note){ "external_id", s->b, NULL, false };
}

static struct perfetto_note *text_note(struct perfetto_note *a, const char *name,
				       const char *text)
{
	if (text && *text)
		*a++ = (struct perfetto_note){ name, 0, text, false };
	return a;
}

static struct perfetto_note *number_note(struct perfetto_note *a, const char *name, u64 v)
{
	if (v)
		*a++ = (struct perfetto_note){ name, v, NULL, false };
	return a;
}

void timeline_collective_args(const struct collective_info *c, struct perfetto_note *a)
{
	a = text_note(a, "collective", c->name);
	a = text_note(a, "element_type", c->type);
	a = text_note(a, "group", c->group);
	a = text_note(a, "group_description", c->description);
	a = text_note(a, "ranks", c->ranks);
	a = number_note(a, "group_size", c->c.group_size);
	a = number_note(a, "message_bytes", c->c.bytes);
	a = number_note(a, "in_elements", c->c.in_elements);
	a = number_note(a, "out_elements", c->c.out_elements);
	a = number_note(a, "sequence", c->c.sequence);
	if (c->c.peer >= 0)
		*a = (struct perfetto_note){ "peer", c->c.peer, NULL, false };
}
