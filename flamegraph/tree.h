/* Inside of the room: the tree as tree.c builds it and the writers read it. */
#ifndef TREE_H
#define TREE_H

#include "flamegraph.h"

#define FLAME_NONE UINT32_MAX

struct flame_name {
	const char *text;	/* in the arena, NUL-terminated */
	uint32_t len;
	uint32_t hash;
	uint32_t what;		/* enum flame_what */
};

struct flame_node {		/* nodes[0] is the root "all"; a parent stands before its
				 * children */
	uint32_t parent;
	uint32_t name;
	uint64_t self;		/* of stacks that end here */
	uint64_t total;		/* self and all above; right after flame_sum() */
};

struct flame_arena {
	struct flame_chunk *chunks;
};

struct flame_tree {
	struct flame_name *names;
	struct flame_node *nodes;
	uint32_t name_count, name_room, node_count, node_room;
	uint32_t *name_slots, *node_slots;	/* open addressing; index + 1, 0 free */
	uint32_t name_mask, node_mask;
	uint32_t *path;		/* nodes of the stack added last: neighbours share most of it */
	size_t path_len, path_room;
	uint64_t total;
	uint64_t *was, *was_self;	/* by node, room for node_room: before; NULL: this tree
					 * compares nothing */
	uint32_t was_room;
	uint64_t was_total;
	struct flame_arena arena;
};

/* One line of the drawing order: kept nodes, depth first, children by name. */
struct flame_place {
	uint32_t node;
	uint32_t depth;
	uint64_t x;		/* sum of what stands left of it */
};

struct flame_order {
	struct flame_place *places;
	uint32_t count;
	uint32_t depth;		/* of the deepest place */
	uint64_t pruned;	/* nodes narrower than asked */
};

void flame_sum(struct flame_tree *t);
/* Places of all nodes with total >= least and > 0; with least 0 also of those that only were.
 * 0 or -ENOMEM. */
int flame_order(struct flame_tree *t, uint64_t least, struct flame_order *order);

static inline const struct flame_name *flame_name(const struct flame_tree *t, uint32_t node)
{
	return &t->names[t->nodes[node].name];
}

#endif
