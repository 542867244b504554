/*
 * The one place that knows all records and makes the links between them. A
 * view (report, timeline, flamegraph) gives a table of functions and is called
 * with things, not records: tasks, API calls, GPU operations with the call and
 * the stack behind them, host events with the call they fell into.
 *
 *   trace_next -> model_feed -> joins (by key, within a horizon) -> view
 *
 * Memory is bounded by the distinct names, stacks and threads and by what is
 * in flight within the horizon, not by the length of the trace.
 */
#ifndef MODEL_H
#define MODEL_H

#include <stdio.h>
#include "cuda.h"
#include "host.h"
#include "span.h"
#include "trace.h"
#include "uvm.h"
#include "xid.h"

#define MODEL_HORIZON_NS 30000000000ULL

struct model;

/* Pointers to the infos below are stable and unique: they may serve as keys. */
struct process_info {		/* one library instance or one followed process; exec ends one
				 * with CUDA */
	u32 pid;
	u32 ppid;
	u16 producer;		/* 0: without CUDA */
	char comm[COMM_LEN];
	u64 start_ns, end_ns;	/* 0 unknown */
	const struct source *source;	/* text tail: file; NULL: recorded by gpurec itself */
};

/* Collectives that are alike, as one producer says. Texts: NULL unknown. */
struct collective_info {
	struct collective c;
	const char *name, *type, *group, *description, *ranks;
};

struct thread_info {
	u32 pid, tid;
	char comm[COMM_LEN];
};

struct device_info {
	u16 producer;
	u32 ordinal;
	u32 gpu;		/* index of the physical device over all producers (by UUID) */
	struct device d;
};

enum link_kind {
	LINK_NONE = 0,
	LINK_EXACT = 1,
	LINK_OVERLAP = 2,	/* at the same time on the same GPU: one of several */
	LINK_RANGE = 3,		/* exact, but from the driver's word alone: no call, no stack */
};

struct api_call {
	struct api r;		/* the record; r.e.tid is the host tid */
	const char *name;	/* "cudaLaunchKernel" */
	u64 stack;		/* struct stack id, 0: none */
	u32 ops;		/* GPU operations seen of it so far */
	u32 longest_name;	/* of the longest call of its thread since the thread's last
				 * launch, 0 none */
	u64 longest_ts, longest_ns;	/* when it began; its length */
	u64 since_ns;		/* from the end of that last launch to this call, 0 unknown */
	u16 launch_class;	/* of that last launch, enum api_class */
	bool delivered;		/* the view has had it: the operation took longer than the
				 * horizon */
};

enum op_type { OP_KERNEL, OP_COPY, OP_SET, OP_GRAPH, OP_TYPES };

struct gpu_op {
	enum op_type type;
	const struct gpu_head *g;	/* the record: a struct kernel, copy, set or graph by
					 * type */
	const char *name;		/* kernel: mangled; copy/set/graph: "[memcpy HtoD]",
					 * "[memset]", "[graph]" */
	const struct device_info *device;	/* never NULL */
	const struct process_info *process;	/* never NULL */
	const struct api_call *call;	/* that launched it, outermost; NULL: unknown */
	enum link_kind link;
	u64 stack;			/* of the call; for a graph's node of the capturing call
					 * if known */
	const struct collective_info *collective;	/* of a kernel; NULL: none is known */
	bool captured;			/* stack is that of the call that made the graph's
					 * node */
	bool early;			/* starts before its launch call: a clock problem,
					 * counted */
};

struct host_event {
	const struct event *e;		/* switch, wake, fault, ioctl, block */
	const struct api_call *call;	/* innermost API call of the same thread around it, or
					 * NULL */
};

/* Managed memory that one place of a process allocated: the calls of one stack; without stacks
 * each address is a place of its own. */
struct managed {
	const struct process_info *process;
	const char *api;	/* "cudaMallocManaged"; NULL: known from the driver alone */
	u64 stack;		/* of the call, 0 unknown */
	u64 addr, bytes;	/* of the last one */
	u64 allocs, frees;
	u64 all_bytes;		/* of all that were allocated */
	u64 live_bytes, live_max;
};

struct uvm_gpu_info {		/* a GPU as UVM knows it */
	struct uvm_gpu g;	/* .gpu 0: never defined, the id is all that is known */
	u32 id;
	const struct device_info *device;	/* by UUID or PCI address; NULL: of no process
						 * that was recorded */
};

struct running {		/* a kernel, or a graph as a whole, on a GPU */
	u64 start, end;
	const char *name;	/* mangled, or "[graph]" */
	const struct process_info *process;
	u32 pid;
	u16 producer;
	u32 ordinal, gpu;	/* device_info.gpu */
	u64 overlap_ns;		/* with the event it is shown with */
};

struct uvm_event {
	const struct event *e;			/* uvm.h: fault ... mark */
	const struct process_info *process;	/* owner; NULL: a batch */
	const struct managed *memory;		/* NULL: unknown, or a batch */
	enum link_kind memory_link;		/* LINK_EXACT or LINK_RANGE */
	const struct uvm_gpu_info *gpu;		/* whose work it is; NULL: the CPU's alone */
	const struct api_call *call;		/* innermost of the thread that faulted */
	const struct running *const *kernels;	/* on that GPU meanwhile; of that process alone
						 * but for a batch and an eviction */
	u32 kernel_n;
	enum link_kind kernels_link;		/* LINK_EXACT: there was only one */
};

struct xid_event {
	const struct xid *x;
	const struct process_info *process;	/* NULL: the driver named none */
	const struct device_info *device;	/* by PCI address; NULL: none was recorded */
};

struct view {			/* any function may be NULL; non-zero returns stop model_run */
	/* Definitions are delivered when first seen. */
	int (*task)(void *ctx, const struct task *t);
	int (*device)(void *ctx, const struct device_info *d);
	int (*api)(void *ctx, const struct api_call *c);	/* once a call, after its ops or
								 * at the horizon */
	int (*op)(void *ctx, const struct gpu_op *op);		/* once an operation */
	int (*sync)(void *ctx, const struct sync *s, const struct api_call *call);
	int (*nvtx)(void *ctx, const struct nvtx *n);
	int (*span)(void *ctx, const struct span *s);
	int (*counter)(void *ctx, const struct counter *c);
	int (*flow)(void *ctx, const struct flow *f);
	int (*sample)(void *ctx, const struct sample *s);
	int (*overhead)(void *ctx, const struct overhead *o);
	int (*host)(void *ctx, const struct host_event *h);	/* of one thread in order of
								 * time */
	int (*uvm)(void *ctx, const struct uvm_event *u);	/* all in order of time */
	int (*xid)(void *ctx, const struct xid_event *x);
	/* A call of an xid's process before it; name: NULL or of a CUDA function */
	int (*xid_call)(void *ctx, const struct xid_call *c, const char *name);
	int (*clock)(void *ctx, const struct clock_pair *c);	/* of the recorder and of
								 * libraries, as they come */
	int (*driver_sum)(void *ctx, const struct driver_sum *s);
	/* Allocations, and what no function is for: kinds of the schema that nothing is
	 * joined to, as they come */
	int (*other)(void *ctx, const struct event *e);
};

#define UVM_KINDS (EVENT_UVM_MARK - EVENT_UVM_FAULT + 1)

struct uvm_links {		/* how events of one kind were linked */
	u64 events, owned;		/* owned: to a process */
	u64 memory_exact, memory_range, memory_none;
	u64 kernel_one, kernel_overlap, kernel_none;	/* of those of a GPU with a device */
	u64 no_device;			/* of a GPU that no recorded process uses */
	u64 in_call;			/* inside of an API call of their thread */
};

struct model_counts {
	u64 records;
	u64 first_ns, last_ns;		/* over all records but definitions */
	u64 ops[OP_TYPES];
	u64 op_correlated, op_uncorrelated, op_early;
	u64 op_no_stack;		/* correlated, but without a stack */
	u64 api, api_late;		/* api_late: came after the horizon */
	u64 lost[16];			/* by enum lost_where; LOST_UNKNOWN counts in
					 * lost_unknown */
	u64 lost_unknown;
	u32 lost_unknown_where;		/* bit w: layer w lost an unknown number */
	u64 undefined_names, undefined_stacks;	/* used but never defined: printed as "?" */
	u64 unknown_kinds, blocks_missing;
	bool simulated;
	u64 api_nested;			/* depth > 0: linked to host events, never to
					 * operations */
	u64 op_captured;		/* stack by graph node */
	u64 sync_correlated, sync_uncorrelated;
	u64 host_in_call, host_outside;	/* host events by whether an API call holds them */
	u64 evicted;			/* waited less than the horizon: too many were
					 * waiting */
	u64 unaligned;			/* files whose clock could not be brought to the first
					 * one's */
	u64 clock_converted;		/* GPU records whose times came as CLOCK_REALTIME */
	struct uvm_links uvm[UVM_KINDS];	/* by kind - EVENT_UVM_FAULT */
	u64 allocs, frees, alloc_no_stack, free_unknown;
	u64 xids, xid_owned;
};

struct model *model_new(const struct view *view, void *ctx);
int model_feed(struct model *m, const struct event *e);
int model_finish(struct model *m);	/* delivers all that still waited */
void model_free(struct model *m);

struct trace_window;
/* Only what begins in this part is delivered and counted; operations are linked to calls before
 * it, too. Before model_run; w: copied. */
void model_window(struct model *m, const struct trace_window *w);

/* Opens, feeds to the end, finishes. A damaged file is fed up to the damage; then *damage (if
 * not NULL) holds the reason and the result is 0; with damage NULL it is reported as an
 * error. */
int model_run(struct model *m, const char *path, struct trace_info *info, char **damage);
/* The same of several traces as one (trace_set.h); info of the first. */
int model_run_all(struct model *m, const char *const *paths, size_t n, struct trace_info *info,
		  char **damage);

const struct model_counts *model_counts(const struct model *m);
/* Nothing that begins before this time is still to come; 0: not known. */
u64 model_settled(const struct model *m);

/* Look-ups by id; never NULL: "?" when undefined (counted once an id). Equal texts are equal
 * pointers, which live as long as the model. */
const char *model_name(struct model *m, u16 producer, u32 id);
const struct process_info *model_process(struct model *m, u16 producer, u32 pid);
const struct thread_info *model_thread(struct model *m, u32 tid);
/* Number of processes/devices and the i-th, in order of appearance. */
size_t model_processes(const struct model *m, const struct process_info *const **list);
size_t model_devices(const struct model *m, const struct device_info *const **list);
const struct uvm_gpu_info *model_uvm_gpu(struct model *m, u32 id);	/* NULL for the CPU */
size_t model_gpus(const struct model *m);	/* physical devices: device_info.gpu is below
						 * this */
/* Notes as recorded (struct note_record texts). */
size_t model_notes(const struct model *m, const struct note_record *const **list);

/* A stack as frames, leaf first: n and the u64s, or 0 when undefined. */
u32 model_stack(struct model *m, u64 id, const u64 **frames, u32 *kernel_frames);
/* Name of a frame: symbol as recorded (mangled), else "module+0x1a2b", else "0x...". The
 * pointer lives as long as the model. */
const char *model_frame_name(struct model *m, u64 frame, const char **module);
/* How many of the innermost user frames stand between the program and its CUDA call. */
u32 model_frames_between(struct model *m, const u64 *frames, u32 n);

#endif
