/* What the kernel did to followed threads: scheduling, faults, driver calls, block I/O. */
#ifndef HOST_H
#define HOST_H

#include "event.h"

#define SCHED_STATE_UNKNOWN 0x4000	/* of an imported trace that does not say why it left */

struct sched_switch_rec {	/* e.pid/e.tid/e.cpu: the followed thread that comes or goes */
	struct event e;
	u32 on;			/* 1: it got the CPU, 0: it left the CPU */
	u32 state;		/* off: TASK_* bits; 0 runnable (preempted) */
	u32 other_tid;		/* who left or came */
	u32 pad;
};
_Static_assert(sizeof(struct sched_switch_rec) == 40, "switch: files depend on this layout");

struct wake {			/* a followed thread was made runnable */
	struct event e;
	u32 waker_pid;
	u32 waker_tid;
};
_Static_assert(sizeof(struct wake) == 32, "wake: files depend on this layout");

struct fault {			/* page fault of a followed thread in user mode */
	struct event e;
	u64 addr;
	u64 ip;
	u32 code;		/* x86: bit 0 protection, 1 write, 2 user, 4 instruction */
	u32 pad;
};
_Static_assert(sizeof(struct fault) == 48, "fault: files depend on this layout");

enum driver_op {
	DRIVER_OPEN = 1, DRIVER_IOCTL = 2, DRIVER_MMAP = 3, DRIVER_POLL = 4, DRIVER_CLOSE = 5,
};

/* Whose ioctls they are: says what cmd, escape, rm and status mean. */
enum driver_kind { DRIVER_OTHER = 0, DRIVER_NVIDIA = 1, DRIVER_NVIDIA_UVM = 2 };

#define DRIVER_STATUS_NONE (~0u)	/* the call has none, or it could not be read */
#define DRIVER_RM_UNKNOWN (~0u)		/* what it was about could not be read */

/* A call on a character device that is no terminal: of a GPU's driver, mostly. The fields rm,
 * client, object are of NVIDIA's resource manager ('F' ioctls; bpf/rm.bpf.h), else 0. */
struct driver_call {
	struct event e;
	u64 dur_ns;
	u32 cmd;		/* ioctl: the command */
	u32 device;		/* major << 20 | minor, from the inode behind the fd */
	s32 fd;			/* -1: seen inside the driver, where there is none */
	s32 result;		/* as the system call returned; mmap: 0 for an address */
	u32 rm;			/* RM_CONTROL: control command; RM_ALLOC: class; an XFER
				 * wrapper is looked into */
	u32 status;		/* NV_STATUS as the caller got it; DRIVER_STATUS_NONE */
	u32 client, object;	/* handles it was about */
	u64 bytes;		/* mmap: length; ioctl: size of the RM parameters */
	u16 op;			/* enum driver_op */
	u16 escape;		/* _IOC_NR behind an XFER wrapper, else that of cmd */
	u16 driver;		/* enum driver_kind */
	u16 pad;
};
_Static_assert(sizeof(struct driver_call) == 80, "driver_call: files depend on this layout");

#define DRIVER_SLOTS 24		/* log2 of the time in us: <1, <2, <4, ... */

/* Calls of a process that are alike, summed since recording began (struct sum_head). Floods
 * (poll) exist as sums alone. */
struct driver_sum {
	struct event e;
	u64 from_ns, interval, count;	/* of struct sum_head; count: calls */
	u64 since_ns;		/* end of the first call in it */
	u64 time_ns, max_ns;
	u32 cmd, device, rm, status;	/* as in struct driver_call */
	s32 result;		/* 0, or the negative errno that all of them ended with */
	u16 op, escape;
	u16 driver;		/* enum driver_kind */
	u16 pad[3];
	u32 slots[DRIVER_SLOTS];
};
_Static_assert(sizeof(struct driver_sum) == 200, "driver_sum: files depend on this layout");

struct block_io {		/* e.pid/e.tid: the thread that issued it; ts issue */
	struct event e;
	u64 dur_ns;
	u64 sector;
	u32 bytes;
	u32 device;		/* major << 20 | minor */
	u32 op;			/* REQ_OP_*: 0 read, 1 write, 2 flush, 3 discard */
	s32 error;		/* 0 or -errno */
};
_Static_assert(sizeof(struct block_io) == 56, "block_io: files depend on this layout");

#endif
