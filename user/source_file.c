// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A trace file as a source of records. A file holds blocks of one kind each, so
 * kinds come one after the other: a view, which wants several, gets them by time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "arena.h"
#include "clock.h"
#include "model/heap.h"
#include "tool_run.h"

/* Writers write their blocks out ten times (tools) or once a second (gpurec). */
#define HORIZON_NS 5000000000ULL
#define LOOK_NS 100000000	/* between looks whether a file has grown */

struct replay {
	struct trace_reader *reader;
	struct sink *sink;
	struct heap waiting;	/* copies of records */
	u64 newest;
	u64 grown_ns;		/* when the file had more the last time */
	int error;		/* of the sink, while waiting for more */
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

/* At the end of a file that grows: what has come is out, also what waited for its turn, once
 * nothing came for as long. */
static bool more(void *ctx)
{
	struct replay *r = ctx;
	struct timespec t = { 0, LOOK_NS };

	if (!r->grown_ns)
		r->grown_ns = now_ns();
	if (now_ns() - r->grown_ns > HORIZON_NS)
		r->error = let_go(r, 0);
	if (!r->error)
		r->error = sink_flush(r->sink);
	if (r->error || r->sink->enough || source_stopped())
		return false;
	nanosleep(&t, NULL);
	return true;
}

/* What is whole is delivered and out before what is wrong is said. */
static int read_all(struct replay *r)
{
	const struct event *e;
	int got = 0, err = sink_begin(r->sink);

	trace_reader_quiet(r->reader);
	if (r->sink->set->follow)
		trace_follow(r->reader, more, r);
	while (!err && !source_stopped() && (got = trace_next(r->reader, &e)) > 0) {
		r->grown_ns = 0;
		err = put(r, e);
	}
	err = err ?: r->error;
	if (!err)
		err = let_go(r, 0);
	if (!err)
		err = sink_flush(r->sink);
	if (!err && got < 0 && !(r->sink->set->follow && source_stopped()))
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
