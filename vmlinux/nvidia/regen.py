#!/usr/bin/env python3
"""regen.py CHECKOUT KERNEL [TAG...]: makes user/gpu/nvidia_table.c.

CHECKOUT  a git folder of NVIDIA's public open-gpu-kernel-modules with its tags
KERNEL    a file with BTF of an x86-64 distribution kernel: /sys/kernel/btf/vmlinux, vmlinux
TAG       the releases (default: all from 515 on)

For each release: which functions of `functions` it has, with which arguments, and where the
fields of vmlinux/nvidia_uvm.h lie. For the latter its headers, without the bodies of their
functions, are compiled (clang -target bpf) on top of kernel.h and the kernel's types, with and
without HMM, and the BTF of that is asked (build/test/uvmlayout). Nothing of the checkout is
kept but names and numbers. Needs bpftool ($BPFTOOL), clang ($CLANG), `make tests` done."""
import concurrent.futures, os, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
UVMLAYOUT = os.path.join(ROOT, os.environ.get("O", "build"), "test", "uvmlayout")
CLANG = os.environ.get("CLANG", "clang")
BPFTOOL = os.environ.get("BPFTOOL") or shutil.which("bpftool") or "/usr/sbin/bpftool"
HEADERS = ["uvm_common.h", "uvm_linux.h", "uvm_va_space.h", "uvm_gpu.h", "uvm_va_block.h",
           "uvm_va_range.h", "uvm_perf_events.h", "uvm_perf_thrashing.h", "uvm_perf_prefetch.h",
           "uvm_hal_types.h", "uvm_pmm_gpu.h", "uvm_push.h"]
FOLDERS = ["kernel-open/nvidia-uvm", "kernel-open/nvidia", "kernel-open/common/inc"]


def output(*args, **more):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, **more).stdout


def version(tag):
    n = [int(x) for x in tag.split(".")] + [0]
    return n[0] * 1000000 + n[1] * 1000 + n[2]


def without_bodies(text):
    """Declarations stay, what lies between { and } of a function's definition goes."""
    out, lines, i = [], text.split("\n"), 0
    while i < len(lines):
        brace = re.match(r"^( *)\{ *$", lines[i])
        j = len(out) - 1
        while brace and j >= 0 and (not out[j].strip() or out[j].strip().startswith("//")):
            j -= 1
        head = re.sub(r"\s*//.*$", "", out[j]).rstrip() if brace and j >= 0 else ""
        if head.endswith(")"):
            end = re.compile("^" + brace.group(1) + r"\} *;?(\s*//.*)?$")
            while i + 1 < len(lines) and not end.match(lines[i + 1]):
                i += 1
            out[j] = head + ";"
            i += 1
        else:
            out.append(lines[i])
        i += 1
    return "\n".join(out)


def types_of_fields():
    text = open(os.path.join(ROOT, "vmlinux", "nvidia_uvm.h")).read()
    fields = text[text.index("#define UVM_FIELDS"):text.index("#define UVM_ARGS")]
    return list(dict.fromkeys(re.findall(r'X\(\w+, "(\w+)"', fields)))


def prepare(folder, tag, checkout, stubs):
    """The release's headers without function bodies, and an empty file for each kernel header."""
    archive = output("git", "-C", checkout, "archive", tag, *FOLDERS)
    subprocess.run(["tar", "x", "-C", folder], input=archive, check=True)
    for where, _, files in os.walk(folder):
        for name in files:
            if not name.endswith(".h"):
                continue
            path = os.path.join(where, name)
            text = open(path, encoding="utf-8", errors="replace").read()
            for include in re.findall(r"""#\s*include\s*(?:<|"(?=linux/|asm/))([^>"]+/[^>"]+)[>"]""", text):
                os.makedirs(os.path.join(stubs, os.path.dirname(include)), exist_ok=True)
                open(os.path.join(stubs, include), "a").close()
            if name in ("conftest.h", "nv-linux.h", "nv-time.h"):
                text = ""
            with open(path, "w") as f:
                f.write(without_bodies(text))


def compile_types(folder, tag, stubs, kernel, hmm):
    """An object whose BTF has those of our types that the release has."""
    names, obj = types_of_fields(), os.path.join(folder, "types.o")
    inc = [folder + "/kernel-open/nvidia-uvm", "-idirafter", folder + "/kernel-open/common/inc"]
    command = [CLANG, "-w", "-g", "-target", "bpf", "-DNV_LINUX", "-DNVCPU_X86_64", "-D__KERNEL__",
               "-I", kernel, "-I", HERE, "-I", stubs, "-I"] + inc + ["-c", "-x", "c", "-", "-o", obj]
    if hmm:
        command.append("-DWITH_HMM")
    while True:
        text = '#include "kernel.h"\n' + "".join('#include "%s"\n' % h for h in HEADERS)
        for i, name in enumerate(names):
            text += "%s%s v%d;\n" % ("" if name.endswith("_t") else "struct ", name, i)
        done = subprocess.run(command, input=text.encode(), stderr=subprocess.PIPE)
        if not done.returncode:
            return obj
        errors = done.stderr.decode()
        missing = [n for n in names if re.search(r"(has type 'struct |incomplete type 'struct |unknown type name ')"
                                                 + n + "'", errors)]
        if not missing:
            sys.exit("%s: %s" % (tag, errors[:2000]))
        names = [n for n in names if n not in missing]


def layout(obj, kernel):
    """Fields: name -> "offset bit bits" or "-"; and which kernel types they lie behind."""
    fields, behind = {}, []
    for line in output(UVMLAYOUT, "behind", obj, kernel + "/btf").decode().split("\n"):
        if line.startswith("behind "):
            behind.append(line.split()[1:])
        elif line and not line.startswith("arg "):
            name, where = line.split(" ", 1)
            fields[name] = where
    return fields, behind


def sources(checkout, tag, folder):
    names = [n for n in output("git", "-C", checkout, "ls-tree", "-r", "--name-only", tag, folder)
             .decode().split("\n") if n.endswith((".c", ".h"))]
    data = output("git", "-C", checkout, "cat-file", "--batch",
                  input="\n".join("%s:%s" % (tag, n) for n in names).encode())
    texts, pos = [], 0
    for n in names:
        end = data.index(b"\n", pos)
        size = int(data[pos:end].split()[-1])
        text = data[end + 1:end + 1 + size].decode("utf-8", "replace")
        texts.append((n.endswith(".c"), re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)))
        pos = end + 2 + size
    return texts


def signature(texts, name):
    """"static NV_STATUS (uvm_gpu_t *gpu, ...)" of its definition, None when there is none."""
    if name.startswith("trace_"):
        event = re.compile(r"\bTRACE_EVENT\(\s*" + name[6:] + r",\s*TP_PROTO\(([^)]*)\)")
        for _, text in texts:
            m = event.search(text)
            if m:
                return "tracepoint (" + " ".join(m.group(1).split()) + ")"
        return None
    pattern = re.compile(r"\b" + name + r"\s*\(([^;{}]*?)\)\s*\{")
    for is_c, text in texts:
        for m in pattern.finditer(text) if name in text else ():
            head = text[max(text.rfind(c, 0, m.start()) for c in ";}#"):m.start()]
            head = " ".join(re.sub(r"^.*\n", "", head[1:], count=1).split())
            if not re.match(r"^[A-Za-z_][\w *]*$", head):
                continue
            head = re.sub(r"\b(NV_API_CALL|__sched)\b ?", "", head).strip()
            if is_c or "inline" in head:
                return head + " (" + " ".join(m.group(1).split()) + ")"
    return None


def one_release(tag, checkout, kernel, functions):
    folder = tempfile.mkdtemp(prefix="nvidia.")
    try:
        stubs = os.path.join(folder, "stubs")
        prepare(folder, tag, checkout, stubs)
        layouts = [layout(compile_types(folder, tag, stubs, kernel, hmm), kernel)
                   for hmm in (False, True)]
    finally:
        shutil.rmtree(folder)
    texts = {m: sources(checkout, tag, "kernel-open/" + m.replace("_", "-")) for m in
             set(m for m, _ in functions)}
    return layouts, {(m, n): signature(texts[m], n) for m, n in functions}


def steps(tags, values):
    """[(tag, value)] where the value changes, in the order of versions."""
    out = []
    for tag in tags:
        if not out or out[-1][1] != values[tag]:
            out.append((tag, values[tag]))
    return out


def wrap(head, items, tail):
    lines, line = [], "\t" + head
    for i, item in enumerate(items):
        text = item + (", " if i + 1 < len(items) else tail)
        if len(line.replace("\t", 8 * " ") + text.rstrip()) > 96:
            lines.append(line.rstrip())
            line = "\t\t"
        line += text
    return "\n".join(lines + [line.rstrip()]) + "\n"


def field_rows(tags, layouts, base=None):
    text = ""
    for name in layouts[tags[0]]:
        values = {t: layouts[t][name] for t in tags}
        if base and all(values[t] == base[t][name] for t in tags):
            continue
        items = ["{ %d, %s }" % (version(t), "UVM_ABSENT" if v == "-" else v.replace(" ", ", "))
                 for t, v in steps(tags, values)]
        text += wrap('{ "%s", STEPS(' % name, items, ") },")
    return text


def behind_rows(tags, results):
    """The kernel types inside of our structs, in front of a field of them."""
    least = {}
    for tag in tags:
        for hmm, (_, rows) in enumerate(results[tag][0]):
            for struct, kernel, size, off in rows:
                key = (struct, kernel, size)
                if not hmm or (key, 0) not in least:
                    least[key, hmm] = min(int(off), least.get((key, hmm), 1 << 30))
    return "".join('\t{ "%s", "%s", %s, %d, %s },\n' % (k + (off, "true" if hmm else "false"))
                   for (k, hmm), off in sorted(least.items()) if not hmm or (k, 0) not in least)


def function_rows(tags, results, functions):
    text, kinds = "", {}
    for key in functions:
        values = {t: results[t][1][key] for t in tags}
        items = []
        for tag, kind in steps(tags, values):
            number = 0 if kind is None else kinds.setdefault(kind, len(kinds) + 1)
            items.append("{ %d, %d }" % (version(tag), number))
        text += wrap('{ "%s", "%s", KINDS(' % key, items, ") },")
    return text, "".join('\t"%s",\n' % k for k in kinds)


HEAD = """// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Facts about the public releases of NVIDIA's kernel modules: made by vmlinux/nvidia/regen.py from
 * %d releases, %s to %s. Do not edit. A value holds from the release
 * beside it to the next one listed.
 */
#include "nvidia_table.h"

#define COUNT(type, ...) (sizeof((type[]){ __VA_ARGS__ }) / sizeof(type))
#define STEPS(...) COUNT(struct uvm_step, __VA_ARGS__), (const struct uvm_step[]){ __VA_ARGS__ }
#define KINDS(...) COUNT(struct nvidia_kind, __VA_ARGS__), (const struct nvidia_kind[]){ __VA_ARGS__ }

"""


def table(tags, results, functions):
    plain = {t: results[t][0][0][0] for t in tags}
    hmm = {t: results[t][0][1][0] for t in tags}
    rows, kinds = function_rows(tags, results, functions)
    text = HEAD % (len(tags), tags[0], tags[-1])
    text += "const u32 nvidia_releases[] = {\n" + wrap("", [str(version(t)) for t in tags], ",")
    text += "\t0\n};\n\n"
    for name, body in (("uvm_steps", field_rows(tags, plain)),
                       ("uvm_steps_hmm", field_rows(tags, hmm, plain))):
        text += "const struct uvm_steps %s[] = {\n%s\t{}\n};\n\n" % (name, body)
    text += "const struct uvm_behind uvm_behind[] = {\n%s\t{}\n};\n\n" % behind_rows(tags, results)
    text += "const struct nvidia_function nvidia_functions[] = {\n%s\t{}\n};\n\n" % rows
    text += 'const char *const nvidia_kinds[] = {\n\t"",\n%s};\n' % kinds
    return text


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    checkout, btf = sys.argv[1:3]
    tags = sys.argv[3:] or [t for t in output("git", "-C", checkout, "tag").decode().split()
                            if re.match(r"^5\d\d(\.\d+)+$", t) and int(t[:3]) >= 515]
    tags.sort(key=version)
    functions = [tuple(line.split()) for line in open(os.path.join(HERE, "functions"))
                 if line.strip() and not line.startswith("#")]
    kernel = tempfile.mkdtemp(prefix="kernel.")
    try:
        shutil.copy(btf, kernel + "/btf")
        with open(kernel + "/vmlinux.h", "wb") as f:
            f.write(output(BPFTOOL, "btf", "dump", "file", btf, "format", "c"))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            done = pool.map(lambda t: one_release(t, checkout, kernel, functions), tags)
            results = dict(zip(tags, done))
    finally:
        shutil.rmtree(kernel)
    with open(os.path.join(ROOT, "user", "gpu", "nvidia_table.c"), "w") as f:
        f.write(table(tags, results, functions))


main()
