// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One run of a tool, from the command line to the exit code; see tool.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cgroup.h"
#include "tool_run.h"

/* What options set, for objects that are opened later. */
struct constants { void *bytes; size_t size; };

/* -p, -t and --cgroup are constants of every set's probes (bpf/emit.bpf.h). */
static int set_filters(struct probe_object *o, const struct skel_ops *skel,
		       const struct settings *set)
{
	char *rodata = probe_rodata(o, NULL);
	u64 cgroup = 0;

	if (set->cgroup && cgroup_id(set->cgroup, &cgroup))
		return -1;
	memcpy(rodata + skel->only_pid, &set->pid, sizeof(set->pid));
	memcpy(rodata + skel->only_tid, &set->tid, sizeof(set->tid));
	memcpy(rodata + skel->only_cgroup, &cgroup, sizeof(cgroup));
	return 0;
}

static int attach(const struct tool *tool, struct probe_object *o, const struct settings *set)
{
	int err = set_filters(o, tool->set->skel, set);

	if (!err && tool->set->prepare)
		err = tool->set->prepare(o);
	if (!err && tool->prepare)
		err = tool->prepare(tool, o);
	if (err)
		return err;
	probe_few_links(o, set->pid);
	err = probe_load(o);
	if (!err && tool->loaded)
		err = tool->loaded(tool, o);
	return err ? err : probe_attach(o, set->lib, set->pid);
}

/* A module that was probed went, or came again: its probes are gone, and offsets may differ. */
static int open_again(const struct tool *tool, struct probe_object **o,
		      const struct constants *constants)
{
	int err;

	probe_close(*o);
	err = probe_open(o, tool->set, NULL);
	if (!err)
		memcpy(probe_rodata(*o, NULL), constants->bytes, constants->size);
	return err;
}

/* What could not be attached may have gone while we looked. */
static bool went_meanwhile(struct source *source, struct probe_object *o)
{
	const char *changed = probe_modules_changed(o);

	source->changed = changed ? changed : source->changed;
	return changed || probe_module_missing(source->sink->tool->set);
}

static int trace_on(const struct tool *tool, struct probe_object **o, struct source *source,
		    const struct constants *constants, struct cost **cost)
{
	const struct settings *set = source->sink->set;
	bool again = false;
	int err;

	do {
		err = source_wait(source, again);
		if (!err && again)
			err = open_again(tool, o, constants);
		if (!err)
			err = attach(tool, *o, set);
		if (!err && set->cost && !again)
			err = cost_begin(cost);
		if (!err && !again)
			err = sink_begin(source->sink);
		if (!err)
			err = source_live(source, *o);
		if (*cost && *o)
			cost_take(*cost, tool->set, *o);
		if (err < 0 && again && err != -ECANCELED && *o && went_meanwhile(source, *o))
			err = SOURCE_MODULES;
		again = true;
	} while (err == SOURCE_MODULES);
	return err == -ECANCELED ? 0 : err;
}

static int trace(const struct tool *tool, struct probe_object **o, const struct settings *set,
		 struct sink *sink)
{
	struct constants constants = {};
	struct cost *cost = NULL;
	struct source source;
	void *rodata = probe_rodata(*o, &constants.size);
	int err;

	constants.bytes = must_alloc(constants.size);
	memcpy(constants.bytes, rodata, constants.size);
	source_begin(&source, sink);
	err = trace_on(tool, o, &source, &constants, &cost);
	if (!err && cost)
		cost_report(cost, sink);
	cost_free(cost);
	source_end(&source);
	free(constants.bytes);
	return err;
}

static int run(const struct tool *tool, struct probe_object **o, const struct settings *set)
{
	struct sink sink;
	int err = sink_open(&sink, tool, set);

	if (!err && set->input)
		err = source_file(set->input, &sink);
	else if (!err)
		err = tool->read ? tool->read(tool, &sink) : TOOL_TRACE;
	if (err == TOOL_TRACE)
		err = trace(tool, o, set, &sink);
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
		code = run(tool, &o, &set) ? 1 : 0;
	probe_close(o);
	return code;
}
