#!/bin/bash
# flamegraph on a million folded lines, against sort | uniq -c of the same file in the same run
# (the least that any program does that adds up equal lines). LINES_FOLDED=N for another size.
set -u
lines="${LINES_FOLDED:-1000000}"
dir="$(mktemp -d)" || exit 1
trap 'rm -rf "$dir"' EXIT

# 16 frames deep, C++ names, every second stack new: a big training job, sampled for minutes
awk -v n="$lines" 'BEGIN {
	srand(1)
	for (i = 0; i < 4000; i++)
		name[i] = sprintf("ns%d::Module<float>::forward_%d(Tensor const&, int)", i % 17, i)
	for (i = 0; i < n; i++) {
		seed = i % 2 ? i : int(rand() * 5000)
		line = "python3-100;python3/" 100 + seed % 8
		for (d = 0; d < 12; d++) {
			seed = (seed * 69 + 12345 + d) % 1000003
			line = line ";" name[d < 8 ? (d * 10 + seed % 3) : (d < 11 ? d * 100 + seed % 40 : seed % 4000)]
		}
		print line ";cudaLaunchKernel;[gpu] kernel" seed % 300, 1000 + seed
	}
}' > "$dir/in"
bytes=$(stat -c %s "$dir/in")
sort='' svg=''

# seconds VARIABLE COMMAND...
seconds() {
	local name="$1" from="$EPOCHREALTIME"
	shift
	"$@" || exit 1
	printf -v "$name" '%s' "$(awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')"
}
peer() { LC_ALL=C sort "$dir/in" | uniq -c > /dev/null; }
ours() { "$O/bin/flamegraph" --countname=ns "$dir/in" > "$dir/out.svg"; }

cat "$dir/in" > /dev/null
seconds sort peer
seconds svg ours
awk -v n="$lines" -v b="$bytes" -v sort="$sort" -v svg="$svg" \
	-v frames="$(grep -oE '; [0-9]+ frames' "$dir/out.svg" | tr -dc 0-9)" -v size="$(stat -c %s "$dir/out.svg")" 'BEGIN {
	printf "%d folded lines, %.0f MB, %d distinct frames -> SVG of %.1f MB\n", n, b / 1e6, frames, size / 1e6
	printf "flamegraph %.2f s (%.1f M lines/s), sort | uniq -c %.2f s\n", svg, n / svg / 1e6, sort
	printf "ratio to sort | uniq -c: %.2f\n", svg / sort
}'
