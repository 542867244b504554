/* How a record is written as a line of text that mktrace reads. */
#ifndef LINES_H
#define LINES_H

#include <stdio.h>
#include "schema.h"

static inline void put_byte(u8 c)	/* of a text in quotes */
{
	if (c == '"' || c == '\\')
		printf("\\%c", c);
	else if (c < 0x20 || c >= 0x7f)
		printf("\\x%02x", c);
	else
		putchar(c);
}

static inline u32 element_size(const struct field *f)
{
	return f->as == AS_DIMS || f->as == AS_HIST ? 4 : f->size;
}

static inline bool is_signed(const struct field *f)
{
	return f->as == AS_SIGNED || f->as == AS_ERRNO || f->as == AS_CURESULT;
}

#endif
