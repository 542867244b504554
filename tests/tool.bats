#!/usr/bin/env bats
# What every stream tool has from the frame, shown on culaunch: options, messages, replay, pipes, ends.

setup() {
	load helpers
	tool="$BIN/culaunch"
	gst="$BATS_TEST_TMPDIR/t.gst"
}

# five launches of two processes, one failing; kernel and process names before them
launches() {
	"$O/test/mktrace" -o "$gst" <<-'EOF'
	task pid=100 tid=100 comm=train what=found
	task pid=200 tid=200 comm=serve what=found
	name id=1 what=kernel text="_Z5saxpyiPf"
	name id=2 what=kernel text="odd\x1b[31m\"name\""
	launch ts=1000000000 pid=100 tid=101 dur_ns=2500 func=0xbeef stream=0x7 name=1 grid=4,2,1 block=256,1,1 shared_bytes=1024 api=cuLaunchKernel
	launch ts=1000010000 pid=100 tid=101 dur_ns=3500 func=0xbeef stream=0x7 name=1 grid=4,2,1 block=256,1,1 api=cuLaunchKernelEx
	launch ts=1000020000 pid=200 tid=201 dur_ns=1500 func=0xcafe name=2 grid=1,1,1 block=32,1,1 api=cuLaunchCooperativeKernel
	launch ts=1000030000 pid=200 tid=202 dur_ns=500 func=0xcafe name=2 grid=0,1,1 block=32,1,1 result=1 api=cuLaunchKernel
	launch ts=1000040000 pid=100 tid=100 dur_ns=9500 func=0x99 api=cuGraphLaunch
	EOF
}

# fails COMMAND...: it exits with $code and says exactly $says
refuses() {
	run "$@"
	echo "$status: $output"
	[ "$status" -eq "$code" ]
	[ "$output" = "$says" ]
}

@test "help needs no privilege and names every option and column" {
	run -0 unprivileged "$tool" --help
	for o in --pid --tid --duration --count --input --output --json --lib --cost --verbose --help --version; do
		[[ "$output" == *"$o"* ]] || { echo "no $o"; false; }
	done
	[[ "$output" == *"columns: ts pid tid comm dur_ns api grid block shared_bytes stream func result name"* ]]
}

@test "--version says the suite and its version" {
	run -0 "$tool" --version
	[[ "$output" =~ ^culaunch\ \(gpuscope\)\ [0-9.]+$ ]]
}

@test "wrong command lines exit 2 and say what was wrong" {
	code=2
	says='culaunch: --pid wants a number, not "12x"' refuses "$tool" --pid 12x
	says='culaunch: --pid wants a number, not "-1"' refuses "$tool" --pid=-1
	says='culaunch: --pid 5000000000 is too large' refuses "$tool" --pid 5000000000
	says='culaunch: --count 99999999999999999999 is too large' refuses "$tool" -n 99999999999999999999
	says='culaunch: --duration wants a time such as 10s or 500ms, not "5x"' refuses "$tool" -d 5x
	says='culaunch: --duration wants a time such as 10s or 500ms, not "-5s"' refuses "$tool" -d -5s
	says='culaunch: --input wants FILE' refuses "$tool" --input
	says='culaunch: unknown option "--frobnicate" (--help lists them)' refuses "$tool" --frobnicate
	says='culaunch: unknown option "-Z" (--help lists them)' refuses "$tool" -Z
	says='culaunch: unexpected argument "extra"' refuses "$tool" extra
	says='culaunch: --json prints and --output records: choose one' refuses "$tool" -j -o x
}

@test "an option that only probes can honour is refused with a recording" {
	code=2
	launches
	says='culaunch: --min acts in the probes: it means nothing with --input' refuses "$tool" --min 5us -i "$gst"
	says='culaunch: --duration acts in the probes: it means nothing with --input' refuses "$tool" -d 1s -i "$gst"
	says='culaunch: --cost acts in the probes: it means nothing with --input' refuses "$tool" --cost -i "$gst"
}

@test "a recording prints as a table, without privileges" {
	launches
	run -0 unprivileged "$tool" -i - < "$gst"
	[ "${#lines[@]}" -eq 6 ]
	[ "${lines[0]}" = "       TIME(s)     PID     TID COMM              LAT(us) CALL                     GRID        BLOCK   SHARED         STREAM           FUNC RESULT KERNEL" ]
	[ "${lines[1]}" = "      1.000000     100     101 train                 2.5 cuLaunchKernel          4,2,1      256,1,1     1024              7           beef 0      saxpy(int, float*)" ]
	[[ "${lines[4]}" == *"serve "*" CUDA_ERROR_INVALID_VALUE odd?[31m\"name\"" ]]
	[[ "${lines[5]}" == *"cuGraphLaunch "*" 0      ?" ]]
}

@test "a recording prints as JSON lines with exact values" {
	requires jq
	launches
	"$tool" -j -i "$gst" > "$BATS_TEST_TMPDIR/j"
	run -0 jq -c 'select(.schema == "gpuscope.launch.0") | [.ts, .pid, .comm, .dur_ns, .api, .grid, .stream, .result, .result_name, .name]' "$BATS_TEST_TMPDIR/j"
	[ "${#lines[@]}" -eq 5 ]
	[ "${lines[0]}" = '[1000000000,100,"train",2500,"cuLaunchKernel",[4,2,1],"0x7",0,null,"_Z5saxpyiPf"]' ]
	[ "${lines[3]}" = '[1000030000,200,"serve",500,"cuLaunchKernel",[0,1,1],"0x0",1,"CUDA_ERROR_INVALID_VALUE","odd\u001b[31m\"name\""]' ]
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/j")" = '{"schema":"gpuscope.end.0","records":5,"lost":0}' ]
}

@test "names that are no text make valid JSON all the same" {
	requires jq
	printf 'name id=1 what=kernel text="a\\xff\\xc3\\xa9\\xe2\\x82\\x01\\\\"\nlaunch ts=1 pid=1 tid=1 name=1 api=cuLaunchKernel\n' |
		"$O/test/mktrace" -o "$gst"
	"$tool" -j -i "$gst" > "$BATS_TEST_TMPDIR/j"
	[ "$(head -n 1 "$BATS_TEST_TMPDIR/j" | jq -r .name)" = $'a\\xff\u00e9\\xe2\\x82\u0001\\' ]
}

@test "a pipe is a file" {
	launches
	run -0 bash -o pipefail -c "'$tool' -i '$gst' -o - | '$tool' -i -"
	[ "$output" = "$("$tool" -i "$gst")" ]
}

@test "-p, -t and -n select from a recording too" {
	launches
	run -0 "$tool" -i "$gst" -p 200
	[ "${#lines[@]}" -eq 3 ]
	run -0 "$tool" -i "$gst" -t 101
	[ "${#lines[@]}" -eq 3 ]
	run -0 "$tool" -i "$gst" -n 2
	[ "${#lines[@]}" -eq 3 ]
}

@test "a truncated recording prints what is whole, says where it ends, and fails" {
	launches
	size=$(stat -c %s "$gst")
	head -c $((size - 40)) "$gst" > "$BATS_TEST_TMPDIR/cut"
	run "$tool" -i "$BATS_TEST_TMPDIR/cut"
	[ "$status" -eq 1 ]
	[[ "${lines[-1]}" =~ ^"culaunch: $BATS_TEST_TMPDIR/cut ends inside a block at byte "[0-9]+$ ]]
}

@test "garbage, empty and missing files are named" {
	code=1
	says="culaunch: cannot open $BATS_TEST_TMPDIR/none: No such file or directory" refuses "$tool" -i "$BATS_TEST_TMPDIR/none"
	for what in empty garbage; do
		[ "$what" = empty ] && : > "$BATS_TEST_TMPDIR/f" || seq 1000 > "$BATS_TEST_TMPDIR/f"
		run "$tool" -i "$BATS_TEST_TMPDIR/f"
		[ "$status" -eq 1 ]
		[[ "$output" == "culaunch: $BATS_TEST_TMPDIR/f "* ]]
	done
}

@test "a recording without such records says so" {
	"$O/test/mktrace" -o "$gst" <<< 'task pid=1 tid=1 comm=init'
	run -0 "$tool" -i "$gst"
	[ "${lines[-1]}" = "culaunch: $gst holds no record for this tool" ]
}

@test "losses in a recording are one line at the end and a number in JSON" {
	"$O/test/mktrace" -o "$gst" <<-'EOF'
	launch ts=5 pid=1 tid=1 dur_ns=5 api=cuLaunchKernel
	lost ts=6 count=17 where=bpf_ring
	lost ts=7 count=3 where=bpf_map
	EOF
	run -0 --separate-stderr "$tool" -i "$gst"
	[ "$stderr" = "culaunch: 20 records lost (-v says where)" ]
	run -0 --separate-stderr "$tool" -j -i "$gst"
	[ "${lines[-1]}" = '{"schema":"gpuscope.end.0","records":1,"lost":20}' ]
	run -0 --separate-stderr "$tool" -v -i "$gst"
	[[ "$stderr" == *"lost: 17 records (bpf_ring)"* ]]
}

@test "a full disk is a failure that is said" {
	launches
	run bash -c "'$tool' -i '$gst' 2>&1 > /dev/full"
	[ "$status" -eq 1 ]
	[ "$output" = "culaunch: cannot write the output: No space left on device" ]
	run bash -c "'$tool' -j -i '$gst' 2>&1 > /dev/full"
	[ "$status" -eq 1 ]
	run bash -c "'$tool' --help 2>&1 > /dev/full"
	[ "$status" -eq 1 ]
}

@test "a signal while a slow reader holds up the output is no failure, and cuts no line" {
	for i in $(seq 3000); do echo "launch ts=$i pid=1 tid=1 dur_ns=5 api=cuLaunchKernel"; done | "$O/test/mktrace" -o "$gst"
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	{ until_true test -e "$BATS_TEST_TMPDIR/go"; cat; } < "$BATS_TEST_TMPDIR/pipe" > "$BATS_TEST_TMPDIR/out" 3>&- &
	reader=$!
	"$tool" -j -i "$gst" > "$BATS_TEST_TMPDIR/pipe" 2> "$BATS_TEST_TMPDIR/err" 3>&- &
	pid=$!
	held_up() { [ "$(awk '{ print $3 }' "/proc/$pid/stat")" = S ]; }
	until_true held_up
	kill -INT $pid
	touch "$BATS_TEST_TMPDIR/go"
	wait $pid
	wait $reader
	[ ! -s "$BATS_TEST_TMPDIR/err" ] || { cat "$BATS_TEST_TMPDIR/err"; false; }
	jq -es 'length > 10' "$BATS_TEST_TMPDIR/out" > /dev/null
}

@test "a reader that has enough is no failure" {
	launches
	run -0 bash -o pipefail -c "'$tool' -i '$gst' | head -n 1"
	[ "${#lines[@]}" -eq 1 ]
}

@test "without privileges the missing capability is named" {
	requires setpriv root
	code=1
	says='culaunch: cannot load the probes "culaunch": Operation not permitted (needs CAP_BPF, CAP_PERFMON: run as root)' \
		refuses unprivileged "$tool" -d 1s
}

@test "a library that is nowhere is named, with what to do" {
	requires bpf
	code=1
	says="culaunch: cannot open the library $BATS_TEST_TMPDIR/libcuda.so.1: No such file or directory" \
		refuses "$tool" --lib "$BATS_TEST_TMPDIR/libcuda.so.1"
	sleep 60 3>&- &
	says="culaunch: cannot find libcuda.so.1 in process $! (--lib PATH names it)" refuses "$tool" -p $!
	kill $!
	libc="$(ldd /bin/sh | awk '/libc\.so/ { print $3 }')"
	says="culaunch: cannot attach launch_enter: no cuLaunchKernel in $libc" refuses "$tool" --lib "$libc"
}

@test "names of CUDA errors are those of the toolkit" {
	requires headers
	theirs="$(sed -nE 's/^ *CUDA_ERROR_([A-Z0-9_]+) *= *([0-9]+).*/\2 \1/p' "${CUDA:-/usr/local/cuda}/include/cuda.h" | sort -n)"
	ours="$(grep -oE '\{ [0-9]+, "[A-Z0-9_]+" \}' "$ROOT/user/curesult.c" | tr -d '{},"' | awk '{ print $1, $2 }' | sort -n)"
	[ -n "$theirs" ]
	[ -z "$(comm -23 <(sort <<< "$theirs") <(sort <<< "$ours"))" ]
}

@test "sums that only grow are records when they changed, with the time before and a number" {
	requires bpf jq
	run -0 "$O/test/rows" -j -I 100ms -d 350ms
	one="$(jq -c 'select(.count == 10) | .pid' <<< "$output")"
	# what grew is given out each time, what did not once, and so is what a dead process left
	[ "$(jq -c "select(.pid == $one) | [.count, .interval]" <<< "$output" | head -n 3 | paste -sd' ')" = "[10,1] [11,2] [12,3]" ]
	[ "$(jq -c 'select(.count == 20 or .count == 30) | [.count, .interval, .time_ns]' <<< "$output" | sort | paste -sd' ')" = "[20,1,20000] [30,1,30000]" ]
	# an interval begins where the one before ended
	jq -se "[.[] | select(.pid == $one)] | .[1].from_ns > .[0].from_ns" <<< "$output" > /dev/null
	run -0 "$O/test/rows" -I 100ms -d 350ms
	[ "$(grep -c PID <<< "$output")" -ge 3 ]	# each snapshot is a table
	run -0 "$O/test/rows" --help
	[[ "$output" == *"  -I, --interval TIME"* ]]
}

