// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See uprobe_multi.h. */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "uprobe_multi.h"

#define COMMAND_LINK_CREATE 28	/* BPF_LINK_CREATE */
#define FLAG_RETURN 1		/* BPF_F_UPROBE_MULTI_RETURN */

struct link_create {		/* of union bpf_attr, the part we use */
	u32 program, target, attach, flags;
	u64 path, offsets, counters, cookies;
	u32 count, multi_flags, pid, pad;
};

int uprobe_multi_link(int program, const char *path, const u64 *offsets, u32 count, bool ret)
{
	struct link_create attr = {
		.program = program, .attach = UPROBE_MULTI_ATTACH,
		.path = (unsigned long)path, .offsets = (unsigned long)offsets,
		.count = count, .multi_flags = ret ? FLAG_RETURN : 0,
	};
	int fd = syscall(SYS_bpf, COMMAND_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}

/* A directory is no file to probe: EBADF says that the kernel got as far as to look. */
int uprobe_multi_try(void)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = (enum bpf_attach_type)UPROBE_MULTI_ATTACH);
	int program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "try", "Dual BSD/GPL", insns, 2, &opts);
	u64 offset = 0;
	int link;

	if (program < 0)
		return -errno;
	link = uprobe_multi_link(program, "/", &offset, 1, false);
	if (link >= 0)
		close(link);
	close(program);
	return link == -EBADF ? 0 : link < 0 ? link : -EINVAL;
}
