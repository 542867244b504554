// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The record kinds as the manual has them, in mdoc, from the same tables as the trace
 * files' own description: tests/manpage-update puts it into tools/gpuscope-trace.5, and
 * tests/schema.bats compares.
 */
#include <stdio.h>
#include <string.h>
#include "schema.h"

static const char *type_name(const struct field *f, char *buf, size_t size)
{
	u32 as = f->as & 0xff;
	bool sign = as == AS_SIGNED || as == AS_ERRNO || as == AS_CURESULT;

	if (as == AS_STR)
		snprintf(buf, size, "char[%u]", f->size);
	else if (as == AS_BYTES)
		snprintf(buf, size, "u8[%u]", f->size);
	else if (as == AS_DIMS)
		snprintf(buf, size, "u32[3]");
	else if (as == AS_HIST)
		snprintf(buf, size, "u32[%u]", f->size / 4);
	else
		snprintf(buf, size, "%c%u", sign ? 's' : 'u', 8 * f->size);
	return buf;
}

static const char *meaning(const struct field *f)
{
	switch (f->as & 0xff) {
	case AS_TIME: return ", ns of CLOCK_MONOTONIC";
	case AS_NS: case AS_US: return ", ns";
	case AS_SIZE: return ", bytes";
	case AS_HEX: return ", address or bits";
	case AS_NAME: return ", id of a name";
	case AS_STACK: return ", id of a stack";
	case AS_ERRNO: return ", 0 or a negative errno";
	case AS_CURESULT: return ", CUresult";
	case AS_DEVNO: return ", major << 20 | minor";
	case AS_HIST: return ", by powers of two";
	default: return "";
	}
}

/* What mdoc would take for itself. */
static void text(const char *s)
{
	for (; *s; s++)
		if (*s == '\\')
			fputs("\\e", stdout);
		else if (*s == '-')
			fputs("\\-", stdout);
		else if (*s != '\n')
			putchar(*s);
		else
			putchar(' ');
}

static void put_field(const struct field *f)
{
	char type[32];

	printf(".It Sy %s No %s%s\n\\&", f->name, type_name(f, type, sizeof(type)), meaning(f));
	text(f->help);
	for (const struct enum_name *e = f->names; e && e->name; e++) {
		printf("%s%lld ", e == f->names ? ": " : ", ", (long long)e->value);
		text(e->name);
	}
	puts(".");
}

static void put_fields(const struct field *f)
{
	if (!f->name)
		return;
	puts(".Bl -tag -width Ds -compact");
	for (; f->name; f++)
		put_field(f);
	puts(".El");
}

int main(void)
{
	const struct record_type *type;
	u16 kind = 0;

	puts(".Ss Every record\nThe first fields of all kinds.");
	put_fields(event_fields);
	while ((type = record_type_next(&kind))) {
		printf(".Ss %s\nKind %u, %u bytes in memory%s.\n", type->name, type->kind,
		       type->size, type->tail == AS_TEXT ? ", then a text" :
		       type->tail == AS_FRAMES ? ", then u64 frames, the innermost first" : "");
		put_fields(type->fields);
	}
	return 0;
}
