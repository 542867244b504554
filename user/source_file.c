// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A trace file as a source of records. A file holds blocks of one kind each, so
 * kinds come one after the other: a view, which wants several, gets them by time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "model/heap.h"
#include "tool_run.h"

/* Writers write their blocks out ten times (tools) or once a second (gpurec). */
#define HORIZON_NS 5000000000ULL

struct replay {
	struct trace_reader *reader;
	struct sink *sink;
	struct heap waiting;	/* copies of records */
	u64 newest;
};

/* Those that nothing earlier can come before; 0: all that wait. */
static int let_go(struct replay *r, u64 horizon)
{
	const struct heap_item *first;
	int err = 0;

	while (!err && (first = heap_first(&r->waiting)) &&
	       (!horizon || first->ts + horizon < r->newest)) {
		struct event *e = heap_take(&r->waiting);

		err = sink_put(r->sink, e);
		free(e);
	}
	return err;
}

/* Definitions come before what uses them: they never wait. */
static int put(struct replay *r, const struct event *e)
{
	struct event *copy;

	if (!r->sink->tool->view || r->sink->file || e->kind < EVENT_DEFINITIONS_END)
		return sink_put(r->sink, e);
	if (!sink_wants(r->sink, e))
		return 0;
	copy = must_alloc(e->size);
	memcpy(copy, e, e->size);
	heap_put(&r->waiting, e->ts, copy);
	r->newest = e->ts > r->newest ? e->ts : r->newest;
	return let_go(r, HORIZON_NS);
}

/* What is whole is delivered and out before what is wrong is said. */
static int read_all(struct replay *r)
{
	const struct event *e;
	int got = 0, err = sink_begin(r->sink);

	trace_reader_quiet(r->reader);
	while (!err && !source_stopped() && (got = trace_next(r->reader, &e)) > 0)
		err = put(r, e);
	if (!err)
		err = let_go(r, 0);
	if (!err)
		err = sink_flush(r->sink);
	if (!err && got < 0)
		err = trace_damage(r->reader) ? fail(0, "%s", trace_damage(r->reader)) : got;
	return err;
}

int source_file(const char *path, struct sink *s)
{
	struct replay r = { .sink = s };
	int err = trace_open(&r.reader, path);

	if (err)
		return err;
	source_catch_signals();
	err = read_all(&r);
	if (!err && !s->taken)
		warn("%s holds no record for this tool", path);
	while (heap_first(&r.waiting))
		free(heap_take(&r.waiting));
	heap_free(&r.waiting);
	trace_reader_close(r.reader);
	return err == -ECANCELED ? 0 : err;
}
