/*
 * Values as they are nearly always written, taken without a call: a whole
 * number of up to 16 digits, a time of microseconds with up to three digits
 * behind the point, a text without escapes that lies in the window, a key with
 * what stands around it the same as the last time. Of anything else nothing is
 * taken (false), and json_scan.h's functions read it.
 */
#ifndef JSON_PLAIN_H
#define JSON_PLAIN_H

#include <limits.h>
#include <string.h>
#include "json_bytes.h"
#include "json_scan.h"

/* Up to 8 digits at p at once: how many, and their number. */
static inline u32 plain_digits(const u8 *p, u64 *v)
{
	u64 word, odd;
	u32 n;

	memcpy(&word, p, 8);
	word ^= 0x3030303030303030;		/* digits are 0 .. 9 now */
	odd = ((word + 0x7676767676767676) | word) & 0x8080808080808080;
	n = odd ? __builtin_ctzll(odd) / 8 : 8;
	if (!n)
		return 0;
	word <<= 64 - 8 * n;			/* the last one is the highest byte */
	word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ff;
	word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffff;
	*v = (u32)(word * 10000 + (word >> 32));
	return n;
}

/* The same, up to 16. */
static inline u32 plain_number(const u8 *p, u64 *v)
{
	static const u32 powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000,
				      100000000 };
	u32 n = plain_digits(p, v), more;
	u64 low = 0;

	if (n < 8)
		return n;
	more = plain_digits(p + 8, &low);
	*v = *v * powers[more] + low;
	return 8 + more;
}

/* The number that ends at p is whole: nothing of it follows there, nor may follow later. */
static inline bool plain_end(const u8 *p)
{
	return !bytes_word[*p] && *p;
}

static inline bool plain_whole(struct json_scan *s, u64 *v)
{
	u32 n = plain_number(s->p, v);

	if (!n || !plain_end(s->p + n))
		return false;
	s->p += n;
	s->value = true;
	return true;
}

/* In ns. */
static inline bool plain_time(struct json_scan *s, s64 *ns)
{
	static const u32 scale[] = { 1000, 100, 10, 1 };
	const u8 *p = s->p;
	u64 us, part = 0;
	u32 n = plain_number(p, &us), digits = 0;

	if (!n || us > (u64)LLONG_MAX / 1000 - 1)
		return false;
	p += n;
	if (*p == '.') {
		digits = plain_digits(p + 1, &part);
		if (digits > 3)
			return false;
		p += 1 + digits;
	}
	if (!plain_end(p))
		return false;
	*ns = us * 1000 + (digits ? part * scale[digits] : 0);
	s->p = p;
	s->value = true;
	return true;
}

static inline bool plain_text(struct json_scan *s, struct scan_text *t)
{
	const u8 *end;

	if (*s->p != '"')
		return false;
	end = bytes_quote(s->p + 1);
	if (*end != '"')
		return false;
	*t = (struct scan_text){ .s = (const char *)s->p + 1, .n = end - s->p - 1 };
	s->p = end + 1;
	s->value = true;
	return true;
}

/* What scan_key_gap() has crossed stands here again. */
static inline bool plain_gap(struct json_scan *s, const struct scan_gap *g)
{
	if (g->behind != s->value || !bytes_same(s->p, g->text, g->n))
		return false;
	s->p += g->n;
	s->value = true;
	return true;
}

#endif
