// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "chromejson.h"
#include "hash.h"
#include "out.h"

#define OTHER_TID 0x40000000U	/* + uuid: of tracks that are no threads */
#define TOP_PID	  0x7e000000U	/* + uuid: of tracks that belong to no process */
#define GPU_PID	  0x7f000000U	/* + number */
#define QUEUE_TID 1000U		/* * queue, + lane */

struct track { u32 pid; u64 tid; const char *name; };	/* name: of a counter */
struct queue { u64 *ends; u32 lanes; const char *name, *about; u32 gpu; bool told; };
struct state { u32 state; u64 since; };

struct chromejson {
	FILE *f;
	struct json j;
	struct texts texts;
	const char **text[INTERN_KINDS];	/* by id */
	size_t text_room[INTERN_KINDS];
	struct track *tracks;			/* by uuid */
	size_t track_room;
	struct queue *queues;			/* by the id of its stage */
	size_t queue_room;
	struct hash states;			/* tid -> struct state */
	struct hash gpus;			/* that were named */
	u64 realtime_ahead;			/* of CLOCK_MONOTONIC; 0 unknown */
	u64 events;
};

/* ---- events ---- */

static void event_open(struct chromejson *c, const char *phase)
{
	putc('\n', c->f);
	json_object(&c->j, NULL);
	json_str(&c->j, "ph", phase);
	c->events++;
}

/* Microseconds, as the format wants it, with every nanosecond. */
static void time_put(struct chromejson *c, const char *key, u64 ns)
{
	fprintf(c->f, ",\"%s\":%llu.%03llu", key, ns / 1000, ns % 1000);
}

static void place_put(struct chromejson *c, u32 pid, u64 tid)
{
	json_u64(&c->j, "pid", pid);
	json_u64(&c->j, "tid", tid);
}

static void meta(struct chromejson *c, const char *what, u32 pid, u64 tid, const char *name)
{
	event_open(c, "M");
	json_str(&c->j, "name", what);
	place_put(c, pid, tid);
	json_object(&c->j, "args");
	json_str(&c->j, "name", name);
	json_close(&c->j);
	json_close(&c->j);
}

static void sort_meta(struct chromejson *c, u32 pid, u64 index)
{
	event_open(c, "M");
	json_str(&c->j, "name", "process_sort_index");
	place_put(c, pid, 0);
	json_object(&c->j, "args");
	json_u64(&c->j, "sort_index", index);
	json_close(&c->j);
	json_close(&c->j);
}

static void notes_put(struct chromejson *c, const struct perfetto_note *n)
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

static const char *text_of(const struct chromejson *c, enum intern kind, u64 id)
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
	meta(c, "process_name", pid, 0, name);
}

void chromejson_thread(struct chromejson *c, u64 uuid, u32 pid, u32 tid, const char *name)
{
	*track_get(c, uuid) = (struct track){ .pid = pid, .tid = tid };
	meta(c, "thread_name", pid, tid, name);
}

void chromejson_track(struct chromejson *c, u64 uuid, u64 parent, const char *name)
{
	struct track t = { .tid = OTHER_TID + uuid, .pid = TOP_PID + uuid };

	if (parent)
		t.pid = track_get(c, parent)->pid;
	else
		meta(c, "process_name", t.pid, 0, name);
	*track_get(c, uuid) = t;
	meta(c, "thread_name", t.pid, t.tid, name);
}

void chromejson_counter_track(struct chromejson *c, u64 uuid, u64 parent, const char *name)
{
	struct track t = { .pid = parent ? track_get(c, parent)->pid : TOP_PID };

	if (!parent && !hash_get(&c->gpus, TOP_PID)) {
		hash_put(&c->gpus, TOP_PID, c);
		meta(c, "process_name", TOP_PID, 0, "counters");
	}
	t.name = texts_add(&c->texts, name, strlen(name));
	*track_get(c, uuid) = t;
}

/* ---- slices ---- */

static void slice_head(struct chromejson *c, const char *phase, u64 ts,
		       const struct perfetto_slice *s)
{
	const struct track *t = track_get(c, s->track);

	event_open(c, phase);
	json_str(&c->j, "cat", text_of(c, INTERN_CATEGORY, s->category));
	json_str(&c->j, "name", text_of(c, INTERN_NAME, s->name));
	place_put(c, t->pid, t->tid);
	time_put(c, "ts", ts);
}

static void args_put(struct chromejson *c, const struct perfetto_note *notes)
{
	if (!notes || !notes->name)
		return;
	json_object(&c->j, "args");
	notes_put(c, notes);
	json_close(&c->j);
}

static void flow_put(struct chromejson *c, const char *phase, u64 ts, u32 pid, u64 tid,
		     const char *name, u64 id)
{
	event_open(c, phase);
	json_str(&c->j, "cat", name);
	json_str(&c->j, "name", name);
	json_hex(&c->j, "id", id);
	if (*phase == 'f')
		json_str(&c->j, "bp", "e");
	place_put(c, pid, tid);
	time_put(c, "ts", ts);
	json_close(&c->j);
}

void chromejson_begin(struct chromejson *c, u64 ts, const struct perfetto_slice *s)
{
	const struct track t = *track_get(c, s->track);

	slice_head(c, "B", ts, s);
	args_put(c, s->notes);
	json_close(&c->j);
	for (u32 i = 0; i < s->n_submits; i++)
		flow_put(c, "s", ts, t.pid, t.tid, "ac2g", s->submits[i]);
	if (s->flow_out)
		flow_put(c, "s", ts, t.pid, t.tid, "flow", s->flow_out);
	if (s->flow_in)
		flow_put(c, "f", ts, t.pid, t.tid, "flow", s->flow_in);
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

	event_open(c, "E");
	place_put(c, t->pid, t->tid);
	time_put(c, "ts", ts);
	json_close(&c->j);
}

void chromejson_counter(struct chromejson *c, u64 ts, u64 track, double value)
{
	const struct track *t = track_get(c, track);

	event_open(c, "C");
	json_str(&c->j, "name", t->name ? t->name : "?");
	json_u64(&c->j, "pid", t->pid);
	time_put(c, "ts", ts);
	json_object(&c->j, "args");
	json_real(&c->j, "value", value);
	json_close(&c->j);
	json_close(&c->j);
}

/* The format has no states: each but a sleep is a slice of a track beside the thread's. */
void chromejson_task_state(struct chromejson *c, u64 ts, u32 tid, u32 pid, const char *comm,
			   u32 state)
{
	static const char *const names[] = {
		[STATE_RUNNABLE] = "runnable", [STATE_RUNNING] = "running",
		[STATE_BLOCKED] = "blocked", [STATE_STOPPED] = "stopped",
	};
	struct state *s = hash_get(&c->states, tid);

	if (!s) {
		s = must_alloc(sizeof(*s));
		hash_put(&c->states, tid, s);
		meta(c, "thread_name", pid, OTHER_TID - tid, comm);
	}
	if (s->state < sizeof(names) / sizeof(*names) && names[s->state] && ts > s->since) {
		event_open(c, "X");
		json_str(&c->j, "cat", "sched");
		json_str(&c->j, "name", names[s->state]);
		place_put(c, pid, OTHER_TID - tid);
		time_put(c, "ts", s->since);
		time_put(c, "dur", ts - s->since);
		json_close(&c->j);
	}
	*s = (struct state){ state, ts };
}

void chromejson_sample(struct chromejson *c, u64 ts, u32 pid, u32 tid,
		       const char *const *frames, u32 n)
{
	event_open(c, "P");
	json_str(&c->j, "cat", "sample");
	json_str(&c->j, "name", n ? frames[n - 1] : "[no stack]");
	place_put(c, pid, tid);
	time_put(c, "ts", ts);
	json_object(&c->j, "args");
	json_array(&c->j, "stack");
	for (u32 i = 0; i < n; i++)
		json_str(&c->j, NULL, frames[i]);
	json_close(&c->j);
	json_close(&c->j);
	json_close(&c->j);
}

/* ---- operations of GPUs ---- */

void chromejson_stage(struct chromejson *c, u64 id, const char *name, const char *about)
{
	if (id >= c->queue_room) {
		size_t room = 2 * id + 16;

		c->queues = must_realloc(c->queues, room * sizeof(*c->queues));
		memset(c->queues + c->queue_room, 0,
		       (room - c->queue_room) * sizeof(*c->queues));
		c->queue_room = room;
	}
	c->queues[id].name = texts_add(&c->texts, name, strlen(name));
	c->queues[id].about = about ? texts_add(&c->texts, about, strlen(about)) : NULL;
}

static void gpu_name(struct chromejson *c, u32 gpu)
{
	char name[32];

	if (hash_get(&c->gpus, GPU_PID + gpu))
		return;
	hash_put(&c->gpus, GPU_PID + gpu, c);
	snprintf(name, sizeof(name), "GPU %u", gpu);
	meta(c, "process_name", GPU_PID + gpu, 0, name);
	sort_meta(c, GPU_PID + gpu, 1000000 + gpu);
}

/* The first track of the queue whose last operation is over. */
static u64 lane_of(struct chromejson *c, u64 id, const struct perfetto_op *op)
{
	struct queue *q = &c->queues[id];
	char name[320];
	u32 i;

	for (i = 0; i < q->lanes && q->ends[i] > op->ts; i++)
		;
	if (i == q->lanes) {
		q->ends = must_realloc(q->ends, ++q->lanes * sizeof(*q->ends));
		snprintf(name, sizeof(name), "%s%s%s", q->name, i ? ", overlapping" : "",
			 "");
		if (q->about)
			snprintf(name + strlen(name), sizeof(name) - strlen(name), " (%.240s)",
				 q->about);
		meta(c, "thread_name", GPU_PID + op->gpu, id * QUEUE_TID + i, name);
	}
	q->ends[i] = op->ts + op->dur_ns;
	return id * QUEUE_TID + i;
}

static const char *op_category(const struct chromejson *c, u64 stage)
{
	static const char *const names[][2] = {
		{ "Kernel", "kernel" }, { "Memcpy", "gpu_memcpy" }, { "Memset", "gpu_memset" },
	};
	const char *name = stage < c->queue_room && c->queues[stage].name ?
		c->queues[stage].name : "";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i][0]))
			return names[i][1];
	return "gpu_graph";
}

static void dims_put(struct chromejson *c, const char *key, const u32 *d)
{
	json_array(&c->j, key);
	for (int i = 0; i < 3; i++)
		json_u64(&c->j, NULL, d[i]);
	json_close(&c->j);
}

void chromejson_gpu_op(struct chromejson *c, const struct perfetto_op *op)
{
	u64 tid;

	gpu_name(c, op->gpu);
	tid = lane_of(c, op->queue, op);
	event_open(c, "X");
	json_str(&c->j, "cat", op_category(c, op->stage));
	json_str(&c->j, "name", text_of(c, INTERN_NAME, op->name));
	place_put(c, GPU_PID + op->gpu, tid);
	time_put(c, "ts", op->ts);
	time_put(c, "dur", op->dur_ns);
	if (op->grid || (op->args && op->args->name)) {
		json_object(&c->j, "args");
		notes_put(c, op->args);
		if (op->grid) {
			dims_put(c, "grid", op->grid);
			dims_put(c, "block", op->block);
		}
		json_close(&c->j);
	}
	json_close(&c->j);
	flow_put(c, "f", op->ts, GPU_PID + op->gpu, tid, "ac2g", op->event_id);
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
	struct hash_slot *slot;
	size_t at = 0;
	int err = 0;

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
	while ((slot = hash_next(&c->states, &at)))
		free(slot->value);
	hash_free(&c->states);
	hash_free(&c->gpus);
	for (size_t i = 0; i < c->queue_room; i++)
		free(c->queues[i].ends);
	for (int k = 0; k < INTERN_KINDS; k++)
		free(c->text[k]);
	texts_free(&c->texts);
	free(c->tracks);
	free(c->queues);
	free(c);
	return err;
}
