// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* culaunch: CUDA launches as they happen, seen at the driver API of any running process. */
#include "tool.h"
#include "sets/sets.h"
#include "culaunch.h"
#include "culaunch.skel.h"

static const struct option_row options[] = {
	OPT_CONST_NS(culaunch_bpf, min_ns, 'm', "min", "TIME",
		     "only calls at least this long (100us)"),
	OPT_CONST_SWITCH(culaunch_bpf, only_failed, 'f', "failed", "only calls that failed"),
	{}
};

static const struct enum_name apis[] = {
	{ LAUNCH_KERNEL, "cuLaunchKernel" }, { LAUNCH_KERNEL_EX, "cuLaunchKernelEx" },
	{ LAUNCH_COOPERATIVE, "cuLaunchCooperativeKernel" }, { LAUNCH_GRAPH, "cuGraphLaunch" },
	{}
};

static const struct column columns[] = {
	COL_TIME, COL_PID, COL_TID, COL_COMM,
	COL(launch, dur_ns, "LAT(us)", 9, AS_US),
	COL(launch, api, "CALL", -16, AS_ENUM, apis),
	COL(launch, grid, "GRID", 12, AS_DIMS),
	COL(launch, block, "BLOCK", 12, AS_DIMS),
	COL(launch, shared_bytes, "SHARED", 8, AS_DEC),
	COL(launch, stream, "STREAM", 14, AS_HEX),
	COL(launch, func, "FUNC", 14, AS_HEX),
	COL(launch, result, "RESULT", -6, AS_CURESULT),
	COL(launch, name, "KERNEL", -1, AS_NAME),
	{}
};

int main(int argc, char **argv)
{
	static const struct tool culaunch = {
		.name = "culaunch",
		.about = "CUDA launches as they happen: who, which kernel, how long the call held the CPU",
		.examples = "  culaunch                    launches of every process\n"
			    "  culaunch -p 181 -m 100us    of process 181, calls of 100 us and more\n"
			    "  culaunch -f                 only launches that failed\n"
			    "  culaunch -d 10s -o t.gst    record 10 seconds; culaunch -i t.gst prints them\n",
		.set = &set_culaunch,
		.kind = EVENT_LAUNCH,
		.options = options,
		.columns = columns,
	};

	return tool_main(&culaunch, argc, argv);
}
