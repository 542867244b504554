// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The command line of a stream tool: its own rows and the common ones. Defaults
 * of constants stand in the BPF source: .rodata already holds them.
 */
#include <string.h>
#include "outfile.h"
#include "tool_run.h"

#define COMMON(member, key, name, arg, type, live, help)			\
	{ name, arg, help, key, type, live, offsetof(struct settings, member),	\
	  sizeof(((struct settings *)0)->member), 0, 0 }

static const struct option_row common[] = {
	COMMON(pid, 'p', "pid", "PID", OPT_UNSIGNED, 0, "only this process"),
	COMMON(tid, 't', "tid", "TID", OPT_UNSIGNED, 0, "only this thread"),
	COMMON(cgroup, 0, "cgroup", "PATH", OPT_STRING, 1,
	       "only processes in this cgroup (version 2) and below"),
	COMMON(duration_ns, 'd', "duration", "TIME", OPT_DURATION_NS, 1,
	       "stop after TIME (10s, 500ms)"),
	COMMON(count, 'n', "count", "N", OPT_UNSIGNED, 0, "stop after N records"),
	COMMON(input, 'i', "input", "FILE", OPT_STRING, 0,
	       "read a recording instead of tracing (- is stdin)"),
	COMMON(follow, 0, "follow", NULL, OPT_SWITCH, 0,
	       "with --input: read on while the file grows"),
	COMMON(output, 'o', "output", "FILE", OPT_STRING, 0,
	       "record to FILE instead of printing (- is stdout)"),
	COMMON(json, 'j', "json", NULL, OPT_SWITCH, 0, "one JSON object a line"),
	COMMON(cost, 0, "cost", NULL, OPT_SWITCH, 1, "say at the end what the tracing cost"),
	COMMON(verbose, 'v', "verbose", NULL, OPT_VERBOSE, 0,
	       "say what is attached and what is not, and why"),
	{}
};
static const struct option_row sums_only[] = {
	COMMON(interval_ns, 'I', "interval", "TIME", OPT_DURATION_NS, 1,
	       "between sums (default 1s)"),
	{}
};
static const struct option_row ticks_only[] = {
	COMMON(interval_ns, 'I', "interval", "TIME", OPT_DURATION_NS, 0,
	       "between tables (default 1s)"),
	{}
};
static const struct option_row library_only[] = {
	COMMON(lib, 0, "lib", "PATH", OPT_STRING, 1, "probe this library file"),
	{}
};
static const struct option_row module_only[] = {
	COMMON(wait, 0, "wait", NULL, OPT_SWITCH, 1,
	       "wait for the driver when it is not loaded"),
	{}
};
static const struct option_row none[] = { {} };

#define HELP_COLUMNS 92

/* "columns: ts pid ...\n", in lines as short as the options' */
static void columns_text(const struct tool *tool, char *text, size_t size)
{
	size_t n = tool->columns ? snprintf(text, size, "columns:") : 0, line = n;

	text[n] = '\0';
	if (!tool->columns)
		return;		/* its views have more than one list */
	for (const struct column *c = tool->columns; c->head && n < size; c++) {
		bool full = line + 1 + strlen(c->key) > HELP_COLUMNS;

		line = (full ? 2 : line) + 1 + strlen(c->key);
		n += snprintf(text + n, size - n, "%s %s%s", full ? "\n  " : "", c->key,
			      c[1].head ? "" : "\n");
	}
}

static int check(const struct settings *set)
{
	if (set->input && set->live)
		return fail_usage("--%s acts in the probes: it means nothing with --input",
				  set->live);
	if (set->follow && !set->input)
		return fail_usage("--follow reads a recording that grows: it needs --input");
	if (set->json && set->output)
		return fail_usage("--json prints and --output records: choose one");
	return set->input ? outfile_distinct(set->output, set->input) : 0;
}

static bool has_libraries(const struct probe_set *set)
{
	for (const struct probe_row *r = set->probes; r && r->name; r++)
		if (r->type <= PROBE_USDT)
			return true;
	return false;
}

static const struct option_row *intervals(const struct tool *tool)
{
	if (tool->set->sums)
		return sums_only;
	return tool->view && tool->view->tick && !tool->quiet_ticks ? ticks_only : none;
}

int tool_options(const struct tool *tool, int argc, char **argv, void *rodata,
		 struct settings *set)
{
	char columns[1024];
	struct program c = {
		.name = tool->name, .about = tool->about, .usage = "[OPTION...]",
		.notes = columns, .examples = tool->examples, .live = &set->live,
		.groups = { { tool->options ? tool->options : none, tool->settings, rodata },
			    { intervals(tool), set },
			    { has_libraries(tool->set) ? library_only : none, set },
			    { probe_names_module(tool->set) ? module_only : none, set },
			    { common, set } },
	};
	int code;

	columns_text(tool, columns, sizeof(columns));
	code = program_options(&c, argc, argv);
	if (code < 0 && !set->interval_ns)
		set->interval_ns = 1000000000;
	if (code >= 0)
		return code;
	return check(set) || (tool->check && tool->check(tool)) ? 2 : -1;
}
