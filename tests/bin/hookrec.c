// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A recorder with a set whose module may come and go: hookrec FILE CMD [ARG...] */
#include "log.h"
#include "record/record.h"
#include "sets/sets.h"
#include "test/hooks.skel.h"

TOOL_SKEL(hooks_bpf);

static const struct probe_row probes[] = {
	PROBE(hooks_bpf, on_kprobe, PROBE_KPROBE, 0, "probetarget", "probetarget_plain"),
	HOOK(hooks_bpf, on_other, PROBE_KPROBE, PROBE_OPTIONAL, "probetarget",
	     "probetarget_nowhere", "extra", 0),
	{}
};

static int drop_others(struct probe_object *object)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, probe_bpf(object))
		if (strcmp(bpf_program__name(prog), "on_kprobe") &&
		    strcmp(bpf_program__name(prog), "on_other"))
			bpf_program__set_autoload(prog, false);
	return 0;
}

static const struct probe_set hooks = {
	.name = "hooks", .about = "test", .skel = &hooks_bpf_ops, .probes = probes,
	.prepare = drop_others,
};

int main(int argc, char **argv)
{
	static const struct record_set sets[] = { { &set_follow }, { &hooks }, {} };
	struct record_settings settings = { .output = argc > 2 ? argv[1] : NULL, .verbose = 1,
					    .cost = 1 };

	log_init("hookrec", true);
	return record_command(&settings, sets, argv + 2);
}
