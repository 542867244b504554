// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Page faults that followed threads take in user mode: instants, with address and code. */
#include "emit.bpf.h"
#include "host.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

SEC("tp_btf/page_fault_user")
int BPF_PROG(page_fault, unsigned long addr, struct pt_regs *regs, unsigned long code)
{
	struct fault *f;

	if (!is_followed(bpf_get_current_pid_tgid() >> 32))
		return 0;
	f = emit_begin(sizeof(*f), EVENT_FAULT);
	if (!f)
		return 0;
	f->addr = addr;
	f->ip = PT_REGS_IP_CORE(regs);
	f->code = code;
	f->pad = 0;
	emit_end(f);
	return 0;
}
