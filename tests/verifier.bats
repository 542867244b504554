#!/usr/bin/env bats
# What the BPF programs cost the verifier: a program that grows towards its limit of a million instructions
# fails first on somebody else's kernel.

setup() {
	load helpers
	requires bpf
	known="$ROOT/tests/verifier.txt"
	now="$BATS_TEST_TMPDIR/now"
	"$ROOT/tests/verifier-update" - > "$now"
}

# grown KNOWN NOW: programs that cost more than a fifth more
grown() {
	awk '/^#/ { next }
		NR == FNR { known[$1 " " $2] = $3; next }
		$3 * 5 > known[$1 " " $2] * 6 { print $1, $2 ":", $3, "instructions, known", known[$1 " " $2] }' "$@"
}

@test "tests/verifier.txt has each BPF program once" {
	diff <(grep -v '^#' "$known" | awk '{ print $1, $2 }') <(grep -v '^#' "$now" | awk '{ print $1, $2 }') ||
		{ echo "run tests/verifier-update"; false; }
}

@test "no BPF program costs the verifier a fifth more than tests/verifier.txt says" {
	run -0 grown "$known" "$now"
	if [ "$(grep '^# on' "$known")" != "$(grep '^# on' "$now")" ]; then
		[ -z "$output" ] || printf '# %s\n' "${lines[@]}" >&3
		skip "other numbers: made $(sed -n 's/^# on/on/p' "$known")"
	fi
	[ -z "$output" ] || { echo "$output"; echo "(if that is as it must be: tests/verifier-update)"; false; }
}

@test "a program that grew is noticed" {
	awk '$2 == "task_exit" { $3 = int($3 * 1.2) + 1 } 1' "$known" > "$BATS_TEST_TMPDIR/grown"
	run -0 grown "$known" "$BATS_TEST_TMPDIR/grown"
	[[ "$output" == "follow task_exit: "*" instructions, known "* ]]
	awk '$2 == "task_exit" { $3 = int($3 * 1.2) } 1' "$known" > "$BATS_TEST_TMPDIR/grown"
	run -0 grown "$known" "$BATS_TEST_TMPDIR/grown"
	[ -z "$output" ]
}
