// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tables: cells are kept until the end, so that widths follow from them; see out.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "log.h"
#include "out.h"

struct table {
	size_t columns, cells, room;
	bool *left;
	char **cell;		/* row after row; the first row are the heads */
};

static void *need(void *p)
{
	if (p)
		return p;
	fail(0, "cannot go on: out of memory");
	exit(1);
}

static void add(struct table *t, char *text)
{
	if (t->cells == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		t->cell = need(reallocarray(t->cell, t->room, sizeof(*t->cell)));
	}
	t->cell[t->cells++] = need(text);
}

struct table *table_new(const char *const *heads)
{
	struct table *t = need(calloc(1, sizeof(*t)));

	while (heads[t->columns])
		t->columns++;
	t->left = need(calloc(t->columns + 1, sizeof(*t->left)));
	for (size_t i = 0; i < t->columns; i++) {
		t->left[i] = heads[i][0] == '<';
		add(t, strdup(heads[i] + t->left[i]));
	}
	return t;
}

void table_cell(struct table *t, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text)
		out_clean(text);
	add(t, text);
}

static int chars(const char *s)		/* of UTF-8 text: bytes that begin one */
{
	int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static void measure(const struct table *t, int *widths)
{
	for (size_t i = 0; i < t->cells; i++) {
		int n = chars(t->cell[i]);

		if (n > widths[i % t->columns])
			widths[i % t->columns] = n;
	}
}

/* Takes what is too much from the last left-aligned column; it keeps at least 8. */
static void squeeze(const struct table *t, int *widths, int room)
{
	int sum = -2, last = -1;

	for (size_t i = 0; i < t->columns; i++) {
		sum += widths[i] + 2;
		if (t->left[i])
			last = i;
	}
	if (last < 0 || sum <= room)
		return;
	widths[last] -= sum - room;
	if (widths[last] < 8)
		widths[last] = 8;
}

static void put_cell(FILE *f, const char *text, int width, bool left, bool last)
{
	int n = chars(text), keep;

	if (n > width) {
		for (keep = 0; width > 3; width -= ((unsigned char)text[keep] & 0xc0) != 0x80)
			keep++;
		fprintf(f, "%.*s...", keep, text);
	} else if (left) {
		fprintf(f, "%s%*s", text, last ? 0 : width - n, "");
	} else {
		fprintf(f, "%*s%s", width - n, "", text);
	}
	fputs(last ? "\n" : "  ", f);
}

void table_print(struct table *t, FILE *f, int width, const char *indent)
{
	int *widths = need(calloc(t->columns + 1, sizeof(*widths)));

	measure(t, widths);
	if (width > 0)
		squeeze(t, widths, width - (int)strlen(indent));
	for (size_t i = 0; i < t->cells; i++) {
		size_t c = i % t->columns;

		if (!c)
			fputs(indent, f);
		put_cell(f, t->cell[i], widths[c], t->left[c], c + 1 == t->columns);
	}
	free(widths);
}

void table_free(struct table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->cells; i++)
		free(t->cell[i]);
	free(t->cell);
	free(t->left);
	free(t);
}
