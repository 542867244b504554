/*
 * Crossing bytes of JSON: each function returns the first byte from p on that
 * is asked for, or a zero byte. Up to BYTES_PAD bytes behind that zero are
 * read, so buffers end in as many.
 */
#ifndef JSON_BYTES_H
#define JSON_BYTES_H

#include <stdbool.h>
#include <string.h>
#include "types.h"

#define BYTES_PAD 64

extern const u8 bytes_word[256];	/* 1: numbers and words are made of it */

#ifdef __SSE2__
#include <emmintrin.h>

static inline __m128i bytes_equal(__m128i v, char c)
{
	return _mm_cmpeq_epi8(v, _mm_set1_epi8(c));
}

/* Quote or backslash. */
static inline const u8 *bytes_quote(const u8 *p)
{
	for (;; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)p);
		__m128i hit = _mm_or_si128(bytes_equal(v, '"'), bytes_equal(v, '\\'));
		u32 bits = _mm_movemask_epi8(_mm_or_si128(hit, bytes_equal(v, 0)));

		if (bits)
			return p + __builtin_ctz(bits);
	}
}

/* A bit for each of 32 bytes. */
struct bytes_nest {
	u32 quotes, open, close;
	u32 odd;		/* backslash or zero */
};

static inline void bytes_nest16(struct bytes_nest *n, const u8 *p, u32 shift)
{
	__m128i v = _mm_loadu_si128((const __m128i *)p);
	/* [ and ] differ from { and } in one bit */
	__m128i low = _mm_or_si128(v, _mm_set1_epi8(0x20));
	__m128i odd = _mm_or_si128(bytes_equal(v, '\\'), bytes_equal(v, 0));

	n->quotes |= (u32)_mm_movemask_epi8(bytes_equal(v, '"')) << shift;
	n->open |= (u32)_mm_movemask_epi8(bytes_equal(low, '{')) << shift;
	n->close |= (u32)_mm_movemask_epi8(bytes_equal(low, '}')) << shift;
	n->odd |= (u32)_mm_movemask_epi8(odd) << shift;
}

static inline void bytes_nest(struct bytes_nest *n, const u8 *p)
{
	*n = (struct bytes_nest){};
	bytes_nest16(n, p, 0);
	bytes_nest16(n, p + 16, 16);
}

/* Bits of the 16 bytes that are the same. */
static inline u32 bytes_same16(const u8 *a, const u8 *b)
{
	__m128i x = _mm_loadu_si128((const __m128i *)a);

	return _mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_loadu_si128((const __m128i *)b)));
}

/* Not a blank, tab or end of line. */
static inline const u8 *bytes_skip_space(const u8 *p)
{
	for (;; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)p);
		__m128i space = _mm_or_si128(bytes_equal(v, ' '), bytes_equal(v, '\n'));
		u32 bits;

		space = _mm_or_si128(space, _mm_or_si128(bytes_equal(v, '\t'),
							 bytes_equal(v, '\r')));
		bits = ~_mm_movemask_epi8(space) & 0xffff;
		if (bits)
			return p + __builtin_ctz(bits);
	}
}

/* n bytes, and up to 15 more. */
static inline void bytes_copy(u8 *to, const u8 *from, u32 n)
{
	for (u32 i = 0; i < n; i += 16)
		_mm_storeu_si128((__m128i *)(to + i),
				 _mm_loadu_si128((const __m128i *)(from + i)));
}

/* The first n of at most 64 bytes; 64 are there. */
static inline bool bytes_same(const u8 *a, const u8 *b, u32 n)
{
	u64 same = bytes_same16(a, b) | bytes_same16(a + 16, b + 16) << 16;

	if (n > 32)
		same |= (u64)(bytes_same16(a + 32, b + 32) |
			      bytes_same16(a + 48, b + 48) << 16) << 32;
	return !(~same << (64 - n));
}
#else
static inline const u8 *bytes_quote(const u8 *p)
{
	while (*p && *p != '"' && *p != '\\')
		p++;
	return p;
}

struct bytes_nest { u32 quotes, open, close, odd; };

static inline void bytes_nest(struct bytes_nest *n, const u8 *p)
{
	*n = (struct bytes_nest){};
	for (u32 i = 0; i < 32; i++) {
		n->quotes |= (u32)(p[i] == '"') << i;
		n->open |= (u32)((p[i] | 0x20) == '{') << i;
		n->close |= (u32)((p[i] | 0x20) == '}') << i;
		n->odd |= (u32)(p[i] == '\\' || !p[i]) << i;
	}
}

static inline const u8 *bytes_skip_space(const u8 *p)
{
	while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')
		p++;
	return p;
}

static inline void bytes_copy(u8 *to, const u8 *from, u32 n)
{
	memcpy(to, from, n);
}

static inline bool bytes_same(const u8 *a, const u8 *b, u32 n)
{
	return !memcmp(a, b, n);
}
#endif
#endif
