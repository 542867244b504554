// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Submission, planning and retirement of operations. Submitting costs one lock and no
 * wake-up: ends are computed at once (schedule.c) and whoever comes by later, a waiting
 * thread or the worker's tick, retires what time has passed.
 */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "engine.h"
#include "schedule.h"

#define POOL_CHUNK 256

struct engine engine = {
	.lock = PTHREAD_MUTEX_INITIALIZER, .advance = PTHREAD_MUTEX_INITIALIZER,
	.ioctl_fd = -1,
};

void engine_init(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&engine.progress, &attr);
	pthread_cond_init(&engine.work, &attr);
	engine.done_end = &engine.done;
	engine.idle = true;
	engine.queue_max = setting_number("QUEUE", 1024);
}

/* ---- operations live in a pool that only grows ---- */

static struct op *op_get(void)
{
	struct op *op = engine.free;

	if (unlikely(!op)) {
		struct op *chunk = calloc(POOL_CHUNK, sizeof(*chunk));

		if (!chunk)
			return NULL;
		for (int i = 0; i < POOL_CHUNK; i++) {
			chunk[i].next = op;
			op = &chunk[i];
		}
	}
	engine.free = op->next;
	return op;
}

void mark_put(struct mark *m)
{
	if (m && --m->refs == 0)
		free(m);
}

/* The records go to the worker in order of retirement; without a listener they end here. */
static void op_done(struct op *op)
{
	struct sim_hooks *hooks = hooks_get();

	engine.over++;
	if (op->w.rec.type == SIM_EVENT_RECORD && op->w.mark->shared)
		__atomic_store_n(&op->w.mark->shared->done, op->w.mark->number,
				 __ATOMIC_RELEASE);
	mark_put(op->w.mark);
	op->w.mark = NULL;
	if (!hooks || !hooks->record) {
		op->next = engine.free;
		engine.free = op;
		engine.recorded++;
		return;
	}
	op->next = NULL;
	*engine.done_end = op;
	engine.done_end = &op->next;
}

/* ---- submission ---- */

/* The queue of a stream is finite, as the real one: who submits more waits for its head. */
static void wait_for_room(struct CUstream_st *s)
{
	while (s->length >= engine.queue_max && !engine.closing) {
		uint64_t due = s->heap_at ? s->head->due : 0;

		if (!due) {
			pthread_cond_wait(&engine.progress, &engine.lock);
			continue;
		}
		pthread_mutex_unlock(&engine.lock);
		wait_time(due, false);
		pthread_mutex_lock(&engine.lock);
	}
}

static void stream_append(struct CUstream_st *s, struct op *op)
{
	op->next = NULL;
	op->stream = s;
	op->started = op->running = false;
	op->seq = ++engine.seq;
	if (s->tail)
		s->tail->next = op;
	else
		s->head = op;
	s->tail = op;
	s->length++;
	s->submitted = op->seq;
	if (!s->open) {
		s->open = op;
		engine.open++;
	}
}

/* Puts a copy of w at the end of s; *seq says what to wait for. */
CUresult submit(struct CUstream_st *s, const struct work *w, uint64_t *seq)
{
	struct sim_record *rec;
	struct op *op;
	bool wake;

	pthread_mutex_lock(&engine.lock);
	if (unlikely(s->length >= engine.queue_max))
		wait_for_room(s);
	op = op_get();
	if (!op) {
		pthread_mutex_unlock(&engine.lock);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	op->w = *w;
	rec = &op->w.rec;
	rec->queued = now();
	rec->submitted = rec->queued + 500;
	rec->correlation = thread.correlation;
	rec->device = s->ctx->device->ordinal;
	rec->context_id = s->ctx->id;
	rec->stream_id = s->id;
	if (w->mark)
		w->mark->refs++;
	stream_append(s, op);
	if (w->payload == PAY_HOST)
		engine.urgent++;
	streams_schedule(s, false);
	lost_count(s->ctx->device);
	wake = engine.idle || w->payload == PAY_HOST;
	if (seq)
		*seq = op->seq;
	pthread_mutex_unlock(&engine.lock);
	if (unlikely(wake))
		worker_kick();
	if (unlikely(engine.ioctl_fd >= 0)) {
		struct termios unused;

		ioctl(engine.ioctl_fd, TCGETS, &unused);	/* ENOTTY, but seen */
	}
	return CUDA_SUCCESS;
}

/* ---- retirement ---- */

static struct op *stream_pop(struct CUstream_st *s)
{
	struct op *op = s->head;

	s->head = op->next;
	if (!s->head)
		s->tail = NULL;
	s->length--;
	return op;
}

/* The head of s is over: the lock is held, the op is already out of the FIFO. */
static void op_retire(struct CUstream_st *s, struct op *op)
{
	s->retired = op->seq;
	op_done(op);
	if (unlikely(s->dead && !s->head))
		stream_bury(s);
}

/* Retires all that ended by `until`, in order of ends, doing the copies on the way. */
void engine_advance(uint64_t until)
{
	struct CUstream_st *s;
	struct op *op;

	pthread_mutex_lock(&engine.advance);
	pthread_mutex_lock(&engine.lock);
	while (engine.heap_count && engine.heap[0]->head->due <= until) {
		s = engine.heap[0];
		op = s->head;
		if (op->w.payload == PAY_HOST) {
			heap_remove(s);
			op->running = true;
			host_queue(op);
			continue;
		}
		if (op->w.payload != PAY_NONE) {
			pthread_mutex_unlock(&engine.lock);
			payload_run(&op->w);
			pthread_mutex_lock(&engine.lock);
		}
		stream_pop(s);
		heap_update(s);
		op_retire(s, op);
	}
	pthread_mutex_unlock(&engine.lock);
	pthread_mutex_unlock(&engine.advance);
}

/* A host function returned (callback thread): its end is now, what waited can be planned. */
void host_done(struct op *op)
{
	struct CUstream_st *s = op->stream;

	pthread_mutex_lock(&engine.lock);
	op_planned(op, now());
	stream_pop(s);
	streams_schedule(s, true);
	heap_update(s);
	op_retire(s, op);
	pthread_cond_broadcast(&engine.progress);
	pthread_mutex_unlock(&engine.lock);
	worker_kick();
}
