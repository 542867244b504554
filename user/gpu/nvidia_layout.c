// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The layout of the running driver, by the best source there is, into a probe set. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include "log.h"
#include "nvidia_driver.h"
#include "nvidia_table.h"
#include "probe.h"

static void all_absent(struct uvm_layout *l)
{
	for (size_t i = 0; i < UVM_FIELD_COUNT; i++)
		*uvm_layout_field(l, i) = (struct uvm_field){ UVM_ABSENT };
	memset(&l->arg, UVM_ARG_ABSENT, sizeof(l->arg));
}

static bool from_module(struct uvm_layout *l, const struct btf *kernel)
{
	struct btf *module = btf__load_module_btf("nvidia_uvm", (struct btf *)kernel);

	if (!module)
		return false;
	uvm_layout_by_btf(l, module);
	btf__free(module);
	return l->event_fault_entry.off != UVM_ABSENT;	/* else: BTF of something else */
}

/* 0: the kernel has no such type of its own. */
static u32 kernel_size(const struct btf *kernel, const char *name)
{
	int id = btf__find_by_name_kind(kernel, name, BTF_KIND_STRUCT);

	if (id < 0)
		id = btf__find_by_name_kind(kernel, name, BTF_KIND_UNION);
	return id > 0 ? btf__type_by_id(kernel, id)->size : 0;
}

static size_t refuse(struct uvm_layout *l, const struct uvm_behind *b)
{
	size_t n = 0;

	for (size_t i = 0; i < UVM_FIELD_COUNT; i++) {
		struct uvm_field *f = uvm_layout_field(l, i);

		if (strcmp(uvm_field_names[i].of, b->of) || f->off == UVM_ABSENT ||
		    f->off <= b->off)
			continue;
		f->off = UVM_ABSENT;
		n++;
	}
	return n;
}

size_t uvm_layout_fit(struct uvm_layout *l, const struct btf *kernel, bool hmm,
		      const char **why, u32 *size)
{
	size_t n = 0;

	for (const struct uvm_behind *b = uvm_behind; b->of; b++) {
		u32 have = b->hmm && !hmm ? 0 : kernel_size(kernel, b->kernel_type);
		size_t gone = have && have != b->size ? refuse(l, b) : 0;

		if (gone && !n) {
			*why = b->kernel_type;
			*size = have;
		}
		n += gone;
	}
	return n;
}

enum uvm_source uvm_layout_find(struct uvm_layout *l, const struct nvidia_driver *d,
				u32 *nearest)
{
	struct btf *kernel = btf__load_vmlinux_btf();
	enum uvm_source source = UVM_BY_BTF;
	const char *why;
	u32 size;
	size_t n;

	all_absent(l);
	*nearest = d->version;
	if (!kernel || !d->uvm_btf || !from_module(l, kernel)) {
		*nearest = uvm_layout_by_table(l, d->version, d->hmm);
		source = *nearest == d->version ? UVM_BY_TABLE : UVM_BY_NEAREST;
		n = kernel ? uvm_layout_fit(l, kernel, d->hmm, &why, &size) : 0;
		if (n)
			warn("struct %s of this kernel has %u bytes, not those of the table: %zu fields of nvidia_uvm are not read (a module with BTF gives them)",
			     why, size, n);
	}
	btf__free(kernel);
	l->version = d->version ? d->version : *nearest;
	return source;
}

static void tell(const struct nvidia_driver *d, enum uvm_source source, u32 nearest)
{
	static bool told;	/* the sets of one run have one driver */
	char text[32];

	if (told)
		return;
	told = true;
	if (source == UVM_BY_NEAREST)
		warn("nvidia_uvm %s is in no table of releases: its structs are read as those of %s (a module with BTF needs no table)",
		     d->version ? d->text : "of an unknown version",
		     nvidia_version_text(nearest, text, sizeof(text)));
	else
		note("nvidia_uvm %s: structs as %s", d->text,
		     source == UVM_BY_BTF ? "its BTF says" : "in the table of releases");
}

/* Where the set's object has its constant: from its own types. */
static struct uvm_layout *layout_of(struct probe_object *o)
{
	const struct btf *btf = bpf_object__btf(probe_bpf(o));
	int id = btf ? btf__find_by_name_kind(btf, ".rodata", BTF_KIND_DATASEC) : -1;
	const struct btf_type *section = id > 0 ? btf__type_by_id(btf, id) : NULL;
	const struct btf_var_secinfo *v = section ? btf_var_secinfos(section) : NULL;
	size_t size;
	char *rodata = probe_rodata(o, &size);

	for (int i = 0; section && i < btf_vlen(section); i++, v++) {
		const struct btf_type *var = btf__type_by_id(btf, v->type);

		if (!strcmp(btf__name_by_offset(btf, var->name_off), "uvm_layout") &&
		    v->size == sizeof(struct uvm_layout) && v->offset + v->size <= size)
			return (struct uvm_layout *)(rodata + v->offset);
	}
	return NULL;
}

int uvm_prepare(struct probe_object *o)
{
	struct uvm_layout *l = layout_of(o);
	struct nvidia_driver driver;
	enum uvm_source source;
	u32 nearest;

	if (!l)
		return fail(-EINVAL, "cannot tell the probes where the driver's fields are");
	all_absent(l);
	nvidia_driver_read(&driver);
	if (!driver.uvm)
		return 0;
	source = uvm_layout_find(l, &driver, &nearest);
	tell(&driver, source, nearest);
	return 0;
}
