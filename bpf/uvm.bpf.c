// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Unified memory as the running nvidia-uvm.ko serves it. Each body stands behind a kprobe and
 * a trampoline (NAME_f, where the module has BTF); user/sets/uvm.c says on which functions.
 * The bodies, by what they follow:
 *
 *   uvm_batch.bpf.h     from the fetch of faults to the replay
 *   uvm_service.bpf.h   blocks, CPU faults, evictions
 *   uvm_events.bpf.h    faults, migrations, revocations
 *   uvm_marks.bpf.h     everything that is one moment
 */
#include "uvm_marks.bpf.h"

UVM_ENTRY(notify, uvm_notify)

UVM_ENTRY(replayable_enter, uvm_replayable_enter)
UVM_RETURN(replayable_exit, uvm_replayable_exit)
UVM_ENTRY(fetch_enter, uvm_fetch_enter)
UVM_RETURN(fetch_exit, uvm_fetch_exit)
UVM_ENTRY(serve_enter, uvm_serve_enter)
UVM_RETURN(serve_exit, uvm_serve_exit)
UVM_ENTRY(replay_enter, uvm_replay_enter)
UVM_RETURN(replay_exit, uvm_replay_exit)
UVM_ENTRY(broadcast_replay, uvm_broadcast_replay)

UVM_ENTRY(locked_enter, uvm_locked_enter)
UVM_RETURN(locked_exit, uvm_locked_exit)
UVM_ENTRY(ats_enter, uvm_ats_enter)
UVM_RETURN(ats_exit, uvm_ats_exit)
UVM_ENTRY(single_outer_enter, uvm_single_outer_enter)
UVM_RETURN(single_outer_exit, uvm_single_outer_exit)
UVM_ENTRY(single_enter, uvm_single_enter)
UVM_RETURN(single_exit, uvm_single_exit)
UVM_ENTRY(cpu_enter, uvm_cpu_enter)
UVM_RETURN(cpu_exit, uvm_cpu_exit)
UVM_ENTRY(counters_enter, uvm_counters_enter)
UVM_RETURN(counters_exit, uvm_counters_exit)
UVM_ENTRY(evict_enter, uvm_evict_enter)
UVM_RETURN(evict_exit, uvm_evict_exit)

UVM_ENTRY(thrashing, uvm_thrashing)
UVM_ENTRY(throttle_start, uvm_throttle_start)
UVM_ENTRY(throttle_end, uvm_throttle_end)
UVM_ENTRY(map_remote, uvm_map_remote)
UVM_ENTRY(duplicated, uvm_duplicated)
UVM_ENTRY(fatal, uvm_fatal)
UVM_ENTRY(counter, uvm_counter)

SEC("kprobe") int hint_enter(struct pt_regs *ctx)
{
	uvm_hint_enter(ctx);
	return 0;
}

SEC("kretprobe") int hint_exit(struct pt_regs *ctx)
{
	uvm_hint_exit(0);
	return 0;
}
