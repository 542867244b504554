// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reading rings that another process writes. It may write anything at any
 * time: each value is read once into our memory and checked there; what is no
 * record is counted, and that ring goes on at its head.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "cuda.h"
#include "handover_peer.h"
#include "schema.h"

static struct ring_slot *slot_of(const struct peer *p, u32 i)
{
	return (void *)((u8 *)p->ring + HANDOVER_PAGE +
			(u64)i * (HANDOVER_PAGE + (u64)p->slot_bytes));
}

/* ---- threads: inner ids to ours ---- */

void peer_thread_set(struct peer *p, u32 ns_tid, u32 tid)
{
	u32 i;

	for (i = p->thread_count; i-- > 0; ) {
		if (p->threads[i].ns_tid != ns_tid)
			continue;
		p->threads[i].tid = tid;
		return;
	}
	if (p->thread_count == p->thread_room) {
		u32 room = p->thread_room ? p->thread_room * 2 : 64;
		struct peer_thread *more = room > 65536 ? NULL :
					   realloc(p->threads, room * sizeof(*more));

		if (!more)
			return;
		p->threads = more;
		p->thread_room = room;
	}
	p->threads[p->thread_count++] = (struct peer_thread){ ns_tid, tid };
}

/* The innermost of the ids in "NSpid:" is what the process itself sees. */
static u32 innermost(const char *path)
{
	char line[256];
	u32 inner = 0;
	FILE *f = fopen(path, "re");

	while (f && fgets(line, sizeof(line), f)) {
		char *last = strrchr(line, '\t');

		if (strncmp(line, "NSpid:", 6) || !last)
			continue;
		inner = strtoul(last, NULL, 10);
		break;
	}
	if (f)
		fclose(f);
	return inner;
}

static void threads_read(struct peer *p)
{
	char path[300];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", p->shown.pid);
	dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		u32 tid = strtoul(d->d_name, NULL, 10), inner;

		if (!tid)
			continue;
		snprintf(path, sizeof(path), "/proc/%u/task/%u/status", p->shown.pid, tid);
		inner = innermost(path);
		if (inner)
			peer_thread_set(p, inner, tid);
	}
	if (dir)
		closedir(dir);
}

static struct peer_thread *thread_find(struct peer *p, u32 ns_tid)
{
	u32 i;

	for (i = p->thread_count; i-- > 0; )
		if (p->threads[i].ns_tid == ns_tid)
			return &p->threads[i];
	return NULL;
}

/* A thread that nobody can name keeps the id it has for itself. */
u32 peer_thread_tid(struct peer *p, u32 ns_tid)
{
	struct peer_thread *t;

	if (!ns_tid || p->same_ns)
		return ns_tid;
	t = thread_find(p, ns_tid);
	if (!t) {
		threads_read(p);
		t = thread_find(p, ns_tid);
		if (!t)
			peer_thread_set(p, ns_tid, 0);	/* ended: do not read /proc again for
							 * it */
	}
	return t && t->tid ? t->tid : ns_tid;
}

/* ---- records ---- */

static bool may_send(u16 kind)
{
	return kind == EVENT_DEVICE || kind == EVENT_NAME || kind == EVENT_CLOCK ||
	       kind == EVENT_GRAPH_NODE || kind == EVENT_ALLOC ||
	       (kind >= EVENT_API && kind <= EVENT_NVTX);
}

/* Size and kind of a record in our own memory, against the table of kinds. */
static bool sound(const struct event *e)
{
	const struct record_type *type = may_send(e->kind) ? record_type(e->kind) : NULL;

	if (!type)
		return false;
	if (type->tail == AS_TEXT)
		return e->size >= type->size + 8;
	return e->size == type->size;
}

static void deliver(struct peer *p, struct handover_sink *sink, struct event *e)
{
	const struct record_type *type = record_type(e->kind);
	int err;

	if (type->tail == AS_TEXT)
		((char *)e)[e->size - 1] = 0;
	if (e->kind == EVENT_DEVICE) {
		p->shown.simulated |= ((struct device *)e)->simulated == 1;
		device_place((struct device *)e, "");
	}
	e->pid = p->shown.pid;
	e->tid = peer_thread_tid(p, e->tid);
	e->producer = p->shown.producer;
	if (sink->error)
		return;
	err = sink->ops->record(sink->ctx, e);
	if (err < 0)
		sink->error = err;
}

/* One record at the tail; 0: nothing that can be trusted, else the bytes it takes. */
static u32 take(struct peer *p, u32 slot, u64 left, struct handover_sink *sink)
{
	static union { struct event e; u64 align; u8 bytes[RECORD_MAX + 8]; } copy;
	u64 at = p->tail[slot] & (p->slot_bytes - 1), to_end = p->slot_bytes - at;
	const u8 *data = (const u8 *)slot_of(p, slot) + HANDOVER_PAGE + at;

	if (to_end < sizeof(struct event))
		return to_end <= left ? to_end : 0;
	if (left < sizeof(struct event))
		return 0;
	memcpy(&copy.e, data, sizeof(copy.e));
	__asm__ volatile("" ::: "memory");	/* what was copied is what is checked */
	if (copy.e.kind == 0)
		return copy.e.size == to_end && to_end <= left ? to_end : 0;
	if (copy.e.size % 8 || copy.e.size < sizeof(copy.e) || copy.e.size > left ||
	    copy.e.size > to_end || !sound(&copy.e))
		return 0;
	memcpy(copy.bytes + sizeof(copy.e), data + sizeof(copy.e),
	       copy.e.size - sizeof(copy.e));
	to_end = copy.e.size;
	deliver(p, sink, &copy.e);
	return to_end;
}

static u64 slot_drain(struct peer *p, u32 slot, u64 head, struct handover_sink *sink)
{
	u64 from = p->tail[slot], used = head - from;

	if (used > p->slot_bytes || head % 8) {
		p->hostile++;
		p->tail[slot] = head & ~7ULL;
	} else {
		while (p->tail[slot] != head) {
			u32 size = take(p, slot, head - p->tail[slot], sink);

			p->hostile += !size;
			p->tail[slot] = size ? p->tail[slot] + size : head;
		}
	}
	__atomic_store_n(&slot_of(p, slot)->tail, p->tail[slot], __ATOMIC_RELEASE);
	return used > p->slot_bytes ? 0 : used;
}

/* The order makes definitions come before their uses: see handover.h. */
u64 peer_drain(struct peer *p, struct handover_sink *sink, u32 *fullest)
{
	u64 taken, shared;
	u32 i, n;

	for (i = 1; i < p->slots; i++)
		p->head[i] = __atomic_load_n(&slot_of(p, i)->head, __ATOMIC_ACQUIRE);
	shared = __atomic_load_n(&slot_of(p, 0)->head, __ATOMIC_ACQUIRE);
	taken = slot_drain(p, 0, shared, sink);
	for (n = 0; n + 1 < p->slots && taken < TURN_BYTES; n++) {
		u64 used;

		i = 1 + (p->next + n) % (p->slots - 1);
		used = slot_drain(p, i, p->head[i], sink);
		taken += used;
		if (used * 100 / p->slot_bytes > *fullest)
			*fullest = used * 100 / p->slot_bytes;
	}
	p->next = (p->next + n) % (p->slots - 1);
	return taken;
}

/* ---- what was lost ---- */

static void lost_put(struct peer *p, struct handover_sink *sink, u32 where, u64 count)
{
	struct lost l = {
		.e = { .ts = now_ns(), .pid = p->shown.pid, .size = sizeof(l),
		       .kind = EVENT_LOST, .producer = p->shown.producer, .cpu = CPU_UNKNOWN },
		.count = count, .where = where,
	};
	int err;

	err = sink->error ? 0 : sink->ops->record(sink->ctx, &l.e);
	if (err < 0)
		sink->error = err;
}

/* Counters in shared memory only ever count up, else they are not believed. */
static void counter_tell(struct peer *p, struct handover_sink *sink, u32 where, u64 now)
{
	if (now > p->told[where]) {
		lost_put(p, sink, where, now - p->told[where]);
		p->told[where] = now;
	}
}

/* Operations that were begun and never came: CUPTI had them when the process died. */
static void unfinished_tell(struct peer *p, struct handover_sink *sink, u64 begun)
{
	u64 delivered = __atomic_load_n(&p->ring->delivered, __ATOMIC_RELAXED);

	if (p->shown.gone && p->shown.state != RING_LIBRARY_DONE && begun > delivered &&
	    !p->told[LOST_UNFINISHED]) {
		p->told[LOST_UNFINISHED] = 1;
		lost_put(p, sink, LOST_UNFINISHED, LOST_UNKNOWN);
	}
}

void peer_losses(struct peer *p, struct handover_sink *sink)
{
	struct ring_file *f = p->ring;
	u64 lost = 0, begun;
	u32 i;

	if (!f)
		return;
	begun = __atomic_load_n(&f->begun, __ATOMIC_RELAXED);
	for (i = 0; i < p->slots; i++) {
		lost += __atomic_load_n(&slot_of(p, i)->lost, __ATOMIC_RELAXED);
		begun += __atomic_load_n(&slot_of(p, i)->begun, __ATOMIC_RELAXED);
	}
	counter_tell(p, sink, LOST_SLOT_RING, lost);
	counter_tell(p, sink, LOST_NO_SLOT,
		     __atomic_load_n(&f->no_slot_lost, __ATOMIC_RELAXED));
	counter_tell(p, sink, LOST_CUPTI, __atomic_load_n(&f->cupti_lost, __ATOMIC_RELAXED));
	counter_tell(p, sink, LOST_CLOCK, __atomic_load_n(&f->clock_lost, __ATOMIC_RELAXED));
	counter_tell(p, sink, LOST_UNFINISHED,
		     __atomic_load_n(&f->unfinished, __ATOMIC_RELAXED));
	counter_tell(p, sink, LOST_HOSTILE, p->hostile);
	unfinished_tell(p, sink, begun);
}
