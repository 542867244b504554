// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See chromejson.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "chromejson_parts.h"

#define OTHER_TID 0x20000000U	/* + uuid: of tracks that are no threads, whose ids are below
				 * 2^22 or above 2^30 */
#define STATE_TID 0x30000000U	/* + number */
#define TOP_PID	  0x7e000000U	/* + uuid: of tracks that belong to no process */

/* ---- events ---- */

void chromejson_event_open(struct chromejson *c, const char *phase)
{
	putc('\n', c->f);
	json_object(&c->j, NULL);
	json_str(&c->j, "ph", phase);
	c->events++;
}

/* Microseconds, as the format wants it, with every nanosecond. */
void chromejson_time_put(struct chromejson *c, const char *key, u64 ns)
{
	if (ns > c->newest && !strcmp(key, "ts"))
		c->newest = ns;
	fprintf(c->f, ",\"%s\":%llu.%03llu", key, ns / 1000, ns % 1000);
}

void chromejson_place_put(struct chromejson *c, u32 pid, u64 tid)
{
	json_u64(&c->j, "pid", pid);
	json_u64(&c->j, "tid", tid);
}

void chromejson_meta(struct chromejson *c, const char *what, u32 pid, u64 tid, const char *name)
{
	chromejson_event_open(c, "M");
	json_str(&c->j, "name", what);
	chromejson_place_put(c, pid, tid);
	json_object(&c->j, "args");
	json_str(&c->j, "name", name);
	json_close(&c->j);
	json_close(&c->j);
}

void chromejson_sort_meta(struct chromejson *c, const char *what, u32 pid, u64 tid, u64 index)
{
	chromejson_event_open(c, "M");
	json_str(&c->j, "name", what);
	chromejson_place_put(c, pid, tid);
	json_object(&c->j, "args");
	json_u64(&c->j, "sort_index", index);
	json_close(&c->j);
	json_close(&c->j);
}

void chromejson_notes_put(struct chromejson *c, const struct perfetto_note *n)
{
	for (; n && n->name; n++)
		if (n->text)
			json_str(&c->j, n->name, n->text);
		else if (n->hex)
			json_hex(&c->j, n->name, n->value);
		else if (n->value >> 63)
			json_s64(&c->j, n->name, n->value);
		else
			json_u64(&c->j, n->name, n->value);
}

/* ---- names ---- */

void chromejson_text(struct chromejson *c, enum intern kind, u64 id, const char *text)
{
	if (id >= c->text_room[kind]) {
		size_t room = 2 * id + 256;

		c->text[kind] = must_realloc(c->text[kind], room * sizeof(*c->text[kind]));
		memset(c->text[kind] + c->text_room[kind], 0,
		       (room - c->text_room[kind]) * sizeof(*c->text[kind]));
		c->text_room[kind] = room;
	}
	c->text[kind][id] = texts_add(&c->texts, text, strlen(text));
}

const char *chromejson_text_of(const struct chromejson *c, enum intern kind, u64 id)
{
	const char *text = id < c->text_room[kind] ? c->text[kind][id] : NULL;

	return text ? text : "?";
}

/* ---- tracks ---- */

static struct track *track_get(struct chromejson *c, u64 uuid)
{
	if (uuid >= c->track_room) {
		size_t room = 2 * uuid + 64;

		c->tracks = must_realloc(c->tracks, room * sizeof(*c->tracks));
		memset(c->tracks + c->track_room, 0,
		       (room - c->track_room) * sizeof(*c->tracks));
		c->track_room = room;
	}
	return &c->tracks[uuid];
}

void chromejson_process(struct chromejson *c, u64 uuid, u32 pid, const char *name)
{
	*track_get(c, uuid) = (struct track){ .pid = pid, .tid = pid };
	chromejson_meta(c, "process_name", pid, 0, name);
}

void chromejson_thread(struct chromejson *c, u64 uuid, u32 pid, u32 tid, const char *name)
{
	*track_get(c, uuid) = (struct track){ .pid = pid, .tid = tid };
	chromejson_meta(c, "thread_name", pid, tid, name);
}

void chromejson_track(struct chromejson *c, u64 uuid, u64 parent, const char *name)
{
	struct track t = { .tid = OTHER_TID + uuid, .pid = TOP_PID + uuid };

	if (parent)
		t.pid = track_get(c, parent)->pid;
	else
		chromejson_meta(c, "process_name", t.pid, 0, name);
	*track_get(c, uuid) = t;
	chromejson_meta(c, "thread_name", t.pid, t.tid, name);
}

void chromejson_counter_track(struct chromejson *c, u64 uuid, u64 parent, const char *name)
{
	struct track t = { .pid = parent ? track_get(c, parent)->pid : TOP_PID };

	if (!parent && !hash_get(&c->gpus, TOP_PID)) {
		hash_put(&c->gpus, TOP_PID, c);
		chromejson_meta(c, "process_name", TOP_PID, 0, "counters");
	}
	t.name = texts_add(&c->texts, name, strlen(name));
	*track_get(c, uuid) = t;
}

/* ---- slices ---- */

static void slice_head(struct chromejson *c, const char *phase, u64 ts,
		       const struct perfetto_slice *s)
{
	const struct track *t = track_get(c, s->track);

	chromejson_event_open(c, phase);
	json_str(&c->j, "cat", chromejson_text_of(c, INTERN_CATEGORY, s->category));
	json_str(&c->j, "name", chromejson_text_of(c, INTERN_NAME, s->name));
	chromejson_place_put(c, t->pid, t->tid);
	chromejson_time_put(c, "ts", ts);
}

static void args_put(struct chromejson *c, const struct perfetto_note *notes)
{
	if (!notes || !notes->name)
		return;
	json_object(&c->j, "args");
	chromejson_notes_put(c, notes);
	json_close(&c->j);
}

void chromejson_begin(struct chromejson *c, u64 ts, const struct perfetto_slice *s)
{
	const struct track *t = track_get(c, s->track);
	const struct place at = { .ts = ts, .pid = t->pid, .tid = t->tid };

	slice_head(c, "B", ts, s);
	args_put(c, s->notes);
	json_close(&c->j);
	for (u32 i = 0; i < s->n_submits; i++)
		chromejson_link(c, s->submits[i], &at);
	if (s->flow_out)
		chromejson_arrow(c, s->flow_out, true, &at);
	if (s->flow_in)
		chromejson_arrow(c, s->flow_in, false, &at);
}

void chromejson_instant(struct chromejson *c, u64 ts, const struct perfetto_slice *s)
{
	slice_head(c, "i", ts, s);
	json_str(&c->j, "s", "t");
	args_put(c, s->notes);
	json_close(&c->j);
}

void chromejson_end(struct chromejson *c, u64 ts, u64 track)
{
	const struct track *t = track_get(c, track);

	chromejson_event_open(c, "E");
	chromejson_place_put(c, t->pid, t->tid);
	chromejson_time_put(c, "ts", ts);
	json_close(&c->j);
}

/* value NULL: real. A whole number has all its digits: a string would be no curve. */
void chromejson_counter(struct chromejson *c, u64 ts, u64 track, const s64 *value, double real)
{
	const struct track *t = track_get(c, track);
	int digits = 15;
	char text[40];

	if (value)
		snprintf(text, sizeof(text), "%lld", (long long)*value);
	else if (!isfinite(real))
		strcpy(text, "null");
	else
		do
			snprintf(text, sizeof(text), "%.*g", digits, real);
		while (strtod(text, NULL) != real && ++digits <= 17);
	chromejson_event_open(c, "C");
	json_str(&c->j, "name", t->name ? t->name : "?");
	json_u64(&c->j, "pid", t->pid);
	chromejson_time_put(c, "ts", ts);
	fprintf(c->f, ",\"args\":{\"value\":%s}", text);
	json_close(&c->j);
}

static void state_put(struct chromejson *c, const struct state *s, u64 until)
{
	static const char *const names[] = {
		[STATE_RUNNABLE] = "runnable", [STATE_RUNNING] = "running",
		[STATE_BLOCKED] = "blocked", [STATE_STOPPED] = "stopped",
	};

	if (s->state >= sizeof(names) / sizeof(*names) || !names[s->state] || until <= s->since)
		return;
	chromejson_event_open(c, "X");
	json_str(&c->j, "cat", "sched");
	json_str(&c->j, "name", names[s->state]);
	chromejson_place_put(c, s->pid, s->track);
	chromejson_time_put(c, "ts", s->since);
	chromejson_time_put(c, "dur", until - s->since);
	json_close(&c->j);
}

/* The format has no states: each but a sleep is a slice of a track beside the thread's. */
void chromejson_task_state(struct chromejson *c, u64 ts, u32 tid, u32 pid, const char *comm,
			   u32 state)
{
	struct state *s = hash_get(&c->states, (u64)tid + 1);

	if (!s) {
		s = must_alloc(sizeof(*s));
		hash_put(&c->states, (u64)tid + 1, s);
		s->pid = pid;
		s->track = STATE_TID + ++c->state_tracks;
		chromejson_meta(c, "thread_name", pid, s->track, comm);
		chromejson_sort_meta(c, "thread_sort_index", pid, s->track, tid);
	}
	state_put(c, s, ts);
	s->state = state;
	s->since = ts;
}

/* The last ones last until the end of what there is. */
static void states_finish(struct chromejson *c)
{
	struct hash_slot *slot;
	size_t at = 0;

	while ((slot = hash_next(&c->states, &at))) {
		state_put(c, slot->value, c->newest);
		free(slot->value);
	}
	hash_free(&c->states);
}

void chromejson_sample(struct chromejson *c, u64 ts, u32 pid, u32 tid,
		       const char *const *frames, u32 n)
{
	chromejson_event_open(c, "P");
	json_str(&c->j, "cat", "sample");
	json_str(&c->j, "name", n ? frames[n - 1] : "[no stack]");
	chromejson_place_put(c, pid, tid);
	chromejson_time_put(c, "ts", ts);
	json_object(&c->j, "args");
	json_array(&c->j, "stack");
	for (u32 i = 0; i < n; i++)
		json_str(&c->j, NULL, frames[i]);
	json_close(&c->j);
	json_close(&c->j);
	json_close(&c->j);
}

/* ---- the file ---- */

struct chromejson *chromejson_open(FILE *f)
{
	struct chromejson *c = must_alloc(sizeof(*c));

	c->f = c->j.f = f;
	json_object(&c->j, NULL);
	json_str(&c->j, "displayTimeUnit", "ns");
	json_array(&c->j, "traceEvents");
	return c;
}

u64 chromejson_one_ended(const struct chromejson *c)
{
	return c->one_ended + c->arrows.used;
}

void chromejson_clock(struct chromejson *c, u64 monotonic_ns, u64 realtime_ns)
{
	if (!c->realtime_ahead && realtime_ns > monotonic_ns)
		c->realtime_ahead = realtime_ns - monotonic_ns;
}

u64 chromejson_bytes(const struct chromejson *c)
{
	off_t at = ftello(c->f);

	return at < 0 ? c->events * 200 : (u64)at;
}

int chromejson_close(struct chromejson *c)
{
	int err = 0;

	states_finish(c);
	json_close(&c->j);
	json_object(&c->j, "otherData");
	json_str(&c->j, "producer", "gpuscope " GPUSCOPE_VERSION);
	json_str(&c->j, "clock", "CLOCK_MONOTONIC");
	if (c->realtime_ahead)
		json_u64(&c->j, "realtime_ahead_ns", c->realtime_ahead);
	json_close(&c->j);
	json_close(&c->j);
	errno = 0;
	if (fflush(c->f) || ferror(c->f))
		err = errno ? -errno : -EIO;
	chromejson_ops_free(c);
	hash_free(&c->gpus);
	for (int k = 0; k < INTERN_KINDS; k++)
		free(c->text[k]);
	texts_free(&c->texts);
	free(c->tracks);
	free(c);
	return err;
}
