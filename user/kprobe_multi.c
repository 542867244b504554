// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See kprobe_multi.h. Linux 5.18: 0dcac2725406 ("bpf: Add multi kprobe link"). */
#include <errno.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "kprobe_multi.h"

/* No address can be read at 1: EFAULT says that the kernel got as far as to look. */
int kprobe_multi_try(void)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, load, .expected_attach_type = BPF_TRACE_KPROBE_MULTI);
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	int program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "try", "Dual BSD/GPL", insns, 2,
				    &load);
	int link, err;

	if (program < 0)
		return -errno;
	opts.kprobe_multi.cnt = 1;
	opts.kprobe_multi.addrs = (const unsigned long *)1;
	link = bpf_link_create(program, 0, BPF_TRACE_KPROBE_MULTI, &opts);
	err = link < 0 ? -errno : 0;
	if (link >= 0)
		close(link);
	close(program);
	return err == -EFAULT ? 0 : err ? err : -EINVAL;
}
