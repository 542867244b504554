// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Records that the timeline knows by their schema alone: each kind has a track of its
 * own name under its process, a slice where it has a length, with all fields. So a kind
 * that is added to the schema is on the timeline before anyone draws it better.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "timeline_tracks.h"

#define TEXTS (OTHER_NOTES * 64)

static bool is_signed(const struct field *f)
{
	return f->as == AS_SIGNED || f->as == AS_ERRNO || f->as == AS_CURESULT;
}

static u64 number_of(const struct event *e, const struct field *f)
{
	u64 v = 0;

	memcpy(&v, (const u8 *)e + f->off, f->size < sizeof(v) ? f->size : sizeof(v));
	if (is_signed(f) && f->size < 8 && v >> (8 * f->size - 1))
		v |= ~0ULL << 8 * f->size;
	return v;
}

/* NULL: the number is what is shown. */
static const char *text_of(struct timeline *t, const struct event *e, const struct field *f,
			   u64 v, char *buf, size_t size)
{
	const u8 *at = (const u8 *)e + f->off;
	u32 d[3];

	switch (f->as) {
	case AS_ENUM:
		return enum_name(f->names, (s64)v);
	case AS_NAME:
		return v ? model_name(t->m, e->producer, v) : "";
	case AS_STR:
		snprintf(buf, size, "%.*s", (int)f->size, (const char *)at);
		return buf;
	case AS_DIMS:
		memcpy(d, at, sizeof(d));
		snprintf(buf, size, "%u,%u,%u", d[0], d[1], d[2]);
		return buf;
	case AS_DEVNO:
		snprintf(buf, size, "%u:%u", (u32)v >> 20, (u32)v & 0xfffff);
		return buf;
	case AS_SIGNED:
	case AS_ERRNO:
	case AS_CURESULT:
		if (!(v >> 63))
			return NULL;
		snprintf(buf, size, "%lld", (long long)v);
		return buf;
	}
	return NULL;
}

/* room: of texts, which the notes point into. */
static void notes_of(struct timeline *t, const struct event *e, struct perfetto_note *n,
		     char *texts, size_t room)
{
	const struct record_type *type = record_type(e->kind);
	struct perfetto_note *end = n + OTHER_NOTES - 2;
	const char *text;
	size_t used;
	u64 v;

	for (const struct field *f = type->fields; f->name && n < end && room > 64; f++) {
		if (f->as == AS_BYTES || f->as == AS_HIST || !strcmp(f->name, "dur_ns"))
			continue;
		v = number_of(e, f);
		text = text_of(t, e, f, v, texts, room);
		if (text == texts) {
			used = strlen(texts) + 1;
			room -= used;
			texts += used;
		}
		if (!text || *text)
			*n++ = (struct perfetto_note){ f->name, v, text,
						       f->as == AS_HEX || f->as == AS_STACK };
	}
	if (type->tail == AS_TEXT && e->size > type->size)
		*n = (struct perfetto_note){ "text", 0, record_text(e, type->size), false };
}

/* What it is called: its name, else what kind of its kind, else its kind. */
static const char *title(struct timeline *t, const struct event *e)
{
	const struct record_type *type = record_type(e->kind);
	const char *name = NULL;

	for (const struct field *f = type->fields; f->name; f++)
		if (f->as == AS_NAME && number_of(e, f))
			return model_name(t->m, e->producer, number_of(e, f));
	for (const struct field *f = type->fields; f->name && !name; f++)
		if (f->as == AS_ENUM)
			name = enum_name(f->names, (s64)number_of(e, f));
	return name ? name : type->name;
}

void timeline_other_begin(struct timeline *t, const struct slice *s, struct perfetto_slice *out)
{
	struct perfetto_note notes[OTHER_NOTES] = {};
	char texts[TEXTS];

	notes_of(t, (const void *)s->submits, notes, texts, sizeof(texts));
	out->submits = NULL;
	out->notes = t->set.lean ? NULL : notes;
	perfetto_begin(t->p, s->ts, out);
}

static int other_slice(struct timeline *t, struct lanes *l, const struct event *e,
		       const struct record_type *type, u64 dur_ns)
{
	u16 size = e->size > type->size ? e->size : type->size;
	struct slice s = {
		.ts = e->ts, .end = time_end(e->ts, dur_ns), .kind = SLICE_OTHER,
		.name = timeline_intern(t, INTERN_NAME, title(t, e)),
		.category = timeline_intern(t, INTERN_CATEGORY, type->name),
		.submits = calloc(1, size),	/* the record, until it is written */
	};

	if (!s.submits)
		return -ENOMEM;
	memcpy(s.submits, e, e->size);
	return timeline_add(t, l, &s);
}

int timeline_other(void *ctx, const struct event *e)
{
	const struct record_type *type = record_type(e->kind);
	const struct field *dur = record_field(type, "dur_ns");
	struct perfetto_note notes[OTHER_NOTES] = {};
	struct timeline *t = ctx;
	char texts[TEXTS];
	struct lanes *l;

	timeline_begin(t);
	l = tracks_process(t, e->pid, e->producer, type->name);
	if (!l)
		return -ENOMEM;
	if (dur)
		return other_slice(t, l, e, type, number_of(e, dur));
	notes_of(t, e, notes, texts, sizeof(texts));
	return timeline_instant(t, l->uuid, e->ts, title(t, e), type->name, notes);
}

int timeline_xid_call(void *ctx, const struct xid_call *c, const char *name)
{
	(void)name;
	return timeline_other(ctx, &c->e);
}

int timeline_driver_sum(void *ctx, const struct driver_sum *s)
{
	return timeline_other(ctx, &s->e);
}
