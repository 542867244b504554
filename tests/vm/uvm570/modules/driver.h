/*
 * The functions that probes hook in nvidia-uvm.ko of 570.133.20: names and arguments are facts
 * of the public release, what they do here is what it takes to be observed. structs.h has the
 * fields where that release has them.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <linux/types.h>
#include <linux/mm_types.h>
#include "structs.h"

#define BOARDS 2

/* a function that is there as it stands: not inlined, cloned, or of fewer arguments */
#define AS_IT_STANDS __attribute__((noipa))

typedef u32 NV_STATUS;
typedef struct uvm_gpu_struct uvm_gpu_t;
typedef struct uvm_parent_gpu_struct uvm_parent_gpu_t;
typedef struct uvm_va_block_struct uvm_va_block_t;
typedef struct uvm_va_space_struct uvm_va_space_t;
typedef struct uvm_fault_buffer_entry_struct uvm_fault_buffer_entry_t;
typedef struct uvm_fault_service_batch_context_struct uvm_fault_service_batch_context_t;
typedef struct uvm_push_struct uvm_push_t;
typedef struct uvm_service_block_context_struct uvm_service_block_context_t;
typedef struct uvm_access_counter_buffer_struct uvm_access_counter_buffer_t;
typedef struct uvm_access_counter_buffer_entry_struct uvm_access_counter_buffer_entry_t;
typedef struct { u32 val; } uvm_processor_id_t;

enum { EVENT_FAULT = 6, EVENT_MIGRATION = 7, EVENT_REVOCATION = 8 };
enum { REPLAY_START = 0 };
enum { MOVE = 1, COPY = 2 };
enum { CAUSE_REPLAYABLE = 0, CAUSE_NON_REPLAYABLE = 1, CAUSE_COUNTER = 2, CAUSE_EVICTION = 4 };

void uvm_perf_event_notify(uvm_perf_va_space_events_t *va_space_events, u32 event_id,
			   uvm_perf_event_data_t *event_data);
void uvm_parent_gpu_service_replayable_faults(uvm_parent_gpu_t *parent_gpu);
NV_STATUS fetch_fault_buffer_entries(uvm_parent_gpu_t *parent_gpu,
				     uvm_fault_service_batch_context_t *batch_context,
				     u32 fetch_mode);
NV_STATUS preprocess_fault_batch(uvm_parent_gpu_t *parent_gpu,
				 uvm_fault_service_batch_context_t *batch_context);
NV_STATUS service_fault_batch(uvm_parent_gpu_t *parent_gpu, u32 service_mode,
			      uvm_fault_service_batch_context_t *batch_context);
NV_STATUS service_fault_batch_block_locked(uvm_gpu_t *gpu, uvm_va_block_t *va_block,
					   void *va_block_retry,
					   uvm_fault_service_batch_context_t *batch_context,
					   u32 first_fault_index, const bool hmm_migratable,
					   u32 *block_faults);
NV_STATUS push_replay_on_gpu(uvm_gpu_t *gpu, u32 type,
			     uvm_fault_service_batch_context_t *batch_context);
NV_STATUS push_replay_on_parent_gpu(uvm_parent_gpu_t *parent_gpu, u32 type,
				    uvm_fault_service_batch_context_t *batch_context);
void uvm_tools_broadcast_replay(uvm_gpu_t *gpu, uvm_push_t *push, u32 batch_id,
				u32 client_type);
void uvm_parent_gpu_service_non_replayable_fault_buffer(uvm_parent_gpu_t *parent_gpu);
NV_STATUS service_managed_fault_in_block_locked(uvm_va_block_t *va_block, void *va_block_retry,
						uvm_fault_buffer_entry_t *fault_entry,
						uvm_service_block_context_t *service_context,
						const bool hmm_migratable);
void uvm_service_access_counters(uvm_access_counter_buffer_t *access_counters);
void uvm_tools_broadcast_access_counter(uvm_gpu_t *gpu,
					const uvm_access_counter_buffer_entry_t *buffer_entry);
NV_STATUS uvm_va_block_cpu_fault(uvm_va_block_t *va_block, u64 fault_addr, bool is_write,
				 uvm_service_block_context_t *service_context);
NV_STATUS uvm_va_block_evict_chunks(uvm_va_block_t *va_block, uvm_gpu_t *gpu, void *root_chunk,
				    void *tracker);
void uvm_tools_record_block_migration_begin(uvm_va_block_t *va_block, uvm_push_t *push,
					    uvm_processor_id_t dst_id, int dst_nid,
					    uvm_processor_id_t src_id, int src_nid, u64 start,
					    u32 cause);
void uvm_tools_record_thrashing(uvm_va_space_t *va_space, u64 address, size_t region_size,
				const uvm_processor_mask_t *processors);
void uvm_tools_record_throttling_start(uvm_va_space_t *va_space, u64 address,
				       uvm_processor_id_t processor);
void uvm_tools_record_throttling_end(uvm_va_space_t *va_space, u64 address,
				     uvm_processor_id_t processor);
void uvm_tools_record_map_remote(uvm_va_block_t *va_block, uvm_push_t *push,
				 uvm_processor_id_t processor, uvm_processor_id_t residency,
				 u64 address, size_t region_size, u32 cause);
void uvm_tools_record_read_duplicate(uvm_va_block_t *va_block, uvm_processor_id_t dst,
				     uvm_va_block_region_t region,
				     const uvm_page_mask_t *page_mask);
void uvm_tools_record_gpu_fatal_fault(uvm_processor_id_t gpu_id, uvm_va_space_t *va_space,
				      const uvm_fault_buffer_entry_t *buffer_entry, u32 reason);

NV_STATUS uvm_va_block_make_resident_copy(uvm_va_block_t *va_block, void *va_block_retry,
					  uvm_va_block_context_t *va_block_context,
					  uvm_processor_id_t dest_id,
					  uvm_va_block_region_t region,
					  const uvm_page_mask_t *page_mask,
					  const uvm_page_mask_t *prefetch_page_mask, u32 cause);
void uvm_perf_prefetch_get_hint_va_block(uvm_va_block_t *va_block,
					 uvm_va_block_context_t *va_block_context,
					 uvm_processor_id_t new_residency,
					 const uvm_page_mask_t *faulted_pages,
					 uvm_va_block_region_t faulted_region,
					 void *bitmap_tree, uvm_perf_prefetch_hint_t *out_hint);
uvm_perf_thrashing_hint_t
uvm_perf_thrashing_get_hint(uvm_va_block_t *va_block, uvm_va_block_context_t *va_block_context,
			    u64 address, uvm_processor_id_t requester);

u32 nvidia570_boards(void);

#endif
