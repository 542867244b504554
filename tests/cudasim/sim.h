/*
 * The seam between the simulated libraries: libcuda.so.1 holds the engine and
 * exports cudasim_core(); libcudart.so.13 submits through it, libcupti.so.13
 * listens to it. Everything here is internal to tests/cudasim.
 */
#ifndef SIM_H
#define SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_VERSION 1

/* One API call on its way in or out; lives on the stack of the calling thread. */
struct sim_call {
	uint32_t domain;		/* 1 driver, 2 runtime, as CUpti_CallbackDomain */
	const char *name;		/* CUPTI's enumerator: cudaMalloc_v3020 */
	const char *function;		/* as CUPTI's functionName: cudaMalloc */
	const char *symbol;		/* kernel launches: mangled kernel name, else NULL */
	const void *params;		/* the call's generated params struct, or NULL */
	void *result;			/* CUresult or cudaError_t; valid at exit */
	void *context;			/* CUcontext handle, NULL before there is one */
	uint32_t context_id;
	uint32_t correlation;		/* set by the core; nested calls share it */
	uint32_t depth;			/* 0 outermost */
	uint64_t start, end;		/* CLOCK_MONOTONIC ns */
	uint32_t *cbid;			/* cache of the call site, 0 until libcupti fills it */
	uint64_t data[2];		/* correlationData of the subscriber, enter to exit */
};

enum sim_op_type {
	SIM_KERNEL = 1, SIM_COPY, SIM_SET, SIM_HOST, SIM_EVENT_RECORD, SIM_EVENT_WAIT,
	SIM_GRAPH,
};

/* A finished operation, or a finished wait of the host; times CLOCK_MONOTONIC ns. */
struct sim_record {
	enum sim_op_type type;
	uint64_t queued, submitted, start, end;
	uint32_t correlation, device, context_id, stream_id;
	uint64_t graph_node;		/* 0 outside graphs */
	uint32_t graph;
	const char *name;		/* kernel, mangled; lives as long as its module */
	uint32_t grid[3], block[3];
	uint32_t registers, static_shared, dynamic_shared, local_bytes;
	uint64_t bytes;
	uint32_t value;			/* set */
	uint32_t copy_kind, src_kind, dst_kind;	/* as CUPTI counts them */
	uint32_t src_device, dst_device;
	bool async;
};

struct sim_sync {			/* the host waited */
	uint32_t type;			/* CUpti_ActivitySynchronizationType */
	uint64_t start, end;
	uint32_t correlation, context_id, stream_id;	/* stream_id ~0: not about one stream */
	uint32_t event_id;
};

enum sim_resource {
	SIM_CONTEXT_CREATED = 1, SIM_CONTEXT_DESTROY, SIM_STREAM_CREATED, SIM_STREAM_DESTROY,
	SIM_MODULE_LOADED, SIM_MODULE_UNLOAD, SIM_GRAPH_CREATED, SIM_GRAPHNODE_CREATED,
	SIM_GRAPHNODE_CLONED, SIM_GRAPHEXEC_CREATED,
};

struct sim_resource_data {
	void *context;
	uint32_t context_id;
	void *object;			/* stream, module, graph, exec handle */
	uint32_t object_id;
	uint64_t node, original_node;	/* GRAPHNODE_*: ids as in the records */
	uint32_t node_type;		/* CUgraphNodeType */
	void *original_object;
	void *node_handle, *original_node_handle;	/* GRAPHNODE_*: CUgraphNode */
	uint32_t device;		/* CONTEXT_*: ordinal */
};

struct sim_hooks {			/* set once by libcupti; any may be NULL */
	void (*api)(struct sim_call *call, int site);	/* 0 enter, 1 exit; calling thread */
	/* in the engine's worker thread, some 1 ms after the end; settle() waits for it */
	void (*record)(const struct sim_record *r);
	void (*sync)(const struct sim_sync *s);		/* in the waiting thread */
	void (*resource)(enum sim_resource what, const struct sim_resource_data *d);
	void (*fini)(void);				/* the process leaves by exit() */
	bool graph_nodes;		/* false: one SIM_GRAPH record a launch, no nodes */
};

struct sim_device_info {
	char name[64];
	uint8_t uuid[16];
	uint64_t mem_bytes;
	uint32_t cc_major, cc_minor, sm_count;
	uint32_t pci_domain, pci_bus, pci_device;
	bool mig;			/* an instance of a GPU, of which uuid is */
	uint32_t gpu_instance, compute_instance;
	uint8_t mig_uuid[16];
};

struct sim_core {
	uint32_t version;
	void (*set_hooks)(struct sim_hooks *hooks);	/* fields may change later */
	void (*call_enter)(struct sim_call *call);
	void (*call_exit)(struct sim_call *call);
	uint64_t (*now)(void);
	int (*device_count)(void);	/* CUDASIM_DEVICES, 0 as if there were no GPU */
	bool (*initialized)(void);			/* cuInit succeeded */
	const struct sim_device_info *(*device)(int ordinal);
	void (*quiesce)(void);		/* until all that was submitted has been recorded */
	void (*settle)(void);		/* until all that is over has been recorded */
	/* what was submitted and is not over, oldest first in each stream; no calls back */
	void (*in_flight)(void (*give)(const struct sim_record *r));
	/* Fault injection: CUDASIM_FAIL="NAME:nth=N:err=E,..." ; 0 or the error to return. */
	int (*fail)(const char *name);
	const char *(*setting)(const char *name);	/* getenv("CUDASIM_" name) */
	uint32_t (*context_id)(void *context);
	uint32_t (*stream_id)(void *stream);
	uint64_t (*node_id)(void *node);
	uint32_t (*graph_id)(void *graph);		/* graph or exec */
	uint32_t (*context_device)(void *context);	/* ordinal; ~0: no such context */
	int (*context_count)(void);			/* live contexts */
};

const struct sim_core *cudasim_core(void);

#endif
