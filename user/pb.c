// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See pb.h. Wire format: the Protocol Buffers encoding document, wire types 0, 1 and 2. */
#include <stdlib.h>
#include <string.h>
#include "out.h"
#include "pb.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

void pb_reset(struct pb *pb)
{
	pb->size = 0;
	pb->failed = false;
}

void pb_free(struct pb *pb)
{
	free(pb->data);
	*pb = (struct pb){};
}

static bool grow(struct pb *pb, size_t n)
{
	size_t room = pb->room ? pb->room : 4096;
	u8 *data;

	if (pb->size + n <= pb->room)
		return true;
	while (room < pb->size + n)
		room *= 2;
	data = realloc(pb->data, room);
	if (!data) {
		pb->failed = true;
		return false;
	}
	pb->data = data;
	pb->room = room;
	return true;
}

static void varint(struct pb *pb, u64 v)
{
	if (!grow(pb, 10))
		return;
	while (v >= 0x80) {
		pb->data[pb->size++] = (u8)v | 0x80;
		v >>= 7;
	}
	pb->data[pb->size++] = (u8)v;
}

static void tag(struct pb *pb, u32 field, u32 wire)
{
	varint(pb, (u64)field << 3 | wire);
}

void pb_u64(struct pb *pb, u32 field, u64 v)
{
	tag(pb, field, WIRE_VARINT);
	varint(pb, v);
}

void pb_s64(struct pb *pb, u32 field, s64 v)
{
	pb_u64(pb, field, (u64)v);
}

void pb_fixed64(struct pb *pb, u32 field, u64 v)
{
	tag(pb, field, WIRE_FIXED64);
	if (!grow(pb, sizeof(v)))
		return;
	for (size_t i = 0; i < sizeof(v); i++)
		pb->data[pb->size++] = v >> 8 * i;
}

void pb_double(struct pb *pb, u32 field, double v)
{
	u64 bits;

	memcpy(&bits, &v, sizeof(bits));
	pb_fixed64(pb, field, bits);
}

void pb_bytes(struct pb *pb, u32 field, const void *p, size_t n)
{
	tag(pb, field, WIRE_BYTES);
	varint(pb, n);
	if (!grow(pb, n))
		return;
	memcpy(pb->data + pb->size, p, n);
	pb->size += n;
}

void pb_str(struct pb *pb, u32 field, const char *text)
{
	size_t n = strlen(text), at, step;
	u8 *p;

	pb_bytes(pb, field, text, n);
	if (pb->failed)
		return;
	p = pb->data + pb->size - n;
	for (at = 0; at < n; at += step) {
		step = p[at] < 0x80 ? 1 : utf8_length((const u8 *)text + at, n - at);
		if (!step) {
			p[at] = '?';
			step = 1;
		}
	}
}

size_t pb_open(struct pb *pb, u32 field)
{
	tag(pb, field, WIRE_BYTES);
	if (grow(pb, 4))
		pb->size += 4;
	return pb->size;
}

void pb_close(struct pb *pb, size_t opened)
{
	size_t n = pb->size - opened;
	u8 *p;

	if (pb->failed)
		return;
	if (n >> 28) {		/* no packet of ours comes near 256 MiB */
		pb->failed = true;
		return;
	}
	p = pb->data + opened - 4;
	p[0] = (u8)(n & 0x7f) | 0x80;
	p[1] = (u8)(n >> 7 & 0x7f) | 0x80;
	p[2] = (u8)(n >> 14 & 0x7f) | 0x80;
	p[3] = (u8)(n >> 21 & 0x7f);
}
