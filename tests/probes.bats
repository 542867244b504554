#!/usr/bin/env bats
# Rows of every type of probe, option and column, through a tool made for it: tests/bin/kinds.c. What it
# must see is said by the program that is probed.

setup() {
	load helpers
	kinds="$O/test/kinds"
	said="$BATS_TEST_TMPDIR/said"
}

works() { echo go | "$kinds" work > "$said"; }
said() { awk -v what="$1" '$1 == what { print $2 }' "$said"; }
# seen FILTER: how many JSON lines of the program that worked
seen() { jq -c "select(.pid == $(said pid)) | select($1)" "$out" | wc -l; }

# near A B: within a third, and not nothing
near() { [ "$1" -gt 0 ] && [ $((3 * $1)) -ge $((2 * $2)) ] && [ $((3 * $1)) -le $((4 * $2)) ]; }

every_type() {
	for what in uprobe uretprobe usdt tracepoint raw_tracepoint btf_tracepoint; do
		echo "$what: $(seen ".what == \"$what\"") of $(said $what)"
		[ "$(said $what)" -gt 0 ] && [ "$(seen ".what == \"$what\"")" -eq "$(said $what)" ]
	done
	echo "perf_event: $(seen '.what == 7') of about $(said perf_event)"
	near "$(seen '.what == 7')" "$(said perf_event)"
	[ "$(tail -n 1 "$out" | jq .lost)" -eq 0 ]
}

@test "a row of each type fires as often as the program says" {
	requires bpf jq
	trace "$kinds" --lib "$kinds" -j -v -- works
	every_type
	grep -q "on_uprobe left out: cannot attach to libkinds.so:kinds_is_nowhere" "$err"
}

@test "with -p each fires as often, in that process alone" {
	requires bpf jq
	mkfifo "$BATS_TEST_TMPDIR/go"
	"$kinds" work < "$BATS_TEST_TMPDIR/go" > "$said" 3>&- &
	exec 4> "$BATS_TEST_TMPDIR/go"
	both() {
		echo go | "$kinds" work > "$BATS_TEST_TMPDIR/other"
		echo go >&4
		exec 4>&-
		wait "$1"
	}
	trace "$kinds" --lib "$kinds" -j -p $! -- both $!
	every_type
	[ "$(jq -c 'select(.what)' "$out" | wc -l)" -eq "$(seen .what)" ]
}

@test "arguments, results and USDT arguments arrive" {
	requires bpf jq
	trace "$kinds" --lib "$kinds" -j -- works
	sums="$(jq -s -c "map(select(.pid == $(said pid))) | map(select(.value > 0)) | group_by(.what) | map([.[0].what, (map(.value) | add)])" "$out")"
	[ "$sums" = "[[\"btf_tracepoint\",50],[\"uprobe\",253],[\"uretprobe\",$(said sum)],[\"usdt\",1836]]" ] || { echo "$sums"; false; }
}

@test "constants of the probes are set by signed and list options" {
	requires bpf jq
	trace "$kinds" --lib "$kinds" -j --add -5 --only 1,3 -- works
	[ "$(jq -r 'select(.what) | .what' "$out" | sort -u | paste -sd' ')" = "uprobe usdt" ]
	[ "$(jq -s "map(select(.pid == $(said pid) and .what == \"uprobe\").value) | add, min" "$out" | paste -sd' ')" = "$((253 - 5 * 23)) -5" ]
	run -2 "$kinds" --only 1,2,3,4,5
	[ "$output" = "kinds: --only takes at most 4 numbers" ]
	run -2 "$kinds" --add 2147483648
	[ "$output" = "kinds: --add 2147483648 is too large" ]
}

@test "stacks, histograms and names are printed in tables and JSON, what has no name as a number" {
	requires bpf jq
	trace "$kinds" --lib "$kinds" -- works
	pid="$(printf '%7d' "$(said pid)")"
	line() { grep -m 1 "^$pid $1 " "$out"; }
	[ "$(head -n 1 "$out")" = "    PID WHAT             VALUE                    SLOTS STACK" ]
	[ "$(line uprobe)" = "$pid uprobe               0      0,1,1000,4294967295 leaf::work(int)" ]
	[ "$(line tracepoint)" = "$pid tracepoint           0      0,4,1000,4294967295 0x99" ]
	[ "$(line 7)" = "$pid 7                    0      0,7,1000,4294967295 -" ]
	trace "$kinds" --lib "$kinds" -j -- works
	line() { jq -c "select(.pid == $(said pid) and .what == $1) | [.what, .slots, .stack]" "$out" | head -n 1; }
	[ "$(line '"uprobe"')" = '["uprobe",[0,1,1000,4294967295],["_ZN4leaf4workEi","0x22"]]' ]
	[ "$(line '"tracepoint"')" = '["tracepoint",[0,4,1000,4294967295],[]]' ]
	[ "$(line 7)" = '[7,[0,7,1000,4294967295],[]]' ]
}

# x86 alone has that tracepoint.
@test "hits whose program the kernel left out, because it ran on that CPU already, are lost" {
	requires bpf jq
	[ "$(uname -m)" = x86_64 ] || skip "needs the tracepoint page_fault_kernel"
	trace "$O/test/missed" -j -v --cost -- dd if=/dev/zero of=/dev/null bs=1M count=1 status=none
	hits="$(jq -c 'select(.value)' "$out" | wc -l)"
	[ "$hits" -ge 64 ]
	lost="$(jq 'select(.schema == "gpuscope.end.0") | .lost' "$out")"
	[ "$lost" -eq "$(jq '.programs // [] | .[] | select(.program == "on_fault") | .missed' "$out")" ]
	[ "$lost" -ge "$hits" ]
	[ "$lost" -lt $((2 * hits)) ]
	grep -qE "^missed: lost: [0-9]+ records \(bpf_missed\)" "$err"
}
