// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tracks, queues and names of the timeline, each described on first use; see
 * timeline.c. Threads are described once more at the end, when their last name
 * is known (a thread is often named after its first event).
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "symbols.h"
#include "timeline_tracks.h"
#include "titles.h"

#define COUNTER_STEP_NS 10000	/* viewers draw no finer; fewer points keep them fast */

static void *as_pointer(u64 v) { return (void *)(uintptr_t)v; }
static u64 as_u64(const void *p) { return (uintptr_t)p; }

/* ---- tracks ---- */

/* What tells one rank of a job from another stands in front: viewers cut the end. */
static void process_describe(struct timeline *t, u64 uuid, u32 pid, u16 producer)
{
	const char *comm = model_process(t->m, producer, pid)->comm;
	s32 rank = tracks_rank(t, pid);
	char name[COMM_LEN + 32];

	if (rank >= 0)
		snprintf(name, sizeof(name), "rank %d: %s", rank, comm);
	else
		snprintf(name, sizeof(name), "%s", comm);
	perfetto_process(t->p, uuid, shown_pid(pid), name);
}

static u64 process_track(struct timeline *t, u32 pid, u16 producer)
{
	u64 uuid = as_u64(hash_get(&t->processes, (u64)pid + 1));

	if (uuid)
		return uuid;
	uuid = ++t->uuids;
	hash_put(&t->processes, (u64)pid + 1, as_pointer(uuid));
	process_describe(t, uuid, pid, producer);
	return uuid;
}

static struct lanes *lanes_new(struct timeline *t, u64 uuid, u64 parent, const char *name)
{
	struct lanes *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	if (t->n_lanes == t->lanes_room) {
		size_t room = t->lanes_room ? 2 * t->lanes_room : 64;
		struct lanes **more = realloc(t->lanes, room * sizeof(*more));

		if (!more) {
			free(l);
			return NULL;
		}
		t->lanes = more;
		t->lanes_room = room;
	}
	*l = (struct lanes){ .uuid = uuid, .parent = parent, .name = name };
	t->lanes[t->n_lanes++] = l;
	return l;
}

struct lanes *tracks_thread(struct timeline *t, u32 pid, u32 tid)
{
	u64 key = (u64)pid << 32 | tid, parent, uuid;
	struct lanes *l = hash_get(&t->threads, key);

	if (l)
		return l;
	parent = process_track(t, pid, 0);
	uuid = ++t->uuids;
	perfetto_thread(t->p, uuid, parent, shown_pid(pid), shown_pid(tid),
			model_thread(t->m, tid)->comm);
	l = lanes_new(t, uuid, uuid, "overlapping");
	if (l)
		hash_put(&t->threads, key, l);
	return l;
}

struct lanes *tracks_process(struct timeline *t, u32 pid, u16 producer, const char *name)
{
	u64 key = hash_mix(pid ^ hash_bytes(name, strlen(name)));
	struct lanes *l = hash_get(&t->process_lanes, key);
	u64 parent;

	if (l)
		return l;
	parent = process_track(t, pid, producer);
	l = lanes_new(t, tracks_further(t, parent, name), parent, name);
	if (l)
		hash_put(&t->process_lanes, key, l);
	return l;
}

u64 tracks_process_uuid(struct timeline *t, u32 pid)
{
	return process_track(t, pid, 0);
}

u64 tracks_top(struct timeline *t, const char *name)
{
	u64 key = hash_bytes(name, strlen(name)), uuid = as_u64(hash_get(&t->tops, key));

	if (!uuid) {
		uuid = tracks_further(t, 0, name);
		hash_put(&t->tops, key, as_pointer(uuid));
	}
	return uuid;
}

struct lanes *tracks_uvm(struct timeline *t, const struct uvm_gpu_info *g, const char *name)
{
	u64 key = hash_mix(hash_address(g) ^ hash_bytes(name, strlen(name))), parent;
	struct lanes *l = hash_get(&t->uvm_lanes, key);
	char gpu[64], title[96];

	if (l)
		return l;
	snprintf(title, sizeof(title), "%s unified memory",
		 uvm_gpu_name(g, gpu, sizeof(gpu)));
	parent = tracks_top(t, title);
	l = lanes_new(t, tracks_further(t, parent, name), parent, name);
	if (l)
		hash_put(&t->uvm_lanes, key, l);
	return l;
}

u64 tracks_further(struct timeline *t, u64 parent, const char *name)
{
	u64 uuid = ++t->uuids;

	perfetto_track(t->p, uuid, parent, name);
	return uuid;
}

/* Two RUNNING in a row are an error to viewers: the switch between them was lost. Wakeups come
 * in blocks of their own, so only switches are compared with each other. */
int tracks_state(struct timeline *t, const struct event *e, u32 state)
{
	u64 key = (u64)e->tid + 1;

	if (!e->tid)
		return 0;	/* an idle CPU is no thread */
	if (!tracks_thread(t, e->pid, e->tid))
		return -ENOMEM;
	if (e->kind == EVENT_SWITCH) {
		if (state == STATE_RUNNING &&
		    as_u64(hash_get(&t->states, key)) == STATE_RUNNING)
			return 0;
		hash_put(&t->states, key, as_pointer(state));
	}
	perfetto_task_state(t->p, e->ts, e->cpu, shown_pid(e->pid), shown_pid(e->tid),
			    model_thread(t->m, e->tid)->comm, state);
	t->counts.states++;
	return 0;
}

/* ---- what operations refer to ---- */

u64 tracks_context(struct timeline *t, const struct gpu_op *op)
{
	u64 key = ((u64)op->g->e.producer << 32 | op->g->context) + 1;
	u64 id = as_u64(hash_get(&t->contexts, key));

	if (id)
		return id;
	process_track(t, op->process->pid, op->process->producer);
	id = perfetto_context(t->p, shown_pid(op->process->pid));
	hash_put(&t->contexts, key, as_pointer(id));
	return id;
}

u64 tracks_queue(struct timeline *t, const struct gpu_op *op)
{
	u64 key = hash_mix(hash_mix((u64)op->g->e.producer << 32 | op->g->context) ^
			   ((u64)op->device->gpu << 32 | op->g->stream));
	u64 id = as_u64(hash_get(&t->queues, key));
	char name[32], rank[24] = "", about[128];

	if (id)
		return id;
	snprintf(name, sizeof(name), "Stream %u", op->g->stream);
	if (tracks_rank(t, op->process->pid) >= 0)
		snprintf(rank, sizeof(rank), "rank %d: ", tracks_rank(t, op->process->pid));
	snprintf(about, sizeof(about), "%s%s (%u), GPU %u, context %u", rank, op->process->comm,
		 shown_pid(op->process->pid), op->device->gpu, op->g->context);
	id = perfetto_stage(t->p, name, about, false);
	hash_put(&t->queues, key, as_pointer(id));
	return id;
}

static const char *const stage_names[OP_TYPES] = { "Kernel", "Memcpy", "Memset", "Graph" };

u64 tracks_stage(struct timeline *t, enum op_type type)
{
	if (!t->stages[type])
		t->stages[type] = perfetto_stage(t->p, stage_names[type], NULL,
						 type == OP_KERNEL || type == OP_GRAPH);
	return t->stages[type];
}

static u64 name_intern(struct timeline *t, const struct gpu_op *op)
{
	const struct copy *c = (const void *)op->g;
	const char *kind;
	char text[32];

	if (op->type == OP_KERNEL)
		return perfetto_intern(t->p, INTERN_NAME, demangle(op->name));
	if (op->type != OP_COPY)
		return perfetto_intern(t->p, INTERN_NAME, stage_names[op->type]);
	kind = c->copy_kind ? record_enum_name(EVENT_COPY, "copy_kind", c->copy_kind) : NULL;
	snprintf(text, sizeof(text), "Memcpy %s", kind ? kind : "?");
	return perfetto_intern(t->p, INTERN_NAME, text);
}

u64 tracks_name(struct timeline *t, const struct gpu_op *op)
{
	u64 key = as_u64(op->name), id = as_u64(hash_get(&t->names, key));

	if (!id) {
		id = name_intern(t, op);
		if (id)
			hash_put(&t->names, key, as_pointer(id));
	}
	return id;
}

u64 tracks_kernel(struct timeline *t, const char *mangled)
{
	u64 key = as_u64(mangled), id = as_u64(hash_get(&t->kernels, key));

	if (!id) {
		id = perfetto_kernel(t->p, mangled, demangle(mangled));
		hash_put(&t->kernels, key, as_pointer(id));
	}
	return id;
}

/* ---- which operations a call launched ---- */

struct submits {
	u32 n, room;
	u64 *ids;
};

static u64 submits_key(u16 producer, u32 correlation)
{
	return ((u64)producer << 32 | correlation) + 1;
}

int submits_add(struct timeline *t, u16 producer, u32 correlation, u64 event_id)
{
	u64 key = submits_key(producer, correlation);
	struct submits *s = hash_get(&t->submits, key);

	if (!s) {
		s = calloc(1, sizeof(*s));
		if (!s)
			return -ENOMEM;
		hash_put(&t->submits, key, s);
	}
	if (s->n == s->room) {
		u32 room = s->room ? 2 * s->room : 1;
		u64 *more = realloc(s->ids, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		s->ids = more;
		s->room = room;
	}
	s->ids[s->n++] = event_id;
	return 0;
}

u64 *submits_take(struct timeline *t, u16 producer, u32 correlation, u32 *n)
{
	struct submits *s = hash_take(&t->submits, submits_key(producer, correlation));
	u64 *ids;

	*n = s ? s->n : 0;
	if (!s)
		return NULL;
	ids = s->ids;
	free(s);
	return ids;
}

/* ---- queue depth ---- */

static struct depth *depth_get(struct timeline *t, u32 gpu)
{
	char name[48];

	if (gpu >= t->n_depths) {
		struct depth *more = realloc(t->depths, (gpu + 1) * sizeof(*more));

		if (!more)
			return NULL;
		memset(more + t->n_depths, 0, (gpu + 1 - t->n_depths) * sizeof(*more));
		t->depths = more;
		t->n_depths = gpu + 1;
	}
	if (!t->depths[gpu].track) {
		t->depths[gpu].track = ++t->uuids;
		snprintf(name, sizeof(name), "GPU %u operations launched and not finished",
			 gpu);
		perfetto_counter_track(t->p, t->depths[gpu].track, 0, name, UNIT_COUNT);
	}
	return &t->depths[gpu];
}

static int point_add(struct depth *d, u64 ts, s32 delta)
{
	if (d->n == d->room) {
		size_t room = d->room ? 2 * d->room : 256;
		struct depth_point *more = realloc(d->points, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		d->points = more;
		d->room = room;
	}
	d->points[d->n++] = (struct depth_point){ ts, delta };
	return 0;
}

int depth_add(struct timeline *t, const struct gpu_op *op)
{
	u64 start = op->call && !op->early ? op->call->r.e.ts : op->g->e.ts;
	struct depth *d = depth_get(t, op->device->gpu);
	int err;

	if (!d)
		return -ENOMEM;
	err = point_add(d, time_end(start, 0), 1);
	return err ? err : point_add(d, time_end(op->g->e.ts, op->g->dur_ns), -1);
}

static int compare(const void *pa, const void *pb)
{
	const struct depth_point *a = pa, *b = pb;

	return a->ts < b->ts ? -1 : a->ts > b->ts ? 1 : b->delta - a->delta;
}

static void depth_write(struct timeline *t, struct depth *d, u64 before)
{
	size_t i = 0;

	if (d->n)
		qsort(d->points, d->n, sizeof(*d->points), compare);
	for (; i < d->n && d->points[i].ts < before; i++) {
		d->value += d->points[i].delta;
		if (i + 1 < d->n && d->points[i + 1].ts == d->points[i].ts)
			continue;
		if (d->written && d->value && d->points[i].ts < d->written_at + COUNTER_STEP_NS)
			continue;
		perfetto_counter(t->p, d->points[i].ts, d->track, d->value);
		d->written = true;
		d->written_at = d->points[i].ts;
		t->counts.counters++;
	}
	d->n -= i;
	if (d->n && i)
		memmove(d->points, d->points + i, d->n * sizeof(*d->points));
}

int depth_flush(struct timeline *t, u64 before)
{
	for (size_t i = 0; i < t->n_depths; i++)
		depth_write(t, &t->depths[i], before);
	return 0;
}

/* ---- begin and end ---- */

/* Viewers convert clocks as they read: the snapshot must be the first packet. */
void timeline_begin(struct timeline *t)
{
	if (!t->started && t->info->start_ns)
		perfetto_clock(t->p, t->info->start_ns, t->info->start_realtime_ns);
	t->started = true;
}

static void gpus_write(struct timeline *t)
{
	const struct device_info *const *list;
	size_t n = model_devices(t->m, &list), gpus = model_gpus(t->m);
	struct perfetto_gpu *out = calloc(gpus + 1, sizeof(*out));

	for (size_t i = 0; out && i < n; i++) {
		const struct device *d = &list[i]->d;
		struct perfetto_gpu *g = &out[list[i]->gpu];

		g->name = d->name[0] ? d->name : "GPU";
		g->vendor = gpu_vendor(d->name);
		g->uuid = d->uuid;
		g->driver = t->info->driver[0] ? t->info->driver : NULL;
		g->mem_bytes = d->mem_bytes;
		snprintf(g->pci, sizeof(g->pci), "%04x:%02x:%02x.%x", d->pci_domain, d->pci_bus,
			 d->pci_device, d->pci_function);
		snprintf(g->cc, sizeof(g->cc), "%u.%u", d->cc_major, d->cc_minor);
	}
	if (out && gpus)
		perfetto_gpus(t->p, out, gpus);
	free(out);
}

void tracks_finish(struct timeline *t)
{
	struct hash_slot *slot;
	size_t at = 0;

	while ((slot = hash_next(&t->processes, &at))) {
		u32 pid = slot->key - 1;

		process_describe(t, as_u64(slot->value), pid, 0);
	}
	at = 0;
	while ((slot = hash_next(&t->threads, &at))) {
		struct lanes *l = slot->value;
		u32 pid = slot->key >> 32, tid = (u32)slot->key;

		perfetto_thread(t->p, l->uuid, as_u64(hash_get(&t->processes, (u64)pid + 1)),
				shown_pid(pid), shown_pid(tid), model_thread(t->m, tid)->comm);
	}
	gpus_write(t);
}

struct timeline *timeline_new(struct perfetto *p, const struct timeline_settings *settings)
{
	struct timeline *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->p = p;
	t->set = *settings;
	return t;
}

void timeline_start(struct timeline *t, struct model *m, const struct trace_info *info)
{
	t->m = m;
	t->info = info;
}

const struct timeline_counts *timeline_counts(const struct timeline *t)
{
	return &t->counts;
}

void timeline_free(struct timeline *t)
{
	struct hash_slot *slot;
	size_t at = 0;

	while ((slot = hash_next(&t->submits, &at))) {
		free(((struct submits *)slot->value)->ids);
		free(slot->value);
	}
	for (size_t i = 0; i < t->n_lanes; i++) {
		lanes_free(t->lanes[i]);
		free(t->lanes[i]);
	}
	for (size_t i = 0; i < t->n_depths; i++)
		free(t->depths[i].points);
	hash_free(&t->threads);
	hash_free(&t->processes);
	hash_free(&t->process_lanes);
	hash_free(&t->uvm_lanes);
	for (at = 0; (slot = hash_next(&t->texts, &at)); )
		free(slot->value);
	hash_free(&t->texts);
	hash_free(&t->counter_tracks);
	hash_free(&t->tops);
	hash_free(&t->states);
	hash_free(&t->contexts);
	hash_free(&t->queues);
	hash_free(&t->kernels);
	hash_free(&t->names);
	hash_free(&t->submits);
	free(t->lanes);
	free(t->depths);
	free(t);
}
