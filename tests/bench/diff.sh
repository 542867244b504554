#!/bin/bash
# gpudiff's gate: false alarms and what it sees, on models of kernels and on runs drawn from real recordings.
cd "$(dirname "$0")/../.." || exit 1
O="$(realpath "${O:-build}")"
data=../shared/data/traces/kineto
"$O/bench/diff" -n "${COMPARISONS:-200}"
[ -d "$data" ] || { echo "real recordings: skipped: needs ../shared/data"; exit 0; }
tmp="$(mktemp -d)"
trap 'rm -rf "$tmp"' EXIT
for name in resnet50_w0_runA_v100 sam_a100_before_81MB xdit_sd35_mi300x_62MB h100_owlv2_55MB diff_hta_control_rank3of8_a100; do
	"$O/bin/gpuimport" "$data/$name.json.gz" -o "$tmp/$name.gst" 2> /dev/null || echo "$name: not imported"
done
"$O/bench/diff" -n "${COMPARISONS:-200}" "$tmp"/*.gst
