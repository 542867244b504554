#!/usr/bin/env bats
# gpucheck: what it says must be what the machine shows by other means.

setup() {
	load helpers
	tool="$BIN/gpucheck"
}

# check NAME: "status found" of one check; run with $env in front
check() { $env "$tool" -j | jq -r --arg n "$1" '.checks[] | select(.name == $n) | "\(.status) \(.found)"'; }
tool_status() { $env "$tool" -j | jq -r --arg n "$1" '.tools[] | select(.tool == $n) | "\(.status) \(.why)"'; }

# library NAME <<< C: a shared library of that name in a directory for LD_LIBRARY_PATH
library() {
	mkdir -p "$BATS_TEST_TMPDIR/lib"
	"${CC:-cc}" -shared -fPIC -x c -o "$BATS_TEST_TMPDIR/lib/$1" -
	env="env LD_LIBRARY_PATH=$BATS_TEST_TMPDIR/lib"
}

@test "it answers with and without privileges, as text and as JSON" {
	requires jq setpriv root
	run -0 "$tool"
	[[ "$output" == *"kernel"*"privileges"*"BPF"*"NVIDIA driver"*"CUDA libraries"*"tools"* ]]
	run -0 unprivileged "$tool"
	[[ "$output" == *"missing   trace                no CAP_BPF, CAP_PERFMON"* ]]
	[[ "$output" == *"-> run as root; or setcap cap_bpf,cap_perfmon,cap_sys_ptrace+ep on the tool, where uprobes do not want more"* ]]
	[ "$(unprivileged "$tool" -j | jq -r .schema)" = gpuscope.gpucheck.0 ]
	[ "$(env=unprivileged tool_status culaunch)" = "missing trace" ]
}

@test "the kernel is the one that runs" {
	requires jq
	[ "$(check version)" = "ok $(uname -r) ($(uname -m))" ]
}

@test "BPF features are those that bpftool finds" {
	requires bpf jq bpftool
	"$tool" -j > "$BATS_TEST_TMPDIR/ours"
	bpftool -j feature probe kernel > "$BATS_TEST_TMPDIR/theirs" 2>/dev/null
	status() { jq -r --arg n "$1" '.checks[] | select(.name == $n) | .status' "$BATS_TEST_TMPDIR/ours"; }
	[ "$(jq .map_types.have_ringbuf_map_type "$BATS_TEST_TMPDIR/theirs")" = "$([ "$(status ring_buffer)" = ok ] && echo true || echo false)" ]
	for h in loop get_func_ip get_attach_cookie; do
		jq -e --arg h "bpf_$h" '.helpers.kprobe_available_helpers | index($h)' "$BATS_TEST_TMPDIR/theirs" > /dev/null && theirs=ok || theirs=degraded
		name="$h"
		[ "$h" = loop ] && name=bpf_loop
		[ "$(status "$name")" = "$theirs" ] || { echo "$h: $theirs"; false; }
	done
}

@test "kprobes are found where the kernel has their event source, and only there" {
	requires bpf jq
	want=degraded
	[ -e /sys/bus/event_source/devices/kprobe ] && want=ok
	[[ "$(check kprobe)" == "$want "* ]]
}

@test "uprobes are tried and timed" {
	requires bpf jq
	[[ "$(check uprobe)" =~ ^ok\ a\ hit\ costs\ [1-9][0-9]+\ ns\ here ]]
}

@test "with CAP_BPF and CAP_PERFMON but not CAP_SYS_ADMIN it says whether uprobes still work" {
	requires bpf jq setpriv
	env="setpriv --bounding-set=-sys_admin"
	[ "$(check trace)" = "ok CAP_BPF, CAP_PERFMON" ]
	if setpriv --bounding-set=-sys_admin "$BIN/culaunch" -d 10ms --lib "$SIMLIB/libcuda.so.1" 2> "$BATS_TEST_TMPDIR/err"; then
		[[ "$(check uprobe)" == @(ok|degraded)" "* ]]
	else
		[[ "$(check uprobe)" == "missing no: Permission denied" ]]
		grep -q "Permission denied (needs CAP_SYS_ADMIN: run as root)" "$BATS_TEST_TMPDIR/err"
	fi
}

@test "a version is the library's own, and what it prints stays away" {
	requires jq
	library libcupti.so.13 <<-'EOF'
	#include <stdio.h>
	__attribute__((constructor)) static void noise(void) { printf("NOISE\n"); fprintf(stderr, "NOISE\n"); }
	int cuptiGetVersion(unsigned *v) { *v = 4711; return 0; }
	EOF
	[ "$(check libcupti)" = "ok $BATS_TEST_TMPDIR/lib/libcupti.so.13, API version 4711" ]
	run -0 $env "$tool"
	[[ "$output" != *NOISE* ]]
}

@test "a library that crashes is named and harms nothing" {
	requires jq
	library libcupti.so.13 <<< 'int cuptiGetVersion(unsigned *v) { *(volatile int *)16 = 1; return 0; }'
	[ "$(check libcupti)" = "missing $BATS_TEST_TMPDIR/lib/libcupti.so.13: Segmentation fault" ]
	run -0 $env "$tool"
}

@test "a library that cannot be loaded says why" {
	requires jq
	mkdir "$BATS_TEST_TMPDIR/lib"
	echo "no library" > "$BATS_TEST_TMPDIR/lib/libcuda.so.1"
	env="env LD_LIBRARY_PATH=$BATS_TEST_TMPDIR/lib"
	[[ "$(check libcuda)" == "missing $BATS_TEST_TMPDIR/lib/libcuda.so.1: "* ]]
	[[ "$(tool_status culaunch)" == "degraded libcuda" ]] || [[ "$(tool_status culaunch)" == missing* ]]
}

@test "a driver that cannot start is degraded, with its code" {
	requires jq
	library libcuda.so.1 <<-'EOF'
	int cuDriverGetVersion(int *v) { *v = 12040; return 0; }
	int cuInit(unsigned f) { return 803; }
	int cuDeviceGetCount(int *n) { return 3; }
	int cuDeviceGet(int *d, int i) { return 3; }
	int cuDeviceGetName(char *s, int n, int d) { return 3; }
	EOF
	[ "$(check libcuda)" = "degraded $BATS_TEST_TMPDIR/lib/libcuda.so.1, CUDA 12.4, but cuInit returned 803 (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)" ]
}

@test "the simulated GPU is called simulated" {
	requires jq nogpu
	export LD_LIBRARY_PATH="$SIMLIB"
	[[ "$(check libcuda)" =~ ^"ok $SIMLIB/libcuda.so.1, CUDA 13."[0-9]+", "[1-9][0-9]*" device"s?": cudasim" ]]
	[[ "$(check simulated)" == "degraded "* ]]
}

@test "the library for other programs is found beside the tools, and missed when it is not there" {
	requires jq
	[[ "$(check injection)" == "ok "*"/lib/libgpuscope-cuda.so" ]]
	env="env GPUSCOPE_CUDA_LIB=/nowhere/lib.so"
	[ "$(check injection)" = "missing libgpuscope-cuda.so not found" ]
	[[ "$(tool_status gpurec)" == "degraded "* ]]
}

@test "tools that only read files work everywhere" {
	requires jq
	for t in gpureport gputimeline gpuflame gpuimport gpudiff flamegraph; do
		[ "$(env=unprivileged tool_status $t)" = "ok null" ]
	done
}

@test "every tool of the suite has a verdict" {
	requires jq
	want="$(ls "$ROOT"/tools/*.c | sed 's|.*/||; s|\.c$||' | grep -v '^gpucheck$' | sort)"
	[ "$("$tool" -j | jq -r '.tools[].tool' | sort)" = "$want" ]
}

@test "wrong command lines exit 2, a full disk 1" {
	run -2 "$tool" --frobnicate
	[ "$output" = 'gpucheck: unknown option "--frobnicate" (--help lists them)' ]
	run -2 "$tool" extra
	[ "$output" = 'gpucheck: unexpected argument "extra"' ]
	run -1 bash -c "'$tool' 2>&1 > /dev/full"
	[ "$output" = "gpucheck: cannot write the output: No space left on device" ]
}

# hook VERSION HOOK: "status probe" of one hook of uvmfault on a release
hook() { "$tool" --driver "$1" -j | jq -r --arg h "$2" '.probes[] | select(.set == "uvm" and .hook == $h) | "\(.status) \(.probe)"'; }

@test "--driver: the hooks of each release are by its own functions" {
	requires jq
	[ "$(hook 535.261.03 batches)" = "ok fexit nvidia_uvm:uvm_gpu_service_replayable_faults" ]
	[ "$(hook 570.133.20 batches)" = "ok fexit nvidia_uvm:uvm_parent_gpu_service_replayable_faults" ]
	[ "$(hook 595.45.04 'non-replayable faults')" = "ok fexit nvidia_uvm:uvm_parent_gpu_service_non_replayable_fault_buffer" ]
	[ "$(hook 570.86.15 'access counters')" = "ok fexit nvidia_uvm:uvm_parent_gpu_service_access_counters" ]
	[ "$(hook 570.133.20 'access counters')" = "ok fexit nvidia_uvm:uvm_service_access_counters" ]
	[ "$(hook 515.43.04 'ATS service')" = "degraded null" ]
	[ "$("$tool" --driver 570.133.20 -j | jq -c '[.release, .known, (.fields_missing | contains(["space_gpus"]))]')" = '["570.133.20",true,true]' ]
}

@test "--driver: every function of NVIDIA's modules that a probe hooks is known in some release" {
	for version in 515.43.04 535.261.03 550.163.01 570.133.20 595.45.04; do
		"$tool" --driver "$version" > "$BATS_TEST_TMPDIR/out"
		[ "$(grep -c 'nvidia_uvm:\|nvidia:' "$BATS_TEST_TMPDIR/out")" -ge 20 ]
		run ! grep 'in no known release' "$BATS_TEST_TMPDIR/out"
	done
}

@test "--driver: a version that is no release is said, and so is a word that is no version" {
	run -0 "$tool" --driver 570.250
	[ "${lines[0]}" = "driver 570.250 is no release that is known: below is 570.211.01" ]
	run -2 "$tool" --driver newest
	[ "$output" = 'gpucheck: --driver wants a version such as 570.133.20, not "newest"' ]
}

@test "what gpucheck says of a release is what the built modules show" {
	requires vm
	requires driver
	# shellcheck disable=SC2016	# for the guest's shell
	vm "$CELL" 'load soft; jq="[.probes[] | select(.set == \"uvm\") | [.hook, .status, .probe]] | sort"
		$O/bin/gpucheck -j | jq "$jq" > /tmp/here
		$O/bin/gpucheck -j --driver "$(cat /sys/module/nvidia_uvm/version)" | jq "$jq" > /tmp/release
		jq length /tmp/here; diff /tmp/here /tmp/release' > "$BATS_TEST_TMPDIR/out" || { cat "$BATS_TEST_TMPDIR/out"; false; }
	[ "$(head -n 1 "$BATS_TEST_TMPDIR/out")" -ge 18 ]
}
