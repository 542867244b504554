// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What each step makes the driver do. CPU faults are taken by the process itself, everything
 * else by a kernel thread, as in the driver. */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/string.h>
#include "play.h"

/* Packets of the step: n addresses, every dup-th of them twice. */
static void fill_packets(void)
{
	const struct step *s = &play->step;
	u32 i;

	play->count = play->next = 0;
	for (i = 0; i < s->n && play->count + 2 <= FAULTS_MAX; i++) {
		struct packet p = {
			s->range->range->node.start + s->off + i * s->stride,
			s->access, s->type,
		};

		play->packets[play->count++] = p;
		p.duplicate = true;
		if (s->dup && i % s->dup == s->dup - 1)
			play->packets[play->count++] = p;
	}
}

/* Each touched block once. */
static void evict(void)
{
	const struct step *s = &play->step;
	u32 i, first = s->off / BLOCK_BYTES;

	for (i = first; i < first + s->n && i < s->range->count; i++)
		uvm_va_block_evict_chunks(s->range->blocks[i], s->board->gpu, NULL, NULL);
}

static void moment(const char *what, u64 addr)
{
	uvm_processor_id_t gpu = processor(play->step.board);
	uvm_va_block_t *block = play_block(addr);
	uvm_processor_mask_t both = {};
	uvm_perf_event_data_t data = {};
	uvm_va_block_region_t region = {};
	uvm_page_mask_t pages = {};

	if (!strcmp(what, "thrash")) {
		*(u64 *)both.bitmap = 1 | 1ULL << gpu.val;
		uvm_tools_record_thrashing(play->space, addr, PAGE_SIZE, &both);
	} else if (!strcmp(what, "throttle")) {
		uvm_tools_record_throttling_start(play->space, addr, gpu);
		uvm_tools_record_throttling_end(play->space, addr, gpu);
	} else if (!strcmp(what, "remote")) {
		uvm_tools_record_map_remote(block, NULL, gpu, (uvm_processor_id_t){ 0 }, addr,
					    PAGE_SIZE, 1);
	} else if (!strcmp(what, "readdup")) {
		region.first = (addr - block->start) / PAGE_SIZE;
		region.outer = region.first + 1;
		pages.bitmap[region.first / 8] = 1 << region.first % 8;
		uvm_tools_record_read_duplicate(block, gpu, region, &pages);
	} else if (!strcmp(what, "fatal")) {
		uvm_fault_buffer_entry_t e = { .fault_address = addr, .is_fatal = 1 };

		uvm_tools_record_gpu_fatal_fault(gpu, play->space, &e, 3);
	} else {
		data.revocation.block = (u64)block;
		data.revocation.proc_id.val = gpu.val;
		data.revocation.address = addr;
		data.revocation.bytes = PAGE_SIZE;
		uvm_perf_event_notify(play->events, EVENT_REVOCATION, &data);
	}
	truth("mark what=%s gpu=%s addr=0x%llx bytes=%lu", what, play->step.board->name, addr,
	      PAGE_SIZE);
}

static void run_step(void)
{
	const struct step *s = &play->step;
	u32 i;

	fill_packets();
	if (!strcmp(s->what, "faults")) {
		uvm_parent_gpu_service_replayable_faults(s->board->parent);
	} else if (!strcmp(s->what, "single")) {
		uvm_parent_gpu_service_non_replayable_fault_buffer(s->board->parent);
	} else if (!strcmp(s->what, "counters")) {
		uvm_service_access_counters(s->board->counters);
	} else if (!strcmp(s->what, "evict")) {
		evict();
	} else if (!strcmp(s->what, "cpu")) {
		for (i = 0; i < play->count; i++)
			uvm_va_block_cpu_fault(play_block(play->packets[i].addr),
					       play->packets[i].addr, s->access >= 2, NULL);
	} else {
		for (i = 0; i < play->count; i++)
			moment(s->what, play->packets[i].addr & PAGE_MASK);
	}
}

static int thread_main(void *done)
{
	run_step();
	kthread_complete_and_exit(done, 0);
}

int play_step(void)
{
	static const char *const steps[] = { "faults", "single", "counters", "evict", "cpu",
		"thrash", "throttle", "remote", "readdup", "fatal", "revoke" };
	struct step *s = &play->step;
	DECLARE_COMPLETION_ONSTACK(done);
	struct task_struct *thread;
	u64 last = s->range->range->node.start + s->off + (s->n - 1) * s->stride;

	if (match_string(steps, ARRAY_SIZE(steps), s->what) < 0 || !s->n)
		return -EINVAL;
	if (strcmp(s->what, "evict") && last > s->range->range->node.end)
		return -ERANGE;
	if (!strcmp(s->what, "cpu")) {
		run_step();
		return 0;
	}
	thread = kthread_run(thread_main, &done, "UVM GPU%u BH", processor(s->board).val);
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	wait_for_completion(&done);
	return 0;
}
