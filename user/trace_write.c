// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The trace writer. Records gather in one open block per (producer, kind);
 * a full or old one is transposed, compressed and written in one go, after
 * the definitions that came before it.
 */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "clock.h"
#include "log.h"
#include "trace.h"
#include "trace_file.h"
#include "trace_format.h"

#define REPEAT_BYTES (64u << 20)	/* definitions are repeated after so much file */
#define AGE_NS 2000000000ULL		/* no block waits longer: readers merge by time */
#define AGE_CHECK 1024			/* records between looks at the clock */
#define SYNC_NS 1000000000ULL
#define BUCKETS 4096
#define OPEN_BYTES (48u << 20)		/* in all open blocks: many producers share it */
#define KEEP_BLOCKS 512			/* with more of them an empty one holds no memory */

struct block {
	struct block *next;		/* of its bucket */
	struct block *other;		/* of all */
	struct block *open;		/* of the definitions of its kind that hold records */
	const struct layout *layout;
	u16 kind, producer;
	bool listed;			/* in that list */
	u32 n;
	u64 first_ts, last_ts, opened_ns;
	struct buffer rows, tails, tail_len;
};

struct trace_writer {
	struct trace_file file;
	struct block *blocks[BUCKETS], *all, **all_end;
	struct block *open[EVENT_DEFINITIONS_END];	/* by kind, as they began */
	struct block **open_end[EVENT_DEFINITIONS_END];
	size_t block_n, open_bytes;
	struct layout *layouts[EVENT_KIND_MAX];
	bool described[EVENT_KIND_MAX];	/* its schema is in the file */
	struct definitions *definitions;
	u64 repeated_at, repeat_bytes;	/* file size behind the last repetition; its length */
	u64 records, lost, lost_told, sequence;
	bool refused;			/* a record that is none was put, and reported */
	bool repeat_due;		/* a definition may be missing in the file */
	struct index_kept index;
	bool sync;			/* what is written goes to the disk */
	u64 synced_ns;			/* when it did last */
	struct buffer payload, out;
	ZSTD_CCtx *zstd;
	u64 scratch[BATCH_RECORDS];
};

static int write_head(struct trace_writer *w, const struct trace_info *info)
{
	struct file_head h = {
		.magic = FILE_MAGIC, .version = TRACE_VERSION, .size = sizeof(h),
		.start_ns = info->start_ns, .start_realtime_ns = info->start_realtime_ns,
	};

#define COPY(member)								\
	_Static_assert(sizeof(h.member) == sizeof(info->member), #member);	\
	memcpy(h.member, info->member, strnlen(info->member, sizeof(h.member) - 1));
	FILE_HEAD_TEXTS(COPY)
#undef COPY
	h.crc = trace_crc32c(0, &h, sizeof(h));
	return trace_file_write(&w->file, &h, sizeof(h));
}

/* w->file is open. */
static int writer_begin(struct trace_writer *w, const struct trace_info *info)
{
	int ret;

	w->all_end = &w->all;
	w->definitions = definitions_new();
	w->zstd = ZSTD_createCCtx();
	if (!w->zstd)
		errx(1, "cannot compress %s: no memory", w->file.path);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, 1);
	ret = write_head(w, info);
	if (ret) {
		trace_file_close(&w->file);
		definitions_free(w->definitions);
		ZSTD_freeCCtx(w->zstd);
	}
	return ret;
}

/* fd -1: by the name. */
static int writer_new(struct trace_writer **out, int fd, const char *path,
		      const struct trace_info *info)
{
	struct trace_writer *w = calloc(1, sizeof(*w));
	int ret;

	*out = NULL;
	if (!w)
		return fail(-ENOMEM, "cannot create %s", path);
	ret = fd < 0 ? trace_file_open(&w->file, path) : trace_file_on(&w->file, fd, path);
	ret = ret ?: writer_begin(w, info);
	if (ret)
		free(w);
	else
		*out = w;
	return ret;
}

int trace_create(struct trace_writer **w, const char *path, const struct trace_info *info)
{
	return writer_new(w, -1, path, info);
}

int trace_create_on(struct trace_writer **w, int fd, const char *name,
		    const struct trace_info *info)
{
	return writer_new(w, fd, name, info);
}

/* When the last time is so long ago. */
static int file_sync(struct trace_writer *w, u64 after_ns)
{
	u64 now;

	if (!w->sync)
		return 0;
	now = clock_ns(CLOCK_MONOTONIC_COARSE);
	if (now - w->synced_ns < after_ns)
		return 0;
	w->synced_ns = now;
	return trace_file_sync(&w->file);
}

static void index_block(struct trace_writer *w, const struct block_head *h, u64 at)
{
	struct trace_index_entry e = {
		.at = at, .bytes = sizeof(*h) + h->stored, .first_ts = h->first_ts,
		.last_ts = h->last_ts, .records = h->records, .type = h->type,
		.flags = h->flags, .kind = h->kind, .producer = h->producer,
	};

	if (h->type == TRACE_RECORDS || h->type == TRACE_SCHEMA)
		index_add(&w->index, &e);
}

/* w->payload, compressed when that is shorter, behind *h with what is not in it yet. */
static int block_write(struct trace_writer *w, struct block_head *h)
{
	size_t bound = ZSTD_compressBound(w->payload.len), n = 0;
	u64 at;
	int ret;

	w->out.len = 0;
	buffer_reserve(&w->out, sizeof(*h) + bound);
	if (w->payload.len)
		n = ZSTD_compress2(w->zstd, w->out.data + sizeof(*h), bound, w->payload.data,
				   w->payload.len);
	h->codec = CODEC_ZSTD;
	if (ZSTD_isError(n) || n >= w->payload.len) {
		n = w->payload.len;
		h->codec = CODEC_PLAIN;
		if (n)
			memcpy(w->out.data + sizeof(*h), w->payload.data, n);
	}
	h->magic = BLOCK_MAGIC;
	h->size = sizeof(*h);
	h->raw = w->payload.len;
	h->stored = n;
	h->sequence = w->sequence++;
	h->lost = w->lost - w->lost_told;
	h->crc = trace_crc32c(trace_crc32c(0, h, sizeof(*h)), w->out.data + sizeof(*h), n);
	memcpy(w->out.data, h, sizeof(*h));
	at = w->file.bytes;
	ret = trace_file_write(&w->file, w->out.data, sizeof(*h) + n);
	if (ret)
		return ret;
	w->lost_told = w->lost;
	index_block(w, h, at);
	return file_sync(w, SYNC_NS);
}

static int schema_write(struct trace_writer *w, const struct layout *l)
{
	struct block_head h = { .type = TRACE_SCHEMA, .kind = l->type->kind };
	int ret;

	w->payload.len = 0;
	schema_text(&w->payload, l->type);
	ret = block_write(w, &h);
	w->described[l->type->kind] = !ret;
	return ret;
}

static void block_empty(struct trace_writer *w, struct block *b)
{
	w->open_bytes -= b->rows.len + b->tails.len;
	b->n = b->rows.len = b->tails.len = b->tail_len.len = 0;
	if (w->block_n <= KEEP_BLOCKS)
		return;
	free(b->rows.data);
	free(b->tails.data);
	free(b->tail_len.data);
	b->rows = b->tails = b->tail_len = (struct buffer){};
}

/* The block alone; it is empty afterwards, and what could not be written is counted. */
static int block_flush(struct trace_writer *w, struct block *b, u32 flags)
{
	struct rows rows = { b->rows.data, b->n, (u32 *)b->tail_len.data, b->tails.data,
			     b->tails.len };
	struct block_head h = {
		.type = TRACE_RECORDS, .kind = b->kind, .producer = b->producer,
		.records = b->n, .flags = flags, .first_ts = b->first_ts, .last_ts = b->last_ts,
	};
	int ret = 0;

	if (!b->n)
		return 0;
	if (!w->described[b->kind])
		ret = schema_write(w, b->layout);
	w->payload.len = 0;
	columns_encode(&w->payload, b->layout, &rows, w->scratch);
	if (!ret)
		ret = block_write(w, &h);
	if (ret) {
		w->lost += flags & TRACE_REPEAT ? 0 : b->n;
		w->repeat_due = true;
	}
	block_empty(w, b);
	return ret;
}

static int definitions_flush(struct trace_writer *w, u32 flags)
{
	struct block *b;
	int ret = 0, err;

	for (u16 kind = 1; kind < EVENT_DEFINITIONS_END; kind++)
		while ((b = w->open[kind])) {
			w->open[kind] = b->open;
			b->listed = false;
			err = block_flush(w, b, flags);
			ret = err ?: ret;
		}
	return ret;
}

static struct block *block_get(struct trace_writer *w, u16 kind, u16 producer)
{
	struct block **at = &w->blocks[(producer + kind * 37u) % BUCKETS];
	struct block *b;

	for (b = *at; b; b = b->next)
		if (b->kind == kind && b->producer == producer)
			return b;
	b = calloc(1, sizeof(*b));
	if (!b)
		err(1, "cannot keep a block of a trace in memory");
	*b = (struct block){ *at, NULL, NULL, w->layouts[kind], kind, producer };
	w->block_n++;
	*w->all_end = b;
	w->all_end = &b->other;
	return *at = b;
}

/* Definitions that hold records must be found before any other block is written. Those of a
 * block that was flushed by itself stay in the list, and are in it once. */
static void block_opened(struct trace_writer *w, struct block *b)
{
	if (b->kind >= EVENT_DEFINITIONS_END || b->listed)
		return;
	b->listed = true;
	b->open = NULL;
	if (!w->open[b->kind])
		w->open_end[b->kind] = &w->open[b->kind];
	*w->open_end[b->kind] = b;
	w->open_end[b->kind] = &b->open;
}

/* The struct as this program knows it: a shorter record gets zeros, a longer one is cut. */
static void block_append(struct trace_writer *w, struct block *b, const struct event *e)
{
	const struct record_type *type = b->layout->type;
	u16 fixed = e->size < type->size ? e->size : type->size;
	const u8 *tail = (const u8 *)e + fixed;
	u32 len = e->size - fixed;

	if (!b->n) {
		b->opened_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
		b->first_ts = b->last_ts = e->ts;
		block_opened(w, b);
	}
	b->first_ts = e->ts < b->first_ts ? e->ts : b->first_ts;
	b->last_ts = e->ts > b->last_ts ? e->ts : b->last_ts;
	buffer_reserve(&b->rows, type->size);
	memcpy(b->rows.data + b->rows.len, e, fixed);
	memset(b->rows.data + b->rows.len + fixed, 0, type->size - fixed);
	b->rows.len += type->size;
	w->open_bytes += type->size;
	if (type->tail) {
		if (type->tail == AS_TEXT)
			len = strnlen((const char *)tail, len);
		buffer_reserve(&b->tails, len + 1);	/* never NULL */
		memcpy(b->tails.data + b->tails.len, tail, len);
		b->tails.len += len;
		w->open_bytes += len;
		buffer_reserve(&b->tail_len, sizeof(len));
		memcpy(b->tail_len.data + b->tail_len.len, &len, sizeof(len));
		b->tail_len.len += sizeof(len);
	}
	b->n++;
}

static bool block_full(const struct block *b)
{
	return b->n >= BATCH_RECORDS || b->rows.len + b->tails.len >= BATCH_BYTES;
}

/* The open blocks of definitions are empty when this is called. */
static int definitions_repeat(struct trace_writer *w)
{
	u64 before = w->file.bytes;
	const struct event *e;
	int ret = 0;
	size_t i = 0;

	while (!ret && (e = definitions_next(w->definitions, &i))) {
		struct block *b = block_get(w, e->kind, e->producer);

		block_append(w, b, e);
		if (block_full(b))
			ret = block_flush(w, b, TRACE_REPEAT);
	}
	memset(w->described, 0, sizeof(w->described));
	ret = definitions_flush(w, TRACE_REPEAT) ?: ret;
	if (ret)
		return ret;
	w->repeat_due = false;
	w->repeated_at = w->file.bytes;
	w->repeat_bytes = w->file.bytes - before;
	return 0;
}

/* Definitions first; now and then all of them (at most an eighth of the file). */
static int block_flush_ordered(struct trace_writer *w, struct block *b)
{
	u64 every = w->repeat_bytes * 8 > REPEAT_BYTES ? w->repeat_bytes * 8 : REPEAT_BYTES;
	int ret = definitions_flush(w, 0), err = 0;

	if (w->file.bytes - w->repeated_at > every || w->repeat_due)
		err = definitions_repeat(w);
	ret = ret ?: err;
	return block_flush(w, b, 0) ?: ret;
}

static int blocks_flush(struct trace_writer *w, u64 opened_before)
{
	int ret = 0, err;

	for (struct block *b = w->all; b; b = b->other)
		if (b->n && b->opened_ns <= opened_before && (err = block_flush_ordered(w, b)))
			ret = err;
	return ret;
}

static int refuse(struct trace_writer *w, const struct event *e)
{
	w->lost++;
	if (!w->refused)
		warn("cannot write a record of kind %u and %u bytes: it is none of ours",
		     e->kind, e->size);
	w->refused = true;
	return -EINVAL;
}

int trace_put(struct trace_writer *w, const struct event *e)
{
	const struct layout *l = layout_get(w->layouts, e->kind);
	struct block *b;

	if (e->size < sizeof(*e) || e->size % 8 || !l ||
	    (l->type->tail && e->size < l->type->size))
		return refuse(w, e);
	if (w->file.dead) {
		w->lost++;
		return w->file.error;
	}
	if (e->kind < EVENT_DEFINITIONS_END && !definitions_add(w->definitions, e))
		return 0;
	b = block_get(w, e->kind, e->producer);
	block_append(w, b, e);
	w->records++;
	if (block_full(b))
		return block_flush_ordered(w, b);
	if (w->open_bytes > OPEN_BYTES)
		return trace_flush(w);
	if (w->records % AGE_CHECK == 0)
		return blocks_flush(w, clock_ns(CLOCK_MONOTONIC_COARSE) - AGE_NS);
	return 0;
}

int trace_flush(struct trace_writer *w)
{
	return blocks_flush(w, ~0ULL) ?: file_sync(w, SYNC_NS);
}

void trace_sync(struct trace_writer *w)
{
	w->sync = true;
}

/* Where the blocks are, and the end mark, which says where that stands. */
static int write_end(struct trace_writer *w)
{
	struct block_head end = { .type = TRACE_END };
	u64 at = w->file.bytes;
	size_t n = 0;
	int ret = 0;

	while (!ret && !w->index.dropped && n < w->index.n) {
		struct block_head h = { .type = TRACE_INDEX };

		w->payload.len = 0;
		h.records = index_encode(&w->index, n, &w->payload);
		n += h.records;
		ret = block_write(w, &h);
	}
	w->payload.len = 0;
	if (n && !ret) {
		buffer_reserve(&w->payload, sizeof(at));
		memcpy(w->payload.data, &at, sizeof(at));
		w->payload.len = sizeof(at);
	}
	return block_write(w, &end) ?: ret;
}

int trace_close(struct trace_writer *w)
{
	struct block *b;
	int ret;

	if (!w)
		return 0;
	ret = trace_flush(w);
	ret = write_end(w) ?: ret;
	ret = file_sync(w, 0) ?: ret;
	ret = trace_file_close(&w->file) ?: ret;
	while ((b = w->all)) {
		w->all = b->other;
		free(b->rows.data);
		free(b->tails.data);
		free(b->tail_len.data);
		free(b);
	}
	for (int i = 0; i < EVENT_KIND_MAX; i++)
		free(w->layouts[i]);
	definitions_free(w->definitions);
	ZSTD_freeCCtx(w->zstd);
	free(w->index.list);
	free(w->payload.data);
	free(w->out.data);
	free(w);
	return ret;
}

u64 trace_bytes(const struct trace_writer *w)
{
	return w->file.bytes;
}

u64 trace_records(const struct trace_writer *w)
{
	return w->records;
}
