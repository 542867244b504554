// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See uprobe_multi.h. */
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "calibrate.h"
#include "uprobe_multi.h"

#define COMMAND_LINK_CREATE 28	/* BPF_LINK_CREATE */
#define FLAG_RETURN 1		/* BPF_F_UPROBE_MULTI_RETURN */

struct link_create {		/* of union bpf_attr, the part we use */
	u32 program, target, attach, flags;
	u64 path, offsets, counters, cookies;
	u32 count, multi_flags, pid, pad;
};

int uprobe_multi_link(int program, const char *path, const u64 *offsets, u32 count, bool ret,
		      u32 pid)
{
	struct link_create attr = {
		.program = program, .attach = UPROBE_MULTI_ATTACH,
		.path = (unsigned long)path, .offsets = (unsigned long)offsets,
		.count = count, .multi_flags = ret ? FLAG_RETURN : 0, .pid = pid,
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
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = (enum bpf_attach_type)UPROBE_MULTI_ATTACH);
	int program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "try", "Dual BSD/GPL", insns, 2,
				    &opts);
	u64 offset = 0;
	int link;

	if (program < 0)
		return -errno;
	link = uprobe_multi_link(program, "/", &offset, 1, false, 0);
	if (link >= 0)
		close(link);
	close(program);
	return link == -EBADF ? 0 : link < 0 ? link : -EINVAL;
}

/* A program that adds one to the only value of the map. */
static int counting_program(int map)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_MAP_VALUE, .imm = map },
		{},
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = 1 },
		{ .code = BPF_STX | BPF_DW | BPF_ATOMIC, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_2, .imm = BPF_ADD },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = (enum bpf_attach_type)UPROBE_MULTI_ATTACH);

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "count", "Dual BSD/GPL", insns,
			     sizeof(insns) / sizeof(*insns), &opts);
}

static void *call_once(void *ctx)
{
	calibrate_saves();
	return ctx;
}

bool uprobe_multi_by_process(void)
{
	int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "count", 4, 8, 1, NULL), link = -1;
	int program = map < 0 ? -1 : counting_program(map);
	u64 offset, hits = 0;
	pthread_t thread;
	u32 key = 0;

	if (program >= 0 && !calibrate_offset(calibrate_saves, &offset))
		link = uprobe_multi_link(program, "/proc/self/exe", &offset, 1, false,
					 getpid());
	if (link >= 0 && !pthread_create(&thread, NULL, call_once, NULL)) {
		pthread_join(thread, NULL);
		bpf_map_lookup_elem(map, &key, &hits);
	}
	if (link >= 0)
		close(link);
	if (program >= 0)
		close(program);
	if (map >= 0)
		close(map);
	return hits == 1;
}
