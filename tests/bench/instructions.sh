#!/bin/bash
# Instructions of the injected library for one record, by callgrind: the same for the same binary,
# whatever else the machine does. A run of 40,000 less a run of 20,000, so that set-up is not in it.
set -u
cd "$(dirname "$0")/../.." || exit 1
O="${O:-build}"
command -v valgrind > /dev/null || { echo "bench instructions: skipped: needs valgrind"; exit 0; }
make -s "$O/bench/inject" > /dev/null || exit 1
count() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$O/bench/inject" "$1" "$2" 2>&1 |
		sed -nE 's/.*Collected : ([0-9]+).*/\1/p'
}
for what in api kernel; do
	few=$(count 0.02 $what) many=$(count 0.04 $what)
	echo "${what}_record_instructions $(((many - few) / 21000))"	# a run warms up by a twentieth
done
