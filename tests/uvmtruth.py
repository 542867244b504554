#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""uvmtruth.py truth|trace < text of tests/vm/exercise or cattrace: the same sums of unified memory, of what
tests/vm/exercise says it did (and the driver's tools queue counted) and of what was recorded; for diff.

  fault PID PCI ADDRESS ACCESS TYPE PACKETS   cpu PID ACCESS FAULTS   migration PID FROM TO CAUSE BYTES
  thrashing | throttle | map_remote | fatal PID EVENTS   read_dup PID   access_counter - EVENTS

Fatal faults are told by their mark alone: the driver sees them twice before it cancels them. A notification of an
access counter is of a physical address, which is nobody's; the migrations that follow have their process.
"""
import sys
from collections import Counter

# the tools queue's causes
CAUSES = {"replayable_fault": "coherence", "non_replayable_fault": "coherence", "access_counter": "access_counters",
          "prefetch": "prefetch", "eviction": "eviction", "api_migrate": "user", "api_range_group": "coherence",
          "api_hint": "user"}
MARKS = {"thrashing": "thrashing", "throttle_start": "throttle", "access_counter": "access_counter",
         "map_remote": "map_remote", "fatal_fault": "fatal", "read_duplicate": "read_dup"}


def fields(words):
    return dict(w.split("=", 1) for w in words if "=" in w)


def of_truth(lines):
    sums = Counter()
    pci = {}
    fatal = {}
    for line in lines:
        words = line.split()
        if not words or words[0] != "truth":
            continue
        kind, f = words[1], fields(words[2:])
        pid = f.get("pid")
        if kind == "begin":
            fatal[pid] = 'text="fatal' in line
        elif kind == "gpu":
            pci[f["gpu"]] = f["pci"]
        elif kind == "fault" and not fatal.get(pid):
            sums["fault", pid, pci[f["gpu"]], f["addr"], f["access"], f["type"]] += 1
        elif kind == "tools" and f["kind"] == "cpu_fault":
            sums["cpu", pid, f["cause"]] += int(f["n"])
        elif kind == "tools" and f["kind"] == "migration":
            sums["migration", pid, pci.get(f["src"], "cpu"), pci.get(f["dst"], "cpu"), f["cause"]] += int(f["bytes"])
        elif kind == "tools" and f["kind"] in MARKS.values():
            sums[f["kind"], "-" if f["kind"] == "access_counter" else pid] += 1 if f["kind"] == "read_dup" else int(f["n"])
    return sums


def of_trace(lines):
    sums = Counter()
    pci = {"0": "cpu"}
    records = [(w[0], fields(w[1:])) for w in map(str.split, lines) if w]
    for kind, f in records:
        if kind == "uvm_gpu":
            bus, slot = int(f["pci_bus"], 0), int(f["pci_device"], 0)
            pci[f["gpu"]] = f"{int(f['pci_domain'], 0):04x}:{bus:02x}:{slot:02x}.{int(f['pci_function'], 0)}"
    for kind, f in records:
        pid = f.get("pid")
        if kind == "uvm_fault" and f["gpu"] == "0":
            sums["cpu", pid, f["access"]] += 1
        elif kind == "uvm_fault" and not int(f["flags"], 0) & 4:
            sums["fault", pid, pci[f["gpu"]], f["addr"], f["access"], f["type"]] += int(f["instances"])
        elif kind == "uvm_migration":
            sums["migration", pid, pci[f["src"]], pci[f["dst"]], CAUSES.get(f["cause"], f["cause"])] += int(f["bytes"])
        elif kind == "uvm_mark" and f["what"] in MARKS:
            sums[MARKS[f["what"]], "-" if f["what"] == "access_counter" else pid] += 1
    return sums


def main():
    sums = (of_truth if sys.argv[1] == "truth" else of_trace)(sys.stdin)
    for key in sorted(sums):
        # how the pages of one duplication are grouped to events is the driver's business
        print(*key, "" if key[0] == "read_dup" else sums[key])


main()
