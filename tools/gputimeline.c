// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* gputimeline: a trace -> a Perfetto trace, everything on one time axis. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "log.h"
#include "options.h"
#include "out.h"
#include "outfile.h"
#include "timeline.h"
#include "trace_set.h"

#define INPUTS_MAX 4096

static struct settings {
	const char *inputs[INPUTS_MAX];
	const char *output;
	u32 input_n;
	struct trace_window window;
	bool verbose;
} set;

static const struct option_row options[] = {
	OPT_SET_STRINGS(struct settings, inputs, input_n, INPUTS_MAX, 'i', "input", "FILE",
			"a recording; - is standard input; several (the\nranks of a job): as one"),
	OPT_SET(struct settings, output, 'o', "output", "OUT", OPT_STRING,
		"where to write (default: the first FILE with .pftrace;\n- is standard output)"),
	OPT_SET_WINDOW(struct settings, window),
	OPT_SET(struct settings, verbose, 'v', "verbose", NULL, OPT_VERBOSE,
		"say what was written"),
	{}
};

static const struct program gputimeline = {
	.name = "gputimeline",
	.about = "show a recording on a time axis: a Perfetto trace",
	.usage = "[-i] FILE... [-o OUT]",
	.notes = "Open OUT at ui.perfetto.dev. Threads carry API calls, NVTX ranges, spans of\n"
		 "frameworks and of Python, ioctls and waits as nested slices, their scheduling states\n"
		 "and page faults; GPU streams carry kernels, copies and sets; arrows lead from a call to\n"
		 "what it launched.\n",
	.examples = "  gputimeline -i run.gst                    writes run.pftrace\n"
		    "  gpurec -o - -- ./app | gputimeline -i - -o app.pftrace\n",
	.groups = { { options, &set } },
	.operand = &options[0],
	.missing = "no recording named (gputimeline -i FILE)",
};

/* 0 or a reported usage error. */
static int check(void)
{
	int err = 0;

	if (!set.output && !strcmp(set.inputs[0], "-"))
		return fail_usage("--output is needed where the recording comes from standard input");
	if (set.output && !strcmp(set.output, "-") && isatty(STDOUT_FILENO))
		return fail_usage("a timeline is binary: it does not go to a terminal (-o FILE)");
	for (u32 i = 0; i < set.input_n && !err; i++)
		err = outfile_distinct(set.output, set.inputs[i]);
	return err;
}

/* run.gst -> run.pftrace; the caller frees it. */
static char *default_output(const char *input)
{
	size_t n = strlen(input);
	char *out;

	if (n > 4 && !strcmp(input + n - 4, ".gst"))
		n -= 4;
	out = malloc(n + sizeof(".pftrace"));
	if (out) {
		memcpy(out, input, n);
		strcpy(out + n, ".pftrace");
	}
	return out;
}

static void said(const struct timeline *t, struct model *m, const char *path, u64 bytes)
{
	const struct timeline_counts *c = timeline_counts(t);
	char size[16];

	note("%s: %s, %llu slices (%llu spans), %llu GPU operations, %llu links from calls, %llu instants, "
	     "%llu thread states, %llu counter values, %llu ends of flows", path,
	     human_bytes(size, bytes), c->slices, c->spans, c->ops, c->flows, c->instants,
	     c->states, c->counters, c->arrows);
	if (c->late)
		warn("%llu slices came later than the horizon and may stand in a lane of their own", c->late);
	if (model_counts(m)->unaligned)
		warn("%llu of the recordings share no clock with the first: they stand on their own times",
		     model_counts(m)->unaligned);
	if (model_counts(m)->op_uncorrelated)
		warn("%llu GPU operations have no API call in the recording",
		     model_counts(m)->op_uncorrelated);
}

static int convert(const char *output)
{
	struct trace_info info = {};
	struct perfetto *p;
	struct timeline *t;
	struct model *m;
	char *damage = NULL;
	int err, written;

	err = perfetto_open(&p, output);
	if (err)
		return err;
	t = timeline_new(p);
	m = t ? model_new(&timeline_view, t) : NULL;
	if (!m) {
		timeline_free(t);
		perfetto_close(p, false);
		return fail(-ENOMEM, "cannot read %s", set.inputs[0]);
	}
	model_window(m, &set.window);
	timeline_start(t, m, &info);
	err = model_run_all(m, set.inputs, set.input_n, &info, &damage);
	if (err == -ENOMEM)		/* the view's; the reader reports its own */
		fail(err, "cannot convert %s", set.inputs[0]);
	if (!err && (err = timeline_finish(t)))
		fail(err, "cannot write %s", output);
	if (!err)
		said(t, m, output, perfetto_bytes(p));
	written = perfetto_close(p, !err);
	if (!err)
		err = written;
	if (!err && damage)
		err = fail(0, "%s", damage);	/* the prefix is there, and is said to be one */
	free(damage);
	timeline_free(t);
	model_free(m);
	return err;
}

int main(int argc, char **argv)
{
	char *output = NULL;
	int err, code = program_options(&gputimeline, argc, argv);

	if (code >= 0)
		return code;
	if (check())
		return 2;
	if (!set.output)
		set.output = output = default_output(set.inputs[0]);
	err = set.output ? convert(set.output) : fail(-ENOMEM, "cannot name the output");
	free(output);
	return err ? 1 : 0;
}
