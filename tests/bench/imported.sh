#!/bin/bash
# Bytes a record of traces that other tools made, once imported; the bound is 6 (DESIGN 7). Needs ../shared/data.
set -u
cd "$(dirname "$0")/../.." || exit 1
O="${O:-build}"
data=../shared/data/traces
[ -d "$data" ] || { echo "bench imported: skipped: needs $data"; exit 0; }
dir="$(mktemp -d)"
trap 'rm -rf "$dir"' EXIT
for f in "$data"/kineto/*.json* "$data"/nsys/*.sqlite "$data"/rocprof/*.db; do
	[ -e "$f" ] || continue
	"$O/bin/gpuimport" "$f" -o "$dir/t.gst" > /dev/null 2>&1 || continue
	"$O/bin/gpureport" --check "$dir/t.gst" 2> /dev/null |
		sed -nE "s|^.*, ([0-9]+) blocks, ([0-9]+) records, ([0-9]+) bytes.*|\2 \3 $(basename "$f")|p"
done | awk '$1 >= 10000 { n++; r = $2 / $1; if (r > worst) { worst = r; name = $3 } if (r > 6) { over++; print "imported: over the bound: " $3 " " r } records += $1; bytes += $2 }
	END { printf "imported: %d traces of 10,000 records and more: %.2f bytes a record, worst %.2f (%s); bound 6\n", n, bytes / records, worst, name; exit over > 0 }'
