#!/bin/bash
# What watching a driver costs, in a guest (tests/vm; the cell is VM_CELL): the time that the programs of gpuioctl take
# by a call of the real nvidia.ko, and those of uvmfault by a fault of a GPU on the real nvidia-uvm.ko, from the
# kernel's own statistics; as ratio to bpftrace's, which is told to count the same by process and command (or kind of
# event), to time it, and nothing more. The least of 5 rounds. Emulation makes all of it many times slower than a
# machine: only the ratios mean something.
cd "$(dirname "$0")/../.." || exit 1
O="$(realpath "${O:-build}")"
cell="${VM_CELL:-6.1/535}"
for need in qemu-system-x86_64 bpftrace bpftool jq; do
	command -v $need > /dev/null || { echo "bench driver: skipped: needs $need"; exit 0; }
done
[ "$(id -u)" -eq 0 ] || { echo "bench driver: skipped: needs root"; exit 0; }
[ -n "$(compgen -G "${VM_CACHE:-$O/vm}/driver-${cell/\//-}-*/done")" ] || { echo "bench driver: skipped: make check builds the driver"; exit 0; }

# shellcheck disable=SC2317	# its functions are called by name
guest() {
	calls() { nvctl bench 1000; }
	faults() { exercise -q -T 'alloc a 16m; fill a 16m 1; gpu 0 write a 4096 run'; }
	# ns of all programs so far: nobody else has any
	programs() { bpftool -j prog show | jq '[.[].run_time_ns // 0] | add // 0'; }
	# cost EVENT TOOL...: $ns of its programs by one of 1000 calls or 4096 faults
	cost() {
		local count=1000 before after pid
		[ "$1" = calls ] || count=4096
		"${@:2}" > /tmp/out 2> /tmp/err &
		pid=$!
		until "$1" > /dev/null; [ "$(programs)" -gt 0 ]; do kill -0 $pid || { cat /tmp/err; exit 1; }; done
		"$1" > /dev/null	# by now all is attached
		ns=
		for _ in 1 2 3 4 5; do
			before=$(programs)
			"$1" > /dev/null || exit 1
			after=$((($(programs) - before) / count))
			[ -n "$ns" ] && [ "$ns" -le "$after" ] || ns=$after
		done
		kill -INT $pid
		wait $pid
	}
	base() { cost "$1" bpftrace -e "$2"; base=$ns; }
	# compared EVENT WHAT TOOL...: with base
	compared() {
		cost "$1" "${@:3}"
		awk -v what="$2" -v base="$base" -v ns="$ns" 'BEGIN {
			printf "%-27s %.2f times bpftrace'"'"'s (%.1f us, emulated)\n", what, ns / base, base / 1e3 }'
	}
	echo 1 > /proc/sys/kernel/bpf_stats_enabled
	load nvidia || exit 1
	function="$(grep -m 1 -owE 'nvidia_(frontend_)?unlocked_ioctl' /proc/kallsyms)"
	base calls "kprobe:$function { @at[tid] = nsecs; @cmd[tid] = arg1; }
		kretprobe:$function /@at[tid]/ { @n[pid, @cmd[tid]] = count();
			@ns[pid, @cmd[tid]] = hist(nsecs - @at[tid]); delete(@at[tid]); delete(@cmd[tid]); }"
	for kind in fentry kprobe syscall; do
		compared calls "gpuioctl by $kind, a call" gpuioctl -j --probe $kind
	done
	unload || exit 1
	load soft || exit 1
	base faults 'kprobe:uvm_perf_event_notify { @n[pid, arg1] = count(); }
		kprobe:service_fault_batch { @at[tid] = nsecs; }
		kretprobe:service_fault_batch /@at[tid]/ { @ns = hist(nsecs - @at[tid]); delete(@at[tid]); }'
	compared faults "uvmfault, a GPU's fault" uvmfault -j
}
export O
VM_TIMEOUT=1500 tests/vm/vm "$cell" "PATH=$O/bin:\$PATH; $(declare -f guest); guest"
