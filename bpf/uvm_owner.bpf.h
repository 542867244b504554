/*
 * Whose memory it is: VA space -> mm -> owner, right for what kernel threads serve. Where that
 * chain has a gap (a driver without an mm in its VA space, a process that is being torn down),
 * the mapping of the VA space's file and then what was last known of the VA space fill it; else
 * it is 0, unknown: so on every kernel without CONFIG_MEMCG, whose mm has no owner.
 */
#ifndef UVM_OWNER_BPF_H
#define UVM_OWNER_BPF_H

#include "task.bpf.h"
#include "uvm_kernel.bpf.h"
#include "uvm_layout.bpf.h"

struct uvm_owner {
	u32 pid;
	u32 wanted;		/* asked for by the user; a TASK record tells who it is */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, u64);	/* uvm_va_space_t * */
	__type(value, struct uvm_owner);
} uvm_owners SEC(".maps");

static __always_inline bool uvm_filtered(void)
{
	return use_followed || only_pid || only_tid || only_cgroup;
}

static __always_inline void uvm_owner_learn(u64 space, struct task_struct *owner,
					    struct uvm_owner *o)
{
	struct task_struct *leader = BPF_CORE_READ(owner, group_leader);
	struct uvm_owner *old = bpf_map_lookup_elem(&uvm_owners, &space);

	o->pid = BPF_CORE_READ(leader, tgid);
	o->wanted = wanted_task(leader);
	if (o->wanted)
		task_tell_of(leader, o->pid);
	if (!old || old->pid != o->pid || old->wanted != o->wanted)
		bpf_map_update_elem(&uvm_owners, &space, o, BPF_ANY);
}

/* not inlined: most programs ask, and one asks twice */
static __noinline void uvm_owner_of(u64 space, struct uvm_owner *o)
{
	struct mm_struct *mm = UVM_PTR(space_mm, (void *)space);
	struct task_struct *owner = mm_owner(mm);
	struct uvm_owner *known;

	if (!owner && UVM_HAS(space_mapping))
		owner = mm_owner(mapping_mm(UVM_PTR(space_mapping, (void *)space)));
	o->pid = 0;
	o->wanted = !uvm_filtered();
	if (!space)
		return;
	if (owner) {
		uvm_owner_learn(space, owner, o);
		return;
	}
	known = bpf_map_lookup_elem(&uvm_owners, &space);
	if (known)
		*o = *known;
}

/* ---- a VA block: at most 2 MiB of a managed allocation ---- */

struct uvm_block {
	u64 range, range_bytes;	/* 0: of pageable memory (HMM), or dying */
	u64 space;
};

static __always_inline void uvm_block_read(u64 block, struct uvm_block *b)
{
	void *range = UVM_PTR(block_range, (void *)block);

	b->range = 0;
	b->range_bytes = 0;
	b->space = UVM_READ(block_hmm_space, (void *)block);
	if (!block || !range)
		return;
	b->range = UVM_READ(range_start, range);
	b->range_bytes = UVM_READ(range_end, range) - b->range + 1;
	b->space = UVM_READ(range_space, range);
}

#endif
