// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Columns of a trace's blocks as numbers, and the checksum of blocks; see trace_read.h. */
#include <string.h>
#include "trace_read.h"

#define TAIL_MAX 65528u		/* of a record: its size is a multiple of 8 below 2^16 */

static inline s64 unzigzag(u64 v)
{
	return (s64)(v >> 1) ^ -(s64)(v & 1);
}

/* NULL: the number does not end before `end`, or not within 64 bits. */
static inline const u8 *get_varint(const u8 *p, const u8 *end, u64 *v)
{
	u64 r = 0;

	if (end - p >= 2 && p[0] >= 0x80 && p[1] < 0x80) {
		*v = (p[0] & 0x7f) | (u64)p[1] << 7;
		return p + 2;
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

/* As many bytes as numbers: each has one, unless a byte says otherwise. */
static bool single_bytes(const u8 *p, u32 n, u64 *v)
{
	u8 all = 0;

	for (u32 i = 0; i < n; i++)
		all |= p[i];
	if (all >= 0x80)
		return false;
	for (u32 i = 0; i < n; i++)
		v[i] = p[i];
	return true;
}

static bool varints(const u8 *p, u32 length, u32 n, u64 *v)
{
	const u8 *end = p + length;

	if (length == n)
		return single_bytes(p, n, v);
	for (u32 i = 0; i < n; i++) {
		if (p < end && *p < 0x80) {
			v[i] = *p++;
			continue;
		}
		p = get_varint(p, end, &v[i]);
		if (!p)
			return false;
	}
	return p == end;
}

bool trace_read_numbers(const struct trace_column *c, u32 n, u64 *v)
{
	u64 sum = 0;

	if (c->h.encoding == COLUMN_CONST)
		n = 1;
	if (!varints(c->data, c->h.length, n, v))
		return false;
	if (c->h.encoding == COLUMN_DELTA)
		for (u32 i = 0; i < n; i++)
			v[i] = sum += unzigzag(v[i]);
	if (c->h.sign)
		for (u32 i = 0; i < n; i++)
			v[i] = unzigzag(v[i]);
	return true;
}

bool trace_read_tails(const struct trace_column *c, u32 n, u32 *lengths, const u8 **bytes)
{
	const u8 *p = c->data, *end = p + c->h.length;
	u64 sum = 0, len;

	for (u32 i = 0; i < n; i++) {
		p = get_varint(p, end, &len);
		if (!p || len > TAIL_MAX)
			return false;
		lengths[i] = len;
		sum += len;
	}
	*bytes = p;
	return sum == (u64)(end - p);
}

int trace_read_column(const struct trace_block *b, struct trace_column_iter *it,
		      struct trace_column *c)
{
	if (!it->at) {
		if (b->raw < 8)
			return -1;
		memcpy(&it->n, b->payload, 4);
		if (it->n > (b->raw - 8) / sizeof(c->h))
			return -1;
		it->at = 8 + it->n * sizeof(c->h);
	}
	if (it->i == it->n)
		return it->at == b->raw ? 0 : -1;
	memcpy(&c->h, b->payload + 8 + it->i * sizeof(c->h), sizeof(c->h));
	if (c->h.length > b->raw - it->at)
		return -1;
	c->data = b->payload + it->at;
	it->at += c->h.length;
	it->i++;
	return 1;
}

/* FNV-1a: short, and without collisions among our names (a test looks). */
u32 trace_read_hash(const char *field)
{
	u32 h = 2166136261u;

	for (; *field; field++)
		h = (h ^ (u8)*field) * 16777619u;
	return h;
}

int trace_read_values(const struct trace_block *b, const char *field, u8 index, u64 *v)
{
	struct trace_column_iter it = {};
	struct trace_column c;
	u32 name = trace_read_hash(field);
	int got;

	while ((got = trace_read_column(b, &it, &c)) > 0)
		if (c.h.name == name && c.h.index == index && c.h.encoding <= COLUMN_DELTA)
			break;
	if (got < 0)
		return -1;
	if (!got)
		return memset(v, 0, b->records * sizeof(*v)), 0;
	if (!trace_read_numbers(&c, b->records, v))
		return -1;
	for (u32 i = 1; c.h.encoding == COLUMN_CONST && i < b->records; i++)
		v[i] = v[0];
	return 1;
}

/* ---- CRC-32C: by the processor's instruction where it has one, else by a table ---- */

#define POLY 0x82f63b78u	/* Castagnoli, bits reversed */

static u32 crc_byte(u32 c)
{
	for (int i = 0; i < 8; i++)
		c = c >> 1 ^ (c & 1 ? POLY : 0);
	return c;
}

static u32 crc_table(u32 crc, const u8 *p, size_t len)
{
	static u32 table[256];	/* filled by several threads alike: the same values */

	if (!__atomic_load_n(&table[255], __ATOMIC_ACQUIRE)) {
		for (u32 i = 0; i < 255; i++)
			table[i] = crc_byte(i);
		__atomic_store_n(&table[255], crc_byte(255), __ATOMIC_RELEASE);
	}
	while (len--)
		crc = table[(crc ^ *p++) & 0xff] ^ crc >> 8;
	return crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) static u32 crc_sse(u32 crc, const u8 *p, size_t len)
{
	u64 c = crc, v;

	for (; len >= 8; len -= 8, p += 8) {
		memcpy(&v, p, 8);
		c = __builtin_ia32_crc32di(c, v);
	}
	while (len--)
		c = __builtin_ia32_crc32qi(c, *p++);
	return c;
}
#endif

u32 trace_crc32c(u32 crc, const void *data, size_t len)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("sse4.2"))
		return ~crc_sse(~crc, data, len);
#endif
	return ~crc_table(~crc, data, len);
}
