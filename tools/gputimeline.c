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
	struct timeline_settings timeline;
	u64 max_size;
	bool verbose, json;
} set;

static const struct option_row options[] = {
	OPT_SET_STRINGS(struct settings, inputs, input_n, INPUTS_MAX, 'i', "input", "FILE",
			"a recording; - is standard input; several (the\nranks of a job): as one"),
	OPT_SET(struct settings, output, 'o', "output", "OUT", OPT_STRING,
		"where to write (default: the first FILE with .pftrace;\n- is standard output)"),
	OPT_SET(struct settings, json, 0, "json", NULL, OPT_SWITCH,
		"Chrome's JSON instead (packed where OUT ends in .gz)"),
	OPT_SET_WINDOW(struct settings, window),
	OPT_SET(struct settings, timeline.min_dur_ns, 0, "min-dur", "TIME", OPT_DURATION_NS,
		"leave out what is shorter"),
	OPT_SET(struct settings, timeline.lean, 0, "lean", NULL, OPT_SWITCH,
		"names, times and arrows alone: no arguments"),
	OPT_SET(struct settings, max_size, 0, "max-size", "BYTES", OPT_SIZE,
		"only as much of the beginning as fits (K, M, G)"),
	OPT_SET(struct settings, verbose, 'v', "verbose", NULL, OPT_VERBOSE,
		"say what was written"),
	{}
};

static const struct program gputimeline = {
	.name = "gputimeline",
	.about = "show a recording on a time axis: a Perfetto trace",
	.usage = "[-i] FILE... [-o OUT] [--json]",
	.notes = "Open OUT at ui.perfetto.dev. Threads carry API calls, NVTX ranges, spans of\n"
		 "frameworks and of Python, ioctls and waits as nested slices, their scheduling states\n"
		 "and page faults; GPU streams carry kernels, copies and sets; arrows lead from a call to\n"
		 "what it launched.\n",
	.examples = "  gputimeline -i run.gst                    writes run.pftrace\n"
		    "  gpurec -o - -- ./app | gputimeline -i - -o app.pftrace\n"
		    "  gputimeline run.gst --json -o run.json.gz for viewers of Chrome's format\n"
		    "  gputimeline long.gst --lean --min-dur=5us --max-size=1G\n",
	.groups = { { options, &set } },
	.operand = &options[0],
	.missing = "no recording named (gputimeline -i FILE)",
};

static bool is_pipe(const char *path)
{
	return path && !strcmp(path, "-");
}

static bool ends(const char *path, const char *word)
{
	size_t n = strlen(path), m = strlen(word);

	return n >= m && !strcmp(path + n - m, word);
}

/* 0 or a reported usage error. */
static int check(void)
{
	int err = 0;

	if (!set.output && !strcmp(set.inputs[0], "-"))
		return fail_usage("--output is needed where the recording comes from standard input");
	if (set.output && !strcmp(set.output, "-") && isatty(STDOUT_FILENO))
		return fail_usage("a timeline is binary: it does not go to a terminal (-o FILE)");
	if (set.max_size && (set.window.last_ns || is_pipe(set.output)))
		return fail_usage("--max-size writes twice and counts from the beginning: not to standard output, not with --last");
	if (set.max_size && set.json && set.output && ends(set.output, ".gz"))
		return fail_usage("--max-size cannot tell what will be packed: it goes with JSON that is not");
	for (u32 i = 0; i < set.input_n && !err; i++) {
		if (set.max_size && is_pipe(set.inputs[i]))
			return fail_usage("--max-size reads a recording twice: it cannot be standard input");
		err = outfile_distinct(set.output, set.inputs[i]);
	}
	return err;
}

/* run.gst -> run.pftrace or run.json; the caller frees it. */
static char *default_output(const char *input)
{
	const char *tail = set.json ? ".json" : ".pftrace";
	size_t n = strlen(input);
	char *out;

	if (n > 4 && !strcmp(input + n - 4, ".gst"))
		n -= 4;
	out = malloc(n + strlen(tail) + 1);
	if (out) {
		memcpy(out, input, n);
		strcpy(out + n, tail);
	}
	return out;
}

static void said(const struct timeline *t, struct model *m, const char *path,
		 const struct perfetto *p)
{
	u64 bytes = perfetto_bytes(p), one_ended = perfetto_one_ended(p);
	const struct timeline_counts *c = timeline_counts(t);
	char size[16];

	note("%s: %s, %llu slices (%llu spans), %llu GPU operations, %llu links from calls, %llu instants, "
	     "%llu thread states, %llu counter values, %llu ends of flows", path,
	     human_bytes(size, bytes), c->slices, c->spans, c->ops, c->flows, c->instants,
	     c->states, c->counters, c->arrows);
	if (c->samples)
		note("%llu samples", c->samples);
	if (c->short_slices || c->short_ops)
		warn("%llu slices and %llu GPU operations are shorter than --min-dur and left out",
		     c->short_slices, c->short_ops);
	if (one_ended)
		note("%llu arrows have one end in the recording and are left out", one_ended);
	if (c->late)
		warn("%llu slices came later than the horizon and may stand in a lane of their own", c->late);
	if (model_counts(m)->unaligned)
		warn("%llu of the recordings share no clock with the first: they stand on their own times",
		     model_counts(m)->unaligned);
	if (model_counts(m)->op_uncorrelated)
		warn("%llu GPU operations have no API call in the recording",
		     model_counts(m)->op_uncorrelated);
}

struct converted { u64 bytes, fit, start_ns, first_ns, last_ns; };

/* done: how much it was, and up to when --max-size would reach. */
static int convert(const char *output, const struct trace_window *window,
		   struct converted *done, u64 most)
{
	struct trace_info info = {};
	struct perfetto *p;
	struct timeline *t;
	struct model *m;
	char *damage = NULL;
	int err, written;
	bool fits;

	err = perfetto_open(&p, output, set.json);
	if (err)
		return err;
	t = timeline_new(p, &set.timeline);
	m = t ? model_new(&timeline_view, t) : NULL;
	if (!m) {
		timeline_free(t);
		perfetto_close(p, false);
		return fail(-ENOMEM, "cannot read %s", set.inputs[0]);
	}
	model_window(m, window);
	timeline_start(t, m, &info);
	err = model_run_all(m, set.inputs, set.input_n, &info, &damage);
	if (err == -ENOMEM)		/* the view's; the reader reports its own */
		fail(err, "cannot convert %s", set.inputs[0]);
	if (!err && (err = timeline_finish(t)))
		fail(err, "cannot write %s", output);
	*done = (struct converted){ perfetto_bytes(p), most ? perfetto_fit(p, most) : 0,
				    info.start_ns, model_counts(m)->first_ns,
				    model_counts(m)->last_ns };
	fits = !most || done->bytes <= set.max_size;
	if (!err && fits)
		said(t, m, output, p);
	written = perfetto_close(p, !err && fits);
	if (!err)
		err = written;
	if (!err && damage)
		err = fail(0, "%s", damage);	/* the prefix is there, and is said to be one */
	free(damage);
	timeline_free(t);
	model_free(m);
	return err;
}

/* The beginning that fits, found by what each part of the whole took. */
static int convert_fitting(const char *output)
{
	struct trace_window window = set.window;
	struct converted whole, done;
	u64 most = set.max_size - set.max_size / 50, end;
	char a[16], b[16], c[16], d[16];
	int err = convert(output, &window, &whole, set.max_size ? most : 0);

	if (err || !set.max_size || whole.bytes <= set.max_size)
		return err;
	end = whole.last_ns;
	for (done = whole; !err && done.bytes > set.max_size; most -= most / 8) {
		if (done.fit <= whole.first_ns || most < 1000)
			return fail(0, "cannot fit %s into %s: not even its first moments do (--lean makes them smaller)",
				    set.inputs[0], human_bytes(a, set.max_size));
		window.to_ns = done.fit - whole.start_ns;
		end = done.fit;
		err = convert(output, &window, &done, most);
	}
	if (!err)
		warn("%s: only the first %s of %s fit into %s (all would take %s): --from and --to choose others, --lean and --min-dur make more fit",
		     output, human_ns(a, end - whole.first_ns),
		     human_ns(b, whole.last_ns - whole.first_ns), human_bytes(c, set.max_size),
		     human_bytes(d, whole.bytes));
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
	err = set.output ? convert_fitting(set.output) :
		fail(-ENOMEM, "cannot name the output");
	free(output);
	return err ? 1 : 0;
}
