// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* JSON, human numbers, and the end of an output; see out.h. Tables are in out_table.c. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "log.h"
#include "out.h"

#define EXACT_MAX (1ULL << 53)	/* beyond it a reader that counts in doubles would round */

/* ---- JSON ---- */

static void new_line(struct json *j, int depth)
{
	if (!j->indent)
		return;
	fputc('\n', j->f);
	for (int i = 0; i < depth * j->indent; i++)
		fputc(' ', j->f);
}

static void put_escaped(FILE *f, unsigned char c)
{
	switch (c) {
	case '"': fputs("\\\"", f); break;
	case '\\': fputs("\\\\", f); break;
	case '\n': fputs("\\n", f); break;
	case '\t': fputs("\\t", f); break;
	case '\r': fputs("\\r", f); break;
	default: fprintf(f, "\\u%04x", c);
	}
}

size_t utf8_length(const unsigned char *s, size_t n)
{
	static const u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 0;
	u32 c;

	if (!len || len > n || s[0] > 0xf4)
		return 0;
	c = s[0] & (0x7f >> len);
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	return c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : len;
}

static void put_string(FILE *f, const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text, *plain = s;
	const unsigned char *end = s + n;
	size_t len;

	fputc('"', f);
	while (s < end) {
		len = *s < 0x80 ? *s >= ' ' && *s != '"' && *s != '\\' && *s != 0x7f
				: utf8_length(s, end - s);
		if (len) {
			s += len;
			continue;
		}
		fwrite(plain, 1, s - plain, f);
		if (*s >= 0x80)
			fprintf(f, "\\\\x%02x", *s);	/* no text: shown as \xNN */
		else
			put_escaped(f, *s);
		plain = ++s;
	}
	fwrite(plain, 1, s - plain, f);
	fputc('"', f);
}

static void before(struct json *j, const char *key)
{
	if (j->comma)
		fputc(',', j->f);
	if (j->depth)
		new_line(j, j->depth);
	if (key) {
		put_string(j->f, key, strlen(key));
		fputs(j->indent ? ": " : ":", j->f);
	}
	j->comma = true;
}

static void after(struct json *j)
{
	if (j->depth)
		return;
	fputc('\n', j->f);
	j->comma = false;
}

static void open_one(struct json *j, const char *key, bool array)
{
	before(j, key);
	fputc(array ? '[' : '{', j->f);
	j->depth++;
	j->comma = false;
	if (array)
		j->arrays |= 1ULL << j->depth;
	else
		j->arrays &= ~(1ULL << j->depth);
}

void json_object(struct json *j, const char *key)
{
	open_one(j, key, false);
}

void json_array(struct json *j, const char *key)
{
	open_one(j, key, true);
}

void json_close(struct json *j)
{
	bool array = j->arrays >> j->depth & 1;

	j->depth--;
	if (j->comma)
		new_line(j, j->depth);
	fputc(array ? ']' : '}', j->f);
	j->comma = true;
	after(j);
}

void json_u64(struct json *j, const char *key, u64 v)
{
	before(j, key);
	fprintf(j->f, v > EXACT_MAX ? "\"%" PRIu64 "\"" : "%" PRIu64, (uint64_t)v);
	after(j);
}

void json_time(struct json *j, const char *key, u64 ns)
{
	before(j, key);
	if (ns < (u64)j->zero_ns)
		fprintf(j->f, "-%" PRIu64, (uint64_t)(j->zero_ns - ns));
	else
		fprintf(j->f, "%" PRIu64, (uint64_t)(ns - j->zero_ns));
	after(j);
}

void json_s64(struct json *j, const char *key, s64 v)
{
	bool exact = v <= (s64)EXACT_MAX && v >= -(s64)EXACT_MAX;

	before(j, key);
	fprintf(j->f, exact ? "%" PRId64 : "\"%" PRId64 "\"", (int64_t)v);
	after(j);
}

void json_real(struct json *j, const char *key, double v)
{
	if (!isfinite(v)) {
		json_null(j, key);
		return;
	}
	before(j, key);
	fprintf(j->f, "%.9g", v);
	after(j);
}

void json_hex(struct json *j, const char *key, u64 v)
{
	before(j, key);
	fprintf(j->f, "\"0x%" PRIx64 "\"", (uint64_t)v);
	after(j);
}

void json_bool(struct json *j, const char *key, bool v)
{
	before(j, key);
	fputs(v ? "true" : "false", j->f);
	after(j);
}

void json_null(struct json *j, const char *key)
{
	before(j, key);
	fputs("null", j->f);
	after(j);
}

void json_str(struct json *j, const char *key, const char *s)
{
	if (!s) {
		json_null(j, key);
		return;
	}
	json_strn(j, key, s, strlen(s));
}

void json_strn(struct json *j, const char *key, const char *s, size_t n)
{
	before(j, key);
	put_string(j->f, s, strnlen(s, n));
	after(j);
}

/* ---- human numbers: three digits that count ---- */

static char *scaled(char *buf, double v, double step, const char *const *units)
{
	while (v >= step * 0.9995 && units[1]) {
		v /= step;
		units++;
	}
	snprintf(buf, 16, v < 9.995 ? "%.2f %s" : v < 99.95 ? "%.1f %s" : "%.0f %s", v, *units);
	return buf;
}

char *human_ns(char *buf, u64 ns)
{
	static const char *const units[] = { "us", "ms", "s", NULL };

	if (ns < 1000) {
		snprintf(buf, 16, "%u ns", (unsigned int)ns);
		return buf;
	}
	return scaled(buf, ns / 1e3, 1000, units);
}

char *human_bytes(char *buf, u64 bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", NULL };

	if (bytes < 1024) {
		snprintf(buf, 16, "%u B", (unsigned int)bytes);
		return buf;
	}
	return scaled(buf, bytes / 1024.0, 1024, units);
}

char *human_rate(char *buf, u64 bytes, u64 ns)
{
	static const char *const units[] = { "B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s",
					     NULL };

	if (!ns) {
		strcpy(buf, "-");
		return buf;
	}
	return scaled(buf, bytes * 1e9 / ns, 1000, units);
}

/* ---- text of other programs ---- */

/* The second set of control characters, and what turns the direction of the rest of the
 * line. */
static bool steers(const unsigned char *s, size_t len)
{
	if (len == 2)
		return s[0] == 0xc2 && s[1] < 0xa0;
	return len == 3 && s[0] == 0xe2 &&
	       ((s[1] == 0x80 && s[2] >= 0xaa && s[2] <= 0xae) ||
		(s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
}

void out_clean(char *text)
{
	unsigned char *s = (unsigned char *)text;
	size_t len;

	for (; *s; s += len) {
		len = *s < 0x80 ? *s >= ' ' && *s != 0x7f :
			utf8_length(s, strnlen((char *)s, 4));
		if (len && !steers(s, len))
			continue;
		len = len ? len : 1;
		memset(s, '?', len);
	}
}

char *out_text(const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		return NULL;
	out_clean(text);
	return text;
}

void out_line(FILE *f, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = out_text(fmt, ap);
	va_end(ap);
	fprintf(f, "%s\n", text ? text : "");
	free(text);
}

/* ---- the end ---- */

/* An earlier write may have failed and left nothing to be written now: its errno is gone. */
static bool reader_gone(FILE *f)
{
	struct pollfd p = { .fd = fileno(f), .events = POLLOUT };

	return poll(&p, 1, 0) == 1 && p.revents & POLLERR;
}

/* So one byte more asks for it again; what was written is broken anyway. */
static int lost_error(FILE *f)
{
	clearerr(f);
	return fputc('\n', f) == EOF || fflush(f) ? -errno : -EIO;
}

int out_finish(FILE *f, const char *what)
{
	int err = fflush(f) ? -errno : ferror(f) ? lost_error(f) : 0;

	if (!err || err == -EPIPE || reader_gone(f))
		return 0;	/* the reader has what it wanted: `| head` */
	return fail(err, "cannot write %s", what);
}
