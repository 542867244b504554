// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The text by which a trace file describes its own records, one kind a block:
 *
 *   record kernel 112 -
 *   field grid 80 12 dims	blocks
 *   enum memory_kind 3 device
 */
#include <stdarg.h>
#include <stdio.h>
#include "trace_format.h"

static const char *const as_names[] = {
	[0] = "-", [AS_DEC] = "dec", [AS_SIGNED] = "signed", [AS_HEX] = "hex",
	[AS_TIME] = "time", [AS_NS] = "ns", [AS_SIZE] = "size", [AS_DIMS] = "dims",
	[AS_STR] = "str", [AS_BYTES] = "bytes", [AS_ENUM] = "enum", [AS_NAME] = "name",
	[AS_STACK] = "stack", [AS_ERRNO] = "errno", [AS_CURESULT] = "curesult",
	[AS_DEVNO] = "devno", [AS_US] = "us", [AS_HIST] = "hist", [AS_TEXT] = "text",
	[AS_FRAMES] = "frames",
};

__attribute__((format(printf, 2, 3))) static void put(struct buffer *out, const char *fmt, ...)
{
	va_list ap;
	int n;

	buffer_reserve(out, 512);
	va_start(ap, fmt);
	n = vsnprintf((char *)out->data + out->len, 512, fmt, ap);
	va_end(ap);
	out->len += n < 512 ? n : 511;
}

static void put_fields(struct buffer *out, const struct field *f)
{
	for (; f->name; f++) {
		put(out, "field %s %u %u %s\t%s\n", f->name, f->off, f->size, as_names[f->as],
		    f->help);
		for (const struct enum_name *e = f->names; e && e->name; e++)
			put(out, "enum %s %lld %s\n", f->name, e->value, e->name);
	}
}

void schema_text(struct buffer *out, const struct record_type *type)
{
	put(out, "record %s %u %s\n", type->name, type->size, as_names[type->tail]);
	put_fields(out, event_fields);
	put_fields(out, type->fields);
}
