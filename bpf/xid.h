/* Errors that the driver reports about a GPU (Xid) or an NVSwitch (SXid). */
#ifndef XID_H
#define XID_H

#include "event.h"

enum xid_source {
	XID_TRACEPOINT = 1,	/* nvidia:nvidia_dev_xid */
	XID_REPORT_ERROR = 2,	/* kprobe on nv_report_error() */
	XID_CONSOLE = 3,	/* the printk:console tracepoint */
	XID_KMSG = 4,		/* /dev/kmsg */
	XID_FILE = 5,		/* a log that somebody kept */
};

enum xid_simulated {
	XID_SIMULATED = 1,	/* by the test suite's software GPU */
	XID_WRITTEN = 2,	/* by a process that wrote the line to /dev/kmsg */
};

enum xid_owner {
	XID_OWNER_DRIVER = 1,	/* the driver named the process */
	XID_OWNER_TASK = 2,	/* the driver did not; it was raised in that process's call */
};

#define XID_NO_INSTANCE 0xffff
#define XID_NO_DOMAIN 0xffffffff	/* no PCI address is known */

struct xid {			/* text tail: the driver's own words, as far as known */
	struct event e;		/* pid: whose work it was (pid, tid: 0 unknown) */
	u64 id;			/* counts up within a recording: xid_call refers to it */
	u64 realtime_ns;	/* CLOCK_REALTIME where the source has it, 0 unknown */
	u32 code;		/* Xid or SXid number */
	u32 pci_domain;
	u8 pci_bus, pci_device, pci_function;
	u8 source;		/* enum xid_source */
	u8 nvswitch;		/* 1: an SXid */
	u8 simulated;		/* enum xid_simulated, 0: real */
	u8 fatal;		/* SXid: 1 fatal, 2 non-fatal; Xid 0 */
	u8 owner;		/* enum xid_owner, 0: nobody is known */
	u64 cgroup;		/* of that process, 0 unknown */
	char comm[COMM_LEN];	/* by the driver's word, else the task's name */
	u16 gpu_instance;	/* MIG, XID_NO_INSTANCE: none */
	u16 compute_instance;
	u32 lines;		/* of a log that tell of it, 0: seen in the driver */
};
_Static_assert(sizeof(struct xid) == 88, "xid: files depend on this layout");

enum recent_what { RECENT_DRIVER = 1, RECENT_CUDA = 2 };

#define RECENT_CALLS 64

/* One of the last calls of a process; kept in BPF by the sets ioctl and stack. */
struct recent_call {
	u64 ts;			/* start */
	u64 dur_ns;		/* 0: not returned yet, or not known */
	u32 tid;
	u32 device;		/* driver: major << 20 | minor */
	u32 cmd;		/* driver: ioctl command; CUDA: correlation */
	u32 rm;			/* driver: RM control command or class; CUDA: callback id */
	s32 result;
	u16 what;		/* enum recent_what */
	u16 op;			/* driver: enum driver_op; CUDA: callback domain */
};
_Static_assert(sizeof(struct recent_call) == 40, "recent_call: shared by programs");

struct xid_call {		/* of the process of the Xid, before it */
	struct event e;		/* ts: the call's start */
	u64 dur_ns;
	u64 xid;		/* struct xid id */
	u32 device, cmd, rm;
	s32 result;
	u16 what, op;
	u32 age;		/* 0 the last one, 1 the one before */
};
_Static_assert(sizeof(struct xid_call) == 64, "xid_call: files depend on this layout");

#endif
