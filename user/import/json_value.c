// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What texts and numbers of JSON mean; see json_scan.h. Times are decimals of
 * microseconds with up to 16 digits before the point, which no double holds:
 * they go through 128 bits as whole numbers.
 */
#include <limits.h>
#include <string.h>
#include "json_bytes.h"
#include "json_scan.h"

#define DIGITS_MAX 36		/* 10^36 < 2^120 */

const u8 bytes_word[256] = {
	['0' ... '9'] = 1, ['a' ... 'z'] = 1, ['A' ... 'Z'] = 1,
	['+'] = 1, ['-'] = 1, ['.'] = 1, ['_'] = 1,
};

struct decimal {		/* digits x 10^exponent */
	unsigned __int128 digits;
	s32 exponent;
	bool negative;
	bool lost;		/* digits other than 0 that did not fit */
};

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *read_digits(struct decimal *d, u32 *n, const char *s, const char *end,
			       int step)
{
	for (; s < end && digit(*s); s++) {
		if (*n < DIGITS_MAX) {
			d->digits = d->digits * 10 + (*s - '0');
			*n += d->digits != 0;
			d->exponent -= step;
		} else {
			d->lost |= *s != '0';
			d->exponent += !step;
		}
	}
	return s;
}

static bool read_exponent(struct decimal *d, const char *s, const char *end)
{
	bool minus = s < end && *s == '-';
	s32 e = 0;

	s += s < end && (*s == '-' || *s == '+');
	if (s == end)
		return false;
	for (; s < end && digit(*s); s++)
		e = e < 100000 ? e * 10 + (*s - '0') : e;
	d->exponent += minus ? -e : e;
	return s == end;
}

static bool read_decimal(struct decimal *d, const char *s, u32 n)
{
	const char *end = s + n, *from;
	u32 digits = 0;

	*d = (struct decimal){ .negative = n && *s == '-' };
	s += n && (*s == '-' || *s == '+');
	from = s;
	s = read_digits(d, &digits, s, end, 0);
	if (s < end && *s == '.')
		s = read_digits(d, &digits, s + 1, end, 1);
	if (s == from || (s == from + 1 && *from == '.'))
		return false;
	if (s < end && (*s == 'e' || *s == 'E'))
		return read_exponent(d, s + 1, end);
	return s == end;
}

/* Rounds half up, away from zero for negative ones. */
static void shift_right(struct decimal *d, bool *inexact)
{
	unsigned __int128 power = 1;
	unsigned __int128 rest;

	*inexact |= d->lost;
	for (; d->exponent < 0 && power < d->digits * 10; d->exponent++) {
		if (power > (unsigned __int128)-1 / 10)
			break;
		power *= 10;
	}
	if (d->exponent < 0) {		/* far below one half */
		*inexact |= d->digits != 0;
		d->digits = 0;
		d->exponent = 0;
		return;
	}
	rest = d->digits % power;
	d->digits = d->digits / power + (rest >= power - power / 2 && power > 1);
	*inexact |= rest != 0;
}

/* The usual: up to 16 digits, a point, no more digits than shift. */
static bool scaled_short(const char *s, u32 n, int shift, s64 *out)
{
	u64 v = 0;
	u32 i;

	for (i = 0; i < n && digit(s[i]); i++)
		v = v * 10 + (s[i] - '0');
	if (!i || i > 16 || shift > 3)
		return false;
	if (i < n && s[i] == '.')
		for (i++; i < n && digit(s[i]) && shift > 0; i++, shift--)
			v = v * 10 + (s[i] - '0');
	for (; shift > 0; shift--)
		v *= 10;
	*out = v;
	return i == n && v <= LLONG_MAX;
}

bool scan_scaled(const char *s, u32 n, int shift, s64 *out, bool *inexact)
{
	struct decimal d;
	bool fits = true;

	if (scaled_short(s, n, shift, out))
		return true;
	if (!read_decimal(&d, s, n)) {
		*out = 0;
		return false;
	}
	d.exponent += shift;
	if (!d.digits)
		d.exponent = 0;
	if (d.exponent < 0)
		shift_right(&d, inexact);
	for (; d.exponent > 0 && fits; d.exponent--) {
		fits = d.digits <= LLONG_MAX / 10;
		d.digits *= fits ? 10 : 1;
	}
	if (!fits || d.digits > LLONG_MAX) {
		*out = d.negative ? -LLONG_MAX : LLONG_MAX;
		return false;
	}
	*out = d.negative ? -(s64)d.digits : (s64)d.digits;
	return true;
}

bool scan_decimal(const char *s, u32 n, s64 *value, s32 *exponent, bool *inexact)
{
	struct decimal d;

	*value = 0;
	*exponent = 0;
	if (!read_decimal(&d, s, n))
		return false;
	while (d.digits && !(d.digits % 10) && d.exponent < 0) {
		d.digits /= 10;
		d.exponent++;
	}
	for (; d.digits > LLONG_MAX; d.exponent++) {
		d.lost |= d.digits % 10 != 0;
		d.digits /= 10;
	}
	*inexact |= d.lost;
	*value = d.negative ? -(s64)d.digits : (s64)d.digits;
	*exponent = d.digits ? d.exponent : 0;
	return true;
}

static int hex_digit(char c)
{
	if (digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool whole_hex(const char *s, u32 n, u64 *out)
{
	u64 v = 0;

	for (u32 i = 0; i < n; i++) {
		if (hex_digit(s[i]) < 0 || v >> 60)
			return false;
		v = v << 4 | hex_digit(s[i]);
	}
	*out = v;
	return n > 0;
}

bool scan_whole(const char *s, u32 n, u64 *out)
{
	u64 v = 0;

	if (n > 2 && s[0] == '0' && (s[1] | 0x20) == 'x')
		return whole_hex(s + 2, n - 2, out);
	for (u32 i = 0; i < n; i++) {
		if (!digit(s[i]) || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (u64)(s[i] - '0'), &v))
			return false;
	}
	*out = v;
	return n > 0;
}

static char *put_utf8(char *out, u32 c)
{
	if (c < 0x80) {
		*out++ = c;
		return out;
	}
	if (c < 0x800) {
		*out++ = 0xc0 | c >> 6;
	} else {
		if (c < 0x10000) {
			*out++ = 0xe0 | c >> 12;
		} else {
			*out++ = 0xf0 | c >> 18;
			*out++ = 0x80 | (c >> 12 & 0x3f);
		}
		*out++ = 0x80 | (c >> 6 & 0x3f);
	}
	*out++ = 0x80 | (c & 0x3f);
	return out;
}

/* The number behind \u at s, or -1. */
static s32 code_unit(const char *s, const char *end)
{
	u64 v;

	if (end - s < 6 || s[0] != '\\' || s[1] != 'u' || !whole_hex(s + 2, 4, &v))
		return -1;
	return v;
}

/* One \uXXXX or two of them; 0: it is none. A half of a pair alone becomes U+FFFD. */
static u32 put_code(char **out, const char *s, const char *end)
{
	s32 a = code_unit(s, end), b;

	if (a < 0)
		return 0;
	if (a < 0xd800 || a > 0xdfff) {
		*out = put_utf8(*out, a ? a : 0xfffd);	/* texts of records end at a zero */
		return 6;
	}
	b = a < 0xdc00 ? code_unit(s + 6, end) : -1;
	if (b < 0xdc00 || b > 0xdfff) {
		*out = put_utf8(*out, 0xfffd);
		return 6;
	}
	*out = put_utf8(*out, 0x10000 + ((u32)(a - 0xd800) << 10) + (b - 0xdc00));
	return 12;
}

u32 scan_unescape(char *out, const char *s, u32 n, bool *odd)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *end = s + n, *at;
	char *o = out;
	u32 taken;

	while (s < end) {
		if (*s != '\\') {
			*o++ = *s++;
			continue;
		}
		at = s + 1 < end && s[1] ? strchr(from, s[1]) : NULL;
		taken = at ? 2 : put_code(&o, s, end);
		if (at) {
			*o++ = to[at - from];
		} else if (!taken) {
			*odd = true;
			*o++ = *s;
			taken = 1;
		}
		s += taken;
	}
	return o - out;
}
