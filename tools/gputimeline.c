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

static struct settings { const char *input, *output; bool verbose; } set;

static const struct option_row options[] = {
	OPT_SET(struct settings, input, 'i', "input", "FILE", OPT_STRING,
		"the recording; - is standard input"),
	OPT_SET(struct settings, output, 'o', "output", "OUT", OPT_STRING,
		"where to write (default: FILE with .pftrace;\n- is standard output)"),
	OPT_SET(struct settings, verbose, 'v', "verbose", NULL, OPT_VERBOSE,
		"say what was written"),
	{}
};

static const struct program gputimeline = {
	.name = "gputimeline",
	.about = "show a recording on a time axis: a Perfetto trace",
	.usage = "[-i] FILE [-o OUT]",
	.notes = "Open OUT at ui.perfetto.dev. Threads carry API calls, NVTX ranges, ioctls and waits as nested\n"
		 "slices, their scheduling states and page faults; GPU streams carry kernels, copies and sets;\n"
		 "arrows lead from a call to what it launched.\n",
	.examples = "  gputimeline -i run.gst                    writes run.pftrace\n"
		    "  gpurec -o - -- ./app | gputimeline -i - -o app.pftrace\n",
	.groups = { { options, &set } },
	.operand = &options[0],
	.missing = "no recording named (gputimeline -i FILE)",
};

/* 0 or a reported usage error. */
static int check(void)
{
	if (!set.output && !strcmp(set.input, "-"))
		return fail_usage("--output is needed where the recording comes from standard input");
	if (set.output && !strcmp(set.output, "-") && isatty(STDOUT_FILENO))
		return fail_usage("a timeline is binary: it does not go to a terminal (-o FILE)");
	return outfile_distinct(set.output, set.input);
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

	note("%s: %s, %llu slices, %llu GPU operations, %llu links from calls, %llu instants, "
	     "%llu thread states, %llu counter values", path, human_bytes(size, bytes),
		     c->slices, c->ops,
	     c->flows, c->instants, c->states, c->counters);
	if (c->late)
		warn("%llu slices came later than the horizon and may stand in a lane of their own", c->late);
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
		return fail(-ENOMEM, "cannot read %s", set.input);
	}
	timeline_start(t, m, &info);
	err = model_run(m, set.input, &info, &damage);
	if (err == -ENOMEM)		/* the view's; the reader reports its own */
		fail(err, "cannot convert %s", set.input);
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
		set.output = output = default_output(set.input);
	err = set.output ? convert(set.output) : fail(-ENOMEM, "cannot name the output");
	free(output);
	return err ? 1 : 0;
}
