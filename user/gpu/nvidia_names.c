// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* vmlinux/nvidia_uvm.h as tables. */
#include "nvidia_driver.h"

#define NAME(name, of, what, since) { #name, of, what, since },

const struct uvm_name uvm_field_names[UVM_FIELD_COUNT] = { UVM_FIELDS(NAME) };
const struct uvm_name uvm_arg_names[UVM_ARG_COUNT] = { UVM_ARGS(NAME) };

#define FIRST_OF(name, of, what, since) offsetof(struct uvm_layout, name),
static const u16 fields[UVM_FIELD_COUNT] = { UVM_FIELDS(FIRST_OF) };

struct uvm_field *uvm_layout_field(struct uvm_layout *l, size_t i)
{
	return (struct uvm_field *)((char *)l + fields[i]);
}

u8 *uvm_layout_arg(struct uvm_layout *l, size_t i)
{
	return (u8 *)&l->arg + i;
}
