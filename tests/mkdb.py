#!/usr/bin/env python3
"""mkdb.py KIND OUT [NAME=VALUE...]: a small database as a tool of that version makes it.

The numbers that gpuimport and gpureport must find in it are printed as JSON. Kinds:
  nsys-3.25 nsys-3.13 nsys-2.7 nsys-2.1   Nsight Systems' exports
  rocpd-3 rocpd-4                          rocprofv3 (times inline; times and tracks apart)
  rpd                                      rocmProfileData
Options: kernels=N (100), early=1 (starts before the session), processes=N (2), page=BYTES.
"""
import json
import os
import sqlite3
import sys

US = 1000


class Truth:
    """What was put in, summed the way the reports sum it."""

    def __init__(self):
        self.kernels, self.copies, self.calls, self.ranges = [], [], [], []
        self.sets = self.graphs = self.samples = self.syncs = self.correlated = 0
        self.first = 0

    def json(self):
        def by(rows):
            sums = {}
            for name, ns, size in rows:
                s = sums.setdefault(name, {"count": 0, "total_ns": 0, "bytes": 0})
                s["count"] += 1
                s["total_ns"] += ns
                s["bytes"] += size
            return sums
        return {
            "kernels": by(self.kernels), "kernel_count": len(self.kernels),
            "kernel_ns": sum(ns for _, ns, _ in self.kernels), "copies": by(self.copies),
            "calls": by(self.calls), "call_count": len(self.calls), "ranges": by(self.ranges),
            "sets": self.sets, "graphs": self.graphs, "samples": self.samples,
            "syncs": self.syncs, "correlated": self.correlated, "first_ns": self.first,
        }


class Strings:
    def __init__(self):
        self.ids = {}

    def __call__(self, text):
        return self.ids.setdefault(text, len(self.ids) + 1)


def table(db, name, columns):
    db.execute('CREATE TABLE "%s" (%s)' % (name, ", ".join('"%s"' % c for c in columns)))

    def put(**row):
        keys = [k for k in row if k in columns]
        db.execute('INSERT INTO "%s" (%s) VALUES (%s)' % (
            name, ", ".join('"%s"' % k for k in keys), ", ".join("?" * len(keys))),
            [row[k] for k in keys])
    return put


NAMES = [("void gemm<float, (int)4>(T1 *, const T1 *)", "gemm", "_Z4gemmIfLi4EEvPT_PKS0_"),
         ("void softmax(float *)", "softmax", "_Z7softmaxPf"),
         ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm *)", "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
          "_Z39ncclDevKernel_AllReduce_Sum_f32_RING_LLP11ncclDevComm")]


def nsys(db, version, options):
    t, s = Truth(), Strings()
    new = version >= (3, 0)
    head = ["start", "end", "deviceId", "contextId", "streamId", "correlationId"]
    if version >= (2, 3):
        head.append("globalPid")
    if version >= (3, 18):
        head.insert(4, "greenContextId")
    kernel = table(db, "CUPTI_ACTIVITY_KIND_KERNEL", head + [
        "demangledName", "shortName"] + (["mangledName"] if version >= (2, 5) else []) + [
        "registersPerThread", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "staticSharedMemory",
        "dynamicSharedMemory", "localMemoryPerThread", "localMemoryTotal", "gridId"] +
        (["graphNodeId"] if version >= (2, 5) else []))
    copy = table(db, "CUPTI_ACTIVITY_KIND_MEMCPY", head + ["bytes", "copyKind", "srcKind", "dstKind"])
    fill = table(db, "CUPTI_ACTIVITY_KIND_MEMSET", head + ["value", "bytes", "memKind"])
    sync = table(db, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", head + ["syncType", "eventId"] +
                 (["deprecatedSyncType"] if version >= (3, 20) else []))
    call = table(db, "CUPTI_ACTIVITY_KIND_RUNTIME", [
        "start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"] +
        (["callchainId"] if new else []))
    nvtx = table(db, "NVTX_EVENTS", [
        "start", "end", "eventType", "rangeId", "category", "color", "text", "globalTid", "endGlobalTid"] +
        (["textId", "domainId"] if version >= (2, 2) else []))
    gpu = table(db, "TARGET_INFO_GPU", ["vmId", "id", "name", "busLocation", "totalMemory", "smCount", "uuid"] +
                (["cuDevice"] if new else []))
    gpu(vmId=1 << 48, id=1, name="Test GPU B", busLocation="0000:82:00.0", totalMemory=85 << 30, smCount=108,
        uuid="22222222-2222-2222-2222-222222222222", cuDevice=0)
    gpu(vmId=1 << 48, id=0, name="Test GPU A", busLocation="0000:c1:00.0", totalMemory=85 << 30, smCount=108,
        uuid="11111111-1111-1111-1111-111111111111", cuDevice=1)
    meta = table(db, "META_DATA_EXPORT" if new else "EXPORT_META_DATA", ["name", "value"])
    meta(name="EXPORT_SCHEMA_VERSION", value=".".join(map(str, version)))
    meta(name="EXPORT_USER", value="secret-user")
    table(db, "TARGET_INFO_SESSION_START_TIME", ["utcEpochNs"])(utcEpochNs=1700000000123456789)
    env = table(db, "TARGET_INFO_SYSTEM_ENV", ["name", "value"])
    env(name="Hostname", value="node7")
    process = table(db, "PROCESSES", ["globalPid", "pid", "name"])
    thread = table(db, "ThreadNames", ["nameId", "priority", "globalTid"])
    if new:
        kinds = table(db, "ENUM_CUDA_MEM_KIND", ["id", "name", "label"])
        for i, k in enumerate("PAGEABLE PINNED DEVICE ARRAY MANAGED DEVICE_STATIC MANAGED_STATIC UNKNOWN".split()):
            kinds(id=i, name="CUDA_MEMOPR_MEMORY_KIND_" + k, label=k)
    zero = -5000 * US if options.get("early") else 1000 * US
    t.first = zero
    # one process alone in a schema that has no process in its operations
    for p in range(1 if version < (2, 3) else options.get("processes", 2)):
        gid = 1 << 48 | (100 + p) << 24
        tid = gid | (200 + p)
        process(globalPid=gid, pid=100 + p, name="train%d" % p)
        thread(nameId=s("worker%d" % p), priority=20, globalTid=tid)
        at = zero + p * 7
        for i in range(options.get("kernels", 100)):
            name, short, mangled = NAMES[i % 3]
            dur = 1000 + i * 3 + p
            node = dict(graphNodeId=(7 << 32) + i) if i % 10 == 9 else {}
            kernel(start=at + 5000, end=at + 5000 + dur, deviceId=p, contextId=1, streamId=7 + i % 2,
                   correlationId=10 + i, globalPid=gid, demangledName=s(name), shortName=s(short),
                   mangledName=s(mangled), registersPerThread=32, gridX=i + 1, gridY=1, gridZ=1, blockX=128,
                   blockY=1, blockZ=1, staticSharedMemory=16, dynamicSharedMemory=0, localMemoryPerThread=0,
                   localMemoryTotal=0, gridId=i, **node)
            t.kernels.append((name, dur, 0))
            if i % 5:       # every fifth was launched before the window
                api = "cudaLaunchKernel_v7000" if i % 2 else "cuLaunchKernel"
                call(start=at, end=at + 900, eventClass=i % 2 == 0, globalTid=tid, correlationId=10 + i,
                     nameId=s(api), returnValue=0)
                t.calls.append((api, 900, 0))
                t.correlated += 1
            at += 10 * US
        for i, (kind, label) in enumerate([(1, "HtoD"), (2, "DtoH"), (8, "DtoD"), (11, "UVM HtoD")]):
            copy(start=at, end=at + 500 + i, deviceId=p, contextId=1, streamId=7, correlationId=900 + i, globalPid=gid,
                 bytes=4096 << i, copyKind=kind, srcKind=0, dstKind=2)
            t.copies.append((label, 500 + i, 4096 << i))
            call(start=at - 1000, end=at + 600, eventClass=0, globalTid=tid, correlationId=900 + i,
                 nameId=s("cudaMemcpyAsync_v3020"), returnValue=0)
            t.calls.append(("cudaMemcpyAsync_v3020", 1600, 0))
            at += 10 * US
        fill(start=at, end=at + 300, deviceId=p, contextId=1, streamId=7, correlationId=950, globalPid=gid, value=0,
             bytes=64, memKind=2)
        t.sets += 1
        sync(start=at, end=at + 400, deviceId=p, contextId=1, streamId=0xffffffff, correlationId=951, globalPid=gid,
             syncType=4 if version >= (3, 20) else 1, eventId=0xffffffff)
        call(start=at - 50, end=at + 450, eventClass=0, globalTid=tid, correlationId=951,
             nameId=s("cudaDeviceSynchronize_v3020"), returnValue=0)
        t.calls.append(("cudaDeviceSynchronize_v3020", 500, 0))
        t.syncs += 1
        nvtx(start=zero, end=zero, eventType=75, text="mydomain", globalTid=tid, domainId=3)
        nvtx(start=zero, end=zero + 50 * US, eventType=59, text="step 0", globalTid=tid, domainId=0, color=0xff00ff00)
        t.ranges.append(("step 0", 50 * US, 0))
        if version >= (2, 2):
            nvtx(start=zero + 50 * US, end=zero + 90 * US, eventType=60, textId=s("registered"), globalTid=tid,
                 endGlobalTid=tid, domainId=3)
            t.ranges.append(("registered", 40 * US, 0))
        nvtx(start=zero + 60 * US, end=None, eventType=34, text="mark", globalTid=tid)
        t.ranges.append(("mark", 0, 0))
    if new:
        graph = table(db, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", head + ["graphId", "graphExecId"])
        graph(start=at, end=at + 777, deviceId=0, contextId=1, streamId=7, correlationId=990, globalPid=1 << 48 | 100 << 24,
              graphId=5, graphExecId=6)
        t.graphs += 1
        samples = table(db, "COMPOSITE_EVENTS", ["id", "start", "cpu", "threadState", "globalTid", "cpuCycles"])
        chain = table(db, "SAMPLING_CALLCHAINS", ["id", "symbol", "module", "unresolved", "stackDepth"])
        for i in range(4):
            samples(id=i + 1, start=zero + i * 10, cpu=i, threadState=1, globalTid=1 << 48 | 100 << 24 | 200, cpuCycles=11)
            chain(id=i + 1, symbol=s("leaf"), module=s("/usr/lib/libx.so"), stackDepth=0)
            chain(id=i + 1, symbol=s("0x1234"), module=s("/usr/lib/libx.so"), unresolved=1, stackDepth=1)
            chain(id=i + 1, symbol=s("main"), module=s("/bin/app"), stackDepth=2)
            t.samples += 11
        # rows that no reader knows
        table(db, "VULKAN_API", ["start", "end"])(start=1, end=2)
    strings = table(db, "StringIds", ["id", "value"])
    for text, i in s.ids.items():
        strings(id=i, value=text)
    return t


def rocpd(db, version, options):
    t, four = Truth(), version >= (4,)
    merged = options.get("processes", 2)
    views = {}
    t.first = 1000 * US
    for p in range(merged):
        u = "_0000%04d_1111_2222" % p
        s = Strings()

        def make(name, columns):
            views.setdefault(name, []).append(name + u)
            return table(db, name + u, ["id", "guid"] + columns)
        place = ["track_id"] if four else ["nid", "pid", "tid"]
        gpu_place = ["track_id"] if four else ["nid", "pid", "tid", "agent_id", "queue_id", "stream_id"]
        times = ["start_id", "end_id"] if four else ["start", "end"]
        node = make("rocpd_info_node", ["hash", "machine_id", "hostname"])
        node(id=1, hostname="amdnode")
        process = make("rocpd_info_process", ["nid", "ppid", "pid", "name", "command", "environment"])
        process(id=100 + p, nid=1, pid=100 + p, command="/opt/app/train --token secret-user", environment="secret-user")
        thread = make("rocpd_info_thread", ["nid", "ppid", "pid", "tid", "name"])
        thread(id=7, nid=1, pid=100 + p, tid=200 + p, name="main")
        agent = make("rocpd_info_agent", ["nid", "pid", "type", "absolute_index", "logical_index", "type_index", "uuid",
                                          "name", "product_name"])
        agent(id=1, nid=1, pid=100 + p, type="CPU", absolute_index=0, type_index=0, name="cpu")
        agent(id=2, nid=1, pid=100 + p, type="GPU", absolute_index=1, type_index=p, uuid=0x1234 + p,
              name="gfx942", product_name="AMD Instinct MI300X")
        symbol = make("rocpd_info_kernel_symbol", ["kernel_name", "display_name", "arch_vgpr_count", "group_segment_size"])
        for i, (name, _, mangled) in enumerate(NAMES):
            symbol(id=i + 1, kernel_name=mangled + ".kd", display_name=name, arch_vgpr_count=32, group_segment_size=16)
        make("rocpd_info_queue", ["nid", "pid", "name"])
        make("rocpd_info_stream", ["nid", "pid", "name"])
        track = make("rocpd_track", ["nid", "ppid", "pid", "tid", "agent_id", "queue_id", "stream_id", "name_id"])
        track(id=1, nid=1, pid=100 + p, tid=7)
        track(id=2, nid=1, pid=100 + p, tid=7, agent_id=2, queue_id=3, stream_id=4)
        event = make("rocpd_event", ["category_id", "stack_id", "parent_stack_id", "correlation_id", "extdata"])
        region = make("rocpd_region", place + ["name_id"] + times + ["event_id"])
        dispatch = make("rocpd_kernel_dispatch", gpu_place + ["kernel_id", "dispatch_id"] + times + [
            "private_segment_size", "group_segment_size", "workgroup_size_x", "workgroup_size_y", "workgroup_size_z",
            "grid_size_x", "grid_size_y", "grid_size_z", "region_name_id", "event_id"])
        copy = make("rocpd_memory_copy", gpu_place + times + ["name_id", "dst_agent_id", "src_agent_id", "size", "event_id"])
        info = make("rocpd_info_pmc", ["nid", "pid", "agent_id", "name", "symbol"])
        info(id=1, pid=100 + p, agent_id=2, name="GPU power", symbol="P")
        pmc = make("rocpd_pmc_event", ["event_id", "pmc_id", "value"])
        sample = make("rocpd_sample", ["track_id", "name_id", "timestamp_id" if four else "timestamp", "event_id"])
        alloc = make("rocpd_memory_allocate", ["type", "size"])
        alloc(id=1, type="ALLOC", size=1)
        if four:
            stamp = make("rocpd_timestamp", ["value", "phase", "track_id"])
            category = make("rocpd_info_category", ["name"])
        ids = {"event": 0, "stamp": 0, "row": 0}

        def next_id(what):
            ids[what] += 1
            return ids[what]

        def at_time(ns):
            i = next_id("stamp")
            stamp(id=i, value=ns, phase=0, track_id=1)
            return i

        def row(start, end, gpu):
            r = {"id": next_id("row")}
            if four:
                r.update(start_id=at_time(start), end_id=at_time(end), track_id=2 if gpu else 1)
            else:
                r.update(start=start, end=end, nid=1, pid=100 + p, tid=7, agent_id=2, queue_id=3, stream_id=4)
            return r
        cats = Strings()

        def make_event(name, stack, extdata="{}"):
            i = next_id("event")
            event(id=i, category_id=cats(name) if four else s(name), stack_id=stack, correlation_id=0, extdata=extdata)
            return i
        at = t.first + p * 7
        for i in range(options.get("kernels", 100)):
            name = NAMES[i % 3][0]
            dur = 1000 + i * 3 + p
            if i % 5:
                region(name_id=s("hipLaunchKernel"), event_id=make_event("HIP_RUNTIME_API_EXT", 10 + i),
                       **row(at, at + 900, False))
                t.calls.append(("hipLaunchKernel", 900, 0))
                t.correlated += 1
            dispatch(kernel_id=i % 3 + 1, dispatch_id=i + 1, private_segment_size=0, group_segment_size=32,
                     workgroup_size_x=64, workgroup_size_y=1, workgroup_size_z=1, grid_size_x=64 * (i + 1), grid_size_y=1,
                     grid_size_z=1, event_id=make_event("KERNEL_DISPATCH", 10 + i), **row(at + 5000, at + 5000 + dur, True))
            t.kernels.append((name, dur, 0))
            at += 10 * US
        for i, (src, dst, label) in enumerate([(1, 2, "HtoD"), (2, 1, "DtoH"), (2, 2, "DtoD")]):
            copy(name_id=s("MEMORY_COPY"), dst_agent_id=dst, src_agent_id=src, size=4096 << i,
                 event_id=make_event("MEMORY_COPY", 900 + i), **row(at, at + 500 + i, True))
            t.copies.append((label, 500 + i, 4096 << i))
            at += 10 * US
        region(name_id=s("roctxRangePushA"), event_id=make_event("MARKER_CORE_RANGE_API", 950, '{"message":"step 0"}'),
               **row(t.first + 10, t.first + 10 + 50 * US, False))
        t.ranges.append(("step 0", 50 * US, 0))
        region(name_id=s("hsa_init"), event_id=make_event("HSA_CORE_API", 960), **row(t.first, t.first + 2, False))
        e = make_event("", 0)
        pmc(id=1, event_id=e, pmc_id=1, value=123.5)
        where = {"timestamp_id": at_time(at)} if four else {"timestamp": at}
        sample(id=1, track_id=1, name_id=s("GPU power"), event_id=e, **where)
        if four:
            for text, i in cats.ids.items():
                category(id=i, name=text)
        strings = make("rocpd_string", ["string"])
        for text, i in s.ids.items():
            strings(id=i, string=text)
    for name, parts in views.items():
        db.execute('CREATE VIEW "%s" AS %s' % (name, " UNION ALL ".join('SELECT * FROM "%s"' % x for x in parts)))
    return t


def rpd(db, version, options):
    t, s = Truth(), Strings()
    api = table(db, "rocpd_api", ["id", "pid", "tid", "start", "end", "apiName_id", "args_id"])
    op = table(db, "rocpd_op", ["id", "gpuId", "queueId", "sequenceId", "completionSignal", "start", "end",
                                "description_id", "opType_id"])
    link = table(db, "rocpd_api_ops", ["id", "api_id", "op_id"])
    copy = table(db, "rocpd_copyapi", ["api_ptr_id", "stream", "size", "kind"])
    launch = table(db, "rocpd_kernelapi", ["api_ptr_id", "stream", "gridX", "gridY", "gridZ", "workgroupX", "workgroupY",
                                           "workgroupZ", "groupSegmentSize"])
    at = t.first = 1000 * US
    for i in range(options.get("kernels", 100)):
        name, dur = NAMES[i % 3][0], 1000 + i * 3
        if i % 5:
            api(id=i + 1, pid=100, tid=200, start=at, end=at + 900, apiName_id=s("hipLaunchKernel"), args_id=s("a"))
            launch(api_ptr_id=i + 1, gridX=i, gridY=1, gridZ=1, workgroupX=64, workgroupY=1, workgroupZ=1,
                   groupSegmentSize=16)
            link(id=i + 1, api_id=i + 1, op_id=i + 1)
            t.calls.append(("hipLaunchKernel", 900, 0))
            t.correlated += 1
        op(id=i + 1, gpuId=0, queueId=1, start=at + 5000, end=at + 5000 + dur, description_id=s(name),
           opType_id=s("KernelExecution"))
        t.kernels.append((name, dur, 0))
        at += 10 * US
    api(id=901, pid=100, tid=200, start=at, end=at + 900, apiName_id=s("hipMemcpyAsync"), args_id=s("a"))
    copy(api_ptr_id=901, size=4096)
    link(id=901, api_id=901, op_id=901)
    op(id=901, gpuId=0, queueId=1, start=at + 100, end=at + 600, description_id=s(""), opType_id=s("CopyHostToDevice"))
    t.calls.append(("hipMemcpyAsync", 900, 0))
    t.copies.append(("HtoD", 500, 4096))
    op(id=902, gpuId=0, queueId=1, start=at + 700, end=at + 800, description_id=s(""), opType_id=s("FillBuffer"))
    t.sets += 1
    op(id=903, gpuId=0, queueId=1, start=at + 900, end=at + 900, description_id=s(""), opType_id=s("Barrier"))
    # what one graph launched: kernels of names known and new, and something without a name
    api(id=905, pid=100, tid=200, start=at + 1000, end=at + 1500, apiName_id=s("hipGraphLaunch"), args_id=s("a"))
    t.calls.append(("hipGraphLaunch", 500, 0))
    for i, name in enumerate((NAMES[0][0], "in_graph_only", "")):
        link(id=905 + i, api_id=905, op_id=905 + i)
        op(id=905 + i, gpuId=0, queueId=1, start=at + 2000 * (i + 1), end=at + 2000 * (i + 1) + 1200,
           description_id=s(name), opType_id=s("Task"))
        if name:
            t.kernels.append((name, 1200, 0))
    t.correlated += 1  # a call's delay is that of its first kernel
    api(id=904, pid=100, tid=200, start=t.first, end=t.first + 50 * US, apiName_id=s("UserMarker"), args_id=s("step 0"))
    t.ranges.append(("step 0", 50 * US, 0))
    strings = table(db, "rocpd_string", ["id", "string"])
    for text, i in s.ids.items():
        strings(id=i, string=text)
    return t


def main():
    kind, out = sys.argv[1:3]
    options = {k: int(v) for k, v in (a.split("=") for a in sys.argv[3:])}
    if os.path.exists(out):
        os.unlink(out)
    db = sqlite3.connect(out)
    db.execute("PRAGMA page_size = %d" % options.get("page", 4096))
    tool, _, version = kind.partition("-")
    version = tuple(map(int, version.split("."))) if version else ()
    truth = globals()[tool](db, version, options)
    db.commit()
    db.close()
    print(json.dumps(truth.json()))


main()
