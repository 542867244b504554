#!/usr/bin/env python3
"""structs.py UVMLAYOUT VERSION HEADER: the fields of vmlinux/nvidia_uvm.h (HEADER) as structs
that have them where the table of releases says (UVMLAYOUT: build/test/uvmlayout), and nothing
else. Each field stands behind padding of its own in a union, so the offsets are the table's."""
import re, subprocess, sys

SIZES = {"uuid": 16, "name": 64, "gpus": 64, "bitmap": 64}	# of arrays in place


COUNT = iter(range(1 << 20))


def member(name, off, bit, bits):
    pad = "u8 p%d[%d]; " % (next(COUNT), off) if off else ""
    if bits % 8 or bit:
        base = off & ~3
        pad = "u8 p%d[%d]; " % (next(COUNT), base) if base else ""
        skip = (off - base) * 8 + bit
        return "struct { %s%su32 %s : %d; };" % (pad, "u32 : %d; " % skip if skip else "", name, bits)
    kind = "u%d %s" % (bits, name) if bits else "u8 %s[%d]" % (name, SIZES.get(name, 64))
    return "struct { %s%s; };" % (pad, kind)


def body(tree, tabs):
    text = "union {\n"
    for name, what in tree.items():
        if isinstance(what, dict):
            text += tabs + "struct { " + body(what, tabs + "\t") + tabs + "}; } %s;\n" % name
        else:
            text += tabs + member(name, *what) + "\n"
    return text


def main():
    tool, version, header = sys.argv[1:]
    text = open(header).read()
    fields = re.findall(r'X\((\w+), "(\w+)",\s*(?:\\\s*)?"([^"]+)", \d+\)', text.replace("\\\n", " "))
    table = dict(line.split(" ", 1) for line in subprocess.check_output(
        [tool, "table", version]).decode().split("\n") if line and not line.startswith("arg "))
    trees = {}
    for name, of, path in fields:
        if name not in table or table[name] == "-":
            continue
        tree = trees.setdefault(of, {})
        *outer, leaf = path.split("|")[-1].split(".")
        for step in outer:
            tree = tree.setdefault(step, {})
        tree[leaf] = tuple(int(x) for x in table[name].split())
    print("/* Made by structs.py from the table of releases: %s. Do not edit. */" % version)
    print("#ifndef STRUCTS_H\n#define STRUCTS_H\n\n#include <linux/types.h>\n")
    for of, tree in trees.items():
        typedef = of.endswith("_t")
        print("%s { %s}; }%s;\n" % ("typedef struct" if typedef else "struct " + of,
                                    body(tree, "\t"), " " + of if typedef else ""))
    names = ["%s%s *p%d;" % ("" if of.endswith("_t") else "struct ", of, i) for i, of in enumerate(trees)]
    print("/* a variable of it has all of them in the module's BTF */")
    print("struct all_structs {\n\t%s\n};\n" % "\n\t".join(names))
    print("#endif")


main()
