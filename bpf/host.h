/* What the kernel did to followed threads: scheduling, faults, driver calls, block I/O. */
#ifndef HOST_H
#define HOST_H

#include "event.h"

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

struct ioctl_call {		/* on a character device that is no terminal */
	struct event e;
	u64 dur_ns;
	u32 cmd;
	u32 device;		/* major << 20 | minor, from the inode behind the fd */
	s32 fd;
	s32 result;		/* as the system call returned */
};
_Static_assert(sizeof(struct ioctl_call) == 48, "ioctl_call: files depend on this layout");

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
