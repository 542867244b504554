/*
 * Where the fields of vmlinux/nvidia_uvm.h lie in the running driver: a constant of the probe
 * sets that read them, filled before they are loaded (user/gpu/nvidia.h). The verifier removes
 * what an absent field would have been read by.
 */
#ifndef UVM_LAYOUT_H
#define UVM_LAYOUT_H

#include "types.h"
#include "nvidia_uvm.h"

#define UVM_ABSENT (~0U)
#define UVM_ARG_ABSENT 0xff

struct uvm_field {
	u32 off;		/* of the byte it begins in; UVM_ABSENT */
	u8 bit;			/* of that byte, from the lowest; 0 but for bitfields */
	u8 bits;		/* its width; 0: an array or a struct in place */
	u16 pad;
};
_Static_assert(sizeof(struct uvm_field) == 8, "uvm_field: a table is made of it");

#define UVM_FIELD_MEMBER(name, type, path, since) struct uvm_field name;
#define UVM_ARG_MEMBER(name, func, parameter, since) u8 name;
#define UVM_COUNT_ONE(name, of, what, since) + 1
enum {
	UVM_FIELD_COUNT = 0 UVM_FIELDS(UVM_COUNT_ONE),
	UVM_ARG_COUNT = 0 UVM_ARGS(UVM_COUNT_ONE),
};

struct uvm_layout {
	u32 version;		/* UVM_VERSION(535, 261, 3); 0 unknown */
	UVM_FIELDS(UVM_FIELD_MEMBER)
	struct uvm_places {
		UVM_ARGS(UVM_ARG_MEMBER)	/* UVM_ARG_ABSENT */
	} arg;
};
_Static_assert(sizeof(struct uvm_places) == UVM_ARG_COUNT, "uvm_places: an array of u8");

#define UVM_VERSION(major, minor, patch) ((major) * 1000000U + (minor) * 1000U + (patch))

#endif
