// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* gpureport: a trace -> what took the time, as tables or one JSON object. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include "log.h"
#include "options.h"
#include "out.h"
#include "report.h"
#include "sqlite_export.h"
#include "trace_set.h"
#include "verify.h"

#define INPUTS_MAX 1024

static struct settings {
	const char *inputs[INPUTS_MAX], *step, *sqlite;
	u32 input_n, top;
	struct trace_window window;
	bool json, verbose, check;
} set = { .top = 20 };

static const struct option_row options[] = {
	OPT_SET_STRINGS(struct settings, inputs, input_n, INPUTS_MAX, 'i', "input", "FILE",
			"a recording, one or more (as one); - is standard input"),
	OPT_SET(struct settings, json, 'j', "json", NULL, OPT_SWITCH,
		"one JSON object with every name, all numbers integers"),
	OPT_SET(struct settings, sqlite, 0, "sqlite", "OUT", OPT_STRING,
		"an SQLite database instead, with the tables of Nsight Systems"),
	OPT_SET(struct settings, step, 0, "step", "REGEX", OPT_STRING,
		"annotations and NVTX ranges whose name matches are the steps"),
	OPT_SET(struct settings, check, 0, "check", NULL, OPT_SWITCH,
		"instead, verify the file block by block and say what it holds"),
	OPT_SET(struct settings, top, 0, "top", "N", OPT_UNSIGNED,
		"rows of each table (default 20, 0: all)"),
	OPT_SET_WINDOW(struct settings, window),
	OPT_SET(struct settings, verbose, 'v', "verbose", NULL, OPT_VERBOSE,
		"say what it took to read the recording"),
	{}
};

static const struct program gpureport = {
	.name = "gpureport",
	.about = "what took the time: kernels, copies, API calls, waits, idle times of the GPU",
	.usage = "[-i] FILE... [-j] [--top N] [--step REGEX]",
	.examples = "  gpurec -o run.gst -- ./app && gpureport run.gst\n"
		    "  gpureport -i run.gst -j | jq '.kernels.by_name[0]'\n",
	.groups = { { options, &set } },
	.operand = &options[0],
	.missing = "no recording named (gpureport -i FILE)",
};

static int terminal_width(void)
{
	struct winsize size;

	return ioctl(1, TIOCGWINSZ, &size) || !size.ws_col ? 0 : size.ws_col;
}

static void note_cost(const struct report *r)
{
	struct rusage usage;
	double seconds;

	getrusage(RUSAGE_SELF, &usage);
	seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
		  (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	note("%llu records in %.3f s of CPU time (%.2f M/s), at most %ld KiB of memory",
	     report_records(r), seconds, seconds ? report_records(r) / seconds / 1e6 : 0.0,
	     usage.ru_maxrss);
}

static int export_database(void)
{
	char *damage = NULL;
	int err = sqlite_export(set.inputs, set.input_n, set.sqlite, &damage);

	if (damage)
		err = fail(0, "%s", damage);
	free(damage);
	return err;
}

static int check_files(void)
{
	int err = 0;

	for (u32 i = 0; i < set.input_n; i++)
		err = verify_trace(set.inputs[i], set.json) ?: err;
	return err;
}

int main(int argc, char **argv)
{
	struct report *r;
	char *damage = NULL;
	int err, code = program_options(&gpureport, argc, argv);

	if (code >= 0)
		return code;
	if (set.check)
		return check_files() ? 1 : 0;
	if (set.sqlite && trace_window_asked(&set.window))
		return fail_usage("--sqlite exports the whole recording"), 2;
	if (set.sqlite)
		return export_database() ? 1 : 0;
	r = report_new();
	report_window(r, &set.window);
	err = report_run(r, set.inputs, set.input_n, set.step, &damage);
	if (!err) {
		if (set.json)
			report_json(r, stdout);
		else
			report_print(r, stdout, set.top, terminal_width());
		err = out_finish(stdout, "the report");
		note_cost(r);
	}
	if (damage)
		err = fail(0, "%s", damage);
	free(damage);
	report_free(r);
	return err ? 1 : 0;
}
