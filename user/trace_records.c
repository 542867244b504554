// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The trace reader of gpuscope's tools: blocks (trace_read.h) to records as
 * structs. What is delivered can be used without a look at its size: texts
 * end, counts fit.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "log.h"
#include "trace.h"
#include "trace_format.h"

struct trace_reader {
	char *path;			/* for messages */
	int fd, error;
	bool quiet, ended;
	struct trace_read *in;
	char *damage;			/* why no more comes; NULL: nothing is wrong */
	u64 sequence, missing, unknown;
	bool jumped;			/* blocks were left out: a gap says nothing */
	u64 from, to;			/* window; to 0: none */
	struct trace_index_entry *index;	/* of a file, once it was asked for */
	size_t index_n, index_next;
	struct lost lost;		/* by the writer: delivered before the block that says
					 * so */
	struct layout *layouts[EVENT_KIND_MAX];
	struct buffer data, tail_len, scratch;
	struct rows rows;		/* of the block that is being delivered */
	const struct record_type *type;
	bool careful;			/* its records may need make_safe() */
	u16 producer;
	u32 next;			/* its record to deliver */
	size_t tail_at;
	u8 record[RECORD_MAX + 8] __attribute__((aligned(8)));
};

/* Nothing more will be read. The text is kept, and said unless the caller wants to do that. */
static int stop(struct trace_reader *r, const char *why)
{
	if (asprintf(&r->damage, "%s %s", r->path, why) < 0)
		err(1, "cannot read %s", r->path);
	if (!r->quiet)
		warn("%s", r->damage);
	return r->error = -EBADMSG;
}

/* What the blocks below failed with: the file's fault is kept as damage, ours is reported. */
static int stop_read(struct trace_reader *r, int error)
{
	if (error == -EBADMSG)
		return stop(r, trace_read_why(r->in));
	return r->error = fail(error, "cannot read %s", r->path);
}

static int stop_damaged(struct trace_reader *r, const struct trace_block *b)
{
	char why[64];

	snprintf(why, sizeof(why), "is damaged at byte %llu", b->at);
	return stop(r, why);
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
	if (!r)
		err(1, "cannot open %s", path);
	ret = open_path(r, path);
	if (!ret)
		ret = trace_read_open(&r->in, r->fd);
	if (ret && r->in)
		stop_read(r, ret);
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

/* Makes the block the one that is delivered; damage leaves nothing to deliver. */
static int unpack(struct trace_reader *r, struct trace_block *b)
{
	const struct layout *l = layout_get(r->layouts, b->kind);
	size_t lens = (size_t)b->records * sizeof(u32);
	int ret;

	if (!l) {
		r->unknown += b->records;
		return 0;
	}
	ret = trace_read_payload(r->in, b);
	if (ret)
		return stop_read(r, ret);
	buffer_need(&r->data, (size_t)b->records * l->type->size);
	buffer_need(&r->scratch, (size_t)b->records * sizeof(u64));
	r->rows = (struct rows){
		.data = r->data.data, .n = b->records, .tails = (const u8 *)"",
	};
	if (l->type->tail) {
		buffer_need(&r->tail_len, lens);
		r->rows.tail_len = memset(r->tail_len.data, 0, lens);
	}
	r->next = r->tail_at = 0;
	if (!columns_decode(b, l, &r->rows, (u64 *)r->scratch.data)) {
		r->rows.n = 0;
		return stop_damaged(r, b);
	}
	r->type = l->type;
	r->careful = l->type->tail;
	for (u32 i = 0; i < l->n; i++)
		r->careful |= l->columns[i].bytes;
	r->producer = b->producer;
	return 0;
}

/* Definitions are always wanted. */
static bool outside(const struct trace_reader *r, u16 kind, u64 first_ts, u64 last_ts)
{
	return r->to && kind >= EVENT_DEFINITIONS_END &&
	       (last_ts < r->from || first_ts >= r->to);
}

/* To the next block that is wanted, where the index tells which that is. */
static int jump(struct trace_reader *r)
{
	const struct trace_index_entry *e;
	u64 at = trace_read_offset(r->in);

	while (r->index_next < r->index_n) {
		e = &r->index[r->index_next++];
		if (e->type == TRACE_END || (e->type == TRACE_RECORDS &&
		    !outside(r, e->kind, e->first_ts, e->last_ts))) {
			at = e->at;
			break;
		}
		r->jumped = true;
		at = e->at + e->bytes;
	}
	return at == trace_read_offset(r->in) ? 0 : trace_read_seek(r->in, at);
}

/* Its records, where they are wanted; what a header says counts once the checksum was right. */
static int take_block(struct trace_reader *r, struct trace_block *b)
{
	bool repeated = b->flags & TRACE_REPEAT && !r->missing;	/* all of it was there */
	int ret;

	if (b->type == TRACE_RECORDS && outside(r, b->kind, b->first_ts, b->last_ts))
		return 0;
	ret = b->type == TRACE_RECORDS && !repeated ? unpack(r, b) : 0;
	if (!ret && (ret = trace_read_check(r->in)))
		ret = stop_read(r, ret);
	if (!ret) {
		r->lost.count = b->lost;
		r->lost.e.ts = b->first_ts;
	}
	return ret;
}

/* 1: go on reading, 0: the end. */
static int next_block(struct trace_reader *r)
{
	struct trace_block b;
	int ret = r->to && r->index ? jump(r) : 0;

	if (!ret)
		ret = trace_read_block(r->in, &b);
	if (ret < 0)
		return stop_read(r, ret);
	if (!ret) {
		r->ended = true;
		return 0;
	}
	if (b.sequence > r->sequence && !r->jumped)
		r->missing += b.sequence - r->sequence;
	r->jumped = false;
	r->sequence = b.sequence + 1;
	return take_block(r, &b) ?: 1;
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

/* Once; 0, or as trace_read_index(). */
static int index_get(struct trace_reader *r)
{
	int ret = r->index ? 0 : trace_read_index(r->in, &r->index, &r->index_n);

	if (ret == -ENOMEM)
		err(1, "cannot keep where the blocks of %s are", r->path);
	return ret < 0 ? ret : 0;
}

void trace_window(struct trace_reader *r, u64 from, u64 to)
{
	r->from = from;
	r->to = to;
	index_get(r);	/* of a pipe there is none: blocks are read and dropped */
}

int trace_times(struct trace_reader *r, u64 *first, u64 *last)
{
	int ret = index_get(r);

	if (ret)
		return ret;
	*first = ~0ULL;
	*last = 0;
	for (size_t i = 0; i < r->index_n; i++) {
		const struct trace_index_entry *e = &r->index[i];

		if (e->type != TRACE_RECORDS || e->kind < EVENT_DEFINITIONS_END)
			continue;
		*first = e->first_ts < *first ? e->first_ts : *first;
		*last = e->last_ts > *last ? e->last_ts : *last;
	}
	return *first <= *last;
}

void trace_follow(struct trace_reader *r, bool (*more)(void *ctx), void *ctx)
{
	trace_read_follow(r->in, more, ctx);
}

const struct trace_info *trace_reader_info(const struct trace_reader *r)
{
	return trace_read_info(r->in);
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
	trace_read_close(r->in);
	if (r->fd >= 0)
		close(r->fd);
	for (int i = 0; i < EVENT_KIND_MAX; i++)
		free(r->layouts[i]);
	free(r->index);
	free(r->data.data);
	free(r->tail_len.data);
	free(r->scratch.data);
	free(r->damage);
	free(r->path);
	free(r);
}
