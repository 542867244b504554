# gpurec -p: processes that run already. They were started with the library in CUDA_INJECTION64_PATH and nothing else;
# tests/inject/cuda.c takes its acts from a pipe, so that each is before, in or after a recording.

setup_file() {
	load helpers
	export PROGRAM="$BATS_FILE_TMPDIR/cuda"
	[ -e "$SIMLIB/libcuda.so.1" ] || return 0
	"${CC:-cc}" -O2 -g -D_GNU_SOURCE -I"$ROOT/cupti" -I"$ROOT/bpf" "$ROOT/tests/inject/cuda.c" "$SIMLIB/libcuda.so.1" \
		-Wl,-rpath,"$SIMLIB" -lpthread -o "$PROGRAM"
}

setup() {
	load helpers
	requires nogpu
	LIB="$O/lib/libgpuscope-cuda.so"
	DIR="$BATS_TEST_TMPDIR"
	cd "$DIR" || return
	target=
}

teardown() {
	exec 7>&- 8<&- || true
	[ -z "$target" ] || kill -9 "$target" 2> /dev/null || true
}

# prepared COMMAND...: in the background, its acts come through tell; its process is $target
prepared() {
	mkfifo to from
	(
		export CUDA_INJECTION64_PATH="$LIB" NVTX_INJECTION64_PATH="$LIB" LD_LIBRARY_PATH="$SIMLIB"
		exec "$@" < to > from 3>&-
	) &
	target=$!
	exec 7> to 8< from
}

# tell ACT...: each is done when this returns
tell() {
	local a line
	for a; do
		echo "$a" >&7
		until read -r -t 20 line <&8 && [ "$line" = "done" ]; do
			[ -n "$line" ] || return 1
			echo "$line" >> said
		done
	done
}

# attach FILE [OPTION...]: gpurec -p of $target in the background ($recorder), until it records CUDA
attach() {
	local file="$1"
	shift
	"$BIN/gpurec" -v -p "$target" -o "$file" "$@" 2> "$file.err" 3>&- 7>&- 8<&- &
	recorder=$!
	until_true grep -q "CUDA in process $target is recorded" "$file.err" || { cat "$file.err"; return 1; }
}

detach() {
	kill -INT "$recorder"
	wait "$recorder"
}

json() { "$BIN/gpureport" -j "$1" > "$1.json" && jq -c "$2" "$1.json"; }
# counts FILE: kernels, copies, sets, API calls, then what must be 0: operations without a call, names without a text,
# records lost
counts() {
	json "$1" '[.kernels.count, .memcpy.count, .memset.count, .api.count,
		.links.operation_call_none + .links.undefined_names, .lost.total]'
}
# held: what the target has: descriptors, threads, mappings of ours
held() { echo "$(ls "/proc/$target/fd" | wc -l) $(ls "/proc/$target/task" | wc -l) $(grep -c gpuscope "/proc/$target/maps")"; }

# finish: the program ends by itself, and well
finish() {
	exec 7>&-
	wait "$target"
	target=
}

@test "what is done while attached is recorded, one for one, and nothing before or after" {
	prepared "$PROGRAM" init obey
	tell launch=5 copy=3 sync
	attach a.gst --probes none
	tell launch=23 copy=7 set=3 bad sync
	detach
	let_go() { : > said; tell helper; grep -q "^helper 1 rings 0$" said; }
	tell launch=11 sync
	until_true let_go
	[ "$(counts a.gst)" = "[23,7,3,35,0,0]" ] || { counts a.gst; false; }
	finish
}

@test "attached again and again: each recording is whole, and the program is as before" {
	prepared "$PROGRAM" init launch=1 sync obey
	tell helper
	local i before
	attach warm.gst --probes none	# CUPTI is loaded, and stays
	tell launch=1 sync
	detach
	tell ms=60
	before="$(held)"
	for i in 1 2 3 4 5; do
		attach a$i.gst --probes none
		tell launch=$((100 * i)) sync
		detach
		tell launch=7 sync
		[ "$(counts a$i.gst)" = "[$((100 * i)),0,0,$((100 * i + 1)),0,0]" ] || { counts a$i.gst; false; }
	done
	gone() { [ "$(held)" = "$before" ]; }
	until_true gone || { held; echo "before: $before"; false; }
	finish
}

# Ids of calls that are recorded and of calls that are not lie mixed around both ends of such a recording.
@test "64 threads that launch without a pause: each operation of a dozen recordings has its call" {
	prepared "$PROGRAM" init crowd=1000000
	busy() { [ "$(ls "/proc/$target/task" | wc -l)" -ge 66 ]; }
	until_true busy
	local i before some=0
	for i in $(seq 12); do
		[ "$i" -ne 3 ] || before="$(held)"
		"$BIN/gpurec" -p "$target" -o a.gst --probes none -d 40ms 2> a.err
		# a call may be lost where the recorder is kept from reading: then that is said
		[ "$(json a.gst '.links.operation_call_none + .links.undefined_names <= .lost.total')" = true ] ||
			{ jq -c '.links, .lost' a.gst.json; false; }
		some=$((some + $(jq '.kernels.count' a.gst.json)))
	done
	[ "$some" -gt 0 ]
	gone() { [ "$(held)" = "$before" ]; }
	until_true gone || { held; echo "before: $before"; false; }
}

@test "a second recorder is told that another has it, and disturbs nothing" {
	prepared "$PROGRAM" init obey
	attach a.gst --probes none
	run -0 "$BIN/gpurec" -p "$target" -o b.gst --probes none -d 500ms
	[[ "$output" == *"cannot record CUDA in process $target: another recorder has it"* ]]
	tell launch=9 sync
	detach
	[ "$(counts a.gst)" = "[9,0,0,10,0,0]" ]
	finish
}

@test "a recorder that is killed lets go of the program: the next one has it" {
	prepared "$PROGRAM" init obey
	attach a.gst --probes none
	tell launch=9 sync ms=300
	kill -9 "$recorder"
	wait "$recorder" || true
	let_go() { : > said; tell helper; grep -q "^helper 1 rings 0$" said; }
	until_true let_go
	attach b.gst --probes none
	tell launch=4 sync
	detach
	[ "$(counts b.gst)" = "[4,0,0,5,0,0]" ]
	finish
}

@test "a process that has not begun with CUDA comes when it does" {
	prepared "$PROGRAM" obey
	"$BIN/gpurec" -v -p "$target" -o a.gst --probes none 2> a.err 3>&- 7>&- 8<&- &
	recorder=$!
	until_true test -s a.gst
	tell init
	until_true grep -q "CUDA in process $target is recorded" a.err
	tell launch=6 sync
	detach
	[ "$(counts a.gst)" = "[6,0,0,7,0,0]" ]
	finish
}

@test "a program that has called NVTX and not CUDA comes, too" {
	prepared "$PROGRAM" nvtx obey
	attach a.gst --probes none
	detach
	finish
}

@test "the recording ends with the process, by time, or by Ctrl-C; its exit code is 0" {
	prepared "$PROGRAM" init obey
	attach a.gst --probes none
	tell launch=3 sync
	finish
	wait "$recorder"
	[ "$(counts a.gst)" = "[3,0,0,4,0,0]" ]
	rm -f to from
	prepared "$PROGRAM" init obey
	run -0 "$BIN/gpurec" -p "$target" -o b.gst --probes none -d 300ms
	finish
}

@test "stopped while attached: the recorder ends all the same and says what may be missing" {
	prepared "$PROGRAM" init obey
	attach a.gst --probes none
	tell launch=3 sync ms=300
	kill -STOP "$target"
	detach
	grep -q "did not hand over all that it had" a.gst.err
	[ "$(json a.gst .lost.of_unknown_count)" = 1 ]
	kill -CONT "$target"
	tell launch=1 sync
	finish
}

@test "a program that closes every descriptor can still be attached to" {
	requires root
	prepared "$PROGRAM" init obey
	tell closeall
	attach a.gst --probes none
	tell launch=8 sync
	detach
	[ "$(counts a.gst)" = "[8,0,0,9,0,0]" ]
	finish
}

@test "in namespaces of its own, below another root's eyes: found by its descriptors" {
	requires mounts
	mkdir -p rootdir
	prepared unshare --mount --net --ipc --uts --cgroup "$PROGRAM" init obey
	attach a.gst --probes none
	tell launch=8 sync
	detach
	[ "$(counts a.gst)" = "[8,0,0,9,0,0]" ]
	finish
}

@test "in a pid namespace: its records carry the host's ids" {
	requires bpf mounts
	prepared unshare --pid --fork --kill-child "$PROGRAM" init obey
	inside() { inner="$(pgrep -P "$target")"; }
	until_true inside
	"$BIN/gpurec" -v -p "$target" -o a.gst 2> a.err 3>&- 7>&- 8<&- &
	recorder=$!
	until_true grep -q "CUDA in process $inner is recorded" a.err
	tell launch=8 sync
	detach
	[ "$(counts a.gst)" = "[8,0,0,9,0,0]" ]
	[ "$(jq -c '[.by_process[].pid]' a.gst.json)" = "[$inner]" ]
	kill -9 "$target"
	wait "$target" || true
	target=
}

@test "with the kernel's side: threads that ran already, CPU stacks of calls, children of later" {
	requires bpf
	prepared "$PROGRAM" init obey
	attach a.gst
	tell launch=40 sync patient=2
	detach
	grep -q "^gpurec: " a.gst.err
	[ "$(json a.gst '[.by_process[].kernels] | sort')" = "[5,5,40]" ] || { jq -c .by_process a.gst.json; false; }
	[ "$(json a.gst .links.operation_stack_exact)" -ge 40 ] || { jq -c .links a.gst.json; false; }
	[ "$(json a.gst .host.all.off_cpu)" -gt 0 ] || { jq -c .host a.gst.json; false; }
	finish
}

# cgroup2 NAME: a new group; where version 2 is not mounted, in a mount of this test's
cgroup2() {
	local at
	at="$(findmnt -n -t cgroup2 -o TARGET | head -1)"
	if [ -z "$at" ]; then
		mkdir -p cg
		mount -t cgroup2 none cg 2> /dev/null || skip "this machine has no cgroups of version 2"
		at="$DIR/cg"
	fi
	group="$at/gpuscope-$$-$1"
	mkdir "$group" 2> /dev/null || skip "no cgroup of version 2 can be made here"
}

@test "--cgroup: who is in it, whoever comes into it, and nobody else" {
	requires bpf mounts findmnt
	cgroup2 attach
	prepared "$PROGRAM" init obey
	echo "$target" > "$group/cgroup.procs"
	CUDA_INJECTION64_PATH="$LIB" LD_LIBRARY_PATH="$SIMLIB" "$PROGRAM" init ms=60000 > /dev/null 3>&- 7>&- 8<&- &
	stranger=$!
	"$BIN/gpurec" -v --cgroup "$group" -o a.gst 2> a.err 3>&- 7>&- 8<&- &
	recorder=$!
	until_true grep -q "CUDA in process $target is recorded" a.err || { cat a.err; false; }
	tell launch=8 sync
	# one that comes into it as container runtimes do: it moves, then executes
	sh -c 'echo $$ > "$1/cgroup.procs"; shift; exec env "$@"' sh "$group" CUDA_INJECTION64_PATH="$LIB" \
		LD_LIBRARY_PATH="$SIMLIB" "$PROGRAM" init await launch=3 sync > late 3>&- 7>&- 8<&-
	detach
	kill -9 "$stranger"
	finish
	[ "$(json a.gst '[.by_process[].kernels] | sort')" = "[3,8]" ] || { jq -c .by_process a.gst.json; false; }
	run ! grep -q "process $stranger" a.err
	rmdir "$group"
	! mountpoint -q cg || umount cg
}

@test "several processes at once" {
	requires bpf
	prepared "$PROGRAM" init obey
	CUDA_INJECTION64_PATH="$LIB" LD_LIBRARY_PATH="$SIMLIB" "$PROGRAM" init await launch=4 sync > other 3>&- 7>&- 8<&- &
	other=$!
	"$BIN/gpurec" -v -p "$target,$other" -o a.gst 2> a.err 3>&- 7>&- 8<&- &
	recorder=$!
	until_true grep -q "CUDA in process $target is recorded" a.err
	tell launch=8 sync
	wait "$other"
	finish
	wait "$recorder"	# both have ended
	[ "$(json a.gst '[.by_process[].kernels] | sort')" = "[4,8]" ] || { jq -c .by_process a.gst.json; false; }
}

@test "started without the library: said, and the kernel's side is recorded" {
	requires bpf
	mkfifo to from
	(LD_LIBRARY_PATH="$SIMLIB" exec "$PROGRAM" init obey < to > from 3>&-) &
	target=$!
	exec 7> to 8< from
	"$BIN/gpurec" -p "$target" -o a.gst 2> a.err 3>&- 7>&- 8<&- &
	recorder=$!
	until_true grep -q "cannot record CUDA in process $target (cuda): it was started without the library" a.err
	tell launch=8 sync
	detach
	[ "$(counts a.gst)" = "[0,0,0,0,0,0]" ]
	jq -e '.notes[] | select(contains("started without the library"))' a.gst.json
	finish
}

@test "without privileges: one's own process gives its CUDA; another's does not" {
	requires nobody
	chmod 777 .
	prepared setpriv --reuid 65534 --regid 65534 --clear-groups "$PROGRAM" init obey
	cp -r /dev/null out.gst
	chmod 666 out.gst
	mkdir -m 777 pub
	unprivileged "$BIN/gpurec" -v -p "$target" -o pub/a.gst 2> a.err 3>&- 7>&- 8<&- &
	recorder=$!
	said_it() { grep -qE "CUDA in process $target is recorded|may not be traced" a.err; }
	until_true said_it || { cat a.err; false; }
	tell launch=8 sync
	pkill -INT -P "$recorder" gpurec || kill -INT "$recorder"
	wait "$recorder" || true
	finish
	CUDA_INJECTION64_PATH="$LIB" sim "$PROGRAM" init ms=3000 > /dev/null 3>&- &
	target=$(pgrep -n -P $$ -f "init ms=3000" || echo $!)
	run unprivileged "$BIN/gpurec" -p "$target" -o pub/b.gst -d 200ms
	[[ "$output" == *"may not be traced"* ]] || { echo "$output"; false; }
}

@test "what cannot be attached to is said, with a way out" {
	run -125 "$BIN/gpurec" -p 4194304 -o a.gst
	[[ "$output" == "gpurec: cannot record process 4194304: there is none"* ]]
	[ ! -e a.gst ]
	run -2 "$BIN/gpurec" -p 1 -- true
	[[ "$output" == *"not both"* ]]
	run -2 "$BIN/gpurec" -p x
	run -2 "$BIN/gpurec" -d 1s
	[[ "$output" == *"-p PID"* ]]
}
