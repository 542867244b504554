#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""trim.py BTF.json ROOTS: the types of ROOTS, out of `bpftool -j btf dump`, as a C header on stdout.

A struct with a list of members gets these alone: CO-RE looks them up by name when a program is
loaded, so neither order nor offset matters, and members of anonymous unions may stand flat.
"""
import json
import sys


def die(text):
    sys.exit(f"trim.py: {text}")


class Btf:
    def __init__(self, path):
        types = json.load(open(path))["types"]
        self.by_id = {t["id"]: t for t in types}
        self.by_name = {}
        for t in types:
            self.by_name.setdefault((t["kind"].removesuffix("64"), t["name"]), t)

    def strip(self, t):
        while t and t["kind"] in ("CONST", "VOLATILE", "RESTRICT", "TYPE_TAG"):
            t = self.by_id.get(t["type_id"])
        return t


class Header:
    def __init__(self, btf, roots):
        self.btf = btf
        self.members = {}       # struct name -> list of wanted members, None: all
        self.wanted = []        # types in the order of roots
        self.done = set()
        self.forward = {}
        self.out = []
        for line in open(roots):
            self.read_root(line.split("#")[0].strip())

    def read_root(self, line):
        if not line:
            return
        what, rest = line.split(None, 1)
        if what == "struct":
            name, _, list_ = rest.partition(":")
            t = self.root("STRUCT", name)
            if t and list_:
                self.members.setdefault(t["name"], []).extend(list_.split())
            elif t:
                self.members[t["name"]] = None
        elif what == "enumerator":
            for name in rest.split():
                self.wanted.append(self.enum_of(name))
        else:
            for name in rest.split():
                self.root(what.upper(), name)

    def root(self, kind, name):
        t = self.btf.by_name.get((kind, name.lstrip("?")))
        if t:
            self.wanted.append(t)
        elif name[0] != "?":
            die(f"no {kind.lower()} {name} in the BTF")
        return t

    def enum_of(self, name):
        for t in self.btf.by_id.values():
            if t["kind"] in ("ENUM", "ENUM64") and any(v["name"] == name for v in t["values"]):
                return t
        die(f"no enumerator {name} in the BTF")

    # ---- declarators: "int (*x[3])" inside out ----

    def declare(self, id_, name):
        t = self.btf.by_id.get(id_)
        if not t:
            return f"void {name}".rstrip()
        kind = t["kind"]
        if kind in ("CONST", "VOLATILE", "RESTRICT", "TYPE_TAG"):
            return self.declare(t["type_id"], name)
        if kind == "PTR":
            to = self.btf.strip(self.btf.by_id.get(t["type_id"]))
            if to and (to["kind"] == "FUNC_PROTO" or to["name"] == "(anon)" and to["kind"] in ("STRUCT", "UNION")):
                return f"void *{name}"
            return self.declare(t["type_id"], f"(*{name})" if to and to["kind"] == "ARRAY" else f"*{name}")
        if kind == "ARRAY":
            return self.declare(t["type_id"], f"{name}[{t['nr_elems']}]")
        if kind in ("STRUCT", "UNION", "FWD", "ENUM", "ENUM64"):
            if t["name"] == "(anon)":
                return f"{self.anonymous(t)} {name}".rstrip()
            word = t.get("fwd_kind", kind).lower().removesuffix("64")
            return f"{word} {t['name']} {name}".rstrip()
        return f"{t['name']} {name}".rstrip()

    # ---- bodies ----

    def anonymous(self, t):
        if t["kind"] in ("ENUM", "ENUM64"):
            return "enum {\n" + self.enum_body(t) + "}"
        body = "".join(self.member(m) for m in t["members"])
        return f"{t['kind'].lower()} {{\n{body}}}"

    def enum_body(self, t):
        return "".join(f"\t{v['name']} = {v['val']},\n" for v in t["values"])

    def member(self, m):
        bits = f" : {m['bitfield_size']}" if m.get("bitfield_size") else ""
        name = "" if m["name"] == "(anon)" else m["name"]
        return "\t" + self.declare(m["type_id"], name).replace("\n", "\n\t") + bits + ";\n"

    def find_member(self, t, name):
        for m in t["members"]:
            inner = self.btf.strip(self.btf.by_id[m["type_id"]])
            if m["name"] == name:
                return m
            if m["name"] == "(anon)" and inner["kind"] in ("STRUCT", "UNION"):
                found = self.find_member(inner, name)
                if found:
                    return found
        return None

    def picked(self, t):
        names = self.members.get(t["name"])
        if names is None:
            return t["members"]
        list_ = []
        for name in names:
            m = self.find_member(t, name.lstrip("?"))
            if m:
                list_.append(m)
            elif name[0] != "?":
                die(f"struct {t['name']} has no member {name}")
        return list_

    # ---- order: what is embedded comes first, what is pointed to is declared ----

    def need(self, id_, owner):
        t = self.btf.strip(self.btf.by_id.get(id_))
        if not t or t["kind"] == "INT":
            return
        if t["kind"] == "PTR":
            self.need_pointer(t["type_id"])
        elif t["kind"] == "ARRAY":
            self.need(t["type_id"], owner)
        elif t["name"] == "(anon)":
            for m in t.get("members", []):
                self.need(m["type_id"], owner)
        else:
            partial = self.members.get(owner) is not None
            if t["kind"] == "STRUCT" and partial and t["name"] not in self.members and t["size"] > 16:
                die(f"struct {owner} embeds struct {t['name']}: list its members in the roots")
            self.emit(t)

    def need_pointer(self, id_):
        t = self.btf.strip(self.btf.by_id.get(id_))
        if not t or t["kind"] in ("INT", "FUNC_PROTO"):
            return
        if t["kind"] in ("STRUCT", "UNION", "FWD"):
            if t["name"] != "(anon)":
                self.forward[t["name"]] = t.get("fwd_kind", t["kind"]).lower()
        elif t["kind"] in ("PTR", "ARRAY"):
            self.need_pointer(t["type_id"])
        else:
            self.emit(t)

    def emit(self, t):
        if t["id"] in self.done:
            return
        self.done.add(t["id"])
        kind = t["kind"]
        if kind == "TYPEDEF":
            self.need(t["type_id"], None)
            self.out.append(f"typedef {self.declare(t['type_id'], t['name'])};\n")
        elif kind in ("ENUM", "ENUM64"):
            name = "" if t["name"] == "(anon)" else t["name"] + " "
            self.out.append(f"enum {name}{{\n{self.enum_body(t)}}};\n")
        elif kind in ("STRUCT", "UNION"):
            list_ = self.picked(t)
            for m in list_:
                self.need(m["type_id"], t["name"])
            body = "".join(self.member(m) for m in list_)
            self.out.append(f"{kind.lower()} {t['name']} {{\n{body}}};\n")
        else:
            die(f"cannot write a {kind}")

    def write(self):
        for t in self.wanted:
            self.emit(t)
        for name, word in sorted(self.forward.items()):
            print(f"{word} {name};")
        last = ""
        for o in self.out:
            if not (o.startswith("typedef") and last.startswith("typedef")):
                print()
            print(o, end="")
            last = o


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: trim.py BTF.json ROOTS")
    Header(Btf(sys.argv[1]), sys.argv[2]).write()


main()
