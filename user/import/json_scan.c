// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The scanner of json_scan.h. Texts and white space are crossed 16 bytes at a
 * time; a zero byte behind the window ends every such loop, so that only a
 * zero has to be checked for being the end.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "json_bytes.h"
#include "json_scan.h"

void scan_open(struct json_scan *s, scan_read read, void *ctx)
{
	memset(s, 0, sizeof(*s));
	s->buf = must_alloc(SCAN_WINDOW + BYTES_PAD);
	s->p = s->end = s->buf;
	s->read = read;
	s->ctx = ctx;
}

void scan_close(struct json_scan *s)
{
	free(s->buf);
	s->buf = NULL;
}

u64 scan_offset(const struct json_scan *s)
{
	return s->before + (u64)(s->p - s->buf);
}

/* More bytes behind those from keep on, which move to the front with s->p, even if none come or
 * there is no room for any: false. */
static bool fill(struct json_scan *s, const u8 *keep)
{
	size_t kept = s->end - keep;
	long n;

	if (s->ended || kept >= SCAN_WINDOW)
		return false;
	s->before += keep - s->buf;
	s->p -= keep - s->buf;
	memmove(s->buf, keep, kept);
	n = s->read(s->ctx, s->buf + kept, SCAN_WINDOW - kept);
	if (n <= 0) {
		s->ended = true;
		s->error = n;
		n = 0;
	}
	s->end = s->buf + kept + n;
	memset(s->buf + kept + n, 0, BYTES_PAD);
	return n > 0;
}

/* At a zero byte: true if it is the end of the file, else a byte of it or there are more. */
static bool at_end(struct json_scan *s)
{
	return s->p == s->end && !fill(s, s->p);
}

void scan_mark(struct json_scan *s)
{
	while (s->end - s->p < 3 && fill(s, s->p))
		;
	if (s->end - s->p >= 3 && !memcmp(s->p, "\xef\xbb\xbf", 3))
		s->p += 3;
}

void scan_ahead(struct json_scan *s)
{
	while (s->end - s->p < (long)SCAN_WINDOW && fill(s, s->p))
		;
}

int scan_peek_space(struct json_scan *s)
{
	if ((*s->p == ' ' || *s->p == '\n') && s->p[1] > ' ')
		return *++s->p;
	for (;;) {
		if (*s->p > ' ')
			return *s->p;
		if (*s->p == ' ' || *s->p == '\n' || *s->p == '\t' || *s->p == '\r')
			s->p = bytes_skip_space(s->p + 1);
		else if (*s->p)
			return *s->p;
		else if (s->p != s->end)
			return 1;	/* a zero byte in the file: nothing begins with it */
		else if (at_end(s))
			return 0;
	}
}

/* To behind the text whose first quote was taken. */
static int skip_string(struct json_scan *s)
{
	for (;;) {
		s->p = bytes_quote(s->p);
		if (*s->p == '"') {
			s->p++;
			s->value = true;
			return 1;
		}
		if (*s->p == '\\') {
			s->p++;
			if (!*s->p && at_end(s))
				return SCAN_EARLY;
			s->p++;
		} else if (at_end(s)) {
			return SCAN_EARLY;
		} else if (!*s->p) {
			s->p++;
		}
	}
}

/* The rest of a text that is longer than is kept. */
static int cut_string(struct json_scan *s, struct scan_text *t)
{
	t->s = "";
	t->n = 0;
	t->cut = true;
	return skip_string(s);
}

int scan_string(struct json_scan *s, struct scan_text *t)
{
	const u8 *from, *p;
	size_t n;

	if (!scan_take(s, '"'))
		return *s->p || s->p != s->end ? SCAN_BAD : SCAN_EARLY;
	*t = (struct scan_text){};
	for (p = s->p;;) {
		p = bytes_quote(p);
		if (*p == '"')
			break;
		t->escaped |= *p == '\\';
		n = p - s->p;
		if (p + (*p == '\\') < s->end) {
			p += 1 + (*p == '\\');
			continue;
		}
		if (n >= SCAN_TEXT_MAX) {
			s->p = p;
			return cut_string(s, t);
		}
		if (!fill(s, s->p)) {
			s->p = s->end;
			return SCAN_EARLY;
		}
		p = s->p + n;
	}
	from = s->p;
	t->s = (const char *)from;
	t->n = p - from;
	s->p = p + 1;
	s->value = true;
	return 1;
}

int scan_word(struct json_scan *s, struct scan_text *t)
{
	const u8 *p;
	size_t n;
	bool more;

	if (!scan_peek(s))
		return SCAN_EARLY;
	for (p = s->p;;) {
		while (bytes_word[*p])
			p++;
		n = p - s->p;
		if (p != s->end || n >= SCAN_TEXT_MAX)
			break;
		more = fill(s, s->p);
		p = s->p + n;
		if (!more)
			break;
	}
	*t = (struct scan_text){ .s = (const char *)s->p, .n = n };
	s->p = p;
	s->value = true;
	return n ? 1 : SCAN_BAD;
}

int scan_scalar(struct json_scan *s, struct scan_text *t, bool *quoted)
{
	*quoted = scan_peek(s) == '"';
	return *quoted ? scan_string(s, t) : scan_word(s, t);
}

/* Behind the colon, which may stand apart from the key; the key stays valid. */
static int colon(struct json_scan *s, struct scan_text *key)
{
	for (;;) {
		while (*s->p == ' ' || *s->p == '\n' || *s->p == '\t' || *s->p == '\r')
			s->p++;
		if (*s->p == ':') {
			s->p++;
			return 1;
		}
		if (*s->p || s->p != s->end)
			return SCAN_BAD;
		if (!fill(s, key->cut ? s->p : (const u8 *)key->s))
			return SCAN_EARLY;
		if (!key->cut)
			key->s = (const char *)s->buf;
	}
}

int scan_key(struct json_scan *s, struct scan_text *key)
{
	bool comma = !s->value;
	int c, r;

	if (*s->p == ',') {		/* as it nearly always goes on: to the next line */
		s->p++;
		comma = true;
		if (*s->p == '\n')
			s->p = bytes_skip_space(s->p + 1);
	}
	while ((c = scan_peek(s)) == ',') {
		s->p++;
		comma = true;
	}
	if (c == '}') {
		s->p++;
		s->value = true;
		return SCAN_END;
	}
	if (c != '"')
		return c ? SCAN_BAD : SCAN_EARLY;
	if (!comma)
		return SCAN_BAD;
	r = scan_string(s, key);
	return r > 0 ? colon(s, key) : r;
}

int scan_key_gap(struct json_scan *s, struct scan_text *key, struct scan_gap *gap)
{
	u64 from = scan_offset(s);
	bool behind = s->value;
	int r = scan_key(s, key);
	const u8 *start;
	u64 n;

	gap->n = 0;
	gap->behind = 2;
	if (r < 0)
		return r;
	if (r > 0)		/* without a look at more of the file: the key stays valid */
		s->p = bytes_skip_space(s->p);
	n = scan_offset(s) - from;
	if (from < s->before || n > SCAN_GAP_MAX || (r > 0 && (key->cut || s->p == s->end)))
		return r;	/* at the end of the window it may not be all */
	start = s->p - n;
	memcpy(gap->text, start, n);
	gap->n = n;
	gap->behind = behind;
	gap->end = !r;
	if (r > 0) {
		gap->key = (const u8 *)key->s - start;
		gap->key_n = key->n;
		gap->escaped = key->escaped;
	}
	return r;
}

int scan_item(struct json_scan *s)
{
	int c;

	if (*s->p == ',') {
		s->p++;
		if (*s->p == '\n')
			s->p = bytes_skip_space(s->p + 1);
	}
	while ((c = scan_peek(s)) == ',')
		s->p++;
	if (!c)
		return SCAN_EARLY;
	if (c != ']')
		return c == '}' ? SCAN_BAD : 1;
	s->p++;
	s->value = true;
	return SCAN_END;
}

/* Bytes that are in texts, a quote at their end not; inside: bytes before the first one are. */
static u32 in_texts(u32 quotes, bool inside)
{
	for (u32 shift = 1; shift < 32; shift *= 2)
		quotes ^= quotes << shift;
	return inside ? ~quotes : quotes;
}

/* On from s->p, 32 bytes at once, to behind the bracket that takes *depth to 0: true. Or to a
 * place near a backslash or a zero. *inside: within a text. */
static bool cross_nested(struct json_scan *s, u64 *depth, bool *inside)
{
	struct bytes_nest n;
	u32 text, brackets;

	for (;; s->p += 32) {
		bytes_nest(&n, s->p);
		if (n.odd)
			return false;
		text = in_texts(n.quotes, *inside);
		brackets = (n.open | n.close) & ~text;
		for (; brackets; brackets &= brackets - 1) {
			u32 at = __builtin_ctz(brackets);

			*depth += n.open >> at & 1 ? 1 : -1;
			if (!*depth) {
				s->p += at + 1;
				return true;
			}
		}
		*inside = text >> 31;
	}
}

/* The same, a byte at a time, to the end of what was in the way: 1, 0: there is more. */
static int step_nested(struct json_scan *s, u64 *depth)
{
	for (u32 i = 0; i < 32; i++) {
		int c = *s->p;

		if (!c && at_end(s))
			return SCAN_EARLY;
		c = *s->p++;
		if (c == '"' && skip_string(s) < 0)
			return SCAN_EARLY;
		if (c == '{' || c == '[')
			++*depth;
		if ((c == '}' || c == ']') && !--*depth)
			return 1;
	}
	return 0;
}

static int skip_nested(struct json_scan *s)
{
	bool inside = false;
	u64 depth = 1;
	int r;

	for (;;) {
		if (cross_nested(s, &depth, &inside))
			return 1;
		if (inside && skip_string(s) < 0)
			return SCAN_EARLY;
		inside = false;
		r = step_nested(s, &depth);
		if (r)
			return r;
	}
}

int scan_skip(struct json_scan *s)
{
	int c = scan_peek(s), r;
	struct scan_text t;
	const u8 *p = s->p;

	if (c == '"') {
		s->p++;
		return skip_string(s);
	}
	if (c == '{' || c == '[') {
		s->p++;
		r = skip_nested(s);
		s->value = true;
		return r;
	}
	while (bytes_word[*p])
		p++;
	if (!*p || p == s->p)
		return scan_word(s, &t);
	s->p = p;
	s->value = true;
	return 1;
}

/* Whether one of the keys stands first in the object that begins at s->p. */
static bool begins_with(struct json_scan *s, const char *const *keys)
{
	const u8 *p;
	size_t n;

	while (s->end - s->p < 256 && fill(s, s->p))
		;
	p = bytes_skip_space(s->p + 1);
	if (*p != '"' || p - s->p > 200)
		return false;
	for (; *keys; keys++) {
		n = strlen(*keys);
		if ((size_t)(s->end - p) > n + 1 && !memcmp(p + 1, *keys, n) && p[n + 1] == '"')
			return true;
	}
	return false;
}

bool scan_resume(struct json_scan *s, const char *const *keys)
{
	u8 last = 0;

	for (;; s->p++) {
		if (!*s->p && at_end(s))
			return false;
		if (*s->p == '{' && (last == ',' || last == '}' || last == '[') &&
		    begins_with(s, keys))
			return true;
		if (*s->p > ' ')
			last = *s->p;
	}
}
