/*
 * A program on user code can be preempted, and the next task that comes there on that CPU runs
 * it too. From 6.13 on the kernel gives a program of this type that needs 64 bytes of stack a
 * stack of the CPU, as if it were on a kprobe, where nothing runs it twice at once: the two
 * tasks then share their variables (7.2: up to 17 of 9790 calls came with the arguments of
 * another thread). A tail call anywhere in a program keeps it on its task's own stack; this
 * one never happens, and the verifier takes it out.
 */
#ifndef STACK_OWN_BPF_H
#define STACK_OWN_BPF_H

#include "types.h"
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} no_programs SEC(".maps");

const volatile bool tail_calls = false;

/* Somewhere in each program on user code. */
static __always_inline void stack_own(void *ctx)
{
	if (tail_calls)
		bpf_tail_call(ctx, &no_programs, 0);
}

#endif
