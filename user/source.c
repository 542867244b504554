// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where records come from: the ring of attached probes and their sums
 * (source_rows.c), or a trace file. Whatever ends a live run, what is in the ring
 * and in the sums is still read.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "clock.h"
#include "source_rows.h"
#include "tool_run.h"

#define POLL_MS 100		/* people notice 200; ten wake-ups a second are cheap */
#define LOST_EVERY_NS 1000000000ULL
#define MODULES_EVERY_NS 200000000

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	stopped = 1;
}

/* The first signal ends the run in order, a second one at once. */
void source_catch_signals(void)
{
	/* waits end all the same; a line that a slow reader holds up is not cut */
	struct sigaction sa = { .sa_handler = stop, .sa_flags = SA_RESETHAND | SA_RESTART };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

bool source_stopped(void)
{
	return stopped;
}

bool source_over(const struct source *l)
{
	return stopped || l->sink->enough || (l->end && now_ns() >= l->end);
}

/* Milliseconds to then, at most so many; until 0: never. */
static int wait_until(u64 until, u64 most_ms)
{
	u64 now = now_ns(), left;

	if (until && until < now)
		return 0;
	left = until ? (until - now + 999999) / 1000000 : most_ms;
	return left < most_ms ? left : most_ms;
}

int source_wait_ms(const struct source *l, u64 most_ms)
{
	return wait_until(l->next_tick, wait_until(l->end, most_ms));
}

static int put_lost(struct source *l, u32 where, u64 total, u64 *seen)
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

static int put_losses(struct source *l)
{
	int err = put_lost(l, LOST_BPF_RING, probe_lost(l->object), &l->lost_seen);

	l->lost_at = now_ns();
	if (!err)
		err = put_lost(l, LOST_BPF_MAP, l->lost_map, &l->lost_map_seen);
	return err ? err : put_lost(l, LOST_BPF_MISSED, probe_missed(l->object),
				    &l->missed_seen);
}

static int from_ring(void *ctx, void *data, size_t size)
{
	struct source *l = ctx;
	const struct event *e = data;

	return size < sizeof(*e) || e->size > size ? 0 : sink_put(l->sink, e);
}

/* Is it time to look whether the modules that are probed are still there? */
static bool modules_changed(struct source *l)
{
	u64 now = now_ns();

	if (now - l->modules_at < MODULES_EVERY_NS)
		return false;
	l->changed = probe_modules_changed(l->object);
	if (l->changed) {
		l->unseen = l->changed;
		l->unseen_since = l->modules_at;
	}
	l->modules_at = now;
	return l->changed;
}

static int put_sum(void *ctx, const struct event *e)
{
	return sink_put(ctx, e);
}

static int put_sums(struct source *l)
{
	l->sink->head = NULL;	/* each snapshot is a table of its own */
	return l->sums ? source_rows_read(l->sums, put_sum, l->sink) : 0;
}

static int source_turn(struct source *l)
{
	u64 now = now_ns();
	int err = 0;

	if (l->next_tick && now >= l->next_tick) {
		err = put_sums(l);
		if (!err && l->sink->tool->look)
			err = l->sink->tool->look(l->sink->tool);
		if (!err && l->sink->tool->view)
			err = sink_tick(l->sink, now);
		while (l->next_tick <= now)
			l->next_tick += l->sink->set->interval_ns;
	}
	l->lost_map = probe_lost_map(l->object);
	if (!err && now - l->lost_at > LOST_EVERY_NS)
		err = put_losses(l);
	if (!err)
		err = sink_flush(l->sink);
	return err ? err : modules_changed(l) ? SOURCE_MODULES : 0;
}

/* One wait and what came of it. The ring wakes us when it fills; what is less waits for the
 * clock. */
static int poll_ring(struct source *l, struct ring_buffer *ring)
{
	int err = ring_buffer__poll(ring, source_wait_ms(l, POLL_MS));

	if (err >= 0 || err == -EINTR)
		err = ring_buffer__consume(ring);
	return err < 0 ? err : source_turn(l);
}

static int source_ring(struct source *l)
{
	struct ring_buffer *ring = ring_buffer__new(probe_map_fd(l->object, "events"),
						    from_ring, l, NULL);
	int err = 0, rest = 0;

	if (!ring)
		return fail(-errno, "cannot read the ring of the probes");
	while (!err && !source_over(l))
		err = poll_ring(l, ring);
	probe_detach(l->object);
	if (err >= 0)
		rest = ring_buffer__consume(ring);
	if (err >= 0 && rest >= 0)
		rest = put_sums(l);
	ring_buffer__free(ring);
	return rest < 0 ? rest : err;
}

void source_end(struct source *l)
{
	source_rows_free(l->sums);
}

void source_begin(struct source *l, struct sink *s)
{
	*l = (struct source){ .sink = s };
	source_catch_signals();
}

/* Time runs from when the probes are attached for the first time. */
static void start_clocks(struct source *l)
{
	struct sink *s = l->sink;
	u64 now = now_ns();

	if (s->set->duration_ns)
		l->end = now + s->set->duration_ns;
	if (s->tool->view && s->tool->view->tick && !s->file)
		s->tick_from = now;
	if (s->tick_from || s->tool->set->sums)
		l->next_tick = now + s->set->interval_ns;
}

static int open_sums(struct source *l)
{
	const char *map = l->sink->tool->set->sums;

	source_rows_free(l->sums);
	l->sums = map ? source_rows_new(probe_map_fd(l->object, map)) : NULL;
	return map && !l->sums ? -EINVAL : 0;
}

static int put_note(struct source *l, u32 what, const char *text)
{
	struct { struct note_record n; char text[160]; } r = {
		.n = { .e = { .ts = now_ns(), .kind = EVENT_NOTE, .cpu = CPU_UNKNOWN },
		       .what = what },
	};
	size_t len = strlen(text);

	memcpy(r.text, text, len);
	r.n.e.size = (sizeof(r.n) + len + 7) / 8 * 8;
	return sink_put(l->sink, &r.n.e);
}

/* What a module did between its load and our probes is nobody's count. */
static int tell_unseen(struct source *l)
{
	char text[128];

	if (!l->unseen_since || !probe_module_there(l->unseen))
		return 0;
	snprintf(text, sizeof(text), "%s was loaded up to %llu ms before its functions were probed",
		 l->unseen, (now_ns() - l->unseen_since) / 1000000);
	l->unseen_since = 0;
	warn("%s", text);
	return put_note(l, NOTE_MISSING, text);
}

int source_live(struct source *l, struct probe_object *o)
{
	int err, lost;

	if (!l->object)
		start_clocks(l);
	l->object = o;
	if (open_sums(l))
		return -EINVAL;
	l->lost_seen = l->lost_map_seen = l->missed_seen = 0;
	l->lost_at = l->modules_at = now_ns();
	err = tell_unseen(l);
	if (!err)
		err = source_ring(l);
	if (err < 0 && err != -ECANCELED)
		return err;
	lost = put_losses(l);	/* they are told even after the last record */
	return lost < 0 && lost != -ECANCELED ? lost : err == -ECANCELED ? 0 : err;
}

/* ---- modules that come and go ---- */

static const char *modprobe_name(const char *module, char *buf, size_t size)
{
	snprintf(buf, size, "%s", module);
	for (char *p = buf; *p; p++)
		*p = *p == '_' ? '-' : *p;	/* as its users write it */
	return buf;
}

static int say(struct source *l, u32 what, const char *fmt, const char *module)
{
	char text[128], hint[64];

	snprintf(text, sizeof(text), fmt, module, modprobe_name(module, hint, sizeof(hint)));
	warn("%s", text);
	return put_note(l, what, text);
}

static const char *module_missing(const struct tool *tool)
{
	const char *module = tool->missing ? tool->missing(tool) : NULL;

	return module ? module : probe_module_missing(tool->set);
}

static int wait_for_modules(struct source *l)
{
	struct timespec t = { 0, MODULES_EVERY_NS };
	const char *missing;
	int err = 0;

	while (!err && (missing = module_missing(l->sink->tool))) {
		l->unseen = missing;
		l->unseen_since = now_ns();
		if (source_over(l))
			return -ECANCELED;
		nanosleep(&t, NULL);
		err = sink_flush(l->sink);
	}
	return err;
}

int source_wait(struct source *l, bool again)
{
	const struct probe_set *set = l->sink->tool->set;
	const char *missing = module_missing(l->sink->tool);
	char hint[64];
	int err;

	if (missing && !again && !l->sink->set->wait)
		return fail(0, "cannot attach the probes \"%s\": %s is not loaded (modprobe %s, or --wait)",
			    set->name, missing, modprobe_name(missing, hint, sizeof(hint)));
	if (!missing && !again)
		return 0;
	if (!missing)
		return say(l, NOTE_SETTING, probe_module_there(l->changed) ?
			   "%s was loaded: its functions are probed" :
			   "%s was unloaded: what there is without it is probed", l->changed);
	err = say(l, NOTE_MISSING, again ? "%s was unloaded: waiting for it" :
		  "%s is not loaded: waiting for it (modprobe %s)", missing);
	if (!err)
		err = wait_for_modules(l);
	return err ? err : say(l, NOTE_SETTING, "%s is loaded: its functions are probed",
			       missing);
}
