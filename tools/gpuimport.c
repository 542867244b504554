// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* gpuimport: traces of other tools -> one trace of ours. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "import.h"
#include "log.h"
#include "options.h"
#include "out.h"
#include "outfile.h"

#define INPUTS_MAX 4096

static struct settings {
	const char *inputs[INPUTS_MAX];
	u32 input_count;
	const char *output, *format;
	bool json, verbose;
} set;

static const struct option_row options[] = {
	OPT_SET_STRINGS(struct settings, inputs, input_count, INPUTS_MAX, 'i', "input", "FILE",
			"a trace to import, one or more; - is standard input"),
	OPT_SET(struct settings, output, 'o', "output", "OUT", OPT_STRING,
		"the trace to write; - is standard output"),
	OPT_SET(struct settings, format, 0, "format", "NAME", OPT_STRING,
		"read the inputs as this, whatever they look like"),
	OPT_SET(struct settings, json, 'j', "json", NULL, OPT_SWITCH,
		"say as one JSON object what was imported"),
	OPT_SET(struct settings, verbose, 'v', "verbose", NULL, OPT_VERBOSE,
		"say what was imported, and all that was not understood"),
	{}
};

static const struct program gpuimport = {
	.name = "gpuimport",
	.about = "bring in traces of other tools: PyTorch profiler, Nsight Systems, ROCm and others",
	.usage = "[-i] FILE... -o OUT [-j]",
	.notes = "Files may be packed by gzip or zstd. Several files (ranks, hosts) become one trace.\n",
	.examples = "  gpuimport rank0.pt.trace.json.gz -o run.gst && gpureport run.gst\n"
		    "  gpuimport rank*.json.gz -o job.gst     all ranks on one time axis\n",
	.groups = { { options, &set } },
	.operand = &options[0],
	.missing = "no trace named (gpuimport FILE... -o OUT)",
};

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	if (!strcmp(a, b))
		return true;
	return strcmp(a, "-") && strcmp(b, "-") && !stat(a, &x) && !stat(b, &y) &&
	       S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* 0 or a reported usage error. */
static int check(const struct import_format **format)
{
	char names[256];
	int err = 0;

	if (!set.output)
		return fail_usage("no output named (-o OUT)");
	if (set.json && !strcmp(set.output, "-"))
		return fail_usage("--json and the trace cannot both go to standard output (-o FILE)");
	*format = set.format ? import_format_named(set.format) : NULL;
	if (set.format && !*format)
		return fail_usage("--format wants one of %s, not \"%s\"",
				  import_format_names(names, sizeof(names)), set.format);
	for (u32 i = 0; i < set.input_count && !err; i++) {
		err = outfile_distinct(set.output, set.inputs[i]);
		for (u32 k = 0; k < i && !err; k++)
			if (same_file(set.inputs[k], set.inputs[i]))
				err = fail_usage("%s is given twice", set.inputs[i]);
	}
	return err;
}

static int import_all(struct import *im, const struct import_format *format)
{
	struct json j = { .f = stdout, .indent = 2 };
	int err = 0;

	for (u32 i = 0; i < set.input_count && !err; i++)
		err = import_read(im, set.inputs[i], format);
	err = err ?: import_finish(im);
	if (err)
		return err;
	import_say(im);
	if (set.json) {
		import_summary(im, &j, set.output);
		err = out_finish(stdout, "the summary");
	}
	return import_damaged(im) ? 1 : err;
}

int main(int argc, char **argv)
{
	const struct import_format *format;
	struct import *im;
	int err, code = program_options(&gpuimport, argc, argv);

	if (code >= 0)
		return code;
	if (check(&format))
		return 2;
	err = import_new(&im, set.output);
	if (!err)
		err = import_all(im, format);
	else if (!strcmp(set.output, "-"))
		return 2;
	import_free(im);
	return err ? 1 : 0;
}
