// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One run of a tool, from the command line to the exit code; see tool.h. */
#include <errno.h>
#include <string.h>
#include "tool_run.h"

/* -p and -t are constants of every set's probes (bpf/emit.bpf.h). */
static void set_filters(struct probe_object *o, const struct tool *tool,
			const struct settings *set)
{
	char *rodata = probe_rodata(o, NULL);

	memcpy(rodata + tool->set->skel->only_pid, &set->pid, sizeof(set->pid));
	memcpy(rodata + tool->set->skel->only_tid, &set->tid, sizeof(set->tid));
}

static int trace(const struct tool *tool, struct probe_object *o, const struct settings *set,
		 struct sink *sink)
{
	struct cost *cost = NULL;
	int err;

	set_filters(o, tool, set);
	err = tool->prepare ? tool->prepare(tool, o) : 0;
	if (!err) {
		probe_few_links(o, set->pid);
		err = probe_load(o);
	}
	if (!err)
		err = probe_attach(o, set->lib, set->pid);
	if (!err && set->cost)
		err = cost_begin(&cost);
	if (!err)
		err = source_live(o, sink);
	if (!err && cost)
		cost_report(cost, o, sink);
	cost_free(cost);
	return err;
}

static int run(const struct tool *tool, struct probe_object *o, const struct settings *set)
{
	struct sink sink;
	int err = sink_open(&sink, tool, set);

	if (!err)
		err = set->input ? source_file(set->input, &sink) : trace(tool, o, set, &sink);
	return sink_close(&sink, err);
}

int tool_main(const struct tool *tool, int argc, char **argv)
{
	struct probe_object *o = NULL;
	struct settings set = {};
	int code;

	log_init(tool->name, false);
	if (probe_open(&o, tool->set, NULL))	/* needs no privilege: it only parses the ELF */
		return 1;
	code = tool_options(tool, argc, argv, probe_rodata(o, NULL), &set);
	if (code < 0)
		code = run(tool, o, &set) ? 1 : 0;
	probe_close(o);
	return code;
}
