/*
 * What we read of the kernel's own structs for unified memory, by CO-RE. The members stand in
 * local flavours, so that vmlinux.h need not hold the whole of vm_area_struct and pci_dev.
 */
#ifndef UVM_KERNEL_BPF_H
#define UVM_KERNEL_BPF_H

#include "event.h"
#include <bpf/bpf_core_read.h>

#ifdef __bpf__
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
#endif
struct kobject___uvm { const char *name; };
struct device___uvm { struct kobject___uvm kobj; };
struct pci_dev___uvm { struct device___uvm dev; };
struct rb_node___uvm { void *rb_left; };
struct rb_root___uvm { struct rb_node___uvm *rb_node; };
struct rb_root_cached___uvm { struct rb_root___uvm rb_root; };
struct address_space___uvm { struct rb_root_cached___uvm i_mmap; };
struct file___uvm { struct address_space___uvm *f_mapping; };
struct vm_area_shared___uvm { struct rb_node___uvm rb; };
struct vm_area_struct___uvm {
	struct mm_struct *vm_mm;
	struct file___uvm *vm_file;
	struct vm_area_shared___uvm shared;
};
#ifdef __bpf__
#pragma clang attribute pop
#endif

/*
 * The memory that maps a file's pages: of the first mapping in its tree. nvidia-uvm.ko gives
 * each VA space an address_space of its own, so this is its process's. The tree is read without
 * its lock: what is found must say itself that it belongs to it.
 */
static __always_inline struct mm_struct *mapping_mm(struct address_space___uvm *mapping)
{
	struct vm_area_struct___uvm *vma = NULL;
	struct rb_node___uvm *node;

	node = mapping ? BPF_CORE_READ(mapping, i_mmap.rb_root.rb_node) : NULL;
	if (!node)
		return NULL;
	vma = (void *)node - bpf_core_field_offset(vma->shared.rb);
	if (BPF_CORE_READ(vma, vm_file, f_mapping) != mapping)
		return NULL;
	return BPF_CORE_READ(vma, vm_mm);
}

static __always_inline struct task_struct *mm_owner(struct mm_struct *mm)
{
	if (!mm || !bpf_core_field_exists(mm->owner))	/* CONFIG_MEMCG */
		return NULL;
	return BPF_CORE_READ(mm, owner);
}

#define PCI_NAME_LEN 16		/* "0000:40:00.0"; domains may have more digits */

/* "DDDD:BB:dd.f", in hex: domain << 16 | bus << 8 | device << 3 | function; 0 unreadable. */
static __always_inline u64 pci_address(struct pci_dev___uvm *pci)
{
	u64 part = 0, all = 0;
	char text[PCI_NAME_LEN] = {};

	if (!pci || bpf_probe_read_kernel_str(text, sizeof(text),
					      BPF_CORE_READ(pci, dev.kobj.name)) < 0)
		return 0;
	for (u32 i = 0; i < PCI_NAME_LEN; i++) {
		char c = text[i];

		if (c >= '0' && c <= '9') {
			part = part << 4 | (c - '0');
		} else if (c >= 'a' && c <= 'f') {
			part = part << 4 | (c - 'a' + 10);
		} else {	/* ':' before bus and device, '.' before the function */
			all = c == '.' ? all << 5 | (part & 31) : all << 8 | part;
			part = 0;
			if (!c)
				return (all >> 8) << 3 | (all & 7);
		}
	}
	return 0;
}

#endif
