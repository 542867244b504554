// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Operations of GPUs and arrows in JSON. A stream may have several tracks: operations come in
 * nearly any order, so each track knows the times that are taken on it. An arrow is
 * written when both of its ends are known: viewers complain of one alone.
 */
#include <stdlib.h>
#include <string.h>
#include "chromejson_parts.h"

#define GPU_PID	   0x7f000000U	/* + number */
#define LANE_TID   1U		/* + number, over all streams of all GPUs */
#define LANE_SORT  4096U	/* * queue, + lane */
#define TAKEN_MAX  16		/* then the two nearest become one */
#define ARROWS_MAX (1U << 20)	/* ends that wait; a recording may hold ends without end */

struct taken { u64 from, to; };
struct lane { u64 tid; u32 n; struct taken taken[TAKEN_MAX + 1]; };	/* in order, apart */
struct queue { struct lane *lanes; u32 n; const char *name, *about; };
struct arrow { struct place at; bool out; };

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
	chromejson_meta(c, "process_name", GPU_PID + gpu, 0, name);
	chromejson_sort_meta(c, "process_sort_index", GPU_PID + gpu, 0, 1000000 + gpu);
}

/* ---- tracks of a stream ---- */

static void lane_merge(struct lane *l)
{
	u32 best = 0;

	for (u32 i = 1; i + 1 < l->n; i++)
		if (l->taken[i + 1].from - l->taken[i].to <
		    l->taken[best + 1].from - l->taken[best].to)
			best = i;
	l->taken[best].to = l->taken[best + 1].to;
	memmove(&l->taken[best + 1], &l->taken[best + 2],
		(l->n - best - 2) * sizeof(*l->taken));
	l->n--;
}

/* Takes the time, where nothing is there yet. */
static bool lane_takes(struct lane *l, u64 from, u64 to)
{
	u32 i = l->n;

	while (i && l->taken[i - 1].from > from)
		i--;
	/* i: the first that begins later */
	if ((i && l->taken[i - 1].to > from) || (i < l->n && l->taken[i].from < to))
		return false;
	memmove(&l->taken[i + 1], &l->taken[i], (l->n - i) * sizeof(*l->taken));
	l->taken[i] = (struct taken){ from, to };
	if (++l->n > TAKEN_MAX)
		lane_merge(l);
	return true;
}

static u64 lane_of(struct chromejson *c, u64 id, const struct perfetto_op *op)
{
	struct queue *q = &c->queues[id];
	struct lane *l;
	char name[320];
	u32 i;

	for (i = 0; i < q->n; i++)
		if (lane_takes(&q->lanes[i], op->ts, op->ts + op->dur_ns))
			return q->lanes[i].tid;
	q->lanes = must_realloc(q->lanes, ++q->n * sizeof(*q->lanes));
	l = &q->lanes[i];
	*l = (struct lane){ .tid = LANE_TID + c->lanes++ };
	lane_takes(l, op->ts, op->ts + op->dur_ns);
	snprintf(name, sizeof(name), "%s%s", q->name, i ? ", overlapping" : "");
	if (q->about)
		snprintf(name + strlen(name), sizeof(name) - strlen(name), " (%.240s)",
			 q->about);
	chromejson_meta(c, "thread_name", GPU_PID + op->gpu, l->tid, name);
	chromejson_sort_meta(c, "thread_sort_index", GPU_PID + op->gpu, l->tid,
			     id * LANE_SORT + i);
	return l->tid;
}

/* ---- arrows ---- */

static void flow_put(struct chromejson *c, const char *phase, const char *name, u64 id,
		     const struct place *at)
{
	chromejson_event_open(c, phase);
	json_str(&c->j, "cat", name);
	json_str(&c->j, "name", name);
	json_hex(&c->j, "id", id);
	if (*phase == 'f')
		json_str(&c->j, "bp", "e");
	chromejson_place_put(c, at->pid, at->tid);
	chromejson_time_put(c, "ts", at->ts);
	json_close(&c->j);
}

void chromejson_link(struct chromejson *c, u64 event_id, const struct place *call)
{
	struct place *op = hash_take(&c->links, event_id);

	if (!op)
		return;
	flow_put(c, "s", "ac2g", event_id, call);
	flow_put(c, "f", "ac2g", event_id, op);
	free(op);
}

void chromejson_unlink(struct chromejson *c, u64 event_id)
{
	free(hash_take(&c->links, event_id));
}

void chromejson_arrow(struct chromejson *c, u64 id, bool out, const struct place *at)
{
	struct arrow *other = hash_get(&c->arrows, id);

	if (other && other->out != out) {
		flow_put(c, "s", "flow", id, out ? at : &other->at);
		flow_put(c, "f", "flow", id, out ? &other->at : at);
		free(hash_take(&c->arrows, id));
		return;
	}
	if (other || c->arrows.used >= ARROWS_MAX)
		c->one_ended++;		/* this one, or the one that it takes the place of */
	if (!other && c->arrows.used >= ARROWS_MAX)
		return;
	if (!other) {
		other = must_alloc(sizeof(*other));
		hash_put(&c->arrows, id, other);
	}
	*other = (struct arrow){ *at, out };
}

/* ---- operations ---- */

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
	struct place *at;
	u64 tid;

	gpu_name(c, op->gpu);
	tid = lane_of(c, op->queue, op);
	chromejson_event_open(c, "X");
	json_str(&c->j, "cat", op_category(c, op->stage));
	json_str(&c->j, "name", chromejson_text_of(c, INTERN_NAME, op->name));
	chromejson_place_put(c, GPU_PID + op->gpu, tid);
	chromejson_time_put(c, "ts", op->ts);
	chromejson_time_put(c, "dur", op->dur_ns);
	if (op->grid || (op->args && op->args->name)) {
		json_object(&c->j, "args");
		chromejson_notes_put(c, op->args);
		if (op->grid) {
			dims_put(c, "grid", op->grid);
			dims_put(c, "block", op->block);
		}
		json_close(&c->j);
	}
	json_close(&c->j);
	if (op->ts + op->dur_ns > c->newest)
		c->newest = op->ts + op->dur_ns;
	if (!op->called)
		return;
	at = must_alloc(sizeof(*at));
	*at = (struct place){ .ts = op->ts, .pid = GPU_PID + op->gpu, .tid = tid };
	hash_put(&c->links, op->event_id, at);
}

static void values_free(struct hash *h)
{
	struct hash_slot *slot;
	size_t at = 0;

	while ((slot = hash_next(h, &at)))
		free(slot->value);
	hash_free(h);
}

void chromejson_ops_free(struct chromejson *c)
{
	values_free(&c->links);
	values_free(&c->arrows);
	for (size_t i = 0; i < c->queue_room; i++)
		free(c->queues[i].lanes);
	free(c->queues);
}
