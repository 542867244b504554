/* Inside of the room: names as code points, cut to a width, and safe inside XML. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct flame_text {
	uint32_t *c;
	size_t n, room;
};

/* Sets t to the text of s; what is no UTF-8 or may not stand in XML becomes U+FFFD, a tab a
 * blank. -1: no memory, t is empty. */
int flame_text_set(struct flame_text *t, const char *s, size_t n);
/* As much of a function's name as tells it apart in so many columns; the rule is in text.c.
 * out is empty when nothing fits. -1: no memory. */
int flame_text_cut(const struct flame_text *name, size_t columns, struct flame_text *out);
void flame_text_write(const struct flame_text *t, FILE *out);
/* A JSON string that may stand in a script element; t: scratch. */
void flame_json(struct flame_text *t, const char *s, size_t n, FILE *out);
void flame_text_free(struct flame_text *t);

/* "1.235 ms (1,234,567 ns)" or "1,234 samples" */
#define FLAME_VALUE_LEN 128
char *flame_value(char buf[FLAME_VALUE_LEN], uint64_t value, const char *countname);

#endif
