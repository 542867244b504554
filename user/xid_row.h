/*
 * An Xid as people read it: its record with what the machine it is on knows
 * (which GPU, whether the process lives) and what the catalogue says. For tables
 * and JSON: rows of sink_row().
 */
#ifndef XID_ROW_H
#define XID_ROW_H

#include "schema.h"
#include "xid.h"

struct xid_row {
	struct event e;		/* ts: CLOCK_MONOTONIC, 0 unknown; pid, tid */
	u64 id, burst;		/* one burst: same device, number, process, near in time */
	u64 realtime_ns, cgroup_id;
	u64 count;		/* occurrences that this row stands for */
	u32 code, lines;
	s32 gpu, minor;		/* as nvidia-smi counts, /dev/nvidiaN; -1 unknown */
	s32 gpu_instance, compute_instance;	/* -1 none */
	u8 nvswitch, source, simulated, owner, severity, action;
	u8 pad[2];
	char time[40];		/* ISO 8601, UTC */
	char first[24], last[24];	/* local time, or seconds since boot in brackets */
	char pid_text[12], gpu_text[16], count_text[24], severity_text[16];
	char label[16];		/* "Xid 31" */
	char pci[20], uuid[48], model[64];
	char comm[COMM_LEN], comm_text[COMM_LEN];
	char name[64], meaning[128], advice[64];
	char cgroup[256];
	char text[1024];
	char said[1400];	/* what it means and the driver's words, for a table */
};

struct xid_call_row {
	struct xid_call c;
	char name[96];		/* "RM_CONTROL 0x20800a", "cuLaunchKernel" */
};

/* here: the error is of this machine's present boot, so /proc may be asked. */
void xid_row(struct xid_row *r, const struct xid *x, bool here);
/* The row stands for r->count errors, of which the last was then; `before` of them have had a
 * row. */
void xid_row_count(struct xid_row *r, u64 before, u64 realtime_ns, u64 boot_ns);

void xid_call_row(struct xid_call_row *r, const struct xid_call *c);
/* The same as a line under the error's own, which came at `ts`. */
void xid_call_line(struct xid_row *r, const struct xid_call *c, u64 ts);

/* user/schema_uvm.c */
extern const struct enum_name xid_sources[], xid_simulations[], xid_owners[], recent_whats[];

#endif
