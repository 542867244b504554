// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The driver's functions: the way a batch of faults takes through them, and the moments that it
 * tells its tools. */
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "play.h"

struct all_structs uvm570_structs;

/* ---- moments ---- */

#define MOMENT(...) { barrier(); }

AS_IT_STANDS void uvm_perf_event_notify(uvm_perf_va_space_events_t *va_space_events,
					u32 event_id, uvm_perf_event_data_t *event_data)
	MOMENT()
AS_IT_STANDS void uvm_tools_broadcast_replay(uvm_gpu_t *gpu, uvm_push_t *push, u32 batch_id,
					     u32 client_type)
	MOMENT()
AS_IT_STANDS void
uvm_tools_broadcast_access_counter(uvm_gpu_t *gpu,
				   const uvm_access_counter_buffer_entry_t *buffer_entry)
	MOMENT()
AS_IT_STANDS void
uvm_tools_record_block_migration_begin(uvm_va_block_t *va_block, uvm_push_t *push,
				       uvm_processor_id_t dst_id, int dst_nid,
				       uvm_processor_id_t src_id, int src_nid, u64 start,
				       u32 cause)
	MOMENT()
AS_IT_STANDS void uvm_tools_record_thrashing(uvm_va_space_t *va_space, u64 address,
					     size_t region_size,
					     const uvm_processor_mask_t *processors)
	MOMENT()
AS_IT_STANDS void uvm_tools_record_throttling_start(uvm_va_space_t *va_space, u64 address,
						    uvm_processor_id_t processor)
	MOMENT()
AS_IT_STANDS void uvm_tools_record_throttling_end(uvm_va_space_t *va_space, u64 address,
						  uvm_processor_id_t processor)
	MOMENT()
AS_IT_STANDS void uvm_tools_record_map_remote(uvm_va_block_t *va_block, uvm_push_t *push,
					      uvm_processor_id_t processor,
					      uvm_processor_id_t residency, u64 address,
					      size_t region_size, u32 cause)
	MOMENT()
AS_IT_STANDS void uvm_tools_record_read_duplicate(uvm_va_block_t *va_block,
						  uvm_processor_id_t dst,
						  uvm_va_block_region_t region,
						  const uvm_page_mask_t *page_mask)
	MOMENT()
AS_IT_STANDS void uvm_tools_record_gpu_fatal_fault(uvm_processor_id_t gpu_id,
						   uvm_va_space_t *va_space,
						   const uvm_fault_buffer_entry_t *buffer_entry,
						   u32 reason)
	MOMENT()

void announce_fault(uvm_va_block_t *block, struct board *b, uvm_fault_buffer_entry_t *entry,
		    u32 batch, bool duplicate)
{
	uvm_perf_event_data_t data = {};

	data.fault.block = (u64)block;
	data.fault.space = (u64)play->space;
	data.fault.proc_id.val = processor(b).val;
	data.fault.gpu.buffer_entry = (u64)entry;
	data.fault.gpu.batch_id = batch;
	data.fault.gpu.is_duplicate = duplicate;
	uvm_perf_event_notify(play->events, EVENT_FAULT, &data);
	truth("fault gpu=%s addr=0x%llx access=%s type=invalid_pte replayable=%d duplicate=%d batch=%u",
	      b->name, (u64)entry->fault_address, access_name(entry->fault_access_type),
	      entry->is_replayable, duplicate, batch);
}

void announce_migration(uvm_va_block_t *block, u32 src, u32 dst, u64 addr, u64 bytes, u32 mode,
			u32 cause)
{
	uvm_push_t push = { .gpu = (u64)boards[(dst ? dst : src) - 1].gpu };
	uvm_perf_event_data_t data = {};

	uvm_tools_record_block_migration_begin(block, &push, (uvm_processor_id_t){ dst }, -1,
					       (uvm_processor_id_t){ src }, -1, addr, cause);
	data.migration.push = (u64)&push;
	data.migration.block = (u64)block;
	data.migration.dst.val = dst;
	data.migration.src.val = src;
	data.migration.dst_nid = data.migration.src_nid = (u16)-1;
	data.migration.address = addr;
	data.migration.bytes = bytes;
	data.migration.transfer_mode = mode;
	data.migration.cause = cause;
	uvm_perf_event_notify(play->events, EVENT_MIGRATION, &data);
	truth("migration src=%s dst=%s addr=0x%llx bytes=%llu cause=%u copy=%d",
	      src ? boards[src - 1].name : "cpu", dst ? boards[dst - 1].name : "cpu", addr,
	      bytes, cause, mode == COPY);
}

/* ---- what a service asks and does ---- */

/* The hint: the first pages of the block, as many as the step says. */
AS_IT_STANDS void
uvm_perf_prefetch_get_hint_va_block(uvm_va_block_t *va_block,
				    uvm_va_block_context_t *va_block_context,
				    uvm_processor_id_t new_residency,
				    const uvm_page_mask_t *faulted_pages,
				    uvm_va_block_region_t faulted_region, void *bitmap_tree,
				    uvm_perf_prefetch_hint_t *out_hint)
{
	u32 i, pages = play->step.prefetch;

	memset(out_hint, 0, sizeof(*out_hint));
	for (i = 0; i < pages; i++)
		out_hint->prefetch_pages_mask[i / 8] |= 1 << i % 8;
	out_hint->residency.val = new_residency.val;
	if (pages)
		truth("mark what=prefetch gpu=%s addr=0x%llx bytes=%llu",
		      boards[new_residency.val - 1].name, (u64)va_block->start,
		      (u64)pages << PAGE_SHIFT);
}

AS_IT_STANDS uvm_perf_thrashing_hint_t
uvm_perf_thrashing_get_hint(uvm_va_block_t *va_block, uvm_va_block_context_t *va_block_context,
			    u64 address, uvm_processor_id_t requester)
{
	return (uvm_perf_thrashing_hint_t){};
}

AS_IT_STANDS NV_STATUS
uvm_va_block_make_resident_copy(uvm_va_block_t *va_block, void *va_block_retry,
				uvm_va_block_context_t *va_block_context,
				uvm_processor_id_t dest_id, uvm_va_block_region_t region,
				const uvm_page_mask_t *page_mask,
				const uvm_page_mask_t *prefetch_page_mask, u32 cause)
{
	announce_migration(va_block, 0, dest_id.val,
			   va_block->start + (u64)region.first * PAGE_SIZE,
			   (u64)(region.outer - region.first) * PAGE_SIZE, MOVE, cause);
	return 0;
}

static void serve_page(uvm_va_block_t *block, struct board *b, u64 addr)
{
	u16 page = (addr - block->start) / PAGE_SIZE;
	uvm_va_block_region_t region = { .first = page };

	region.outer = page + 1;
	uvm_perf_thrashing_get_hint(block, NULL, addr, processor(b));
	uvm_va_block_make_resident_copy(block, NULL, NULL, processor(b), region, NULL, NULL,
					CAUSE_REPLAYABLE);
}

/* ---- replayable faults ---- */

AS_IT_STANDS NV_STATUS
fetch_fault_buffer_entries(uvm_parent_gpu_t *parent_gpu,
			   uvm_fault_service_batch_context_t *batch_context, u32 fetch_mode)
{
	u32 n = min_t(u32, play->count - play->next, BATCH_MAX);
	u32 i, duplicates = 0;

	for (i = 0; i < n; i++) {
		const struct packet *p = &play->packets[play->next + i];
		uvm_fault_buffer_entry_t *e = &play->entries[i];

		memset(e, 0, sizeof(*e));
		e->fault_address = p->addr;
		e->timestamp = 1000000ULL * (play->next + i + 1);
		e->fault_type = p->type;
		e->fault_access_type = p->access;
		e->fault_source.client_id = 7;
		e->va_space = (u64)play->space;
		e->gpu = (u64)play_board(parent_gpu, NULL)->gpu;
		e->is_replayable = 1;
		e->num_instances = 1;
		duplicates += p->duplicate;
	}
	batch_context->num_cached_faults = n;
	batch_context->num_coalesced_faults = n;
	batch_context->num_duplicate_faults = duplicates;
	return 0;
}

AS_IT_STANDS NV_STATUS
preprocess_fault_batch(uvm_parent_gpu_t *parent_gpu,
		       uvm_fault_service_batch_context_t *batch_context)
{
	barrier();
	return 0;
}

/* The batch's faults from `first_fault_index` on that lie in the block. */
AS_IT_STANDS NV_STATUS
service_fault_batch_block_locked(uvm_gpu_t *gpu, uvm_va_block_t *va_block, void *va_block_retry,
				 uvm_fault_service_batch_context_t *batch_context,
				 u32 first_fault_index, const bool hmm_migratable,
				 u32 *block_faults)
{
	struct board *b = play_board(NULL, gpu);
	u32 i, n = batch_context->num_cached_faults;
	uvm_perf_prefetch_hint_t hint;

	for (i = first_fault_index; i < n; i++) {
		const struct packet *p = &play->packets[play->next + i];

		if (p->addr < va_block->start || p->addr > va_block->end)
			break;
		announce_fault(va_block, b, &play->entries[i], batch_context->batch_id,
			       p->duplicate);
		if (!p->duplicate)
			serve_page(va_block, b, p->addr);
	}
	uvm_perf_prefetch_get_hint_va_block(va_block, NULL, processor(b), NULL,
					    (uvm_va_block_region_t){}, NULL, &hint);
	udelay(play->step.usec);
	*block_faults = i - first_fault_index;
	truth("service what=replayable gpu=%s addr=0x%llx batch=%u faults=%u", b->name,
	      (u64)va_block->start, batch_context->batch_id, *block_faults);
	return 0;
}

AS_IT_STANDS NV_STATUS
service_fault_batch(uvm_parent_gpu_t *parent_gpu, u32 service_mode,
		    uvm_fault_service_batch_context_t *batch_context)
{
	uvm_gpu_t *gpu = play_board(parent_gpu, NULL)->gpu;
	u32 i, faults = 0, blocks = 0;

	for (i = 0; i < batch_context->num_cached_faults; i += max(faults, 1U), blocks++) {
		uvm_va_block_t *block = play_block(play->entries[i].fault_address);

		service_fault_batch_block_locked(gpu, block, NULL, batch_context, i, false,
						 &faults);
	}
	truth("batch gpu=%s batch=%u cached=%u duplicates=%u blocks=%u",
	      play_board(parent_gpu, NULL)->name, batch_context->batch_id,
	      batch_context->num_cached_faults, batch_context->num_duplicate_faults, blocks);
	return 0;
}

AS_IT_STANDS NV_STATUS
push_replay_on_gpu(uvm_gpu_t *gpu, u32 type, uvm_fault_service_batch_context_t *batch_context)
{
	uvm_push_t push = { .gpu = (u64)gpu };

	uvm_tools_broadcast_replay(gpu, &push, batch_context->batch_id, 0);
	batch_context->num_replays++;
	return 0;
}

/* On each GPU of the board, of which there is one: no MIG here. */
AS_IT_STANDS NV_STATUS
push_replay_on_parent_gpu(uvm_parent_gpu_t *parent_gpu, u32 type,
			  uvm_fault_service_batch_context_t *batch_context)
{
	return push_replay_on_gpu(play_board(parent_gpu, NULL)->gpu, type, batch_context);
}

AS_IT_STANDS void uvm_parent_gpu_service_replayable_faults(uvm_parent_gpu_t *parent_gpu)
{
	uvm_fault_service_batch_context_t *context = play_board(parent_gpu, NULL)->context;

	for (;;) {
		fetch_fault_buffer_entries(parent_gpu, context, 0);
		if (!context->num_cached_faults)
			break;
		context->batch_id++;
		preprocess_fault_batch(parent_gpu, context);
		service_fault_batch(parent_gpu, 0, context);
		play->next += context->num_cached_faults;
		push_replay_on_parent_gpu(parent_gpu, REPLAY_START, context);
	}
}

/* ---- others ---- */

AS_IT_STANDS NV_STATUS
service_managed_fault_in_block_locked(uvm_va_block_t *va_block, void *va_block_retry,
				      uvm_fault_buffer_entry_t *fault_entry,
				      uvm_service_block_context_t *service_context,
				      const bool hmm_migratable)
{
	struct board *b = play_board(NULL, (uvm_gpu_t *)fault_entry->gpu);

	announce_fault(va_block, b, fault_entry, 0, false);
	announce_migration(va_block, 0, processor(b).val,
			   fault_entry->fault_address & PAGE_MASK, PAGE_SIZE, MOVE,
			   CAUSE_NON_REPLAYABLE);
	udelay(play->step.usec);
	truth("service what=non_replayable gpu=%s addr=0x%llx faults=1", b->name,
	      (u64)fault_entry->fault_address);
	return 0;
}

AS_IT_STANDS void
uvm_parent_gpu_service_non_replayable_fault_buffer(uvm_parent_gpu_t *parent_gpu)
{
	uvm_fault_service_batch_context_t *context = play_board(parent_gpu, NULL)->context;
	u32 i, n;

	for (; play->next < play->count; play->next += n) {
		fetch_fault_buffer_entries(parent_gpu, context, 0);
		n = context->num_cached_faults;
		for (i = 0; i < n; i++) {
			play->entries[i].is_replayable = 0;
			service_managed_fault_in_block_locked(
				play_block(play->entries[i].fault_address), NULL,
				&play->entries[i], NULL, false);
		}
	}
}

AS_IT_STANDS NV_STATUS uvm_va_block_cpu_fault(uvm_va_block_t *va_block, u64 fault_addr,
					      bool is_write,
					      uvm_service_block_context_t *service_context)
{
	uvm_perf_event_data_t data = {};

	data.fault.space = (u64)play->space;
	data.fault.block = (u64)va_block;
	data.fault.cpu.fault_va = fault_addr;
	data.fault.cpu.is_write = is_write;
	data.fault.cpu.pc = 0x401000;
	uvm_perf_event_notify(play->events, EVENT_FAULT, &data);
	truth("fault gpu=cpu addr=0x%llx access=%s", fault_addr, is_write ? "write" : "read");
	announce_migration(va_block, processor(play->step.board).val, 0, fault_addr & PAGE_MASK,
			   PAGE_SIZE, MOVE, CAUSE_REPLAYABLE);
	udelay(play->step.usec);
	truth("service what=cpu gpu=cpu addr=0x%llx faults=1", fault_addr);
	return 0;
}

AS_IT_STANDS NV_STATUS uvm_va_block_evict_chunks(uvm_va_block_t *va_block, uvm_gpu_t *gpu,
						 void *root_chunk, void *tracker)
{
	struct board *b = play_board(NULL, gpu);
	u64 bytes = va_block->end + 1 - va_block->start;

	announce_migration(va_block, processor(b).val, 0, va_block->start, bytes, MOVE,
			   CAUSE_EVICTION);
	udelay(play->step.usec);
	truth("evict gpu=%s addr=0x%llx bytes=%llu", b->name, (u64)va_block->start, bytes);
	return 0;
}

AS_IT_STANDS void uvm_service_access_counters(uvm_access_counter_buffer_t *access_counters)
{
	struct board *b = play_board((uvm_parent_gpu_t *)access_counters->parent_gpu, NULL);
	u32 i;

	for (i = 0; i < play->count; i++) {
		uvm_access_counter_buffer_entry_t e = {};
		u64 addr = play->packets[i].addr & PAGE_MASK;

		e.address = addr;
		e.va_space = (u64)play->space;
		e.gpu = (u64)b->gpu;
		e.counter_value = 256;
		uvm_tools_broadcast_access_counter(b->gpu, &e);
		truth("notify gpu=%s addr=0x%llx value=256", b->name, addr);
		announce_migration(play_block(addr), 0, processor(b).val, addr, PAGE_SIZE, MOVE,
				   CAUSE_COUNTER);
	}
	udelay(play->step.usec);
	truth("service what=access_counters gpu=%s faults=0", b->name);
}
