// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The trace reader: block by block from a file or a pipe. The file may come
 * from anywhere: sizes are bounded before memory is taken, checksums before
 * contents are looked at, and what is delivered can be used without a look at
 * its size: texts end, counts fit.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include "crc32c.h"
#include "log.h"
#include "trace.h"
#include "trace_format.h"

struct trace_reader {
	char *path;			/* for messages */
	int fd, error;
	bool quiet, ended;
	char *damage;			/* why no more comes; NULL: nothing is wrong */
	u64 offset, block_at;		/* bytes read; where the block being read begins */
	u64 sequence, missing, unknown;
	struct lost lost;		/* by the writer: delivered before the block that says
					 * so */
	struct trace_info info;
	struct layout *layouts[EVENT_KIND_MAX];
	struct buffer stored, raw, data, tail_len, scratch;
	struct rows rows;		/* of the block that is being delivered */
	const struct record_type *type;
	bool careful;			/* its records may need make_safe() */
	u16 producer;
	u32 next;			/* its record to deliver */
	size_t tail_at;
	ZSTD_DCtx *zstd;
	u8 record[RECORD_MAX + 8] __attribute__((aligned(8)));
};

/* Nothing more will be read. The text is kept, and said unless the caller wants to do that. */
__attribute__((format(printf, 2, 3)))
static int stop(struct trace_reader *r, const char *fmt, ...)
{
	char what[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (asprintf(&r->damage, "%s %s", r->path, what) < 0)
		err(1, "cannot read %s", r->path);
	if (!r->quiet)
		warn("%s", r->damage);
	return r->error = -EBADMSG;
}

static int stop_damaged(struct trace_reader *r)
{
	return stop(r, "is damaged at byte %llu", r->block_at);
}

/* How many of len bytes there were (fewer only at the end), or a negative errno, reported. */
static ssize_t fill(struct trace_reader *r, void *buf, size_t len)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = read(r->fd, (u8 *)buf + got, len - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return r->error = fail(-errno, "cannot read %s", r->path);
		if (n == 0)
			break;
		got += n;
	}
	r->offset += got;
	return got;
}

static int skip_bytes(struct trace_reader *r, u32 *crc, size_t len)
{
	u8 buf[HEAD_MAX];
	ssize_t n = fill(r, buf, len);

	if (n < 0)
		return n;
	*crc = crc32c(*crc, buf, n);
	return (size_t)n == len ? 0 : 1;
}

static void head_copy(struct trace_info *info, const struct file_head *h)
{
	*info = (struct trace_info){
		.version = h->version, .start_ns = h->start_ns,
		.start_realtime_ns = h->start_realtime_ns,
	};
#define COPY(member) memcpy(info->member, h->member, sizeof(info->member) - 1);
	FILE_HEAD_TEXTS(COPY)
#undef COPY
}

static int read_file_head(struct trace_reader *r)
{
	struct file_head h;
	ssize_t n = fill(r, &h, sizeof(h));
	size_t magic = n < (ssize_t)sizeof(h.magic) ? (size_t)n : sizeof(h.magic);
	u32 want, crc;
	int ret;

	if (n < 0)
		return n;
	if (n == 0)
		return stop(r, "is empty, not a gpuscope trace");
	if (memcmp(h.magic, FILE_MAGIC, magic))
		return stop(r, "is not a gpuscope trace");
	if ((size_t)n < sizeof(h))
		return stop(r, "ends inside its header at byte %zd", n);
	if (h.version > TRACE_VERSION)
		return stop(r,
			    "is of trace version %u, this program reads up to %u (update it)",
			    h.version, TRACE_VERSION);
	if (h.size < sizeof(h) || h.size > HEAD_MAX)
		return stop_damaged(r);
	want = h.crc;
	h.crc = 0;
	crc = crc32c(0, &h, sizeof(h));
	ret = skip_bytes(r, &crc, h.size - sizeof(h));
	if (ret < 0)
		return ret;
	if (ret)
		return stop(r, "ends inside its header at byte %llu", r->offset);
	if (crc != want)
		return stop_damaged(r);
	head_copy(&r->info, &h);
	return 0;
}

static int open_path(struct trace_reader *r, const char *path)
{
	struct stat st;

	if (!strcmp(path, "-")) {
		r->path = strdup("stdin");
		r->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	} else {
		r->path = strdup(path);
		r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	}
	if (!r->path)
		err(1, "cannot open %s", path);
	if (r->fd < 0)
		return fail(-errno, "cannot open %s", r->path);
	if (!fstat(r->fd, &st) && S_ISDIR(st.st_mode))
		return fail(-EISDIR, "cannot read %s", r->path);
	if (isatty(r->fd))
		return fail_usage("cannot read a trace from a terminal (use a file or a pipe)");
	return 0;
}

int trace_open(struct trace_reader **out, const char *path)
{
	struct trace_reader *r = calloc(1, sizeof(*r));
	int ret;

	*out = NULL;
	if (!r || !(r->zstd = ZSTD_createDCtx()))
		err(1, "cannot open %s", path);
	ret = open_path(r, path);
	if (!ret)
		ret = read_file_head(r);
	if (ret) {
		trace_reader_close(r);
		return ret;
	}
	*out = r;
	return 0;
}

static void buffer_need(struct buffer *b, size_t size)
{
	b->len = 0;
	buffer_reserve(b, size + 1);	/* never NULL */
}

/* Behind the end mark nothing may follow: 0. */
static int read_end(struct trace_reader *r)
{
	u8 byte;
	ssize_t n = fill(r, &byte, 1);

	if (n < 0)
		return n;
	r->ended = true;
	r->block_at = r->offset - 1;
	return n ? stop_damaged(r) : 0;
}

static bool head_plausible(const struct block_head *h)
{
	return h->magic == BLOCK_MAGIC && h->size >= sizeof(*h) && h->size <= HEAD_MAX &&
	       h->raw <= BLOCK_RAW_MAX && h->stored <= BLOCK_RAW_MAX &&
	       h->records <= BLOCK_RECORDS_MAX &&
	       (h->codec != CODEC_PLAIN || h->raw == h->stored);
}

/* The next block's header and payload as stored, checked by its CRC: 1. */
static int read_block(struct trace_reader *r, struct block_head *h)
{
	ssize_t n;
	u32 crc, want, magic = BLOCK_MAGIC;
	int ret;

	r->block_at = r->offset;
	n = fill(r, h, sizeof(*h));
	if (n < 0)
		return n;
	if (n == 0)
		return stop(r, "ends without its end mark at byte %llu", r->offset);
	if ((size_t)n < sizeof(*h) && !memcmp(h, &magic, n < 4 ? n : 4))
		return stop(r, "ends inside a block at byte %llu", r->block_at);
	if ((size_t)n < sizeof(*h) || !head_plausible(h))
		return stop_damaged(r);
	want = h->crc;
	h->crc = 0;
	crc = crc32c(0, h, sizeof(*h));
	ret = skip_bytes(r, &crc, h->size - sizeof(*h));
	if (ret < 0)
		return ret;
	buffer_need(&r->stored, h->stored);
	n = ret ? 0 : fill(r, r->stored.data, h->stored);
	if (n < 0)
		return n;
	if (ret || (size_t)n < h->stored)
		return stop(r, "ends inside a block at byte %llu", r->block_at);
	if (crc32c(crc, r->stored.data, h->stored) != want)
		return stop_damaged(r);
	return 1;
}

/* The payload behind its codec; NULL: not what the header says. */
static const u8 *decompress(struct trace_reader *r, const struct block_head *h)
{
	size_t n;

	if (h->codec == CODEC_PLAIN)
		return r->stored.data;
	if (h->codec != CODEC_ZSTD)
		return NULL;
	buffer_need(&r->raw, h->raw);
	n = ZSTD_decompressDCtx(r->zstd, r->raw.data, h->raw, r->stored.data, h->stored);
	return n == h->raw ? r->raw.data : NULL;
}

static const struct layout *layout_of(struct trace_reader *r, u16 kind)
{
	const struct record_type *type;

	if (kind >= EVENT_KIND_MAX)
		return NULL;
	if (!r->layouts[kind] && (type = record_type(kind)))
		r->layouts[kind] = layout_new(type);
	return r->layouts[kind];
}

/* Makes the block the one that is delivered; damage leaves nothing to deliver. */
static int unpack(struct trace_reader *r, const struct block_head *h)
{
	const struct layout *l = layout_of(r, h->kind);
	size_t lens = (size_t)h->records * sizeof(u32);
	const u8 *payload;

	if (!l) {
		r->unknown += h->records;
		return 0;
	}
	payload = decompress(r, h);
	if (!payload)
		return stop_damaged(r);
	buffer_need(&r->data, (size_t)h->records * l->type->size);
	buffer_need(&r->scratch, (size_t)h->records * sizeof(u64));
	r->rows = (struct rows){
		.data = r->data.data, .n = h->records, .tails = (const u8 *)"",
	};
	if (l->type->tail) {
		buffer_need(&r->tail_len, lens);
		r->rows.tail_len = memset(r->tail_len.data, 0, lens);
	}
	r->next = r->tail_at = 0;
	if (!columns_decode(payload, h->raw, l, &r->rows, (u64 *)r->scratch.data)) {
		r->rows.n = 0;
		return stop_damaged(r);
	}
	r->type = l->type;
	r->careful = l->type->tail;
	for (u32 i = 0; i < l->n; i++)
		r->careful |= l->columns[i].bytes;
	r->producer = h->producer;
	return 0;
}

/* 1: go on reading, 0: the end. */
static int next_block(struct trace_reader *r)
{
	struct block_head h;
	int ret = read_block(r, &h);

	if (ret <= 0)
		return ret;
	if (h.sequence > r->sequence)
		r->missing += h.sequence - r->sequence;
	r->sequence = h.sequence + 1;
	r->lost.count = h.lost;
	r->lost.e.ts = h.first_ts;
	if (h.type == BLOCK_END)
		return read_end(r);
	if (h.type != BLOCK_RECORDS || (h.flags & BLOCK_REPEAT && !r->missing))
		return 1;	/* all that is repeated was there */
	ret = unpack(r, &h);
	return ret ?: 1;
}

/* What a consumer may rely on in any record: texts end, counts do not exceed what is there. */
static void make_safe(struct event *e, const struct record_type *type)
{
	const struct field *f;
	struct stack *s = (struct stack *)e;
	u32 frames;

	for (f = type->fields; f->name; f++)
		if (f->as == AS_STR)
			((char *)e)[f->off + f->size - 1] = 0;
	if (e->kind == EVENT_STACK) {
		frames = (e->size - sizeof(*s)) / sizeof(u64);
		s->kernel_frames = s->kernel_frames < frames ? s->kernel_frames : frames;
		s->user_frames = frames - s->kernel_frames;
	} else if (e->kind == EVENT_MAP) {
		struct map *m = (struct map *)e;

		if (m->build_id_size > sizeof(m->build_id))
			m->build_id_size = 0;
	}
}

static struct event *with_tail(struct trace_reader *r, const u8 *row)
{
	u32 len = r->rows.tail_len[r->next], size = r->type->size;
	u32 room = RECORD_MAX - size - (r->type->tail == AS_TEXT);
	u32 use = len < room ? len : room;
	struct event *e = (struct event *)r->record;

	if (r->type->tail == AS_FRAMES)
		use &= ~7u;
	memcpy(r->record, row, size);
	memset(r->record + size + (use & ~7u), 0, 8);
	memcpy(r->record + size, r->rows.tails + r->tail_at, use);
	r->tail_at += len;
	e->size = size + (r->type->tail == AS_FRAMES ? use : (use + 8) & ~7u);
	return e;
}

/* What the writer lost is a record as well, of the place where it is missing. */
static const struct event *take_lost(struct trace_reader *r)
{
	struct lost *l = memcpy(r->record, &r->lost, sizeof(*l));

	l->e.size = sizeof(*l);
	l->e.kind = EVENT_LOST;
	l->e.cpu = CPU_UNKNOWN;
	l->where = LOST_WRITER;
	r->lost.count = 0;
	return &l->e;
}

int trace_next(struct trace_reader *r, const struct event **out)
{
	struct event *e;
	u8 *row;
	int ret;

	while (r->next >= r->rows.n && !r->lost.count) {
		if (r->error || r->ended)
			return r->error;
		ret = next_block(r);
		if (ret <= 0 && !r->lost.count)
			return ret;
	}
	if (r->lost.count) {
		*out = take_lost(r);
		return 1;
	}
	row = r->rows.data + (size_t)r->next * r->type->size;
	e = (struct event *)row;
	if (r->type->tail)
		e = with_tail(r, row);
	else
		e->size = r->type->size;
	e->kind = r->type->kind;
	e->producer = r->producer;
	if (r->careful)
		make_safe(e, r->type);
	r->next++;
	*out = e;
	return 1;
}

const struct trace_info *trace_reader_info(const struct trace_reader *r)
{
	return &r->info;
}

const char *trace_damage(const struct trace_reader *r)
{
	return r->damage;
}

void trace_reader_quiet(struct trace_reader *r)
{
	r->quiet = true;
}

u64 trace_unknown_kinds(const struct trace_reader *r)
{
	return r->unknown;
}

u64 trace_blocks_missing(const struct trace_reader *r)
{
	return r->missing;
}

void trace_reader_close(struct trace_reader *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	for (int i = 0; i < EVENT_KIND_MAX; i++)
		free(r->layouts[i]);
	free(r->stored.data);
	free(r->raw.data);
	free(r->data.data);
	free(r->tail_len.data);
	free(r->scratch.data);
	ZSTD_freeDCtx(r->zstd);
	free(r->damage);
	free(r->path);
	free(r);
}
