// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A trace file to text that mktrace reads: one record a line, all fields.
 *
 *   cattrace [-i] [-r] [-s] FILE     -i: the header as well, -r: only decimal numbers,
 *                                    -s: in order of kind, producer, time
 *
 * Exit 1 when the file is damaged, after all that could be read. Record counts
 * of what was stepped over and of gaps go to stderr.
 */
#include <ctype.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lines.h"
#include "log.h"
#include "trace.h"

static bool plain;

static void put_text(const char *s, size_t max)
{
	putchar('"');
	for (size_t i = 0; i < max && s[i]; i++)
		put_byte(s[i]);
	putchar('"');
}

static s64 element(const u8 *p, u32 size, bool sign)
{
	u64 v = 0;
	u32 unused = 64 - size * 8;

	memcpy(&v, p, size);
	return sign ? (s64)(v << unused) >> unused : (s64)v;
}

static void put_field(const struct event *e, const struct field *f)
{
	const u8 *p = (const u8 *)e + f->off;
	bool sign = is_signed(f);
	const char *format = !plain && f->as == AS_HEX ? "%s0x%llx" : sign ? "%s%lld" :
		"%s%llu";
	u32 size = element_size(f);
	const char *name = NULL;

	if (f->as == AS_ENUM && !plain)
		name = enum_name(f->names, element(p, size, false));
	printf(" %s=", f->name);
	if (f->as == AS_STR) {
		put_text((const char *)p, f->size);
	} else if (f->as == AS_BYTES) {
		for (u32 i = 0; i < f->size; i++)
			printf("%02x", p[i]);
	} else if (name) {
		fputs(name, stdout);
	} else {
		for (u32 i = 0; i < f->size / size; i++) {
			s64 v = element(p + i * size, size, sign);

			printf(format, i ? "," : "", v);
		}
	}
}

static void put_record(const struct event *e)
{
	const struct record_type *type = record_type(e->kind);
	const u8 *tail = (const u8 *)e + type->size;
	u32 len = e->size - type->size;

	fputs(type->name, stdout);
	for (const struct field *f = event_fields; f->name; f++)
		put_field(e, f);
	for (const struct field *f = type->fields; f->name; f++)
		put_field(e, f);
	if (type->tail == AS_TEXT) {
		printf(" text=");
		put_text((const char *)tail, len);
	}
	for (u32 i = 0; type->tail == AS_FRAMES && i < len; i += 8)
		printf(plain ? "%s%llu" : "%s0x%llx", i ? "," : " frames=",
		       element(tail + i, 8, false));
	putchar('\n');
}

static int compare(const void *a, const void *b)
{
	const struct event *x = *(const struct event **)a, *y = *(const struct event **)b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->producer != y->producer)
		return x->producer < y->producer ? -1 : 1;
	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return 0;
}

static int put_sorted(struct trace_reader *r)
{
	const struct event *e, **list = NULL;
	size_t n = 0, room = 0;
	int ret;

	while ((ret = trace_next(r, &e)) > 0) {
		if (n == room) {
			room = room * 2 + 64;
			list = realloc(list, room * sizeof(*list));
		}
		list[n++] = memcpy(malloc(e->size), e, e->size);
	}
	if (n)
		qsort(list, n, sizeof(*list), compare);
	for (size_t i = 0; i < n; i++) {
		put_record(list[i]);
		free((void *)list[i]);
	}
	free(list);
	return ret;
}

static void put_info(const struct trace_info *i)
{
	printf("info version=%u start_ns=%llu start_realtime_ns=%llu", i->version, i->start_ns,
	       i->start_realtime_ns);
#define S(m) (printf(" " #m "="), put_text(i->m, sizeof(i->m)))
	S(boot_id), S(host), S(kernel), S(machine), S(driver), S(tool);
#undef S
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct trace_reader *r;
	const struct event *e;
	bool info = false, sorted = false;
	int ret, c;

	log_init("cattrace", false);
	while ((c = getopt(argc, argv, "irs")) != -1) {
		info |= c == 'i';
		plain |= c == 'r';
		sorted |= c == 's';
	}
	if (optind + 1 != argc)
		errx(2, "usage: cattrace [-i] [-r] [-s] FILE");
	if (trace_open(&r, argv[optind]))
		return 1;
	if (info)
		put_info(trace_reader_info(r));
	if (sorted)
		ret = put_sorted(r);
	else
		while ((ret = trace_next(r, &e)) > 0)
			put_record(e);
	fflush(stdout);
	if (trace_unknown_kinds(r))
		fprintf(stderr, "unknown %llu\n", trace_unknown_kinds(r));
	if (trace_blocks_missing(r))
		fprintf(stderr, "missing %llu\n", trace_blocks_missing(r));
	trace_reader_close(r);
	return ret < 0;
}
