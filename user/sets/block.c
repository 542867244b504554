// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sets.h"
#include "block.skel.h"

TOOL_SKEL(block_bpf);

const struct probe_set set_block = {
	.name = "block",
	.about = "block I/O, from issue to completion",
	.skel = &block_bpf_ops,
};
