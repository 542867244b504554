// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Building graphs: node by node, or by capturing streams. A captured stream keeps the nodes
 * its next one needs; an event recorded in it carries them to the stream that waits for it.
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

/* ---- node by node ---- */

static CUresult needs_check(CUgraphNode *out, CUgraph g, const CUgraphNode *needs, size_t count)
{
	if (!out || !graph_id(g) || (count && !needs))
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count; i++)
		if (!needs[i] || needs[i]->graph != g)
			return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

static CUresult add(CUgraphNode *out, CUgraph g, const CUgraphNode *needs, size_t count,
		    const struct work *w, CUgraphNodeType type)
{
	CUresult r = needs_check(out, g, needs, count);

	if (r)
		return r;
	*out = graph_add(g, w, type, needs, count);
	return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

#define ADD(w, type) add(node, graph, needs, count, w, type)
#define NODE CUgraphNode *node, CUgraph graph, const CUgraphNode *needs, size_t count

static CUresult add_kernel(NODE, const CUDA_KERNEL_NODE_PARAMS *p)
{
	CUfunction f = p->func ? p->func : (CUfunction)p->kern;
	struct work w;
	CUresult r = kernel_work(&w, f, &p->gridDimX, &p->blockDimX, p->sharedMemBytes);

	return r ? r : ADD(&w, CU_GRAPH_NODE_TYPE_KERNEL);
}

static CUresult add_copy(NODE, const CUDA_MEMCPY3D *p)
{
	struct work w;
	CUresult r = copy3d_work(&w, p);

	return r ? r : ADD(&w, CU_GRAPH_NODE_TYPE_MEMCPY);
}

static CUresult add_set(NODE, const CUDA_MEMSET_NODE_PARAMS *p)
{
	struct work w = set_work(p->dst, p->value, p->elementSize, p->width, p->height,
				 p->height > 1 ? p->pitch : 0);

	if (w.rec.dst_kind == MEM_PAGEABLE)
		return CUDA_ERROR_INVALID_VALUE;
	return ADD(&w, CU_GRAPH_NODE_TYPE_MEMSET);
}

static CUresult add_host(NODE, const CUDA_HOST_NODE_PARAMS *p)
{
	struct work w = {
		.rec.type = SIM_HOST, .payload = PAY_HOST, .function = p->fn,
		.data = p->userData,
	};

	caller_start();
	return ADD(&w, CU_GRAPH_NODE_TYPE_HOST);
}

static CUresult add_child(NODE, CUgraph child)
{
	CUresult r = needs_check(node, graph, needs, count);

	return r ? r : child_add(node, graph, needs, count, child);
}

static const struct work empty;		/* no record, no time */

#define NODE_ARGS node, graph, needs, count

API(cuGraphAddKernelNode_v2, (NODE, const CUDA_KERNEL_NODE_PARAMS *params), (NODE_ARGS, params),
    params ? add_kernel(NODE_ARGS, params) : CUDA_ERROR_INVALID_VALUE)
API(cuGraphAddMemcpyNode, (NODE, const CUDA_MEMCPY3D *params, CUcontext context),
    (NODE_ARGS, params, context),
    params ? add_copy(NODE_ARGS, params) : CUDA_ERROR_INVALID_VALUE)
API(cuGraphAddMemsetNode, (NODE, const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context),
    (NODE_ARGS, params, context),
    params ? add_set(NODE_ARGS, params) : CUDA_ERROR_INVALID_VALUE)
API(cuGraphAddHostNode, (NODE, const CUDA_HOST_NODE_PARAMS *params), (NODE_ARGS, params),
    params && params->fn ? add_host(NODE_ARGS, params) : CUDA_ERROR_INVALID_VALUE)
API(cuGraphAddChildGraphNode, (NODE, CUgraph child), (NODE_ARGS, child),
    add_child(NODE_ARGS, child))
API(cuGraphAddEmptyNode, (NODE), (NODE_ARGS), ADD(&empty, CU_GRAPH_NODE_TYPE_EMPTY))

/* ---- by capture ---- */

static CUresult tail_set(struct capture *c, CUgraphNode const *nodes, size_t count)
{
	void *tail = realloc(c->tail, (count + 1) * sizeof(*c->tail));

	if (!tail)
		return CUDA_ERROR_OUT_OF_MEMORY;
	c->tail = tail;
	memcpy(c->tail, nodes, count * sizeof(*nodes));
	c->tail_count = count;
	return CUDA_SUCCESS;
}

CUresult capture_add(struct CUstream_st *s, const struct work *w, CUgraphNodeType type)
{
	struct capture *c = &s->capture;
	CUgraphNode n;

	if (c->invalid)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	n = graph_add(c->graph, w, type, c->tail, c->tail_count);
	return n ? tail_set(c, &n, 1) : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult capture_record(struct CUstream_st *s, struct CUevent_st *e)
{
	struct capture *c = &s->capture;
	void *tail = realloc(e->tail, (c->tail_count + 1) * sizeof(*e->tail));

	if (!tail)
		return CUDA_ERROR_OUT_OF_MEMORY;
	e->tail = tail;
	if (c->tail_count)
		memcpy(e->tail, c->tail, c->tail_count * sizeof(*e->tail));
	e->tail_count = c->tail_count;
	e->graph = c->graph;
	return CUDA_SUCCESS;
}

/* s joins the capture in which e was recorded; its next node also needs those before e. */
CUresult capture_wait(struct CUstream_st *s, struct CUevent_st *e)
{
	struct capture *c = &s->capture;
	size_t count = c->tail_count + e->tail_count;
	CUgraphNode nodes[count + 1];
	size_t n = 0;

	if (c->graph && c->graph != e->graph)
		return CUDA_ERROR_STREAM_CAPTURE_MERGE;
	if (!c->graph) {
		c->graph = e->graph;
		c->origin = c->invalid = false;
		c->tail_count = 0;
	}
	for (size_t i = 0; i < c->tail_count; i++)
		nodes[n++] = c->tail[i];
	for (size_t i = 0, k; i < e->tail_count; i++) {
		for (k = 0; k < n && nodes[k] != e->tail[i]; k++)
			;
		if (k == n)
			nodes[n++] = e->tail[i];
	}
	return tail_set(c, nodes, n);
}

static CUresult begin(struct CUstream_st *s)
{
	if (!s)
		return CUDA_ERROR_INVALID_HANDLE;
	if (s == s->ctx->legacy)
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (s->capture.graph)
		return CUDA_ERROR_ILLEGAL_STATE;
	s->capture.graph = graph_new();
	if (!s->capture.graph)
		return CUDA_ERROR_OUT_OF_MEMORY;
	s->capture.origin = true;
	s->capture.invalid = false;
	s->capture.tail_count = 0;
	return CUDA_SUCCESS;
}

static bool in_tail(const struct capture *c, const struct CUgraphNode_st *n)
{
	for (size_t i = 0; i < c->tail_count; i++)
		if (c->tail[i] == n)
			return true;
	return false;
}

/* Every node must lead to the end of the origin stream: else a fork was never joined. */
static bool joined(const struct capture *c)
{
	const struct CUgraph_st *g = c->graph;
	bool *leads = calloc(g->count + 1, 1), all = leads != NULL;

	for (size_t i = g->count; all && i-- > 0;) {
		const struct CUgraphNode_st *n = g->nodes[i];

		leads[i] |= in_tail(c, n);
		all = leads[i];
		for (size_t k = 0; k < n->need_count; k++)
			leads[n->needs[k]->place] = true;
	}
	free(leads);
	return all;
}

static CUresult end(struct CUstream_st *s, CUgraph *out)
{
	struct CUstream_st *other;
	struct CUgraph_st *g;
	CUresult r = CUDA_SUCCESS;

	if (!s || !s->capture.graph || !s->capture.origin)
		return s && s->capture.graph ? CUDA_ERROR_STREAM_CAPTURE_UNMATCHED
					     : CUDA_ERROR_ILLEGAL_STATE;
	g = s->capture.graph;
	if (s->capture.invalid)
		r = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	else if (!joined(&s->capture))
		r = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
	pthread_mutex_lock(&engine.lock);
	for (other = s->ctx->streams; other; other = other->next)
		if (other->capture.graph == g)
			other->capture.graph = NULL;
	pthread_mutex_unlock(&engine.lock);
	if (r)
		graph_free(g);
	*out = r ? NULL : g;
	return r;
}

static CUresult status_get(struct CUstream_st *s, CUstreamCaptureStatus *status)
{
	if (!s || !status)
		return CUDA_ERROR_INVALID_VALUE;
	*status = !s->capture.graph	? CU_STREAM_CAPTURE_STATUS_NONE
		  : s->capture.invalid	? CU_STREAM_CAPTURE_STATUS_INVALIDATED
					: CU_STREAM_CAPTURE_STATUS_ACTIVE;
	return CUDA_SUCCESS;
}

static CUresult info_get(struct CUstream_st *s, CUstreamCaptureStatus *status, uint64_t *id,
			 CUgraph *graph, const CUgraphNode **needs,
			 const CUgraphEdgeData **edges, size_t *count)
{
	CUresult r = status_get(s, status);

	if (r || *status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
		return r;
	if (id)
		*id = s->capture.graph->id;
	if (graph)
		*graph = s->capture.graph;
	if (needs)
		*needs = s->capture.tail;
	if (edges)
		*edges = NULL;		/* all edges are of the plain sort */
	if (count)
		*count = s->capture.tail_count;
	return CUDA_SUCCESS;
}

static CUresult mode_exchange(CUstreamCaptureMode *mode)
{
	CUstreamCaptureMode old = thread.capture_mode;

	if (!mode || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	thread.capture_mode = *mode;
	*mode = old;
	return CUDA_SUCCESS;
}

#define stream_here() stream_of(stream, per_thread)

STREAM_API(cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode), (stream, mode),
	   begin(stream_here()))
STREAM_API(cuStreamEndCapture, (CUstream stream, CUgraph *graph), (stream, graph),
	   graph ? end(stream_here(), graph) : CUDA_ERROR_INVALID_VALUE)
STREAM_API(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus *status),
	   (stream, status), status_get(stream_here(), status))
STREAM_API(cuStreamGetCaptureInfo_v3,
	   (CUstream stream, CUstreamCaptureStatus *status, uint64_t *id, CUgraph *graph,
	    const CUgraphNode **needs, const CUgraphEdgeData **edges, size_t *count),
	   (stream, status, id, graph, needs, edges, count),
	   info_get(stream_here(), status, id, graph, needs, edges, count))
API(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode *mode), (mode), mode_exchange(mode))
