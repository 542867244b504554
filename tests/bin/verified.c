// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How many instructions the kernel's verifier walked for each program of BPF objects:
 * verified FILE.bpf.o...   prints "OBJECT PROGRAM INSTRUCTIONS" lines
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <err.h>
#include <libgen.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "types.h"

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, fmt, ap) : 0;
}

/* bpf_prog_info.verified_insns (kernel 5.16), also where the headers are older. */
static u32 verified(int fd)
{
	union { struct bpf_prog_info info; u8 bytes[256]; } u = {};
	u32 size = sizeof(u), insns = 0;

	if (bpf_obj_get_info_by_fd(fd, &u.info, &size))
		err(1, "cannot ask about a program");
	memcpy(&insns, u.bytes + offsetof(struct bpf_prog_info, recursion_misses) + sizeof(u64),
	       sizeof(insns));
	return insns;
}

/* The target is a module's that is not here, or the machine has no such probes: where it
 * matters the same code is walked as a kprobe. */
static bool of_function(struct bpf_program *prog)
{
	const char *section = bpf_program__section_name(prog);

	return !strncmp(section, "fentry", 6) || !strncmp(section, "fexit", 5);
}

static void object(char *path)
{
	struct bpf_object *o = bpf_object__open_file(path, NULL);
	struct bpf_program *prog;
	char *name = basename(path);

	if (!o)
		err(1, "cannot open %s", path);
	bpf_object__for_each_program(prog, o)
		bpf_program__set_autoload(prog, !of_function(prog));
	if (bpf_object__load(o))
		err(1, "cannot load %s", path);
	bpf_object__for_each_program(prog, o)
		if (bpf_program__autoload(prog))
			printf("%.*s %s %u\n", (int)strcspn(name, "."), name,
			       bpf_program__name(prog), verified(bpf_program__fd(prog)));
	bpf_object__close(o);
}

int main(int argc, char **argv)
{
	libbpf_set_print(quiet);
	for (int i = 1; i < argc; i++)
		object(argv[i]);
	return 0;
}
