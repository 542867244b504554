// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A program that comes to its own tracepoint: it reads where nothing is, and that fault of the
 * kernel is left out, for the program runs on this CPU already. */
#include "emit.bpf.h"
#include "kinds.h"
#include <bpf/bpf_tracing.h>

#define NOWHERE 8

SEC("tp_btf/page_fault_kernel")
int BPF_PROG(on_fault, unsigned long address)
{
	struct hit *h = emit_begin(sizeof(*h), EVENT_HIT);
	u64 nothing;

	if (!h)
		return 0;
	__builtin_memset((void *)h + sizeof(h->e), 0, sizeof(*h) - sizeof(h->e));
	h->value = address;
	emit_end(h);
	bpf_probe_read_user(&nothing, sizeof(nothing), (void *)NOWHERE);
	return 0;
}
