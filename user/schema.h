/*
 * The description of every record kind: one table from which the trace file's
 * columns, the JSON keys, table cells and the manual follow. A test compares
 * it with the structs as the compiler laid them out.
 */
#ifndef SCHEMA_H
#define SCHEMA_H

#include <stddef.h>
#include "event.h"

enum as {			/* how a value is shown; also its meaning in a trace file */
	AS_DEC = 1, AS_SIGNED, AS_HEX, AS_TIME, AS_NS, AS_SIZE,	/* numbers */
	AS_DIMS,		/* u32[3] */
	AS_STR,			/* char[N] */
	AS_BYTES,		/* u8[N], hex */
	AS_ENUM,		/* number with names; unknown ones shown as numbers */
	AS_NAME,		/* id of a struct name of the same producer */
	AS_STACK,		/* id of a struct stack */
	AS_ERRNO,		/* s32, negative errno */
	AS_CURESULT,		/* s32, CUresult */
	AS_DEVNO,		/* u32 major << 20 | minor */
	AS_US,			/* ns shown as microseconds */
	AS_HIST,		/* u32[N], log2 slots */
	AS_TEXT, AS_FRAMES,	/* tails */
	AS_COMM,		/* u32 process id, shown as its command name */
	AS_MAYBE = 0x100,	/* columns, ORed: all bits set is unknown: - and null */
};

struct enum_name { s64 value; const char *name; };	/* ends with name NULL */

struct field {
	const char *name;	/* member, JSON key; NULL ends a list */
	u16 off, size;
	u16 as;			/* enum as */
	const struct enum_name *names;	/* AS_ENUM */
	const char *help;
};

struct record_type {
	u16 kind, size;		/* size: sizeof the struct, without the tail */
	u16 tail;		/* 0, AS_TEXT or AS_FRAMES */
	const char *name;	/* "kernel" */
	const struct field *fields;	/* behind the head; padding is not listed */
};

/* NULL for a kind this program does not know. */
const struct record_type *record_type(u16 kind);
const struct record_type *record_type_next(u16 *kind);	/* iterate: start with 0, NULL at the
							 * end */
const struct field *record_field(const struct record_type *type, const char *name);
extern const struct field event_fields[];	/* of the head: ts pid tid producer cpu */

/* The names of an AS_ENUM field, and one of them: NULL unknown. */
const struct enum_name *record_enum_names(u16 kind, const char *field);
const char *record_enum_name(u16 kind, const char *field, s64 value);
const char *enum_name(const struct enum_name *names, s64 value);	/* NULL: unknown */

/* Tail of a record with AS_TEXT: always NUL-terminated in what reader and ring deliver. */
static inline const char *record_text(const struct event *e, size_t fixed)
{
	return (const char *)e + fixed;
}

#endif
