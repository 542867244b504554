// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Folded text: one stack a line, frames from the outermost inwards with ';'
 * between them, then a blank and a whole number. Frames may hold blanks. Of a
 * tree that compares the last two words are numbers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tree.h"

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* What is wrong with a count, for the reader of the message. */
static int count_refuse(const char *s, size_t n, struct flame_error *error)
{
	static const char digits[] = "0123456789";
	size_t sign = *s == '-', whole = strspn(s + sign, digits);
	const char *what = NULL;

	if (whole + sign == n && !sign)
		what = "does not fit into 64 bits";
	else if (whole + sign == n && whole)
		what = "is negative";
	else if (strspn(s, "0123456789.eE+-") >= n && strcspn(s, digits) < n)
		what = "is not a whole number";
	if (!what || n > 40)
		snprintf(error->why, sizeof(error->why), "no count at the end");
	else
		snprintf(error->why, sizeof(error->why), "count %.*s %s", (int)n, s, what);
	return -EINVAL;
}

/* s[n] is not a digit. */
static int count_parse(const char *s, size_t n, uint64_t *value, struct flame_error *error)
{
	size_t i;

	*value = 0;
	for (i = 0; i < n; i++)
		if (s[i] < '0' || s[i] > '9' || __builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(s[i] - '0'), value))
			return count_refuse(s, n, error);
	return 0;
}

struct frames {
	struct flame_frame *f;
	size_t n, room;
};

static int frames_split(struct frames *out, const char *s, size_t n)
{
	const char *end = s + n, *stop;
	struct flame_frame *more;

	for (out->n = 0; s < end; s = stop + 1) {
		stop = memchr(s, ';', end - s);
		if (!stop)
			stop = end;
		if (out->n == out->room) {
			out->room = out->room * 2 + 64;
			more = realloc(out->f, out->room * sizeof(*more));
			if (!more)
				return -ENOMEM;
			out->f = more;
		}
		out->f[out->n++] = (struct flame_frame){ s, stop - s, FLAME_BY_NAME };
	}
	return 0;
}

/* Takes the last word of s as a count off it. */
static int count_take(const char *s, size_t *n, uint64_t *value, struct flame_error *error)
{
	size_t at, end = *n;
	int err;

	for (at = end; at && !blank(s[at - 1]); at--)
		;
	err = count_parse(s + at, end - at, value, error);
	while (at && blank(s[at - 1]))
		at--;
	*n = at;
	return err;
}

static int line_add(struct flame_tree *t, struct frames *frames, const char *s, size_t n,
		    bool pairs, struct flame_error *error)
{
	uint64_t value, before = 0;
	int err;

	while (n && blank(s[n - 1]))
		n--;
	if (!n)
		return 0;
	err = count_take(s, &n, &value, error);
	if (!err && pairs && n)
		err = count_take(s, &n, &before, error);
	if (err)
		return err;
	if (!n) {
		snprintf(error->why, sizeof(error->why), "no stack before the count");
		return -EINVAL;
	}
	err = frames_split(frames, s, n);
	if (!err)
		err = pairs ? flame_add_pair(t, frames->f, frames->n, before, value) :
			flame_add(t, frames->f, frames->n, value);
	if (err)
		snprintf(error->why, sizeof(error->why), "%s", err == -EOVERFLOW ?
			 "the sum of all counts does not fit into 64 bits" : strerror(-err));
	return err;
}

#define LINE_MOST (64u << 20)	/* a stack of a thousand names of 60 kB */

struct lines {
	FILE *f;
	char *buf;
	size_t room, at, end;	/* buf[at..end) is read and not given out */
};

/* More behind what is there: 1, 0 at the end, or negative. */
static int lines_fill(struct lines *l)
{
	size_t n, room = l->room ? 2 * l->room : 1 << 16;
	char *more;

	if (l->at)
		memmove(l->buf, l->buf + l->at, l->end - l->at);
	l->end -= l->at;
	l->at = 0;
	if (l->end == l->room) {
		more = room <= LINE_MOST ? realloc(l->buf, room + 1) : NULL;
		if (!more)
			return room <= LINE_MOST ? -ENOMEM : -EMSGSIZE;
		l->buf = more;
		l->room = room;
	}
	n = fread(l->buf + l->end, 1, l->room - l->end, l->f);
	l->end += n;
	return n ? 1 : ferror(l->f) ? (errno ? -errno : -EIO) : 0;
}

/* 1 and a line, its end a NUL, 0 at the end, or negative. */
static int lines_next(struct lines *l, const char **line, size_t *n)
{
	size_t seen = 0;
	char *stop = NULL;
	int more = 1;

	while (more > 0) {
		stop = l->end - l->at > seen ?
			memchr(l->buf + l->at + seen, '\n', l->end - l->at - seen) : NULL;
		if (stop)
			break;
		seen = l->end - l->at;
		more = lines_fill(l);
	}
	if (more < 0 || (!stop && l->at == l->end))
		return more;
	*line = l->buf + l->at;
	*n = stop ? (size_t)(stop - *line) : l->end - l->at;
	l->buf[l->at + *n] = '\0';
	l->at = stop ? l->at + *n + 1 : l->end;
	return 1;
}

static int read_lines(struct flame_tree *t, FILE *f, bool pairs, struct flame_error *error)
{
	struct frames frames = {};
	struct lines lines = { .f = f };
	const char *line = NULL;
	size_t n = 0;
	int err = 0, more;

	*error = (struct flame_error){};
	errno = 0;
	while (!err && (more = lines_next(&lines, &line, &n)) > 0) {
		error->line++;
		err = line_add(t, &frames, line, n, pairs, error);
	}
	if (!err && more < 0) {
		err = more;
		error->line = err == -EMSGSIZE ? error->line + 1 : 0;
		snprintf(error->why, sizeof(error->why), "%s", err == -EMSGSIZE ?
			 "is longer than 64 MiB" : strerror(-err));
	}
	free(frames.f);
	free(lines.buf);
	return err;
}

int flame_read(struct flame_tree *t, FILE *f, struct flame_error *error)
{
	return read_lines(t, f, false, error);
}

int flame_read_pairs(struct flame_tree *t, FILE *f, struct flame_error *error)
{
	return read_lines(t, f, true, error);
}

int flame_write_folded(struct flame_tree *t, FILE *out)
{
	struct flame_order order;
	uint32_t *path, i, d;
	int err = t->total || t->was_total ? flame_order(t, 0, &order) : -ENODATA;

	if (err)
		return err;
	path = malloc((order.depth + 1) * sizeof(*path));
	if (!path)
		err = -ENOMEM;
	for (i = 0; !err && i < order.count; i++) {
		const struct flame_place *p = &order.places[i];

		path[p->depth] = p->node;
		if (!t->nodes[p->node].self && !(t->was && t->was_self[p->node]))
			continue;
		for (d = 1; d <= p->depth; d++) {
			const struct flame_name *name = flame_name(t, path[d]);

			if (d > 1)
				putc_unlocked(';', out);
			fwrite(name->text, 1, name->len, out);
		}
		if (t->was)
			fprintf(out, " %llu", (unsigned long long)t->was_self[p->node]);
		fprintf(out, " %llu\n", (unsigned long long)t->nodes[p->node].self);
	}
	if (!err && (fflush(out) || ferror(out)))
		err = errno ? -errno : -EIO;
	free(path);
	free(order.places);
	return err;
}
