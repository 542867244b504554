// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* gpureport: a trace -> what took the time, as tables or one JSON object. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include "log.h"
#include "out.h"
#include "report.h"

static const char help_text[] =
	"gpureport - what took the time: kernels, copies, API calls, waits, idle times of the GPU\n\n"
	"usage: gpureport [-i] FILE [-j] [--top N]\n"
	"  -i, --input FILE   the recording; - is standard input\n"
	"  -j, --json         one JSON object with every name, all numbers integers\n"
	"      --top N        rows of each table (default 20, 0: all)\n"
	"  -v, --verbose      say what it took to read the recording\n"
	"  -h, --help         this text\n"
	"      --version      version\n\n"
	"examples:\n"
	"  gpurec -o run.gst -- ./app && gpureport run.gst\n"
	"  gpureport -i run.gst -j | jq '.kernels.by_name[0]'\n";

static const struct option longs[] = {
	{ "input", 1, NULL, 'i' }, { "json", 0, NULL, 'j' }, { "top", 1, NULL, 't' },
	{ "verbose", 0, NULL, 'v' }, { "help", 0, NULL, 'h' }, { "version", 0, NULL, 'V' }, {}
};

struct settings { const char *input; u32 top; bool json, verbose; };

static int parse_top(const char *text, u32 *top)
{
	char *end;
	unsigned long v;

	errno = 0;
	v = strtoul(text, &end, 10);
	if (errno || *end || end == text || *text == '-' || v > ~0u)
		return fail_usage("--top takes a number, not \"%s\"", text);
	*top = v;
	return 0;
}

/* 0, 1 to leave with success, or a reported usage error. */
static int parse(int argc, char **argv, struct settings *set)
{
	int key;

	while ((key = getopt_long(argc, argv, "i:jvh", longs, NULL)) != -1) {
		switch (key) {
		case 'i': set->input = optarg; break;
		case 'j': set->json = true; break;
		case 'v': set->verbose = true; break;
		case 't':
			if (parse_top(optarg, &set->top))
				return -1;
			break;
		case 'h': fputs(help_text, stdout); return 1;
		case 'V': fputs("gpureport " GPUSCOPE_VERSION "\n", stdout); return 1;
		default: return -1;
		}
	}
	if (!set->input && optind < argc)
		set->input = argv[optind++];
	if (optind < argc)
		return fail_usage("unexpected argument \"%s\"", argv[optind]);
	if (!set->input)
		return fail_usage("no recording named (gpureport -i FILE)");
	return 0;
}

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

int main(int argc, char **argv)
{
	struct settings set = { .top = 20 };
	struct report *r;
	char *damage = NULL;
	int err;

	log_init("gpureport", false);
	signal(SIGPIPE, SIG_IGN);	/* a reader that has enough is no failure: out_finish */
	err = parse(argc, argv, &set);
	if (err)
		return err < 0 ? 2 : out_finish(stdout, "the help") ? 1 : 0;
	log_init("gpureport", set.verbose);
	r = report_new();
	err = report_run(r, set.input, &damage);
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
