// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rows about functions of the kernel and of its modules: which function a row means,
 * why it cannot be probed, and links. Kprobes go by address: a name may be in two
 * modules, and kernels differ in which of them they take for it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "log.h"
#include "probe_object.h"

#define FUNCTIONS_MAX 4096	/* of one row */

bool probe_is_kernel(const struct probe_row *row)
{
	return row->type >= PROBE_KPROBE && row->type <= PROBE_KRETPROBE_MULTI;
}

bool probe_is_multi(const struct probe_row *row)
{
	return row->type == PROBE_KPROBE_MULTI || row->type == PROBE_KRETPROBE_MULTI;
}

static bool is_fentry(const struct probe_row *row)
{
	return row->type == PROBE_FENTRY || row->type == PROBE_FEXIT;
}

static bool is_return(const struct probe_row *row)
{
	return row->type == PROBE_KRETPROBE || row->type == PROBE_KRETPROBE_MULTI;
}

/* ---- can it be probed? ---- */

static bool has_btf(const char *module)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", module ? module : "vmlinux");
	return !access(path, F_OK);
}

static const char *not_by_fentry(struct probe_object *o, const struct probe_row *row,
				 const struct kernel_wanted *w)
{
	struct bpf_program *prog = probe_program(o, row);

	if (!has_btf(w->module))
		return w->module ? "the module has no BTF" : "the kernel has no BTF";
	if (w->rank)
		return "the compiler made another function of it";
	/* before 6.3 the first one of that name was taken, whatever the BTF */
	if (w->twins)
		return "another module has a function of that name";
	for (EACH_ROW(r, o->set))
		if (r < row && r->prog == row->prog && strcmp(r->what, row->what) &&
		    probe_settled(o, r)->possible)
			return "its program has another target";
	if (bpf_program__set_attach_target(prog, 0, row->what))
		return "the BTF does not have it";
	return NULL;
}

static const char *why_not(struct probe_object *o, const struct probe_row *row,
			   struct probe_settled *s)
{
	size_t found = 0;

	if (s->no_module)
		return "the module is not loaded";
	for (u32 i = 0; i < s->count; i++) {
		found += s->wanted[i].count;
		if (!s->wanted[i].rank && s->wanted[i].count > 1 && !probe_is_multi(row))
			return "several functions have that name";
	}
	if (!found)
		return "there is no such function";
	if (found > FUNCTIONS_MAX)
		return "too many functions";
	if (is_fentry(row))
		return not_by_fentry(o, row, &s->wanted[0]);
	if (!(probe_is_multi(row) && o->kprobe_multi) &&
	    access("/sys/bus/event_source/devices/kprobe/type", F_OK))
		return "this kernel has no kprobes";
	return NULL;
}

void probe_kernel_settle(struct probe_object *o, const struct probe_row *row)
{
	struct probe_settled *s = probe_settled(o, row);
	const char *reason;

	s->no_module = row->where && kernel_module(row->where, NULL) < MODULE_LIVE;
	reason = why_not(o, row, s);
	s->possible = !reason;
	snprintf(s->reason, sizeof(s->reason), "%s", reason ? reason : "");
	/* the same program serves single kprobes */
	if (probe_is_multi(row) && !o->kprobe_multi)
		bpf_program__set_expected_attach_type(probe_program(o, row), 0);
}

/* ---- links ---- */

static int attach_one(struct probe_object *o, const struct probe_row *row,
		      const struct kernel_wanted *w, const struct kernel_function *f)
{
	LIBBPF_OPTS(bpf_kprobe_opts, opts, .retprobe = is_return(row), .offset = f->addr);
	char name[192];

	/* hidden addresses: kernels know "module:function", some count no such function */
	snprintf(name, sizeof(name), "%s%s%s", w->module ? w->module : "", w->module ? ":" : "",
		 f->name);
	return probe_keep(o, row,
			  bpf_program__attach_kprobe_opts(probe_program(o, row),
							  f->addr ? NULL : name, &opts));
}

static int attach_each(struct probe_object *o, const struct probe_row *row)
{
	const struct probe_settled *s = probe_settled(o, row);
	int err = 0;

	for (u32 i = 0; i < s->count && !err; i++)
		for (u32 j = 0; j < s->wanted[i].count && !err; j++)
			err = attach_one(o, row, &s->wanted[i], &s->wanted[i].found[j]);
	return err;
}

static int multi_link(struct bpf_program *prog, const u64 *addrs, const char **names, u32 n,
		      bool ret)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	int fd;

	opts.kprobe_multi.flags = ret ? BPF_F_KPROBE_MULTI_RETURN : 0;
	opts.kprobe_multi.cnt = n;
	opts.kprobe_multi.addrs = (const unsigned long *)addrs;
	opts.kprobe_multi.syms = names;
	fd = bpf_link_create(bpf_program__fd(prog), 0, BPF_TRACE_KPROBE_MULTI, &opts);
	return fd < 0 ? -errno : fd;
}

/* All functions of a row by one link. */
static int attach_multi(struct probe_object *o, const struct probe_row *row)
{
	const struct probe_settled *s = probe_settled(o, row);
	u64 *addrs = calloc(FUNCTIONS_MAX, sizeof(*addrs));
	const char **names = calloc(FUNCTIONS_MAX, sizeof(*names));
	bool hidden = false;
	u32 n = 0;
	int err = -ENOMEM;

	for (u32 i = 0; addrs && names && i < s->count; i++)
		for (u32 j = 0; j < s->wanted[i].count; j++, n++) {
			addrs[n] = s->wanted[i].found[j].addr;
			names[n] = s->wanted[i].found[j].name;
			hidden |= !addrs[n];
		}
	if (n)
		err = probe_keep_fd(o, row, multi_link(probe_program(o, row),
						       hidden ? NULL : addrs,
						       hidden ? names : NULL, n,
						       is_return(row)));
	free(addrs);
	free(names);
	return err;
}

int probe_kernel_attach(struct probe_object *o, const struct probe_row *row)
{
	if (is_fentry(row))
		return probe_keep(o, row, bpf_program__attach_trace(probe_program(o, row)));
	return probe_is_multi(row) && o->kprobe_multi ? attach_multi(o, row) :
		attach_each(o, row);
}
