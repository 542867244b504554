/*
 * One fault of unified memory with all that its service tells: how long it was waited for,
 * what was moved for it and why. Links are by id (service; GPU and batch), never by time or
 * order: records may come in any order within the horizon. A fault whose service or batch does
 * not come by then (lost, or its hook is missing) is delivered all the same and says so.
 *
 * latency_ns, by kind of fault:
 *   replayable      from the driver's fetch of its batch to the return of the last replay
 *                   pushed for that batch: the same for all faults of a batch. The time a
 *                   fault lay in the GPU's buffer before the fetch is not in it, nor is the
 *                   GPU's own retry.
 *   CPU             in and out of the service of the faulting page, with the time that the
 *                   driver made the thread wait because the page thrashes
 *   non-replayable  in and out of its service; the channel goes on a method later
 *
 * service_ns is the time of the service of the fault's VA block, which all faults of that block
 * in the batch share.
 *
 * Bytes are those of the process's own pages in that service. A migration counts for the
 * faults on its pages, in equal shares (duplicates count nothing); one that covers no fault
 * (prefetch, eviction) for the fault before it. So sums over faults are sums over migrations.
 */
#ifndef UVM_JOIN_H
#define UVM_JOIN_H

#include "uvm.h"

enum uvm_missing {
	UVM_MISSING_SERVICE = 1,	/* service_ns, status and bytes are unknown */
	UVM_MISSING_BATCH = 2,		/* latency_ns is unknown */
	UVM_MISSING_MOVES = 4,		/* some of the bytes */
	UVM_MISSING_REPLAY = 8,		/* latency_ns ends where the next batch begins */
};

struct uvm_joined {		/* a row for a sink: fault.e is its head */
	struct uvm_fault fault;
	u64 latency_ns, service_ns;
	u64 bytes_in, bytes_out;	/* to who faulted; elsewhere */
	s32 status;		/* NV_STATUS of the service */
	u32 what;		/* enum uvm_service_what, 0 unknown */
	u32 cause; /* enum uvm_cause of most of the bytes; UVM_CAUSE_UNKNOWN: none */
	u32 missing;		/* enum uvm_missing */
};

struct uvm_join;

/* deliver(): 0, or an error that put() and end() pass on. */
struct uvm_join *uvm_join_new(u64 horizon_ns,
			      int (*deliver)(void *ctx, const struct uvm_joined *f), void *ctx);
int uvm_join_put(struct uvm_join *j, const struct event *e);	/* other kinds are ignored */
int uvm_join_end(struct uvm_join *j);		/* nothing more comes: deliver what waits */
void uvm_join_free(struct uvm_join *j);		/* NULL is fine */

#endif
