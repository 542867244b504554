// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Records in order of time, with bounded memory. They gather in a buffer; a
 * full one is sorted and written to a nameless temporary file as a run; in the
 * end all runs are merged. Few records never touch the disk.
 *
 * A run holds records of one source only, so that a source's times may be
 * shifted after they were sorted. Before that they may be negative.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "import_parts.h"
#include "log.h"

#define MERGE_BYTES (32u << 20)		/* buffers of all runs on disk together */
#define RUN_BUFFER_MIN (2 * RECORD_MAX)
#define RUN_BUFFER_MAX (1u << 20)
#define WRITE_BYTES (1u << 20)

struct entry {			/* a record in the buffer */
	s64 ts;
	u64 order;		/* at equal times: longer spans first */
	u64 at;			/* in the buffer, and so the order in which it was added */
};

struct run {
	u32 source;
	size_t first, n;	/* in the buffer: its entries */
	u64 offset, end;	/* on disk; offset == end: in the buffer */
	/* while it is merged */
	u64 ts, order;		/* of the record at hand, shifted */
	struct event *e;
	u8 *buffer;
	size_t len, pos;
};

struct sorter {
	char *folder;
	int fd;
	u64 bytes;		/* in the file */
	u8 *data;
	size_t len, room;
	struct entry *entries, *scratch;
	size_t n, entry_room;
	struct run *runs;
	size_t run_n, run_room;
	size_t disk_runs;	/* the first so many are on disk */
	size_t open_first;	/* first entry of the run that is being filled */
	u32 open_source;
};

struct sorter *sorter_new(const char *folder)
{
	struct sorter *s = must_alloc(sizeof(*s));

	s->folder = strcpy(must_alloc(strlen(folder) + 1), folder);
	s->fd = -1;
	return s;
}

void sorter_free(struct sorter *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	free(s->folder);
	free(s->data);
	free(s->entries);
	free(s->scratch);
	free(s->runs);
	free(s);
}

const char *sorter_folder(const struct sorter *s)
{
	return s->folder;
}

u64 sorter_spilled(const struct sorter *s)
{
	return s->bytes;
}

/* Of equal times what is around comes first: spans of threads by length, then all else. */
static u64 order_of(const struct event *e)
{
	bool span = e->kind == EVENT_API || e->kind == EVENT_NVTX || e->kind == EVENT_SPAN;
	u64 dur = 0;

	if (span && e->tid)
		memcpy(&dur, e + 1, sizeof(dur));
	return ~dur;
}

static bool entry_less(const struct entry *a, const struct entry *b)
{
	if (a->ts != b->ts)
		return a->ts < b->ts;
	return a->order != b->order ? a->order < b->order : a->at < b->at;
}

/* ---- sorting what is in memory: files are sorted in pieces, or nearly so ---- */

struct piece { size_t at, n; };		/* of the entries: in order */

/* How many of the n entries, which are in order, come after x: looked for from the last one. */
static size_t count_after(const struct entry *e, size_t n, const struct entry *x)
{
	size_t in = 0, step = 1, out;

	while (in + step <= n && entry_less(x, &e[n - in - step])) {
		in += step;
		step *= 2;
	}
	for (out = in + step <= n ? in + step : n + 1; out - in > 1; ) {
		size_t middle = in + (out - in) / 2;

		if (entry_less(x, &e[n - middle]))
			in = middle;
		else
			out = middle;
	}
	return in;
}

/* How many come before x: looked for from the first one. */
static size_t count_before(const struct entry *e, size_t n, const struct entry *x)
{
	size_t in = 0, step = 1, out;

	while (in + step <= n && entry_less(&e[in + step - 1], x)) {
		in += step;
		step *= 2;
	}
	for (out = in + step <= n ? in + step : n + 1; out - in > 1; ) {
		size_t middle = in + (out - in) / 2;

		if (entry_less(&e[middle - 1], x))
			in = middle;
		else
			out = middle;
	}
	return in;
}

/* Two neighbours become one: only where they overlap is anything moved. */
static void merge_two(struct entry *e, const struct piece *x, const struct piece *y,
		      struct entry *scratch)
{
	struct entry *b = e + y->at, *b_end, *out, *a = scratch, *a_end;
	size_t n = count_after(e + x->at, x->n, b);

	if (!n)
		return;
	out = b - n;
	b_end = b + count_before(b, y->n, b - 1);
	memcpy(scratch, out, n * sizeof(*out));
	for (a_end = scratch + n; a < a_end && b < b_end; )
		*out++ = entry_less(b, a) ? *b++ : *a++;
	memcpy(out, a, (a_end - a) * sizeof(*a));
}

/* Where the sorted piece that begins at i ends. */
static size_t piece_end(const struct entry *e, size_t i, size_t n)
{
	for (i++; i < n && !entry_less(&e[i], &e[i - 1]); i++)
		;
	return i;
}

/* Each piece on the stack is more than twice as long as the next, but for the last two. */
static void entries_sort(struct entry *e, struct entry *scratch, size_t n)
{
	struct piece stack[66];
	size_t depth = 0;

	for (size_t i = 0, end; i < n; i = end) {
		end = piece_end(e, i, n);
		stack[depth++] = (struct piece){ i, end - i };
		while (depth > 1 &&
		       (end == n || stack[depth - 2].n / 2 <= stack[depth - 1].n)) {
			depth--;
			merge_two(e, &stack[depth - 1], &stack[depth], scratch);
			stack[depth - 1].n += stack[depth].n;
		}
	}
}

/* The run that is being filled is whole. */
static void run_close(struct sorter *s)
{
	size_t n = s->n - s->open_first;

	if (!n)
		return;
	entries_sort(s->entries + s->open_first, s->scratch, n);
	if (s->run_n == s->run_room) {
		s->run_room = s->run_room ? 2 * s->run_room : 16;
		s->runs = must_realloc(s->runs, s->run_room * sizeof(*s->runs));
	}
	s->runs[s->run_n++] = (struct run){ s->open_source, s->open_first, n };
	s->open_first = s->n;
}

/* ---- the temporary file ---- */

static int spill_open(struct sorter *s)
{
	char name[4096];

	if (s->fd >= 0)
		return 0;
	s->fd = open(s->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (s->fd >= 0)
		return 0;
	snprintf(name, sizeof(name), "%s/gpuimport.XXXXXX", s->folder);
	s->fd = mkostemp(name, O_CLOEXEC);
	if (s->fd < 0)
		return fail(-errno, "cannot create a temporary file in %s (TMPDIR names another folder)",
			    s->folder);
	unlink(name);
	return 0;
}

static int spill_write(struct sorter *s, const u8 *p, size_t n)
{
	while (n) {
		ssize_t done = pwrite(s->fd, p, n, s->bytes);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return fail(done ? -errno : -ENOSPC,
				    "cannot write temporary records in %s (TMPDIR names another folder)",
				    s->folder);
		p += done;
		n -= done;
		s->bytes += done;
	}
	return 0;
}

static int run_spill(struct sorter *s, struct run *r, u8 *buffer)
{
	size_t len = 0;
	int err = 0;

	r->offset = s->bytes;
	for (size_t i = 0; i < r->n && !err; i++) {
		const struct event *e = (void *)(s->data + s->entries[r->first + i].at);

		if (len + e->size > WRITE_BYTES) {
			err = spill_write(s, buffer, len);
			len = 0;
		}
		memcpy(buffer + len, e, e->size);
		len += e->size;
	}
	if (!err)
		err = spill_write(s, buffer, len);
	r->end = s->bytes;
	return err;
}

/* The buffer is empty afterwards. */
static int spill(struct sorter *s)
{
	u8 *buffer = must_alloc(WRITE_BYTES);
	int err = spill_open(s);

	run_close(s);
	for (; s->disk_runs < s->run_n && !err; s->disk_runs++)
		err = run_spill(s, &s->runs[s->disk_runs], buffer);
	free(buffer);
	s->n = s->len = s->open_first = 0;
	return err;
}

/* ---- adding ---- */

static void sorter_reserve(struct sorter *s, size_t size)
{
	if (s->len + size > s->room) {
		s->room = s->room ? 2 * s->room : 1 << 20;
		s->data = must_realloc(s->data, s->room);
	}
	if (s->n == s->entry_room) {
		s->entry_room = s->entry_room ? 2 * s->entry_room : 1 << 14;
		s->entries = must_realloc(s->entries, s->entry_room * sizeof(*s->entries));
		free(s->scratch);
		s->scratch = must_alloc(s->entry_room * sizeof(*s->scratch));
	}
}

int sorter_add(struct sorter *s, const struct event *e, u32 source)
{
	int err;

	if (source != s->open_source) {
		run_close(s);
		s->open_source = source;
	}
	if (s->len + e->size + 2 * sizeof(struct entry) * (s->n + 1) > IMPORT_RUN_BYTES) {
		err = spill(s);
		if (err)
			return err;
	}
	sorter_reserve(s, e->size);
	memcpy(s->data + s->len, e, e->size);
	s->entries[s->n++] = (struct entry){ e->ts, order_of(e), s->len };
	s->len += e->size;
	return 0;
}

/* ---- merging ---- */

/* More of the run into its buffer; 0 or reported. */
static int run_fill(struct sorter *s, struct run *r, size_t room)
{
	size_t want;

	memmove(r->buffer, r->buffer + r->pos, r->len - r->pos);
	r->len -= r->pos;
	r->pos = 0;
	want = room - r->len < r->end - r->offset ? room - r->len : r->end - r->offset;
	while (want) {
		ssize_t n = pread(s->fd, r->buffer + r->len, want, r->offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail(n ? -errno : -EIO, "cannot read temporary records in %s",
				    s->folder);
		r->len += n;
		r->offset += n;
		want -= n;
	}
	return 0;
}

/* The next record of the run is at hand. 1, 0 at its end, or a reported error. */
static int run_next(struct sorter *s, struct run *r, s64 shift, size_t room)
{
	int err;

	if (r->buffer) {
		size_t left = r->len - r->pos;

		if (left < RECORD_MAX && r->offset < r->end) {
			err = run_fill(s, r, room);
			if (err)
				return err;
			left = r->len - r->pos;
		}
		if (!left)
			return 0;
		r->e = (void *)(r->buffer + r->pos);
		r->pos += r->e->size;
		r->order = order_of(r->e);
	} else {
		if (r->pos == r->n)
			return 0;
		r->e = (void *)(s->data + s->entries[r->first + r->pos].at);
		r->order = s->entries[r->first + r->pos++].order;
	}
	r->ts = r->e->ts + shift;
	return 1;
}

/* Runs are in the order in which their records were added: so are their addresses. */
static bool run_less(const struct run *a, const struct run *b)
{
	if (a->ts != b->ts)
		return a->ts < b->ts;
	return a->order != b->order ? a->order < b->order : a < b;
}

static void sift_down(struct run **heap, size_t n, size_t i)
{
	struct run *r = heap[i];
	size_t child;

	while ((child = 2 * i + 1) < n) {
		child += child + 1 < n && run_less(heap[child + 1], heap[child]);
		if (!run_less(heap[child], r))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = r;
}

static size_t buffer_size(size_t runs)
{
	size_t size = runs ? MERGE_BYTES / runs : 0;

	return size > RUN_BUFFER_MAX ? RUN_BUFFER_MAX :
	       size < RUN_BUFFER_MIN ? RUN_BUFFER_MIN : size & ~(size_t)7;
}

static int merge_start(struct sorter *s, const s64 *shift, size_t room, struct run **heap,
		       size_t *n)
{
	int more;

	for (size_t i = 0; i < s->run_n; i++) {
		struct run *r = &s->runs[i];

		if (i < s->disk_runs)
			r->buffer = must_alloc(room);
		more = run_next(s, r, shift[r->source], room);
		if (more < 0)
			return more;
		if (more)
			heap[(*n)++] = r;
	}
	for (size_t i = *n / 2; i-- > 0; )
		sift_down(heap, *n, i);
	return 0;
}

int sorter_merge(struct sorter *s, const s64 *shift, void *ctx,
		 int (*put)(void *ctx, struct event *e, u32 source))
{
	size_t n = 0, room;
	struct run **heap;
	int err, more;

	run_close(s);
	room = buffer_size(s->disk_runs);
	heap = must_alloc(s->run_n * sizeof(*heap));
	err = merge_start(s, shift, room, heap, &n);
	while (n && !err) {
		struct run *r = heap[0];

		r->e->ts = r->ts;
		err = put(ctx, r->e, r->source);
		more = err ? 0 : run_next(s, r, shift[r->source], room);
		if (more < 0)
			err = more;
		if (!more)
			heap[0] = heap[--n];
		if (n)
			sift_down(heap, n, 0);
	}
	for (size_t i = 0; i < s->disk_runs; i++)
		free(s->runs[i].buffer);
	free(heap);
	return err;
}
