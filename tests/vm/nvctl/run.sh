#!/bin/bash
# run.sh OUT: in the guest, gpuioctl and gpurec watch nvctl in each way there is; what they print and the
# truth are left in the folder OUT for tests/gpuioctl_vm.bats. Ends with the line "done" when all was run.
set -u
out="$1"
tool="$O/bin/gpuioctl"

fail() {
	echo "run.sh: $*"
	exit 1
}

polls() { readlink "/proc/$1/fd/"* 2> /dev/null | grep -q eventpoll; }

# until_true PID COMMAND...: as long as PID lives; the guest's time bounds it
until_true() {
	local pid="$1"
	shift
	until "$@"; do
		kill -0 "$pid" 2> /dev/null || fail "it ended before this came true: $* ($(tail -n 3 "$out"/*.err))"
		sleep 0.1
	done
}

# asks NAME ARG...: nvctl. It and its children write to one file, which a 9p folder was seen to lose lines of.
asks() {
	local name="$1"
	shift
	"$CELL_DIR/nvctl" "$@" > /run/truth || fail "nvctl $*: exit $?"
	cat /run/truth >> "$out/$name"
}

# watched NAME COMMAND...: until it watches; its pid is in $pid
watched() {
	local name="$1"
	shift
	"$@" > "$out/$name.json" 2> "$out/$name.err" &
	pid=$!
	until_true $pid polls $pid
}

ended() {
	kill -INT "$1"
	wait "$1" || fail "the tool: exit $?"
}

# mode NAME ARG...: nvctl and its children under gpuioctl ARG...
mode() {
	local name="$1"
	shift
	watched "$name" "$tool" -j -v -I 500ms "$@"
	asks "$name.truth" 300 3
	ended $pid
}

# one_of_two NAME ARG...: two programs, of which gpuioctl watches the one behind `go`
one_of_two() {
	local name="$1"
	shift
	watched "$name" "$tool" -j "$@"
	asks "$name.others" 10
	echo > /tmp/go
	wait $only || fail "nvctl: exit $?"
	ended $pid
}

waiting() {	# NAME: nvctl in a process whose id is known, when /tmp/go is written
	rm -f /tmp/go
	mkfifo /tmp/go
	sh -c 'read -r _ < /tmp/go; exec "$1" 10' sh "$CELL_DIR/nvctl" > "$out/$1.truth" &
	only=$!
}

# what the program loads itself has majors that nobody could know beforehand
"$O/bin/gpurec" -o "$out/early.gst" -- sh -c 'load nvidia > /dev/null && exec nvctl 10' > /run/truth 2> "$out/early.err" ||
	fail "gpurec: exit $? ($(tail -n 3 "$out/early.err"))"
cat /run/truth > "$out/early.truth"
mode best
mode kprobe --probe kprobe
mode syscall --probe syscall

waiting pid
one_of_two pid -p $only
mkdir -p /tmp/cgroup
mount -t cgroup2 none /tmp/cgroup && mkdir /tmp/cgroup/only && waiting cgroup
echo $only > /tmp/cgroup/only/cgroup.procs
one_of_two cgroup --cgroup /tmp/cgroup/only

"$tool" --each -o "$out/each.gst" 2> "$out/recorder.err" &
recorder=$!
watched each "$tool" -j --each
until_true $recorder polls $recorder
asks each.truth 300 3
ended $pid
ended $recorder

"$O/bin/gpurec" -o "$out/gpurec.gst" -- "$CELL_DIR/nvctl" 300 3 > /run/truth 2> "$out/gpurec.err" ||
	fail "gpurec: exit $? ($(tail -n 3 "$out/gpurec.err"))"
cat /run/truth > "$out/gpurec.truth"

# the modules go and come while it watches, one after the other: by kprobes, which let them go
said() { until_true $pid grep -q "$1" "$out/reload.err"; }
watched reload "$tool" -j --probe kprobe
asks reload.truth 10
unload || fail "the modules stay"
said 'nvidia was unloaded'
load nobtf rm || fail "nvidia.ko without BTF"
said 'nvidia was loaded up to .* ms before its functions were probed'
load nobtf uvm || fail "nvidia-uvm.ko without BTF"
said 'nvidia_uvm was loaded up to .* ms before its functions were probed'
asks reload.truth 10
ended $pid

mode nobtf
dmesg -t | grep -e "cut here" -e "BUG:" > "$out/warnings"
echo "done"
