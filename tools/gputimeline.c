// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* gputimeline: a trace -> a Perfetto trace, everything on one time axis. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "log.h"
#include "out.h"
#include "outfile.h"
#include "timeline.h"

static const char help_text[] =
	"gputimeline - show a recording on a time axis: a Perfetto trace\n\n"
	"usage: gputimeline [-i] FILE [-o OUT]\n"
	"  -i, --input FILE   the recording; - is standard input\n"
	"  -o, --output OUT   where to write (default: FILE with .pftrace; - is standard output)\n"
	"  -v, --verbose      say what was written\n"
	"  -h, --help         this text\n"
	"      --version      version\n\n"
	"Open OUT at ui.perfetto.dev. Threads carry API calls, NVTX ranges, ioctls and waits as nested\n"
	"slices, their scheduling states and page faults; GPU streams carry kernels, copies and sets;\n"
	"arrows lead from a call to what it launched.\n\n"
	"examples:\n"
	"  gputimeline -i run.gst                    writes run.pftrace\n"
	"  gpurec -o - -- ./app | gputimeline -i - -o app.pftrace\n";

static const struct option longs[] = {
	{ "input", 1, NULL, 'i' }, { "output", 1, NULL, 'o' }, { "verbose", 0, NULL, 'v' },
	{ "help", 0, NULL, 'h' }, { "version", 0, NULL, 'V' }, {}
};

struct settings { const char *input, *output; bool verbose; };

/* 0, 1 to leave with success, or a reported usage error. */
static int parse(int argc, char **argv, struct settings *set)
{
	int key;

	while ((key = getopt_long(argc, argv, "i:o:vh", longs, NULL)) != -1) {
		switch (key) {
		case 'i': set->input = optarg; break;
		case 'o': set->output = optarg; break;
		case 'v': set->verbose = true; break;
		case 'h': fputs(help_text, stdout); return 1;
		case 'V': fputs("gputimeline " GPUSCOPE_VERSION "\n", stdout); return 1;
		default: return -1;
		}
	}
	if (!set->input && optind < argc)
		set->input = argv[optind++];
	if (optind < argc)
		return fail_usage("unexpected argument \"%s\"", argv[optind]);
	if (!set->input)
		return fail_usage("no recording named (gputimeline -i FILE)");
	if (!set->output && !strcmp(set->input, "-"))
		return fail_usage("--output is needed where the recording comes from standard input");
	if (set->output && !strcmp(set->output, "-") && isatty(STDOUT_FILENO))
		return fail_usage("a timeline is binary: it does not go to a terminal (-o FILE)");
	return outfile_distinct(set->output, set->input);
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
	     "%llu thread states, %llu counter values", path, human_bytes(size, bytes), c->slices, c->ops,
	     c->flows, c->instants, c->states, c->counters);
	if (c->late)
		warn("%llu slices came later than the horizon and may stand in a lane of their own", c->late);
	if (model_counts(m)->op_uncorrelated)
		warn("%llu GPU operations have no API call in the recording", model_counts(m)->op_uncorrelated);
}

static int convert(const struct settings *set, const char *output)
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
		return fail(-ENOMEM, "cannot read %s", set->input);
	}
	timeline_start(t, m, &info);
	err = model_run(m, set->input, &info, &damage);
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
	struct settings set = {};
	char *output = NULL;
	int err;

	log_init("gputimeline", false);
	signal(SIGPIPE, SIG_IGN);	/* a reader that has enough is no failure: out_finish */
	err = parse(argc, argv, &set);
	if (err)
		return err > 0 ? out_finish(stdout, "standard output") != 0 : 2;
	log_init("gputimeline", set.verbose);
	if (!set.output)
		set.output = output = default_output(set.input);
	err = set.output ? convert(&set, set.output) : fail(-ENOMEM, "cannot name the output");
	free(output);
	return err ? 1 : 0;
}
