// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory of the software GPU: areas that the driver asks of the resource
 * manager, chunks of video memory, and the walk through the page tables that
 * the driver wrote for an address space.
 */
#include <linux/io.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "fakerm.h"

/* Memory for channels, semaphores and the like, by GPU virtual address. */
struct area {
	struct list_head link;
	u64 va, size;
	u8 *cpu;
	u32 users;		/* address spaces; all see it at the same address */
};

static LIST_HEAD(areas);
static DEFINE_SPINLOCK(areas_lock);
static u64 next_va = 0x100000000ull;

u8 *area_at(u64 va)
{
	struct area *a;
	u8 *p = NULL;

	spin_lock(&areas_lock);
	list_for_each_entry(a, &areas, link)
		if (va >= a->va && va < a->va + a->size)
			p = a->cpu + (va - a->va);
	spin_unlock(&areas_lock);
	return p;
}

u64 areas_left(void)
{
	struct area *a;
	u64 n = 0;

	list_for_each_entry(a, &areas, link)
		n += a->size;
	return n;
}

void areas_from(u64 va)
{
	spin_lock(&areas_lock);
	if (next_va < va)
		next_va = va;
	spin_unlock(&areas_lock);
}

static NV_STATUS area_new(u64 size, u64 align, UvmGpuPointer *va)
{
	struct area *a = kzalloc(sizeof(*a), GFP_KERNEL);

	if (!a)
		return NV_ERR_NO_MEMORY;
	size = PAGE_ALIGN(size);
	a->cpu = vzalloc(size);
	if (!a->cpu) {
		kfree(a);
		return NV_ERR_NO_MEMORY;
	}
	spin_lock(&areas_lock);
	a->size = size;
	a->users = 1;
	a->va = ALIGN(next_va, max_t(u64, align, SZ2M));
	next_va = a->va + ALIGN(size, SZ2M);
	list_add(&a->link, &areas);
	spin_unlock(&areas_lock);
	*va = a->va;
	return NV_OK;
}

NV_STATUS nvUvmInterfaceMemoryAllocFB(uvmGpuAddressSpaceHandle h, NvLength n, UvmGpuPointer *va,
				      UvmGpuAllocInfo *i)
{
	return area_new(n, i ? i->alignment : 0, va);
}
NVX(nvUvmInterfaceMemoryAllocFB);

NV_STATUS nvUvmInterfaceMemoryAllocSys(uvmGpuAddressSpaceHandle h, NvLength n,
				       UvmGpuPointer *va,
				       UvmGpuAllocInfo *i)
{
	return area_new(n, i ? i->alignment : 0, va);
}
NVX(nvUvmInterfaceMemoryAllocSys);

static struct area *area_find(u64 va)
{
	struct area *a;

	list_for_each_entry(a, &areas, link)
		if (a->va == va)
			return a;
	return NULL;
}

/* One GPU's memory in the address space of another. */
NV_STATUS nvUvmInterfaceDupAllocation(uvmGpuAddressSpaceHandle src, NvU64 va,
				      uvmGpuAddressSpaceHandle dst, NvU64 align, NvU64 *dst_va)
{
	struct area *a;

	spin_lock(&areas_lock);
	a = area_find(va);
	if (a)
		a->users++;
	spin_unlock(&areas_lock);
	*dst_va = va;
	return a ? NV_OK : NV_ERR_INVALID_ADDRESS;
}
NVX(nvUvmInterfaceDupAllocation);

void nvUvmInterfaceMemoryFree(uvmGpuAddressSpaceHandle h, UvmGpuPointer va)
{
	struct area *found;

	spin_lock(&areas_lock);
	found = area_find(va);
	if (found && --found->users)
		found = NULL;
	if (found)
		list_del(&found->link);
	spin_unlock(&areas_lock);
	if (!found)
		return;
	vfree(found->cpu);
	kfree(found);
}
NVX(nvUvmInterfaceMemoryFree);

NV_STATUS nvUvmInterfaceMemoryCpuMap(uvmGpuAddressSpaceHandle h, UvmGpuPointer va, NvLength n,
				     void **cpu, NvU64 page_size)
{
	*cpu = area_at(va);
	return *cpu ? NV_OK : NV_ERR_INVALID_ADDRESS;
}
NVX(nvUvmInterfaceMemoryCpuMap);

void nvUvmInterfaceMemoryCpuUnMap(uvmGpuAddressSpaceHandle h, void *p)
{
}
NVX(nvUvmInterfaceMemoryCpuUnMap);

/* Video memory goes to the driver in chunks of 2 MiB. */

NV_STATUS nvUvmInterfaceGetPmaObject(uvmGpuDeviceHandle d, void **pma,
				     const UvmPmaStatistics **s)
{
	struct gpu *gpu = (void *)d;

	*pma = gpu;
	*s = &gpu->pma;
	return NV_OK;
}
NVX(nvUvmInterfaceGetPmaObject);

NV_STATUS nvUvmInterfacePmaRegisterEvictionCallbacks(void *pma, uvmPmaEvictPagesCallback pages,
						     uvmPmaEvictRangeCallback range, void *data)
{
	return NV_OK;
}
NVX(nvUvmInterfacePmaRegisterEvictionCallbacks);

void nvUvmInterfacePmaUnregisterEvictionCallbacks(void *pma)
{
}
NVX(nvUvmInterfacePmaUnregisterEvictionCallbacks);

static void pma_put(struct gpu *gpu, const NvU64 *pages, NvLength n)
{
	while (n--) {
		clear_bit(pages[n] / SZ2M, gpu->pma_used);
		gpu->pma.numFreePages2m++;
	}
}

NV_STATUS nvUvmInterfacePmaAllocPages(void *pma, NvLength n, NvU64 size,
				      UvmPmaAllocationOptions *o,
				      NvU64 *pages)
{
	struct gpu *gpu = pma;
	unsigned long total = gpu->vid_size / SZ2M, i, bit;
	NV_STATUS status = NV_OK;

	mutex_lock(&gpu->pma_lock);
	for (i = 0; i < n; i++) {
		bit = find_first_zero_bit(gpu->pma_used, total);
		if (bit >= total)
			break;
		set_bit(bit, gpu->pma_used);
		gpu->pma.numFreePages2m--;
		pages[i] = bit * SZ2M;
	}
	if (i < n && !(o->flags & UVM_PMA_ALLOCATE_ALLOW_PARTIAL && i)) {
		pma_put(gpu, pages, i);
		status = NV_ERR_NO_MEMORY;
	} else {
		o->numPagesAllocated = i;
		o->resultFlags = 0;
	}
	mutex_unlock(&gpu->pma_lock);
	return status;
}
NVX(nvUvmInterfacePmaAllocPages);

NV_STATUS nvUvmInterfacePmaPinPages(void *pma, NvU64 *pages, NvLength n, NvU64 size,
				    NvU32 flags)
{
	return NV_OK;
}
NVX(nvUvmInterfacePmaPinPages);

void nvUvmInterfacePmaFreePages(void *pma, NvU64 *pages, NvLength n, NvU64 size, NvU32 flags)
{
	struct gpu *gpu = pma;

	mutex_lock(&gpu->pma_lock);
	pma_put(gpu, pages, n);
	mutex_unlock(&gpu->pma_lock);
}
NVX(nvUvmInterfacePmaFreePages);

/* The machine's memory as the GPU sees it: by DMA address, which here is the physical one. */
u8 *gpu_phys(struct gpu *gpu, u32 aperture, u32 peer, u64 pa)
{
	if (aperture == FAKERM_PEER) {
		if (peer >= gpu_count)
			return NULL;
		gpu = &gpus[peer];
	}
	if (aperture <= FAKERM_PEER)
		return pa < gpu->vid_size ? gpu->vid + pa : NULL;
	return pfn_valid(pa >> PAGE_SHIFT) ? phys_to_virt(pa) : NULL;
}

#define FIELD(x, high, low) (((x) >> (low)) & ((1ull << ((high) - (low) + 1)) - 1))

/* The table that a directory entry points to; shift: its address field's unit. */
static u8 *table_at(struct gpu *gpu, u64 entry, u32 low, u32 shift)
{
	u32 aperture = FIELD(entry, 2, 1);

	if (!aperture)
		return NULL;
	if (aperture == 1)
		return gpu_phys(gpu, FAKERM_VID, 0, FIELD(entry, 32, low) << shift);
	return gpu_phys(gpu, FAKERM_SYS, 0, FIELD(entry, 53, low) << shift);
}

static bool leaf_of(u64 pte, u64 va, u64 page, struct leaf *leaf)
{
	leaf->page = page;
	if (!(pte & 1))
		return false;
	leaf->aperture = FIELD(pte, 2, 1);
	leaf->peer = FIELD(pte, 35, 33);
	leaf->pa = FIELD(pte, leaf->aperture >= FAKERM_SYS ? 53 : 32, 8) << 12;
	leaf->pa += va & (page - 1);
	leaf->writable = (FIELD(pte, 6, 6) ? 0 : 1) | (FIELD(pte, 7, 7) ? 0 : 2);
	return true;
}

/*
 * Five levels, of bits 48:47, 46:38, 37:29, 28:21, and 20:16 or 20:12. The
 * fourth has two halves, for a table of 64 KiB pages and one of 4 KiB pages, or
 * is itself an entry of 2 MiB.
 */
bool gpu_walk(struct space *space, u64 va, struct leaf *leaf)
{
	static const u8 low[] = { 47, 38, 29 }, bits[] = { 2, 9, 9 };
	struct gpu *gpu = space->gpu;
	u8 *table;
	u64 *e;
	int i;

	leaf->aperture = FAKERM_UNMAPPED;
	leaf->page = SZ2M;
	if (!space->pdb_set)
		return false;
	table = gpu_phys(gpu, space->pdb_vid ? FAKERM_VID : FAKERM_SYS, 0, space->pdb);
	for (i = 0; table && i < 3; i++) {
		leaf->page = 1ull << low[i];
		table = table_at(gpu, READ_ONCE(((u64 *)table)[FIELD(va, low[i] + bits[i] - 1,
								     low[i])]), 8, 12);
	}
	if (!table)
		return false;
	e = (u64 *)table + 2 * FIELD(va, 28, 21);
	if (READ_ONCE(e[0]) & 1)
		return leaf_of(e[0], va, SZ2M, leaf);
	leaf->page = SZ2M;
	table = table_at(gpu, READ_ONCE(e[0]), 4, 8);
	if (table && leaf_of(((u64 *)table)[FIELD(va, 20, 16)], va, 1 << 16, leaf))
		return true;
	table = table_at(gpu, READ_ONCE(e[1]), 8, 12);
	return table && leaf_of(((u64 *)table)[FIELD(va, 20, 12)], va, 1 << 12, leaf);
}

/* Where an access goes, and how far it may go on; NULL: it would fault. */
u8 *gpu_virt(struct space *space, u64 va, u32 access, u64 *left)
{
	struct leaf leaf;

	if (!gpu_walk(space, va, &leaf))
		return NULL;
	if (access == FAKERM_WRITE && !(leaf.writable & 1))
		return NULL;
	if ((access == FAKERM_ATOMIC || access == FAKERM_ATOMIC_WEAK) && leaf.writable != 3)
		return NULL;
	*left = leaf.page - (va & (leaf.page - 1));
	return gpu_phys(space->gpu, leaf.aperture, leaf.peer, leaf.pa);
}
