#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Makes user/driver_table.c: the names of what NVIDIA's driver is asked for.

  user/driver_table.py CHECKOUT TAG... > user/driver_table.c

CHECKOUT: of NVIDIA's public open-gpu-kernel-modules repository. TAG...: oldest first; a number that
two releases give two names keeps the newest. Only names, numbers and offsets are taken.
"""
import os, re, subprocess, sys, tempfile

SDK = "src/common/sdk/nvidia/inc/"
UNIX = "src/nvidia/arch/nvalloc/unix/include/"
UVM = "kernel-open/nvidia-uvm/"
PATHS = [SDK, UNIX, UVM, "kernel-open/common/inc/", "src/nvidia/generated/g_allclasses.h"]
HEX = r"\(?(0x[0-9a-fA-F]+)U?L*\)?"


def text(root, path):
    with open(os.path.join(root, path), errors="replace") as f:
        return f.read()


def headers(root, folder):
    for name in sorted(os.listdir(os.path.join(root, folder))):
        if name.endswith(".h"):
            yield name, text(root, folder + name)
    sub = os.path.join(root, folder)
    for name in sorted(os.listdir(sub)):
        if os.path.isdir(os.path.join(sub, name)):
            yield from headers(root, folder + name + "/")


def controls(root):
    """A command's upper half is the class in its name, and it is evaluated from an interface id."""
    line = re.compile(r"^#define\s+(NV([0-9A-F]{4})_CTRL_\w+)\s+" + HEX + r"\s.*_INTERFACE_ID << 8\)", re.M)
    for _, t in headers(root, SDK + "ctrl/"):
        for name, cls, value in line.findall(t):
            if int(value, 16) >> 16 == int(cls, 16) or cls == "0000":
                yield int(value, 16), name


def classes(root):
    """The driver's own list, where aliases stand behind the name; else the define that is its file's name."""
    seen = set()
    line = re.compile(r"^#define\s+(\w+)\s+" + HEX, re.M)
    for name, value in line.findall(text(root, "src/nvidia/generated/g_allclasses.h")):
        if int(value, 16) not in seen:
            seen.add(int(value, 16))
            yield int(value, 16), name
    for file, t in headers(root, SDK + "class/"):
        number = re.match(r"cl([0-9a-f]{4})\w*\.h", file)
        for name, value in line.findall(t) if number else ():
            if int(value, 16) == int(number[1], 16) and int(value, 16) not in seen:
                seen.add(int(value, 16))
                yield int(value, 16), name


def statuses(root):
    for name, value in re.findall(r"NV_STATUS_CODE\(\s*(\w+)\s*,\s*(0x\w+)", text(root, SDK + "nvstatuscodes.h")):
        yield int(value, 16), name


def escapes(root):
    for name, value in re.findall(r"^#define\s+NV_ESC_(\w+)\s+(0x\w+)", text(root, UNIX + "nv_escape.h"), re.M):
        yield int(value, 16), name
    for file in "nv-ioctl-numbers.h", "nv-ioctl-numa.h":
        for name, n in re.findall(r"^#define\s+NV_ESC_(\w+)\s+\(NV_IOCTL_BASE \+ (\d+)\)", text(root, "kernel-open/common/inc/" + file), re.M):
            yield 200 + int(n), name


def compiled(root, source, *flags):
    dirs = [f"-I{root}/{d}" for d in (UVM, "kernel-open/common/inc", SDK)]
    return subprocess.run(["cc", "-w", *dirs, *flags, "-x", "c", "-"], input=source, text=True, check=True,
                          capture_output=True).stdout


UVM_C = '#include <stdint.h>\n#include <stddef.h>\n#include <stdio.h>\n#include "nvtypes.h"\n' \
        '#include "uvm_ioctl.h"\n#include "uvm_linux_ioctl.h"\n'


def uvm(root):
    """(number, name, offset of its status or None)"""
    macros = compiled(root, UVM_C, "-E", "-dM")
    plain = compiled(root, UVM_C, "-E", "-P")
    body = ""
    for name, base, value in re.findall(r"^#define (UVM_\w+) (?:UVM_IOCTL_BASE\((\d+)\)|(0x3000000\d))$", macros, re.M):
        number = int(base) if base else int(value, 16)
        known = re.search(r"\}\s*" + name + r"_PARAMS\s*;", plain)
        where = f"(int)offsetof({name}_PARAMS, rmStatus)" if known else "-1"
        body += f'printf("{name} %d %d\\n", {number}, {where});\n'
    with tempfile.NamedTemporaryFile() as program:
        compiled(root, UVM_C + "int main(void){" + body + "return 0;}", "-o", program.name + ".x")
        out = subprocess.run([program.name + ".x"], text=True, capture_output=True, check=True).stdout
        os.unlink(program.name + ".x")
    for line in out.splitlines():
        name, number, where = line.split()
        yield int(number), name, int(where)
    for name, n in re.findall(r"^#define\s+(UVM_TEST_\w+)\s+UVM_TEST_IOCTL_BASE\((\d+)\)",
                              text(root, UVM + "uvm_test_ioctl.h"), re.M):
        yield 200 + int(n), name, -1


class Table:
    def __init__(self, name, what):
        self.name, self.what, self.rows, self.renamed = name, what, {}, {}

    def add(self, pairs):
        now = {}
        for number, name in pairs:
            now.setdefault(number, name)
        for number, name in now.items():
            if self.rows.get(number, name) != name:
                self.renamed.setdefault(number, []).append(self.rows[number])
            self.rows[number] = name

    def write(self):
        print(f"\n/* {self.what}: {len(self.rows)}, of which {len(self.renamed)} had another name before. */")
        print(f"static const struct driver_name {self.name}_rows[] = {{")
        for number in sorted(self.rows):
            print(f'\t{{ 0x{number:x}, "{self.rows[number]}" }},')
        print(f"}};\nconst struct driver_names {self.name} = {{ {self.name}_rows, {len(self.rows)} }};")


def main(checkout, tags):
    tables = {f: Table(*t) for f, t in {
        escapes: ("driver_escapes", "Escapes of nvidia.ko: NV_ESC_*"),
        controls: ("driver_controls", "Control commands behind RM_CONTROL"),
        classes: ("driver_classes", "Classes behind RM_ALLOC"),
        statuses: ("driver_status_names", "NV_STATUS")}.items()}
    calls, places = Table("driver_uvm_calls", "ioctls of nvidia-uvm.ko"), {}
    for tag in tags:
        with tempfile.TemporaryDirectory() as root:
            tar = subprocess.run(["git", "-C", checkout, "archive", tag, *PATHS], check=True, capture_output=True).stdout
            subprocess.run(["tar", "x", "-C", root], input=tar, check=True)
            for f, table in tables.items():
                table.add(f(root))
            found = list(uvm(root))
        calls.add((n, name) for n, name, _ in found)
        for n, _, where in found:
            if where >= 0:
                old = places.setdefault(n, [])
                if not old or old[-1][1] != where:
                    old.append((tag, where))
    print(f"""// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names of what NVIDIA's driver is asked for. Made by user/driver_table.py from
 * the headers of its public source, releases {tags[0]} to {tags[-1]}
 * ({len(tags)} of them); do not edit.
 */
#include \"driver_calls.h\"""")
    for t in (*tables.values(), calls):
        t.write()
    print("\n/* Where the status is in the parameters of an ioctl of nvidia-uvm.ko, since which branch. */")
    print("const struct driver_place driver_uvm_status[] = {")
    for n in sorted(places):
        for i, (tag, where) in enumerate(places[n]):
            print(f"\t{{ 0x{n:x}, {tag.split('.')[0] if i else 0}, {where} }},")
    print("\t{ 0, 0, 0xffff },\n};")
    for t in (*tables.values(), calls):
        for n, old in sorted(t.renamed.items()):
            print(f"{t.name}: 0x{n:x} {t.rows[n]} was {', '.join(old)}", file=sys.stderr)


main(sys.argv[1], sys.argv[2:])
