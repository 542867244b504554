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
echo "recordings that the defaults were not chosen with:"
rm "$tmp"/*.gst
for name in nsys/h100_2gpu_1s.sqlite kineto/linear_rtx2080ti.json.gz kineto/mi300x_resnet18.json.gz kineto/resnet50_oldfmt_w0.json.gz \
	kineto/sam_a100_after_75MB.json.gz kineto/diff_hta_test_rank1of2_v100.json.gz kineto/negative_queue_rank0of16_a100.json.gz \
	kineto/nccl_rank0of2_a100.json.gz kineto/sam_small_cudagraph_a100.json.gz kineto/mi300x_qwen05b.json.gz kineto/h100_qwen05b.json.gz; do
	base="${name##*/}"
	"$O/bin/gpuimport" "$data/../$name" -o "$tmp/${base%%.*}.gst" 2> /dev/null || echo "$base: not imported"
done
"$O/bench/diff" -n "${COMPARISONS:-200}" "$tmp"/*.gst
