/* Where the arguments of a function lie when it is entered, user code and kernel alike. */
#ifndef REGS_BPF_H
#define REGS_BPF_H

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#ifdef __TARGET_ARCH_arm64
#define CALL_REGS 8		/* arguments in registers; a call leaves the stack as it is */
#define CALL_PUSH 0
#define CALL_REG(ctx, n) (__PT_REGS_CAST(ctx)->regs[n])
#else
#define CALL_REGS 6
#define CALL_PUSH 8		/* the return address */
#define CALL_REG(ctx, n) ((n) == 0 ? (ctx)->di : (n) == 1 ? (ctx)->si : (n) == 2 ? (ctx)->dx : \
			  (n) == 3 ? (ctx)->cx : (n) == 4 ? (ctx)->r8 : (ctx)->r9)
#endif

#endif
