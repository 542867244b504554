#!/usr/bin/env python3
"""expected_text.py EXPECTED KEY IMPORT REPORT: is every number of EXPECTED[KEY] in gpuimport -j and gpureport -j?"""
import json
import subprocess
import sys

expected = json.load(open(sys.argv[1]))[sys.argv[2]]
facts = json.load(open(sys.argv[3]))["inputs"][0]["facts"]
report = json.load(open(sys.argv[4]))
text = facts["text"]
bad = 0


def same(what, want, got):
    global bad
    if want != got:
        bad += 1
        print("%s: %s is %s, expected %s" % (sys.argv[2], what, got, want))


# for stacks, what is behind the last end of a line was counted as a line
same("lines", expected["lines"], text["lines"] + (expected["type"] == "stacks"))
for key in ("folded_lines", "folded_sum", "max_depth", "gpu_kernel_frames", "uvm_frames", "libcuda", "perf_report_rows"):
    if key in expected:
        same(key, expected[key], text.get(key, 0))
if "perf_event_count" in expected:
    same("event counts", sorted(expected["perf_event_count"]), sorted(facts["perf_event_count"].values()))
for row in expected.get("perf_top5", []):
    same(row, round(100 * float(row.split("%")[0])), facts["row"].get(row))
if "by_kind" in expected:
    same("kinds", expected["by_kind"], facts["by_kind"])
    same("kernels", (expected["kernels"], expected["kernel_total_ns"], expected["memcpy_lines"]),
         (report["kernels"]["count"], report["kernels"]["total_ns"], report["memcpy"]["count"]))
    rows = {r["name"]: [r["count"], r["total_ns"]] for r in report["kernels"]["by_name"]}
    for name, count, ns in expected["top5"]:
        plain = subprocess.run(["c++filt", name], capture_output=True, text=True).stdout.strip()
        same(name, [count, ns], rows.get(name) or rows.get(plain))
sys.exit(bad > 0)
