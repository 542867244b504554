#!/usr/bin/env python3
"""Compares what gpuimport made of a Chrome trace with the truth about it, number by number.

    kineto_check.py BUILD TRACE.json[.gz] [EXPECTED.json KEY]

The truth is EXPECTED.json's entry KEY, or worked out here from the JSON itself, by Python's
parser and decimals. Our side is the records of the trace file (cattrace) and gpuimport -j.
Prints the number of values that were compared, or what differs.
"""
import collections
import decimal
import gzip
import json
import re
import subprocess
import sys
import tempfile

COPY = {1: "HtoD", 2: "DtoH", 3: "HtoA", 4: "AtoH", 5: "AtoA", 6: "AtoD", 7: "DtoA", 8: "DtoD",
        9: "HtoH", 10: "PtoP"}
SIDE = {0: "Host", 1: "Pageable", 2: "Pinned", 3: "Device", 4: "Array", 5: "Managed",
        6: "Device Static", 7: "Managed Static"}


def ns(us):
    return int((decimal.Decimal(str(us)) * 1000).to_integral_value(decimal.ROUND_HALF_UP))


def union(spans):
    out = []
    for a, b in sorted(spans):
        if out and a <= out[-1][1]:
            out[-1][1] = max(out[-1][1], b)
        else:
            out.append([a, b])
    return out


def length(spans):
    return sum(b - a for a, b in spans)


def common(x, y):
    total = i = j = 0
    while i < len(x) and j < len(y):
        total += max(0, min(x[i][1], y[j][1]) - max(x[i][0], y[j][0]))
        if x[i][1] < y[j][1]:
            i += 1
        else:
            j += 1
    return total


class Op:
    def __init__(self, gpu, stream, name, ts, dur, corr, size=0, node=0, collective=None):
        self.gpu, self.stream, self.name = gpu, stream, name
        self.ts, self.dur, self.corr = ts, dur, corr
        self.size, self.node, self.collective = size, node, collective


def by_gpu(ops):
    gpus = collections.defaultdict(list)
    for o in ops:
        gpus[o.gpu].append((o.ts, o.ts + o.dur))
    return {g: union(v) for g, v in gpus.items()}


def named(ops):
    total, count = collections.Counter(), collections.Counter()
    for o in ops:
        total[o.name] += o.dur
        count[o.name] += 1
    return total, count


def figures(kernels, copies, sets, calls, spans):
    """Both sides' figures from both sides' operations: only reading them differs."""
    f = {}
    if kernels:
        total, count = named(kernels)
        f["kernel.count"] = len(kernels)
        f["kernel.total"] = sum(total.values())
        f["kernel.unique"] = len(total)
        f["kernel.streams"] = len({(o.gpu, o.stream) for o in kernels})
        f["kernel.gpus"] = len({o.gpu for o in kernels})
        f["kernel.first"] = min(o.ts for o in kernels)
        f["kernel.last"] = max(o.ts + o.dur for o in kernels)
        f["kernel.max"] = max(o.dur for o in kernels)
        f["kernel.busy"] = sum(length(u) for u in by_gpu(kernels).values())
        f["names"] = (total, count)
        f["busy"] = sum(length(u) for u in by_gpu(kernels + copies + sets).values())
        comm = [o for o in kernels if re.search("nccl|rccl", o.name.lower())]
        rest = by_gpu([o for o in kernels if not re.search("nccl|rccl", o.name.lower())])
        f["comm.count"] = len(comm)
        f["comm.total"] = sum(o.dur for o in comm)
        comm_gpu = by_gpu(comm)
        f["comm.busy"] = sum(length(u) for u in comm_gpu.values())
        f["comm.overlap"] = sum(common(u, rest.get(g, [])) for g, u in comm_gpu.items())
        f["comm.collectives"] = dict(collections.Counter(o.collective for o in comm
                                                         if o.collective))
        starts = {}
        for o in calls:
            starts.setdefault(o.corr, o.ts)
        linked = [o.ts - starts[o.corr] for o in kernels if o.corr in starts]
        f["launch.correlated"] = len(linked)
        f["launch.early"] = sum(d < 0 for d in linked)
        f["launch.latencies"] = (min(linked), max(linked)) if linked else None
        f["kernels_in_graph"] = sum(o.node != 0 for o in kernels)
    f["memset"] = (len(sets), sum(o.dur for o in sets))
    kinds = {}
    for o in copies:
        k = kinds.setdefault(o.name, [0, 0, 0])
        k[0] += 1
        k[1] += o.size
        k[2] += o.dur
    f["memcpy"] = kinds
    total, count = named(calls)
    f["runtime"] = (total, count)
    f["graph_launches"] = sum("GraphLaunch" in o.name for o in calls)
    f["steps"] = {s.name: s.dur for s in spans if s.name.startswith("ProfilerStep#")}
    f["python"] = sum(s.node == "python" for s in spans)
    return f


def read_json(path):
    raw = (gzip.open if path.endswith("gz") else open)(path, "rb").read()
    return raw, json.loads(raw, parse_float=decimal.Decimal)


def truth_of_file(path):
    raw, doc = read_json(path)
    events = doc if isinstance(doc, list) else doc["traceEvents"]
    kernels, copies, sets, calls, spans = [], [], [], [], []
    for e in events:
        cat, args = (e.get("cat") or "").lower(), e.get("args") or {}
        if e.get("ph") != "X":
            continue
        o = Op(args.get("device", e.get("pid")), args.get("stream", e.get("tid")), e["name"],
               ns(e["ts"]), ns(e.get("dur", 0)),
               args.get("correlation", args.get("correlation id")), args.get("bytes", 0),
               args.get("graph node id", 0), args.get("Collective name"))
        if cat in ("kernel", "mtia_ccp_events"):
            kernels.append(o)
        elif cat in ("gpu_memcpy", "memcpy"):
            copies.append(o)
        elif cat in ("gpu_memset", "memset"):
            sets.append(o)
        elif cat == "runtime" or cat.endswith(("_runtime", "_driver")):
            calls.append(o)
        else:
            o.node = "python" if cat == "python_function" else 0
            if cat in ("python_function", "user_annotation", "operator"):
                spans.append(o)
    f = figures(kernels, copies, sets, calls, spans)
    f["raw_bytes"], f["events"] = len(raw), len(events)
    f["ph"] = dict(collections.Counter(str(e.get("ph")) for e in events))
    f["cat"] = dict(collections.Counter(str(e.get("cat")) for e in events))
    if isinstance(doc, dict):
        f["top_level"] = sorted(doc)
        f["devices"] = len(doc.get("deviceProperties") or [])
        f["distributed"] = {k: (doc.get("distributedInfo") or {}).get(k)
                            for k in ("backend", "rank", "world_size")}
    return f


def truth_of_expected(path, key):
    v = json.load(open(path))[key]
    f = {"raw_bytes": v["raw_bytes"], "events": v["events"], "ph": v["ph"], "cat": v["cat"],
         "top_level": v["top_level"], "devices": v.get("devices", 0),
         "steps": {k: ns(x) for k, x in (v.get("profiler_steps") or {}).items()},
         "python": v.get("python_function") or 0,
         "graph_launches": v.get("graph_launches") or 0,
         "memcpy": {n: [x["count"], x["bytes"], ns(x["total_us"])]
                    for n, x in (v.get("memcpy") or {}).items()}}
    f["memset"] = ((v["memset"]["count"], ns(v["memset"]["total_us"]))
                   if v.get("memset") else (0, 0))
    f["distributed"] = v.get("distributed") or dict.fromkeys(("backend", "rank", "world_size"))
    f["gpu"] = v.get("gpu") or []
    if v.get("kernel"):
        k, c = v["kernel"], v.get("comm") or {}
        f.update({"kernel.count": k["count"], "kernel.total": ns(k["total_us"]),
                  "kernel.unique": k["unique_names"], "kernel.streams": k["streams"],
                  "kernel.gpus": k["gpus"], "kernel.first": k["first_ts_ns"],
                  "kernel.last": k["last_end_ns"], "kernel.max": ns(k["max_us"]),
                  "kernel.busy": ns(k["busy_us"]), "kernel.top": k["top5"],
                  "busy": ns(v["gpu_busy_us_kernel_memcpy_memset"]),
                  "comm.count": c.get("count", 0), "comm.total": ns(c.get("total_us", 0)),
                  "comm.busy": ns(c.get("busy_us", 0)),
                  "comm.overlap": ns(c.get("overlap_us", 0)),
                  "comm.collectives": c.get("collectives") or {},
                  "launch.correlated": v["launch"]["correlated"],
                  "launch.early": v["launch"]["early"],
                  "kernels_in_graph": v.get("kernels_in_graph") or 0})
        f["launch.latencies"] = ((ns(v["launch"]["min_latency_us"]),
                                  ns(v["launch"]["max_latency_us"]))
                                 if "min_latency_us" in v["launch"] else None)
    if v.get("runtime"):
        f["runtime.count"], f["runtime.top"] = v["runtime"]["count"], v["runtime"]["top5"]
    return f


def records(build, trace):
    text = subprocess.run([build + "/test/cattrace", "-r", trace], check=True,
                          capture_output=True, text=True).stdout
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        yield kind, dict(re.findall(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)', rest))


def plain(text):
    text = text[1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape")
    return text.encode("latin-1", "ignore").decode("utf-8", "replace")


def ours(build, path):
    with tempfile.NamedTemporaryFile(suffix=".gst") as out:
        run = subprocess.run([build + "/bin/gpuimport", path, "-o", out.name, "-j"],
                             capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"gpuimport: {run.returncode}: {run.stderr}")
        summary = json.loads(run.stdout)
        names, groups = {}, {}
        kernels, copies, sets, calls, spans = [], [], [], [], []
        rows = list(records(build, out.name))
        for kind, r in rows:
            if kind == "name":
                names[r["producer"], r["id"]] = plain(r["text"])
            elif kind == "collective":
                groups[r["producer"], r["id"]] = r["name"]
        for kind, r in rows:
            if kind in ("kernel", "copy", "set"):
                o = Op(int(r["device"]), int(r["stream"]), None, int(r["ts"]),
                       int(r["dur_ns"]), (r["producer"], int(r["correlation"])),
                       int(r.get("bytes", 0)), int(r["graph_node"]))
                if kind == "kernel":
                    o.name = names[r["producer"], r["name"]]
                    group = groups.get((r["producer"], r["collective"]), "0")
                    o.collective = names.get((r["producer"], group))
                    kernels.append(o)
                elif kind == "copy":
                    o.name = "Memcpy %s (%s -> %s)" % (COPY[int(r["copy_kind"])],
                                                       SIDE[int(r["src_kind"])],
                                                       SIDE[int(r["dst_kind"])])
                    copies.append(o)
                else:
                    sets.append(o)
            elif kind in ("api", "span"):
                o = Op(0, 0, names.get((r["producer"], r["name"]), ""), int(r["ts"]),
                       int(r["dur_ns"]), (r["producer"], int(r.get("correlation", 0))))
                if kind == "api":
                    calls.append(o)
                elif r["what"] in ("1", "3"):
                    o.node = "python" if r["what"] == "1" else 0
                    spans.append(o)
    f = figures(kernels, copies, sets, calls, spans)
    one = summary["inputs"][0]
    facts = one["facts"]
    f["raw_bytes"], f["events"] = one["bytes"], one["records"]
    f["ph"], f["cat"] = facts.get("ph", {}), facts.get("cat", {})
    f["top_level"] = sorted(facts.get("top_level", {}))
    f["devices"] = facts.get("devices", {}).get("", 0)
    f["gpu"] = sorted(facts.get("gpu", {}))
    known = facts.get("distributed", {})
    f["distributed"] = {"backend": next(iter(facts.get("backend", {})), None),
                        "rank": known.get("rank"), "world_size": known.get("world_size")}
    odd = [o for o in one["odd"] if o["what"] != "span ends after the one it began in"]
    if odd or one["damage"]:
        f["odd"] = (odd, one["damage"])
    return f


def top(truth, mine, key):
    """A list of the first five by time; equal times may stand in any order."""
    total, count = mine
    for row in truth:
        if ns(row["total_us"]) != total[row["name"]] or row["count"] != count[row["name"]]:
            return f"{key}: {row['name'][:60]}: {row['total_us']} x{row['count']}, not " \
                   f"{total[row['name']]} x{count[row['name']]}"
    least = min(ns(row["total_us"]) for row in truth)
    if sum(t > least for t in total.values()) >= len(truth):
        return f"{key}: others took longer"
    return None


def main():
    build, path = sys.argv[1:3]
    truth = truth_of_expected(*sys.argv[3:5]) if len(sys.argv) > 3 else truth_of_file(path)
    mine = ours(build, path)
    wrong = []
    for key, want in truth.items():
        if key in ("kernel.top", "runtime.top"):
            bad = top(want, mine["names" if key == "kernel.top" else "runtime"], key)
            if bad:
                wrong.append(bad)
            continue
        have = sum(mine["runtime"][1].values()) if key == "runtime.count" else mine.get(key)
        if key == "top_level":
            have = have[:max(len(want), 1)] if len(sys.argv) > 3 else have  # the list is cut
        if have != want:
            wrong.append(f"{key}: {str(have)[:300]}, not {str(want)[:300]}")
    if "odd" in mine:
        wrong.append(f"said to be odd: {mine['odd']}")
    for line in wrong:
        print(line)
    if wrong:
        sys.exit(1)
    print(f"{len(truth)} figures equal")


main()
