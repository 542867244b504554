// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where the blocks of a trace are, from its index or their headers; see trace_read.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include "trace_read.h"

struct list {
	struct trace_index_entry *at;
	size_t n, room;
};

static bool list_room(struct list *l, size_t more)
{
	void *p;

	if (l->n + more <= l->room)
		return true;
	l->room = (l->n + more) * 2;
	p = realloc(l->at, l->room * sizeof(*l->at));
	if (!p)
		return false;
	l->at = p;
	return true;
}

/* Its entries go behind the others. Negative: not an index. */
static int add_block(struct list *l, const struct trace_block *b)
{
	u64 *v = malloc((b->records + 1) * sizeof(*v));
	int got = 1;

	if (!v || !list_room(l, b->records + 1)) {
		free(v);
		return -ENOMEM;
	}
#define GET(field)								\
	if (got > 0 && (got = trace_read_values(b, #field, 0, v)) > 0)		\
		for (u32 i = 0; i < b->records; i++)				\
			l->at[l->n + i].field = v[i];
	TRACE_INDEX_FIELDS(GET)
#undef GET
	free(v);
	if (got <= 0)
		return -EBADMSG;
	l->n += b->records;
	return 0;
}

/* One block behind the other, the last one before the index. */
static bool is_sound(const struct list *l, u64 first, u64 end)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct trace_index_entry *e = &l->at[i];

		if (e->at != first || e->bytes < sizeof(struct block_head) ||
		    e->bytes > HEAD_MAX + (u64)TRACE_RAW_MAX)
			return false;
		first += e->bytes;
	}
	return first == end;
}

/* The end mark, which says where the index begins, is as long as it is in every file with one.
 * 0: it has none that can be used. */
static int load(struct trace_read *t, struct list *l, u64 first, u64 size)
{
	struct trace_block b;
	u64 at, end_bytes = sizeof(struct block_head) + sizeof(at);
	int got;

	if (size < first + end_bytes || trace_read_seek(t, size - end_bytes) ||
	    trace_read_block(t, &b) <= 0 || b.type != TRACE_END || b.raw != sizeof(at))
		return 0;
	memcpy(&at, b.payload, sizeof(at));
	if (at < first || at >= size || trace_read_seek(t, at))
		return 0;
	while ((got = trace_read_block(t, &b)) > 0 && b.type == TRACE_INDEX)
		if (trace_read_payload(t, &b) || add_block(l, &b))
			return 0;
	return got > 0 && b.type == TRACE_END && is_sound(l, first, at);
}

static int make(struct trace_read *t, struct list *l)
{
	struct trace_block b;

	while (trace_read_block(t, &b) > 0) {
		if (!list_room(l, 1))
			return -ENOMEM;
		l->at[l->n++] = (struct trace_index_entry){
			.at = b.at, .bytes = b.bytes, .first_ts = b.first_ts,
			.last_ts = b.last_ts, .records = b.records, .type = b.type,
			.flags = b.flags, .kind = b.kind, .producer = b.producer,
		};
	}
	return 0;
}

int trace_read_index(struct trace_read *t, struct trace_index_entry **list, size_t *n)
{
	struct list l = {};
	u64 first = trace_read_offset(t);
	int had, err = 0;

	*list = NULL;
	*n = 0;
	if (!trace_read_seekable(t))
		return -ESPIPE;
	had = load(t, &l, first, trace_read_size(t));
	if (!had) {
		l.n = 0;
		err = trace_read_seek(t, first);
		if (!err)
			err = make(t, &l);
	}
	if (!err)
		err = trace_read_seek(t, first);
	if (err) {
		free(l.at);
		return err;
	}
	*list = l.at;
	*n = l.n;
	return had;
}
