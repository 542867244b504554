// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A program for every type of row about functions of the kernel; each says that it ran, and
 * with what (tests/vm/probetarget). */
#include "emit.bpf.h"
#include "kinds.h"
#include <bpf/bpf_tracing.h>

const volatile bool of_owner = false;	/* --owner: the parent is who it is about */

static __always_inline int say(u32 what, u64 value)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct hit *h;

	task = BPF_CORE_READ(task, real_parent);
	if (of_owner ? !wanted_task(task) : !wanted())
		return 0;
	h = emit_begin(sizeof(*h), EVENT_HIT);
	if (!h)
		return 0;
	if (of_owner)
		h->e.pid = BPF_CORE_READ(task, tgid);
	h->value = value;
	h->stack = 0;
	h->slots[0] = h->slots[1] = h->slots[2] = h->slots[3] = 0;
	h->what = what;
	h->pad = 0;
	emit_end(h);
	return 0;
}

SEC("fentry")
int BPF_PROG(on_fentry, u64 n)
{
	return say(HIT_FENTRY, n);
}

SEC("fexit")
int BPF_PROG(on_fexit, u64 n, u64 twice, u64 result)
{
	return say(HIT_FEXIT, result);
}

SEC("fentry")	/* of a function that is nowhere */
int BPF_PROG(on_fentry_nowhere, u64 n)
{
	return say(HIT_NEVER, n);
}

SEC("fentry")	/* of a function that another module has, too */
int BPF_PROG(on_fentry_twin, u64 n)
{
	return say(HIT_NEVER, n);
}

SEC("fentry")	/* asks for more arguments than there are: no verifier takes it */
int BPF_PROG(on_fentry_many, u64 n, u64 twice, u64 more, u64 and_more)
{
	return say(HIT_NEVER, and_more);
}

SEC("kprobe")
int BPF_KPROBE(on_kprobe, u64 n)
{
	return say(HIT_KPROBE, n);
}

SEC("kretprobe")
int BPF_KRETPROBE(on_kretprobe, u64 result)
{
	return say(HIT_KRETPROBE, result);
}

SEC("kprobe")
int BPF_KPROBE(on_other, u64 n)
{
	return say(HIT_OTHER, n);
}

SEC("kprobe.multi")
int BPF_KPROBE(on_multi, u64 n)
{
	return say(HIT_MULTI, n);
}

SEC("kretprobe.multi")
int BPF_KRETPROBE(on_multi_ret, u64 result)
{
	return say(HIT_MULTI_RET, result);
}
