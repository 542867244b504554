/*
 * What CUDA did: API calls on the CPU side, operations on the GPU side. An
 * operation names the call that caused it by correlation id within its
 * producer; this is the exact link on which everything else stands.
 */
#ifndef CUDA_H
#define CUDA_H

#include "event.h"

enum api_domain { API_DRIVER = 1, API_RUNTIME = 2 };	/* CUpti_CallbackDomain */

enum api_class {		/* what a call is for; table in cupti/api_table.h */
	API_OTHER = 0, API_LAUNCH = 1, API_COPY = 2, API_SET = 3, API_SYNC = 4,
	API_ALLOC = 5, API_FREE = 6, API_EVENT = 7, API_GRAPH_LAUNCH = 8, API_GRAPH = 9,
	API_STREAM = 10, API_MODULE = 11,
};

/* Names of API functions have fixed ids within their producer. */
#define API_NAME_ID(domain, cbid) (16 + ((domain) - 1) * 4096 + (cbid))

struct api {			/* a finished call; e.pid/e.tid: the calling thread */
	struct event e;
	u64 dur_ns;
	u32 correlation;
	u32 name;		/* NAME_API */
	s32 result;		/* CUresult or cudaError_t, 0 success */
	u32 cbid;
	u16 domain;		/* enum api_domain */
	u16 class;		/* enum api_class */
	u16 depth;		/* 0 outermost; 1: driver call inside a runtime call */
	u16 pad;
};
_Static_assert(sizeof(struct api) == 56, "api: files depend on this layout");

struct api_stack {		/* by the API-enter USDT: which stack, thread and ring */
	struct event e;
	u64 stack;		/* struct stack id, 0: none could be taken */
	u32 correlation;
	u16 process;		/* producer of the call */
	u16 slot;		/* ring the thread writes to */
	u32 ns_tid;		/* thread id as the process sees it */
	u32 pad;
};
_Static_assert(sizeof(struct api_stack) == 48, "api_stack: files depend on this layout");

/* All GPU-side records begin with the same fields (struct gpu_head). e.tid is 0. */
struct gpu_head {
	struct event e;		/* ts: start on the GPU */
	u64 dur_ns;
	u32 correlation;
	u32 device;		/* CUDA ordinal within the producer */
	u32 context;
	u32 stream;
	u64 graph_node;		/* 0: not in a graph */
	u32 graph;		/* executable graph's id, 0 none */
	u32 pad;
};
_Static_assert(sizeof(struct gpu_head) == 64, "gpu_head: files depend on this layout");

struct kernel {
	struct gpu_head g;
	u32 name;		/* NAME_KERNEL, mangled as CUPTI gives it */
	u32 registers;		/* per thread */
	u32 grid[3];
	u32 block[3];
	u32 static_shared_bytes;
	u32 dynamic_shared_bytes;
	u32 local_bytes;	/* per thread */
	u32 collective;		/* struct collective (span.h), 0 none */
};
_Static_assert(sizeof(struct kernel) == 112, "kernel: files depend on this layout");

/* Values are CUPTI's (CUpti_ActivityMemcpyKind, CUpti_ActivityMemoryKind). */
enum copy_kind {
	COPY_UNKNOWN = 0, COPY_HTOD = 1, COPY_DTOH = 2, COPY_HTOA = 3, COPY_ATOH = 4,
	COPY_ATOA = 5, COPY_ATOD = 6, COPY_DTOA = 7, COPY_DTOD = 8, COPY_HTOH = 9,
	COPY_PTOP = 10,
	/* not CUPTI's: managed memory that the driver moved, as Nsight Systems counts it */
	COPY_UVM_HTOD = 11, COPY_UVM_DTOH = 12, COPY_UVM_DTOD = 13,
};
enum memory_kind {
	MEMORY_UNKNOWN = 0, MEMORY_PAGEABLE = 1, MEMORY_PINNED = 2, MEMORY_DEVICE = 3,
	MEMORY_ARRAY = 4, MEMORY_MANAGED = 5, MEMORY_DEVICE_STATIC = 6,
	MEMORY_MANAGED_STATIC = 7,
};

struct copy {
	struct gpu_head g;
	u64 bytes;
	u32 src_device, dst_device;	/* differ for peer copies only */
	u16 copy_kind;		/* enum copy_kind */
	u16 src_kind, dst_kind;	/* enum memory_kind */
	u16 async;
};
_Static_assert(sizeof(struct copy) == 88, "copy: files depend on this layout");

struct set {
	struct gpu_head g;
	u64 bytes;
	u32 value;
	u16 memory_kind;	/* enum memory_kind */
	u16 async;
};
_Static_assert(sizeof(struct set) == 80, "set: files depend on this layout");

enum sync_type {		/* CUpti_ActivitySynchronizationType */
	SYNC_UNKNOWN = 0, SYNC_EVENT = 1, SYNC_STREAM_WAIT_EVENT = 2, SYNC_STREAM = 3,
	SYNC_CONTEXT = 4,
};

struct sync {			/* time waited; g.stream may be ~0: not about one stream */
	struct gpu_head g;
	u32 type;		/* enum sync_type */
	u32 event;		/* CUDA event id, 0 none */
};
_Static_assert(sizeof(struct sync) == 72, "sync: files depend on this layout");

struct overhead {		/* time CUPTI or the driver took from the program */
	struct event e;
	u64 dur_ns;
	u32 what;		/* CUpti_ActivityOverheadKind */
	u32 correlation;	/* 0 unknown */
};
_Static_assert(sizeof(struct overhead) == 40, "overhead: files depend on this layout");

struct graph {			/* one launch of a graph as a whole (--graph=launch) */
	struct gpu_head g;
};

struct graph_node {		/* where a node came from: capture call, or the node it was
				 * cloned from */
	struct event e;
	u64 node;
	u64 source;		/* node it is a clone of; 0: made by a call */
	u32 graph;
	u32 correlation;	/* of the call that made it, 0 unknown */
};
_Static_assert(sizeof(struct graph_node) == 48, "graph_node: files depend on this layout");

enum nvtx_what { NVTX_PUSH_POP = 1, NVTX_START_END = 2, NVTX_MARK = 3 };

struct nvtx {			/* a finished range, or a mark (dur_ns 0) */
	struct event e;
	u64 dur_ns;
	u32 name;		/* NAME_NVTX */
	u32 nvtx_domain;	/* NAME_NVTX_DOMAIN, 0: the default domain */
	u32 color;		/* 0xAARRGGBB, 0 none */
	u16 what;		/* enum nvtx_what */
	u16 depth;		/* of push/pop nesting in its domain and thread, 0 outermost */
};
_Static_assert(sizeof(struct nvtx) == 48, "nvtx: files depend on this layout");

/* Memory that a program got or gave back. Managed memory for now (cudaMallocManaged and the
 * driver's calls below it, their frees), so that faults find their allocation. */
struct alloc {
	struct event e;		/* ts: when the call returned, tid: as struct api's */
	u64 addr;
	u64 bytes;		/* 0 for a free */
	u32 correlation;	/* of the outermost API call */
	u32 kind;		/* enum memory_kind */
	u32 freed;		/* 1: given back */
	u32 pad;
};
_Static_assert(sizeof(struct alloc) == 56, "alloc: files depend on this layout");

#endif
