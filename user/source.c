// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where records come from: the ring of attached probes, a map of summed rows, or
 * a trace file. Whatever ends a live run, what is in the ring is still read.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "clock.h"
#include "tool_run.h"

#define POLL_MS 100		/* people notice 200; ten wake-ups a second are cheap */
#define LOST_EVERY_NS 1000000000ULL

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	stopped = 1;
}

/* The first signal ends the run in order, a second one at once. */
static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = stop, .sa_flags = SA_RESETHAND };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

struct live {
	struct probe_object *object;
	struct sink *sink;
	u64 end;		/* 0: nobody said when */
	u64 lost_seen, lost_map_seen, lost_at;
	u64 lost_map;		/* as of before detaching: an entry may go before its return */
};

static bool over(const struct live *l)
{
	return stopped || l->sink->enough || (l->end && now_ns() >= l->end);
}

static int wait_ms(const struct live *l, u64 most_ms)
{
	u64 now = now_ns(), left;

	if (!l->end)
		return most_ms;
	left = l->end > now ? (l->end - now + 999999) / 1000000 : 0;
	return left < most_ms ? left : most_ms;
}

static int put_lost(struct live *l, u32 where, u64 total, u64 *seen)
{
	struct lost r = {
		.e = { .ts = now_ns(), .size = sizeof(r), .kind = EVENT_LOST,
		       .cpu = CPU_UNKNOWN },
		.count = total - *seen, .where = where,
	};

	if (!r.count)
		return 0;
	*seen = total;
	return sink_put(l->sink, &r.e);
}

static int put_losses(struct live *l)
{
	int err = put_lost(l, LOST_BPF_RING, probe_lost(l->object), &l->lost_seen);

	l->lost_at = now_ns();
	return err ? err : put_lost(l, LOST_BPF_MAP, l->lost_map, &l->lost_map_seen);
}

static int from_ring(void *ctx, void *data, size_t size)
{
	struct live *l = ctx;
	const struct event *e = data;

	return size < sizeof(*e) || e->size > size ? 0 : sink_put(l->sink, e);
}

/* One wait and what came of it. The ring wakes us when it fills; what is less waits for the
 * clock. */
static int poll_ring(struct live *l, struct ring_buffer *ring)
{
	int err = ring_buffer__poll(ring, wait_ms(l, POLL_MS));

	if (err >= 0 || err == -EINTR)
		err = ring_buffer__consume(ring);
	l->lost_map = probe_lost_map(l->object);
	if (err >= 0 && now_ns() - l->lost_at > LOST_EVERY_NS)
		err = put_losses(l);
	return err < 0 ? err : sink_flush(l->sink);
}

static int source_ring(struct live *l)
{
	struct ring_buffer *ring = ring_buffer__new(probe_map_fd(l->object, "events"),
						    from_ring, l, NULL);
	int err = 0;

	if (!ring)
		return fail(-errno, "cannot read the ring of the probes");
	while (!err && !over(l))
		err = poll_ring(l, ring);
	probe_detach(l->object);
	if (!err)
		err = ring_buffer__consume(ring);
	ring_buffer__free(ring);
	return err < 0 ? err : 0;
}

/* Prints every row and takes it out, so that each batch is one interval's sum. */
static int take_rows(struct live *l, int fd)
{
	static _Alignas(8) char row[RECORD_MAX], key[256];
	struct event *e = (struct event *)row;
	int err = 0;

	l->sink->head_printed = false;
	while (!err && !bpf_map_get_next_key(fd, NULL, key))
		if (!bpf_map_lookup_and_delete_elem(fd, key, row) && e->size <= sizeof(row))
			err = sink_put(l->sink, e);
	return err ? err : sink_flush(l->sink);
}

static int source_rows(struct live *l, const char *map)
{
	const struct settings *set = l->sink->set;
	int fd = probe_map_fd(l->object, map), err = 0;

	while (!err && !over(l)) {
		u64 ms = wait_ms(l,
				 (set->interval_ns ? set->interval_ns : 1000000000) / 1000000);
		struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

		nanosleep(&t, NULL);
		err = take_rows(l, fd);
	}
	probe_detach(l->object);
	return err;
}

int source_live(struct probe_object *o, struct sink *s)
{
	struct live l = { .object = o, .sink = s, .lost_at = now_ns() };
	int err;

	if (s->set->duration_ns)
		l.end = now_ns() + s->set->duration_ns;
	catch_signals();
	err = sink_begin(s);
	if (err)
		return err;
	err = s->tool->rows ? source_rows(&l, s->tool->rows) : source_ring(&l);
	s->enough = false;	/* the losses are told even after the last record */
	if (!err || err == -ECANCELED)
		err = put_losses(&l);
	return err == -ECANCELED ? 0 : err;
}

/* What is whole is delivered and out before what is wrong is said. */
static int read_all(struct trace_reader *r, struct sink *s)
{
	const struct event *e;
	int got = 0, err = sink_begin(s);

	trace_reader_quiet(r);
	while (!err && !stopped && (got = trace_next(r, &e)) > 0)
		err = sink_put(s, e);
	if (!err)
		err = sink_flush(s);
	if (!err && got < 0)
		err = trace_damage(r) ? fail(0, "%s", trace_damage(r)) : got;
	return err;
}

int source_file(const char *path, struct sink *s)
{
	struct trace_reader *r = NULL;
	int err = trace_open(&r, path);

	if (err)
		return err;
	catch_signals();
	err = read_all(r, s);
	if (!err && !s->records)
		warn("%s holds no record for this tool", path);
	trace_reader_close(r);
	return err == -ECANCELED ? 0 : err;
}
