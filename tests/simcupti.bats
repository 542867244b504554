# The simulated CUPTI: return codes, callbacks and records as the real library's.
# First alone, on an engine that does what the test says; then on the simulated GPU.
setup_file() {
	load helpers
	"${CC:-cc}" -std=gnu11 -g -Wall -fsanitize=address,undefined -fno-sanitize-recover -D_GNU_SOURCE \
		-I "$ROOT/bpf" -I "$ROOT/cupti" -I "$ROOT/tests/cudasim" "$ROOT"/tests/abi/unit/*.c \
		"$ROOT"/tests/cudasim/libcupti/*.c -ldl -lpthread -o "$BATS_FILE_TMPDIR/unit"
}

setup() { load helpers; }

simulated() {
	requires nogpu
	[ -e "$SIMLIB/libcupti.so.13" ] || skip "needs make sim"
}

# client NAME FLAG...: tests/abi/client.c on the simulated libraries
client() {
	"${CC:-cc}" -std=gnu11 -g -Wall -D_GNU_SOURCE "${@:2}" "$ROOT/tests/abi/client.c" \
		"$SIMLIB/libcupti.so.13" "$SIMLIB/libcuda.so.1" -lpthread -o "$BATS_TEST_TMPDIR/$1"
}

# unit CASE [CUPTI]: one case in a process of its own
unit() { ASAN_OPTIONS=detect_leaks=0 timeout 60 "$BATS_FILE_TMPDIR/unit" "$@"; }

@test "without a device every function returns what the real one returned, for 11.8, 12.4 and 13.0" {
	CUDASIM_DEVICES=0 unit no-device
	CUDASIM_DEVICES=0 CUDASIM_CUPTI_VERSION=22 unit no-device
	CUDASIM_DEVICES=0 CUDASIM_CUPTI_VERSION=18 unit no-device
}

@test "there is one subscriber; a second is told who the first is" {
	unit one-subscriber
	CUDASIM_SECOND_SUBSCRIBER=1 unit second-subscriber
}

@test "a function fails when the test wants it to" {
	CUDASIM_FAIL=cuptiSubscribe:err=35 unit fault-injection
}

@test "callbacks come for enabled calls only, in the calling thread, with one correlation and data kept" {
	unit callbacks
	unit callback-codes
	unit resource-callbacks
}

@test "kinds: bad ones are refused, only enabled ones have records" {
	unit kinds
	unit latency
	unit single-calls
	unit graph-kinds
}

@test "records have the fields and the size of each version" {
	unit layouts
	CUDASIM_CUPTI_VERSION=22 unit layouts
	CUDASIM_CUPTI_VERSION=18 unit layouts
}

@test "the real cuptiActivityGetNextRecord walks the simulated records" {
	local lib
	lib="$(compgen -G "${CUDA:-/usr/local/cuda}/lib*/libcupti.so.13" | head -1)"
	[ -n "$lib" ] || skip "needs libcupti.so.13"
	unit layouts "$lib"
	unit buffers "$lib"
}

@test "buffers: full ones come by themselves, a flush brings the rest, from the worker or the application" {
	unit buffers
	CUDASIM_BUFFER_THREAD=app unit app-thread
}

@test "a forced flush brings what still runs, without times and once; another flush does not" {
	unit forced-flush
	simulated
	client ours -I "$ROOT/cupti"
	cd "$BATS_TEST_TMPDIR"
	CUDASIM_NS_PER_THREAD=10 sim ./ours forced 500
}

@test "declined and dropped records are counted, and the count starts anew when read" {
	unit declined
	CUDASIM_DROP=every=10 UNIT_LEFT=32 unit drop
	CUDASIM_DROP=after=10 UNIT_LEFT=10 unit drop
}

@test "clocks: the wall clock, or the client's to the nanosecond; latched and spoiled on request" {
	unit clock-default
	unit clock-callback
	CUDASIM_CLOCK_LATCH=1 unit clock-latch
	CUDASIM_TS_CORRUPT=1 unit clock-corrupt
	CUDASIM_ZERO_TS=25 unit zero-times
	CUDASIM_INVERT_TS=20 unit inverted-times
}

@test "records that come late come with a forced flush" {
	CUDASIM_REC_DELAY_MS=3600000 unit delayed
	run ! unit delayed
}

@test "external correlation, thread ids, attributes, overhead, existing objects, finalize" {
	local t
	for t in external thread-ids attributes overhead dump finalize; do
		echo "$t"
		unit "$t"
	done
}

@test "the simulated CUPTI says the names of all calls as the table does" {
	simulated
	"${CC:-cc}" -std=gnu11 -I "$ROOT/cupti" -I "$ROOT/bpf" "$ROOT/tests/abi/names.c" -ldl -o "$BATS_TEST_TMPDIR/names"
	sim "$BATS_TEST_TMPDIR/names" "$SIMLIB/libcupti.so.13"
}

@test "a program that traces itself: as many records as operations, each inside its call and the wait" {
	simulated
	client ours -I "$ROOT/cupti"
	cd "$BATS_TEST_TMPDIR"
	[ "$(sim ./ours node)" = "80 calls, 46 kernels, 8 copies, 3 sets, 0 graphs, 12 node kernels" ]
	[ "$(sim ./ours launch)" = "80 calls, 46 kernels, 8 copies, 3 sets, 3 graphs, 0 node kernels" ]
	[ "$(sim ./ours node 1009)" = "2052 calls, 2018 kernels, 8 copies, 3 sets, 0 graphs, 12 node kernels" ]
}

@test "the same program compiled with NVIDIA's headers sees the same" {
	requires headers
	simulated
	client real -DREAL -I "${CUDA:-/usr/local/cuda}/include"
	cd "$BATS_TEST_TMPDIR"
	[ "$(sim ./real node)" = "80 calls, 46 kernels, 8 copies, 3 sets, 0 graphs, 12 node kernels" ]
	[ "$(sim ./real launch)" = "80 calls, 46 kernels, 8 copies, 3 sets, 3 graphs, 0 node kernels" ]
}

@test "what goes wrong on request does: that program notices" {
	simulated
	client ours -I "$ROOT/cupti"
	cd "$BATS_TEST_TMPDIR"
	CUDASIM_DROP=every=10 run sim ./ours
	[[ "$status" -eq 1 && "$output" == *"kernels + unfinished is 4"*", not 46" ]]
	CUDASIM_ZERO_TS=10 run sim ./ours
	[[ "$status" -eq 1 && "$output" == *"enter <= start"* ]]
	CUDASIM_INVERT_TS=10 run sim ./ours
	[[ "$status" -eq 1 && "$output" == *"start < end"* ]]
	CUDASIM_DEVICES=0 run sim ./ours
	[[ "$status" -eq 1 && "$output" == *"cuptiSubscribe(&subscriber, on_callback, NULL) is 999, not 0" ]]
	CUDASIM_SLOW_CALLBACK=1000 run -0 sim ./ours	# 80 calls, each entered and left, take 160 ms
	CUDASIM_SECOND_SUBSCRIBER=1 run sim ./ours
	[[ "$status" -eq 1 && "$output" == *" is 39, not 0" ]]
	CUDASIM_FAIL=cuptiActivityEnable:err=8 run sim ./ours
	[[ "$status" -eq 1 && "$output" == *" is 8, not 0" ]]
	CUDASIM_CUPTI_VERSION=22 run sim ./ours
	[[ "$status" -eq 0 ]]
}

@test "every call of the simulated libraries has an id" {
	simulated
	local lib name
	for lib in "$SIMLIB"/libcuda.so.1 "$SIMLIB"/libcudart.so.13; do
		[ -e "$lib" ] || continue
		strings -n 6 "$lib" | grep -E '^cuda[A-Z][A-Za-z0-9]*(_ptsz|_ptds)?_v[0-9]+$' || true
		nm -D --defined-only "$lib" | sed -nE 's/.* T (cu[A-Z][A-Za-z0-9_]*)$/\1/p'
	done | sort -u > "$BATS_TEST_TMPDIR/names"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/names")" -gt 100 ]
	while read -r name; do
		grep -qF "{ \"$name\"," "$ROOT/cupti/api_table.h" || echo "$name"
	done < "$BATS_TEST_TMPDIR/names" > "$BATS_TEST_TMPDIR/unknown"
	cat "$BATS_TEST_TMPDIR/unknown"
	[ ! -s "$BATS_TEST_TMPDIR/unknown" ]
}

# counted PROGRAM: runs it with tests/abi/count.c injected, prints where both disagree and how many keys agree
counted() {
	local out="$BATS_TEST_TMPDIR/$1"
	rm -f "$out.counted"
	COUNT_OUT="$out.counted" CUDA_INJECTION64_PATH="$BATS_TEST_TMPDIR/count.so" \
		sim timeout 120 "$PROG/$1" > "$out.said"
	awk '	FNR == NR { got[$1] += $2; next }
		$1 == "expect" && $2 ~ /^(kernels|copies|sets|bytes_.*|kernel:.*|api:.*)$/ {
			if (got[$2] + 0 != $3)
				print $2 " " $3 " expected, " got[$2] + 0 " counted"
			else
				keys++
		}
		END { print keys + 0 " keys" }' "$out.counted" "$out.said"
}

@test "every test program's own counts of kernels, copies, bytes and calls are those of an injected client" {
	simulated
	"${CC:-cc}" -std=gnu11 -g -Wall -D_GNU_SOURCE -fPIC -shared -I "$ROOT/cupti" "$ROOT/tests/abi/count.c" \
		"$SIMLIB/libcupti.so.13" -o "$BATS_TEST_TMPDIR/count.so"
	local program ran=0
	for program in copies childgraphs demo devices exits forktree graphs hostfuncs launchex launchloop many pools streams threads; do
		[ -x "$PROG/$program" ] || continue
		run counted "$program"
		echo "$program: $output"
		[ "${#lines[@]}" -eq 1 ]
		[ "${lines[0]%% *}" -gt 0 ]
		ran=$((ran + 1))
	done
	[ "$ran" -ge 5 ]
	CUDASIM_DROP=every=10 run counted threads
	[[ "${lines[0]}" == "kernels 696 expected, 6"*" counted" ]]
}
