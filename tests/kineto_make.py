#!/usr/bin/env python3
"""Writes a trace as PyTorch's profiler of some age does; all content is made up.

    kineto_make.py VARIANT [STEPS] [SEED] > OUT.json

VARIANT: 2021 (Operator and Kernel, threads as texts), 2022 (async_cpu_to_gpu), 2023 (whole
microseconds), 2024 (three decimals, no base time), 2025 (relative to baseTimeNanoseconds,
collectives with groups, Python calls, graphs), amd, xpu, mtia, cpu (no GPU), gpu (no operators).
"""
import random
import sys

variant = sys.argv[1]
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 3
rnd = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
ns_stamps = variant in ("2024", "2025", "amd", "xpu", "mtia")
base = 1_700_000_000_000_000_000
relative = variant in ("2025", "amd", "xpu", "mtia")
clock = (1_234_567_890_123 if relative else base + 1_234_567_890_000) // 1000 * 1000
PID, TID = 4321, 4325
out, n = sys.stdout, 0
ids = {"correlation": 100, "external": 1, "idx": 0}
KERNELS = ["void vec_add<float, 4>(int, float*)", "gemm_128x64_tn", "softmax<\\\"fast\\\">(int)",
           "void reduce<512, 1, op<float> >(op<float>)", "naïve_kernel"]
HIP = {"cudaLaunchKernel": "hipLaunchKernel", "cudaMemcpyAsync": "hipMemcpyWithStream",
       "cudaMemsetAsync": "hipMemsetAsync", "cudaGraphLaunch": "hipGraphLaunch",
       "cudaStreamSynchronize": "hipStreamSynchronize"}


def new(what):
    ids[what] += 1
    return ids[what]


def us(ns):
    return f"{ns // 1000}.{ns % 1000:03}" if ns_stamps else str(ns // 1000)


def emit(text):
    global n
    out.write(("," if n else "") + "\n  {\n    " + text + "\n  }")
    n += 1


def event(ph, cat, name, pid, tid, ts, dur=None, args=None, extra=""):
    pid, tid = (f'"{x}"' if isinstance(x, str) else x for x in (pid, tid))
    cat = f'"cat": "{cat}", ' if cat else ""
    text = f'"ph": "{ph}", {cat}"name": "{name}", "pid": {pid}, "tid": {tid},\n' \
           f'    "ts": {us(ts)}'
    if dur is not None:
        text += f', "dur": {us(dur)}'
    if args is not None:
        text += ',\n    "args": {\n      ' + ", ".join(f'"{k}": {v}' for k, v in args.items()) + \
                "\n    }"
    emit(text + extra)


def thread(tid):
    return str(tid) if variant == "2021" else tid


def cat(new_name):
    if variant == "2021":
        return {"cpu_op": "Operator", "kernel": "Kernel", "gpu_memcpy": "Memcpy",
                "gpu_memset": "Memset", "cuda_runtime": "Runtime",
                "user_annotation": "Operator", "python_function": "Operator"}[new_name]
    return {"xpu": {"cuda_runtime": "xpu_runtime"}, "mtia": {
        "cuda_runtime": "mtia_runtime", "kernel": "mtia_ccp_events"}}.get(variant, {}).get(
            new_name, new_name)


def op(name, ts, dur, kind="cpu_op", more=None):
    external = new("external")
    if variant != "gpu":
        args = {"External id": external}
        if variant == "2021":
            args = {"Device": PID, "External id": external, "Input dims": "[[], [2, 3]]",
                    "Input type": '["", "float"]', "Call stack": '"a.py(1): f;b.py(2): g"'}
        elif kind == "cpu_op":
            args["Input Dims"] = "[[4, %d], [[], [1]]]" % rnd.randrange(99)
            args["Ev Idx"] = new("idx")
        args.update(more or {})
        event("X", cat(kind), name, PID, thread(TID), ts, dur, args)
    return external


def flow(correlation, ts, gpu_ts, stream):
    tid, name, kind = stream, "ac2g", "ac2g"
    if variant == "2021":
        tid, name, kind = f"stream {stream}", "launch", "async"
    elif variant == "2022":
        name = kind = "async_cpu_to_gpu"
    event("s", kind, name, PID, thread(TID), ts, extra=f', "id": {correlation}')
    event("f", kind, name, 0, tid, gpu_ts, extra=f', "id": {correlation}, "bp": "e"')


def gpu(kind, name, ts, dur, stream, correlation, external, more):
    old = variant == "2021"
    args = {"device": 0, "context": 1, "stream": stream, "correlation": correlation}
    if variant == "amd":
        args = {"device": 0, "stream": stream, "correlation": correlation, "kind": '"k"'}
    if variant == "mtia":
        args = {"stream": stream, "correlation": correlation, "sqid": 3}
    if variant == "xpu":
        args = {"device": 0, "context": '"0x55d0c0de"', "sycl queue": stream,
                "l0 queue": '"0x1234"', "correlation": correlation}
    if external:
        args["external id" if old else "External id"] = external
    args.update(more)
    event("X", cat(kind), name, 0, f"stream {stream}" if old else stream, ts, dur, args)


def call(name, ts, dur, external, correlation):
    args = {"cbid": 211, "correlation": correlation}
    if variant == "amd":
        name = HIP[name]
        args = {"cid": 171, "correlation": correlation, "ptr": '"0x7f"'}
    if external and variant != "gpu":
        args["external id" if variant == "2021" else "External id"] = external
    event("X", cat("cuda_runtime"), name, PID, thread(TID), ts, dur, args)


def collective(seq):
    if variant not in ("2025", "amd"):
        return {}
    size = 1000 * seq
    more = {"Collective name": '"allreduce"', "In msg nelems": size, "Out msg nelems": size,
            "Group size": 8, "dtype": '"BFloat16"', "Process Group Name": '"0"',
            "Process Group Description": '"default_pg"',
            "Process Group Ranks": '"[0, 1, 2, 3, 4, 5, 6, 7]"'}
    return more | ({"Seq": seq} if variant == "2025" else {})


def step(number, t):
    first = t
    free = {7: t}
    for _ in range(rnd.randrange(6, 12)):
        length = rnd.randrange(20, 90) * 1000 + rnd.randrange(999) * ns_stamps
        if variant == "2025":
            event("X", "python_function", "model.py(%d): forward" % rnd.randrange(9), PID, TID,
                  t - 1000, length + 2000, {"Python id": 1, "Python parent id": "null"})
        op("aten::linear", t, length)
        external = op("aten::addmm", t + 1000, length - 2000)
        what, correlation = rnd.randrange(10), new("correlation")
        if what < 2:
            name, kind = "cudaMemcpyAsync", "gpu_memcpy"
        else:
            name, kind = ("cudaMemsetAsync", "gpu_memset") if what == 2 else \
                ("cudaLaunchKernel", "kernel")
        call(name, t + 3000, rnd.randrange(4, 9) * 1000, external, correlation)
        if variant != "cpu":
            start = max(free[7], t + 12000)
            dur = rnd.randrange(1, 70) * 1000 + rnd.randrange(999) * ns_stamps
            free[7] = start + dur
            if kind == "kernel":
                more = {"grid": "[%d, 2, 1]" % rnd.randrange(1, 99), "block": "[128, 1, 1]",
                        "registers per thread": 32, "shared memory": 1024,
                        "warps per SM": 1.5, "queued": 0}
                if variant == "2025" and rnd.randrange(3) == 0:
                    more |= {"graph id": 7, "graph node id": 1234567890123}
                gpu(kind, rnd.choice(KERNELS), start, dur, 7, correlation, external,
                    {} if variant == "mtia" else more)
            elif kind == "gpu_memcpy":
                name = "Memcpy HtoD (%s -> Device)" % ("Host" if variant == "amd" else "Pinned")
                gpu(kind, name, start, dur, 7, correlation, external,
                    {"bytes": rnd.randrange(1 << 33), "memory bandwidth (GB/s)": 1.25})
            else:
                gpu(kind, "Memset (Device)", start, dur, 7, correlation, external,
                    {"bytes": rnd.randrange(1 << 20)})
            flow(correlation, t + 3000, start, 7)
        t += length + rnd.randrange(1, 9) * 1000
    if variant not in ("cpu", "mtia"):
        correlation = new("correlation")
        external = op("record_param_comms", t, 30000, more=collective(number + 1) |
                      ({"Rank": 3} if variant == "2025" else {}))
        call("cudaLaunchKernel", t + 2000, 5000, external, correlation)
        free[20] = max(free[7] - 30000, t + 9000)
        gpu("kernel", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*)", free[20], 45000,
            20, correlation, external, collective(number + 1))
        call("cudaGraphLaunch", t + 10000, 5000, 0, new("correlation"))
        call("cudaStreamSynchronize", t + 31000, max(free[7] - t, 5000), 0, new("correlation"))
        t += 31000 + max(free[7] - t, 5000)
    if variant in ("2025", "amd"):
        event("i", "cpu_instant_event", "[memory]", PID, TID, t, None,
              {"Total Reserved": 4096, "Total Allocated": 1024, "Bytes": -512, "Addr": 140000,
               "Device Id": 0, "Device Type": 1}, ', "s": "t"')
        event("X", "gpu_user_annotation", f"ProfilerStep#{number}", 0, 7, first, t - first,
              {"External id": 1})
    op(f"ProfilerStep#{number}", first - 2000, t - first + 40000, "user_annotation")
    return max(t + 50000, free[7] + 10000)


def head():
    out.write('{\n  "schemaVersion": 1,\n')
    if variant != "2021":
        gpus = "" if variant == "cpu" else \
            '\n    {"id": 0, "name": "Made Up 9000", "totalGlobalMem": 85018279936, ' \
            '"computeMajor": 9, "computeMinor": 1, "warpSize": 32, "numSms": 132}\n  '
        out.write(f'  "deviceProperties": [{gpus}],\n  "secret_environment": "TOKEN=hunter2",\n')
    if variant in ("2025", "cpu"):
        out.write('  "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, '
                  '"pg_count": 1, "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", '
                  '"pg_size": 8, "ranks": [0, 1, 2, 3, 4, 5, 6, 7]}]},\n')
    if relative and variant != "amd":
        out.write(f'  "displayTimeUnit": "ms", "baseTimeNanoseconds": {base},\n')
    out.write('  "traceEvents": [')


def tail(t):
    for pid, label in ((PID, "CPU"), (0, "GPU 0")):
        event("M", "", "process_name", pid, 0, t, None, {"name": '"python"'})
        event("M", "", "process_labels", pid, 0, t, None, {"labels": f'"{label}"'})
    event("M", "", "thread_name", PID, TID, t, None, {"name": '"thread 4325 (main)"'})
    event("X", "Trace", "PyTorch Profiler (0)", "Spans", "PyTorch Profiler", clock, t - clock,
          {"Op count": 0})
    event("i", "", "Record Window End", "", "", t, extra=', "s": "g"')
    out.write("\n  ],")
    if variant == "amd":
        out.write(f' "baseTimeNanoseconds": {base},')
    out.write('\n  "traceName": "made/up.json"\n}\n')


head()
now = clock + 10000
for i in range(steps):
    now = step(i, now)
tail(now)
