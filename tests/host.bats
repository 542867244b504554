#!/usr/bin/env bats
# The probes compiled for the host, under address and undefined-behaviour checks.

setup() { load helpers; }

@test "every host test passes" {
	shopt -s nullglob
	ran=0
	for t in "$O"/host/*; do
		[ -x "$t" ] || continue
		ASAN_OPTIONS=detect_leaks=0 "$t"
		ran=$((ran + 1))
	done
	[ "$ran" -eq "$(ls "$ROOT"/tests/host/*.c | wc -l)" ]
}
