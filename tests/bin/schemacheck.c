// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The schema as tests/schema.bats compares it with the structs: a line "KIND FIELD
 * OFFSET SIZE" for every field behind the head, and "KIND pad OFFSET SIZE" for bytes
 * that no field covers. Exit 1 with a reason for what cannot be right by itself.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "trace_format.h"

static void check_type(const struct record_type *type)
{
	if (type->size % 8 || type->size > ROW_MAX)
		errx(1, "%s: size %u", type->name, type->size);
	if (!type->kind || type->kind >= EVENT_KIND_MAX)
		errx(1, "%s: kind %u", type->name, type->kind);
	if (type->tail && type->tail != AS_TEXT && type->tail != AS_FRAMES)
		errx(1, "%s: tail %u", type->name, type->tail);
	if (record_type(type->kind) != type)
		errx(1, "%s: kind %u belongs to another", type->name, type->kind);
}

static void check_field(const struct record_type *type, const struct field *f, u8 *covered)
{
	if (f->off + f->size > type->size)
		errx(1, "%s.%s ends behind the struct", type->name, f->name);
	if (!f->as || !f->help || !*f->help)
		errx(1, "%s.%s has no meaning or no help", type->name, f->name);
	if ((f->as == AS_ENUM) != !!f->names)
		errx(1, "%s.%s: names belong to AS_ENUM", type->name, f->name);
	if (f->as != AS_STR && f->as != AS_BYTES && f->as != AS_DIMS && f->as != AS_HIST &&
	    f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
		errx(1, "%s.%s: a number of %u bytes", type->name, f->name, f->size);
	if (f->as == AS_DIMS && f->size != 12)
		errx(1, "%s.%s: dimensions of %u bytes", type->name, f->name, f->size);
	for (u32 i = f->off; i < (u32)f->off + f->size; i++)
		if (covered[i]++)
			errx(1, "%s.%s overlaps another field", type->name, f->name);
	printf("%s %s %u %u\n", type->name, f->name, f->off, f->size);
}

static void check_columns(const struct record_type *type)
{
	struct layout *l = layout_new(type);

	for (u32 i = 0; i < l->n; i++)
		for (u32 j = 0; j < i; j++)
			if (l->columns[i].name == l->columns[j].name &&
			    l->columns[i].index == l->columns[j].index)
				errx(1, "%s: two columns of one hash", type->name);
	free(l);
}

static void print_holes(const struct record_type *type, const u8 *covered)
{
	for (u32 i = 0, from; i < type->size; i++) {
		from = i;
		while (i < type->size && !covered[i])
			i++;
		if (i > from)
			printf("%s pad %u %u\n", type->name, from, i - from);
	}
}

int main(void)
{
	const struct record_type *type;
	u8 covered[ROW_MAX];

	for (u16 kind = 0; (type = record_type_next(&kind));) {
		check_type(type);
		memset(covered, 0, sizeof(covered));
		memset(covered, 1, sizeof(struct event));
		for (const struct field *f = type->fields; f->name; f++)
			check_field(type, f, covered);
		check_columns(type);
		print_holes(type, covered);
	}
	return 0;
}
