/*
 * Reads of the driver's structs by the layout that was filled in before load:
 *
 *	void *entry = UVM_PTR(event_fault_entry, data);
 *	u64 addr = UVM_READ(entry_addr, entry);
 *	u32 gpu = UVM_HAS(entry_gpu) ? UVM_READ(gpu_id, UVM_PTR(entry_gpu, entry)) : proc;
 *
 * An absent field and a pointer that cannot be read give 0.
 */
#ifndef UVM_LAYOUT_BPF_H
#define UVM_LAYOUT_BPF_H

#include <bpf/bpf_helpers.h>
#include "uvm_layout.h"

const volatile struct uvm_layout uvm_layout = {};

static __always_inline u64 uvm_read(const void *base, u32 off, u8 bit, u8 bits)
{
	u64 value = 0;

	if (off == UVM_ABSENT || !bits)
		return 0;
	if (bpf_probe_read_kernel(&value, (bit + bits + 7) / 8, base + off))
		return 0;
	return value << (64 - bit - bits) >> (64 - bits);
}

#define UVM_HAS(field) (uvm_layout.field.off != UVM_ABSENT)
#define UVM_HAS_ARG(name) (uvm_layout.arg.name != UVM_ARG_ABSENT)

/* A number, bitfields too; signed ones need a cast to their own width. */
#define UVM_READ(field, base)								\
	uvm_read(base, uvm_layout.field.off, uvm_layout.field.bit, uvm_layout.field.bits)
#define UVM_PTR(field, base) ((void *)UVM_READ(field, base))
/* Where an array or a struct inside of `base` is; NULL when absent. */
#define UVM_ADDR(field, base)								\
	(UVM_HAS(field) ? (void *)(base) + uvm_layout.field.off : NULL)
/* sizeof(*to) bytes of it; 0 or an error, then *to is zeroed. */
#define UVM_READ_INTO(to, field, base)							\
	bpf_probe_read_kernel(to, sizeof(*(to)), UVM_ADDR(field, base))

/* An argument out of the six in `regs` (u64 [6]); 0 when the function has none such or keeps
 * it on the stack. */
#define UVM_ARG(name, regs) (uvm_layout.arg.name < 6 ? (regs)[uvm_layout.arg.name] : 0)

#endif
