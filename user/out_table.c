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
	bool *left, *spare;
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
	t->spare = need(calloc(t->columns + 1, sizeof(*t->spare)));
	for (size_t i = 0; i < t->columns; i++) {
		t->left[i] = heads[i][0] == '<';
		t->spare[i] = heads[i][0] == '~';
		add(t, strdup(heads[i] + (t->left[i] || t->spare[i])));
	}
	return t;
}

void table_cell(struct table *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(t, out_text(fmt, ap));
	va_end(ap);
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

#define CUT_LEAST 8		/* what a column that is cut keeps */
#define CUT_GOOD  40		/* for this much of it spare columns are left out */
#define LEFT_OUT  -1		/* as a width */

/* By how much the table is wider than the room. */
static int excess(const struct table *t, const int *widths, int room)
{
	int sum = -2;

	for (size_t i = 0; i < t->columns; i++)
		sum += widths[i] == LEFT_OUT ? 0 : widths[i] + 2;
	return sum - room;
}

/* Takes what is too much from the last left-aligned column, spare columns first when that one
 * would keep too little. */
static void squeeze(const struct table *t, int *widths, int room)
{
	int last = -1, keep;

	for (size_t i = 0; i < t->columns; i++)
		if (t->left[i])
			last = i;
	if (last < 0)
		return;
	keep = widths[last] < CUT_GOOD ? widths[last] : CUT_GOOD;
	for (size_t i = t->columns; i-- > 0 && widths[last] - excess(t, widths, room) < keep;)
		if (t->spare[i])
			widths[i] = LEFT_OUT;
	if (excess(t, widths, room) <= 0)
		return;
	widths[last] -= excess(t, widths, room);
	if (widths[last] < CUT_LEAST)
		widths[last] = CUT_LEAST;
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
		if (widths[c] != LEFT_OUT)
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
	free(t->spare);
	free(t);
}
