// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Two names of one site, so two sets: see bpf/handover.h. */
#include "sets.h"
#include "stack.skel.h"

#define ABOUT "the CPU stack of each CUDA call"

TOOL_SKEL(stack_bpf);

static const struct probe_row api_enter[] = {
	USDT(stack_bpf, api_enter, "libgpuscope-cuda.so", "gpuscope:api_enter"), {}
};
static const struct probe_row api_enter5[] = {
	USDT(stack_bpf, api_enter, "libgpuscope-cuda.so", "gpuscope:api_enter5"), {}
};

const struct probe_set set_stack = { "stack", ABOUT, &stack_bpf_ops, api_enter };
const struct probe_set set_stack5 = { "stack", ABOUT, &stack_bpf_ops, api_enter5 };
