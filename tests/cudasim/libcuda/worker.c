// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Threads and waiting. The worker ticks once a millisecond while there is work and gives the
 * records away; a thread that waits moves time on by itself, so nobody is woken per operation.
 */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "engine.h"

#define TICK_NS 1000000		/* how long records and unwatched copies may lie about */
#define LINGER_TICKS 20		/* ticks without work before the worker sleeps for good */
#define SPIN_NS 70000		/* a sleeping thread wakes this much late (timer slack) */

static pthread_t worker, caller;
static bool worker_runs, caller_runs;
static struct op *calls, **calls_end = &calls;
static pthread_cond_t calls_cond = PTHREAD_COND_INITIALIZER;

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ ns / 1000000000, ns % 1000000000 };
}

static void thread_start(pthread_t *t, void *(*body)(void *), const char *name)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (!pthread_create(t, NULL, body, NULL))
		pthread_setname_np(*t, name);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* ---- the worker ---- */

static bool record_wanted(const struct op *op, const struct sim_hooks *hooks)
{
	bool graph = op->w.rec.type == SIM_GRAPH, node = op->w.rec.graph_node;

	return op->w.rec.type && !(hooks->graph_nodes ? graph : node);
}

static void records_give(void)
{
	struct op *list, *op, *last = NULL;
	struct sim_hooks *hooks;
	uint64_t count = 0;

	pthread_mutex_lock(&engine.lock);
	list = engine.done;
	engine.done = NULL;
	engine.done_end = &engine.done;
	pthread_mutex_unlock(&engine.lock);
	if (!list)
		return;
	for (op = list; op; op = op->next) {
		hooks = hooks_get();
		last = op;
		count++;
		if (hooks && hooks->record && record_wanted(op, hooks))
			hooks->record(&op->w.rec);
	}
	pthread_mutex_lock(&engine.lock);
	last->next = engine.free;
	engine.free = list;
	engine.recorded += count;
	pthread_cond_broadcast(&engine.progress);
	pthread_mutex_unlock(&engine.lock);
}

/* When to look again: at the next end if someone depends on it, else at the next tick. */
static uint64_t worker_next(uint64_t tick)
{
	uint64_t next = heap_next();

	return engine.urgent && next && next < tick ? next : tick;
}

static void *worker_body(void *unused)
{
	uint32_t quiet = 0;

	prctl(PR_SET_TIMERSLACK, 1000);
	pthread_mutex_lock(&engine.lock);
	engine.idle = false;
	while (!engine.closing) {
		struct timespec t = timespec_of(worker_next(now() + TICK_NS));

		if (quiet > LINGER_TICKS) {
			engine.idle = true;
			pthread_cond_wait(&engine.work, &engine.lock);
			engine.idle = false;
			quiet = 0;
		} else {
			pthread_cond_timedwait(&engine.work, &engine.lock, &t);
		}
		quiet = engine.heap_count || engine.open || engine.done ? 0 : quiet + 1;
		pthread_mutex_unlock(&engine.lock);
		engine_advance(now());
		records_give();
		pthread_mutex_lock(&engine.lock);
	}
	pthread_mutex_unlock(&engine.lock);
	return NULL;
}

void worker_start(void)
{
	worker_runs = true;
	thread_start(&worker, worker_body, "cudasim");
}

void worker_kick(void)
{
	pthread_cond_signal(&engine.work);
}

/* ---- host functions, on a thread of their own as CUDA runs them ---- */

void host_queue(struct op *op)
{
	engine.urgent--;
	op->call_next = NULL;
	*calls_end = op;
	calls_end = &op->call_next;
	pthread_cond_signal(&calls_cond);
}

static void *caller_body(void *unused)
{
	struct op *op;

	thread.in_callback = true;
	pthread_mutex_lock(&engine.lock);
	while (!engine.closing) {
		op = calls;
		if (!op) {
			pthread_cond_wait(&calls_cond, &engine.lock);
			continue;
		}
		calls = op->call_next;
		if (!calls)
			calls_end = &calls;
		pthread_mutex_unlock(&engine.lock);
		op->w.function(op->w.data);
		host_done(op);
		pthread_mutex_lock(&engine.lock);
	}
	pthread_mutex_unlock(&engine.lock);
	return NULL;
}

void caller_start(void)
{
	pthread_mutex_lock(&engine.lock);
	if (!caller_runs) {
		caller_runs = true;
		thread_start(&caller, caller_body, "cuda-callback");
		pthread_detach(caller);	/* it may be the one that calls exit() */
	}
	pthread_mutex_unlock(&engine.lock);
}

/* The process ends: no hook is called after this. A host function may be what called exit(). */
void worker_stop(void)
{
	pthread_mutex_lock(&engine.lock);
	engine.closing = true;
	pthread_cond_broadcast(&engine.work);
	pthread_cond_broadcast(&engine.progress);
	pthread_cond_broadcast(&calls_cond);
	pthread_mutex_unlock(&engine.lock);
	if (worker_runs && !pthread_equal(pthread_self(), worker))
		pthread_join(worker, NULL);
	worker_runs = false;
}

/* ---- waiting ---- */

/* Until `when`, and then retires all that is over. Spins the last bit unless sleepy. */
void wait_time(uint64_t when, bool sleepy)
{
	uint64_t t = now(), spin = sleepy ? 0 : SPIN_NS;
	struct timespec ts;

	if (t + spin < when) {
		ts = timespec_of(when - spin);
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
			;
		t = now();
	}
	while (t < when)	/* no sched_yield: on a busy machine it costs milliseconds */
		t = now();
	engine_advance(t);
}

/* Takes and gives back engine.lock: waits for `when`, or for any progress when it is 0. */
static void wait_step(uint64_t when, bool sleepy)
{
	struct timespec t = timespec_of(now() + TICK_NS);

	if (when) {
		pthread_mutex_unlock(&engine.lock);
		wait_time(when, sleepy);
		pthread_mutex_lock(&engine.lock);
	} else {
		pthread_cond_timedwait(&engine.progress, &engine.lock, &t);
	}
}

void wait_progress(void)
{
	pthread_mutex_lock(&engine.lock);
	wait_step(0, true);
	pthread_mutex_unlock(&engine.lock);
}

/* When the planned part of s is over; 0 when there is none. */
static uint64_t stream_end(const struct CUstream_st *s)
{
	return s->head && s->head != s->open ? s->end : s->heap_at ? s->head->due : 0;
}

void wait_seq(struct CUstream_st *s, uint64_t seq)
{
	bool sleepy = s->ctx->flags & CU_CTX_SCHED_BLOCKING_SYNC;

	pthread_mutex_lock(&engine.lock);
	while (s->retired < seq && s->head && !engine.closing)
		wait_step(stream_end(s), sleepy);
	pthread_mutex_unlock(&engine.lock);
}

/* All that was submitted to ctx (to any context when NULL) until now. */
void wait_context(CUcontext ctx)
{
	bool sleepy = ctx && ctx->flags & CU_CTX_SCHED_BLOCKING_SYNC;
	struct CUstream_st *s;
	uint64_t seq, when, end;
	bool busy = true;

	pthread_mutex_lock(&engine.lock);
	seq = engine.seq;
	while (busy && !engine.closing) {
		busy = false;
		when = 0;
		for (uint32_t i = 0; i < engine.context_count; i++) {
			if (ctx && engine.contexts[i] != ctx)
				continue;
			for (s = engine.contexts[i]->streams; s; s = s->next) {
				if (!s->head || s->head->seq > seq)
					continue;
				busy = true;
				end = stream_end(s);
				when = end > when ? end : when;
			}
		}
		if (busy)
			wait_step(when, sleepy);
	}
	pthread_mutex_unlock(&engine.lock);
}

/* What was submitted and is not over. */
void in_flight(void (*give)(const struct sim_record *r))
{
	const struct sim_hooks *hooks = hooks_get();
	const struct CUstream_st *s;
	const struct op *op;
	uint32_t i;

	pthread_mutex_lock(&engine.lock);
	for (i = 0; hooks && i < engine.context_count; i++)
		for (s = engine.contexts[i]->streams; s; s = s->next)
			for (op = s->head; op; op = op->next)
				if (record_wanted(op, hooks))
					give(&op->w.rec);
	pthread_mutex_unlock(&engine.lock);
}

static void wait_recorded(uint64_t count)
{
	while (engine.recorded < count && worker_runs && !engine.closing) {
		pthread_cond_signal(&engine.work);
		wait_step(0, true);
	}
}

/* Until every record of what is over by now has been given away. */
void settle(void)
{
	if (worker_runs && pthread_equal(pthread_self(), worker))
		return;
	engine_advance(now());
	pthread_mutex_lock(&engine.lock);
	wait_recorded(engine.over);
	pthread_mutex_unlock(&engine.lock);
}

/* Until every record of what was submitted has been given away. */
void quiesce(void)
{
	uint64_t seq;

	if (thread.in_callback || (worker_runs && pthread_equal(pthread_self(), worker)))
		return;		/* it would wait for itself */
	pthread_mutex_lock(&engine.lock);
	seq = engine.seq;
	pthread_mutex_unlock(&engine.lock);
	wait_context(NULL);
	pthread_mutex_lock(&engine.lock);
	wait_recorded(seq);
	pthread_mutex_unlock(&engine.lock);
}
