// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sets.h"
#include "fault.skel.h"

TOOL_SKEL(fault_bpf);

const struct probe_set set_fault = {
	.name = "fault",
	.about = "page faults in user mode, with address",
	.skel = &fault_bpf_ops,
};
