// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The driver's layout as its types say: BTF of the module on top of the kernel's. */
#include <bpf/btf.h>
#include <string.h>
#include "nvidia_driver.h"

/* Where a path of members has led. */
struct place {
	const struct btf_type *type;
	u32 bits;		/* from the struct's begin: below 512 MiB */
	u32 width;		/* of a bitfield, 0 none */
};

static const char *name_of(const struct btf *btf, u32 off)
{
	const char *name = btf__name_by_offset(btf, off);

	return name ? name : "";
}

static const struct btf_type *plain(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

/* The member `name` (len bytes) of the struct at `p`, also inside members without a name. */
static bool step(const struct btf *btf, struct place *p, const char *name, size_t len)
{
	const struct btf_type *t = p->type;
	const struct btf_member *m = btf_members(t);

	if (!btf_is_composite(t))
		return false;
	for (u32 i = 0; i < btf_vlen(t); i++, m++) {
		const char *have = name_of(btf, m->name_off);
		struct place inner = { plain(btf, m->type),
				       p->bits + btf_member_bit_offset(t, i),
				       btf_member_bitfield_size(t, i) };

		if (!inner.type)
			continue;
		if (*have ? strlen(have) == len && !memcmp(have, name, len) :
			    step(btf, &inner, name, len)) {
			*p = inner;
			return true;
		}
	}
	return false;
}

/* "node.start"; path ends at NUL or '|'. */
static bool walk(const struct btf *btf, struct place *p, const char *path)
{
	for (;;) {
		size_t len = strcspn(path, ".|");

		if (!step(btf, p, path, len))
			return false;
		if (path[len] != '.')
			return true;
		path += len + 1;
	}
}

static struct uvm_field field_at(const struct btf *btf, const struct place *p)
{
	const struct btf_type *t = p->type;
	u32 bits = p->width;

	if (!bits && (btf_is_int(t) || btf_is_any_enum(t)))
		bits = t->size * 8;
	else if (!bits && btf_is_ptr(t))
		bits = 64;
	return (struct uvm_field){ p->bits / 8, p->bits % 8, bits };
}

static bool named(const struct btf *btf, const struct btf_type *t, const char *name)
{
	return (btf_is_composite(t) || btf_is_typedef(t)) &&
		!strcmp(name_of(btf, t->name_off), name);
}

/* Types may be there several times: that one counts which has the member. */
static struct uvm_field find_field(const struct btf *btf, u32 first, const struct uvm_name *n)
{
	u32 end = btf__type_cnt(btf);

	for (const char *path = n->what; path; path = strchr(path, '|')) {
		path += *path == '|';
		for (u32 id = first; id < end; id++) {
			struct place p = {};

			if (!named(btf, btf__type_by_id(btf, id), n->of))
				continue;
			p.type = plain(btf, id);
			if (p.type && walk(btf, &p, path))
				return field_at(btf, &p);
		}
	}
	return (struct uvm_field){ UVM_ABSENT };
}

static u8 find_parameter(const struct btf *btf, const struct btf_type *func, const char *name)
{
	const struct btf_type *proto = btf__type_by_id(btf, func->type);

	for (u32 i = 0; proto && i < btf_vlen(proto); i++)
		if (!strcmp(name_of(btf, btf_params(proto)[i].name_off), name))
			return i;
	return UVM_ARG_ABSENT;
}

static u8 find_arg(const struct btf *btf, u32 first, const struct uvm_name *n)
{
	u32 end = btf__type_cnt(btf);

	for (const char *func = n->of; func; func = strchr(func, '|')) {
		func += *func == '|';
		for (u32 id = first; id < end; id++) {
			const struct btf_type *t = btf__type_by_id(btf, id);
			const char *name = btf_is_func(t) ? name_of(btf, t->name_off) : "";

			if (strlen(name) == strcspn(func, "|") &&
			    !strncmp(func, name, strlen(name)))
				return find_parameter(btf, t, n->what);
		}
	}
	return UVM_ARG_ABSENT;
}

void uvm_layout_by_btf(struct uvm_layout *l, const struct btf *btf)
{
	const struct btf *base = btf__base_btf(btf);
	u32 first = base ? btf__type_cnt(base) : 1;

	for (size_t i = 0; i < UVM_FIELD_COUNT; i++)
		*uvm_layout_field(l, i) = find_field(btf, first, &uvm_field_names[i]);
	for (size_t i = 0; i < UVM_ARG_COUNT; i++)
		*uvm_layout_arg(l, i) = find_arg(btf, first, &uvm_arg_names[i]);
}
