// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * uvmlayout btf FILE [BASE]      where a file's BTF (on top of BASE's) has the fields and
 *                                arguments of vmlinux/nvidia_uvm.h: "NAME OFFSET BIT BITS",
 *                                "arg NAME PLACE"; "-" absent
 * uvmlayout behind FILE KERNEL   the same of a FILE that has all types itself, and "behind
 *                                STRUCT TYPE SIZE OFFSET" for each type of KERNEL that lies in
 *                                one of our structs in front of a field
 * uvmlayout table VERSION [hmm]  as the table has it
 * uvmlayout fit VERSION KERNEL   the same on a kernel with the types of that file
 * uvmlayout nearest VERSION      the release of the table that stands for a version
 * uvmlayout releases             the releases of the table
 * uvmlayout since                "NAME SAID FOUND": the first release that has a field or an
 *                                argument, by nvidia_uvm.h and by the table
 * The generator of the table (vmlinux/nvidia/) and the tests of it use it.
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "gpu/nvidia_driver.h"
#include "gpu/nvidia_table.h"
#include "log.h"

static void print_layout(struct uvm_layout *l)
{
	for (size_t i = 0; i < UVM_FIELD_COUNT; i++) {
		const struct uvm_field *f = uvm_layout_field(l, i);

		if (f->off == UVM_ABSENT)
			printf("%s -\n", uvm_field_names[i].name);
		else
			printf("%s %u %u %u\n", uvm_field_names[i].name, f->off, f->bit,
			       f->bits);
	}
	for (size_t i = 0; i < UVM_ARG_COUNT; i++) {
		u8 arg = *uvm_layout_arg(l, i);

		if (arg == UVM_ARG_ABSENT)
			printf("arg %s -\n", uvm_arg_names[i].name);
		else
			printf("arg %s %u\n", uvm_arg_names[i].name, arg);
	}
}

static int by_btf(const char *file, const char *base_file)
{
	struct uvm_layout layout = {};
	struct btf *base = base_file ? btf__parse(base_file, NULL) : NULL, *btf;

	if (base_file && !base)
		return fail(-errno, "cannot read the types of %s", base_file);
	btf = btf__parse_split(file, base);
	if (!btf)
		return fail(-errno, "cannot read the types of %s", file);
	uvm_layout_by_btf(&layout, btf);
	print_layout(&layout);
	btf__free(btf);
	btf__free(base);
	return 0;
}

struct walk {
	const struct btf *btf, *kernel;
	const char *in;		/* the struct of ours */
	u32 last;		/* where the last of its fields begins */
};

/* The members of a struct at `off`, inner ones of no kernel type too. */
static void kernel_types(const struct walk *w, u32 id, u32 off)
{
	const struct btf_type *t = btf__type_by_id(w->btf, id);
	const struct btf_member *m = btf_members(t);

	for (u32 i = 0; i < btf_vlen(t); i++, m++) {
		u32 at = off + btf_member_bit_offset(t, i) / 8;
		int inner = btf__resolve_type(w->btf, m->type);
		const struct btf_type *type = btf__type_by_id(w->btf, inner);
		const char *name;

		if (at >= w->last)
			continue;
		if (btf_is_array(type)) {
			inner = btf__resolve_type(w->btf, btf_array(type)->type);
			type = btf__type_by_id(w->btf, inner);
		}
		if (!btf_is_composite(type))
			continue;
		name = btf__name_by_offset(w->btf, type->name_off);
		if (*name && btf__find_by_name_kind(w->kernel, name, btf_kind(type)) > 0)
			printf("behind %s %s %u %u\n", w->in, name, type->size, at);
		else
			kernel_types(w, inner, at);
	}
}

static int behind(const char *file, const char *kernel_file)
{
	struct uvm_layout layout = {};
	struct btf *btf = btf__parse(file, NULL), *kernel = btf__parse(kernel_file, NULL);
	struct walk w = { btf, kernel, "" };

	if (!btf || !kernel)
		return fail(-errno, "cannot read the types of %s", btf ? kernel_file : file);
	uvm_layout_by_btf(&layout, btf);
	print_layout(&layout);
	for (size_t i = 0; i < UVM_FIELD_COUNT; i++) {
		const char *of = uvm_field_names[i].of;
		int id = btf__find_by_name_kind(btf, of, BTF_KIND_STRUCT);

		if (!strcmp(of, w.in))
			continue;
		w.in = of;
		w.last = 0;
		for (size_t k = i; k < UVM_FIELD_COUNT; k++) {
			const struct uvm_field *f = uvm_layout_field(&layout, k);

			if (!strcmp(uvm_field_names[k].of, of) && f->off != UVM_ABSENT &&
			    f->off > w.last)
				w.last = f->off;
		}
		if (id < 0)
			id = btf__find_by_name_kind(btf, of, BTF_KIND_TYPEDEF);
		id = id > 0 ? btf__resolve_type(btf, id) : 0;
		if (id > 0 && btf_is_composite(btf__type_by_id(btf, id)))
			kernel_types(&w, id, 0);
	}
	btf__free(btf);
	btf__free(kernel);
	return 0;
}

static int by_table(const char *version, bool hmm, const char *kernel_file)
{
	struct btf *kernel = kernel_file ? btf__parse(kernel_file, NULL) : NULL;
	struct uvm_layout layout = {};
	u32 wanted = nvidia_version(version), size;
	const char *why;

	if (!wanted)
		return fail(0, "no version: %s", version);
	if (kernel_file && !kernel)
		return fail(-errno, "cannot read the types of %s", kernel_file);
	if (uvm_layout_by_table(&layout, wanted, hmm) != wanted)
		return fail(0, "no release: %s", version);
	if (kernel && uvm_layout_fit(&layout, kernel, hmm, &why, &size))
		warn("struct %s has %u bytes", why, size);
	print_layout(&layout);
	btf__free(kernel);
	return 0;
}

static void nearest(const char *version)
{
	char text[32];

	puts(nvidia_version_text(nvidia_release(nvidia_version(version)), text, sizeof(text)));
}

static void releases(void)
{
	char text[32];

	for (const u32 *r = nvidia_releases; *r; r++)
		puts(nvidia_version_text(*r, text, sizeof(text)));
}

static void print_since(const struct uvm_name *n, u32 found)
{
	printf("%s %u %u\n", n->name, n->since, found);
}

static void since(void)
{
	u32 fields[UVM_FIELD_COUNT] = {}, args[UVM_ARG_COUNT] = {};

	for (const u32 *r = nvidia_releases; *r; r++) {
		struct uvm_layout layout = {};

		uvm_layout_by_table(&layout, *r, true);
		for (size_t i = 0; i < UVM_FIELD_COUNT; i++)
			if (!fields[i] && uvm_layout_field(&layout, i)->off != UVM_ABSENT)
				fields[i] = *r / 1000000;
		for (size_t i = 0; i < UVM_ARG_COUNT; i++)
			if (!args[i] && *uvm_layout_arg(&layout, i) != UVM_ARG_ABSENT)
				args[i] = *r / 1000000;
	}
	for (size_t i = 0; i < UVM_FIELD_COUNT; i++)
		print_since(&uvm_field_names[i], fields[i]);
	for (size_t i = 0; i < UVM_ARG_COUNT; i++)
		print_since(&uvm_arg_names[i], args[i]);
}

int main(int argc, char **argv)
{
	log_init("uvmlayout", false);
	if (argc > 2 && !strcmp(argv[1], "btf"))
		return !!by_btf(argv[2], argv[3]);
	if (argc == 4 && !strcmp(argv[1], "behind"))
		return !!behind(argv[2], argv[3]);
	if (argc > 2 && !strcmp(argv[1], "table"))
		return !!by_table(argv[2], argc > 3, NULL);
	if (argc == 4 && !strcmp(argv[1], "fit"))
		return !!by_table(argv[2], false, argv[3]);
	if (argc == 3 && !strcmp(argv[1], "nearest"))
		return nearest(argv[2]), 0;
	if (argc == 2 && !strcmp(argv[1], "releases"))
		return releases(), 0;
	if (argc == 2 && !strcmp(argv[1], "since"))
		return since(), 0;
	return 2;
}
