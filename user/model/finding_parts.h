/* How rules are written; shared by the files of findings alone. */
#ifndef FINDING_PARTS_H
#define FINDING_PARTS_H

#include "finding.h"
#include "report_parts.h"

struct finder {
	struct report *r;
	struct finding *list;
	size_t n;
};

struct rule {
	const char *name;
	void (*look)(struct finder *f, const struct rule *rule);
	const char *advice;
};

/* A new finding; texts are kept. */
struct finding *finding_add(struct finder *f, const struct rule *rule, const char *about,
			    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void finding_prove(struct finding *x, const char *name, u64 value);
u64 share_pct(u64 part, u64 whole);	/* rounded down; of nothing 0 */

extern const struct rule uvm_rules[];	/* finding_uvm.c; ends with name NULL */
extern const struct rule rank_rules[];	/* finding_ranks.c */

/* Thresholds: each stands in gpureport(8). */
#define PING_PONG_TURNS      4	/* a block that moved on so often */
#define PING_PONG_PCT       25	/* their share of what faults moved of an allocation */
#define EVICTION_PCT        10	/* of the bytes that were moved to the GPU, evicted again */
#define STORM_SERVICES       8
#define STORM_COVERED_PCT   50	/* of the allocation, moved to a GPU by faults */
#define STORM_ONWARD_PCT    50	/* of the faults, not far behind the one before */
#define STORM_PREFETCHED_PCT 10	/* of the bytes to a GPU by the program's own request: less */
#define STORM_TIME_PCT       1	/* of the recording spent in serving it */
#define DUPLICATE_FAULTS   256	/* fetched, at least */
#define DUPLICATE_PCT       50
#define CPU_FAULT_PCT       10	/* of a thread's time in faults on what was on a GPU */
#define DRIVER_PCT          30	/* of a thread's time in calls of drivers */
#define DRIVER_CALLS        10
#define COMM_KERNELS        10
#define COMM_PCT            20	/* of the time of ranks that communicate, in the open */
#define STRAGGLER_MATCHED    8
#define STRAGGLER_LAST_PCT  50	/* of its collectives, at which it was last */
#define STRAGGLER_WAIT_PCT   5	/* of all ranks' time, that the others waited for it beyond
				 * what it waited itself */
#define STEP_EXTRA_PCT       5	/* of the steps' time, in outliers beyond the median */
#define LAUNCH_PCT          50	/* of a GPU's time idle, nothing launched */
#define LAUNCH_OPERATIONS  100
#define TINY_KERNELS      1000
#define TINY_NAMES_PCT      10	/* of the kernels: different names, at most */

#endif
