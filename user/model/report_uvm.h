/* What the report sums of unified memory, driver calls, errors; for its own files alone. */
#ifndef REPORT_UVM_H
#define REPORT_UVM_H

#include "hash.h"
#include "histogram.h"
#include "model.h"
#include "titles.h"

#define UVM_ACCESSES 5		/* enum uvm_access */
#define UVM_CAUSES   10		/* enum uvm_cause 0..8; the last: unknown */
#define UVM_MARKS    11		/* enum uvm_mark_what */
#define UVM_GPUS     32		/* whose batches are told apart exactly */
#define UVM_BLOCK    21		/* log2 of the VA blocks that the driver works by */

enum uvm_side { SIDE_CPU, SIDE_GPU, SIDES };
enum uvm_way { WAY_IN, WAY_OUT, WAY_PEER, WAYS };	/* to a GPU, to the CPU, GPU to GPU */

struct memory_block {		/* 2 MiB of an allocation */
	u32 last;		/* where it was moved last */
	u32 turns;		/* how often it went on to another place than that */
	u64 in_bytes;		/* to a GPU by faults */
	u64 bytes;		/* either way by faults */
	bool moved;
	u32 evicted;		/* from that GPU, and not come back; 0: it is not */
};

struct memory_row {		/* process x allocation */
	const struct process_info *process;
	const struct managed *memory;	/* NULL: what could not be placed */
	u64 faults[SIDES][UVM_ACCESSES];
	u64 instances, duplicates, fatal;
	u64 batches;
	u32 last_batch[UVM_GPUS];
	struct histogram service[SIDES];
	u64 served_bytes[SIDES];	/* moved to who faulted */
	u64 bytes[WAYS][UVM_CAUSES];
	u64 evictions, evicted_bytes;
	u64 again_bytes;		/* moved back to a GPU after an eviction */
	u64 marks[UVM_MARKS];
	u64 last_fault;			/* address, GPU */
	u64 onward;			/* GPU faults up to 2 MiB behind the one before */
	struct hash blocks;		/* address >> UVM_BLOCK, + 1 -> struct memory_block */
};

struct uvm_gpu_row {
	const struct uvm_gpu_info *gpu;
	struct histogram batch;
	u64 fetch_ns, service_ns;
	u64 cached, coalesced, duplicates, replays, bytes;
	u64 in_bytes, out_bytes, peer_bytes;
	u64 evictions, evicted_bytes, evict_ns;
	u64 again_bytes;		/* that came back to a GPU after it had lost them */
	u64 kernel_one, kernel_overlap, kernel_none;	/* batches */
};

struct stalled_row {		/* a kernel that ran while its GPU's faults were served */
	const char *name;
	u64 stalled_ns;		/* of its time, inside of batches */
	u64 batches[2];		/* it ran alone; among others */
	u64 faults[2], bytes[2];	/* of services of its process */
};

struct fault_call_row { const char *name; u64 faults, out_bytes, service_ns; };

struct driver_row {		/* process x driver call */
	const struct process_info *process;
	struct driver_call call;	/* one of them: says what it is */
	struct histogram h;
	u64 failed;
};

struct thread_row {
	u32 pid, tid;
	u64 first_ns, last_ns;
	u64 driver_ns, driver_calls;
	u64 cpu_faults, cpu_fault_ns, cpu_fault_bytes;
	u64 cpu_faults_in_api;
};

struct xid_call_row { struct xid_call c; const char *name; };

struct xid_row {
	struct xid x;
	const char *text;		/* the driver's words */
	const struct process_info *process;
	const struct device_info *device;
	struct xid_call_row *calls;	/* the last first */
	u32 call_n;
	u64 times;			/* the first of equal ones: how often; the others 0 */
};

#define XID_PLACE 32
#define XIDS_KEPT  1000		/* of the same device, number and process; all are counted */
#define XID_KINDS 10000		/* the first of each is kept */

struct uvm_report {
	struct arena *arena;
	struct hash memory_map, gpu_map, stalled_map, call_map, driver_map, thread_map, xid_map,
		xid_kinds;
	struct memory_row **memories;
	struct uvm_gpu_row **gpus;
	struct stalled_row **stalled;
	struct fault_call_row **calls;
	struct driver_row **drivers;
	struct thread_row **threads;
	struct xid_row **xids;
	size_t memory_n, gpu_n, stalled_n, call_n, driver_n, thread_n, xid_n;
	u64 faults[SIDES], instances, duplicates, fatal;
	struct histogram service[SIDES], batch;
	u64 marks[UVM_MARKS];
	u64 xid_calls;
};

struct report;

/* report_uvm.c */
int report_uvm(void *ctx, const struct uvm_event *u);
void report_uvm_finish(struct report *r);
void report_uvm_free(struct uvm_report *u);
u64 memory_faults(const struct memory_row *row, enum uvm_side side);
u64 memory_moved(const struct memory_row *row, enum uvm_way way);
u64 memory_by_fault(const struct memory_row *row, enum uvm_way way);
const char *uvm_cause_name(u32 cause);
u64 uvm_needless(const struct uvm_gpu_row *g);	/* faults of pages that were asked for */

/* report_driver.c */
void report_driver_call(struct report *r, const struct driver_call *d);
struct thread_row *report_thread(struct report *r, u32 pid, u32 tid, u64 from, u64 to);
int report_xid(void *ctx, const struct xid_event *x);
int report_xid_call(void *ctx, const struct xid_call *c, const char *name);
const char *xid_row_meaning(const struct xid_row *x);	/* by the catalogue, else the
							 * driver's words */
const char *xid_row_advice(const struct xid_row *x);
const char *xid_row_mark(const struct xid_row *x);	/* "(simulated) " and the like, "" */
const char *xid_row_place(const struct xid_row *x, char buf[XID_PLACE]);
const char *xid_call_name(const struct xid_call_row *c, char *buf, size_t size);

void *report_list_add(void *list, size_t n, void *x);

#endif
