#!/bin/bash
# What recording costs a program that launches: the same loop alone and recorded, turn and turn about,
# in one run. Unpaced: ns per launch as the program measures them. At 50,000 launches a second: CPU
# time of program and recorder together, as a share of one core. Simulated GPU, so the launch itself
# is cheap and the ratios are the worst that can be seen; a real launch costs 2-5 us.
set -u
cd "$(dirname "$0")/../.." || exit 1
O="$(realpath "${O:-build}")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LD_LIBRARY_PATH="$O/cudasim/lib13"
program="$O/cudasim/bin/launchloop"
gpurec="$O/bin/gpurec -o $tmp/t.gst"
[ "$(id -u)" -eq 0 ] || { echo "bench gpurec: skipped: needs root"; exit 0; }
[ ! -e /dev/nvidiactl ] || { echo "bench gpurec: skipped: a real GPU is here"; exit 0; }

modes=(alone "CUDA side alone" "without stacks" "all")
command_of() {
	case "$1" in
	alone) echo "" ;;
	"CUDA side alone") echo "$gpurec --probes none --" ;;
	"without stacks") echo "$gpurec --no-stacks --" ;;
	all) echo "$gpurec --" ;;
	esac
}
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
# ticks COMMAND...: user and system seconds of it and its children
ticks() { ( TIMEFORMAT='%U %S'; time "$@" > "$tmp/said" 2> "$tmp/err" ) 2>&1 | awk '{ print $1 + $2 }'; }

for _ in 1 2 3 4 5; do
	for mode in "${modes[@]}"; do
		# shellcheck disable=SC2046	# a command line of words
		$(command_of "$mode") "$program" 100000 > "$tmp/said" 2> "$tmp/err"
		sed -nE 's/.*ns_per_launch=([0-9.]+).*/\1/p' "$tmp/said" >> "$tmp/ns.$mode"
		# shellcheck disable=SC2046
		ticks $(command_of "$mode") "$program" 50000 50000 >> "$tmp/cpu.$mode"
	done
done
base=$(median < "$tmp/ns.alone")
base_cpu=$(median < "$tmp/cpu.alone")
printf '%-18s %14s %8s %22s\n' "recorded" "ns per launch" "ratio" "CPU at 50 k/s (cores)"
for mode in "${modes[@]}"; do
	ns=$(median < "$tmp/ns.$mode") cpu=$(median < "$tmp/cpu.$mode")
	awk -v m="$mode" -v n="$ns" -v b="$base" -v c="$cpu" -v d="$base_cpu" \
		'BEGIN { printf "%-18s %14.0f %8.2f %14.2f (%+.2f)\n", m, n, n / b, c, c - d }'
done
sed 's/^/  /' "$tmp/err" | tail -n 1
records=$(sed -nE 's/.*: ([0-9]+) records, .*/\1/p' "$tmp/err" | tail -n 1)
[ -z "$records" ] || echo "  $((10 * $(stat -c %s "$tmp/t.gst") / records)) tenths of a byte a record in the file, everything recorded"
