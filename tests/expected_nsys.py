#!/usr/bin/env python3
"""expected_nsys.py EXPECTED KEY IMPORT REPORT: is every number of EXPECTED[KEY] in gpuimport -j and gpureport -j?"""
import json
import sys

expected = json.load(open(sys.argv[1]))[sys.argv[2]]
told = json.load(open(sys.argv[3]))
report = json.load(open(sys.argv[4]))
facts = told["inputs"][0]["facts"]
bad = 0


def same(what, want, got):
    global bad
    if want != got:
        bad += 1
        print("%s: %s is %s, expected %s" % (sys.argv[2], what, got, want))


def by_name(rows):
    return {r["name"]: {"count": r["count"], "total_ns": r["total_ns"]} for r in rows}


same("bytes", expected["raw_bytes"], told["inputs"][0]["bytes"])
same("rows", expected["rows"], facts["rows"])
same("export", sorted("%s=%s" % e for e in expected["export"].items()), sorted(facts["export"]))
same("gpu", len(expected.get("gpu", [])), sum(facts.get("gpu", {}).values()))
for name in expected.get("gpu", []):
    same("gpu " + name, expected["gpu"].count(name), facts["gpu"].get(name))
kernel = expected["kernel"]
for key, path in {"count": "count", "total_ns": "total_ns", "first": "first_ns", "last": "last_ns"}.items():
    same("kernels " + key, kernel[key], report["kernels"][path])
same("graph nodes", kernel["graph_nodes"], facts.get("kernel", {}).get("graph_nodes", 0))
same("correlated", kernel["correlated"], report["launch"]["delay_count"])
same("streams", kernel["streams"], report["streams"])
kernels = by_name(report["kernels"]["by_name"])
for k in kernel["top5"]:
    same(k["name"], {"count": k["count"], "total_ns": k["total_ns"]}, kernels.get(k["name"]))
for k in kernel["short_top5"]:
    same(k["name"], (k["count"], k["total_ns"]),
         (facts["short_name_count"].get(k["name"]), facts["short_name_ns"].get(k["name"])))
for device, k in kernel["by_device"].items():
    same("kernels of device " + device, (k["count"], k["total_ns"]),
         (facts["kernel_count_by_device"].get(device), facts["kernel_ns_by_device"].get(device)))
same("busy", sorted(k["busy_ns"] for k in kernel["by_device"].values()),
     sorted(d["kernel_busy_ns"] for d in report["by_device"] if d["kernel_busy_ns"]))
same("nccl", kernel["nccl"], {
    "count": sum(v["count"] for n, v in kernels.items() if "nccl" in n.lower()),
    "total_ns": sum(v["total_ns"] for n, v in kernels.items() if "nccl" in n.lower())})
words = {"Host-to-Device": "HtoD", "Device-to-Host": "DtoH", "Device-to-Device": "DtoD", "Peer-to-Peer": "PtoP",
         "Host-to-Host": "HtoH", "Unified Host-to-Device": "UVM HtoD", "Unified Device-to-Host": "UVM DtoH",
         "Unified Device-to-Device": "UVM DtoD"}
for label, want in expected.get("memcpy", {}).items():
    got = report["memcpy"]["by_kind"].get(words.get(label, label), {})
    same("copies " + label, want, {k: got.get(k) for k in want})
calls = by_name(report["api"]["by_name"])
for k in expected.get("runtime_top5", []):
    same(k["name"], {"count": k["count"], "total_ns": k["total_ns"]}, calls.get(k["name"]))
sys.exit(bad > 0)
