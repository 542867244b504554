// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sets.h"
#include "ioctl.skel.h"

TOOL_SKEL(ioctl_bpf);

const struct probe_set set_ioctl = {
	.name = "ioctl",
	.about = "ioctl calls on character devices other than terminals: the driver",
	.skel = &ioctl_bpf_ops,
};
