// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The end of an import: all definitions, then the records in order of time
 * with the stacks they need, into a trace that appears when it is whole.
 */
#include <stdlib.h>
#include <string.h>
#include "import_parts.h"
#include "log.h"

/* No block spans more trace time: the model joins what comes within 30 s. */
#define FLUSH_NS 5000000000ULL
/* Nor many records: what is open is written after so many, so that a reader need not keep more.
 * One record brings a few others with it. */
#define FLUSH_RECORDS (IMPORT_DISORDER - 4096)
#define ABSOLUTE_NS 1000000000000000000LL	/* 2001: times after it count from 1970 */

/* Times without an origin that are as large as the time of day are the time of day. */
static bool origin_of(const struct import_source *s, s64 *origin)
{
	*origin = s->origin_ns;
	return s->origin_ns ||
	       (s->first_ns != NO_TIME && s->first_ns >= ABSOLUTE_NS);
}

/* Files of known origin are brought to the clock of the first such. No time may become
 * negative: if one would, all files move. */
static void shifts(struct import *im, s64 *shift)
{
	s64 first = 0, origin, least = 0;
	bool have = false;

	for (u32 i = 0; i < im->source_n; i++) {
		struct import_source *s = im->sources[i];

		shift[i] = 0;
		if (origin_of(s, &origin)) {
			first = have ? first : origin;
			have = true;
			shift[i] = origin - first;
		}
		if (s->put && s->first_ns + shift[i] < least)
			least = s->first_ns + shift[i];
	}
	for (u32 i = 0; i < im->source_n; i++) {
		struct import_source *s = im->sources[i];

		shift[i] -= least;
		s->shift_ns = shift[i];
		if (!s->put)
			continue;
		if ((u64)(s->first_ns + shift[i]) < im->first_ns)
			im->first_ns = s->first_ns + shift[i];
		if ((u64)(s->last_ns + shift[i]) > im->last_ns)
			im->last_ns = s->last_ns + shift[i];
	}
	if (im->first_ns == ~0ULL)
		im->first_ns = 0;
}

/* CLOCK_REALTIME minus trace time; false: no file says. */
static bool realtime_minus(const struct import *im, s64 *minus)
{
	s64 origin;

	for (u32 i = 0; i < im->source_n; i++)
		if (origin_of(im->sources[i], &origin)) {
			*minus = origin - im->sources[i]->shift_ns;
			return true;
		}
	return false;
}

static int clock_write(struct import *im, s64 minus)
{
	struct clock_pair c = {
		.e = { .ts = im->first_ns, .size = sizeof(c), .kind = EVENT_CLOCK,
		       .cpu = CPU_UNKNOWN },
		.realtime_ns = im->first_ns + minus,
	};

	return trace_put(im->trace, &c.e);
}

/* Of this machine nothing is said: the records are not from here. */
static int trace_begin(struct import *im)
{
	struct trace_info info = { .start_ns = im->first_ns,
				   .tool = "gpuimport " GPUSCOPE_VERSION };
	const char *host = im->source_n ? im->sources[0]->host : "";
	s64 minus;
	bool known = realtime_minus(im, &minus);
	int err;

	for (u32 i = 1; i < im->source_n; i++)
		if (strcmp(host, im->sources[i]->host))
			host = "";
	strcpy(info.host, host);
	if (known)
		info.start_realtime_ns = im->first_ns + minus;
	err = trace_create_on(&im->trace, fileno(im->out.f), im->out.path ?: "stdout", &info);
	if (!err && known)
		err = clock_write(im, minus);
	return err;
}

/* A record in its turn. */
static int record_write(void *ctx, struct event *e, u32 source)
{
	struct import *im = ctx;
	int err = spans_before(im, e, im->sources[source]);

	if (!err)
		err = trace_put(im->trace, e);
	if (!err)
		err = spans_after(im, e);
	if (e->kind < EVENT_KIND_MAX)
		im->written[e->kind]++;
	if (!err && (e->ts - im->flushed_ns >= FLUSH_NS ||
		     trace_records(im->trace) - im->flushed_records >= FLUSH_RECORDS)) {
		im->flushed_ns = e->ts;
		im->flushed_records = trace_records(im->trace);
		err = trace_flush(im->trace);
	}
	return err;
}

static int trace_end(struct import *im, int err)
{
	int closed = trace_close(im->trace), kept;

	im->trace = NULL;
	err = err ?: closed;
	kept = outfile_close(&im->out, !err);
	im->out = (struct outfile){};
	return err ?: kept;
}

int import_finish(struct import *im)
{
	s64 *shift = must_alloc(im->source_n * sizeof(*shift));
	int err = im->error;

	if (!err) {
		shifts(im, shift);
		err = trace_begin(im);
	}
	if (!err)
		err = import_ids_write(im);
	if (!err)
		err = spans_define(im);
	im->flushed_ns = im->first_ns;
	if (!err)
		err = sorter_merge(im->sorter, shift, im, record_write);
	if (im->trace)
		err = trace_end(im, err);
	free(shift);
	return im->error = err;
}
