// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * childgraphs [LAUNCHES=5]: a block of nodes used twice in a model as child graphs, and the
 * model again inside another; a clone; an exec whose kernel is exchanged, by its node and by
 * a whole update.
 */
#include "stub.h"

KERNEL(project, "_ZN5block7projectEPfj")
KERNEL(mix, "_ZN5block3mixEPfj")
KERNEL(head, "_ZN5model4headEPfj")
KERNELS(&project_stub, &mix_stub, &head_stub)

#define COPY_BYTES 4099		/* prime */

static float *buffer;
static char *host;
static uint64_t graph_launches, nodes_launched;

static struct cudaKernelNodeParams kernel_of(void *function, void **args, unsigned int blocks)
{
	struct cudaKernelNodeParams k;

	memset(&k, 0, sizeof(k));
	k.func = function;
	k.gridDim.x = blocks;
	k.gridDim.y = k.gridDim.z = 1;
	k.blockDim.x = 256;
	k.blockDim.y = k.blockDim.z = 1;
	k.kernelParams = args;
	return k;
}

/* project -> mix, and a copy beside them */
static noinline cudaGraph_t block_build(void **args)
{
	struct cudaKernelNodeParams first = kernel_of(FUNCTION(project), args, 8);
	struct cudaKernelNodeParams second = kernel_of(FUNCTION(mix), args, 4);
	cudaGraphNode_t a, b;
	cudaGraph_t graph;

	CALL(cudaGraphCreate, &graph, 0);
	CALL(cudaGraphAddKernelNode, &a, graph, NULL, 0, &first);
	CALL(cudaGraphAddKernelNode, &b, graph, &a, 1, &second);
	CALL(cudaGraphAddMemcpyNode1D, &b, graph, NULL, 0, buffer, host, COPY_BYTES,
	     cudaMemcpyHostToDevice);
	return graph;
}

/* block, block, head */
static noinline cudaGraph_t model_build(cudaGraph_t block, void **args, cudaGraphNode_t *node)
{
	struct cudaKernelNodeParams last = kernel_of(FUNCTION(head), args, 2);
	cudaGraphNode_t a, b;
	cudaGraph_t model;

	CALL(cudaGraphCreate, &model, 0);
	CALL(cudaGraphAddChildGraphNode, &a, model, NULL, 0, block);
	CALL(cudaGraphAddChildGraphNode, &b, model, &a, 1, block);
	CALL(cudaGraphAddKernelNode, node, model, &b, 1, &last);
	return model;
}

/* What one launch of the model does. */
static void model_count(uint64_t times, struct site *last)
{
	add(project_stub.site.count, 2 * times);
	add(mix_stub.site.count, 2 * times);
	add(last->count, times);
	for (uint64_t i = 0; i < 2 * times; i++)
		copy_count(HTOD, COPY_BYTES);
	nodes_launched += 7 * times;
}

static noinline void launch(cudaGraphExec_t exec, uint64_t models, struct site *last)
{
	CALL(cudaGraphLaunch, exec, 0);
	graph_launches++;
	model_count(models, last);
}

static void sites_list(void)
{
	struct stub *all[] = { &project_stub, &mix_stub, &head_stub };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		site_count(&kernel_sites, &all[i]->site);
		add(all[i]->site.count, -1);
	}
}

/* The last kernel of the exec becomes mix, by its node; then head again, by an update. */
static noinline void exchange(cudaGraphExec_t exec, cudaGraph_t model, cudaGraphNode_t node,
			      void **args)
{
	struct cudaKernelNodeParams other = kernel_of(FUNCTION(mix), args, 2);
	CUgraphExecUpdateResultInfo info;

	CALL(cudaGraphExecKernelNodeSetParams, exec, node, &other);
	launch(exec, 1, &mix_stub.site);
	CALL(cudaGraphExecUpdate, exec, model, &info);
	launch(exec, 1, &head_stub.site);
}

/* A graph whose only node is a clone of the model. */
static noinline cudaGraphExec_t nest(cudaGraph_t model)
{
	cudaGraph_t clone, outer, inside;
	cudaGraphExec_t exec;
	cudaGraphNode_t node;
	size_t count = 0;

	CALL(cudaGraphClone, &clone, model);
	CALL(cudaGraphCreate, &outer, 0);
	CALL(cudaGraphAddChildGraphNode, &node, outer, NULL, 0, clone);
	CALL(cudaGraphChildGraphNodeGetGraph, node, &inside);
	CALL(cudaGraphGetNodes, inside, NULL, &count);
	if (count != 3)
		fail_call("a child graph of 3 nodes, whose number is", (int)count);
	CALL(cudaGraphInstantiate, &exec, outer, 0);
	CALL(cudaGraphDestroy, clone);
	CALL(cudaGraphDestroy, outer);
	return exec;
}

int main(int argc, char **argv)
{
	uint64_t launches = argument(argc, argv, 1, 5);
	cudaGraph_t block, model;
	cudaGraphExec_t exec, nested;
	cudaGraphNode_t node;
	unsigned int n = 10;
	void *args[2];

	say_device();
	sites_list();
	CALL(cudaMalloc, (void **)&buffer, 1 << 20);
	CALL(cudaMallocHost, (void **)&host, COPY_BYTES);
	args[0] = &buffer;
	args[1] = &n;
	block = block_build(args);
	model = model_build(block, args, &node);
	CALL(cudaGraphInstantiate, &exec, model, 0);
	nested = nest(model);
	for (uint64_t i = 0; i < launches; i++) {
		launch(exec, 1, &head_stub.site);
		launch(nested, 1, &head_stub.site);
	}
	exchange(exec, model, node, args);
	CALL(cudaDeviceSynchronize);
	CALL(cudaGraphExecDestroy, exec);
	CALL(cudaGraphExecDestroy, nested);
	CALL(cudaGraphDestroy, model);
	CALL(cudaGraphDestroy, block);
	expect("graph_launches", graph_launches);
	expect("graph_nodes_launched", nodes_launched);
	expect_all();
	return 0;
}
