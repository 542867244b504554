/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a program can ask of the software GPU through /dev/fakerm. Every call
 * returns when the driver has answered: faults replayed, notifications fetched.
 */
#ifndef FAKERM_IOCTL_H
#define FAKERM_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define FAKERM_GPUS 8

/* Access types and fault types in the numbers of a Volta fault packet. */
enum { FAKERM_READ, FAKERM_WRITE, FAKERM_ATOMIC, FAKERM_PREFETCH, FAKERM_ATOMIC_WEAK };
enum { FAKERM_BAD_PDE, FAKERM_BAD_PTE = 2, FAKERM_READ_ONLY = 6, FAKERM_NO_ATOMIC = 15 };

struct fakerm_fault {
	__u64 va;
	__u32 client;		/* the two handles that the channel was registered with */
	__u32 channel;
	__u8 access;
	__u8 type;
	__u8 gpc;		/* 0 to 5; with unit it names the uTLB that faults */
	__u8 unit;		/* 0 to 7 */
	__u32 pad;
};

/*
 * FAKERM_INJECT writes n faults. Replayable ones go to the buffer in groups of
 * at most "group" with one interrupt each, and the next group goes when the
 * last is fetched (FAKERM_RUN) or has been served and replayed.
 */
#define FAKERM_RUN		1u
#define FAKERM_NONREPLAYABLE	2u
#define FAKERM_REFAULT		4u	/* again at each replay, until allowed or cancelled */

struct fakerm_inject {
	__u64 faults;		/* address of an array of struct fakerm_fault */
	__u32 gpu;
	__u32 n;
	__u32 group;		/* 0: 256, which is the driver's default batch */
	__u32 flags;
	__u32 timeout_ms;	/* 0: 30000 */
	__u32 put;		/* out: entries written */
	__u32 replays;		/* out: replays the driver asked for meanwhile, cancels too */
	__u32 cancels;		/* out: of these, cancels */
	__u32 stopped;		/* out: channels stopped meanwhile */
	__u32 groups;		/* out */
	__u32 refaults;		/* out: entries that replays brought */
	__u32 gather;		/* go as one group with those of so many injectors in all */
	__u64 begin_ns;		/* out: CLOCK_MONOTONIC before the first entry */
	__u64 end_ns;		/* out: after the last replay, interrupts enabled again */
};

/* Access counter notifications: physical, the only kind served with 4 KiB pages. */
struct fakerm_notify {
	__u64 va;		/* walked to the page's address and aperture */
	__u32 gpu;
	__u32 client;
	__u32 channel;
	__u32 n;		/* notifications */
	__u64 stride;
	__u32 regions;		/* bit per 64 KiB region of the 2 MiB around; 0: that of va */
	__u32 value;		/* counter value shown */
	__u32 timeout_ms;
	__u32 put;		/* out: written; a page that is not mapped has none */
	__u64 begin_ns;
	__u64 end_ns;
};

/* Where a channel's page tables lead. */
enum { FAKERM_VID, FAKERM_PEER, FAKERM_SYS, FAKERM_SYS_NC, FAKERM_UNMAPPED };

struct fakerm_walk {
	__u64 va;
	__u32 gpu;
	__u32 client;
	__u32 channel;
	__u32 aperture;		/* out */
	__u64 pa;		/* out */
	__u64 page;		/* out: size of the page, or of the hole */
	__u32 peer;		/* out: GPU whose memory it is */
	__u32 writable;		/* out: bit 0 writes, bit 1 atomics */
};

/* Copy through the channel's page tables, as a kernel would; faults are not raised. */
struct fakerm_copy {
	__u64 va;
	__u64 buffer;
	__u32 gpu;
	__u32 client;
	__u32 channel;
	__u32 n;		/* bytes; must not leave the page */
	__u32 write;
	__u32 pad;
};

struct fakerm_info {
	__u32 gpus;
	__u32 gpu;		/* in: which one the rest is about */
	__u64 vid_bytes;
	__u64 vid_free;
	__u8 uuid[16];
	__u64 copies;		/* by the copy engines */
	__u64 copy_bytes;
	__u64 fills;
	__u64 replays;
	__u64 cancels;
	__u64 cleared;		/* faulted channels cleared */
	__u64 stopped;
	__u64 puts;		/* fault entries written, both kinds */
	__u64 notifications;
	__u32 pci;		/* bus << 8 | devfn */
	__u32 domain;
};

/* A driver's message, printed to the kernel log; the text is said to be simulated. */
struct fakerm_xid {
	__u32 gpu;
	__u32 code;
	__u32 pid;		/* 0: none, as of errors that no process owns */
	__u32 nvswitch;		/* 1: an SXid */
	char name[16];
	char text[200];
};

#define FAKERM_INJECT	_IOWR('f', 1, struct fakerm_inject)
#define FAKERM_NOTIFY	_IOWR('f', 2, struct fakerm_notify)
#define FAKERM_WALK	_IOWR('f', 3, struct fakerm_walk)
#define FAKERM_COPY	_IOWR('f', 4, struct fakerm_copy)
#define FAKERM_INFO	_IOWR('f', 5, struct fakerm_info)
#define FAKERM_XID	_IOW('f', 6, struct fakerm_xid)

#endif
