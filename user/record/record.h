/*
 * The recorder: runs a command or attaches to processes, follows them and their children
 * with probe sets and with the library in them, and writes it all to one trace file.
 */
#ifndef RECORD_H
#define RECORD_H

#include "probe.h"

#define RECORD_PIDS_MAX 64

/* Members are as wide as the option rows that set them. */
struct record_settings {
	const char *output;	/* NULL: gpuscope.gst */
	const char *probes;	/* NULL: all; names separated by commas; "list", "none" */
	u64 ring_bytes;		/* of the kernel's ring, 0: its default */
	u64 buffer_bytes;	/* of each thread's ring, 0: default */
	u8 node_graphs;		/* the kernels of graphs, not only their launches */
	u8 nested_api;		/* also the calls that CUDA makes within calls */
	u8 no_stacks, fail_on_loss, cost, verbose;
	u8 sync;		/* to the disk, not only to the file */
	u64 duration_ns;	/* 0: to the end */
	u32 pids[RECORD_PIDS_MAX];	/* processes that run already, instead of a command */
	u32 pid_count;
	const char *cgroup;	/* or those in this cgroup (version 2), now and later */
};

/*
 * A set and what it is for. The first one keeps the map of followed tasks; without it
 * nothing of the kernel is recorded.
 */
struct record_set {
	const struct probe_set *set;
	u8 stacks;		/* takes CPU stacks: needs the library, left out by no_stacks */
	const struct probe_set *fast;	/* the same for kernels that optimise 5-byte nops, or
					 * NULL */
};

/* sets: ends with set NULL; argv: NULL with pids. Returns the exit code: the command's own
 * (128+n by signal; 0 without one), 125 the recorder failed, 126 cannot be run, 127 not found,
 * 2 usage, 3 lost records (fail_on_loss). */
int record_command(const struct record_settings *settings, const struct record_set *sets,
		   char **argv);

#endif
