// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sets.h"
#include "follow.skel.h"

TOOL_SKEL(follow_bpf);

const struct probe_set set_follow = {
	.name = "follow",
	.about = "processes and threads: fork, exec, exit, names (always on)",
	.skel = &follow_bpf_ops,
};
