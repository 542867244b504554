#!/bin/bash
# gpuimport of a PyTorch profiler's trace against the scanner below it alone (which steps over the same bytes) and
# against other readers of the same file; memory and CPU time at a tenth of the size and at all of it,
# also of what reads the trace; the instructions it takes.
# IMPORT_BYTES=N for another size than 1 GB. Rates are per second of CPU time, of all threads.
set -u
scan_s='' scan_kb='' big_s='' big_kb='' small_s='' small_kb='' gz_s='' gz_kb='' peer_s='' peer_kb=''
bytes="${IMPORT_BYTES:-1000000000}"
dir="$(mktemp -d "${TMPDIR:-/var/tmp}/import.XXXXXX")" || exit 1
trap 'rm -rf "$dir"' EXIT
"$O/bench/import" $((bytes / 10)) > "$dir/small.json" || exit 1
"$O/bench/import" "$bytes" > "$dir/big.json" || exit 1
gzip -1 -k "$dir/small.json" || exit 1

# cost VARIABLE COMMAND...: seconds of CPU time and KB of memory in VARIABLE_s, VARIABLE_kb
cost() {
	local name="$1" line
	shift
	line=$(python3 - "$@" <<- 'END'
		import resource, subprocess, sys
		status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
		use = resource.getrusage(resource.RUSAGE_CHILDREN)
		print(use.ru_utime + use.ru_stime, use.ru_maxrss)
		sys.exit(status)
	END
	) || { echo "bench: $1 failed"; exit 1; }
	printf -v "${name}_s" '%s' "${line% *}"
	printf -v "${name}_kb" '%s' "${line#* }"
}

# row NAME FILE SECONDS KB: its rate, and as a share of the scanner's
row() {
	awk -v name="$1" -v bytes="$(stat -c %s "$2")" -v s="$3" -v kb="$4" -v scan="$scan_s" -v all="$(stat -c %s "$dir/big.json")" '
		BEGIN { printf "%-44s %7.1f MB/s  %5.3f of the scanner  %7.1f MB of memory\n", name, bytes / s / 1e6, bytes / s / (all / scan), kb / 1024 }'
}
python='import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
print(sum(float(e["dur"]) for e in events if e.get("cat") == "kernel"))'
node='const t = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))
console.log(t.traceEvents.reduce((n, e) => n + (e.cat === "kernel" ? e.dur : 0), 0))'

cat "$dir/big.json" > /dev/null
cost scan "$O/test/jsontest" -b "$dir/big.json"
cost big "$O/bin/gpuimport" "$dir/big.json" -o "$dir/big.gst"
cost small "$O/bin/gpuimport" "$dir/small.json" -o "$dir/small.gst"
cost gz "$O/bin/gpuimport" "$dir/small.json.gz" -o "$dir/gz.gst"
row "the scanner alone, all stepped over" "$dir/big.json" "$scan_s" "$scan_kb"
row "gpuimport, all of it" "$dir/big.json" "$big_s" "$big_kb"
row "gpuimport, a tenth" "$dir/small.json" "$small_s" "$small_kb"
row "gpuimport, a tenth, gzip (of the unpacked)" "$dir/small.json" "$gz_s" "$gz_kb"
for size in small big; do
	cost peer "$O/bin/gpureport" "$dir/$size.gst" -j
	row "gpureport of the trace ($size, of the JSON)" "$dir/$size.json" "$peer_s" "$peer_kb"
	cost peer "$O/bin/gputimeline" "$dir/$size.gst" -o "$dir/timeline"
	row "gputimeline of the trace ($size)" "$dir/$size.json" "$peer_s" "$peer_kb"
	cost peer "$O/bin/gpuflame" "$dir/$size.gst"
	row "gpuflame of the trace ($size)" "$dir/$size.json" "$peer_s" "$peer_kb"
	cost peer "$O/bin/gpudiff" "$dir/$size.gst" -- "$dir/$size.gst"
	row "gpudiff of the trace and itself ($size)" "$dir/$size.json" "$peer_s" "$peer_kb"
done
cost peer python3 -c "$python" "$dir/small.json"
row "CPython json, sum of kernels, a tenth" "$dir/small.json" "$peer_s" "$peer_kb"
if command -v node > /dev/null; then
	cost peer node -e "$node" "$dir/small.json"
	row "node JSON.parse, sum of kernels, a tenth" "$dir/small.json" "$peer_s" "$peer_kb"
fi
if command -v jq > /dev/null; then
	cost peer jq '[.traceEvents[] | select(.cat == "kernel").dur] | add' "$dir/small.json"
	row "jq, sum of kernels, a tenth" "$dir/small.json" "$peer_s" "$peer_kb"
fi
awk -v a="$small_s" -v b="$big_s" -v trace="$(stat -c %s "$dir/big.gst")" -v json="$(stat -c %s "$dir/big.json")" \
	'BEGIN { printf "ten times the file takes %.1f times the CPU time; the trace is 1/%d of the JSON\n", b / a, json / trace }'
# the same for the same binary, whatever else the machine does: 20 MB less 10 MB, so that set-up is not in it
command -v valgrind > /dev/null || exit 0
instructions() {
	"$O/bench/import" "$1" > "$dir/some.json"
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$O/bin/gpuimport" "$dir/some.json" -o "$dir/some.gst" 2>&1 |
		sed -nE 's/.*Collected : ([0-9]+).*/\1/p'
}
few=$(instructions 10000000) many=$(instructions 20000000)
echo "import_instructions_per_100_bytes $(((many - few) / 100000))"
