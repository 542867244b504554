// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rows to columns. What does not change costs a few bytes a block; numbers are
 * varints, of the difference to the record before where that is shorter. The
 * mirror is trace_decode.c; zstd goes over all of it afterwards.
 */
#include <string.h>
#include "trace_format.h"

#define SAMPLE 256	/* numbers looked at to choose between plain and delta */
#define VARINT_MAX 10

static inline u64 zigzag(s64 v)
{
	return (u64)v << 1 ^ (u64)(v >> 63);
}

static inline u8 *put_varint(u8 *p, u64 v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = v | 0x80;
	*p++ = v;
	return p;
}

static inline u32 varint_size(u64 v)
{
	return (70 - __builtin_clzll(v | 1)) / 7;
}

#define GATHER(type)							\
	for (u32 i = 0; i < n; i++, p += stride)			\
		v[i] = *(const type *)p

static void gather(u64 *v, const u8 *p, u32 n, u32 stride, const struct layout_column *c)
{
	switch (c->size | c->sign << 8) {
	case 1: GATHER(u8); break;
	case 2: GATHER(u16); break;
	case 4: GATHER(u32); break;
	case 1 | 1 << 8: GATHER(s8); break;
	case 2 | 1 << 8: GATHER(s16); break;
	case 4 | 1 << 8: GATHER(s32); break;
	default: GATHER(u64);
	}
	if (c->sign)
		for (u32 i = 0; i < n; i++)
			v[i] = zigzag(v[i]);
}

static bool is_const(const u64 *v, u32 n)
{
	for (u32 i = 1; i < n; i++)
		if (v[i] != v[0])
			return false;
	return true;
}

static bool delta_is_shorter(const u64 *v, u32 n)
{
	u32 plain = 0, delta = 0;

	for (u32 i = 1; i < n && i < SAMPLE; i++) {
		plain += varint_size(v[i]);
		delta += varint_size(zigzag(v[i] - v[i - 1]));
	}
	return delta < plain;
}

static u8 *encode_numbers(u8 *p, const u64 *v, u32 n, struct column_head *h)
{
	if (is_const(v, n)) {
		h->encoding = COLUMN_CONST;
		return put_varint(p, v[0]);
	}
	if (!delta_is_shorter(v, n)) {
		h->encoding = COLUMN_PLAIN;
		for (u32 i = 0; i < n; i++)
			p = put_varint(p, v[i]);
		return p;
	}
	h->encoding = COLUMN_DELTA;
	for (u64 i = 0, before = 0; i < n; before = v[i++])
		p = put_varint(p, zigzag(v[i] - before));
	return p;
}

static u8 *encode_bytes(u8 *out, const u8 *p, u32 n, u32 stride, struct column_head *h)
{
	u32 i;

	for (i = 1; i < n && !memcmp(p, p + (size_t)i * stride, h->size); i++)
		;
	h->encoding = i == n ? COLUMN_BYTES_CONST : COLUMN_BYTES;
	if (i == n)
		n = 1;
	for (i = 0; i < n; i++, out += h->size)
		memcpy(out, p + (size_t)i * stride, h->size);
	return out;
}

static void encode_tails(struct buffer *out, const struct rows *rows, struct column_head *h)
{
	u8 *p;

	*h = (struct column_head){ .name = trace_read_hash("tail"), .encoding = COLUMN_TAIL };
	buffer_reserve(out, (size_t)rows->n * VARINT_MAX + rows->tails_len);
	p = out->data + out->len;
	for (u32 i = 0; i < rows->n; i++)
		p = put_varint(p, rows->tail_len[i]);
	memcpy(p, rows->tails, rows->tails_len);
	h->length = p + rows->tails_len - (out->data + out->len);
	out->len += h->length;
}

static void encode_column(struct buffer *out, const struct layout_column *c,
			  const struct rows *rows, u32 stride, u64 *scratch,
			  struct column_head *h)
{
	const u8 *first = rows->data + c->offset;
	u8 *p, *end;

	*h = (struct column_head){ .name = c->name, .offset = c->offset, .size = c->size,
				   .index = c->index, .sign = c->sign };
	buffer_reserve(out, (size_t)rows->n * (c->bytes ? c->size : VARINT_MAX));
	p = out->data + out->len;
	if (c->bytes) {
		end = encode_bytes(p, first, rows->n, stride, h);
	} else {
		gather(scratch, first, rows->n, stride, c);
		end = encode_numbers(p, scratch, rows->n, h);
	}
	h->length = end - p;
	out->len += h->length;
}

void columns_encode(struct buffer *out, const struct layout *l, const struct rows *rows,
		    u64 *scratch)
{
	bool tail = l->type->tail;
	u32 counts[2] = { l->n + tail };
	size_t heads = out->len + sizeof(counts);
	struct column_head h;

	buffer_reserve(out, sizeof(counts) + counts[0] * sizeof(h));
	memcpy(out->data + out->len, counts, sizeof(counts));
	out->len += sizeof(counts) + counts[0] * sizeof(h);
	for (u32 i = 0; i < l->n; i++) {
		encode_column(out, &l->columns[i], rows, l->type->size, scratch, &h);
		memcpy(out->data + heads + i * sizeof(h), &h, sizeof(h));
	}
	if (tail) {
		encode_tails(out, rows, &h);
		memcpy(out->data + heads + l->n * sizeof(h), &h, sizeof(h));
	}
}
