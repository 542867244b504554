// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where the driver of unified memory is watched. Newer names stand first; of one name the
 * trampoline before the kprobe. A function's return stands before its entry, so that no call
 * is begun whose end would not be seen; faults are told last, when their services are.
 * Only the notification is a must: without another hook its records, or the links through
 * them, are missing, and the man page of uvmfault says which.
 */
#include "uvm_layout.h"
#include "gpu/nvidia_driver.h"
#include "sets.h"
#include "uvm.skel.h"

TOOL_SKEL(uvm_bpf);

#define ROW(prog, type, flags, func, hook, choice)				\
	HOOK(uvm_bpf, prog, type, flags, "nvidia_uvm", func, hook, choice)
/* In and out of a function: choices 2n and 2n + 1. */
#define SPAN(prog, func, hook, n)						\
	ROW(prog##_exit_f, PROBE_FEXIT, PROBE_OPTIONAL, func, hook, 2 * (n)),	\
	ROW(prog##_enter_f, PROBE_FENTRY, PROBE_OPTIONAL, func, hook, 2 * (n)),	\
	ROW(prog##_exit, PROBE_KRETPROBE, PROBE_OPTIONAL, func, hook, 2 * (n) + 1), \
	ROW(prog##_enter, PROBE_KPROBE, PROBE_OPTIONAL, func, hook, 2 * (n) + 1)
#define MOMENT_(prog, flags, func, hook, n)					\
	ROW(prog##_f, PROBE_FENTRY, flags, func, hook, 2 * (n)),		\
	ROW(prog, PROBE_KPROBE, flags, func, hook, 2 * (n) + 1)
#define MOMENT(prog, func, hook, n) MOMENT_(prog, PROBE_OPTIONAL, func, hook, n)

static const struct probe_row probes[] = {
	SPAN(replayable, "uvm_parent_gpu_service_replayable_faults", "batches", 0),
	SPAN(replayable, "uvm_gpu_service_replayable_faults", "batches", 1),
	SPAN(fetch, "fetch_fault_buffer_entries", "fetch", 0),
	SPAN(serve, "service_fault_batch", "batch service", 0),
	SPAN(replay, "push_replay_on_gpu", "replay", 0),
	SPAN(replay, "push_replay_on_parent_gpu", "replay", 1),
	MOMENT(broadcast_replay, "uvm_tools_broadcast_replay", "replay", 2),
	SPAN(locked, "service_fault_batch_block_locked", "block service", 0),
	SPAN(ats, "uvm_ats_service_faults", "ATS service", 0),
	SPAN(single_outer, "uvm_parent_gpu_service_non_replayable_fault_buffer",
	     "non-replayable faults", 0),
	SPAN(single_outer, "uvm_gpu_service_non_replayable_fault_buffer",
	     "non-replayable faults", 1),
	SPAN(single, "service_managed_fault_in_block_locked", "non-replayable service", 0),
	SPAN(cpu, "uvm_va_block_cpu_fault", "CPU faults", 0),
	SPAN(counters, "uvm_service_access_counters", "access counters", 0),
	SPAN(counters, "uvm_parent_gpu_service_access_counters", "access counters", 1),
	SPAN(counters, "uvm_gpu_service_access_counters", "access counters", 2),
	SPAN(evict, "uvm_va_block_evict_chunks", "eviction", 0),
	MOMENT(thrashing, "uvm_tools_record_thrashing", "thrashing", 0),
	MOMENT(throttle_start, "uvm_tools_record_throttling_start", "throttling", 0),
	MOMENT(throttle_end, "uvm_tools_record_throttling_end", "throttling end", 0),
	MOMENT(map_remote, "uvm_tools_record_map_remote", "remote maps", 0),
	MOMENT(duplicated, "uvm_tools_record_read_duplicate", "read duplication", 0),
	MOMENT(fatal, "uvm_tools_record_gpu_fatal_fault", "fatal faults", 0),
	MOMENT(counter, "uvm_tools_broadcast_access_counter", "counter notifications", 0),
	ROW(hint_exit, PROBE_KRETPROBE, PROBE_OPTIONAL, "uvm_perf_prefetch_get_hint_va_block",
	    "prefetch", 0),
	ROW(hint_enter, PROBE_KPROBE, PROBE_OPTIONAL, "uvm_perf_prefetch_get_hint_va_block",
	    "prefetch", 0),
	MOMENT_(notify, 0, "uvm_perf_event_notify", "notification", 0),
	{}
};

const struct probe_set set_uvm = {
	.name = "uvm",
	.about = "unified memory: faults, their service, migrations, evictions",
	.skel = &uvm_bpf_ops,
	.probes = probes,
	.prepare = uvm_prepare,
};
