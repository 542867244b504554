/*
 * What the headers of nvidia-uvm need of a kernel's headers in order to be laid out: for
 * vmlinux/nvidia/regen.py only. The kernel's types come from its BTF (vmlinux.h, made beside);
 * the choices below are those of distribution kernels from 5.5 on for x86-64.
 */
#include "vmlinux.h"

#define NULL ((void *)0)
#define __user
#define __iomem
#define __always_inline inline
#define DECLARE_BITMAP(name, bits) unsigned long name[BITS_TO_LONGS(bits)]
#define BITS_TO_LONGS(bits) (((bits) + 63) / 64)
#define BITS_PER_LONG 64
#define BITS_PER_BYTE 8
#define PAGE_SHIFT 12
#define PAGE_SIZE 4096UL
#define LINUX_VERSION_CODE KERNEL_VERSION(6, 1, 0)
#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + (c))
#define ilog2(n) (63 - __builtin_clzll(n))
#define const_ilog2(n) ilog2(n)
#define order_base_2(n) ((n) <= 1 ? 0 : 64 - __builtin_clzll((unsigned long long)(n) - 1))
#define BUILD_BUG_ON(condition)
#define radix_tree_root xarray		/* the kernel's own define since 4.20 */
#define radix_tree_node xa_node
#define MAX_NUMNODES 1024		/* CONFIG_NODES_SHIFT=10: Debian, Ubuntu, RHEL, SUSE */

#define CONFIG_X86_64 1
#define CONFIG_PROC_FS 1
#define CONFIG_IOMMU_SVA 1
#define CONFIG_HMM_MIRROR 1
#define CONFIG_PCI_P2PDMA 1
#ifdef WITH_HMM				/* not Debian's; Ubuntu's and RHEL's kernels */
#define CONFIG_DEVICE_PRIVATE 1
#define NV_MIGRATE_DEVICE_RANGE_PRESENT
#define NV_MAKE_DEVICE_EXCLUSIVE_RANGE_PRESENT
#define NV_MIGRATE_VMA_SETUP_PRESENT
#define NV_IS_EXPORT_SYMBOL_PRESENT_migrate_vma_setup 1
#endif
/* what the driver's build asks the kernel's headers */
#define NV_MMU_INTERVAL_NOTIFIER
#define NV_MMU_NOTIFIER_OPS_HAS_INVALIDATE_RANGE
#define NV_MMU_NOTIFIER_OPS_HAS_ARCH_INVALIDATE_SECONDARY_TLBS
#define NV_IOASID_GET_PRESENT
#define NV_MM_PASID_DROP_PRESENT
#define NV_MMGRAB_PRESENT
#define NV_STRUCT_PAGE_HAS_ZONE_DEVICE_DATA
#define NV_SG_DMA_PAGE_ITER_PRESENT
#define NV_USLEEP_RANGE_PRESENT
#define NV_RADIX_TREE_REPLACE_SLOT_PRESENT
#define NV_RADIX_TREE_REPLACE_SLOT_ARGUMENT_COUNT 3
#define NV_WAIT_ON_BIT_LOCK_ARGUMENT_COUNT 3
