// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Hits of probes whose program the kernel left out. A program of a trampoline or of a raw
 * tracepoint does not run while it runs on that CPU already; where the kernel can preempt it
 * (6.12 and later mostly) that is any other task that comes there, and what it would have
 * recorded is missing. The kernel counts it for each program, since 5.12. 7.2 runs those of
 * system calls' tracepoints so too (bpf_prog_run_array_sleepable()): there 0.3 to 0.8 % of
 * the calls of the ioctl fallback were left out in an emulated guest, where a run takes 20 to
 * 40 us; other programs of the recorder none.
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
