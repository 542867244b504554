// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CRC32C by the processor's instruction where it has one, else by a table made at first use. */
#include <string.h>
#include "crc32c.h"

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

u32 crc32c(u32 crc, const void *data, size_t len)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("sse4.2"))
		return ~crc_sse(~crc, data, len);
#endif
	return ~crc_table(~crc, data, len);
}
