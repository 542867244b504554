/*
 * Reads gpuscope traces of version 1, whose bytes are described below. This
 * header, trace_read.c and trace_read_columns.c stand alone: take the three,
 * they need libc and libzstd and nothing else of gpuscope.
 *
 *	cc sum.c trace_read.c trace_read_columns.c -lzstd
 *
 *	trace_read_open(&t, fd);
 *	while (trace_read_block(t, &b) > 0) {
 *		if (b.type != TRACE_RECORDS || b.flags & TRACE_REPEAT ||
 *		    strcmp(trace_read_kind(t, b.kind), "kernel"))
 *			continue;
 *		if (trace_read_payload(t, &b) || trace_read_values(&b, "dur_ns", 0, ns) < 0)
 *			break;
 *		for (u32 i = 0; i < b.records; i++)
 *			sum += ns[i];
 *	}
 *	if (trace_read_why(t))
 *		puts(trace_read_why(t));
 *
 * The file may come from anywhere: sizes are bounded before memory is taken,
 * checksums checked before contents are looked at. Nothing is printed and the
 * program is not ended. One object is used by one thread at a time.
 */
#ifndef TRACE_READ_H
#define TRACE_READ_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;

#define TRACE_VERSION 1

/*
 * The bytes. All numbers little-endian, nothing points back or forward, so that
 * a pipe is a file.
 *
 *   file    := file_head block* end-block
 *   block   := block_head payload            payload: `stored` bytes, `codec`
 *   records := u32 columns, u32 pad, column_head[columns], data of each column
 *   schema  := text that describes one kind  once before its first records
 *   index   := as records                    where blocks are; optional
 *   end     := u64 `at` of the first index block, or nothing: no index;
 *              its absence: the file was cut
 *
 *        0       4   6 7 8   10  12      16      20      24      28      32
 *   +0   | magic |hs |t|c|kind|prod|records| raw   | stored| crc   | flags |
 *   +32  | sequence      | first ts      | last ts       | lost before   |
 *        hs: header size, t: enum trace_block_type, c: enum block_codec; crc:
 *        CRC-32C of the header with crc = 0, then of the stored payload
 *
 * One column holds one number (or one byte array) of every record of its
 * block; a u32[3] is three columns. It is matched by the hash of the field's
 * name and its index, so a reader steps over columns it does not know and
 * leaves fields zero that the writer did not have.
 */
#define FILE_MAGIC  "gpuscope"
#define BLOCK_MAGIC 0x0a4b4c42u	/* "BLK\n" */
#define HEAD_MAX    4096u

struct file_head {
	char magic[8];
	u32 version;
	u32 size;		/* of this header; more than we know is stepped over */
	u32 crc;		/* CRC-32C of the whole header with crc = 0 */
	u32 pad;
	u64 start_ns, start_realtime_ns;
	char boot_id[40], host[72], kernel[72], machine[16], driver[40], tool[40];
};
/* its texts, which struct trace_info has, too */
#define FILE_HEAD_TEXTS(M) M(boot_id) M(host) M(kernel) M(machine) M(driver) M(tool)
_Static_assert(sizeof(struct file_head) == 320, "file_head: files depend on this layout");

enum block_codec { CODEC_PLAIN = 0, CODEC_ZSTD = 1 };

struct block_head {
	u32 magic;
	u16 size;		/* of this header; more than we know is stepped over */
	u8 type, codec;
	u16 kind, producer;
	u32 records;
	u32 raw, stored;	/* bytes of payload: decoded, in the file */
	u32 crc;
	u32 flags;
	u64 sequence, first_ts, last_ts, lost;
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
	u32 name;		/* trace_read_hash() of the field */
	u16 offset;		/* in the writer's struct */
	u16 size;		/* of the element there */
	u8 encoding;
	u8 index;		/* element of an array field */
	u16 sign;		/* 1: each number was made unsigned by zigzag first */
	u32 length;		/* bytes of data */
};
_Static_assert(sizeof(struct column_head) == 16, "column_head: files depend on this layout");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "trace files are little-endian");

/* ---- reading ---- */

struct trace_info {		/* what the header says; strings NUL-terminated, "" unknown */
	u32 version;
	u32 header_bytes;	/* where the first block begins */
	u64 start_ns;		/* CLOCK_MONOTONIC when recording began */
	u64 start_realtime_ns;
	char boot_id[40];
	char host[72];
	char kernel[72];	/* uname -r */
	char machine[16];	/* uname -m */
	char driver[40];	/* NVIDIA driver version, "simulated" for cudasim */
	char tool[40];		/* "gpurec 0.1" */
};

enum trace_block_type {		/* others may come and are to be stepped over */
	TRACE_RECORDS = 1,	/* records of one kind and one producer, as columns */
	TRACE_SCHEMA = 2,	/* text that describes a kind, before its first records */
	TRACE_END = 3,		/* nothing follows; without it the file was cut */
	TRACE_INDEX = 4,	/* where blocks are, as columns (struct trace_index_entry) */
};
#define TRACE_REPEAT 1u		/* flags: definitions that were in the file before */

/* What is believed of a block at most: bounds the memory of a reader. */
#define TRACE_RAW_MAX     (16u << 20)
#define TRACE_RECORDS_MAX 65536u

struct trace_block {
	u64 at;			/* its first byte in the file */
	u64 bytes;		/* in the file, header included */
	u32 type, flags;
	u16 kind, producer;
	u32 records;
	u32 raw;		/* bytes of payload */
	u64 sequence;		/* of blocks in this file, from 0; a gap: blocks are missing */
	u64 first_ts, last_ts;	/* of its records: the earliest and the latest start */
	u64 lost;		/* records the writer could not write before this block */
	const u8 *payload;	/* raw bytes; NULL before trace_read_payload() */
};

struct trace_column {
	struct column_head h;
	const u8 *data;
};

struct trace_index_entry {	/* of one block that is no index */
	u64 at, bytes, first_ts, last_ts;
	u32 records, type, flags;
	u16 kind, producer;
};
/* The names of its columns. */
#define TRACE_INDEX_FIELDS(M) M(at) M(bytes) M(first_ts) M(last_ts) M(records) M(type) \
	M(flags) M(kind) M(producer)

struct trace_read;

/* All that return int: negative is a failure, kept as words in trace_read_why(), and stays.
 * -EBADMSG: the file's own; else an errno of read(2), or -ENOMEM. */

/* fd stays the caller's; reading begins where it stands. *t is to be closed in any case; NULL:
 * no memory for it. */
int trace_read_open(struct trace_read **t, int fd);
const struct trace_info *trace_read_info(const struct trace_read *t);
void trace_read_close(struct trace_read *t);		/* NULL is fine */
/* "is damaged at byte N", "ends inside a block at byte N", ...; NULL: nothing is wrong */
const char *trace_read_why(const struct trace_read *t);

/* The next block: 1 (a schema with its payload), 0: the end mark was read. Of the block before,
 * what was not asked for is stepped over, and not checked. */
int trace_read_block(struct trace_read *t, struct trace_block *b);
int trace_read_payload(struct trace_read *t, struct trace_block *b);	/* valid until the next
									 * block */
int trace_read_check(struct trace_read *t);	/* the checksum alone */
const char *trace_read_kind(const struct trace_read *t, u16 kind);	/* "kernel"; "" before
									 * its schema came */
/* To the block that begins at this byte, of a file that can be sought: 0. An earlier failure is
 * forgotten. */
int trace_read_seek(struct trace_read *t, u64 at);
bool trace_read_seekable(const struct trace_read *t);
u64 trace_read_size(const struct trace_read *t);	/* of that file, now */
u64 trace_read_offset(const struct trace_read *t);	/* bytes read or stepped over so far */
/* All blocks of a file that can be sought, in its order: from its index, or, where it has none
 * or one that cannot be, by going through the headers; the next block read is the first. 1: it
 * had one, 0: made. A failure of the file ends the list and is met again by reading on. *list:
 * free() it. */
int trace_read_index(struct trace_read *t, struct trace_index_entry **list, size_t *n);
/* At the end of what is there, more() is asked: true when it is worth to look again. */
void trace_read_follow(struct trace_read *t, bool (*more)(void *ctx), void *ctx);

/* A field of all records of a block: v[b->records] numbers, signed ones as s64; those that the
 * writer did not have are 0. index: of an array's element. 1: it was there, 0: not, negative:
 * damaged. */
int trace_read_values(const struct trace_block *b, const char *field, u8 index, u64 *v);

/* The columns of a payload, one after the other, from *it = {} on: 1, 0: that was the last one,
 * negative: no payload of a records block. */
struct trace_column_iter { u32 i, n; u64 at; };
int trace_read_column(const struct trace_block *b, struct trace_column_iter *it,
		      struct trace_column *c);
u32 trace_read_hash(const char *field);
/* n numbers of it; of COLUMN_CONST there is one. False: damaged. */
bool trace_read_numbers(const struct trace_column *c, u32 n, u64 *v);
/* The lengths of n texts or lists of frames, which stand one behind the other at *bytes. */
bool trace_read_tails(const struct trace_column *c, u32 n, u32 *lengths, const u8 **bytes);

/* CRC-32C; begin with 0, chain by result. */
u32 trace_crc32c(u32 crc, const void *data, size_t len);

#endif
