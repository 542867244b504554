/*
 * Processes side by side, as the ranks of a distributed job are: what each GPU's
 * time went to, what of the communication was hidden behind computing, why the
 * GPU was idle, step by step; and who was late at the collectives.
 *
 * Communication: kernels of NCCL and RCCL (by name) and those that name a
 * collective. Memory follows processes, GPUs, names and steps, and the
 * collectives, of which COMM_CALLS_MAX are kept.
 */
#ifndef RANKS_H
#define RANKS_H

#include "collectives.h"
#include "histogram.h"
#include "kernel_class.h"
#include "sweep.h"

struct class_sum { u64 count, total_ns; };

struct rank_gpu {
	const struct device_info *device;
	struct sweep sweep;
	u64 operations, kernels, kernel_ns;
	u32 member;		/* of collectives */
	struct straggler straggler;
};

struct rank {			/* a process */
	const struct process_info *process;
	s32 number;		/* of the job, -1 unknown */
	struct rank_gpu **gpus;
	size_t gpu_n;
	const struct process_steps *steps;	/* NULL: none */
	struct step_sums *sums;
	struct class_sum kernels, comm, no_launch, early, copies, sets;	/* no_launch, early: of
									 * the kernels */
	u64 copy_bytes;
	struct class_sum classes[CLASSES];
	struct class_sum graph_nodes;	/* kernels that the trace knows as a graph's */
	struct class_sum graph_launched;	/* kernels whose call launched a graph */
	u64 launches, graph_launches;	/* calls */
	u64 no_step;		/* kernels whose launch is known and in no step */
	struct histogram delay;	/* kernels: from the begin of the call to their start */
	/* after ranks_finish */
	u64 first, last;	/* of its operations on all its GPUs */
	u64 time[PARTS];	/* over its GPUs; [0]: idle between first and last */
	u64 idle[IDLE_CAUSES];	/* and before its first and behind its last operation of a GPU:
				 * in IDLE_UNKNOWN */
	u64 gaps, queue_ns, queue_empty_ns, queue_max, queued, late;
};

struct member { const struct rank *rank; struct rank_gpu *gpu; };

struct comm_row { const char *name; struct class_sum sum; u64 bytes; };

struct ranks {
	struct model *model;
	struct steps *steps;		/* NULL: were not looked for */
	struct arena arena;
	struct hash by_process, kinds, comm_map, collective_map;
	struct rank **list;		/* after ranks_finish by number, then appearance */
	size_t n;
	struct histogram delay;		/* of all */
	struct comm_row **comm;		/* by kernel; after ranks_finish by total */
	struct comm_row **collectives;	/* by collective, as the trace names them */
	size_t comm_n, collective_n;
	struct member *members;
	size_t member_n;
	struct collectives matched;
};

void ranks_init(struct ranks *r, struct model *m, struct steps *steps);
/* name: as people read it; equal ones are one pointer */
void ranks_op(struct ranks *r, const struct gpu_op *op, const char *name);
void ranks_api(struct ranks *r, const struct api_call *c);
void ranks_finish(struct ranks *r);
void ranks_free(struct ranks *r);

u64 rank_window(const struct rank *k);	/* first to last operation, times its GPUs */
const char *rank_label(const struct rank *k, char *buf, size_t size);	/* "3", else "pid 77" */
/* The same, with its GPU where its process has several. */
const char *member_label(const struct ranks *r, u32 member, char *buf, size_t size);
/* Length of the i-th step over all GPUs of the rank, 1 GPU at least. */
u64 rank_step_time(const struct rank *k, size_t i);

#endif
