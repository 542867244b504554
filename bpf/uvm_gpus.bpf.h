/* Says which GPU a processor id of UVM's is (struct uvm_gpu) before it is first used, and
 * whether the user asked for it. */
#ifndef UVM_GPUS_BPF_H
#define UVM_GPUS_BPF_H

#include "emit.bpf.h"
#include "uvm.h"
#include "uvm_kernel.bpf.h"
#include "uvm_layout.bpf.h"

#define UVM_GPUS_MAX 256	/* 32 boards of 8 slices */
#define UVM_SLICES 8		/* UVM_PARENT_ID_MAX_SUB_PROCESSORS, 535..595 */

/* --gpu: one of the three; all off: every GPU. */
const volatile u32 only_gpu = 0;	/* UVM's id */
const volatile u64 only_pci = ~0ULL;	/* domain << 16 | bus << 8 | device << 3 | function */
const volatile bool only_uuid = false;
const volatile u64 gpu_uuid[2] = {};

struct uvm_gpu_known {
	u64 gpu;		/* uvm_gpu_t *: a GPU registered anew may get another id */
	u32 wanted;
	u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, UVM_GPUS_MAX);
	__type(key, u32);	/* processor id */
	__type(value, struct uvm_gpu_known);
} uvm_gpus SEC(".maps");

static __always_inline bool uvm_gpus_filtered(void)
{
	return only_gpu || only_pci != ~0ULL || only_uuid;
}

static __always_inline bool uvm_gpu_asked(u32 id, u64 pci, const u64 *uuid)
{
	if (only_gpu)
		return id == only_gpu;
	if (only_pci != ~0ULL)
		return pci == only_pci;
	return !only_uuid || (uuid[0] == gpu_uuid[0] && uuid[1] == gpu_uuid[1]);
}

static __noinline void uvm_gpu_define(u32 id, void *gpu)
{
	struct uvm_gpu_known known = { .gpu = (u64)gpu };
	void *parent = UVM_PTR(gpu_parent, gpu);
	struct uvm_gpu *r;
	u64 uuid[2] = {};
	u64 pci = pci_address(UVM_PTR(parent_pci, parent));

	UVM_READ_INTO(&uuid, gpu_uuid, gpu);
	known.wanted = uvm_gpu_asked(id, pci, uuid);
	if (bpf_map_update_elem(&uvm_gpus, &id, &known, BPF_ANY))
		emit_lost_map();
	r = emit_begin(sizeof(*r), EVENT_UVM_GPU);
	if (!r)
		return;
	r->e.pid = 0;
	r->e.tid = 0;
	r->gpu = id;
	r->pci_domain = pci >> 16;
	r->pci_bus = pci >> 8;
	r->pci_device = pci >> 3 & 31;
	r->pci_function = pci & 7;
	__builtin_memset(r->pad, 0, sizeof(r->pad));
	__builtin_memcpy(r->uuid, uuid, sizeof(r->uuid));
	__builtin_memset(r->name, 0, sizeof(r->name));
	bpf_probe_read_kernel_str(r->name, sizeof(r->name), UVM_ADDR(parent_product, parent));
	emit_end(r);
}

/* Returns its id; 0: there is none (the pointer could not be read). */
static __always_inline u32 uvm_gpu_tell(void *gpu)
{
	u32 id = gpu ? UVM_READ(gpu_id, gpu) : 0;
	struct uvm_gpu_known *known;

	if (!id)
		return 0;
	known = bpf_map_lookup_elem(&uvm_gpus, &id);
	if (!known || known->gpu != (u64)gpu)
		uvm_gpu_define(id, gpu);
	return id;
}

/* A processor met only by its id: looked up in its VA space, where the driver keeps a table
 * (until 565), or behind the push that copies. */
static __always_inline void uvm_gpu_tell_id(u32 id, u64 space, void *push)
{
	void *gpu = NULL;

	if (!id || bpf_map_lookup_elem(&uvm_gpus, &id))
		return;
	if (UVM_HAS(space_gpus) && id <= UVM_GPUS_MAX)
		bpf_probe_read_kernel(&gpu, sizeof(gpu),
				      UVM_ADDR(space_gpus, space) + 8 * (id - 1));
	if (!gpu && push)
		gpu = UVM_PTR(push_gpu, push);
	if (gpu && UVM_READ(gpu_id, gpu) == id)
		uvm_gpu_define(id, gpu);
}

/* The GPU that stands for a board: its only one, or its first slice. */
static __always_inline u32 uvm_board_gpu(void *parent)
{
	u32 id = UVM_READ(parent_id, parent);

	/* without slices in the driver's ids (before 545) both count alike */
	return id && UVM_HAS(parent_gpus) ? (id - 1) * UVM_SLICES + 1 : id;
}

static __always_inline bool uvm_gpu_wanted(u32 id)
{
	struct uvm_gpu_known *known;

	if (!uvm_gpus_filtered())
		return true;
	known = bpf_map_lookup_elem(&uvm_gpus, &id);
	return known && known->wanted;
}

#endif
