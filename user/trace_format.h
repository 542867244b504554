/*
 * The bytes of a trace file, version 0. All numbers little-endian. Private to
 * the writer, the reader and their tests.
 *
 *   file    := file_head block* end-block
 *   block   := block_head payload            payload: `stored` bytes, `codec`
 *   records := u32 columns, u32 pad, column_head[columns], data of each column
 *   schema  := text that describes one kind  once before its first records
 *   end     := no payload                    its absence: the file was cut
 *
 *        0       4   6 7 8   10  12      16      20      24      28      32
 *   +0   | magic |hs |t|c|kind|prod|records| raw   | stored| crc   | flags |
 *   +32  | sequence      | first ts      | last ts       | lost before   |
 *        hs: header size, t: enum block_type, c: enum block_codec; crc: CRC32C
 *        of the header with crc = 0, then of the stored payload
 *
 * One column holds one number (or one byte array) of every record of its
 * block; a u32[3] is three columns. It is matched by the hash of the field's
 * name and its index, so a reader steps over columns it does not know and
 * leaves fields zero that the writer did not have.
 */
#ifndef TRACE_FORMAT_H
#define TRACE_FORMAT_H

#include <stddef.h>
#include "schema.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "trace files are little-endian");

#define FILE_MAGIC  "gpuscope"
#define BLOCK_MAGIC 0x0a4b4c42u	/* "BLK\n" */

struct file_head {
	char magic[8];
	u32 version;
	u32 size;		/* of this header; more than we know is stepped over */
	u32 crc;		/* CRC32C of the whole header with crc = 0 */
	u32 pad;
	u64 start_ns, start_realtime_ns;
	char boot_id[40], host[72], kernel[72], machine[16], driver[40], tool[40];
};
/* its texts, which struct trace_info has, too */
#define FILE_HEAD_TEXTS(M) M(boot_id) M(host) M(kernel) M(machine) M(driver) M(tool)
_Static_assert(sizeof(struct file_head) == 320, "file_head: files depend on this layout");

enum block_type { BLOCK_RECORDS = 1, BLOCK_SCHEMA = 2, BLOCK_END = 3 };
enum block_codec { CODEC_PLAIN = 0, CODEC_ZSTD = 1 };
#define BLOCK_REPEAT 1u		/* flags: definitions that were in the file before */

struct block_head {
	u32 magic;
	u16 size;		/* of this header; more than we know is stepped over */
	u8 type, codec;
	u16 kind, producer;
	u32 records;
	u32 raw, stored;	/* bytes of payload: decoded, in the file */
	u32 crc;
	u32 flags;
	u64 sequence;		/* of blocks in this file, from 0; a gap: blocks are missing */
	u64 first_ts, last_ts;
	u64 lost;		/* records the writer could not write before this block */
};
_Static_assert(sizeof(struct block_head) == 64, "block_head: files depend on this layout");

enum column_encoding {
	COLUMN_CONST = 1,	/* one varint for all records */
	COLUMN_PLAIN = 2,	/* a varint a record */
	COLUMN_DELTA = 3,	/* zigzag varint of the difference to the one before (or 0) */
	COLUMN_BYTES = 4,	/* size bytes a record */
	COLUMN_BYTES_CONST = 5,	/* size bytes for all */
	COLUMN_TAIL = 6,	/* a varint length a record, then the bytes of all */
};

struct column_head {
	u32 name;		/* column_hash() of the field */
	u16 offset;		/* in the writer's struct */
	u16 size;		/* of the element there */
	u8 encoding;
	u8 index;		/* element of an array field */
	u16 sign;		/* 1: numbers are zigzag in COLUMN_CONST and COLUMN_PLAIN */
	u32 length;		/* bytes of data */
};
_Static_assert(sizeof(struct column_head) == 16, "column_head: files depend on this layout");

/* What a reader believes a block at most to hold: bounds its memory. */
#define BLOCK_RAW_MAX     (16u << 20)
#define BLOCK_RECORDS_MAX 65536u
#define HEAD_MAX          4096u
#define ROW_MAX           1024u	/* largest struct without its tail */

/* What the writer gathers before it writes a block. */
#define BATCH_RECORDS 4096u
#define BATCH_BYTES   (256u << 10)

/* ---- columns of a kind, from its schema (trace_columns.c) ---- */

struct trace_column {
	u32 name;
	u16 offset, size;
	u8 index;
	bool sign, bytes;
};

struct layout {
	const struct record_type *type;
	u32 n;
	struct trace_column columns[];
};

u32 column_hash(const char *name);
struct layout *layout_new(const struct record_type *type);	/* free() it */

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
 * of ours. */
bool columns_decode(const u8 *payload, size_t len, const struct layout *l, struct rows *rows,
		    u64 *scratch);

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
