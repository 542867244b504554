// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names of any bytes and any length. A name that is too long for its frame
 * is shortened in steps until it fits (script.c does the same in the browser):
 *   1. [gpu] in front: the colour says it
 *   - of Python's "dir/file.py(12): f" the folder, then the file
 *   2. arguments of templates and functions: f<...>(...)
 *   3. the parameter list, then as much of return type and namespaces as needed
 *   4. the middle, in very narrow frames the end: people tell names apart by both ends
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "text.h"

#define REPLACEMENT 0xfffd
#define ELLIPSIS    0x2026
#define WIDE        0x2e80	/* from here on letters take two columns */

static int text_put(struct flame_text *t, uint32_t c)
{
	uint32_t *more;

	if (t->n == t->room) {
		more = realloc(t->c, (t->room * 2 + 64) * sizeof(*more));
		if (!more)
			return -1;
		t->c = more;
		t->room = t->room * 2 + 64;
	}
	t->c[t->n++] = c;
	return 0;
}

static int text_append(struct flame_text *t, const uint32_t *c, size_t n)
{
	int err = 0;

	while (!err && n--)
		err = text_put(t, *c++);
	return err;
}

/* May stand in XML 1.0 and shows something. */
static uint32_t allowed(uint32_t c)
{
	if (c == '\t')
		return ' ';
	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0xd800 && c < 0xe000) ||
	    (c & 0xfffe) == 0xfffe || c > 0x10ffff)
		return REPLACEMENT;
	if ((c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
		return REPLACEMENT;	/* would turn the direction of what follows */
	return c;
}

/* One code point of s, which has n > 0 bytes; *used: how many it took. */
static uint32_t decode(const unsigned char *s, size_t n, size_t *used)
{
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	size_t more = *s < 0x80 ? 0 : *s < 0xc0 ? 9 : *s < 0xe0 ? 1 : *s < 0xf0 ? 2 :
		*s < 0xf8 ? 3 : 9;
	uint32_t c = more == 0 ? *s : *s & (0x3f >> more);
	size_t i;

	*used = 1;
	if (more >= n && more)
		return REPLACEMENT;
	for (i = 1; i <= more; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return REPLACEMENT;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[more])
		return REPLACEMENT;
	*used = more + 1;
	return allowed(c);
}

int flame_text_set(struct flame_text *t, const char *s, size_t n)
{
	size_t used, at;

	t->n = 0;
	for (at = 0; at < n; at += used) {
		if (text_put(t, decode((const unsigned char *)s + at, n - at, &used))) {
			t->n = 0;
			return -1;
		}
	}
	return 0;
}

static bool text_ends(const uint32_t *c, size_t n, const char *word)
{
	size_t len = strlen(word), i;

	if (n < len)
		return false;
	for (i = 0; i < len; i++)
		if (c[n - len + i] != (unsigned char)word[i])
			return false;
	return true;
}

/* Does a list of arguments begin at c[at]? Not in operator<, operator() or Python's
 * <module>. */
static bool group_opens(const uint32_t *c, size_t n, size_t at)
{
	if (c[at] == '(' && at + 1 < n && c[at + 1] == ')')
		return false;
	if (c[at] == '<' && (!at || c[at - 1] == '<'))
		return false;
	return (c[at] == '<' || c[at] == '(' || c[at] == '{') && !text_ends(c, at, "operator");
}

static size_t group_end(const uint32_t *c, size_t n, size_t at)
{
	size_t depth = 0;

	for (; at < n; at++) {
		if (c[at] == '<' || c[at] == '(' || c[at] == '{')
			depth++;
		else if ((c[at] == '>' && c[at - 1] != '-') || c[at] == ')' || c[at] == '}')
			depth--;
		if (!depth)
			return at;
	}
	return n - 1;
}

/* f<a, b<c>>(d, e) -> f<...>(...) */
static int text_elide(const struct flame_text *name, struct flame_text *out)
{
	size_t i, end;
	int err = 0;

	out->n = 0;
	for (i = 0; !err && i < name->n; i++) {
		err = text_put(out, name->c[i]);
		if (err || !group_opens(name->c, name->n, i))
			continue;
		end = group_end(name->c, name->n, i);
		if (end <= i + 2)
			continue;	/* nothing to win */
		err = text_put(out, ELLIPSIS);
		i = end - 1;
	}
	return err;
}

/* Where the parameter list begins; not in operator(), (anonymous namespace)::f,
 * f(int)::{lambda} */
static size_t text_parameters(const struct flame_text *t)
{
	size_t i, close;

	for (i = 1; i < t->n; i++) {
		if (t->c[i] != '(' || text_ends(t->c, i, "operator"))
			continue;
		close = group_end(t->c, t->n, i);
		if (close + 1 >= t->n || t->c[close + 1] != ':')
			return i;
		i = close;
	}
	return t->n;
}

/* Drops the parameters, then as many words and namespaces in front as needed; one less when
 * what is left ("call") would fill less than half of the room. */
static void text_last(struct flame_text *t, size_t columns)
{
	size_t i, from = 0, before = 0, end = text_parameters(t);

	for (i = 1; i < end && end - from > columns; i++) {
		if (t->c[i] == '(') {
			i = group_end(t->c, t->n, i);
		} else if (i + 1 < end &&
			   (t->c[i] == ' ' || (t->c[i] == ':' && t->c[i - 1] == ':'))) {
			before = from;
			from = i + 1;
		}
	}
	if ((end - from) * 2 < columns)
		from = before;
	memmove(t->c, t->c + from, (end - from) * sizeof(*t->c));
	t->n = end - from;
}

static bool text_qualified(const struct flame_text *t)
{
	size_t i;

	for (i = 1; i < t->n; i++)
		if (t->c[i] == ':' && t->c[i - 1] == ':')
			return true;
	return false;
}

/* What stays of "dir/file.py(12): f" or "file.py: f" in so many columns: where it begins, 0: it
 * is nothing of the kind. */
static size_t text_python(const struct flame_text *t, size_t columns)
{
	size_t i, at, file = 0;

	for (i = 3; i < t->n; i++) {
		if (t->c[i - 3] == '/')
			file = i - 2;
		if (!text_ends(t->c, i, ".py"))
			continue;
		at = i;
		if (t->c[at] == '(')
			for (at++; at < t->n && t->c[at] >= '0' && t->c[at] <= '9'; at++)
				;
		if (at > i)
			at += at < t->n && t->c[at] == ')';
		if (at + 2 < t->n && t->c[at] == ':' && t->c[at + 1] == ' ')
			return t->n - file <= columns ? file : at + 2;
	}
	return 0;
}

/* Steps 1 to 3, as far as needed. */
static int text_shorten(const struct flame_text *name, size_t columns, struct flame_text *out)
{
	struct flame_text bare = *name;
	size_t python;

	if (name->n > 6 && text_ends(name->c, 6, "[gpu] ")) {
		bare.c += 6;
		bare.n -= 6;
	}
	if (bare.n <= columns)
		return text_append(out, bare.c, bare.n);
	python = text_python(&bare, columns);
	if (python)
		return text_append(out, bare.c + python, bare.n - python);
	if (text_elide(&bare, out))
		return -1;
	if (out->n > columns && (out->n < bare.n || text_qualified(out)))
		text_last(out, columns);
	return 0;
}

int flame_text_cut(const struct flame_text *name, size_t columns, struct flame_text *out)
{
	size_t i, head;

	for (i = 0; i < name->n; i++)
		if (name->c[i] >= WIDE)
			break;
	if (i < name->n)
		columns /= 2;
	out->n = 0;
	if (columns < 3 && name->n > columns)
		return 0;
	if (name->n <= columns)
		return text_append(out, name->c, name->n);
	if (text_shorten(name, columns, out))
		return -1;
	if (out->n <= columns)
		return 0;
	head = columns < 8 ? columns - 1 : (columns * 6 - 1) / 10;
	out->c[head] = ELLIPSIS;
	memmove(out->c + head + 1, out->c + out->n - (columns - head - 1),
		(columns - head - 1) * sizeof(*out->c));
	out->n = columns;
	return 0;
}

static void encode(uint32_t c, FILE *out)
{
	if (c < 0x80) {
		putc_unlocked(c, out);
		return;
	}
	if (c < 0x800) {
		putc_unlocked(0xc0 | c >> 6, out);
	} else {
		if (c < 0x10000) {
			putc_unlocked(0xe0 | c >> 12, out);
		} else {
			putc_unlocked(0xf0 | c >> 18, out);
			putc_unlocked(0x80 | (c >> 12 & 0x3f), out);
		}
		putc_unlocked(0x80 | (c >> 6 & 0x3f), out);
	}
	putc_unlocked(0x80 | (c & 0x3f), out);
}

void flame_text_write(const struct flame_text *t, FILE *out)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		switch (t->c[i]) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '"': fputs("&quot;", out); break;
		default: encode(t->c[i], out);
		}
	}
}

void flame_json(struct flame_text *t, const char *s, size_t n, FILE *out)
{
	putc('"', out);
	if (flame_text_set(t, s, n))
		n = 0;
	for (size_t i = 0; n && i < t->n; i++) {
		uint32_t c = t->c[i];

		if (c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c == 0x2028 ||
		    c == 0x2029)
			fprintf(out, "\\u%04x", c);
		else
			encode(c, out);
	}
	putc('"', out);
}

void flame_text_free(struct flame_text *t)
{
	free(t->c);
	*t = (struct flame_text){};
}
