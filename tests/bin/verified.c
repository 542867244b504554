// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How many instructions the kernel's verifier walked for each program of BPF objects:
 * verified FILE.bpf.o...   prints "OBJECT PROGRAM INSTRUCTIONS" lines
 *
 * Reads of the driver's structs are there as on a driver of the table.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <err.h>
#include <libgen.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "gpu/nvidia_driver.h"
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

/* Where a constant lies in .rodata; -1: the object has none of that name. */
static long constant_at(const struct bpf_object *o, const char *name)
{
	const struct btf *btf = bpf_object__btf(o);
	s32 id = btf__find_by_name_kind(btf, ".rodata", BTF_KIND_DATASEC);
	const struct btf_type *t = id < 0 ? NULL : btf__type_by_id(btf, id);

	for (u32 i = 0; t && i < btf_vlen(t); i++) {
		const struct btf_var_secinfo *v = btf_var_secinfos(t) + i;
		const struct btf_type *var = btf__type_by_id(btf, v->type);

		if (!strcmp(btf__name_by_offset(btf, var->name_off), name))
			return v->offset;
	}
	return -1;
}

static void lay_out(struct bpf_object *o)
{
	long at = constant_at(o, "uvm_layout");
	struct bpf_map *map;

	bpf_object__for_each_map(map, o) {
		size_t size;
		char *value = (char *)bpf_map__initial_value(map, &size);
		const char *end = strrchr(bpf_map__name(map), '.');

		if (at >= 0 && value && end && !strcmp(end, ".rodata"))
			uvm_layout_by_table((void *)(value + at), UVM_VERSION(535, 261, 3),
					    false);
	}
}

static void object(char *path)
{
	struct bpf_object *o = bpf_object__open_file(path, NULL);
	struct bpf_program *prog;
	char *name = basename(path);

	if (!o)
		err(1, "cannot open %s", path);
	lay_out(o);
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
