// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Graphs. A launch puts every node into the stream in order of creation, which is a valid
 * order; each starts when the nodes it needs have ended, so branches overlap in time.
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

#define GRAPH_MAGIC 0x47525031
#define EXEC_MAGIC 0x47584531
#define graph_valid(g) ((g) && (g)->magic == GRAPH_MAGIC)
#define max(a, b) ((a) > (b) ? (a) : (b))

struct CUgraph_st *graph_new(void)
{
	struct CUgraph_st *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->magic = GRAPH_MAGIC;
	g->id = __atomic_add_fetch(&engine.graph_ids, 1, __ATOMIC_RELAXED);
	return g;
}

void graph_free(struct CUgraph_st *g)
{
	for (size_t i = 0; i < g->count; i++) {
		if (g->nodes[i]->child)
			graph_free(g->nodes[i]->child);
		free(g->nodes[i]->needs);
		free(g->nodes[i]);
	}
	free(g->nodes);
	g->magic = 0;
	free(g);
}

/* Appends a node without telling anyone; NULL without memory. */
static struct CUgraphNode_st *node_append(struct CUgraph_st *g, const struct work *w,
					  CUgraphNodeType type, size_t need_count)
{
	struct CUgraphNode_st *n = calloc(1, sizeof(*n));

	if (n)
		n->needs = calloc(need_count + 1, sizeof(*n->needs));
	if (g->count == g->size) {
		size_t size = g->size ? 2 * g->size : 16;
		void *nodes = realloc(g->nodes, size * sizeof(*g->nodes));

		if (nodes) {
			g->nodes = nodes;
			g->size = size;
		}
	}
	if (!n || !n->needs || g->count == g->size) {
		if (n)
			free(n->needs);
		free(n);
		return NULL;
	}
	n->graph = g;
	n->type = type;
	n->w = *w;
	n->place = g->count;
	n->id = (uint64_t)g->id << 32 | (n->place + 1);
	n->need_count = need_count;
	g->nodes[g->count++] = n;
	return n;
}

static void node_report(enum sim_resource what, struct CUgraphNode_st *n,
			const struct CUgraphNode_st *original)
{
	CUcontext ctx = current;
	struct sim_resource_data data = {
		.context = ctx, .context_id = ctx ? ctx->id : 0, .object = n->graph,
		.object_id = n->graph->id, .node = n->id, .node_type = n->type,
		.node_handle = n,
	};

	if (original) {
		data.original_node = original->id;
		data.original_node_handle = (void *)original;
		data.original_object = original->graph;
	}
	resource_report(what, &data);
}

struct CUgraphNode_st *graph_add(struct CUgraph_st *g, const struct work *w,
				 CUgraphNodeType type, struct CUgraphNode_st *const *needs,
				 size_t count)
{
	struct CUgraphNode_st *n = node_append(g, w, type, count);

	if (!n)
		return NULL;
	if (count)
		memcpy(n->needs, needs, count * sizeof(*needs));
	node_report(SIM_GRAPHNODE_CREATED, n, NULL);
	return n;
}

static void object_report(enum sim_resource what, void *object, uint32_t id,
			  struct CUgraph_st *original)
{
	CUcontext ctx = current;
	struct sim_resource_data data = {
		.context = ctx, .context_id = ctx ? ctx->id : 0, .object = object,
		.object_id = id, .original_object = original,
	};

	resource_report(what, &data);
}

static CUresult create(CUgraph *out)
{
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = graph_new();
	if (!*out)
		return CUDA_ERROR_OUT_OF_MEMORY;
	object_report(SIM_GRAPH_CREATED, *out, (*out)->id, NULL);
	return CUDA_SUCCESS;
}

static struct CUgraph_st *graph_copy(const struct CUgraph_st *from)
{
	struct CUgraph_st *g = graph_new();

	for (size_t i = 0; g && i < from->count; i++) {
		const struct CUgraphNode_st *o = from->nodes[i];
		struct CUgraphNode_st *n = node_append(g, &o->w, o->type, o->need_count);

		if (n && o->child)
			n->child = graph_copy(o->child);
		if (!n || (o->child && !n->child))
			return NULL;
		n->original = o;
		for (size_t k = 0; k < o->need_count; k++)
			n->needs[k] = g->nodes[o->needs[k]->place];
	}
	return g;
}

static void clone_report(const struct CUgraph_st *g)
{
	for (size_t i = 0; i < g->count; i++) {
		node_report(SIM_GRAPHNODE_CLONED, g->nodes[i], g->nodes[i]->original);
		if (g->nodes[i]->child)
			clone_report(g->nodes[i]->child);
	}
}

/* ---- child graphs: in an exec their nodes stand among the others ---- */

/* A node that needs all nodes of `to` from place `first` on, and `after`. */
static struct CUgraphNode_st *join_append(struct CUgraph_st *to, const struct CUgraphNode_st *o,
					  size_t first, struct CUgraphNode_st *const *after,
					  size_t count)
{
	size_t inner = to->count - first;
	struct CUgraphNode_st *n = node_append(to, &o->w, o->type, inner + count);

	if (!n)
		return NULL;
	for (size_t i = 0; i < inner; i++)
		n->needs[i] = to->nodes[first + i];
	for (size_t i = 0; i < count; i++)
		n->needs[inner + i] = after[i];
	return n;
}

/*
 * Appends the nodes of `from`, those without needs behind `after`. A child graph's come first,
 * then the node that holds it, which ends when they have.
 */
static bool flatten(struct CUgraph_st *to, const struct CUgraph_st *from,
		    struct CUgraphNode_st *const *after, size_t after_count)
{
	struct CUgraphNode_st *map[from->count + 1], *n;

	for (size_t i = 0; i < from->count; i++) {
		const struct CUgraphNode_st *o = from->nodes[i];
		size_t count = o->need_count ? o->need_count : after_count, first = to->count;
		struct CUgraphNode_st *needs[count + 1];

		for (size_t k = 0; k < count; k++)
			needs[k] = o->need_count ? map[o->needs[k]->place] : after[k];
		if (o->child && !flatten(to, o->child, needs, count))
			return false;
		n = join_append(to, o, o->child ? first : to->count, needs, count);
		if (!n)
			return false;
		n->original = o;
		map[i] = n;
	}
	return true;
}

static struct CUgraph_st *graph_flat(const struct CUgraph_st *from)
{
	struct CUgraph_st *g = graph_new();

	if (g && !flatten(g, from, NULL, 0)) {
		graph_free(g);
		return NULL;
	}
	return g;
}

CUresult child_add(CUgraphNode *out, CUgraph g, const CUgraphNode *needs, size_t count,
		   CUgraph child)
{
	static const struct work empty;

	if (!graph_valid(child))
		return CUDA_ERROR_INVALID_VALUE;
	child = graph_copy(child);
	*out = child ? graph_add(g, &empty, CU_GRAPH_NODE_TYPE_GRAPH, needs, count) : NULL;
	if (!*out)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*out)->child = child;
	clone_report(child);
	return CUDA_SUCCESS;
}

static CUresult child_get(CUgraphNode n, CUgraph *out)
{
	if (!n || !out || n->type != CU_GRAPH_NODE_TYPE_GRAPH)
		return CUDA_ERROR_INVALID_VALUE;
	*out = n->child;
	return CUDA_SUCCESS;
}

static CUresult clone_graph(CUgraph *out, CUgraph from)
{
	if (!graph_valid(from) || !out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = graph_copy(from);
	if (!*out)
		return CUDA_ERROR_OUT_OF_MEMORY;
	clone_report(*out);
	return CUDA_SUCCESS;
}

static CUresult instantiate(CUgraphExec *out, CUgraph from)
{
	struct CUgraphExec_st *e;

	if (!graph_valid(from) || !out)
		return CUDA_ERROR_INVALID_VALUE;
	e = calloc(1, sizeof(*e));
	if (!e)
		return CUDA_ERROR_OUT_OF_MEMORY;
	e->magic = EXEC_MAGIC;
	e->graph = graph_flat(from);
	if (!e->graph)
		return CUDA_ERROR_OUT_OF_MEMORY;
	clone_report(e->graph);
	*out = e;
	object_report(SIM_GRAPHEXEC_CREATED, e, e->graph->id, from);
	return CUDA_SUCCESS;
}

/* ---- launching ---- */

/* Called by the planner: when may this node start, if the stream is free at `ready`? */
uint64_t graph_ready(const struct work *w, uint64_t ready)
{
	struct CUgraphNode_st *n = w->node;
	struct CUgraphExec_st *e = w->exec;
	uint64_t start;

	if (!n)			/* the end of the launch */
		return e->end;
	if (!n->place) {
		e->start = max(ready, e->end);
		e->first = UINT64_MAX;
	}
	start = e->start;
	for (size_t i = 0; i < n->need_count; i++)
		start = max(start, n->needs[i]->end);
	return start;
}

/* Called by the planner: start and end of this node are known. */
void graph_planned(struct work *w)
{
	struct CUgraphExec_st *e = w->exec;

	if (!w->node) {
		w->rec.start = e->first;
		return;
	}
	w->node->end = w->rec.end;
	e->end = max(e->end, w->rec.end);
	if (w->rec.start < e->first)
		e->first = w->rec.start;
}

static CUresult exec_launch(struct CUgraphExec_st *e, struct CUstream_st *s)
{
	struct work last = { .rec.type = SIM_GRAPH, .exec = e };
	CUresult r = CUDA_SUCCESS;

	if (!e || e->magic != EXEC_MAGIC || !s)
		return CUDA_ERROR_INVALID_HANDLE;
	for (size_t i = 0; i < e->graph->count && !r; i++) {
		struct CUgraphNode_st *n = e->graph->nodes[i];
		struct work w = n->w;

		w.node = n;
		w.exec = e;
		w.rec.graph = e->graph->id;
		w.rec.graph_node = n->id;
		w.rec.async = true;
		r = submit(s, &w, NULL);
	}
	last.rec.graph = e->graph->id;
	return r || !e->graph->count ? r : submit(s, &last, NULL);
}

static CUresult exec_destroy(struct CUgraphExec_st *e)
{
	if (!e || e->magic != EXEC_MAGIC)
		return CUDA_ERROR_INVALID_HANDLE;
	wait_context(NULL);
	e->magic = 0;
	graph_free(e->graph);
	free(e);
	return CUDA_SUCCESS;
}

static CUgraphExecUpdateResult shape_compare(const struct CUgraph_st *a,
					     const struct CUgraph_st *b)
{
	if (a->count != b->count)
		return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
	for (size_t i = 0; i < a->count; i++) {
		if (a->nodes[i]->type != b->nodes[i]->type)
			return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
		if (a->nodes[i]->need_count != b->nodes[i]->need_count)
			return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
	}
	return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

/* Takes the parameters of a graph of the same shape; only the shape is compared. */
static CUresult exec_update(struct CUgraphExec_st *e, CUgraph g,
			    CUgraphExecUpdateResultInfo *info)
{
	CUgraphExecUpdateResult result;

	if (!e || e->magic != EXEC_MAGIC || !graph_valid(g) || !info)
		return CUDA_ERROR_INVALID_VALUE;
	g = graph_flat(g);
	if (!g)
		return CUDA_ERROR_OUT_OF_MEMORY;
	result = shape_compare(e->graph, g);
	*info = (CUgraphExecUpdateResultInfo){ .result = result };
	if (!result)
		wait_context(NULL);
	for (size_t i = 0; !result && i < g->count; i++)
		e->graph->nodes[i]->w = g->nodes[i]->w;
	graph_free(g);
	return result ? CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE : CUDA_SUCCESS;
}

static CUresult kernel_set(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p)
{
	CUfunction f;

	if (!n || !p || n->type != CU_GRAPH_NODE_TYPE_KERNEL)
		return CUDA_ERROR_INVALID_VALUE;
	f = p->func ? p->func : (CUfunction)p->kern;
	return kernel_work(&n->w, f, &p->gridDimX, &p->blockDimX, p->sharedMemBytes);
}

/* The node is one of the graph that the exec was made of. */
static CUresult exec_kernel_set(struct CUgraphExec_st *e, CUgraphNode n,
				const CUDA_KERNEL_NODE_PARAMS *p)
{
	if (!e || e->magic != EXEC_MAGIC)
		return CUDA_ERROR_INVALID_VALUE;
	wait_context(NULL);
	for (size_t i = 0; i < e->graph->count; i++)
		if (e->graph->nodes[i]->original == n)
			return kernel_set(e->graph->nodes[i], p);
	return CUDA_ERROR_INVALID_VALUE;
}

static CUresult destroy(CUgraph g)
{
	if (!graph_valid(g))
		return CUDA_ERROR_INVALID_VALUE;
	graph_free(g);
	return CUDA_SUCCESS;
}

static CUresult nodes_get(CUgraph g, CUgraphNode *nodes, size_t *count)
{
	if (!graph_valid(g) || !count)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; nodes && i < *count; i++)
		nodes[i] = i < g->count ? g->nodes[i] : NULL;
	if (!nodes || *count > g->count)
		*count = g->count;
	return CUDA_SUCCESS;
}

uint64_t node_id(void *node)
{
	return node ? ((CUgraphNode)node)->id : 0;
}

uint32_t graph_id(void *graph)
{
	struct CUgraph_st *g = graph;
	struct CUgraphExec_st *e = graph;

	if (!graph)
		return 0;
	return g->magic == GRAPH_MAGIC ? g->id : e->magic == EXEC_MAGIC ? e->graph->id : 0;
}

#define stream_here() stream_of(stream, per_thread)

API(cuGraphCreate, (CUgraph *graph, unsigned int flags), (graph, flags), create(graph))
API(cuGraphDestroy, (CUgraph graph), (graph), destroy(graph))
API(cuGraphClone, (CUgraph *out, CUgraph graph), (out, graph), clone_graph(out, graph))
API(cuGraphGetNodes, (CUgraph graph, CUgraphNode *nodes, size_t *count), (graph, nodes, count),
    nodes_get(graph, nodes, count))
API(cuGraphChildGraphNodeGetGraph, (CUgraphNode node, CUgraph *graph), (node, graph),
    child_get(node, graph))
API(cuGraphKernelNodeSetParams_v2, (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params),
    (node, params), kernel_set(node, params))
API(cuGraphExecKernelNodeSetParams_v2,
    (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params),
    (exec, node, params), exec_kernel_set(exec, node, params))
API(cuGraphNodeGetType, (CUgraphNode node, CUgraphNodeType *type), (node, type),
    node && type ? (*type = node->type, CUDA_SUCCESS) : CUDA_ERROR_INVALID_VALUE)
CTX_API(cuGraphInstantiateWithFlags,
	(CUgraphExec *exec, CUgraph graph, unsigned long long flags), (exec, graph, flags),
	instantiate(exec, graph))
API(cuGraphExecUpdate_v2, (CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info),
    (exec, graph, info), exec_update(exec, graph, info))
API(cuGraphExecDestroy, (CUgraphExec exec), (exec), exec_destroy(exec))
STREAM_API(cuGraphLaunch, (CUgraphExec exec, CUstream stream), (exec, stream),
	   exec_launch(exec, stream_here()))
STREAM_API(cuGraphUpload, (CUgraphExec exec, CUstream stream), (exec, stream),
	   exec && stream_here() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE)
