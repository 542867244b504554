/*
 * The fields of nvidia-uvm.ko's structs and the arguments of its functions that our probes
 * read. Names are facts of NVIDIA's public open-gpu-kernel-modules; where they lie is asked of
 * the running module's BTF, or looked up for its version (user/gpu/nvidia.h). A field that a
 * version lacks is absent there, and so is the code that reads it.
 *
 * X(name, type, members, since): `type` is a struct's or union's tag or a typedef; `members`
 * a path through named ones, "a|b" the first that exists; `since` the first release that has
 * it, 515: as old as the public sources. tests/nvidia.bats compares `since` with the table.
 */
#ifndef NVIDIA_UVM_H
#define NVIDIA_UVM_H

#define UVM_FIELDS(X)									\
	/* uvm_perf_event_notify()'s third argument: what happened, by event id */	\
	X(event_fault_space, "uvm_perf_event_data_t", "fault.space", 515)		\
	X(event_fault_block, "uvm_perf_event_data_t", "fault.block", 515)		\
	X(event_fault_proc, "uvm_perf_event_data_t", "fault.proc_id.val", 515)		\
	X(event_fault_entry, "uvm_perf_event_data_t", "fault.gpu.buffer_entry", 515)	\
	X(event_fault_batch, "uvm_perf_event_data_t", "fault.gpu.batch_id", 515)	\
	X(event_fault_duplicate, "uvm_perf_event_data_t", "fault.gpu.is_duplicate", 515) \
	X(event_cpu_addr, "uvm_perf_event_data_t", "fault.cpu.fault_va", 515)		\
	X(event_cpu_write, "uvm_perf_event_data_t", "fault.cpu.is_write", 515)		\
	X(event_cpu_pc, "uvm_perf_event_data_t", "fault.cpu.pc", 515)			\
	X(event_cpu_number, "uvm_perf_event_data_t", "fault.cpu.cpu_num", 565)		\
	X(event_move_push, "uvm_perf_event_data_t", "migration.push", 515)		\
	X(event_move_block, "uvm_perf_event_data_t", "migration.block", 515)		\
	X(event_move_dst, "uvm_perf_event_data_t", "migration.dst.val", 515)		\
	X(event_move_src, "uvm_perf_event_data_t", "migration.src.val", 515)		\
	X(event_move_dst_node, "uvm_perf_event_data_t", "migration.dst_nid", 550)	\
	X(event_move_src_node, "uvm_perf_event_data_t", "migration.src_nid", 550)	\
	X(event_move_addr, "uvm_perf_event_data_t", "migration.address", 515)		\
	X(event_move_bytes, "uvm_perf_event_data_t", "migration.bytes", 515)		\
	X(event_move_mode, "uvm_perf_event_data_t", "migration.transfer_mode", 515)	\
	X(event_move_cause, "uvm_perf_event_data_t", "migration.cause", 515)		\
	X(event_revoke_block, "uvm_perf_event_data_t", "revocation.block", 515)		\
	X(event_revoke_proc, "uvm_perf_event_data_t", "revocation.proc_id.val", 515)	\
	X(event_revoke_addr, "uvm_perf_event_data_t", "revocation.address", 515)	\
	X(event_revoke_bytes, "uvm_perf_event_data_t", "revocation.bytes", 515)		\
	/* its first argument */							\
	X(events_space, "uvm_perf_va_space_events_t", "va_space", 515)			\
	/* one entry of a GPU's fault buffer */						\
	X(entry_addr, "uvm_fault_buffer_entry_struct", "fault_address", 515)		\
	X(entry_timestamp, "uvm_fault_buffer_entry_struct", "timestamp", 515)		\
	X(entry_instance, "uvm_fault_buffer_entry_struct", "instance_ptr.address", 515)	\
	X(entry_client_type, "uvm_fault_buffer_entry_struct", "fault_source.client_type", 515) \
	X(entry_engine_type, "uvm_fault_buffer_entry_struct", "fault_source.mmu_engine_type", 515) \
	X(entry_client, "uvm_fault_buffer_entry_struct", "fault_source.client_id", 515)	\
	X(entry_engine, "uvm_fault_buffer_entry_struct", "fault_source.mmu_engine_id", 515) \
	X(entry_utlb, "uvm_fault_buffer_entry_struct", "fault_source.utlb_id", 515)	\
	X(entry_gpc, "uvm_fault_buffer_entry_struct", "fault_source.gpc_id", 515)	\
	X(entry_channel, "uvm_fault_buffer_entry_struct", "fault_source.channel_id", 515) \
	X(entry_type, "uvm_fault_buffer_entry_struct", "fault_type", 515)		\
	X(entry_access, "uvm_fault_buffer_entry_struct", "fault_access_type", 515)	\
	X(entry_space, "uvm_fault_buffer_entry_struct", "va_space", 515)		\
	X(entry_gpu, "uvm_fault_buffer_entry_struct", "gpu", 560)			\
	X(entry_fatal, "uvm_fault_buffer_entry_struct", "is_fatal", 515)		\
	X(entry_throttled, "uvm_fault_buffer_entry_struct", "is_throttled", 515)	\
	X(entry_invalid_prefetch, "uvm_fault_buffer_entry_struct", "is_invalid_prefetch", 515) \
	X(entry_replayable, "uvm_fault_buffer_entry_struct", "is_replayable", 515)	\
	X(entry_virtual, "uvm_fault_buffer_entry_struct", "is_virtual", 515)		\
	X(entry_filtered, "uvm_fault_buffer_entry_struct", "filtered", 515)		\
	X(entry_fatal_reason, "uvm_fault_buffer_entry_struct", "fatal_reason", 515)	\
	X(entry_buffer_index, "uvm_fault_buffer_entry_struct", "non_replayable.buffer_index", 515) \
	X(entry_access_mask, "uvm_fault_buffer_entry_struct", "access_type_mask", 515)	\
	X(entry_instances, "uvm_fault_buffer_entry_struct", "num_instances", 515)	\
	/* a batch of them */								\
	X(batch_cache, "uvm_fault_service_batch_context_struct", "fault_cache", 515)	\
	X(batch_ordered, "uvm_fault_service_batch_context_struct", "ordered_fault_cache", 515) \
	X(batch_cached, "uvm_fault_service_batch_context_struct", "num_cached_faults", 515) \
	X(batch_coalesced, "uvm_fault_service_batch_context_struct", "num_coalesced_faults", 515) \
	X(batch_invalid_prefetch, "uvm_fault_service_batch_context_struct",		\
	  "num_invalid_prefetch_faults", 515)						\
	X(batch_duplicates, "uvm_fault_service_batch_context_struct",			\
	  "num_duplicate_faults", 515)							\
	X(batch_replays, "uvm_fault_service_batch_context_struct", "num_replays", 515)	\
	X(batch_throttled, "uvm_fault_service_batch_context_struct", "has_throttled_faults", 515) \
	X(batch_fatal_space, "uvm_fault_service_batch_context_struct", "fatal_va_space", 535) \
	X(batch_fatal_gpu, "uvm_fault_service_batch_context_struct", "fatal_gpu", 560)	\
	X(batch_id, "uvm_fault_service_batch_context_struct", "batch_id", 515)		\
	/* memory: a block of at most 2 MiB of a range of a process's VA space */	\
	X(block_start, "uvm_va_block_struct", "start", 515)				\
	X(block_end, "uvm_va_block_struct", "end", 515)	/* the last byte */		\
	/* struct uvm_va_range_managed_struct begins with its va_range from 570 on */	\
	X(block_range, "uvm_va_block_struct", "va_range|managed_range", 515)		\
	X(block_hmm_space, "uvm_va_block_struct", "hmm.va_space", 515)			\
	X(range_space, "uvm_va_range_struct", "va_space", 515)				\
	X(range_start, "uvm_va_range_struct", "node.start", 515)			\
	X(range_end, "uvm_va_range_struct", "node.end", 515)	/* the last byte */	\
	X(range_type, "uvm_va_range_struct", "type", 515)				\
	X(space_mm, "uvm_va_space_struct", "va_space_mm.mm", 515)			\
	X(space_mapping, "uvm_va_space_struct", "mapping", 515)				\
	X(space_gpus, "uvm_va_space_struct", "registered_gpus_table", 515)	/* by id - 1 */	\
	X(gpu_space_space, "uvm_gpu_va_space_struct", "va_space", 515)			\
	X(region_first, "uvm_va_block_region_t", "first", 515)				\
	X(region_outer, "uvm_va_block_region_t", "outer", 515)				\
	X(page_mask, "uvm_page_mask_t", "bitmap", 515)	/* 512 bits */			\
	X(processor_mask, "uvm_processor_mask_t", "bitmap", 515)			\
	/* a GPU or a slice of one (MIG), and the board it is on */			\
	X(gpu_id, "uvm_gpu_struct", "id.val", 515)					\
	X(gpu_parent, "uvm_gpu_struct", "parent", 515)					\
	X(gpu_uuid, "uvm_gpu_struct", "uuid", 550)					\
	X(gpu_name, "uvm_gpu_struct", "name", 550)					\
	X(gpu_pmm, "uvm_gpu_struct", "pmm", 515)					\
	X(gpu_swizzle, "uvm_gpu_struct", "smc.swizz_id", 515)				\
	X(parent_id, "uvm_parent_gpu_struct", "id.val", 515)				\
	X(parent_pci, "uvm_parent_gpu_struct", "pci_dev", 515)				\
	X(parent_uuid, "uvm_parent_gpu_struct", "uuid", 515)				\
	X(parent_name, "uvm_parent_gpu_struct", "name", 515)				\
	X(parent_product, "uvm_parent_gpu_struct", "rm_info.name", 515)	/* "NVIDIA H100" */ \
	X(parent_gpus, "uvm_parent_gpu_struct", "gpus", 515)				\
	X(push_gpu, "uvm_push_struct", "gpu", 515)					\
	/* the context of a block's service: make_resident() says why and where to */	\
	X(context_cause, "uvm_va_block_context_t", "make_resident.cause", 515)		\
	X(context_dest, "uvm_va_block_context_t", "make_resident.dest_id.val", 515)	\
	X(service_operation, "uvm_service_block_context_struct", "operation", 515)	\
	X(service_retries, "uvm_service_block_context_struct", "num_retries", 515)	\
	X(service_context, "uvm_service_block_context_struct", "block_context", 515)	\
	X(service_migrated, "uvm_service_block_context_struct", "cpu_fault.did_migrate", 515) \
	X(prefetch_mask, "uvm_perf_prefetch_hint_t", "prefetch_pages_mask", 515)	\
	X(prefetch_residency, "uvm_perf_prefetch_hint_t", "residency.val", 515)		\
	X(hint_type, "uvm_perf_thrashing_hint_t", "type", 515)				\
	/* video memory */								\
	X(chunk_addr, "uvm_gpu_chunk_struct", "address", 515)				\
	X(chunk_log2, "uvm_gpu_chunk_struct", "log2_size", 515)				\
	X(chunk_block, "uvm_gpu_chunk_struct", "va_block", 515)				\
	X(chunk_page, "uvm_gpu_chunk_struct", "va_block_page_index", 515)		\
	X(root_chunk, "uvm_gpu_root_chunk_t", "chunk", 515)				\
	/* access counters: a remote page was touched often */				\
	X(counter_type, "uvm_access_counter_buffer_entry_struct", "counter_type", 515)	\
	X(counter_addr, "uvm_access_counter_buffer_entry_struct", "address.address|address", 515) \
	X(counter_space, "uvm_access_counter_buffer_entry_struct",			\
	  "virtual_info.va_space|va_space", 515)					\
	X(counter_gpu, "uvm_access_counter_buffer_entry_struct", "gpu", 560)		\
	X(counter_value, "uvm_access_counter_buffer_entry_struct", "counter_value", 515) \
	X(counter_sub, "uvm_access_counter_buffer_entry_struct", "sub_granularity", 515) \
	X(counter_bank, "uvm_access_counter_buffer_entry_struct", "bank", 515)		\
	X(counter_tag, "uvm_access_counter_buffer_entry_struct", "tag", 515)		\
	X(counters_parent, "uvm_access_counter_buffer_struct", "parent_gpu", 570)	\
	X(counters_index, "uvm_access_counter_buffer_struct", "index", 570)		\
	X(counters_batch, "uvm_access_counter_service_batch_context_struct", "batch_id", 515)

#define UVM_LOCKED "service_fault_batch_block_locked|service_batch_managed_faults_in_block_locked"
#define UVM_BEGIN "uvm_tools_record_block_migration_begin|uvm_tools_record_migration_begin"

/*
 * X(name, function, parameter, since): at which place a function has an argument, counted from
 * 0; of functions "a|b" the first that exists. Arguments from the seventh on lie on the stack.
 */
#define UVM_ARGS(X)									\
	X(service_gpu, "service_fault_batch", "gpu", 515)				\
	X(service_parent, "service_fault_batch", "parent_gpu", 560)			\
	X(service_batch, "service_fault_batch", "batch_context", 515)			\
	X(fetch_gpu, "fetch_fault_buffer_entries", "gpu", 515)				\
	X(fetch_parent, "fetch_fault_buffer_entries", "parent_gpu", 560)		\
	X(fetch_batch, "fetch_fault_buffer_entries", "batch_context", 515)		\
	X(locked_gpu, UVM_LOCKED, "gpu", 515)						\
	X(locked_block, UVM_LOCKED, "va_block", 515)					\
	X(locked_batch, UVM_LOCKED, "batch_context", 515)				\
	X(locked_first, UVM_LOCKED, "first_fault_index", 515)				\
	X(locked_faults, UVM_LOCKED, "block_faults", 515)				\
	X(single_gpu, "service_managed_fault_in_block_locked", "gpu", 515)		\
	X(single_block, "service_managed_fault_in_block_locked", "va_block", 515)	\
	X(single_entry, "service_managed_fault_in_block_locked", "fault_entry", 515)	\
	X(begin_space, UVM_BEGIN, "va_space", 580)					\
	X(begin_block, UVM_BEGIN, "va_block", 515)					\
	X(begin_push, UVM_BEGIN, "push", 515)						\
	X(begin_dst, UVM_BEGIN, "dst_id", 515)						\
	X(begin_src, UVM_BEGIN, "src_id", 515)						\
	X(begin_start, UVM_BEGIN, "start", 515)						\
	X(begin_cause, UVM_BEGIN, "cause", 515)						\
	X(resident_block, "uvm_va_block_make_resident_copy", "va_block", 530)		\
	X(resident_dest, "uvm_va_block_make_resident_copy", "dest_id", 530)		\
	X(resident_region, "uvm_va_block_make_resident_copy", "region", 530)		\
	X(hint_block, "uvm_perf_thrashing_get_hint", "va_block", 515)			\
	X(hint_addr, "uvm_perf_thrashing_get_hint", "address", 515)			\
	X(hint_requester, "uvm_perf_thrashing_get_hint", "requester", 515)		\
	X(counters_gpu, "uvm_gpu_service_access_counters", "gpu", 515)

#endif
