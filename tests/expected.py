#!/usr/bin/env python3
"""Reference numbers of real traces against what gpuimport and gpureport say of them.

  expected.py GPUIMPORT GPUREPORT TRACES WORK [PREFIX...]

TRACES/expected.json has the numbers, computed by a program of somebody else. Each is compared exactly: times
in decimal microseconds become integer nanoseconds by decimal arithmetic. A key that nothing here knows is
reported as such, so that none is left out in silence. A line for each file; exit 1 when something differs.
"""
import json
import os
import subprocess
import sys
from decimal import Decimal

COPY_KINDS = {"Host-to-Device": "HtoD", "Device-to-Host": "DtoH", "Device-to-Device": "DtoD", "Host-to-Host": "HtoH",
              "Peer-to-Peer": "PtoP", "Unified Host-to-Device": "UVM HtoD", "Unified Device-to-Host": "UVM DtoH",
              "Unified Device-to-Device": "UVM DtoD", "Unified Host-to-Host": "UVM HtoH"}
# the memory on the host's side, as the copy's name has it
MEMORY = {"Pageable": "pageable", "Pinned": "pinned", "Managed": "managed", "Host": "unknown", "Unknown": "unknown"}


def ns(us):
    value = us * 1000
    if value != int(value):
        raise ValueError(f"{us} us is no whole number of ns")
    return int(value)


def top5(rows, unit):
    return [(r["name"], r["count"], ns(r["total_us"]) if unit == "us" else r["total_ns"]) for r in rows]


def as_recorded(rows):
    """Kernels by the names that the file has."""
    return [{**r, "name": r.get("mangled", r["name"])} for r in rows]


def rows_of(rows, n, *others):
    """The n rows with the most time: names, counts, times; other lists are added by name."""
    sums = {}
    for r in rows + [r for o in others for r in o]:
        c, t = sums.get(r["name"], (0, 0))
        sums[r["name"]] = (c + r["count"], t + int(r["total_ns"]))
    return sorted(((k, c, t) for k, (c, t) in sums.items()), key=lambda r: (-r[2], r[0]))[:n]


class Check:
    def __init__(self):
        self.bad, self.n = [], 0

    def same(self, key, want, got):
        self.n += 1
        if want != got:
            self.bad.append(f"{key}: {got!r}, not {want!r}")

    def top(self, key, want, got_all, want_unit):
        """Rows of equal time may stand in any order: times in order, and each row somewhere."""
        want = top5(want, want_unit)
        self.same(key + " times", [w[2] for w in want], [g[2] for g in got_all[:len(want)]])
        for w in want:
            self.same(key, w, next((g for g in got_all if g[0] == w[0]), None))

    def unknown(self, where, keys, known):
        for key in sorted(set(keys) - set(known)):
            self.bad.append(f"{where}{key}: nothing here compares it")


def total(ranks, *path):
    n = 0
    for r in ranks:
        for p in path:
            r = r[p]
        n += int(r)
    return n


def copies(c, want, rep):
    by_kind = rep["memcpy"]["by_kind"]
    for name, w in want.items():
        if name in COPY_KINDS:
            got = by_kind.get(COPY_KINDS[name])
        else:
            words = name.replace("(", "").replace(")", "").split()     # Memcpy HtoD (Pinned -> Device)
            kind = words[1] if len(words) > 1 else "?"
            host = words[2] if kind.startswith("H") else words[-1]
            got = by_kind.get(kind, {})
            if len(words) > 2 and kind in ("HtoD", "DtoH"):
                got = got.get("by_memory", {}).get(MEMORY.get(host, host))
        for key in w:
            value = ns(w[key]) if key.endswith("_us") else w[key]
            self_key = key.replace("_us", "_ns")
            c.same(f"memcpy {name} {key}", value, got and int(got[self_key]))
    c.same("memcpy kinds", sum(w["count"] for w in want.values()), rep["memcpy"]["count"])


def compare_kernels(c, k, rep):
    mine, devices = rep["kernels"], [d for d in rep["by_device"] if d["kernels"]]
    names = rows_of(as_recorded(mine["by_name"]), None)
    known = {"count": mine["count"], "unique_names": mine["unique_names"], "gpus": len(devices), "first_ts_ns": mine["first_ns"],
             "last_end_ns": mine["last_ns"], "first": mine["first_ns"], "last": mine["last_ns"], "total_ns": int(mine["total_ns"]),
             "streams": len({(s["device"], s["stream"]) for s in rep["by_stream"] if s["kernels"]}),
             "correlated": mine["count"] - total(rep["ranks"], "kernels", "no_launch", "count"),
             "graph_nodes": total(rep["ranks"], "kernels", "graph_nodes", "count")}
    known_us = {"total_us": int(mine["total_ns"]), "max_us": int(mine["max_ns"]), "busy_us": int(mine["busy_ns"]),
                "span_us": mine["last_ns"] - mine["first_ns"] if mine["count"] else 0}
    for key, want in k.items():
        if key in known:
            c.same("kernel " + key, want, known[key])
        elif key in known_us:
            c.same("kernel " + key, ns(want), known_us[key])
    if "top5" in k:
        c.top("kernel top5", k["top5"], names, "us" if k["top5"] and "total_us" in k["top5"][0] else "ns")
    if "short_top5" in k:
        c.top("kernel short_top5", k["short_top5"], rows_of(mine["by_short_name"], None), "ns")
    if "nccl" in k:
        c.same("kernel nccl", (k["nccl"]["count"], k["nccl"]["total_ns"]), (rep["comm"]["count"], int(rep["comm"]["total_ns"])))
    for ordinal, w in k.get("by_device", {}).items():
        gpus = [g for r in rep["ranks"] for g in r["gpus"] if g["ordinal"] == int(ordinal)]
        c.same(f"kernel by_device {ordinal}", (w["count"], w["total_ns"], w["busy_ns"]),
               (sum(g["kernels"] for g in gpus), total(gpus, "kernel_ns"), total(gpus, "kernel_busy_ns")))
    c.unknown("kernel ", k, [*known, *known_us, "top5", "short_top5", "nccl", "by_device"])


def compare_launch(c, want, rep):
    d, mine = rep["launch"]["kernel_delay"], rep["kernels"]
    early = total(rep["ranks"], "kernels", "early", "count")
    c.same("launch correlated", want["correlated"], mine["count"] - total(rep["ranks"], "kernels", "no_launch", "count"))
    c.same("launch early", want["early"], early)
    for key, got in (("median_latency_us", "p50_ns"), ("max_latency_us", "max_ns"), ("min_latency_us", "min_ns")):
        if want.get(key) is not None and not early:
            c.same("launch " + key, ns(want[key]), int(d[got]))
    c.unknown("launch ", want, ["correlated", "early", "median_latency_us", "max_latency_us", "min_latency_us"])


def compare_comm(c, want, rep):
    mine = rep["comm"]
    c.same("comm count", want["count"], mine["count"])
    for key, got in (("total_us", "total_ns"), ("busy_us", "busy_ns"), ("overlap_us", "hidden_ns")):
        c.same("comm " + key, ns(want[key]), int(mine[got]))
    c.same("comm names", want["names"], {r["name"]: r["count"] for r in mine["by_name"]})
    c.same("comm collectives", want["collectives"], {r["name"]: r["count"] for r in mine["by_collective"]})
    c.unknown("comm ", want, ["count", "total_us", "busy_us", "overlap_us", "names", "collectives"])


def compare_steps(c, want, rep):
    got = {}
    for r in rep["ranks"]:
        if r["steps"] and r["steps"]["method"] == "profiler":
            got.update({f"ProfilerStep#{s['number']}": int(s["dur_ns"]) for s in r["steps"]["list"]})
    c.same("profiler_steps", {k: ns(v) for k, v in want.items()}, got)


def compare_facts(c, x, imp):
    facts = imp["facts"]
    keys = sorted(facts.get("top_level", {}))      # of which the reference lists 14 at most
    plain = {"events": imp["records"], "raw_bytes": imp["bytes"], "top_level": keys[:14],
             "ph": facts.get("ph", {}), "cat": facts.get("cat", {}), "devices": sum(facts.get("devices", {}).values()),
             "gpu": sorted(facts.get("gpu", {})), "rows": facts.get("rows", {}), "python_function": facts.get("cat", {}).get("python_function", 0)}
    for key, got in plain.items():
        if key in x:
            c.same(key, sorted(set(x[key])) if isinstance(x[key], list) else x[key], got)
    if "distributed" in x:
        d = x["distributed"]
        c.same("distributed", (d["rank"], d["world_size"] or 0, d["backend"]),
               (imp["rank"], imp["world"], next(iter(facts.get("backend", {})), None)))
    if "export" in x:
        c.same("export", x["export"], dict(f.split("=", 1) for f in facts.get("export", {})))
    return [*plain, "distributed", "export"]


def compare_file(c, x, imp, rep):
    known = compare_facts(c, x, imp) + ["type"]
    for key, function in (("kernel", compare_kernels), ("launch", compare_launch), ("comm", compare_comm), ("memcpy", copies),
                          ("profiler_steps", compare_steps)):
        known.append(key)
        if key in x:
            function(c, x[key], rep)
    simple = {"gpu_busy_us_kernel_memcpy_memset": lambda v: (ns(v), int(rep["gpu_busy_ns"])),
              "kernels_in_graph": lambda v: (v, total(rep["ranks"], "kernels", "graph_nodes", "count")),
              "graph_launches": lambda v: (v, total(rep["ranks"], "graph_launches")),
              "memset": lambda v: ((v["count"], ns(v["total_us"])), (rep["memset"]["count"], int(rep["memset"]["total_ns"]))),
              "kernels": lambda v: (v, rep["kernels"]["count"]), "kernel_total_ns": lambda v: (v, int(rep["kernels"]["total_ns"])),
              "memcpy_lines": lambda v: (v, rep["memcpy"]["count"])}
    for key, f in simple.items():
        if key in x:
            c.same(key, *f(x[key]))
    calls = rows_of(rep["api"]["by_name"], None, rep["api"]["nested_by_name"])
    if "runtime" in x:
        c.same("runtime count", x["runtime"]["count"], rep["api"]["count"] + rep["api"]["nested"])
        c.top("runtime top5", x["runtime"]["top5"], calls, "us")
    if "runtime_top5" in x:
        c.top("runtime_top5", x["runtime_top5"], calls, "ns")
    if "top5" in x:
        got = {r["name"]: [r["count"], int(r["total_ns"])] for r in rep["kernels"]["by_name"]}
        for name, *w in x["top5"]:
            c.same("top5 " + name, w, got.get(name) or next((g for n, g in got.items() if demangle(name) == n), None))
    c.unknown("", x, known + [*simple, "runtime", "runtime_top5", "top5", "lines", "by_kind"])


def demangle(name):
    return subprocess.run(["c++filt"], input=name, text=True, capture_output=True).stdout.strip()


def compare_ranks(c, x, rep):
    ranks = {str(r["rank"]): r for r in rep["ranks"]}
    found = rep["comm"]["collectives"]["list"]
    c.same("ranks", [str(r) for r in x["ranks"]], sorted(ranks, key=int))
    c.same("nccl_per_rank", x["nccl_per_rank"], {k: r["comm"]["count"] for k, r in ranks.items()})
    c.same("collectives", len(x["collectives"]), len(found))
    for w, g in zip(x["collectives"], found):
        c.same(f"collective {w['k']} late_rank", str(w["late_rank"]), g["last"])
        c.same(f"collective {w['k']} spread_us", ns(w["spread_us"]), int(g["spread_ns"]))
        c.same(f"collective {w['k']} dur_us", {k: ns(v) for k, v in w["dur_us"].items()}, {r["rank"]: int(r["dur_ns"]) for r in g["ranks"]})
        c.same(f"collective {w['k']} names", w["names"], [g["name"]])
    c.same("late_count", x["late_count"], {k: r["collectives"]["last"] for k, r in ranks.items() if r["collectives"]["last"]})
    c.same("wait_before_last_arrival_us", {k: ns(v) for k, v in x["wait_before_last_arrival_us"].items()},
           {k: int(r["collectives"]["waited_by_start_ns"]) for k, r in ranks.items()})
    c.same("equal_counts", x.get("equal_counts", True), rep["comm"]["collectives"]["unmatched"] == 0)
    c.unknown("", x, ["type", "ranks", "nccl_per_rank", "collectives", "late_count", "wait_before_last_arrival_us", "equal_counts"])


def compare_pair(c, x, a, b):
    sums = [{r["name"]: (r["count"], int(r["total_ns"])) for r in as_recorded(rep["kernels"]["by_name"])} for rep in (a, b)]
    c.same("kernels", x["kernels"], [rep["kernels"]["count"] for rep in (a, b)])
    c.same("total_ns", x["total_ns"], [int(rep["kernels"]["total_ns"]) for rep in (a, b)])
    c.same("only_in_a", x["only_in_a"], len(set(sums[0]) - set(sums[1])))
    c.same("only_in_b", x["only_in_b"], len(set(sums[1]) - set(sums[0])))
    for row in x["top5_delta"]:
        got = [s.get(row["name"], (0, 0)) for s in sums]
        c.same("delta " + row["name"], (row["count"], row["total_ns"], row["delta_ns"]),
               ([g[0] for g in got], [g[1] for g in got], got[1][1] - got[0][1]))


class Tools:
    def __init__(self, gpuimport, gpureport, traces, work):
        self.gpuimport, self.gpureport, self.traces, self.work, self.kept = gpuimport, gpureport, traces, work, {}

    def read(self, *names):
        """What both programs say of these files, imported as one."""
        out = os.path.join(self.work, "expected.gst")
        paths = [os.path.join(self.traces, n) for n in names]
        imp = subprocess.run([self.gpuimport, "-j", "-o", out, *paths], capture_output=True, text=True)
        if imp.returncode:
            raise RuntimeError(f"gpuimport: exit {imp.returncode}: {imp.stderr.strip()}")
        rep = subprocess.run([self.gpureport, "-j", out], capture_output=True, text=True)
        if rep.returncode:
            raise RuntimeError(f"gpureport: exit {rep.returncode}: {rep.stderr.strip()}")
        os.unlink(out)
        return json.loads(imp.stdout), json.loads(rep.stdout)


def compare(tools, key, x):
    c = Check()
    if key.startswith("pair: "):
        a, b = key[len("pair: "):].split(" -> ")
        compare_pair(c, x, tools.read(a)[1], tools.read(b)[1])
    elif key.endswith("/"):
        files = sorted(os.listdir(os.path.join(tools.traces, key)))
        compare_ranks(c, x, tools.read(*[key + f for f in files])[1])
    else:
        imp, rep = tools.read(key)
        compare_file(c, x, imp["inputs"][0], rep)
    return c


def wanted(key, x, prefixes):
    """Keys of traces; the other files in the folder (logs, tables of other tools) have other tests."""
    path = key[len("pair: "):] if key.startswith("pair: ") else key
    if x["type"] not in ("kineto/chrome-trace", "sqlite", "cupti text", "multi-rank set", "kernel diff"):
        return False
    return not prefixes or any(path.startswith(p) for p in prefixes)


def main(gpuimport, gpureport, traces, work, *prefixes):
    with open(os.path.join(traces, "expected.json"), encoding="utf-8") as f:
        expected = json.load(f, parse_float=Decimal)
    tools, failed, n = Tools(gpuimport, gpureport, traces, work), 0, 0
    for key, x in expected.items():
        if not wanted(key, x, prefixes):
            continue
        try:
            c = compare(tools, key, x)
        except (RuntimeError, ValueError, KeyError, TypeError, IndexError) as e:
            c = Check()
            c.bad.append(f"{type(e).__name__}: {e}")
        n += c.n
        failed += bool(c.bad)
        print(f"{'FAIL' if c.bad else 'ok'} {key} {c.n} compared")
        for line in c.bad:
            print("    " + line[:600])
    print(f"{n} compared, {failed} files differ")
    return failed > 0 or not n


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
