/*
 * What NVIDIA's public releases have, as generated (nvidia_table.c), and look-ups in it. All
 * lists end in an empty row; steps are sorted by release and hold until the next step.
 */
#ifndef NVIDIA_TABLE_H
#define NVIDIA_TABLE_H

#include <stddef.h>
#include "uvm_layout.h"

extern const u32 nvidia_releases[];	/* UVM_VERSION()s, sorted */

struct uvm_step {
	u32 release;
	u32 off;
	u8 bit, bits;
};
struct uvm_steps {
	const char *field;
	size_t count;
	const struct uvm_step *steps;
};
extern const struct uvm_steps uvm_steps[];
extern const struct uvm_steps uvm_steps_hmm[];	/* those that differ in a build with HMM */

/* A type of the kernel inside of a struct of the driver, at the lowest offset of all releases:
 * what lies behind moves with its size. */
struct uvm_behind {
	const char *of, *kernel_type;
	u32 size, off;
	bool hmm;		/* only in builds with HMM */
};
extern const struct uvm_behind uvm_behind[];

struct nvidia_kind {
	u32 release;
	u16 kind;		/* in nvidia_kinds; 0 absent */
};
struct nvidia_function {
	const char *module, *name;
	size_t count;
	const struct nvidia_kind *kinds;
};
extern const struct nvidia_function nvidia_functions[];
/* "static NV_STATUS (uvm_gpu_t *gpu, ...)", [0] "" */
extern const char *const nvidia_kinds[];

/* The release of the table for a version: itself; else the newest older one of its branch (its
 * first number), the oldest of its branch, the newest older, the oldest of all. */
u32 nvidia_release(u32 version);
/* NULL: not known in any release */
const struct nvidia_function *nvidia_function(const char *module, const char *name);
/* Its text in that release; "" absent. */
const char *nvidia_function_kind(const struct nvidia_function *f, u32 release);

#endif
