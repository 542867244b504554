// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Planning. start = max(submission + latency, end of the stream, what it waits for, a free
 * engine); only a host function ends at a time nobody knows, and leaves what follows open.
 */
#include <stdlib.h>

#include "schedule.h"

#define max(a, b) ((a) > (b) ? (a) : (b))

/* ---- heap of streams by the time their head is due ---- */

static bool sooner(const struct CUstream_st *a, const struct CUstream_st *b)
{
	return a->head->due != b->head->due ? a->head->due < b->head->due
					    : a->head->seq < b->head->seq;
}

static void heap_put(uint32_t i, struct CUstream_st *s)
{
	engine.heap[i] = s;
	s->heap_at = i + 1;
}

static void heap_sift(struct CUstream_st *s)
{
	uint32_t i = s->heap_at - 1, child;

	for (; i && sooner(s, engine.heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap_put(i, engine.heap[(i - 1) / 2]);
	while ((child = 2 * i + 1) < engine.heap_count) {
		if (child + 1 < engine.heap_count &&
		    sooner(engine.heap[child + 1], engine.heap[child]))
			child++;
		if (!sooner(engine.heap[child], s))
			break;
		heap_put(i, engine.heap[child]);
		i = child;
	}
	heap_put(i, s);
}

void heap_remove(struct CUstream_st *s)
{
	struct CUstream_st *last;
	uint32_t at = s->heap_at;

	if (!at)
		return;
	s->heap_at = 0;
	last = engine.heap[--engine.heap_count];
	if (last == s)
		return;
	heap_put(at - 1, last);
	heap_sift(last);
}

static void heap_add(struct CUstream_st *s)
{
	if (engine.heap_count == engine.heap_size) {
		uint32_t size = engine.heap_size ? 2 * engine.heap_size : 64;
		void *heap = realloc(engine.heap, size * sizeof(*engine.heap));

		if (!heap)
			abort();	/* a stream that is lost would hang its waiters */
		engine.heap = heap;
		engine.heap_size = size;
	}
	heap_put(engine.heap_count++, s);
	heap_sift(s);
}

void heap_update(struct CUstream_st *s)
{
	struct op *head = s->head;
	bool due = head && !head->running && (head != s->open || head->started);

	if (!due)
		heap_remove(s);
	else if (s->heap_at)
		heap_sift(s);
	else
		heap_add(s);
}

uint64_t heap_next(void)
{
	return engine.heap_count ? engine.heap[0]->head->due : 0;
}

/* ---- engines of a device ---- */

/* The busy slot that fits best, so that a chain stays on one and leaves the others free. */
static uint64_t *slot_pick(uint64_t *slots, int count, uint64_t ready)
{
	uint64_t *best = NULL, *first = slots;

	for (int i = 0; i < count; i++) {
		if (slots[i] < *first)
			first = &slots[i];
		if (slots[i] <= ready && (!best || slots[i] > *best))
			best = &slots[i];
	}
	return best ? best : first;
}

static uint64_t *engine_pick(struct op *op, uint64_t ready)
{
	struct device *device = op->stream->ctx->device;
	uint32_t kind;

	switch (op->w.rec.type) {
	case SIM_KERNEL:
	case SIM_SET:
		return slot_pick(device->compute, COMPUTE_SLOTS, ready);
	case SIM_COPY:
		kind = op->w.rec.copy_kind;
		return &device->copy[kind == 1 ? 0 : kind == 2 ? 1 : 2];
	default:
		return NULL;
	}
}

/* ---- planning ---- */

static bool waits_for_legacy(const struct CUstream_st *s)
{
	return !(s->flags & CU_STREAM_NON_BLOCKING) && s != s->ctx->legacy;
}

/* Is the end of something submitted before op, that op must wait for, still unknown? */
static bool must_wait(const struct op *op)
{
	const struct CUstream_st *s = op->stream, *other;
	const struct CUstream_st *legacy = s->ctx->legacy;

	if (op->w.rec.type == SIM_EVENT_WAIT && !op->w.mark->known)
		return true;
	if (waits_for_legacy(s))
		return legacy->open && legacy->open->seq < op->seq;
	if (s != legacy)
		return false;
	for (other = s->ctx->streams; other; other = other->next)
		if (waits_for_legacy(other) && other->open && other->open->seq < op->seq)
			return true;
	return false;
}

static uint64_t op_ready(struct op *op)
{
	struct CUstream_st *s = op->stream;
	uint64_t ready = op->w.rec.queued + model_latency_ns, end = s->end;

	if (op->w.rec.type == SIM_EVENT_RECORD || op->w.rec.type == SIM_EVENT_WAIT)
		ready = op->w.rec.queued;
	else if (end)
		end += model_gap_ns;
	if (op->w.node || op->w.exec)
		ready = graph_ready(&op->w, max(ready, end));
	else
		ready = max(ready, end);
	if (waits_for_legacy(s))
		ready = max(ready, s->ctx->legacy_end);
	else if (s == s->ctx->legacy)
		ready = max(ready, s->ctx->blocking_end);
	if (op->w.rec.type == SIM_EVENT_WAIT)
		ready = max(ready, op->w.mark->when);
	return ready;
}

void op_planned(struct op *op, uint64_t end)
{
	struct CUstream_st *s = op->stream;

	op->w.rec.end = end;
	if (op->w.node || op->w.exec)
		graph_planned(&op->w);
	s->end = max(s->end, end);
	op->due = s->end;
	if (s == s->ctx->legacy)
		s->ctx->legacy_end = s->end;
	else if (waits_for_legacy(s))
		s->ctx->blocking_end = max(s->ctx->blocking_end, s->end);
	if (op->w.rec.type == SIM_EVENT_RECORD) {
		op->w.mark->when = end;
		op->w.mark->known = true;
		if (op->w.mark->shared) {
			op->w.mark->shared->when = end;
			__atomic_store_n(&op->w.mark->shared->known, op->w.mark->number,
					 __ATOMIC_RELEASE);
		}
	}
	s->open = op->next;
	if (!s->open)
		engine.open--;
}

/* Plans op unless it must wait; true when its end is known. */
static bool op_plan(struct op *op)
{
	uint64_t *slot, start;

	if (op->started || (engine.open > 1 && must_wait(op)) ||
	    (op->w.rec.type == SIM_EVENT_WAIT && !op->w.mark->known))
		return false;
	start = op_ready(op);
	slot = engine_pick(op, start);
	if (slot)
		start = max(start, *slot);
	op->w.rec.start = start;
	if (op->w.payload == PAY_HOST) {
		op->due = start;
		op->started = true;
		return false;
	}
	if (slot)
		*slot = start + op->w.duration;
	op_planned(op, start + op->w.duration);
	return true;
}

static bool stream_plan(struct CUstream_st *s)
{
	bool any = false;

	while (s->open && op_plan(s->open))
		any = true;
	heap_update(s);
	return any;
}

/* Plans s, and what newly known ends (its own, or one before: `known`) allow in the others. */
void streams_schedule(struct CUstream_st *s, bool known)
{
	bool any;

	if (!stream_plan(s) && !known)
		return;
	while (unlikely(engine.open)) {
		any = false;
		for (uint32_t i = 0; i < engine.context_count; i++)
			for (s = engine.contexts[i]->streams; s; s = s->next)
				if (s->open && stream_plan(s))
					any = true;
		if (!any)
			break;
	}
}
