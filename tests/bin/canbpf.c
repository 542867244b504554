// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Exit 0 when this machine lets this user load a BPF program: the tests ask before they
 * begin. */
#include <bpf/bpf.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>

int main(void)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "can", "GPL", insns, 2, NULL);

	if (fd < 0)
		fprintf(stderr, "canbpf: cannot load a BPF program: %s\n", strerror(errno));
	return fd < 0;
}
