// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Hooks: rows that are alternatives. Before load it is found out which choices the
 * kernel's symbols and BTF allow; then they are tried in order, each as a whole.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include "kprobe_multi.h"
#include "log.h"
#include "probe_object.h"

#define CHOICES_MAX 16		/* of a hook */
#define TRIED_SIZE 768

bool probe_in_hook(const struct probe_row *row)
{
	return row->hook || probe_is_kernel(row);
}

/* Rows without a hook are one of their own. */
bool probe_same_hook(const struct probe_row *a, const struct probe_row *b)
{
	return a == b || (a->hook && b->hook && !strcmp(a->hook, b->hook));
}

static const char *hook_name(const struct probe_row *row)
{
	return row->hook ? row->hook : row->name;
}

static bool is_first(const struct probe_set *set, const struct probe_row *row)
{
	for (EACH_ROW(r, set))
		if (probe_same_hook(r, row))
			return r == row;
	return false;
}

struct probe_settled *probe_settled(const struct probe_object *o, const struct probe_row *row)
{
	return &o->settled[row - o->set->probes];
}

/* ---- words ---- */

const char *probe_type_name(u8 type)
{
	static const char *const names[] = {
		[PROBE_UPROBE] = "uprobe", [PROBE_URETPROBE] = "uretprobe",
		[PROBE_USDT] = "usdt", [PROBE_TRACEPOINT] = "tracepoint",
		[PROBE_RAW_TRACEPOINT] = "raw_tracepoint",
		[PROBE_BTF_TRACEPOINT] = "btf_tracepoint", [PROBE_PERF_EVENT] = "perf_event",
		[PROBE_KPROBE] = "kprobe", [PROBE_KRETPROBE] = "kretprobe",
		[PROBE_FENTRY] = "fentry", [PROBE_FEXIT] = "fexit",
		[PROBE_KPROBE_MULTI] = "kprobe_multi",
		[PROBE_KRETPROBE_MULTI] = "kretprobe_multi",
	};

	return type < sizeof(names) / sizeof(*names) ? names[type] : "?";
}

const char *probe_describe(const struct probe_object *o, const struct probe_row *row, char *buf,
			   size_t size)
{
	const struct probe_settled *s = o->settled ? probe_settled(o, row) : NULL;
	const char *what = row->what ? row->what : "";
	size_t n;

	if (s && s->count == 1 && s->wanted[0].count && !probe_is_multi(row))
		what = s->wanted[0].found[0].name;	/* not the name itself: by prefix */
	n = snprintf(buf, size, "%s %s%s%s", probe_type_name(row->type),
		     row->where ? row->where : "", row->where ? ":" : "", what);
	if (s && s->count == 1 && s->wanted[0].count > 1 && !probe_is_multi(row) && n < size)
		snprintf(buf + n, size - n, " and %u more", s->wanted[0].count - 1);
	return buf;
}

/* ---- what can be ---- */

static int want_functions(struct probe_settled *s, const struct probe_row *row,
			  enum module_state module)
{
	size_t n;

	for (const char *p = row->what; *p; p += n, p += *p == ',') {
		struct kernel_wanted *w = reallocarray(s->wanted, s->count + 1, sizeof(*w));

		if (!w)
			return -ENOMEM;
		s->wanted = w;
		n = strcspn(p, ",");
		w[s->count++] = (struct kernel_wanted){
			.module = module == MODULE_BUILTIN ? NULL : row->where,
			.name = p, .len = n,
		};
	}
	return 0;
}

static void remember_module(struct probe_object *o, const char *name, u64 id)
{
	for (size_t i = 0; i < o->module_count; i++)
		if (!strcmp(o->modules[i].name, name))
			return;
	if (o->module_count < MODULES_MAX) {
		o->modules[o->module_count].name = name;
		o->modules[o->module_count++].id = id;
	}
}

/* All rows' functions in one look at the kernel's symbols. */
static int find_functions(struct probe_object *o)
{
	struct kernel_wanted *all = NULL;
	size_t n = 0;
	int err = 0;

	for (EACH_ROW(r, o->set)) {
		enum module_state module = MODULE_LIVE;
		u64 id;

		if (err || !probe_is_kernel(r))
			continue;
		if (r->where) {
			module = kernel_module(r->where, &id);
			remember_module(o, r->where, module == MODULE_LIVE ? id : 0);
		}
		err = want_functions(probe_settled(o, r), r, module);
		n += probe_settled(o, r)->count;
	}
	all = err || !n ? NULL : calloc(n, sizeof(*all));
	if (!all)
		return err ? err : n ? -ENOMEM : 0;
	n = 0;
	for (EACH_ROW(r, o->set))
		for (u32 i = 0; i < probe_settled(o, r)->count; i++)
			all[n++] = probe_settled(o, r)->wanted[i];
	err = kernel_functions_find(all, n);
	n = 0;
	for (EACH_ROW(r, o->set))
		for (u32 i = 0; i < probe_settled(o, r)->count; i++)
			probe_settled(o, r)->wanted[i] = all[n++];
	free(all);
	return err;
}

/* Of any category; those without an event for user space are known to BTF alone. */
static bool raw_tracepoint_is_there(const char *root, const char *name)
{
	glob_t found = {};
	char pattern[256];
	bool yes;

	if (libbpf_find_vmlinux_btf_id(name, BPF_TRACE_RAW_TP) > 0)
		return true;
	snprintf(pattern, sizeof(pattern), "%s/*/%s", root, name);
	yes = !glob(pattern, GLOB_NOSORT, NULL, &found);
	globfree(&found);
	return yes;
}

static bool tracepoint_is_there(const struct probe_row *row)
{
	static const char *const roots[] = { "/sys/kernel/tracing/events",
					     "/sys/kernel/debug/tracing/events" };
	char path[256];

	for (int i = 0; i < 2; i++) {
		if (access(roots[i], R_OK | X_OK))
			continue;
		if (row->type == PROBE_RAW_TRACEPOINT)
			return raw_tracepoint_is_there(roots[i], row->what);
		snprintf(path, sizeof(path), "%s/%s/%s", roots[i], row->where, row->what);
		return !access(path, F_OK);
	}
	return true;		/* attaching it will tell */
}

static void settle_row(struct probe_object *o, const struct probe_row *row)
{
	struct bpf_program *prog = probe_program(o, row);
	struct probe_settled *s = probe_settled(o, row);

	s->dropped = !bpf_program__autoload(prog);
	s->possible = true;
	bpf_program__set_autoattach(prog, false);	/* the row attaches it */
	if (s->dropped)
		return;
	for (size_t i = 0; i < o->refused_count; i++)
		if (o->refused[i] == row->prog) {
			s->possible = false;
			snprintf(s->reason, sizeof(s->reason), "the verifier refused it (-v)");
			return;
		}
	if (probe_is_kernel(row)) {
		probe_kernel_settle(o, row);
	} else if (row->hook && probe_has_library(row)) {
		s->possible = false;
		snprintf(s->reason, sizeof(s->reason), "hooks have no rows of libraries");
	} else if (row->type == PROBE_BTF_TRACEPOINT) {
		s->possible = libbpf_find_vmlinux_btf_id(row->what, BPF_TRACE_RAW_TP) > 0 &&
			      !bpf_program__set_attach_target(prog, 0, row->what);
		snprintf(s->reason, sizeof(s->reason), "%s", s->possible ? "" :
			 "this kernel's BTF has no such tracepoint");
	} else if (row->hook && (row->type == PROBE_TRACEPOINT ||
				 row->type == PROBE_RAW_TRACEPOINT)) {
		s->possible = tracepoint_is_there(row);
		snprintf(s->reason, sizeof(s->reason), "%s", s->possible ? "" :
			 "this kernel has no such tracepoint");
	}
}

int probe_settle(struct probe_object *o)
{
	size_t rows = 0;
	bool multi = false;
	int err;

	if (o->settled)
		return 0;
	for (EACH_ROW(r, o->set)) {
		rows++;
		multi |= probe_is_multi(r);
	}
	o->settled = calloc(rows + 1, sizeof(*o->settled));
	if (!o->settled)
		return fail(-ENOMEM, "cannot look for the probes \"%s\"", o->set->name);
	o->kprobe_multi = multi && !kprobe_multi_try();
	err = find_functions(o);
	if (err)
		return fail(err, "cannot read /proc/kallsyms");
	for (EACH_ROW(r, o->set))
		settle_row(o, r);
	return 0;
}

void probe_settled_free(struct probe_object *o)
{
	for (EACH_ROW(r, o->set)) {
		struct probe_settled *s = o->settled ? probe_settled(o, r) : NULL;

		if (!s)
			continue;
		kernel_functions_free(s->wanted, s->count);
		free(s->wanted);
	}
	free(o->settled);
	o->settled = NULL;
}

/* ---- choices ---- */

static bool is_of(const struct probe_row *row, const struct probe_row *hook, u8 choice)
{
	return probe_same_hook(row, hook) && row->choice == choice;
}

static const struct probe_row *choice_row(const struct probe_object *o,
					  const struct probe_row *hook, u8 choice)
{
	for (EACH_ROW(r, o->set))
		if (is_of(r, hook, choice) && !probe_settled(o, r)->dropped)
			return r;
	return NULL;
}

/* The row that stands in its way, NULL none. */
static const struct probe_row *obstacle(const struct probe_object *o,
					const struct probe_row *hook, u8 choice)
{
	for (EACH_ROW(r, o->set))
		if (is_of(r, hook, choice) && !probe_settled(o, r)->dropped &&
		    !probe_settled(o, r)->possible)
			return r;
	return NULL;
}

static void add_reason(const struct probe_object *o, const struct probe_row *row, char *text,
		       size_t size)
{
	size_t n = strlen(text);
	char target[128];

	if (probe_settled(o, row)->no_module) {	/* that is all there is to say, once */
		snprintf(target, sizeof(target), "%s is not loaded", row->where);
		if (n < size && !strstr(text, target))
			snprintf(text + n, size - n, "%s%s", n ? "; " : "", target);
		return;
	}
	if (n < size)
		snprintf(text + n, size - n, "%s%s: %s", n ? "; " : "",
			 probe_describe(o, row, target, sizeof(target)),
			 probe_settled(o, row)->reason);
}

/* The first row of the best choice that is possible, NULL none; and why no better one. */
static const struct probe_row *best_choice(const struct probe_object *o,
					   const struct probe_row *hook, char *text,
					   size_t size)
{
	text[0] = '\0';
	for (u8 choice = 0; choice < CHOICES_MAX; choice++) {
		const struct probe_row *row = choice_row(o, hook, choice);
		const struct probe_row *bad = row ? obstacle(o, hook, choice) : NULL;

		if (row && !bad)
			return row;
		if (row)
			add_reason(o, bad, text, size);
	}
	return NULL;
}

static bool has_rows(const struct probe_object *o, const struct probe_row *hook)
{
	for (u8 choice = 0; choice < CHOICES_MAX; choice++)
		if (choice_row(o, hook, choice))
			return true;
	return false;
}

bool probe_may_lose(const struct probe_object *o, size_t prog)
{
	bool any = false;

	for (EACH_ROW(r, o->set)) {
		if (r->prog != prog)
			continue;
		if (!probe_in_hook(r))
			return false;
		any = true;
	}
	return any;
}

static int hook_missing(const struct probe_row *hook, const char *tried)
{
	if (!(hook->flags & PROBE_OPTIONAL))
		return fail(0, "cannot attach %s: %s", hook_name(hook), tried);
	note("%s left out: %s", hook_name(hook), tried);
	return 0;
}

static bool program_is_needed(const struct probe_object *o, size_t prog)
{
	for (EACH_ROW(r, o->set))
		if (r->prog == prog && !probe_settled(o, r)->dropped &&
		    (!probe_in_hook(r) ? probe_settled(o, r)->possible :
		     !obstacle(o, r, r->choice)))
			return true;
	return false;
}

int probe_settle_hooks(struct probe_object *o)
{
	char tried[TRIED_SIZE];
	int err = 0;

	for (EACH_ROW(r, o->set))
		if (!err && probe_in_hook(r) && is_first(o->set, r) && has_rows(o, r) &&
		    !best_choice(o, r, tried, sizeof(tried)))
			err = hook_missing(r, tried);
	for (EACH_ROW(r, o->set))
		if (!program_is_needed(o, r->prog))
			bpf_program__set_autoload(probe_program(o, r), false);
	return err;
}

/* ---- attach ---- */

static const char *attach_reason(int err)
{
	switch (err) {
	case -EINVAL: return "the kernel takes no probe there";
	case -EADDRNOTAVAIL: return "several functions have that name";
	case -ENOENT: return "there is no such function";
	}
	return strerror(-err);
}

/* 0, or negative: nothing of it is attached and the row that refused says why. */
static int attach_choice(struct probe_object *o, const struct probe_row *hook, u8 choice,
			 const struct probe_row **bad)
{
	size_t links = o->link_count;
	int err = 0;

	for (EACH_ROW(r, o->set)) {
		if (err || !is_of(r, hook, choice) || probe_settled(o, r)->dropped)
			continue;
		err = probe_attach_row(o, r);
		if (!err)
			continue;
		*bad = r;
		probe_settled(o, r)->possible = false;
		snprintf(probe_settled(o, r)->reason, REASON_SIZE, "%s", attach_reason(err));
	}
	if (err)
		probe_undo(o, links);
	return err;
}

static void tell(const struct probe_object *o, const struct probe_row *won, const char *tried)
{
	char target[128];

	note("%s: %s%s%s%s", hook_name(won), probe_describe(o, won, target, sizeof(target)),
	     *tried ? " (not " : "", tried, *tried ? ")" : "");
}

static int attach_best(struct probe_object *o, const struct probe_row *hook)
{
	const struct probe_row *row, *bad;
	char tried[TRIED_SIZE];
	int err = 0;

	while ((row = best_choice(o, hook, tried, sizeof(tried)))) {
		probe_quiet(true);
		err = attach_choice(o, hook, row->choice, &bad);
		probe_quiet(false);
		if (err)
			continue;	/* its rows are no longer possible */
		tell(o, row, tried);
		return 0;
	}
	if ((err == -EPERM || err == -EACCES) && !(hook->flags & PROBE_OPTIONAL))
		return probe_row_missing(hook, NULL, err);
	return err ? hook_missing(hook, tried) : 0;	/* else it was told before load */
}

int probe_attach_hook(struct probe_object *o, const struct probe_row *row)
{
	return is_first(o->set, row) && has_rows(o, row) ? attach_best(o, row) : 0;
}

/* ---- what others want to know ---- */

static struct probe_state state_of(struct probe_object *o, const struct probe_row *hook)
{
	struct probe_state s = { hook_name(hook), NULL, hook->flags & PROBE_OPTIONAL };
	char tried[TRIED_SIZE];

	s.row = best_choice(o, hook, tried, sizeof(tried));
	if (s.row)
		probe_describe(o, s.row, s.target, sizeof(s.target));
	snprintf(s.reason, sizeof(s.reason), "%.*s", (int)sizeof(s.reason) - 1, tried);
	return s;
}

size_t probe_states(struct probe_object *o, struct probe_state *states, size_t max)
{
	size_t n = 0;

	if (probe_settle(o))
		return 0;
	for (EACH_ROW(r, o->set))
		if (n < max && probe_in_hook(r) && is_first(o->set, r) && has_rows(o, r))
			states[n++] = state_of(o, r);
	return n;
}
