// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sets.h"
#include "sched.skel.h"

TOOL_SKEL(sched_bpf);

const struct probe_set set_sched = {
	.name = "sched",
	.about = "when threads run, wait and are woken, and by whom",
	.skel = &sched_bpf_ops,
};
