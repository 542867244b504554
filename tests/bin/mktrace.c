// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Text to a trace file: one record a line, "KIND field=value ...", by the names
 * of the schema, so that what reads traces is tested without recording.
 *
 *   mktrace [-o FILE] [< LINES]       FILE default "-"
 *
 * Values: numbers (any base), enum names, text="..." with \n \" \\ \xNN,
 * uuid=HEX, grid=4,1,1, frames=0x1,0x2; "flush" alone ends the blocks so far;
 * "#" begins a comment; "info driver=simulated" goes to the file's header.
 */
#include <ctype.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "log.h"
#include "trace.h"

static unsigned line_number;

#define die(...) (fprintf(stderr, "mktrace: line %u: ", line_number), errx(1, __VA_ARGS__))

static const struct record_type *type_named(const char *name)
{
	const struct record_type *type;
	u16 kind = 0;

	while ((type = record_type_next(&kind)))
		if (!strcmp(type->name, name))
			return type;
	die("no record is called '%s'", name);
}

/* The next word of *line, in place, without quotes and escapes. Its length, -1 at the end. */
static int next_word(char **line, char **word)
{
	char *in = *line + strspn(*line, " \t\n"), *out = in;
	bool quoted = false;
	unsigned x;

	*word = in;
	if (!*in || *in == '#')
		return -1;
	for (; *in && (quoted || !isspace((unsigned char)*in)); in++) {
		if (*in == '"') {
			quoted = !quoted;
		} else if (*in == '\\' && in[1] == 'x' && sscanf(in + 2, "%2x", &x) == 1) {
			*out++ = x;
			in += 3;
		} else if (*in == '\\' && in[1]) {
			in++;
			*out++ = *in == 'n' ? '\n' : *in == 't' ? '\t' : *in;
		} else {
			*out++ = *in;
		}
	}
	*line = *in ? in + 1 : in;
	*out = 0;
	return out - *word;
}

static u64 number(const char *s, char **end)
{
	u64 v = *s == '-' ? (u64)strtoll(s, end, 0) : strtoull(s, end, 0);

	if (*end == s)
		die("'%s' is no number", s);
	return v;
}

static u64 enum_value(const struct field *f, const char *s)
{
	for (const struct enum_name *n = f->names; n && n->name; n++)
		if (!strcmp(n->name, s))
			return n->value;
	die("%s has no value '%s'", f->name, s);
}

/* Comma-separated numbers into elements of `size` bytes each. */
static u32 set_numbers(u8 *at, u32 room, u32 size, const char *value)
{
	char *end;
	u32 n = 0;

	do {
		u64 v = number(value, &end);

		if ((n + 1) * size > room)
			die("too many values in '%s'", value);
		memcpy(at + n++ * size, &v, size);
		value = end + 1;
	} while (*end == ',');
	if (*end)
		die("'%s' is no number", end);
	return n;
}

static void set_hex(u8 *at, u32 room, const char *value)
{
	unsigned x;

	for (u32 i = 0; value[2 * i] && value[2 * i + 1]; i++) {
		if (i >= room || sscanf(value + 2 * i, "%2x", &x) != 1)
			die("'%s' is no hex of %u bytes", value, room);
		at[i] = x;
	}
}

static void set_field(u8 *record, const struct field *f, const char *value, u32 len)
{
	u8 *at = record + f->off;
	u32 size = f->as == AS_DIMS || f->as == AS_HIST ? 4 : f->size;
	u64 v;

	if (f->as == AS_STR) {
		memcpy(at, value, len < f->size ? len : f->size);
	} else if (f->as == AS_BYTES) {
		set_hex(at, f->size, value);
	} else if (f->as == AS_ENUM && isalpha((unsigned char)*value)) {
		v = enum_value(f, value);
		memcpy(at, &v, f->size);
	} else {
		set_numbers(at, f->size, size, value);
	}
}

/* Bytes the tail takes, padding included. */
static u32 set_tail(u8 *record, const struct record_type *type, const char *name,
		    const char *value, u32 len)
{
	u8 *at = record + type->size;
	u32 room = RECORD_MAX - type->size;

	if (type->tail == AS_TEXT && !strcmp(name, "text")) {
		if (len + 1 > room)
			die("text too long");
		memcpy(at, value, len);
		return (len + 8) & ~7u;
	}
	if (type->tail == AS_FRAMES && !strcmp(name, "frames"))
		return *value ? 8 * set_numbers(at, room, 8, value) : 0;
	die("%s has no field '%s'", type->name, name);
}

static void info_line(struct trace_info *info, char *line)
{
	static const struct { const char *name; size_t off, size; } strings[] = {
#define S(m) { #m, offsetof(struct trace_info, m), sizeof(info->m) }
		S(boot_id), S(host), S(kernel), S(machine), S(driver), S(tool),
#undef S
	};
	char *word, *value, *end;

	while (next_word(&line, &word) >= 0) {
		value = strchr(word, '=');
		if (!value)
			die("'%s' is not name=value", word);
		*value++ = 0;
		for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
			if (!strcmp(strings[i].name, word))
				snprintf((char *)info + strings[i].off, strings[i].size, "%s",
					 value);
		if (!strcmp(word, "start_ns"))
			info->start_ns = number(value, &end);
		if (!strcmp(word, "start_realtime_ns"))
			info->start_realtime_ns = number(value, &end);
	}
}

static int put_line(struct trace_writer *w, const struct record_type *type, char *line)
{
	static u8 record[RECORD_MAX + 8] __attribute__((aligned(8)));
	struct event *e = (struct event *)record;
	u32 tail = type->tail == AS_TEXT ? 8 : 0;
	const struct field *f;
	char *word, *value;
	int len;

	memset(record, 0, sizeof(record));
	e->cpu = CPU_UNKNOWN;
	while ((len = next_word(&line, &word)) >= 0) {
		value = strchr(word, '=');
		if (!value)
			die("'%s' is not field=value", word);
		*value++ = 0;
		len -= value - word;
		f = record_field(type, word);
		if (f)
			set_field(record, f, value, len);
		else
			tail = set_tail(record, type, word, value, len);
	}
	e->size = type->size + tail;
	e->kind = type->kind;
	return trace_put(w, e);
}

int main(int argc, char **argv)
{
	const char *path = argc == 3 && !strcmp(argv[1], "-o") ? argv[2] : "-";
	struct trace_writer *w = NULL;
	struct trace_info info;
	char *line = NULL, *rest, *word;
	size_t room = 0;
	int ret = 0;

	log_init("mktrace", false);
	if (argc != 1 && argc != 3)
		errx(2, "usage: mktrace [-o FILE] < LINES");
	trace_info_here(&info, "mktrace 0");
	while (!ret && getline(&line, &room, stdin) >= 0) {
		rest = line;
		line_number++;
		if (next_word(&rest, &word) < 0)
			continue;
		if (!strcmp(word, "info")) {
			info_line(&info, rest);
			continue;
		}
		if (!w && trace_create(&w, path, &info))
			return 1;
		if (!strcmp(word, "flush"))
			ret = trace_flush(w);
		else
			ret = put_line(w, type_named(word), rest);
	}
	if (!w && trace_create(&w, path, &info))
		return 1;
	free(line);
	return trace_close(w) || ret;
}
