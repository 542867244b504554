/*
 * Everything the suite prints as data goes through here: aligned tables and
 * JSON. JSON is valid whatever the strings hold (invalid UTF-8 is escaped) and
 * integers above 2^53 become strings, except times.
 */
#ifndef OUT_H
#define OUT_H

#include <stdarg.h>
#include <stdio.h>
#include "types.h"

struct json {
	FILE *f;
	int depth;
	bool comma;
	int indent;		/* 0: one line */
	u64 arrays;		/* bit d: what is open at depth d is an array */
	s64 zero_ns;		/* json_time() counts from it */
};

/* A value at the top ends with a newline. key NULL inside arrays and at the top; at most 63
 * deep. */
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_close(struct json *j);			/* the innermost open one */
void json_u64(struct json *j, const char *key, u64 v);
/* A point in CLOCK_MONOTONIC: always a number. It passes 2^53 after 104 days of uptime, from
 * when on readers that count in doubles are a nanosecond off; a string then would break every
 * sum of theirs. */
void json_time(struct json *j, const char *key, u64 ns);
void json_s64(struct json *j, const char *key, s64 v);
/* 9 digits; null when it is no finite number */
void json_real(struct json *j, const char *key, double v);
void json_hex(struct json *j, const char *key, u64 v);	/* "0x..." */
void json_bool(struct json *j, const char *key, bool v);
void json_null(struct json *j, const char *key);
void json_str(struct json *j, const char *key, const char *s);
/* up to NUL or n */
void json_strn(struct json *j, const char *key, const char *s, size_t n);

/* A table whose column widths follow from its cells. */
struct table;
/* heads: "TIME(ms)" right-aligned, "<NAME" left-aligned, "~MIN" right-aligned and left out
 * where the last column would be cut too short; NULL ends. */
struct table *table_new(const char *const *heads);
void table_cell(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* width: of the terminal, 0 unlimited; the last left-aligned column is cut with "..." */
void table_print(struct table *t, FILE *f, int width, const char *indent);
void table_free(struct table *t);

/* Human numbers into buf (>= 16 bytes), which is returned: "1.23 ms", "4.0 MiB", "12.3
 * GB/s". */
char *human_ns(char *buf, u64 ns);
char *human_bytes(char *buf, u64 bytes);
char *human_rate(char *buf, u64 bytes, u64 ns);

/* Names come from other programs: what would steer a terminal or is no UTF-8 becomes '?'. */
void out_clean(char *text);
/* Length of the valid UTF-8 sequence of several bytes at s (at most n), 0 if it is none. */
size_t utf8_length(const unsigned char *s, size_t n);
/* So cleaned; NULL: no memory. The caller frees it. */
char *out_text(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));
/* One line so cleaned, and its end. */
void out_line(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

int out_finish(FILE *f, const char *what);	/* flush; 0 or reported error (full disk); EPIPE
						 * is quiet */

#endif
