/* The time in front of a line of a log, in every form that the kernel's log is kept in. */
#ifndef XID_STAMP_H
#define XID_STAMP_H

#include <time.h>
#include "types.h"

struct xid_stamp {
	u64 realtime_ns;	/* CLOCK_REALTIME, 0 unknown */
	u64 boot_ns;		/* since boot, 0 unknown */
	bool written;		/* its facility says that a process wrote it */
};

/*
 * Reads what stands in front of `line` and returns what is behind it (a host name and "kernel:"
 * may follow). `now`: when the log was written last, for stamps without a year. Stamps without
 * a zone are in the local one.
 */
const char *xid_stamp(const char *line, time_t now, struct xid_stamp *s);

#endif
