/*
 * What writer, reader and their tests share beyond the bytes of a file, which
 * trace_read.h describes. Private to them.
 */
#ifndef TRACE_FORMAT_H
#define TRACE_FORMAT_H

#include <stddef.h>
#include "schema.h"
#include "trace_read.h"

#define ROW_MAX 1024u	/* largest struct without its tail */

/* What the writer gathers before it writes a block. */
#define BATCH_RECORDS 4096u
#define BATCH_BYTES   (256u << 10)

/* ---- columns of a kind, from its schema (trace_columns.c) ---- */

struct layout_column {
	u32 name;
	u16 offset, size;
	u8 index;
	bool sign, bytes;
};

struct layout {
	const struct record_type *type;	/* kind 0: rows without the head of records */
	u32 n;
	struct layout_column columns[];
};

struct layout *layout_new(const struct record_type *type);	/* free() it */
/* That of a kind, made when first asked for; NULL: a kind this program does not know. */
const struct layout *layout_get(struct layout *layouts[EVENT_KIND_MAX], u16 kind);

struct buffer {
	u8 *data;
	size_t len, room;
};
void buffer_reserve(struct buffer *b, size_t more);	/* no memory: ends the program */

struct rows {			/* records of one kind side by side, tails apart */
	u8 *data;		/* n * layout->type->size bytes */
	u32 n;
	u32 *tail_len;		/* n of them, or NULL */
	const u8 *tails;
	size_t tails_len;
};

/* Appends the payload of a records block. scratch: rows->n numbers. */
void columns_encode(struct buffer *out, const struct layout *l, const struct rows *rows,
		    u64 *scratch);
/* Writes all of rows->data, and the tails, which point into the payload. False: not a payload
 * of ours. scratch: rows->n numbers. */
bool columns_decode(const struct trace_block *b, const struct layout *l, struct rows *rows,
		    u64 *scratch);

/* ---- the index that a writer keeps (trace_index.c) ---- */

#define INDEX_MAX (1u << 20)	/* with more blocks the file gets none */

struct index_kept {
	struct trace_index_entry *list;
	size_t n, room;
	bool dropped;
};

void index_add(struct index_kept *x, const struct trace_index_entry *e);
/* The payload of the block that begins with entry `from`; how many it holds. */
u32 index_encode(const struct index_kept *x, size_t from, struct buffer *out);

/* ---- self-description (trace_schema.c) ---- */

void schema_text(struct buffer *out, const struct record_type *type);

/* ---- definitions kept by a writer (trace_defs.c) ---- */

struct definitions;
struct definitions *definitions_new(void);
void definitions_free(struct definitions *d);
/* True when the record must be written: no earlier one was the same but for time and CPU. */
bool definitions_add(struct definitions *d, const struct event *e);
/* From *i = 0 on; NULL: the end. */
const struct event *definitions_next(const struct definitions *d, size_t *i);

#endif
