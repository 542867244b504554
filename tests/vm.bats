#!/usr/bin/env bats
# The cells: a Debian kernel in a guest with an IOMMU, two NUMA nodes and, where there is one, the real driver. What a
# working guest shows is collected in one run of it (facts), for a boot takes ten seconds.

setup() {
	load helpers
	requires vm
}

collect='
fact() { echo "== $*"; "$@" 2>&1; echo "exit $?"; }
btf() { ls /sys/kernel/btf | grep ^nvidia || echo "no BTF"; }
storm() { exercise "alloc a 4m; cpu write a 1024; gpu gpu0 $1 a $2 4k; where a" | sed "s/ step=.*//"; }
fact pwd
fact uname -r
echo talk >&2
fact sh -c "cd /sys/devices/system/node && ls -d node[0-9]* && cat node1/cpulist"
fact ls /sys/class/iommu
fact sh -c "dmesg -t | grep \"DMAR: IOMMU enabled\""
fact sh -c "echo x > $PWD/tests/written && ls tests/written && rm README.md && echo y > $O/vm/written"
if [ "$NVMAJOR" != 0 ]; then
	fact load soft
	fact btf
	fact storm write 512
	fact unload
	fact load nobtf soft
	fact btf
	fact storm read 100
	fact unload uvm
	fact load uvm
	fact storm atomic 7
	fact unload
	fact sh -c "lsmod | grep -E \"nvidia|fake\""
	export FAKEGPU=count=3
	fact load nvidia
	fact btf
	fact sh -c "cd /dev && ls nvidia*"
	fact sh -c "cd /proc/driver/nvidia/gpus && ls"
	fact sh -c "cat /sys/bus/pci/devices/0000:4*/numa_node"
	fact unload
fi
exit 7'

facts() {
	FACTS="$BATS_FILE_TMPDIR/facts"
	[ -e "$FACTS" ] || {
		cd "$ROOT" || return
		rm -f "$O/vm/written"
		status=0
		vm "$CELL" "$collect" > "$FACTS" 2> "$FACTS.talk" || status=$?
		echo "== status
$status" >> "$FACTS"
	}
}

# shows COMMAND TEXT...: whether the COMMAND of the guest said just that; the NUMBERth of its kind
shows() {
	local what="$1" number=1
	shift
	case "$what" in [0-9]*) number="${what%% *}" what="${what#* }" ;; esac
	run -0 awk -v n="$number" -v w="== $what" '$0 == w { at = !--n; next } /^== / { at = 0 } at' "$FACTS"
	[ "$output" = "$(printf '%s\n' "$@")" ] || { echo "$what:"; echo "$output"; cat "$FACTS.talk"; false; }
}

@test "a cell runs a command in this folder and passes on its output, its talk and its exit status" {
	facts
	shows pwd "$ROOT" 'exit 0'
	shows status 7
	grep -qx talk "$FACTS.talk"
}

@test "a guest runs the kernel of its cell, with two NUMA nodes and an IOMMU that is on" {
	facts
	shows 'uname -r' "$(cat "${VM_CACHE:-$O/vm}/kernel-${CELL%/*}"-*/kver)" 'exit 0'
	shows 'sh -c cd /sys/devices/system/node && ls -d node[0-9]* && cat node1/cpulist' node0 node1 1 'exit 0'
	shows 'ls /sys/class/iommu' dmar0 'exit 0'
	shows 'sh -c dmesg -t | grep "DMAR: IOMMU enabled"' 'DMAR: IOMMU enabled' 'exit 0'
}

@test "what a guest writes stays there, but below the build folder" {
	facts
	shows "sh -c echo x > $ROOT/tests/written && ls tests/written && rm README.md && echo y > $O/vm/written" tests/written 'exit 0'
	[ ! -e "$ROOT/tests/written" ]
	[ -s "$ROOT/README.md" ]
	[ "$(cat "$O/vm/written")" = y ]
}

@test "the real nvidia-uvm.ko loads on software GPUs, with its BTF or without" {
	requires driver
	facts
	shows 'load soft' 'exit 0'
	shows btf nvidia_uvm 'exit 0'
	shows 'load nobtf soft' 'exit 0'
	shows '2 btf' 'no BTF' 'exit 0'
}

@test "every fault of a storm of known size is served, as the driver's own events say" {
	requires driver
	facts
	for storm in 'write 512' 'read 100' 'atomic 7'; do
		run -0 awk -v w="== storm $storm" '$0 == w { at = 1; next } /^== / { at = 0 } at' "$FACTS"
		[ "$(grep -c "^truth fault gpu=gpu0 .* access=${storm% *} " <<< "$output")" -eq "${storm#* }" ]
		grep -qx "truth tools kind=gpu_fault src=gpu0 dst=cpu cause=${storm% *} n=${storm#* } bytes=0" <<< "$output"
		grep -qE '^truth where addr=0x[0-9a-f]+ resident=gpu0 ' <<< "$output"
		[ "${lines[-1]}" = 'exit 0' ]
	done
}

@test "the driver unloads and loads again" {
	requires driver
	facts
	for n in 1 2 3; do shows "$n unload" 'exit 0'; done
	shows 'unload uvm' 'exit 0'
	shows 'load uvm' 'exit 0'
	shows 'sh -c lsmod | grep -E "nvidia|fake"' 'exit 1'
}

@test "the real nvidia.ko loads on three PCI devices, near both NUMA nodes" {
	requires driver
	facts
	shows 'load nvidia' 'exit 0'
	shows '3 btf' nvidia nvidia_uvm 'exit 0'
	shows 'sh -c cd /dev && ls nvidia*' nvidia-uvm nvidia-uvm-tools nvidia0 nvidia1 nvidia2 nvidiactl 'exit 0'
	shows 'sh -c cd /proc/driver/nvidia/gpus && ls' 0000:40:00.0 0000:41:00.0 0000:42:00.0 'exit 0'
	shows 'sh -c cat /sys/bus/pci/devices/0000:4*/numa_node' 0 0 1 'exit 0'
}

@test "the probes of the recorder work on the kernel of the cell: every operation has its call and its stack" {
	requires nogpu
	export GST="$O/vm/demo-$BATS_TEST_NUMBER.gst"
	run -0 --separate-stderr vm "$CELL" "export LD_LIBRARY_PATH=$SIMLIB CUDASIM_IOCTL=1; $BIN/gpurec -v -o $GST -- $PROG/demo"
	[[ "$stderr" != *"cannot"* ]]
	kernels="$(sed -n 's/^expect kernels //p' <<< "$output")"
	copies="$(sed -n 's/^expect copies //p' <<< "$output")"
	sets="$(sed -n 's/^expect sets //p' <<< "$output")"
	"$BIN/gpureport" -j -i "$GST" > "$BATS_TEST_TMPDIR/report"
	[ "$(value "$BATS_TEST_TMPDIR/report" .links.operation_call_exact)" -eq $((kernels + copies + sets)) ]
	[ "$(value "$BATS_TEST_TMPDIR/report" .links.operation_stack_exact)" -eq $((kernels + copies + sets)) ]
	[ "$(value "$BATS_TEST_TMPDIR/report" .links.host_call_exact)" -gt 0 ]
}

@test "a guest that does not end in time is killed, and it is said" {
	VM_TIMEOUT=3 run -124 vm "$CELL" 'sleep 100'
	[[ "$output" == *"vm: cannot run $CELL: not done after 3 s; its console ends so:"* ]]
}

@test "a guest that dies shows its console" {
	run -125 vm "$CELL" 'seq -f "line %g" 100 > /dev/ttyS0; echo c > /proc/sysrq-trigger'
	[[ "$output" == *"vm: cannot run $CELL: the guest died; its console ends so:"*"sysrq triggered crash"* ]]
	console="$(sed -n 's/^vm: the whole console: //p' <<< "$output")"
	[[ "$output" != *"line 1"$'\n'* ]]
	grep -qx "line 1" "$console"
	grep -q "sysrq triggered crash" "$console"
}

@test "a guest that the emulator fails before it ran anything is started again, and it is said" {
	cat > "$O/vm/init-$$" <<- END
	#!/bin/bash
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	job="\$(sed 's/.* vm.job=\([^ ]*\).*/\1/' /proc/cmdline)"
	[ ! -e "\$job/before" ] || exec "$ROOT/tests/vm/guest/init"
	: > "\$job/before"
	echo "Oops: int3: 0000" > /dev/ttyS0
	sync
	echo o > /proc/sysrq-trigger
	sleep 60
	END
	VM_APPEND="vm.init=$O/vm/init-$$" run -0 vm "$CELL" 'echo it ran'
	rm "$O/vm/init-$$"
	[ "$(grep -c 'died of a stale int3 before it ran anything: started again' <<< "$output")" -eq 1 ]
	[ "$(grep -cx 'it ran' <<< "$output")" -eq 1 ]
}

@test "a warning of the kernel makes a command that succeeded fail" {
	run -123 vm "$CELL" 'echo "<4>BUG: seeded" > /dev/kmsg'
	[[ "$output" == *"vm: the kernel of $CELL gave a warning:"*"BUG: seeded"* ]]
}

# guests: the processes of the guests of this test, named by its own parameter
guests() { pgrep -f "qemu-system-x86_64 .* $BATS_TEST_TMPDIR "; }
no_guests() { ! guests; }

# later COMMAND: a guest in the background, with places of this test's own; its talk in $BATS_TEST_TMPDIR/out
later() {
	VM_SLOTS="$BATS_TEST_TMPDIR" VM_APPEND="$BATS_TEST_TMPDIR" \
		"$ROOT/tests/vm/vm" "$CELL" "$1" > "$BATS_TEST_TMPDIR/out" 2>&1 3>&- 5>&- 6>&- &
	later=$!
	disown
}

teardown() { [ -z "${later:-}" ] || kill -9 "$later" 2> /dev/null || :; }

@test "a vm that is killed leaves no guest behind" {
	for signal in TERM HUP KILL; do
		later 'sleep 100'
		until_true guests
		kill -"$signal" "$later"
		until_true no_guests
	done
}

@test "two guests may run at once, a third waits for its turn" {
	exec 5>> "$BATS_TEST_TMPDIR/slot1" 6>> "$BATS_TEST_TMPDIR/slot2"
	flock -n 5
	flock -n 6
	later 'sleep 100'
	until_true grep -qx 'vm: two guests are running: waiting for one to end' "$BATS_TEST_TMPDIR/out"
	run ! guests
	flock -u 6
	until_true guests
	run ! flock -n "$BATS_TEST_TMPDIR/slot2" true
}

@test "a cell that does not exist is named with those that do" {
	run -1 vm 6.1/999 true
	[ "$output" = "vm: cannot run '6.1/999': no such cell (6.1/535 6.1/550 6.1/none 6.12/535 6.12/550 6.12/none sid/none)" ]
}
