#!/bin/bash
# run.sh OUT: in the guest, gpuioctl and gpurec watch nvctl in each way there is; what they print and the
# truth are left in the folder OUT for tests/gpuioctl_vm.bats.
set -u
out="$1"
tool="$O/bin/gpuioctl"

# watched NAME COMMAND...: until it watches; its pid is in $pid
watched() {
	local name="$1"
	shift
	"$@" > "$out/$name.json" 2> "$out/$name.err" &
	pid=$!
	until readlink /proc/$pid/fd/* 2> /dev/null | grep -q eventpoll; do
		kill -0 $pid 2> /dev/null || { cat "$out/$name.err"; exit 1; }
		sleep 0.1
	done
}

ended() {
	kill -INT "$1"
	wait "$1" || echo "$1 failed"
}

# mode NAME ARG...: nvctl and its children under gpuioctl ARG...
mode() {
	local name="$1"
	shift
	watched "$name" "$tool" -j -v -I 500ms "$@"
	"$CELL_DIR/nvctl" 300 3 > "$out/$name.truth"
	ended $pid
}

# one_of_two NAME ARG...: two programs, of which gpuioctl watches the one behind `go`
one_of_two() {
	local name="$1"
	shift
	watched "$name" "$tool" -j "$@"
	"$CELL_DIR/nvctl" 10 > "$out/$name.others"
	echo > /tmp/go
	wait $only
	ended $pid
}

waiting() {	# NAME: nvctl in a process whose id is known, when /tmp/go is written
	rm -f /tmp/go
	mkfifo /tmp/go
	sh -c 'read -r _ < /tmp/go; exec "$1" 10' sh "$CELL_DIR/nvctl" > "$out/$1.truth" &
	only=$!
}

load nvidia || exit 1
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
until readlink /proc/$recorder/fd/* 2> /dev/null | grep -q eventpoll; do sleep 0.1; done
"$CELL_DIR/nvctl" 300 3 > "$out/each.truth"
ended $pid
ended $recorder

"$O/bin/gpurec" -o "$out/gpurec.gst" -- "$CELL_DIR/nvctl" 300 3 > "$out/gpurec.truth" 2> "$out/gpurec.err"

# what a call costs, alone and under each kind of probe
"$CELL_DIR/nvctl" bench 5000 > "$out/cost"
for kind in fentry kprobe syscall; do
	watched cost "$tool" --cost --probe $kind -j
	echo "$kind $("$CELL_DIR/nvctl" bench 5000)" >> "$out/cost"
	ended $pid
	jq -r 'select(.schema == "gpuscope.cost.0") | .programs[] | select(.runs > 4999) | [.program, .runs, .run_ns] | join(" ")' "$out/cost.json" |
		sed "s/^/$kind /" >> "$out/cost"
done

# the modules go and come while it watches: by kprobes, which let them go; each of the functions has two
mount -t debugfs none /sys/kernel/debug 2> /dev/null
watched reload "$tool" -j --probe kprobe
"$CELL_DIR/nvctl" 10 > "$out/reload.truth"
unload || exit 1
until grep -q 'nvidia was unloaded' "$out/reload.err"; do kill -0 $pid || exit 1; sleep 0.1; done
load nobtf nvidia || exit 1
until [ "$(grep -c nvidia /sys/kernel/debug/kprobes/list)" -ge 26 ]; do kill -0 $pid || exit 1; sleep 0.1; done
"$CELL_DIR/nvctl" 10 >> "$out/reload.truth"
ended $pid

mode nobtf
dmesg -t | grep -e "cut here" -e "BUG:" > "$out/warnings"
