/* What this machine knows of the GPU and of the process of an error. */
#ifndef XID_HOST_H
#define XID_HOST_H

#include "xid.h"

struct xid_gpu {
	s32 index;		/* by PCI address, as nvidia-smi counts; -1 unknown */
	s32 minor;		/* /dev/nvidiaN, -1 unknown */
	char uuid[48], model[64];
};

/* Fills what is known: from /proc/driver/nvidia when the error is of this machine (`here`),
 * else from what the log said. */
void xid_gpu(struct xid_gpu *g, const struct xid *x, bool here);

/* What "NVRM: GPU at PCI:0000:3b:00: GPU-..." of a log says. */
void xid_learn_uuid(const char *line);

struct xid_process {
	u64 cgroup_id;		/* version 2, 0 unknown */
	char cgroup[256];
	char comm[COMM_LEN];
};

/* Of the process that had this id at that time (CLOCK_MONOTONIC): nothing when it has exited,
 * also when its id is another's by now. */
void xid_process(struct xid_process *p, u32 pid, u64 ts);

#endif
