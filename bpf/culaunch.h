/* One record per finished kernel launch seen at the driver API, without CUPTI. */
#ifndef CULAUNCH_H
#define CULAUNCH_H

#include "event.h"

enum launch_api { LAUNCH_KERNEL = 1, LAUNCH_KERNEL_EX = 2, LAUNCH_COOPERATIVE = 3,
		  LAUNCH_GRAPH = 4 };

struct launch {
	struct event e;
	u64 dur_ns;		/* time the caller spent inside the driver */
	u64 func;		/* CUfunction handle (CUgraphExec for a graph) */
	u64 stream;		/* CUstream handle */
	u32 name;		/* NAME_KERNEL of producer 0, 0: not learnt */
	u32 grid[3];
	u32 block[3];
	u32 shared_bytes;	/* dynamic */
	s32 result;		/* CUresult, 0 success */
	u32 api;		/* enum launch_api */
};
_Static_assert(sizeof(struct launch) == 88, "launch: files depend on this layout");

#endif
