// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Blocks of a trace from a file or a pipe, and their columns as numbers; stands
 * alone, see trace_read.h. What a file says of itself is believed only within
 * what is there.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include "trace_read.h"

#define KINDS 65536u
#define NAME_LEN 32

struct bytes { u8 *data; size_t room; };

struct trace_read {
	int fd, error;
	bool seekable;
	u64 base;			/* of the trace in its file */
	u64 offset;			/* read or stepped over, from there */
	u64 block_at;			/* where the block being read begins */
	u64 pending;			/* of its payload, not read yet */
	struct block_head head;		/* its header */
	u32 crc;			/* over that */
	bool checked;			/* its payload is in `stored` */
	bool ended;
	struct trace_info info;
	char (*names)[NAME_LEN];	/* by kind; NULL until the first schema */
	struct bytes stored, raw;
	ZSTD_DCtx *zstd;
	bool (*more)(void *ctx);
	void *ctx;
	char why[128];
};

/* ---- bytes ---- */

__attribute__((format(printf, 3, 4)))
static int stop(struct trace_read *t, int error, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->why, sizeof(t->why), fmt, ap);
	va_end(ap);
	return t->error = error;
}

static int stop_damaged(struct trace_read *t)
{
	return stop(t, -EBADMSG, "is damaged at byte %llu", t->block_at);
}

static int stop_inside(struct trace_read *t)
{
	return stop(t, -EBADMSG, "ends inside a block at byte %llu", t->block_at);
}

static bool more(struct trace_read *t)
{
	return t->more && t->more(t->ctx);
}

/* How many of len bytes there were: fewer only at the end. */
static ssize_t fill(struct trace_read *t, void *buf, size_t len)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = read(t->fd, (u8 *)buf + got, len - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return stop(t, -errno, "cannot be read: %s", strerror(errno));
		if (n == 0 && !more(t))
			break;
		got += n;
	}
	t->offset += got;
	return got;
}

/* Over bytes that nobody wants: 0, 1: they are not there, or a failure. */
static int pass(struct trace_read *t, u64 len)
{
	u8 buf[HEAD_MAX];
	struct stat st;
	ssize_t n;

	if (!t->seekable || len <= sizeof(buf)) {
		for (; len; len -= n) {
			size_t want = len < sizeof(buf) ? len : sizeof(buf);

			n = fill(t, buf, want);
			if (n < (ssize_t)want)
				return n < 0 ? n : 1;
		}
		return 0;
	}
	do {
		if (fstat(t->fd, &st))
			return stop(t, -errno, "cannot be read: %s", strerror(errno));
	} while ((u64)st.st_size < t->base + t->offset + len && more(t));
	if ((u64)st.st_size < t->base + t->offset + len)
		return 1;
	t->offset += len;
	return lseek(t->fd, len, SEEK_CUR) < 0 ?
		stop(t, -errno, "cannot be read: %s", strerror(errno)) : 0;
}

int trace_read_seek(struct trace_read *t, u64 at)
{
	if (!t->seekable || lseek(t->fd, t->base + at, SEEK_SET) < 0)
		return stop(t, -ESPIPE, "cannot be sought");
	t->offset = at;
	t->pending = 0;
	t->ended = false;
	t->error = 0;
	return 0;
}

static u8 *room(struct trace_read *t, struct bytes *b, size_t size)
{
	void *p;

	if (size + 1 <= b->room)
		return b->data;
	p = realloc(b->data, size + 1);
	if (!p) {
		stop(t, -ENOMEM, "does not fit into memory");
		return NULL;
	}
	b->data = p;
	b->room = size + 1;
	return b->data;
}

/* What a newer writer put behind a header goes into its checksum. */
static int rest_of_head(struct trace_read *t, u32 *crc, size_t len)
{
	u8 buf[HEAD_MAX];
	ssize_t n = fill(t, buf, len);

	if (n < 0)
		return n;
	*crc = trace_crc32c(*crc, buf, n);
	return (size_t)n == len ? 0 : 1;
}

/* ---- the file's header ---- */

static void head_copy(struct trace_info *info, const struct file_head *h)
{
	*info = (struct trace_info){
		.version = h->version, .header_bytes = h->size, .start_ns = h->start_ns,
		.start_realtime_ns = h->start_realtime_ns,
	};
#define COPY(member) memcpy(info->member, h->member, sizeof(info->member) - 1);
	FILE_HEAD_TEXTS(COPY)
#undef COPY
}

static int check_version(struct trace_read *t, u32 version)
{
	if (version > TRACE_VERSION)
		return stop(t, -EBADMSG, "is of trace version %u, this program reads %u (update it)",
			    version, TRACE_VERSION);
	if (version < TRACE_VERSION)
		return stop(t, -EBADMSG, "is of trace version %u, before the format was fixed; this program reads %u (record it again)",
			    version, TRACE_VERSION);
	return 0;
}

static int read_file_head(struct trace_read *t)
{
	struct file_head h;
	ssize_t n = fill(t, &h, sizeof(h));
	size_t magic = n < (ssize_t)sizeof(h.magic) ? (size_t)n : sizeof(h.magic);
	u32 want, crc;
	int ret;

	if (n < 0)
		return n;
	if (n == 0)
		return stop(t, -EBADMSG, "is empty, not a gpuscope trace");
	if (memcmp(h.magic, FILE_MAGIC, magic))
		return stop(t, -EBADMSG, "is not a gpuscope trace");
	if ((size_t)n < sizeof(h))
		return stop(t, -EBADMSG, "ends inside its header at byte %zd", n);
	ret = check_version(t, h.version);
	if (ret)
		return ret;
	if (h.size < sizeof(h) || h.size > HEAD_MAX)
		return stop_damaged(t);
	want = h.crc;
	h.crc = 0;
	crc = trace_crc32c(0, &h, sizeof(h));
	ret = rest_of_head(t, &crc, h.size - sizeof(h));
	if (ret < 0)
		return ret;
	if (ret)
		return stop(t, -EBADMSG, "ends inside its header at byte %llu", t->offset);
	if (crc != want)
		return stop_damaged(t);
	head_copy(&t->info, &h);
	return 0;
}

int trace_read_open(struct trace_read **out, int fd)
{
	struct trace_read *t = calloc(1, sizeof(*t));
	struct stat st;
	off_t base = lseek(fd, 0, SEEK_CUR);

	*out = t;
	if (!t)
		return -ENOMEM;
	t->fd = fd;
	t->zstd = ZSTD_createDCtx();
	if (!t->zstd)
		return stop(t, -ENOMEM, "cannot be decompressed: no memory");
	if (fstat(fd, &st))
		return stop(t, -errno, "cannot be read: %s", strerror(errno));
	t->seekable = S_ISREG(st.st_mode) && base >= 0;
	t->base = base > 0 ? base : 0;
	return read_file_head(t);
}

/* ---- blocks ---- */

static bool head_plausible(const struct block_head *h)
{
	return h->magic == BLOCK_MAGIC && h->size >= sizeof(*h) && h->size <= HEAD_MAX &&
	       h->raw <= TRACE_RAW_MAX && h->stored <= TRACE_RAW_MAX &&
	       h->records <= TRACE_RECORDS_MAX &&
	       (h->codec != CODEC_PLAIN || h->raw == h->stored);
}

/* The next block's header, which is plausible, goes to t->head: 0. */
static int read_head(struct trace_read *t)
{
	struct block_head *h = &t->head;
	u32 magic = BLOCK_MAGIC, want;
	ssize_t n;
	int ret;

	t->block_at = t->offset;
	n = fill(t, h, sizeof(*h));
	if (n < 0)
		return n;
	if (n == 0)
		return stop(t, -EBADMSG, "ends without its end mark at byte %llu", t->offset);
	if ((size_t)n < sizeof(*h) && !memcmp(h, &magic, n < 4 ? n : 4))
		return stop_inside(t);
	if ((size_t)n < sizeof(*h) || !head_plausible(h))
		return stop_damaged(t);
	want = h->crc;
	h->crc = 0;
	t->crc = trace_crc32c(0, h, sizeof(*h));
	h->crc = want;
	ret = rest_of_head(t, &t->crc, h->size - sizeof(*h));
	if (ret)
		return ret < 0 ? ret : stop_inside(t);
	t->pending = h->stored;
	t->checked = false;
	return 0;
}

static void block_of(const struct trace_read *t, struct trace_block *b)
{
	const struct block_head *h = &t->head;

	*b = (struct trace_block){
		.at = t->block_at, .bytes = (u64)h->size + h->stored, .type = h->type,
		.flags = h->flags, .kind = h->kind, .producer = h->producer,
		.records = h->records, .raw = h->raw, .sequence = h->sequence,
		.first_ts = h->first_ts, .last_ts = h->last_ts, .lost = h->lost,
	};
}

/* "record kernel 112 -": the second word. */
static int learn_kind(struct trace_read *t, const struct trace_block *b)
{
	const char *p = (const char *)b->payload, *end = p + b->raw;
	size_t n = 0;

	if (!t->names)
		t->names = calloc(KINDS, sizeof(*t->names));
	if (!t->names)
		return stop(t, -ENOMEM, "does not fit into memory");
	if (b->raw < 7 || memcmp(p, "record ", 7))
		return stop_damaged(t);
	for (p += 7; p + n < end && p[n] > ' ' && n < NAME_LEN - 1; n++)
		;
	memcpy(t->names[b->kind], p, n);
	t->names[b->kind][n] = 0;
	return 1;
}

/* Behind the end mark nothing may follow: 0. */
static int read_end(struct trace_read *t)
{
	u8 byte;
	ssize_t n;

	t->more = NULL;
	n = fill(t, &byte, 1);
	if (n < 0)
		return n;
	t->block_at = t->offset - n;
	return n ? stop_damaged(t) : 0;
}

int trace_read_block(struct trace_read *t, struct trace_block *b)
{
	int ret;

	if (t->error)
		return t->error;
	if (t->ended)
		return read_end(t);
	ret = pass(t, t->pending);
	t->pending = 0;
	if (ret)
		return ret < 0 ? ret : stop_inside(t);
	ret = read_head(t);
	if (ret)
		return ret;
	block_of(t, b);
	if (b->type != TRACE_SCHEMA && b->type != TRACE_END)
		return 1;
	ret = trace_read_payload(t, b);
	if (ret)
		return ret;
	t->ended = b->type == TRACE_END;
	return t->ended ? 1 : learn_kind(t, b);
}

int trace_read_check(struct trace_read *t)
{
	const struct block_head *h = &t->head;
	ssize_t n;

	if (t->error || t->checked)
		return t->error;
	if (!room(t, &t->stored, h->stored))
		return t->error;
	t->pending = 0;
	t->checked = true;
	n = fill(t, t->stored.data, h->stored);
	if (n < 0)
		return n;
	if ((size_t)n < h->stored)
		return stop_inside(t);
	return trace_crc32c(t->crc, t->stored.data, n) == h->crc ? 0 : stop_damaged(t);
}

int trace_read_payload(struct trace_read *t, struct trace_block *b)
{
	const struct block_head *h = &t->head;
	int ret = b->payload ? 0 : trace_read_check(t);

	if (ret || b->payload)
		return ret;
	b->payload = t->stored.data;
	if (h->codec == CODEC_PLAIN)
		return 0;
	if (h->codec != CODEC_ZSTD)
		return stop_damaged(t);
	if (!room(t, &t->raw, h->raw))
		return t->error;
	b->payload = t->raw.data;
	return ZSTD_decompressDCtx(t->zstd, t->raw.data, h->raw, t->stored.data,
				   h->stored) == h->raw ? 0 : stop_damaged(t);
}

/* ---- the rest ---- */

const struct trace_info *trace_read_info(const struct trace_read *t)
{
	return &t->info;
}

const char *trace_read_why(const struct trace_read *t)
{
	return t->error ? t->why : NULL;
}

const char *trace_read_kind(const struct trace_read *t, u16 kind)
{
	return t->names ? t->names[kind] : "";
}

bool trace_read_seekable(const struct trace_read *t)
{
	return t->seekable;
}

u64 trace_read_size(const struct trace_read *t)
{
	struct stat st;

	return !fstat(t->fd, &st) && (u64)st.st_size > t->base ? st.st_size - t->base : 0;
}

u64 trace_read_offset(const struct trace_read *t)
{
	return t->offset;
}

void trace_read_follow(struct trace_read *t, bool (*more)(void *ctx), void *ctx)
{
	t->more = more;
	t->ctx = ctx;
}

void trace_read_close(struct trace_read *t)
{
	if (!t)
		return;
	ZSTD_freeDCtx(t->zstd);
	free(t->stored.data);
	free(t->raw.data);
	free(t->names);
	free(t);
}
