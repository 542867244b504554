// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Hits of probes whose program the kernel left out. A program of a trampoline or of a raw
 * tracepoint does not run while it runs on that CPU already; where the kernel can preempt it
 * (6.12 and later mostly) that is any other task that comes there, and what it would have
 * recorded is missing. The kernel counts it for each program, since 5.12.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "probe.h"

u64 probe_missed(struct probe_object *o)
{
	struct bpf_program *prog;
	u64 missed = 0;

	bpf_object__for_each_program(prog, probe_bpf(o)) {
		struct bpf_prog_info info = {};
		u32 size = sizeof(info);
		int fd = bpf_program__fd(prog);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &size))
			missed += info.recursion_misses;
	}
	return missed;
}
