#!/usr/bin/env python3
"""read.py FILE PROTO: a pprof profile as lines, decoded by protoc; every id must lead somewhere."""
import gzip, re, subprocess, sys

text = subprocess.run(["protoc", "--decode=pprof.Profile", "--proto_path=" + sys.argv[2].rsplit("/", 1)[0], sys.argv[2]],
                      input=gzip.open(sys.argv[1]).read(), capture_output=True, check=True).stdout.decode()


def parse(lines):
    out = {}
    for line in lines:
        line = line.strip()
        if line == "}":
            return out
        if line.endswith("{"):
            out.setdefault(line[:-1].strip(), []).append(parse(lines))
            continue
        key, value = line.split(": ", 1)
        assert not key.isdigit(), "unknown field " + line
        if value[0] == '"':
            value = value[1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape").encode("latin-1").decode()
        else:
            value = int(value)
        out.setdefault(key, []).append(value)
    return out


p = parse(iter(text.split("\n")[:-1]))
s = p["string_table"]
assert s[0] == "" and len(set(s)) == len(s)
one = lambda d, k: d.get(k, [0])[0]
functions = {one(f, "id"): f for f in p["function"]}
locations = {one(l, "id"): l for l in p["location"]}
assert len(functions) == len(p["function"]) and len(locations) == len(p["location"])
types = ["%s/%s" % (s[one(t, "type")], s[one(t, "unit")]) for t in p["sample_type"]]
print("types", " ".join(types))
print("default", s[one(p, "default_sample_type")])
print("period", "%s/%s" % (s[one(p["period_type"][0], "type")], s[one(p["period_type"][0], "unit")]), one(p, "period"))
print("time", one(p, "time_nanos"), one(p, "duration_nanos"))
for c in p.get("comment", []):
    print("comment", s[c])
for f in functions.values():
    print("function", s[one(f, "name")], "|", s[one(f, "system_name")], "|", s[one(f, "filename")])
for x in p["sample"]:
    assert len(x["value"]) == len(types)
    frames = [s[one(functions[one(locations[i]["line"][0], "function_id")], "name")] for i in reversed(x["location_id"])]
    labels = sorted("%s=%s" % (s[one(l, "key")], s[one(l, "str")] if "str" in l else one(l, "num")) for l in x.get("label", []))
    print("sample", ";".join(frames), "|", " ".join(map(str, x["value"])), "|", " ".join(labels))
