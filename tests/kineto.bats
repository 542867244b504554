#!/usr/bin/env bats
# Traces of PyTorch's profiler: every number as an independent program finds it.

setup() {
	load helpers
	requires python3
	cd "$BATS_TEST_TMPDIR" || exit
}

check() { run -0 python3 "$ROOT/tests/kineto_check.py" "$O" "$@"; }

@test "real files of every age: counts, times, names, links and facts are those of expected.json" {
	requires data
	cd "$DATA/traces"
	files=0
	while read -r f; do
		check "$f" expected.json "$f"
		[[ "$output" == *" figures equal" ]]
		files=$((files + 1))
	done < <(find kineto -name '*.json*' | sort)
	[ "$files" -ge 30 ]
}
