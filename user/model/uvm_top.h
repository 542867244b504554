/* Unified memory by process and managed allocation, summed over an interval. */
#ifndef UVM_TOP_H
#define UVM_TOP_H

#include "histogram.h"
#include "uvm_gpus.h"
#include "uvm_join.h"

#define UVM_TOP_MAX 65536	/* processes x allocations */

struct uvm_use {
	struct uvm_use *next;	/* of the same hash */
	u32 pid;
	u64 range, range_bytes;	/* the allocation; 0: unknown */
	u64 faults;		/* of GPUs and CPUs, duplicates too */
	u64 to_gpu, to_cpu;	/* bytes migrated, whatever the cause */
	u64 evicted;		/* those of to_cpu that were evicted */
	u64 thrash;		/* the driver said thrashing, or began to throttle */
	struct histogram latency;	/* of faults where it is known */
};

struct uvm_top {		/* all zero is empty */
	struct hash uses;
	u32 count;
	u64 more;		/* events that found UVM_TOP_MAX */
};

/* Of the chosen GPUs alone. */
void uvm_top_fault(struct uvm_top *t, const struct uvm_gpus *g, const struct uvm_joined *f);
void uvm_top_record(struct uvm_top *t, const struct uvm_gpus *g, const struct event *e);
/* A list of the caller's, busiest first; what it holds lives until uvm_top_clear(). */
struct uvm_use **uvm_top_sort(struct uvm_top *t, u32 *count);
void uvm_top_clear(struct uvm_top *t);

#endif
