/* A text file of another tool by lines, packed or not, and what is picked out of them. */
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>
#include "import.h"

struct lines;

int lines_open(struct lines **l, const char *path);	/* 0 or reported */
/* The next line without its end, NUL-terminated; it lives until the next call. NULL: the end,
 * or a reported error (lines_error). A line longer than LINE_MAX_BYTES is cut and counted. */
#define LINE_MAX_BYTES (1u << 20)
char *lines_next(struct lines *l, size_t *n);
int lines_error(const struct lines *l);
u64 lines_bytes(const struct lines *l);		/* so far, unpacked */
u64 lines_count(const struct lines *l);		/* of ends of lines so far */
u64 lines_cut(const struct lines *l);
void lines_close(struct lines *l);		/* NULL is fine */

/*
 * A decimal as nanoseconds (or any unit): 10^scale of the unit are one of the number, so
 * scale 9 turns "1.5" seconds into 1500000000. What is beyond the unit is rounded half up and
 * counted in *rounded. end: behind it. false: no number, or too large.
 */
bool text_decimal(const char *s, u32 scale, u64 *value, const char **end, u64 *rounded);
/* Can this be a time? Else it is counted, and the row is none. */
bool text_time(struct import *im, u64 ts);
/* The number behind " KEY " or ", KEY " of a list "KEY number, KEY number"; false: none. */
bool text_number(const char *s, const char *key, u64 *value);
bool text_begins(const char *s, const char *start);

#endif
