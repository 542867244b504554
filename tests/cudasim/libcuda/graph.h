/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Graphs and their executable clones; a node's place in the array is its order. */
#ifndef GRAPH_H
#define GRAPH_H

#include "engine.h"

struct CUgraphNode_st {
	uint64_t id;			/* graph id << 32 | place + 1 */
	CUgraphNodeType type;
	struct work w;
	struct CUgraphNode_st **needs;
	size_t need_count, place;
	struct CUgraph_st *graph;
	struct CUgraph_st *child;	/* CU_GRAPH_NODE_TYPE_GRAPH: a copy of its own */
	const struct CUgraphNode_st *original;	/* what it was copied from; may be gone */
	uint64_t end;			/* of the launch planned last (nodes of an exec) */
};

struct CUgraph_st {			/* the nodes of an exec are a graph too */
	uint32_t magic, id;
	struct CUgraphNode_st **nodes;
	size_t count, size;
};

struct CUgraphExec_st {
	uint32_t magic;
	struct CUgraph_st *graph;
	uint64_t start, first, end;	/* of the launch planned last */
};

struct CUgraph_st *graph_new(void);
void graph_free(struct CUgraph_st *g);
struct CUgraphNode_st *graph_add(struct CUgraph_st *g, const struct work *w,
				 CUgraphNodeType type, struct CUgraphNode_st *const *needs,
				 size_t count);
CUresult child_add(CUgraphNode *out, CUgraph g, const CUgraphNode *needs, size_t count,
		   CUgraph child);

#endif
