// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Events. Recording gives the event a new mark, so that who waits for an earlier recording
 * keeps waiting for that one.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine.h"

#define EVENT_MAGIC 0x45564e31
#define valid(e) ((e) && (e)->magic == EVENT_MAGIC)

static CUresult create(CUevent *out, unsigned int flags)
{
	CUevent e;

	if (!out || flags > 7 ||
	    (flags & CU_EVENT_INTERPROCESS && !(flags & CU_EVENT_DISABLE_TIMING)))
		return CUDA_ERROR_INVALID_VALUE;
	e = calloc(1, sizeof(*e));
	if (!e)
		return CUDA_ERROR_OUT_OF_MEMORY;
	e->magic = EVENT_MAGIC;
	e->ctx = current;
	e->flags = flags;
	e->id = __atomic_add_fetch(&engine.event_ids, 1, __ATOMIC_RELAXED);
	if (flags & CU_EVENT_INTERPROCESS)
		e->shared = mark_share(&e->fd);
	*out = e;
	return CUDA_SUCCESS;
}

CUresult event_descriptor(CUevent e, int *fd)
{
	if (!valid(e) || !e->shared)
		return CUDA_ERROR_INVALID_HANDLE;
	*fd = e->fd;
	return CUDA_SUCCESS;
}

/* An event of another process, by its handle. */
CUresult event_adopt(CUevent *out, struct shared_mark *shared, int fd)
{
	CUresult r = create(out, CU_EVENT_DISABLE_TIMING);

	if (r)
		return r;
	(*out)->flags |= CU_EVENT_INTERPROCESS;
	(*out)->shared = shared;
	(*out)->fd = fd;
	return CUDA_SUCCESS;
}

static CUresult destroy(CUevent e)
{
	if (!valid(e))
		return CUDA_ERROR_INVALID_HANDLE;
	pthread_mutex_lock(&engine.lock);
	mark_put(e->mark);
	e->magic = 0;
	pthread_mutex_unlock(&engine.lock);
	if (e->shared) {
		wait_context(NULL);	/* what was recorded may write to it */
		munmap(e->shared, 4096);
		close(e->fd);
	}
	free(e->tail);
	free(e);
	return CUDA_SUCCESS;
}

/* A mark that nobody else holds is used again. */
static struct mark *mark_fresh(CUevent e, bool record)
{
	struct mark *m;

	pthread_mutex_lock(&engine.lock);
	m = e->mark;
	if (!m || m->refs > 1) {
		mark_put(m);
		m = calloc(1, sizeof(*m));
		if (m)
			m->refs = 1;
		e->mark = m;
	} else {
		m->known = false;
	}
	if (m && e->shared && record) {
		m->shared = e->shared;
		m->number = __atomic_add_fetch(&e->shared->recorded, 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&engine.lock);
	return m;
}

static CUresult record(CUevent e, struct CUstream_st *s)
{
	struct work w = { .rec.type = SIM_EVENT_RECORD };

	if (!valid(e) || !s)
		return CUDA_ERROR_INVALID_HANDLE;
	if (s->capture.graph)
		return capture_record(s, e);
	e->graph = NULL;
	w.mark = mark_fresh(e, true);
	if (!w.mark)
		return CUDA_ERROR_OUT_OF_MEMORY;
	w.rec.value = e->id;
	return submit(s, &w, NULL);
}

static bool mark_planned(const struct shared_mark *s)
{
	return __atomic_load_n(&s->known, __ATOMIC_ACQUIRE) == s->recorded;
}

/*
 * Of an event that others record too, the last recording by anyone counts. Its time is known
 * at once as a rule; a host function before it, in the other process, is waited for here.
 */
static struct mark *mark_last(CUevent e)
{
	struct shared_mark *shared = e->shared;
	struct mark *m;

	if (!shared)
		return e->mark;
	if (!shared->recorded)
		return NULL;
	while (!mark_planned(shared) && !engine.closing)
		wait_progress();
	m = mark_fresh(e, false);
	if (!m)
		return NULL;
	m->shared = shared;
	m->number = shared->recorded;
	m->when = shared->when;
	m->known = true;
	return m;
}

static CUresult stream_wait(struct CUstream_st *s, CUevent e)
{
	struct work w = { .rec.type = SIM_EVENT_WAIT };
	uint64_t start = now();
	CUresult r = CUDA_SUCCESS;

	if (!s || !valid(e))
		return CUDA_ERROR_INVALID_HANDLE;
	if (e->graph)
		return capture_wait(s, e);
	if (s->capture.graph)
		return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
	w.mark = mark_last(e);
	if (w.mark && e->shared)
		w.payload = PAY_WAIT;
	w.rec.value = e->id;
	if (w.mark)		/* an event that was never recorded is no reason to wait */
		r = submit(s, &w, NULL);
	sync_report(2, start, s->id, e->id);
	return r;
}

/* Has the last recording of e happened? when: 0 while that is not known. */
static bool happened(CUevent e, uint64_t *when)
{
	bool done;

	pthread_mutex_lock(&engine.lock);
	if (e->shared) {
		*when = mark_planned(e->shared) ? e->shared->when : 0;
		done = e->shared->done == e->shared->recorded;
		if (*when <= now())
			*when = 0;	/* over, but not yet done by who recorded it */
		pthread_mutex_unlock(&engine.lock);
		return done;
	}
	*when = e->mark && e->mark->known ? e->mark->when : 0;
	done = !e->mark || (*when && *when <= now());
	pthread_mutex_unlock(&engine.lock);
	return done;
}

static CUresult query(CUevent e)
{
	uint64_t when;

	if (!valid(e))
		return CUDA_ERROR_INVALID_HANDLE;
	engine_advance(now());
	return happened(e, &when) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

static CUresult synchronize(CUevent e)
{
	uint64_t start = now(), when;

	if (!valid(e))
		return CUDA_ERROR_INVALID_HANDLE;
	while (!happened(e, &when) && !engine.closing) {
		if (when)
			wait_time(when, e->flags & CU_EVENT_BLOCKING_SYNC);
		else
			wait_progress();
	}
	engine_advance(now());
	sync_report(1, start, NONE, e->id);
	return CUDA_SUCCESS;
}

static CUresult elapsed(float *ms, CUevent start, CUevent end)
{
	uint64_t from, to;

	if (!ms)
		return CUDA_ERROR_INVALID_VALUE;
	if (!valid(start) || !valid(end) || !start->mark || !end->mark ||
	    (start->flags | end->flags) & CU_EVENT_DISABLE_TIMING)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!happened(start, &from) || !happened(end, &to))
		return CUDA_ERROR_NOT_READY;
	*ms = ((double)to - (double)from) / 1e6;
	return CUDA_SUCCESS;
}

#define stream_here() stream_of(stream, per_thread)

CTX_API(cuEventCreate, (CUevent *event, unsigned int flags), (event, flags),
	create(event, flags))
API(cuEventDestroy_v2, (CUevent event), (event), destroy(event))
STREAM_API(cuEventRecord, (CUevent event, CUstream stream), (event, stream),
	   record(event, stream_here()))
STREAM_API(cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned int flags),
	   (event, stream, flags), record(event, stream_here()))
STREAM_API(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags),
	   (stream, event, flags), stream_wait(stream_here(), event))
API(cuEventQuery, (CUevent event), (event), query(event))
API(cuEventSynchronize, (CUevent event), (event), synchronize(event))
API(cuEventElapsedTime, (float *ms, CUevent start, CUevent end), (ms, start, end),
    elapsed(ms, start, end))
API(cuEventElapsedTime_v2, (float *ms, CUevent start, CUevent end), (ms, start, end),
    elapsed(ms, start, end))
