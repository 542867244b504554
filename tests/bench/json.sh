#!/bin/bash
# Traces in JSON: the scanner and the whole of gpuimport against reading the bytes alone and Python's json,
# CPU time, the best of five. JSON_MB=N: another size; JSON_FILE=FILE: that file.
set -u
cd "$(dirname "$0")/../.." || exit 1
O="${O:-build}"
command -v python3 > /dev/null || { echo "json: needs python3"; exit 0; }
make -s O="$O" "$O/test/jsontest" "$O/bin/gpuimport" || exit 1
work="$(mktemp -d)" || exit 1
trap 'rm -rf "$work"' EXIT
file="${JSON_FILE:-$work/made.json}"
# 15 kB a step
[ -n "${JSON_FILE:-}" ] || python3 tests/kineto_make.py 2025 $((${JSON_MB:-100} * 1000 / 15)) > "$file" || exit 1
python3 - "$O" "$file" "$work/out.gst" << 'END'
import os
import resource
import subprocess
import sys

build, path, out = sys.argv[1:]
size = os.path.getsize(path)


def cpu(command, times=5):
    best = None
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = took if best is None else min(best, took)
    return best


read = cpu([build + "/test/jsontest", "-m", path])
rows = [("read and memchr()", read), ("scanner, all stepped over", cpu([build + "/test/jsontest", "-b", path])),
        ("gpuimport, trace written", cpu([build + "/bin/gpuimport", path, "-o", out])),
        ("Python json.load()", cpu([sys.executable, "-c", "import json, sys; json.load(open(sys.argv[1]))", path], 1))]
print(f"  {size / 1e6:.0f} MB of JSON")
for name, took in rows:
    print(f"  {name:28} {size / took / 1e6:7.0f} MB/s of CPU  x{took / read:6.1f} the time of reading"
          f"  x{rows[-1][1] / took:5.1f} as fast as Python")
END
