// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* gpudiff: two sets of recordings -> did it get slower? A verdict for people and for CI. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include "diff.h"
#include "log.h"
#include "options.h"
#include "out.h"
#include "outfile.h"

#define RUNS 256

enum { EXIT_REGRESSED = 10, EXIT_UNDECIDED = 11 };

static struct settings {
	const char *files[RUNS];
	const char *baseline, *budgets, *junit, *markdown, *folded, *steps;
	u32 file_n, top, keep;
	bool json, strict, github, update, any_machine, verbose;
} set = { .top = 20, .keep = 20 };

#define ROW(member, key, name, arg, type, help)					\
	OPT_SET(struct settings, member, key, name, arg, type, help)

static const struct option_row options[] = {
	OPT_SET_STRINGS(struct settings, files, file_n, RUNS, 0, "run", "FILE",
			"a recording, as a word without --run is; before \"--\": of side A"),
	ROW(json, 'j', "json", NULL, OPT_SWITCH, "one JSON object with every gate"),
	ROW(top, 0, "top", "N", OPT_UNSIGNED, "rows of each table (default 20, 0: all)"),
	ROW(baseline, 0, "baseline", "DIR", OPT_STRING, "side A is what this folder holds"),
	ROW(update, 0, "update", NULL, OPT_SWITCH,
	    "add the runs to the baseline (makes it, if need be)"),
	OPT_SET_RANGE(struct settings, keep, 0, "keep", "N", OPT_UNSIGNED, 1, RUNS,
		      "runs a baseline keeps (default 20)"),
	ROW(budgets, 0, "budgets", "FILE", OPT_STRING,
	    "what may change by how much, and what is ignored until when"),
	ROW(steps, 0, "steps", "REGEX", OPT_STRING,
	    "annotations and NVTX ranges that are steps"),
	ROW(strict, 0, "strict", NULL, OPT_SWITCH, "exit 11 when a gate is inconclusive"),
	ROW(any_machine, 0, "any-machine", NULL, OPT_SWITCH,
	    "compare runs of different GPUs all the same"),
	ROW(junit, 0, "junit", "FILE", OPT_STRING, "also a JUnit XML file, a test case a gate"),
	ROW(markdown, 0, "markdown", "FILE", OPT_STRING,
	    "also a summary for GitHub ($GITHUB_STEP_SUMMARY: appended)"),
	ROW(github, 0, "github", NULL, OPT_SWITCH,
	    "also annotations of a GitHub workflow, on standard output"),
	ROW(folded, 0, "folded", "FILE", OPT_STRING,
	    "also \"stack A B\" lines, for differential flame graphs"),
	ROW(verbose, 'v', "verbose", NULL, OPT_VERBOSE, "say what is read"),
	{}
};

static const struct program gpudiff = {
	.name = "gpudiff",
	.about = "what got slower: recordings before and after a change, with a verdict",
	.usage = "[options] A... -- B...\n       gpudiff [options] --baseline DIR [--update] B...",
	.notes = "exit: 0 not slower, 10 regressed, 11 inconclusive (with --strict), 1 not comparable or failed\n",
	.examples = "  gpudiff before.gst after.gst                    one run a side: counts alone\n"
		    "  gpudiff old1.gst old2.gst old3.gst -- new1.gst new2.gst new3.gst\n"
		    "  gpudiff --baseline ci/base --update main?.gst   on the main branch\n"
		    "  gpudiff --baseline ci/base --junit gate.xml pr?.gst\n",
	.groups = { { options, &set } },
	.operand = &options[0],
};

/* A word that no file is called, in the place of the "--" that getopt would swallow. */
static char divider[] = "/--/";

static void keep_divider(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--")) {
			argv[i] = divider;
			return;
		}
}

/* How many of the files are side A; negative: a reported usage error. */
static int split(void)
{
	u32 at = set.file_n;

	for (u32 i = 0; i < set.file_n; i++)
		if (set.files[i] == divider)
			at = i;
	if (at < set.file_n) {
		set.file_n--;
		memmove(&set.files[at], &set.files[at + 1],
			(set.file_n - at) * sizeof(*set.files));
		if (set.baseline && at)
			return fail_usage("side A is the baseline: no files before \"--\"");
	} else {
		at = !set.baseline && set.file_n == 2;
	}
	if (set.update && !set.baseline)
		return fail_usage("--update wants --baseline DIR");
	if (!set.baseline && (!at || at == set.file_n))
		return fail_usage("name the recordings of both sides (gpudiff A... -- B...)");
	if (!set.file_n)
		return fail_usage("no recordings named (gpudiff --baseline DIR B...)");
	return at;
}

static int terminal_width(void)
{
	struct winsize size;

	return ioctl(1, TIOCGWINSZ, &size) || !size.ws_col ? 0 : size.ws_col;
}

static int read_all(struct diff *d, u32 before)
{
	int err = set.budgets ? diff_budgets_read(d, set.budgets) : 0;

	if (set.steps)
		diff_steps_pattern(d, set.steps);
	if (set.any_machine)
		diff_any_machine(d);
	if (!err && set.baseline)
		err = diff_baseline_read(d, set.baseline, set.update);
	for (u32 i = 0; !err && i < set.file_n; i++) {
		note("reading %s", set.files[i]);
		err = diff_add(d, i < before ? DIFF_A : DIFF_B, set.files[i]);
	}
	return err;
}

/* ---- what is written beside the verdict ---- */

static void markdown(struct diff *d, FILE *f)
{
	diff_markdown(d, f, set.top);
}

static int write_file(struct diff *d, const char *path, void (*put)(struct diff *d, FILE *f))
{
	struct outfile out;
	int err;

	if (!path)
		return 0;
	err = outfile_open(&out, path);
	if (err)
		return err;
	put(d, out.f);
	return outfile_close(&out, true);
}

/* The summary of a step on GitHub is a file to which each command adds. */
static int add_summary(struct diff *d)
{
	const char *summary = getenv("GITHUB_STEP_SUMMARY");
	FILE *f;

	if (!set.markdown || !summary || strcmp(set.markdown, summary))
		return write_file(d, set.markdown, markdown);
	f = fopen(summary, "ae");
	if (!f)
		return fail(-errno, "cannot open %s", summary);
	markdown(d, f);
	if (fclose(f))
		return fail(-errno, "cannot write %s", summary);
	return 0;
}

static int write_all(struct diff *d)
{
	int err;

	if (set.json)
		diff_json(d, stdout);
	else
		diff_print(d, stdout, set.top, terminal_width());
	if (set.github)
		diff_github(d, stdout);
	err = out_finish(stdout, "the comparison");
	if (!err)
		err = write_file(d, set.junit, diff_junit);
	if (!err)
		err = add_summary(d);
	if (!err && diff_verdict(d) != DIFF_NOT_COMPARABLE)
		err = write_file(d, set.folded, diff_folded);
	return err;
}

static int exit_code(const struct diff *d)
{
	switch (diff_verdict(d)) {
	case DIFF_NOT_COMPARABLE:
		return fail(0, "cannot compare: %s", diff_why(d)) ? 1 : 0;
	case DIFF_REGRESSED:
		return set.update ? 0 : EXIT_REGRESSED;
	default:
		return set.strict && diff_undecided(d) ? EXIT_UNDECIDED : 0;
	}
}

static int run(struct diff *d, u32 before)
{
	bool first;
	int code, err = read_all(d, before);

	if (err)
		return 1;
	first = set.update && !diff_has(d, DIFF_A);
	if (!first) {
		err = diff_compare(d);
		if (!err)
			err = write_all(d);
		if (err)
			return 1;
	}
	code = first ? 0 : exit_code(d);
	if (set.update && code != 1 && diff_baseline_update(d, set.baseline, set.keep))
		return 1;
	if (first)
		note("%s: made", set.baseline);
	return code;
}

int main(int argc, char **argv)
{
	struct diff *d;
	int before, code;

	keep_divider(argc, argv);
	code = program_options(&gpudiff, argc, argv);
	if (code >= 0)
		return code;
	if (set.json && set.github)
		return fail_usage("--github and --json both write to standard output") ? 2 : 0;
	before = split();
	if (before < 0)
		return 2;
	d = diff_new();
	code = run(d, before);
	diff_free(d);
	return code;
}
