// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Columns to rows: the mirror of trace_encode.c. Its input is a file from
 * anywhere: every length is checked against what is there, none is believed.
 */
#include <string.h>
#include "trace_format.h"

static inline s64 unzigzag(u64 v)
{
	return (s64)(v >> 1) ^ -(s64)(v & 1);
}

/* NULL: the number does not end before `end`, or not within 64 bits. */
static inline const u8 *get_varint(const u8 *p, const u8 *end, u64 *v)
{
	u64 r = 0;

	if (p < end && *p < 0x80) {
		*v = *p;
		return p + 1;
	}
	for (u32 shift = 0; shift < 64 && p < end; shift += 7) {
		r |= (u64)(*p & 0x7f) << shift;
		if (*p++ < 0x80) {
			*v = r;
			return p;
		}
	}
	return NULL;
}

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

static bool decode_numbers(u64 *v, const u8 *p, const struct column_head *h, u32 n)
{
	const u8 *end = p + h->length;
	u64 sum = 0, x;

	for (u32 i = 0; i < n; i++) {
		p = get_varint(p, end, &x);
		if (!p)
			return false;
		sum += unzigzag(x);
		v[i] = h->encoding == COLUMN_DELTA ? sum : x;
	}
	if (h->sign)
		for (u32 i = 0; i < n; i++)
			v[i] = unzigzag(v[i]);
	return p == end;
}

static bool decode_bytes(u8 *row, u32 stride, const u8 *p, const struct column_head *h,
			 const struct trace_column *c, u32 n)
{
	u16 size = h->size < c->size ? h->size : c->size;
	bool each = h->encoding == COLUMN_BYTES;

	if (h->length != (u64)h->size * (each ? n : 1))
		return false;
	for (u32 i = 0; i < n; i++, row += stride, p += each ? h->size : 0)
		memcpy(row, p, size);
	return true;
}

static bool decode_tails(struct rows *rows, const u8 *p, const struct column_head *h)
{
	const u8 *end = p + h->length;
	u64 sum = 0, len;

	for (u32 i = 0; i < rows->n; i++) {
		p = get_varint(p, end, &len);
		if (!p || len > RECORD_MAX)
			return false;
		rows->tail_len[i] = len;
		sum += len;
	}
	rows->tails = p;
	rows->tails_len = sum;
	return sum == (u64)(end - p);
}

static const struct trace_column *column_find(const struct layout *l,
					      const struct column_head *h)
{
	bool bytes = h->encoding == COLUMN_BYTES || h->encoding == COLUMN_BYTES_CONST;

	for (u32 i = 0; i < l->n; i++)
		if (l->columns[i].name == h->name && l->columns[i].index == h->index)
			return l->columns[i].bytes == bytes ? &l->columns[i] : NULL;
	return NULL;
}

/* A constant is put into the one row all others are copied from; true: done with the column. */
static bool decode_const(u8 *row, const u8 *p, const struct column_head *h,
			 const struct trace_column *c, bool *ok)
{
	u64 v;

	if (h->encoding == COLUMN_BYTES_CONST) {
		*ok = decode_bytes(row + c->offset, 0, p, h, c, 1);
		return true;
	}
	if (h->encoding != COLUMN_CONST)
		return false;
	*ok = decode_numbers(&v, p, h, 1);
	if (*ok)
		scatter(row + c->offset, &v, 1, 0, c->size);
	return true;
}

static bool decode_column(const u8 *p, const struct column_head *h, const struct layout *l,
			  struct rows *rows, u64 *scratch)
{
	const struct trace_column *c = column_find(l, h);
	u32 stride = l->type->size;

	if (h->encoding == COLUMN_TAIL)
		return !rows->tail_len || decode_tails(rows, p, h);
	if (!c || h->encoding == COLUMN_CONST || h->encoding == COLUMN_BYTES_CONST)
		return true;
	if (h->encoding == COLUMN_BYTES)
		return decode_bytes(rows->data + c->offset, stride, p, h, c, rows->n);
	if (h->encoding != COLUMN_PLAIN && h->encoding != COLUMN_DELTA)
		return true;
	if (!decode_numbers(scratch, p, h, rows->n))
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
bool columns_decode(const u8 *payload, size_t len, const struct layout *l, struct rows *rows,
		    u64 *scratch)
{
	u8 row[ROW_MAX] __attribute__((aligned(8))) = {};
	const struct trace_column *c;
	struct column_head h;
	size_t at;
	u32 n;

	if (len < 8)
		return false;
	memcpy(&n, payload, 4);
	if (n > (len - 8) / sizeof(h))
		return false;
	for (int pass = 0; pass < 2; pass++) {
		at = 8 + n * sizeof(h);
		for (u32 i = 0; i < n; i++, at += h.length) {
			bool ok = true;

			memcpy(&h, payload + 8 + i * sizeof(h), sizeof(h));
			if (h.length > len - at)
				return false;
			c = column_find(l, &h);
			if (pass ? !decode_column(payload + at, &h, l, rows, scratch)
				 : c && decode_const(row, payload + at, &h, c, &ok) && !ok)
				return false;
		}
		if (!pass)
			rows_fill(rows, row, l->type->size);
	}
	return at == len;
}
