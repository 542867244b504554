#!/usr/bin/env bats
# Real traces of other tools (../shared/data): every reference number, to the nanosecond.

setup() {
	load helpers
	requires data python3
	T="$BATS_TEST_TMPDIR"
}

# agree PREFIX...: all reference numbers of these files
agree() {
	run python3 "$ROOT/tests/expected.py" "$BIN/gpuimport" "$BIN/gpureport" "$DATA/traces" "$T" "$@"
	[ "$status" -eq 0 ] || { grep -v ^ok <<< "$output"; return 1; }
	[[ "${lines[-1]}" =~ ^[1-9][0-9]*\ compared,\ 0\ files\ differ$ ]]
}

@test "PyTorch's traces: kernels, copies, calls, launches, communication, steps as counted elsewhere" {
	agree kineto/
}

@test "Nsight Systems' databases: kernels, copies, calls as counted elsewhere" {
	agree nsys/
}

@test "the text of CUPTI's sample: kernels as counted elsewhere" {
	agree cupti_text/
}

@test "a number that differs is found" {
	mkdir "$T/traces"
	cp -r "$DATA/traces/kineto" "$T/traces"
	jq '{"kineto/transformer_step0_h100.json": .["kineto/transformer_step0_h100.json"]} |
		.[].kernel.busy_us += 0.001' "$DATA/traces/expected.json" > "$T/traces/expected.json"
	run -1 python3 "$ROOT/tests/expected.py" "$BIN/gpuimport" "$BIN/gpureport" "$T/traces" "$T"
	[[ "$output" == *"kernel busy_us: "* && "${lines[-1]}" == *"1 files differ" ]] || { echo "$output"; false; }
}
