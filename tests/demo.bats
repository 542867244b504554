#!/usr/bin/env bats
# The thread of gold, from a CUDA program to the report, the timeline and the flamegraph. The
# program counts for itself what it did ("expect KEY VALUE"); every stage must say the same.

setup_file() {
	load helpers
	[ ! -e /dev/nvidiactl ] || return 0	# bats before 1.9 cannot skip here
	cd "$ROOT" || return
	"$ROOT/tests/demo" > "$BATS_FILE_TMPDIR/screen" 2>&1
	echo $? > "$BATS_FILE_TMPDIR/status"
}

setup() {
	load helpers
	requires nogpu
	D="$O/demo"
	screen="$BATS_FILE_TMPDIR/screen"
}

said() { awk -v k="$1" '$1 == "expect" && $2 == k { print $3 }' "$D/program.txt"; }
found() { jq -r "$1" "$D/report.json"; }

@test "the demo ends well and its first line says that the GPU is simulated" {
	[ "$(cat "$BATS_FILE_TMPDIR/status")" -eq 0 ] || { cat "$screen"; false; }
	[[ "$(head -n 1 "$screen")" == *"SIMULATED GPU"* ]]
	[ "$(grep -c ': agrees$' "$screen")" -eq 3 ]
	run ! grep -q DIFFERS "$screen"
}

@test "kernels, copies, sets and bytes are what the program counted" {
	[ "$(said kernels)" -gt 20 ]
	[ "$(found .kernels.count)" -eq "$(said kernels)" ]
	[ "$(found .memcpy.count)" -eq "$(said copies)" ]
	[ "$(found .memset.count)" -eq "$(said sets)" ]
	[ "$(found .memcpy.by_kind.HtoD.bytes)" -eq "$(said bytes_HtoD)" ]
	[ "$(found .memcpy.by_kind.DtoH.bytes)" -eq "$(said bytes_DtoH)" ]
}

@test "every operation has its launch, nothing was lost, nothing is early" {
	[ "$(found .launch.uncorrelated)" -eq 0 ]
	[ "$(found .launch.early)" -eq 0 ]
	[ "$(found .lost.total)" -eq 0 ]
	[ "$(found .simulated)" = true ]
}

@test "the report is integers, with its kernels by name summing up to all" {
	run -0 jq -e '[.. | numbers] | all(. == floor)' "$D/report.json"
	run -0 jq -e '(.kernels.by_name | map(.total_ns) | add) == .kernels.total_ns' "$D/report.json"
	run -0 jq -e '.kernels.by_name as $k | $k == ($k | sort_by(-.total_ns))' "$D/report.json"
	run -0 jq -e '.kernels.busy_ns <= .kernels.total_ns and .gpu_busy_ns + .gpu_idle_ns <= .span_ns' "$D/report.json"
}

@test "the timeline decodes with no unknown field and its counts are the report's" {
	requires protoc
	protoc -I "$ROOT/tests/perfetto" --decode=timeline.Trace trace.proto < "$D/timeline.pftrace" > "$BATS_TEST_TMPDIR/text"
	run ! grep -nE '^[[:space:]]*[0-9]+[:{ ]' "$BATS_TEST_TMPDIR/text"
	run -0 "$O/test/pfcheck" "$D/timeline.pftrace"
	ops=$(($(found .kernels.count) + $(found .memcpy.count) + $(found .memset.count) + $(found '.graphs.launches // 0')))
	[ "$(awk '$1 == "kernels" { print $2 }' <<< "$output")" -eq "$(found .kernels.count)" ]
	[ "$(awk '$1 == "ops" { print $2 }' <<< "$output")" -eq "$ops" ]
	[ "$(awk '$1 == "flows" { print $2 }' <<< "$output")" -eq "$ops" ]
}

@test "the flamegraph shows the program's functions, the CUDA call and the kernel, and sums to the nanosecond" {
	requires bpf
	"$BIN/gpuflame" -i "$D/demo.gst" --folded > "$BATS_TEST_TMPDIR/folded"
	[ "$(awk '{ n += $NF } END { printf "%d", n }' "$BATS_TEST_TMPDIR/folded")" -eq "$(found .kernels.total_ns)" ]
	grep -qE ';train;train_step;.*cuLaunchKernel;\[gpu\] ' "$BATS_TEST_TMPDIR/folded"
	run ! grep -qE '\[no stack\]|\[no launch\]' "$BATS_TEST_TMPDIR/folded"
	grep -q 'train_step' "$D/flame.svg"
	grep -q '\[gpu\] ' "$D/flame.svg"
}

@test "the host side is there: scheduling, page faults, tasks" {
	requires bpf
	"$O/test/cattrace" "$D/demo.gst" > "$BATS_TEST_TMPDIR/all"
	for kind in task switch wake fault stack symbol map clock; do
		grep -q "^$kind " "$BATS_TEST_TMPDIR/all" || { echo "no $kind"; false; }
	done
}

@test "neither environment nor command line of the program is in the recording" {
	SECRET_TOKEN=swordfish-4711 record "$BATS_TEST_TMPDIR/t.gst" "$PROG/demo" > /dev/null
	run ! bash -c "'$O/test/cattrace' '$BATS_TEST_TMPDIR/t.gst' | grep -q swordfish"
	run ! grep -q swordfish "$BATS_TEST_TMPDIR/t.gst"
}

@test "a driver without its CUDA library is said, and nothing simulated is taken for it" {
	requires mounts
	! ldconfig -p | grep -q 'libcuda\.so\.1 ' || skip "libcuda.so.1 is installed"
	run -1 unshare -m sh -c 'mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && ln -s /proc/self/fd /dev/fd &&
		: > /dev/nvidiactl && O="$1" exec "$2/tests/demo"' sh "$BATS_TEST_TMPDIR" "$ROOT"
	[ "$output" = "demo: cannot record: a driver is loaded (/dev/nvidiactl) but no libcuda.so.1 is installed (install the driver's CUDA library)" ]
}
