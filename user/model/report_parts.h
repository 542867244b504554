/* Inside of the report: what is summed. Shared by its collector and its two printers alone. */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "hash.h"
#include "histogram.h"
#include "interval.h"
#include "model.h"
#include "rank_steps.h"
#include "report.h"
#include "report_uvm.h"

#define COPY_KINDS   14		/* enum copy_kind */
#define MEMORY_KINDS 8		/* enum memory_kind */
#define SYNC_TYPES   5		/* enum sync_type */

/* Operations may come one horizon late, and be delivered two later: see interval.h. */
#define REPORT_KEEP_NS (3 * MODEL_HORIZON_NS)

struct host_sums {		/* kernel events of threads */
	u64 faults, ioctls, ioctl_ns, blocks, block_bytes, block_ns, wakes;
	u64 offs, off_ns;	/* times off the CPU, and for how long */
	u64 preempted_ns;	/* part of off_ns: did not want to leave */
	u64 runnable_ns;	/* part of off_ns: preempted, or woken and not yet back */
};

struct row {			/* durations under one name */
	const char *name;
	const char *mangled;	/* kernels: the recording's own name, if another: one of those
				 * that are read as this */
	struct histogram h;
	u64 errors;		/* api: calls that failed */
	struct host_sums host;	/* host_calls: inside of these calls */
};

struct rows {
	struct hash by_name;	/* interned name -> struct row */
	struct row **list;	/* sorted by total, ties by name, after report_run */
	size_t n, room;
};

struct sum { u64 count, bytes, total_ns, max_ns; };

struct stream_row {
	const struct process_info *process;
	const struct device_info *device;
	u32 context, stream;
	u64 kernels, copies, sets, graphs, total_ns, first_ns, last_ns;
};

struct process_row {
	const struct process_info *process;
	u64 kernels, copies, sets, graphs, kernel_ns, copy_bytes, api, api_ns, launches;
};

struct gpu_row {
	const struct device_info *device;	/* one of them */
	struct intervals all, kernels;
	u64 ops, kernel_n, kernel_ns;
};

struct off_cpu {		/* a thread that left the CPU */
	u64 ts, wake_ts;	/* 0: is on the CPU; was not woken yet */
	u32 state;
	struct row *row;	/* call it was in */
};

struct report {
	bool windowed;			/* only a part of the trace was asked for */
	struct model *model;
	struct trace_info info;
	const char *damage;	/* why what follows is not of the whole recording; NULL: it
				 * is */
	struct texts texts;
	struct hash demangled;	/* mangled -> interned demangled */
	struct arena arena;

	struct rows kernels, apis, nvtx;
	struct rows nested;	/* calls inside of calls */
	struct rows short_names;	/* of kernels, without namespaces and templates; after
					 * report_run */
	struct rows host_calls;	/* by the innermost function that held the event */
	struct histogram kernel_times, launch_delay;
	struct sum copies[COPY_KINDS][MEMORY_KINDS];	/* by direction and host memory */
	struct sum sets, graphs, overhead;
	struct sum syncs[SYNC_TYPES];
	u64 kernel_first, kernel_last;
	u64 api_errors;

	struct hash stream_map, process_map, off_map;
	struct stream_row **streams;
	struct process_row **processes;
	struct gpu_row **gpus;
	size_t stream_n, process_n, gpu_n;
	struct host_sums host;		/* all, inside and outside of calls */
	struct host_sums host_in_call;
	struct uvm_report uvm;
	struct ranks ranks;
	u64 launch_calls, launch_ns;	/* calls that launch one kernel */
	u64 graph_kernels;		/* kernels that a graph held */
	struct finding *findings;
	size_t finding_n;
	bool findings_looked;
};

/* report.c */
u32 report_error_ppm(struct report *r);
u64 lost_total(const struct model_counts *c);
struct sum copies_total(const struct report *r, int kind, int memory);	/* -1: all */
const char *copy_kind_name(int kind);
const char *memory_kind_name(int kind);
const char *sync_type_name(int type);
const struct enum_name *lost_names(void);

/* report_collect.c */
extern const struct view report_view;
const char *report_name(struct report *r, const char *mangled);

/* report_host.c */
int report_host(void *ctx, const struct host_event *h);

struct row *rows_get(struct rows *rows, struct arena *arena, const char *name);

#endif
