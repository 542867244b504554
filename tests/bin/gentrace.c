// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Random records of every kind, as lines for mktrace and in the form cattrace -r
 * prints them, so that a round trip is compared as text.
 *
 *   gentrace SEED N      N records of each kind
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lines.h"

static u64 state;

static u64 rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dULL;
}

/* Edges are as likely as the middle; some columns stay constant, some grow. */
static u64 value(u32 size, u64 before)
{
	u64 max = size == 8 ? ~0ULL : (1ULL << size * 8) - 1;

	switch (rnd() % 8) {
	case 0: return 0;
	case 1: return max;
	case 2: return max / 2 + rnd() % 2;
	case 3: case 4: return (before + rnd() % 300) & max;
	case 5: return before & max;
	default: return rnd() >> rnd() % 64 & max;
	}
}

static void put_text(u32 max)
{
	u32 n = rnd() % 16 ? rnd() % (max < 40 ? max : 40) : rnd() % max;

	putchar('"');
	while (n--)
		put_byte(rnd() % 32 ? 0x20 + rnd() % 0x5f : 1 + rnd() % 255);
	putchar('"');
}

static void put_field(const struct record_type *type, const struct field *f, u64 frames)
{
	bool sign = is_signed(f);
	u32 size = element_size(f), unused = 64 - size * 8;
	static u64 before;

	printf(" %s=", f->name);
	if (f->as == AS_STR) {
		put_text(f->size);
		return;
	}
	for (u32 i = 0; f->as == AS_BYTES && i < f->size; i++)
		printf("%02x", (u8)value(1, before));
	if (f->as == AS_BYTES)
		return;
	for (u32 i = 0; i < f->size / size; i++) {
		before = value(size, before);
		if (type->kind == EVENT_MAP && !strcmp(f->name, "build_id_size"))
			before %= 25;	/* the reader mends what cannot be */
		if (type->kind == EVENT_STACK && !strcmp(f->name, "kernel_frames"))
			before = frames / 3;
		if (type->kind == EVENT_STACK && !strcmp(f->name, "user_frames"))
			before = frames - frames / 3;
		if (!strcmp(f->name, "producer"))
			before %= 5;
		printf(sign ? "%s%lld" : "%s%llu", i ? "," : "",
		       sign ? (u64)((s64)(before << unused) >> unused) : before);
	}
}

int main(int argc, char **argv)
{
	const struct record_type *type;

	if (argc != 3)
		errx(2, "usage: gentrace SEED N");
	state = strtoull(argv[1], NULL, 0) * 0x9e3779b97f4a7c15ULL | 1;
	for (int n = atoi(argv[2]); n > 0; n--) {
		for (u16 kind = 0; (type = record_type_next(&kind));) {
			u64 frames = rnd() % 50 ? rnd() % 40 : rnd() % 4000;

			fputs(type->name, stdout);
			for (const struct field *f = event_fields; f->name; f++)
				put_field(type, f, frames);
			for (const struct field *f = type->fields; f->name; f++)
				put_field(type, f, frames);
			if (type->tail == AS_TEXT) {
				printf(" text=");
				put_text(2000);
			}
			for (u32 i = 0; type->tail == AS_FRAMES && i < frames; i++)
				printf("%s%llu", i ? "," : " frames=", value(8, 0));
			putchar('\n');
		}
	}
	return 0;
}
