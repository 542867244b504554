#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""uvmclock.py SPANS HOOKS < text of cattrace: our times of services against the kernel's function graph tracer (SPANS:
"oracle print"), call by call: the n-th call of a function by a thread is the n-th of both. HOOKS: what -v said.

A machine that is busy, and an emulator that translates our programs when they first run, make single calls longer
by any amount, but cannot make what is inside outlast what is around it: so each of ours must lie inside its span,
all of them, and the share of the longer one that the shorter does not have must be below 5 % in the median of the
longest. That share is what our programs at the function's entry and return take: 0.1 ms under emulation, so that
short calls, which are mostly CPU faults, cannot show it. A kretprobe's return may come behind the tracer's, which has
put its own on top: then each span must lie inside ours. When that one began is printed as of the tracer's record, which
is written some time (66 us were seen) after the clock was read for how long it took: so its end is not compared, but
its begin must be as near as the durations. A kernel has that where it has no fexit for the function, as
6.1 for one of more than 6 arguments (the block service of 550).
"""
import statistics
import sys

LONGEST = 64        # calls: a median of fewer says little
MOST = 0.05
ROUNDED_NS = 1000   # the tracer prints when a span begins in us, and how long it was in 7 digits


def fields(line):
    return dict(w.split("=", 1) for w in line.split() if "=" in w)


def by_thread(calls):
    threads = {}
    for tid, begin, dur in sorted(calls, key=lambda c: c[1]):
        threads.setdefault(tid, []).append((begin, dur))
    return threads


def spans_of(path, function):
    lines = [fields(l) for l in open(path) if l.startswith("oracle %s " % function)]
    return by_thread((f["tid"], int(f["begin_ns"]), int(f["dur_ns"])) for f in lines)


# A batch's own begin is its fetch, before the function that serves it: only that one's duration can be compared.
def ours_of(lines, kind, key, values):
    found = [f for f in (fields(l) for l in lines if l.startswith(kind + " ")) if f.get(key) in values]
    return by_thread((f["tid"], int(f["ts"]), int(f["service_ns" if kind == "uvm_batch" else "dur_ns"])) for f in found)


def compare(name, ours, spans, placed, around):
    """None, or what is wrong"""
    if {t: len(c) for t, c in ours.items()} != {t: len(c) for t, c in spans.items()}:
        return "not the same calls: %s, %s in the kernel" % tuple({t: len(c) for t, c in who.items()} for who in (ours, spans))
    pairs = [(o, s) for tid in spans for o, s in zip(ours[tid], spans[tid])]
    if len(pairs) < LONGEST:
        return "%d calls, fewer than %d" % (len(pairs), LONGEST)
    inner, outer = ("the kernel's", "ours") if around else ("ours", "the kernel's")
    if around:
        pairs = [(s, o) for o, s in pairs]
    outside = [(i, o) for i, o in pairs if i[1] > o[1] + ROUNDED_NS or
               placed and (i[0] < o[0] - ROUNDED_NS or not around and i[0] + i[1] > o[0] + o[1] + 2 * ROUNDED_NS)]
    longest = sorted(pairs, key=lambda pair: pair[1][1])[-LONGEST:]
    share = statistics.median((o[1] - i[1]) / o[1] for i, o in longest)
    if around and placed:
        share = max(share, statistics.median((i[0] - o[0]) / o[1] for i, o in longest))
    whole = 1 - sum(i[1] for i, o in pairs) / sum(o[1] for i, o in pairs)
    print("%s: %d calls, %d not %s inside %s; the longest: %d ns in the median, of which %.2f %% is %s alone; %.2f %% of all"
          % (name, len(pairs), len(outside), inner, outer, statistics.median(o[1] for i, o in longest), share * 100,
             outer, whole * 100))
    if outside:
        return "%d ns from %d is not inside %d ns from %d" % (*outside[0][0][::-1], *outside[0][1][::-1])
    return None if share < MOST else "more than %d %% is %s alone" % (MOST * 100, outer)


def main():
    lines = sys.stdin.readlines()
    wrong = False
    for name, kind, key, values, function in (
            ("blocks", "uvm_service", "what", {"replayable"}, "service_fault_batch_block_locked"),
            ("CPU faults", "uvm_service", "what", {"cpu"}, "uvm_va_block_cpu_fault"),
            ("batches", "uvm_batch", "gpu", {"1", "2"}, "service_fault_batch")):
        around = any(": kretprobe nvidia_uvm:%s " % function in l.replace("\n", " ") for l in open(sys.argv[2]))
        why = compare(name, ours_of(lines, kind, key, values), spans_of(sys.argv[1], function), kind == "uvm_service", around)
        if why:
            print("%s: %s" % (name, why))
            wrong = True
    sys.exit(wrong)


main()
