#!/usr/bin/env bats
# Tools with a view (tests/bin/viewtool.c): rows of its own, ticks by the clock or by the records' time.

setup() {
	load helpers
	tool="$O/test/viewtool"
	gst="$BATS_TEST_TMPDIR/t.gst"
}

# eight records over three and a half seconds, one of them late, nothing in the third second
records() {
	"$O/test/mktrace" -o "$gst" <<-'EOF'
	task pid=100 tid=100 comm=train what=found
	launch ts=1000000000 pid=100 tid=100 dur_ns=1000 api=cuLaunchKernel
	switch ts=1500000000 pid=100 tid=100 on=1
	launch ts=2000000000 pid=200 tid=200 dur_ns=2000 api=cuLaunchKernel
	launch ts=1900000000 pid=100 tid=101 dur_ns=3000 api=cuLaunchKernel
	switch ts=2999999999 pid=200 tid=200 on=0
	switch ts=2500000000 pid=0 tid=0 on=0
	wake ts=2600000000 pid=100 tid=100
	launch ts=4250000000 pid=100 tid=100 dur_ns=4000 api=cuLaunchKernel
	lost ts=4300000000 count=3 where=bpf_ring
	EOF
}

# intervals FILE: "from to launches switches" of each
intervals() { jq -r 'select(.schema == "gpuscope.interval.0") | "\(.from) \(.to) \(.launches) \(.switches)"' "$1"; }

@test "a replayed view ticks by the records' time, tells no empty interval, and ends with the last record" {
	requires jq
	records
	"$tool" -j -i "$gst" > "$BATS_TEST_TMPDIR/j"
	diff - <(intervals "$BATS_TEST_TMPDIR/j") <<-'END'
	1000000000 2000000000 2 1
	2000000000 3000000000 1 2
	4000000000 4250000000 1 0
	END
	[ "$(jq -c 'select(.schema == "gpuscope.launch.0") | [.ts, .pid, .comm, .dur_ns]' "$BATS_TEST_TMPDIR/j" | head -n 1)" = '[1000000000,100,"train",1000]' ]
	[ "$(jq -c 'select(.schema == "gpuscope.all.0") | [.from, .launches, .switches, .definitions >= 2]' "$BATS_TEST_TMPDIR/j")" = '[1,4,3,true]' ]
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/j")" = '{"schema":"gpuscope.end.0","records":8,"lost":3}' ]
}

@test "-I sets the interval of a recording, too" {
	requires jq
	records
	"$tool" -j -I 500ms -i "$gst" > "$BATS_TEST_TMPDIR/j"
	[ "$(intervals "$BATS_TEST_TMPDIR/j" | wc -l)" -eq 5 ]
	[ "$(intervals "$BATS_TEST_TMPDIR/j" | sed -n 2p)" = "1500000000 2000000000 1 1" ]
}

@test "a table has a head where its columns change, and anew each interval" {
	records
	run -0 "$tool" -i "$gst"
	[ "$(grep -c 'TIME(s)' <<< "$output")" -eq 3 ]
	[ "$(grep -c 'FROM' <<< "$output")" -eq 3 ]
	[ "${lines[0]}" = "       TIME(s)     PID COMM              LAT(us)" ]
	[[ "${lines[3]}" == *FROM*LAUNCHES* ]]
}

@test "-p and -t take records out before the view sees them, but none about no process" {
	requires jq
	records
	"$tool" -j -p 100 -i "$gst" > "$BATS_TEST_TMPDIR/j"
	[ "$(jq -c 'select(.schema == "gpuscope.all.0") | [.launches, .switches]' "$BATS_TEST_TMPDIR/j")" = '[3,2]' ]
	"$tool" -j -t 101 -i "$gst" > "$BATS_TEST_TMPDIR/j"
	[ "$(jq -c 'select(.schema == "gpuscope.all.0") | [.launches, .switches]' "$BATS_TEST_TMPDIR/j")" = '[1,1]' ]
}

@test "-n counts rows, whatever they are" {
	requires jq
	records
	"$tool" -j -n 3 -i "$gst" > "$BATS_TEST_TMPDIR/j"
	[ "$(jq -r .schema "$BATS_TEST_TMPDIR/j" | paste -sd' ')" = "gpuscope.launch.0 gpuscope.launch.0 gpuscope.interval.0 gpuscope.end.0" ]
}

@test "-o records all kinds and definitions, and prints the same again" {
	records
	run -0 --separate-stderr "$tool" -i "$gst" -o "$BATS_TEST_TMPDIR/copy"
	[ -z "$output" ]
	diff <("$tool" -j -i "$gst" 2>&1) <("$tool" -j -i "$BATS_TEST_TMPDIR/copy" 2>&1)
	[ "$("$O/test/cattrace" "$BATS_TEST_TMPDIR/copy" | awk '{ print $1 }' | sort | uniq -c | awk '{ print $2 "=" $1 }' | paste -sd' ')" = "launch=4 lost=1 switch=3 task=1" ]
	"$tool" -n 2 -i "$gst" -o "$BATS_TEST_TMPDIR/copy"
	[ "$("$O/test/cattrace" "$BATS_TEST_TMPDIR/copy" | grep -cE '^(launch|switch)')" -eq 2 ]
}

@test "a recording without such records says so, and the view ends all the same" {
	requires jq
	"$O/test/mktrace" -o "$gst" <<< 'task pid=1 tid=1 comm=init'
	run -0 --separate-stderr "$tool" -j -i "$gst"
	[ "$stderr" = "viewtool: $gst holds no record for this tool" ]
	[ "$(jq -r .schema <<< "$output" | paste -sd' ')" = "gpuscope.all.0 gpuscope.end.0" ]
}

@test "a live view ticks by the clock, also when nothing happens" {
	requires bpf jq
	"$tool" -j -I 200ms -d 1100ms --lib "$SIMLIB/libcuda.so.1" > "$BATS_TEST_TMPDIR/j"
	intervals "$BATS_TEST_TMPDIR/j" > "$BATS_TEST_TMPDIR/i"
	n="$(wc -l < "$BATS_TEST_TMPDIR/i")"
	[ "$n" -ge 3 ] && [ "$n" -le 7 ]
	# one begins where the other ends, and together they are as long as was asked for
	awk 'NR > 1 && $1 != to { exit 1 } { to = $2 }' "$BATS_TEST_TMPDIR/i"
	[ "$(awk 'NR == 1 { from = $1 } { to = $2 } END { print (to - from >= 1100000000) }' "$BATS_TEST_TMPDIR/i")" -eq 1 ]
}

@test "a live view sees what it asked for, once" {
	requires bpf jq
	trace "$tool" -j --lib "$SIMLIB/libcuda.so.1" -- "$PROG/launches" 23
	[ "$(jq -c 'select(.schema == "gpuscope.all.0") | .launches' "$out")" -eq 23 ]
	[ "$(jq -c 'select(.schema == "gpuscope.launch.0") | .dur_ns' "$out" | wc -l)" -eq 23 ]
}
