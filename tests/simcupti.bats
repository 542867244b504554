# The simulated CUPTI: return codes, callbacks and records as the real library's.
# First alone, on an engine that does what the test says; then on the simulated GPU.
setup_file() {
	load helpers
	"${CC:-cc}" -std=gnu11 -g -Wall -fsanitize=address,undefined -fno-sanitize-recover -D_GNU_SOURCE \
		-I "$ROOT/bpf" -I "$ROOT/cupti" -I "$ROOT/tests/cudasim" "$ROOT"/tests/abi/unit/*.c \
		"$ROOT"/tests/cudasim/libcupti/*.c -ldl -lpthread -o "$BATS_FILE_TMPDIR/unit"
}

setup() { load helpers; }

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
}

@test "external correlation, thread ids, attributes, overhead, existing objects, finalize" {
	local t
	for t in external thread-ids attributes overhead dump finalize; do
		echo "$t"
		unit "$t"
	done
}

@test "the simulated CUPTI says the names of all calls as the table does" {
	requires nogpu
	[ -e "$SIMLIB/libcupti.so.13" ] || skip "needs make sim"
	"${CC:-cc}" -std=gnu11 -I "$ROOT/cupti" -I "$ROOT/bpf" "$ROOT/tests/abi/names.c" -ldl -o "$BATS_TEST_TMPDIR/names"
	sim "$BATS_TEST_TMPDIR/names" "$SIMLIB/libcupti.so.13"
}
