#!/bin/bash
# Memory of the tools that read a trace, by its size: a training loop of 10 MB and of 100 MB of file (BENCH_LARGE=1: 2 GB,
# which takes an hour), the same for both. Ratios are against the smaller one.
set -u
cd "$(dirname "$0")/../.." || exit 1
O="${O:-build}"
make -s "$O/bench/trace" > /dev/null || exit 1
dir="$(mktemp -d)"
trap 'rm -rf "$dir"' EXIT
sizes=(10000000 100000000)
[ -z "${BENCH_LARGE:-}" ] || sizes+=(2000000000)
rss() {
	python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$@"
}
declare -A first
for size in "${sizes[@]}"; do
	"$O/bench/trace" fill "$dir/t.gst" "$size" || exit 1
	for tool in "gpureport -j" "gputimeline -o $dir/x" "gpuflame --html -o $dir/x" "gpudiff $dir/t.gst --"; do
		# shellcheck disable=SC2086	# words
		mb="$(rss "$O/bin/"$tool "$dir/t.gst")"
		name="${tool%% *}"
		: "${first[$name]:=$mb}"
		echo "memory: $name $((size / 1000000)) MB of trace: $mb MB, $(awk -v a="$mb" -v b="${first[$name]}" 'BEGIN { printf "%.2f", a / b }') x that of ${sizes[0]%000000} MB"
	done
done
