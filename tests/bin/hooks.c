// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tools of rows about functions of the kernel, one for each thing that can happen:
 *   hooks SET [OPTION...]
 *   hooks check            what gpucheck would say of all of them
 */
#include <stdio.h>
#include <string.h>
#include "check_probes.h"
#include "log.h"
#include "out.h"
#include "tool.h"
#include "../bpf/kinds.h"
#include "test/hooks.skel.h"

#define MODULE "probetarget"
#define ROW(prog, type, func) PROBE(hooks_bpf, prog, PROBE_##type, 0, MODULE, func)
#define CHOICE(prog, type, func, hook, choice)					\
	HOOK(hooks_bpf, prog, PROBE_##type, 0, MODULE, func, hook, choice)
#define CHOICE_OPT(prog, type, func, hook, choice)				\
	HOOK(hooks_bpf, prog, PROBE_##type, PROBE_OPTIONAL, MODULE, func, hook, choice)

TOOL_SKEL(hooks_bpf);

static const struct probe_row types[] = {
	ROW(on_fentry, FENTRY, "probetarget_plain"),
	ROW(on_fexit, FEXIT, "probetarget_plain"),
	ROW(on_kprobe, KPROBE, "probetarget_plain"),
	ROW(on_kretprobe, KRETPROBE, "probetarget_plain"),
	ROW(on_multi, KPROBE_MULTI, "probetarget_multi_*"),
	ROW(on_multi_ret, KRETPROBE_MULTI, "probetarget_multi_a,probetarget_nowhere,probetarget_multi_c"),
	{}
};
static const struct probe_row kprobes[] = {
	ROW(on_kprobe, KPROBE, "probetarget_plain"),
	ROW(on_kretprobe, KRETPROBE, "probetarget_plain"),
	ROW(on_multi, KPROBE_MULTI, "probetarget_multi_*"),
	{}
};
/* These alone let go of a module that is unloaded, on every kernel. */
static const struct probe_row plain[] = {
	ROW(on_kprobe, KPROBE, "probetarget_plain"),
	ROW(on_kretprobe, KRETPROBE, "probetarget_plain"),
	{}
};
static const struct probe_row order[] = {
	CHOICE(on_fentry_nowhere, FENTRY, "probetarget_nowhere", "the call", 0),
	CHOICE(on_fentry, FENTRY, "probetarget_plain", "the call", 1),
	CHOICE(on_fexit, FEXIT, "probetarget_plain", "the call", 1),
	CHOICE(on_kprobe, KPROBE, "probetarget_plain", "the call", 2),
	CHOICE(on_kretprobe, KRETPROBE, "probetarget_plain", "the call", 2),
	{}
};
/* The first choice attaches half of itself: the other half takes no probe. */
static const struct probe_row undo[] = {
	CHOICE(on_kprobe, KPROBE, "probetarget_plain", "the call", 0),
	CHOICE(on_kretprobe, KRETPROBE, "probetarget_hidden", "the call", 0),
	CHOICE(on_other, KPROBE, "probetarget_other", "the call", 1),
	{}
};
static const struct probe_row optional[] = {
	CHOICE_OPT(on_fentry_nowhere, FENTRY, "probetarget_nowhere", "extra", 0),
	CHOICE_OPT(on_other, KPROBE, "probetarget_hidden", "extra", 1),
	HOOK(hooks_bpf, on_multi, PROBE_KPROBE, PROBE_OPTIONAL, "probelater", "later_f",
	     "later", 0),
	ROW(on_kprobe, KPROBE, "probetarget_plain"),
	{}
};
static const struct probe_row required[] = {
	CHOICE(on_fentry_nowhere, FENTRY, "probetarget_nowhere", "the call", 0),
	CHOICE(on_kprobe, KPROBE, "probetarget_frozen", "the call", 1),
	{}
};
static const struct probe_row refused[] = {
	CHOICE(on_kprobe, KPROBE, "probetarget_hidden", "the call", 0),
	{}
};
static const struct probe_row prefix[] = {
	ROW(on_kprobe, KPROBE, "probetarget_sra"),
	ROW(on_kretprobe, KRETPROBE, "probetarget_const"),
	ROW(on_other, KPROBE, "probetarget_parted"),
	ROW(on_multi, KPROBE_MULTI, "probetarget_sra,probetarget_plain"),
	{}
};
/* What takes no probe is left out of what a pattern means. */
static const struct probe_row pattern[] = {
	ROW(on_multi, KPROBE_MULTI, "probetarget_*"),
	{}
};
static const struct probe_row twin[] = {
	CHOICE(on_fentry_twin, FENTRY, "probetarget_twin", "the call", 0),
	CHOICE(on_kprobe, KPROBE, "probetarget_twin", "the call", 1),
	HOOK(hooks_bpf, on_other, PROBE_KPROBE, 0, "probetwin", "probetarget_twin",
	     "the other", 0),
	{}
};
static const struct probe_row verifier[] = {
	CHOICE(on_fentry_many, FENTRY, "probetarget_plain", "the call", 0),
	CHOICE(on_kprobe, KPROBE, "probetarget_plain", "the call", 1),
	{}
};
static const struct probe_row kernel[] = {
	PROBE(hooks_bpf, on_kprobe, PROBE_KPROBE, 0, NULL, "__x64_sys_getpgid"),
	PROBE(hooks_bpf, on_kretprobe, PROBE_KRETPROBE, 0, NULL, "__x64_sys_getpgid"),
	PROBE(hooks_bpf, on_fentry, PROBE_FENTRY, 0, NULL, "__x64_sys_getpgid"),
	PROBE(hooks_bpf, on_multi, PROBE_KPROBE_MULTI, 0, NULL, "__x64_sys_getpgid"),
	PROBE(hooks_bpf, on_multi_ret, PROBE_KRETPROBE_MULTI, 0, NULL, "__x64_sys_getpgid"),
	{}
};
/* A tracepoint that is nowhere, one that is; no module is needed for the second. */
static const struct probe_row other[] = {
	HOOK(hooks_bpf, on_other, PROBE_TRACEPOINT, 0, "probetarget", "nowhere", "the call", 0),
	CHOICE(on_kprobe, KPROBE, "probetarget_plain", "the call", 1),
	HOOK(hooks_bpf, on_kretprobe, PROBE_KPROBE, 0, NULL, "__x64_sys_getpgid",
	     "the call", 2),
	{}
};

#define SET(name) { #name, "test", &hooks_bpf_ops, name }

static const struct probe_set sets[] = {
	SET(types), SET(kprobes), SET(plain), SET(order), SET(undo), SET(optional),
	SET(required), SET(refused), SET(prefix), SET(pattern), SET(twin), SET(verifier),
	SET(kernel), SET(other), {}
};

static const struct option_row options[] = {
	OPT_CONST_SWITCH(hooks_bpf, of_owner, 0, "owner", "about the parent of the task"),
	{}
};

static const struct enum_name whats[] = {
	{ HIT_FENTRY, "fentry" }, { HIT_FEXIT, "fexit" }, { HIT_KPROBE, "kprobe" },
	{ HIT_KRETPROBE, "kretprobe" }, { HIT_OTHER, "other" }, { HIT_MULTI, "multi" },
	{ HIT_MULTI_RET, "multi_ret" }, { HIT_NEVER, "never" }, {}
};

static const struct column columns[] = {
	COL_TIME, COL_PID, COL_COMM,
	COL(hit, what, "WHAT", -10, AS_ENUM, whats),
	COL(hit, value, "VALUE", 6, AS_DEC),
	{}
};

/* Programs that no row of the set names are not loaded. */
static int drop_others(const struct tool *tool, struct probe_object *object)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, probe_bpf(object)) {
		const struct probe_row *r = tool->set->probes;

		while (r->name && strcmp(r->name, bpf_program__name(prog)))
			r++;
		bpf_program__set_autoload(prog, r->name != NULL);
	}
	return 0;
}

static int check(void)
{
	struct tool_sets list[] = { { "hooks" }, {} };
	struct json j = { .f = stdout };

	for (size_t i = 0; sets[i].name; i++)
		list[0].sets[i] = &sets[i];
	json_object(&j, NULL);
	check_probes_json(list, 0, &j);
	json_close(&j);
	return 0;
}

int main(int argc, char **argv)
{
	struct tool tool = {
		.name = "hooks", .about = "test of rows about functions of the kernel",
		.examples = "", .kind = EVENT_HIT, .options = options, .columns = columns,
		.prepare = drop_others,
	};

	if (argc > 1 && !strcmp(argv[1], "check"))
		return check();
	for (const struct probe_set *s = sets; argc > 1 && s->name; s++)
		if (!strcmp(s->name, argv[1]))
			tool.set = s;
	if (!tool.set)
		return 2;
	argv[1] = argv[0];
	return tool_main(&tool, argc - 1, argv + 1);
}
