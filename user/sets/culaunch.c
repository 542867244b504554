// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sets.h"
#include "culaunch.skel.h"

#define CUDA "libcuda.so.1"

TOOL_SKEL(culaunch_bpf);

/* The entry stands before the return (bpf/call.bpf.h). */
#define PAIR(prog, func)							\
	UPROBE(culaunch_bpf, prog##_enter, CUDA, func),				\
	URETPROBE(culaunch_bpf, prog##_exit, CUDA, func)
#define PAIR_OPT(prog, func)							\
	UPROBE_OPT(culaunch_bpf, prog##_enter, CUDA, func),			\
	URETPROBE_OPT(culaunch_bpf, prog##_exit, CUDA, func)

static const struct probe_row probes[] = {
	PAIR_OPT(get_function, "cuModuleGetFunction"),
	PAIR_OPT(get_function, "cuLibraryGetKernel"),
	PAIR_OPT(kernel_function, "cuKernelGetFunction"),
	PAIR_OPT(get_name, "cuFuncGetName"),
	PAIR_OPT(get_name, "cuKernelGetName"),
	PAIR(launch, "cuLaunchKernel"),
	PAIR_OPT(launch, "cuLaunchKernel_ptsz"),
	PAIR_OPT(launch_ex, "cuLaunchKernelEx"),
	PAIR_OPT(launch_ex, "cuLaunchKernelEx_ptsz"),
	PAIR_OPT(cooperative, "cuLaunchCooperativeKernel"),
	PAIR_OPT(cooperative, "cuLaunchCooperativeKernel_ptsz"),
	PAIR_OPT(graph, "cuGraphLaunch"),
	PAIR_OPT(graph, "cuGraphLaunch_ptsz"),
	{}
};

const struct probe_set set_culaunch = {
	.name = "culaunch",
	.about = "CUDA launches at the driver API",
	.skel = &culaunch_bpf_ops,
	.probes = probes,
};
