// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Streams: the legacy one of a context, one per thread, those that programs create. */
#include <stdlib.h>

#include "engine.h"

#define STREAM_MAGIC 0x53545231

static uint32_t stream_ids = 12;

struct CUstream_st *stream_new(CUcontext ctx, uint32_t flags, int priority, uint32_t id)
{
	struct CUstream_st *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->magic = STREAM_MAGIC;
	s->ctx = ctx;
	s->flags = flags;
	s->priority = priority;
	s->id = id ? id : __atomic_add_fetch(&stream_ids, 1, __ATOMIC_RELAXED);
	pthread_mutex_lock(&engine.lock);
	s->next = ctx->streams;
	ctx->streams = s;
	pthread_mutex_unlock(&engine.lock);
	return s;
}

/* Destroyed and empty: engine.lock is held. */
void stream_bury(struct CUstream_st *s)
{
	struct CUstream_st **at = &s->ctx->streams;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	s->magic = 0;
	free(s);
}

static struct CUstream_st *thread_stream(CUcontext ctx)
{
	if (thread.own_ctx != ctx) {
		thread.own = stream_new(ctx, 0, 0, 0);
		thread.own_ctx = ctx;
	}
	return thread.own;
}

/* The stream behind a handle; NULL when there is none such. */
struct CUstream_st *stream_of(CUstream stream, bool per_thread)
{
	CUcontext ctx = current;

	if (stream == CU_STREAM_LEGACY || (!stream && !per_thread))
		return ctx->legacy;
	if (stream == CU_STREAM_PER_THREAD || !stream)
		return thread_stream(ctx);
	return stream->magic == STREAM_MAGIC ? stream : NULL;
}

#define stream_here() stream_of(stream, per_thread)

static void stream_report(struct CUstream_st *s, enum sim_resource what)
{
	struct sim_resource_data data = {
		.context = s->ctx, .context_id = s->ctx->id, .object = s, .object_id = s->id,
	};

	resource_report(what, &data);
}

static CUresult create(CUstream *out, unsigned int flags, int priority)
{
	if (!out || flags > CU_STREAM_NON_BLOCKING)
		return CUDA_ERROR_INVALID_VALUE;
	*out = stream_new(current, flags, priority, 0);
	if (!*out)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stream_report(*out, SIM_STREAM_CREATED);
	return CUDA_SUCCESS;
}

/* Returns at once; what was submitted still runs. */
static CUresult destroy(CUstream stream)
{
	struct CUstream_st *s = (uintptr_t)stream > 2 ? stream_of(stream, false) : NULL;

	if (!s || s == s->ctx->legacy)
		return CUDA_ERROR_INVALID_HANDLE;
	stream_report(s, SIM_STREAM_DESTROY);
	pthread_mutex_lock(&engine.lock);
	s->dead = true;
	if (!s->head)
		stream_bury(s);
	pthread_mutex_unlock(&engine.lock);
	return CUDA_SUCCESS;
}

static CUresult synchronize(struct CUstream_st *s)
{
	uint64_t start = now(), seq;

	if (!s)
		return CUDA_ERROR_INVALID_HANDLE;
	if (s->capture.graph) {
		s->capture.invalid = true;
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	pthread_mutex_lock(&engine.lock);
	seq = s->submitted;
	pthread_mutex_unlock(&engine.lock);
	wait_seq(s, seq);
	sync_report(3, start, s->id, 0);
	return CUDA_SUCCESS;
}

static CUresult query(struct CUstream_st *s)
{
	bool empty;

	if (!s)
		return CUDA_ERROR_INVALID_HANDLE;
	engine_advance(now());
	pthread_mutex_lock(&engine.lock);
	empty = !s->head;
	pthread_mutex_unlock(&engine.lock);
	return empty ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

#define STREAM_GET(out, value)							\
	({									\
		struct CUstream_st *s = stream_here();				\
		s ? *(out) = (value), CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;	\
	})

CTX_API(cuStreamCreate, (CUstream *stream, unsigned int flags), (stream, flags),
	create(stream, flags, 0))
CTX_API(cuStreamCreateWithPriority, (CUstream *stream, unsigned int flags, int priority),
	(stream, flags, priority), create(stream, flags, priority))
CTX_API(cuStreamDestroy_v2, (CUstream stream), (stream), destroy(stream))
STREAM_API(cuStreamSynchronize, (CUstream stream), (stream), synchronize(stream_here()))
STREAM_API(cuStreamQuery, (CUstream stream), (stream), query(stream_here()))
STREAM_API(cuStreamGetFlags, (CUstream stream, unsigned int *flags), (stream, flags),
	   STREAM_GET(flags, s->flags))
STREAM_API(cuStreamGetPriority, (CUstream stream, int *priority), (stream, priority),
	   STREAM_GET(priority, s->priority))
STREAM_API(cuStreamGetId, (CUstream stream, unsigned long long *id), (stream, id),
	   STREAM_GET(id, s->id))
STREAM_API(cuStreamGetCtx, (CUstream stream, CUcontext *context), (stream, context),
	   STREAM_GET(context, s->ctx))

/* ---- host functions ---- */

static CUresult host_function(struct CUstream_st *s, CUhostFn function, void *data)
{
	struct work w = {
		.rec.type = SIM_HOST, .payload = PAY_HOST, .function = function, .data = data,
	};

	if (!s)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!function)
		return CUDA_ERROR_INVALID_VALUE;
	caller_start();
	if (s->capture.graph)
		return capture_add(s, &w, CU_GRAPH_NODE_TYPE_HOST);
	return submit(s, &w, NULL);
}

struct callback {
	CUstreamCallback function;
	CUstream stream;
	void *data;
};

static void callback_run(void *data)
{
	struct callback *c = data;

	c->function(c->stream, CUDA_SUCCESS, c->data);
	free(c);
}

static CUresult callback_add(CUstream stream, struct CUstream_st *s, CUstreamCallback function,
			     void *data)
{
	struct callback *c;

	if (!function)
		return CUDA_ERROR_INVALID_VALUE;
	c = malloc(sizeof(*c));
	if (!c)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*c = (struct callback){ function, stream, data };
	return host_function(s, callback_run, c);
}

STREAM_API(cuLaunchHostFunc, (CUstream stream, CUhostFn function, void *data),
	   (stream, function, data), host_function(stream_here(), function, data))
STREAM_API(cuStreamAddCallback,
	   (CUstream stream, CUstreamCallback callback, void *data, unsigned int flags),
	   (stream, callback, data, flags), callback_add(stream, stream_here(), callback, data))
