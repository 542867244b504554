/*
 * The NVIDIA driver of this machine, and where its structs have their fields. Three sources, in
 * this order: the BTF of the loaded module; the table of the public releases
 * (nvidia_table.h) for its version; the table's nearest older release, which is said.
 */
#ifndef NVIDIA_DRIVER_H
#define NVIDIA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include "uvm_layout.h"

struct btf;
struct probe_object;

struct nvidia_driver {
	u32 version;		/* UVM_VERSION(); 0: no module, or it does not say */
	char text[32];		/* "535.261.03" */
	bool loaded;		/* nvidia */
	bool uvm;		/* nvidia_uvm is loaded */
	bool uvm_btf;		/* and the kernel has its types */
	bool hmm;		/* and was built to serve ordinary memory, too */
};

/* Of the running kernel. false: neither module is loaded. */
bool nvidia_driver_read(struct nvidia_driver *d);
u32 nvidia_version(const char *text);	/* 0: no version */
const char *nvidia_version_text(u32 version, char *buf, size_t size);

enum uvm_source { UVM_BY_BTF, UVM_BY_TABLE, UVM_BY_NEAREST };

/* The layout for `d`, and by what; `nearest` is the release it is of when not d's own. Fields
 * that lie behind a kernel struct of another size than the table knows are made absent, which
 * is warned about. */
enum uvm_source uvm_layout_find(struct uvm_layout *l, const struct nvidia_driver *d,
				u32 *nearest);
/* From types (`btf` with its base). */
void uvm_layout_by_btf(struct uvm_layout *l, const struct btf *btf);
/* From the table; returns the release that it is of: d->version, or the nearest. */
u32 uvm_layout_by_table(struct uvm_layout *l, u32 version, bool hmm);

/* Makes fields of a layout out of the table absent that lie behind a type of the kernel whose
 * size is another there. Returns how many; the first such type and its size. */
size_t uvm_layout_fit(struct uvm_layout *l, const struct btf *kernel, bool hmm,
		      const char **why, u32 *size);

/* probe_set.prepare of sets that include uvm_layout.bpf.h: fills their constant for the running
 * driver. Without a driver all is absent. 0 or a reported error. */
int uvm_prepare(struct probe_object *o);

struct probe_set;
struct probe_state;
/* What would become of the set's hooks on NVIDIA's modules with a release of the table. Returns
 * how many, at most max. */
size_t nvidia_probe_states(const struct probe_set *set, u32 release,
			   struct probe_state *states, size_t max);
/* The fields that the release has in no build. */
size_t nvidia_fields_missing(u32 release, const char **names, size_t max);

/* The fields by number, 0 ... UVM_FIELD_COUNT - 1, and the arguments. */
struct uvm_field *uvm_layout_field(struct uvm_layout *l, size_t i);
u8 *uvm_layout_arg(struct uvm_layout *l, size_t i);
struct uvm_name {
	const char *name, *of, *what;	/* struct and members, or function and parameter */
	u32 since;
};
extern const struct uvm_name uvm_field_names[], uvm_arg_names[];

#endif
