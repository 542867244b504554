#!/usr/bin/env bats
# tests/run counts right: what fails, hangs, is killed or cannot be read at all is a failure.

setup() {
	load helpers
	cd "$BATS_TEST_TMPDIR" || return
}

# counts FILE.bats... PATTERN: the last line of tests/run over these files of this folder
counts() {
	local summary="${*: -1}" files=("${@:1:$#-1}")
	run alone O="$PWD" TEST_FILE_TIMEOUT=2 "$ROOT/tests/run" "${files[@]/#/$PWD/}"
	[[ "${lines[-1]}" =~ ^$summary$ ]] || { echo "$output"; false; }
}

file() { printf '%s\n' "${@:2}" > "$1.bats"; }

@test "passed, failed and skipped tests are counted, whatever they print" {
	file good '@test "a" { true; }' '@test "b # not so" { echo "not ok 3 x"; echo "ok 9 y" >&3; }'
	counts good.bats "2 passed, 0 failed, 0 skipped"
	[ "$status" -eq 0 ]
	file mixed '@test "a" { true; }' '@test "b" { echo "ok 1 fake in 3ms"; false; }' '@test "c" { skip "no (reason)"; }' '@test "d" { skip; }'
	counts mixed.bats "1 passed, 1 failed, 2 skipped"
	[ "$status" -eq 1 ]
	[[ "$output" == *"  FAIL  b"*"  skip  c (no (reason))"* ]]
	counts good.bats mixed.bats "3 passed, 1 failed, 2 skipped"
	[ "$status" -eq 1 ]
}

@test "nothing run is no success" {
	file none '# no test'
	counts none.bats "0 passed, 0 failed, 0 skipped"
	[ "$status" -eq 1 ]
}

@test "a file that cannot be read or found is a failure, and bats' own words are shown" {
	file good '@test "a" { true; }'
	file syntax '@test "a" { true; ' '@test "b" { true; }'
	file load 'load nothere' '@test "a" { true; }'
	file twice '@test "a" { true; }' '@test "a" { true; }'
	for f in syntax:[12] load:1 twice:1 missing:1; do
		counts good.bats "${f%:*}.bats" "1 passed, ${f#*:} failed, 0 skipped"
		[ "$status" -eq 1 ]
	done
	[[ "$output" == *"missing.bats\" does not exist"* ]]
	counts twice.bats "0 passed, 1 failed, 0 skipped"
	[[ "$output" == *"Duplicate test name"* ]]
}

@test "a test that is killed and one that hangs are failures" {
	# shellcheck disable=SC2016	# the inner shell's
	file killed '@test "a" { true; }' '@test "b" { kill -9 $$; }' '@test "c" { true; }'
	counts killed.bats "2 passed, 1 failed, 0 skipped"
	[ "$status" -eq 1 ]
	file hangs '@test "a" { true; }' '@test "b" { sleep 50; }' '@test "c" { true; }'
	counts hangs.bats "1 passed, 2 failed, 0 skipped"
	[[ "$output" == *"FAIL  ended after 2 s: a test hangs"* ]]
}

@test "a failing setup_file or teardown_file is a failure" {
	file before 'setup_file() { false; }' '@test "a" { true; }' '@test "b" { true; }'
	counts before.bats "0 passed, 2 failed, 0 skipped"
	file after 'teardown_file() { false; }' '@test "a" { true; }'
	counts after.bats "1 passed, 1 failed, 0 skipped"
	[ "$status" -eq 1 ]
}
