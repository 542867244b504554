// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Columns to rows: the mirror of trace_encode.c. Its input is a file from
 * anywhere: every length is checked against what is there, none is believed.
 */
#include <string.h>
#include "trace_format.h"

#define SCATTER(type)							\
	for (u32 i = 0; i < n; i++, p += stride)			\
		*(type *)p = v[i]

static void scatter(u8 *p, const u64 *v, u32 n, u32 stride, u16 size)
{
	switch (size) {
	case 1: SCATTER(u8); break;
	case 2: SCATTER(u16); break;
	case 4: SCATTER(u32); break;
	default: SCATTER(u64);
	}
}

static bool decode_bytes(u8 *row, u32 stride, const struct trace_column *in,
			 const struct layout_column *c, u32 n)
{
	u16 size = in->h.size < c->size ? in->h.size : c->size;
	bool each = in->h.encoding == COLUMN_BYTES;
	const u8 *p = in->data;

	if (in->h.length != (u64)in->h.size * (each ? n : 1))
		return false;
	for (u32 i = 0; i < n; i++, row += stride, p += each ? in->h.size : 0)
		memcpy(row, p, size);
	return true;
}

static bool decode_tails(struct rows *rows, const struct trace_column *in)
{
	if (!trace_read_tails(in, rows->n, rows->tail_len, &rows->tails))
		return false;
	rows->tails_len = in->data + in->h.length - rows->tails;
	return true;
}

static const struct layout_column *column_find(const struct layout *l,
					       const struct column_head *h)
{
	bool bytes = h->encoding == COLUMN_BYTES || h->encoding == COLUMN_BYTES_CONST;

	for (u32 i = 0; i < l->n; i++)
		if (l->columns[i].name == h->name && l->columns[i].index == h->index)
			return l->columns[i].bytes == bytes ? &l->columns[i] : NULL;
	return NULL;
}

static bool is_const(const struct column_head *h)
{
	return h->encoding == COLUMN_CONST || h->encoding == COLUMN_BYTES_CONST;
}

/* Into the one row all others are copied from. */
static bool decode_const(u8 *row, const struct trace_column *in, const struct layout_column *c)
{
	u64 v;

	if (in->h.encoding == COLUMN_BYTES_CONST)
		return decode_bytes(row + c->offset, 0, in, c, 1);
	if (!trace_read_numbers(in, 1, &v))
		return false;
	scatter(row + c->offset, &v, 1, 0, c->size);
	return true;
}

static bool decode_column(const struct trace_column *in, const struct layout *l,
			  struct rows *rows, u64 *scratch)
{
	const struct layout_column *c = column_find(l, &in->h);
	u32 stride = l->type->size;

	if (in->h.encoding == COLUMN_TAIL)
		return !rows->tail_len || decode_tails(rows, in);
	if (!c || is_const(&in->h))
		return true;
	if (in->h.encoding == COLUMN_BYTES)
		return decode_bytes(rows->data + c->offset, stride, in, c, rows->n);
	if (in->h.encoding != COLUMN_PLAIN && in->h.encoding != COLUMN_DELTA)
		return true;
	if (!trace_read_numbers(in, rows->n, scratch))
		return false;
	scatter(rows->data + c->offset, scratch, rows->n, stride, c->size);
	return true;
}

static void rows_fill(struct rows *rows, const u8 *row, u16 size)
{
	for (u32 i = 0; i < rows->n; i++)
		memcpy(rows->data + (size_t)i * size, row, size);
}

/* Two passes: constants make the row all begin as, then what varies is laid over it. */
bool columns_decode(const struct trace_block *b, const struct layout *l, struct rows *rows,
		    u64 *scratch)
{
	u8 row[ROW_MAX] __attribute__((aligned(8))) = {};
	struct trace_column_iter it = {};
	const struct layout_column *c;
	struct trace_column in;
	int got;

	while ((got = trace_read_column(b, &it, &in)) > 0)
		if (is_const(&in.h) && (c = column_find(l, &in.h)) &&
		    !decode_const(row, &in, c))
			return false;
	if (got < 0)
		return false;
	rows_fill(rows, row, l->type->size);
	it = (struct trace_column_iter){};
	while (trace_read_column(b, &it, &in) > 0)
		if (!decode_column(&in, l, rows, scratch))
			return false;
	return true;
}
