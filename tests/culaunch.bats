#!/usr/bin/env bats
# culaunch on the simulated GPU: real probes and records; what it must say follows from the
# arguments of tests/programs/launches.c.

setup() {
	load helpers
	requires nogpu
	tool="$BIN/culaunch"
	app="$PROG/launches"
	lib="$SIMLIB/libcuda.so.1"
	gst="$BATS_TEST_TMPDIR/t.gst"
}

# launches of the last traced run as JSON, filtered by jq
launches() { jq -c "select(.schema == \"gpuscope.launch.0\") | $1" "$out"; }

# start APP ARG...: runs it in the background until it is ready; go lets it go on and waits for it
start() {
	mkfifo "$BATS_TEST_TMPDIR/in"
	"$@" < "$BATS_TEST_TMPDIR/in" > "$BATS_TEST_TMPDIR/said" 3>&- &
	started=$!
	exec 7> "$BATS_TEST_TMPDIR/in"
	until_true grep -q ready "$BATS_TEST_TMPDIR/said"
}
go() {
	echo go >&7
	exec 7>&-
	wait "$started"
}

@test "23 launches give 23 records, the last one failing, each with its own grid" {
	requires bpf jq
	trace "$tool" -j --lib "$lib" -- "$app" 23
	[ "$(launches .grid[0] | paste -sd,)" = "$(seq -s, 22),0" ]
	[ "$(launches 'select(.result != 0) | [.result, .result_name, .grid[1]]')" = '[1,"CUDA_ERROR_INVALID_VALUE",2]' ]
	[ "$(launches '[.comm, .block, .shared_bytes, .api]' | sort -u)" = '["launches",[128,1,1],512,"cuLaunchKernel"]' ]
	[ "$(launches .name | paste -sd' ' | head -c 29)" = '"_Z5saxpyPfj" "_Z5scalePfj" "' ]
	[ "$(launches 'select(.name == "_Z5saxpyPfj") | .func' | sort -u | wc -l)" -eq 1 ]
	[ "$(launches 'select(.dur_ns == 0)' | wc -l)" -eq 0 ]
	[ "$(tail -n 1 "$out")" = '{"schema":"gpuscope.end.0","records":23,"lost":0}' ]
	[ ! -s "$err" ]
}

@test "calls by configuration, cooperative ones and graphs are launches too" {
	requires bpf jq
	trace "$tool" -j --lib "$lib" -- "$app" 2 all
	[ "$(launches '[.api, .grid, .name]' | tail -n 3)" = \
'["cuLaunchKernelEx",[11,12,13],"_Z5saxpyPfj"]
["cuLaunchCooperativeKernel",[3,1,1],"_Z5scalePfj"]
["cuGraphLaunch",[0,0,0],null]' ]
	[ "$(launches 'select(.api == "cuLaunchKernelEx") | [.block, .shared_bytes]')" = '[[32,2,1],256]' ]
	[ "$(launches 'select(.api != "cuGraphLaunch") | .stream' | sort -u | wc -l)" -eq 1 ]
}

@test "a program of the runtime API is seen through the driver" {
	requires bpf jq
	trace "$tool" -j --lib "$lib" -- "$PROG/launchloop" 31 > "$BATS_TEST_TMPDIR/app"
	[ "$(launches .name | wc -l)" -eq "$(awk '/^expect api:cudaLaunchKernel / { print $3 }' "$BATS_TEST_TMPDIR/app")" ]
	[ "$(launches .name | sort -u)" = '"_ZN3ops5scaleIfEEvPT_j"' ]
}

@test "-f shows only what failed, --min only what took long" {
	requires bpf jq
	trace "$tool" -j -f --lib "$lib" -- "$app" 23
	[ "$(launches .result)" = 1 ]
	trace "$tool" -j --min 10s --lib "$lib" -- "$app" 23
	[ "$(tail -n 1 "$out")" = '{"schema":"gpuscope.end.0","records":0,"lost":0}' ]
}

@test "-p finds the library in that process, watches it alone, and knows its name" {
	requires bpf jq
	start "$app" 7 wait thread
	trace "$tool" -j -p "$started" -- sh -c "'$app' 5; echo go > '$BATS_TEST_TMPDIR/in'; tail --pid=$started -f /dev/null"
	exec 7>&-
	wait "$started"
	[ "$(launches .pid | sort | uniq -c | awk '{ print $1, $2 }')" = "7 $started" ]
	# a process is all its threads, not the one its id names
	[ "$(launches .tid | sort -u)" = "$(sed -n 's/^tid //p' "$BATS_TEST_TMPDIR/said")" ]
	# asked for their names before culaunch came: not known, and not guessed
	[ "$(launches .name | sort -u)" = null ]
}

@test "without -p the library of a running process is found" {
	requires bpf jq
	start "$app" 7 wait
	trace env -u LD_LIBRARY_PATH "$tool" -j -- sh -c "echo go > '$BATS_TEST_TMPDIR/in'; tail --pid=$started -f /dev/null"
	exec 7>&-
	wait "$started"
	[ "$(launches "select(.pid == $started)" | wc -l)" -eq 7 ]
}

@test "a library in another mount namespace and root is found by -p" {
	requires bpf jq mounts chroot
	root="$BATS_TEST_TMPDIR/root"
	mkdir -p "$root/lib64" "$root/lib" "$root/proc"
	cp "$app" "$root/launches"
	cp "$lib" "$root/lib/libcuda.so.1.0"
	ln -s /lib/libcuda.so.1.0 "$root/lib/libcuda.so.1"	# absolute: in our root it leads elsewhere
	ldd "$app" | sed -nE 's|^[^/]*(/.*) \(0x.*|\1|p' | grep -v cudasim | while read -r f; do cp -L "$f" "$root/lib/"; done
	cp -L "$(ldd "$app" | grep -oE '/[^ ]*ld-linux[^ ]*')" "$root/lib64/"
	cp -L "$SIMLIB/libcudart.so.13" "$root/lib/"
	start unshare -m env LD_LIBRARY_PATH=/lib chroot "$root" /launches 7 wait
	trace "$tool" -j -p "$started" -- sh -c "echo go > '$BATS_TEST_TMPDIR/in'; tail --pid=$started -f /dev/null"
	exec 7>&-
	wait "$started"
	[ "$(launches .pid | wc -l)" -eq 7 ]
	# a process of that root that has not loaded it yet: found by name, inside the root
	cp -L "$(command -v cat)" "$root/cat"
	mkfifo "$BATS_TEST_TMPDIR/wait"
	unshare -m env LD_LIBRARY_PATH=/lib chroot "$root" /cat < "$BATS_TEST_TMPDIR/wait" 3>&- &
	cat=$!
	exec 7> "$BATS_TEST_TMPDIR/wait"
	until_true grep -q /cat "/proc/$cat/maps"
	run -0 "$tool" -d 100ms -p "$cat"
	exec 7>&-
	wait "$cat"
}

@test "-t watches one thread" {
	requires bpf jq
	start "$app" 7 wait
	trace "$tool" -j -t "$started" --lib "$lib" -- sh -c "'$app' 5 thread; echo go > '$BATS_TEST_TMPDIR/in'; tail --pid=$started -f /dev/null"
	exec 7>&-
	wait "$started"
	[ "$(launches .tid | sort -u)" = "$started" ]
	[ "$(launches .tid | wc -l)" -eq 7 ]
}

@test "threads and processes are told apart" {
	requires bpf jq
	trace "$tool" -j --lib "$lib" -- sh -c "'$app' 5 thread > '$BATS_TEST_TMPDIR/tid'; '$app' 3"
	[ "$(launches .pid | uniq -c | awk '{ print $1 }' | paste -sd,)" = 5,3 ]
	[ "$(launches 'select(.tid != .pid) | .tid' | sort -u)" = "$(sed 's/tid //' "$BATS_TEST_TMPDIR/tid")" ]
}

@test "a recording replays as the table it would have been" {
	requires bpf
	trace "$tool" -o "$gst" --lib "$lib" -- "$app" 5
	[ ! -s "$out" ]
	run -0 unprivileged "$tool" -i - < "$gst"
	[ "${#lines[@]}" -eq 6 ]
	[[ "${lines[1]}" == *" launches "*" cuLaunchKernel "*" 1,2,1 "*" 128,1,1 "*" 512 "*" 0      saxpy(float*, unsigned int)" ]]
	[[ "${lines[5]}" == *" CUDA_ERROR_INVALID_VALUE saxpy(float*, unsigned int)" ]]
}

@test "-n stops after so many, -d after so long, both with success" {
	requires bpf jq
	"$tool" -j -n 7 --lib "$lib" > "$BATS_TEST_TMPDIR/n" 3>&- &
	pid=$!
	until_true attached $pid
	"$app" 23
	wait $pid
	[ "$(grep -c launch.0 "$BATS_TEST_TMPDIR/n")" -eq 7 ]
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/n")" = '{"schema":"gpuscope.end.0","records":7,"lost":0}' ]
	run -0 timeout 10 "$tool" -d 200ms --lib "$lib"
	[ "${#lines[@]}" -eq 1 ]
}

@test "SIGTERM ends it as Ctrl-C does: everything seen is printed" {
	requires bpf jq
	"$tool" -j --lib "$lib" > "$BATS_TEST_TMPDIR/n" 3>&- &
	pid=$!
	until_true attached $pid
	"$app" 23
	kill -TERM $pid
	wait $pid
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/n")" = '{"schema":"gpuscope.end.0","records":23,"lost":0}' ]
}

@test "a program that is killed in the middle leaves culaunch unharmed" {
	requires bpf jq
	start "$app" 100000 wait
	trace "$tool" -j --lib "$lib" -- sh -c "echo go > '$BATS_TEST_TMPDIR/in'; kill -9 $started; '$app' 3"
	exec 7>&-
	wait "$started" || true
	[ "$(launches "select(.pid != $started)" | wc -l)" -eq 3 ]
}

# flooded ARG...: the tool, stopped while 100003 launches pass
flooded() {
	"$tool" "$@" --lib "$lib" > "$BATS_TEST_TMPDIR/n" 2> "$BATS_TEST_TMPDIR/err" 3>&- &
	pid=$!
	until_true attached $pid
	kill -STOP $pid
	"$app" 100003
	kill -CONT $pid
	kill -INT $pid
	wait $pid
}

@test "what the ring could not take is counted to the record" {
	requires bpf jq
	flooded -j
	end="$(tail -n 1 "$BATS_TEST_TMPDIR/n")"
	lost="$(jq .lost <<< "$end")"
	[ "$(jq .records <<< "$end")" -eq "$(($(wc -l < "$BATS_TEST_TMPDIR/n") - 1))" ]
	[ "$lost" -gt 0 ]
	[ $(($(jq .records <<< "$end") + lost)) -eq 100003 ]
	[ "$(cat "$BATS_TEST_TMPDIR/err")" = "culaunch: $lost records lost (-v says where)" ]
}

@test "a recording says what it lost" {
	requires bpf jq
	flooded -o "$gst"
	end="$("$tool" -j -i "$gst" 2> "$BATS_TEST_TMPDIR/replay" | tail -n 1)"
	[ "$(jq .lost <<< "$end")" -gt 0 ]
	[ "$(jq .records+.lost <<< "$end")" -eq 100003 ]
	cmp "$BATS_TEST_TMPDIR/err" "$BATS_TEST_TMPDIR/replay"
}

@test "stopping in the middle of a stream of launches loses nothing" {
	requires bpf jq
	start "$app" 100003 wait
	"$tool" -j -n 7 --lib "$lib" > "$BATS_TEST_TMPDIR/n" 2> "$BATS_TEST_TMPDIR/err" 3>&- &
	pid=$!
	until_true attached $pid
	go
	wait $pid
	[ ! -s "$BATS_TEST_TMPDIR/err" ]
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/n")" = '{"schema":"gpuscope.end.0","records":7,"lost":0}' ]
}

@test "LD_LIBRARY_PATH is searched as the loader does" {
	requires bpf
	env="LD_LIBRARY_PATH=/nowhere:$SIMLIB"
	run -0 --separate-stderr env "$env" "$tool" -v -d 50ms
	[[ "$stderr" == *"culaunch: library: $SIMLIB/libcuda.so.1"* ]]
}

@test "a full disk ends a recording with its reason" {
	requires bpf
	"$tool" -o /dev/full --lib "$lib" 2> "$BATS_TEST_TMPDIR/err" 3>&- &
	pid=$!
	until_true sh -c "! kill -0 $pid 2>/dev/null || bpftool -j perf list | grep -q '\"pid\":$pid,'"
	"$app" 23
	kill -INT $pid 2>/dev/null || true
	rc=0
	wait $pid || rc=$?
	[ "$rc" -eq 1 ]
	grep -q "No space left on device" "$BATS_TEST_TMPDIR/err"
}

@test "--cost counts every hit" {
	requires bpf jq
	trace "$tool" -j --cost --lib "$lib" -- "$app" 23
	cost() { jq -r "select(.schema == \"gpuscope.cost.0\") | $1" "$out"; }
	[ "$(cost '.programs[] | select(.program == "launch_enter") | .runs')" -eq 23 ]
	[ "$(cost '.programs[] | select(.program == "launch_exit") | .runs')" -eq 23 ]
	[ "$(cost '.programs[] | select(.program == "get_function_exit") | .runs')" -eq 2 ]
	[ "$(cost '[.programs[] | select(.run_ns == 0 or .trap_ns_per_run == 0)] | length')" -eq 0 ]
	[ "$(cost .probe_ns)" -gt 0 ]
	trace "$tool" --cost --lib "$lib" -- "$app" 23
	grep -qE '^  launch_enter +uprobe +23 ' "$err"
	grep -q '% of one core' "$err"
}
