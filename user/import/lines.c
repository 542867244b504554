// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Text by lines: what all readers of text formats stand on. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "lines.h"

#define CHUNK (64u << 10)

struct lines {
	struct unpack *in;
	char *buf;
	size_t at, end, room;	/* what was read and not given out: buf[at .. end) */
	u64 bytes, count, cut;
	int error;
	bool ended;
};

int lines_open(struct lines **out, const char *path)
{
	struct lines *l = must_alloc(sizeof(*l));
	int err = unpack_open(&l->in, path);

	*out = NULL;
	if (err) {
		free(l);
		return err;
	}
	l->room = 2 * CHUNK;
	l->buf = must_alloc(l->room + 1);
	*out = l;
	return 0;
}

/* More behind what is there. false: there is no more. */
static bool fill(struct lines *l)
{
	long n;

	if (l->ended)
		return false;
	memmove(l->buf, l->buf + l->at, l->end - l->at);
	l->end -= l->at;
	l->at = 0;
	if (l->room - l->end < CHUNK) {
		l->room *= 2;
		l->buf = must_realloc(l->buf, l->room + 1);
	}
	n = unpack_read(l->in, l->buf + l->end, CHUNK);
	if (n <= 0) {
		l->ended = true;
		l->error = n;
		return false;
	}
	l->end += n;
	l->bytes += n;
	return true;
}

char *lines_next(struct lines *l, size_t *n)
{
	char *stop, *line;
	size_t looked = 0;
	bool over = false;

	for (;;) {
		stop = memchr(l->buf + l->at + looked, '\n', l->end - l->at - looked);
		if (stop)
			break;
		looked = l->end - l->at;
		if (looked > LINE_MAX_BYTES) {	/* its beginning is kept */
			over = true;
			l->end = l->at + LINE_MAX_BYTES;
			looked = LINE_MAX_BYTES;
		}
		if (!fill(l))
			break;
	}
	if (!stop && l->at == l->end)
		return NULL;
	l->count += stop != NULL;
	l->cut += over;
	line = l->buf + l->at;
	*n = (stop ? stop : l->buf + l->end) - line;
	l->at += *n + (stop != NULL);
	if (*n && line[*n - 1] == '\r')
		--*n;
	line[*n] = '\0';
	return line;
}

int lines_error(const struct lines *l)
{
	return l->error;
}

u64 lines_bytes(const struct lines *l)
{
	return l->bytes;
}

u64 lines_count(const struct lines *l)
{
	return l->count;
}

u64 lines_cut(const struct lines *l)
{
	return l->cut;
}

void lines_close(struct lines *l)
{
	if (!l)
		return;
	unpack_close(l->in);
	free(l->buf);
	free(l);
}

/* One digit more; false: beyond u64. */
static bool add_digit(u64 *v, u32 digit)
{
	return !__builtin_mul_overflow(*v, 10, v) && !__builtin_add_overflow(*v, digit, v);
}

bool text_decimal(const char *s, u32 scale, u64 *value, const char **end, u64 *rounded)
{
	bool any = false;
	u64 v = 0;

	for (; isdigit((u8)*s); s++, any = true)
		if (!add_digit(&v, *s - '0'))
			return false;
	if (*s == '.')
		for (s++; isdigit((u8)*s) && scale; s++, scale--, any = true)
			if (!add_digit(&v, *s - '0'))
				return false;
	for (; scale; scale--)
		if (!add_digit(&v, 0))
			return false;
	if (any && isdigit((u8)*s)) {
		v += *s >= '5';
		*rounded += strspn(s, "0") < strspn(s, "0123456789");
		s += strspn(s, "0123456789");
	}
	*value = v;
	*end = s;
	return any;
}

bool text_time(struct import *im, u64 ts)
{
	if (ts <= 1ULL << 62)
		return true;
	import_odd(im, "time out of range", "");
	return false;
}

bool text_number(const char *s, const char *key, u64 *value)
{
	size_t n = strlen(key);
	const char *at = s;

	while ((at = strstr(at, key))) {
		if ((at == s || !isalnum((u8)at[-1])) && at[n] == ' ' &&
		    isdigit((u8)at[n + 1])) {
			*value = strtoull(at + n + 1, NULL, 10);
			return true;
		}
		at += n;
	}
	return false;
}

bool text_begins(const char *s, const char *start)
{
	return !strncmp(s, start, strlen(start));
}
