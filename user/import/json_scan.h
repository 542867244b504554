/*
 * A pull scanner for JSON of any size in a window of fixed size: the caller
 * asks for the next key, item, text or number and steps over what it does not
 * want. What is written wrongly but clearly is taken (commas too many or at
 * the end, NaN, raw control characters); everything else is SCAN_BAD, after
 * which the caller may look for a place to go on.
 *
 *	scan_enter(s, '{');
 *	while ((r = scan_key(s, &key)) > 0)
 *		r = wanted(&key) ? scan_text(s, &value) : scan_skip(s);
 */
#ifndef JSON_SCAN_H
#define JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include "types.h"

#ifndef SCAN_WINDOW			/* the fuzzer takes a small one */
#define SCAN_WINDOW (256u << 10)	/* stays in the second-level cache */
#endif
#define SCAN_TEXT_MAX (SCAN_WINDOW / 2)	/* longer texts come out cut */

enum { SCAN_END = 0, SCAN_BAD = -1, SCAN_EARLY = -2 };	/* EARLY: the file ends here */

struct scan_text {		/* valid until the next call */
	const char *s;		/* as in the file, escapes undone by scan_unescape only */
	u32 n;
	bool escaped;
	bool cut;		/* was longer than SCAN_TEXT_MAX */
};

/* What stands between two values, or a bracket and a value, with the key in it. */
#define SCAN_GAP_MAX 64
struct scan_gap {
	u8 text[SCAN_GAP_MAX];
	u8 n;			/* 0: none, or none that can be known again */
	u8 behind;		/* 1: a value, 0: the bracket, 2: nothing ever is the same */
	u8 key, key_n;		/* where the key is in the text */
	bool escaped;		/* as in struct scan_text */
	bool end;		/* no key: the bracket */
};

typedef long (*scan_read)(void *ctx, void *buf, size_t n);	/* as unpack_read */

struct json_scan {
	const u8 *p, *end;	/* *end is 0: inner loops stop there without a check */
	u8 *buf;
	u64 before;		/* bytes of the file before buf */
	scan_read read;
	void *ctx;
	long error;		/* of read, negative */
	bool ended;
	bool value;		/* a value was read: a comma must come before the next key */
};

void scan_open(struct json_scan *s, scan_read read, void *ctx);
void scan_close(struct json_scan *s);
u64 scan_offset(const struct json_scan *s);

void scan_mark(struct json_scan *s);	/* steps over a byte order mark */
void scan_ahead(struct json_scan *s);	/* fills the window */
int scan_peek_space(struct json_scan *s);
/* The next byte that is no white space, not taken; 0 at the end of the file. */
static inline int scan_peek(struct json_scan *s)
{
	return *s->p > ' ' ? *s->p : scan_peek_space(s);
}

/* Takes it if it comes next. */
static inline bool scan_take(struct json_scan *s, int c)
{
	bool here = scan_peek(s) == c;

	s->p += here;
	return here;
}

/* Takes the bracket that begins an object or array: true if it is there. */
static inline bool scan_enter(struct json_scan *s, int bracket)
{
	bool here = scan_take(s, bracket);

	s->value &= !here;
	return here;
}

/* 1: a key, and its value comes next. SCAN_END: the bracket that ends it is taken. */
int scan_key(struct json_scan *s, struct scan_text *key);
/* The same, and what was crossed to the value (or with the bracket) in *gap, to be known by
 * plain_gap(). */
int scan_key_gap(struct json_scan *s, struct scan_text *key, struct scan_gap *gap);
int scan_item(struct json_scan *s);			/* the same for an array */
/* 1 or an error. A text, or a number or word as it is written. */
int scan_string(struct json_scan *s, struct scan_text *t);
int scan_word(struct json_scan *s, struct scan_text *t);
int scan_scalar(struct json_scan *s, struct scan_text *t, bool *quoted);
int scan_skip(struct json_scan *s);			/* a value of any kind */
/* After SCAN_BAD: to the next object that begins with one of these keys and can be an item
 * of an array. false: there is none. */
bool scan_resume(struct json_scan *s, const char *const *keys);

/* In place or to another buffer of n bytes; returns the length. Surrogate pairs become UTF-8;
 * what is no escape stays as it is, *odd is set. */
u32 scan_unescape(char *out, const char *s, u32 n, bool *odd);

/*
 * Decimals without floating point. value x 10^shift rounded half up; false: no number, or
 * it does not fit, then *out is the nearest that does. *inexact: digits were lost.
 */
bool scan_scaled(const char *s, u32 n, int shift, s64 *out, bool *inexact);
/* value x 10^exponent, no digit lost up to 18 of them */
bool scan_decimal(const char *s, u32 n, s64 *value, s32 *exponent, bool *inexact);
/* Whole numbers, decimal or 0x; true only if all of it is one and it fits. */
bool scan_whole(const char *s, u32 n, u64 *out);

#endif
