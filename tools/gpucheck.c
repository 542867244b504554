// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* gpucheck: what can be observed on this machine, which tools work here, and what to do about
 * the rest. */
#include <stdio.h>
#include <string.h>
#include "check.h"
#include "check_probes.h"
#include "gpu/nvidia_driver.h"
#include "gpu/nvidia_table.h"
#include "log.h"
#include "options.h"
#include "out.h"
#include "sets/sets.h"

static struct settings {
	bool json;
	const char *driver;
} set;

static const struct option_row options[] = {
	OPT_SET(struct settings, json, 'j', "json", NULL, OPT_SWITCH, "one JSON object"),
	OPT_SET(struct settings, driver, 0, "driver", "VERSION", OPT_STRING,
		"what the probes would find on that release of NVIDIA's driver"),
	{}
};

static const struct program gpucheck = {
	.name = "gpucheck",
	.about = "what can be observed on this machine, and which tools work here",
	.usage = "[OPTION...]",
	.notes = "status words: ok, degraded (works with less), missing (does not work)\n",
	.examples = "  gpucheck                                             everything, with remedies\n"
		    "  gpucheck -j | jq -r '.tools[] | select(.status != \"ok\") | .tool, .why'\n"
		    "  gpucheck --driver 570.133.20                         probes on a driver that is not here\n",
	.groups = { { options, &set } },
};

/* What each tool cannot do without, and what it does less without: names of checks. */
struct tool_needs {
	const char *tool, *about;
	const char *needs[8], *wants[12];
};

static const struct tool_needs tools[] = {
	{ "gpurec", "record", {},
	  { "injection", "libcuda", "libcupti", "load", "ring_buffer", "uprobe", "usdt",
	    "raw_tracepoint", "btf_tracepoint", "btf", "trace" } },
	{ "culaunch", "CUDA launches as they happen",
	  { "trace", "load", "ring_buffer", "uprobe", "btf" },
	  { "libcuda", "other_processes", "statistics" } },
	{ "uvmfault", "faults on unified memory",
	  { "trace", "load", "ring_buffer", "btf", "driver", "nvidia_uvm" },
	  { "kprobe", "fentry", "statistics" } },
	{ "gpuioctl", "calls of GPU drivers", { "trace", "load", "ring_buffer", "btf" },
	  { "driver", "nvidia", "kprobe", "fentry", "tracefs", "statistics" } },
	{ "gpuxid", "errors of GPUs", {},	/* logs are read everywhere */
	  { "trace", "load", "ring_buffer", "btf", "driver", "nvidia", "kprobe" } },
	{ "gpureport", "what took the time", {}, {} },
	{ "gputimeline", "timeline", {}, {} },
	{ "gpuimport", "traces of other tools", {}, {} },
	{ "gpudiff", "comparison of recordings", {}, {} },
	{ "gpuflame", "flamegraph of GPU time", {}, {} },
	{ "flamegraph", "folded lines to a picture", {}, {} },
};

/* The probes that each tool's records come from. */
static const struct tool_sets probes[] = {
	{ "gpurec", { &set_follow, &set_stack, &set_sched, &set_fault, &set_ioctl, &set_block,
		      &set_uvm, &set_xid } },
	{ "culaunch", { &set_culaunch } }, { "uvmfault", { &set_uvm } },
	{ "gpuioctl", { &set_gpuioctl } }, { "gpuxid", { &set_xid } },
	{}
};

struct verdict {
	enum check_status status;
	const struct check *why;	/* the worst of what it misses, NULL none */
};

static void weigh(struct verdict *v, const struct checks *c, const char *const *names, size_t n,
		  bool needed)
{
	for (size_t i = 0; i < n && names[i]; i++) {
		const struct check *k = check_find(c, names[i]);
		enum check_status s = !k || k->status == CHECK_OK ? CHECK_OK :
			needed && k->status == CHECK_MISSING ? CHECK_MISSING : CHECK_DEGRADED;

		if (k && s > v->status)
			*v = (struct verdict){ s, k };
	}
}

static struct verdict judge(const struct checks *c, const struct tool_needs *t)
{
	struct verdict v = { CHECK_OK, NULL };

	weigh(&v, c, t->needs, sizeof(t->needs) / sizeof(*t->needs), true);
	weigh(&v, c, t->wants, sizeof(t->wants) / sizeof(*t->wants), false);
	return v;
}

static void print_tools(const struct checks *c)
{
	struct checks verdicts = {};

	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
		struct verdict v = judge(c, &tools[i]);

		if (v.why)
			check_add(&verdicts, "tools", tools[i].tool, v.status, "", "%s: %s %s",
				  tools[i].about, v.why->name, v.why->found);
		else
			check_add(&verdicts, "tools", tools[i].tool, v.status, "", "%s",
				  tools[i].about);
	}
	fputc('\n', stdout);
	check_print(&verdicts, stdout);
}

static void print_json(const struct checks *c)
{
	struct json j = { .f = stdout, .indent = 2 };

	json_object(&j, NULL);
	json_str(&j, "schema", "gpuscope.gpucheck.0");
	check_json(c, &j);
	json_array(&j, "tools");
	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
		struct verdict v = judge(c, &tools[i]);

		json_object(&j, NULL);
		json_str(&j, "tool", tools[i].tool);
		json_str(&j, "status", check_status_name(v.status));
		json_str(&j, "why", v.why ? v.why->name : NULL);
		json_close(&j);
	}
	json_close(&j);
	check_probes_json(probes, 0, &j);
	json_close(&j);
}

/* Hooks on NVIDIA's modules, and the fields of its structs that are not there. */
static int print_release(u32 version, u32 release)
{
	const char *fields[UVM_FIELD_COUNT];
	size_t n = nvidia_fields_missing(release, fields, UVM_FIELD_COUNT);
	char text[32];

	nvidia_version_text(release, text, sizeof(text));
	if (release == version)
		out_line(stdout, "driver %s", text);
	else
		out_line(stdout, "driver %s is no release that is known: below is %s",
			 set.driver, text);
	check_probes_print(probes, release, stdout);
	fputc('\n', stdout);
	out_line(stdout, "fields that %s does not have", text);
	for (size_t i = 0; i < n; i++)
		out_line(stdout, "  %s", fields[i]);
	return out_finish(stdout, "the output") ? 1 : 0;
}

static int print_release_json(u32 version, u32 release)
{
	struct json j = { .f = stdout, .indent = 2 };
	const char *fields[UVM_FIELD_COUNT];
	size_t n = nvidia_fields_missing(release, fields, UVM_FIELD_COUNT);
	char text[32];

	json_object(&j, NULL);
	json_str(&j, "schema", "gpuscope.gpucheck.0");
	json_str(&j, "driver", set.driver);
	json_str(&j, "release", nvidia_version_text(release, text, sizeof(text)));
	json_bool(&j, "known", release == version);
	check_probes_json(probes, release, &j);
	json_array(&j, "fields_missing");
	for (size_t i = 0; i < n; i++)
		json_str(&j, NULL, fields[i]);
	json_close(&j);
	json_close(&j);
	return out_finish(stdout, "the output") ? 1 : 0;
}

static int release(void)
{
	u32 version = nvidia_version(set.driver);

	if (!version) {
		fail_usage("--driver wants a version such as 570.133.20, not \"%s\"",
			   set.driver);
		return 2;
	}
	return (set.json ? print_release_json : print_release)(version,
							       nvidia_release(version));
}

int main(int argc, char **argv)
{
	static struct checks checks;
	int code = program_options(&gpucheck, argc, argv);

	if (code >= 0)
		return code;
	if (set.driver)
		return release();
	check_kernel(&checks);
	check_privileges(&checks);
	check_bpf(&checks);
	check_driver(&checks);
	check_libraries(&checks);
	if (set.json)
		print_json(&checks);
	else {
		check_print(&checks, stdout);
		print_tools(&checks);
		check_probes_print(probes, 0, stdout);
	}
	return out_finish(stdout, "the output") ? 1 : 0;
}
