// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which columns a kind of record has: its schema, one entry an element; padding is dropped. */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include "trace_format.h"

void buffer_reserve(struct buffer *b, size_t more)
{
	if (b->len + more <= b->room)
		return;
	b->room = (b->len + more) * 2;
	b->data = realloc(b->data, b->room);
	if (!b->data)
		err(1, "cannot keep %zu bytes of a trace in memory", b->room);
}

static bool is_bytes(const struct field *f)
{
	return f->as == AS_STR || f->as == AS_BYTES;
}

/* Bytes of one number of the field: arrays are of u32. */
static u16 element_size(const struct field *f)
{
	return is_bytes(f) || (f->as != AS_DIMS && f->as != AS_HIST) ? f->size : 4;
}

static u32 layout_add(struct layout *l, const struct field *f, const char *except)
{
	u32 n = 0;

	for (; f->name; f++) {
		u16 size = element_size(f);

		if (!strcmp(f->name, except))
			continue;
		for (u16 i = 0; i < f->size / size; i++, n++)
			if (l)
				l->columns[l->n++] = (struct layout_column){
					.name = trace_read_hash(f->name),
					.offset = f->off + i * size,
					.size = size,
					.index = i,
					.sign = f->as == AS_SIGNED || f->as == AS_ERRNO ||
						f->as == AS_CURESULT,
					.bytes = is_bytes(f),
				};
	}
	return n;
}

struct layout *layout_new(const struct record_type *type)
{
	const char *head_only = "producer";	/* is in the block's header */
	u32 n = (type->kind ? layout_add(NULL, event_fields, head_only) : 0) +
		layout_add(NULL, type->fields, "");
	struct layout *l = calloc(1, sizeof(*l) + n * sizeof(*l->columns));

	if (!l)
		err(1, "cannot describe records of kind %u", type->kind);
	l->type = type;
	if (type->kind)
		layout_add(l, event_fields, head_only);
	layout_add(l, type->fields, "");
	return l;
}

const struct layout *layout_get(struct layout *layouts[EVENT_KIND_MAX], u16 kind)
{
	const struct record_type *type;

	if (kind >= EVENT_KIND_MAX)
		return NULL;
	if (!layouts[kind] && (type = record_type(kind)))
		layouts[kind] = layout_new(type);
	return layouts[kind];
}
