// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* gpuflame: a trace -> which code pays for GPU time, as a picture or as folded text. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "flamegraph.h"
#include "fold.h"
#include "log.h"
#include "out.h"
#include "outfile.h"
#include "symbols.h"

static const char help_text[] =
	"gpuflame - which code pays for GPU time: a flame graph of a recording\n\n"
	"usage: gpuflame [-i] FILE [-o OUT] [--folded] [--ops=LIST]\n"
	"  -i, --input FILE    the recording; - is standard input\n"
	"  -o, --output OUT    where to write (default: standard output)\n"
	"      --svg           an interactive picture (default)\n"
	"      --folded        folded text: \"frame;frame;frame NANOSECONDS\" lines\n"
	"      --ops LIST      kernel (default), copy, set, graph; all of them; or api:\n"
	"                      CPU time within CUDA calls\n"
	"      --by WHAT       outermost frames: thread (process and thread, default),\n"
	"                      process, or none (all processes together)\n"
	"      --whole-stacks  keep frames of CUDA and of the recorder above the CUDA call\n"
	"      --inverted      outermost frame at the top\n"
	"      --minwidth PX   leave narrower frames out of the picture (0.1)\n"
	"      --title TEXT    headline of the picture\n"
	"  -h, --help          this text\n"
	"      --version       version\n\n"
	"examples:\n"
	"  gpuflame -i run.gst -o run.svg                  open it in a browser\n"
	"  gpuflame -i run.gst --ops=all --folded | sort -k2 -t' ' -n\n"
	"  gpurec -o - -- ./app | gpuflame -i - > app.svg\n";

enum { OPT_SVG = 256, OPT_FOLDED, OPT_OPS, OPT_BY, OPT_WHOLE, OPT_INVERTED, OPT_MINWIDTH,
       OPT_TITLE, OPT_VERSION };

static const struct option longs[] = {
	{ "input", 1, NULL, 'i' }, { "output", 1, NULL, 'o' }, { "svg", 0, NULL, OPT_SVG },
	{ "folded", 0, NULL, OPT_FOLDED }, { "ops", 1, NULL, OPT_OPS }, { "by", 1, NULL, OPT_BY },
	{ "whole-stacks", 0, NULL, OPT_WHOLE }, { "inverted", 0, NULL, OPT_INVERTED },
	{ "minwidth", 1, NULL, OPT_MINWIDTH }, { "title", 1, NULL, OPT_TITLE },
	{ "help", 0, NULL, 'h' }, { "version", 0, NULL, OPT_VERSION }, {}
};

static const struct { const char *name, *title; unsigned what; } kinds[] = {
	{ "kernel", "kernels", FOLD_KERNEL }, { "copy", "copies", FOLD_COPY },
	{ "set", "sets", FOLD_SET }, { "graph", "graph launches", FOLD_GRAPH },
	{ "all", "GPU operations", FOLD_ALL }, { "api", "CUDA calls", FOLD_API }, {}
};

struct settings {
	const char *input, *output, *title;
	struct fold_settings fold;
	struct flame_options svg;
	bool folded;
};

/* ---- the command line ---- */

static int parse_ops(const char *arg, unsigned *what)
{
	size_t n;
	int i;

	for (*what = 0; *arg; arg += n + (arg[n] == ',')) {
		n = strcspn(arg, ",");
		for (i = 0; kinds[i].name; i++)
			if (strlen(kinds[i].name) == n && !strncmp(kinds[i].name, arg, n))
				break;
		if (!kinds[i].name)
			return fail_usage("--ops: \"%.*s\" is none of kernel, copy, set, graph, all, api",
					  (int)n, arg);
		*what |= kinds[i].what;
	}
	if (!*what)
		return fail_usage("--ops: nothing named");
	if (*what & FOLD_API && *what != FOLD_API)
		return fail_usage("--ops: api is CPU time and does not add up with GPU operations");
	return 0;
}

static int parse_by(const char *arg, enum fold_by *by)
{
	if (!strcmp(arg, "thread"))
		*by = FOLD_BY_THREAD;
	else if (!strcmp(arg, "process"))
		*by = FOLD_BY_PROCESS;
	else if (!strcmp(arg, "none"))
		*by = FOLD_BY_NOTHING;
	else
		return fail_usage("--by: \"%s\" is none of thread, process, none", arg);
	return 0;
}

static int parse_minwidth(const char *arg, double *v)
{
	char *end;

	*v = strtod(arg, &end);
	if (end == arg || *end || !(*v >= 0 && *v <= 1000))
		return fail_usage("--minwidth: \"%s\" is no number from 0 to 1000", arg);
	return 0;
}

/* 0, 1 to leave with success, or a reported usage error. */
static int parse_option(int key, struct settings *set)
{
	switch (key) {
	case 'i': set->input = optarg; return 0;
	case 'o': set->output = optarg; return 0;
	case OPT_SVG: set->folded = false; return 0;
	case OPT_FOLDED: set->folded = true; return 0;
	case OPT_OPS: return parse_ops(optarg, &set->fold.what);
	case OPT_BY: return parse_by(optarg, &set->fold.by);
	case OPT_WHOLE: set->fold.whole_stacks = true; return 0;
	case OPT_INVERTED: set->svg.inverted = true; return 0;
	case OPT_MINWIDTH: return parse_minwidth(optarg, &set->svg.min_width);
	case OPT_TITLE: set->title = optarg; return 0;
	case 'h': fputs(help_text, stdout); return 1;
	case OPT_VERSION: fputs("gpuflame " GPUSCOPE_VERSION "\n", stdout); return 1;
	}
	return -1;		/* getopt said what is wrong */
}

static int parse(int argc, char **argv, struct settings *set)
{
	int key, err;

	while ((key = getopt_long(argc, argv, "i:o:h", longs, NULL)) != -1)
		if ((err = parse_option(key, set)))
			return err;
	if (!set->input && optind < argc)
		set->input = argv[optind++];
	if (optind < argc)
		return fail_usage("unexpected argument \"%s\"", argv[optind]);
	if (!set->input)
		return fail_usage("no recording named (gpuflame -i FILE)");
	return outfile_distinct(set->output, set->input);
}

static const char *what_title(unsigned what)
{
	int i;

	for (i = 0; kinds[i].name; i++)
		if (kinds[i].what == what)
			return kinds[i].title;
	return "GPU operations";
}

/* ---- what the picture says about itself ---- */

/* Lost records of all places; *unknown: some of them nobody could count. */
static u64 lost_records(const struct model_counts *c, bool *unknown)
{
	u64 n = 0;
	size_t i;

	for (i = 0; i < sizeof(c->lost) / sizeof(c->lost[0]); i++)
		n += c->lost[i];
	*unknown = c->lost_unknown || c->blocks_missing;
	return n;
}

/* What was lost, as words; "" when nothing. The caller frees it. */
static char *say_lost(const struct model_counts *c)
{
	bool unknown;
	u64 n = lost_records(c, &unknown);
	char *s = NULL;

	if (n && asprintf(&s, "%llu records were lost%s", n, unknown ? ", and more that nobody counted" : "") < 0)
		s = NULL;
	else if (!n && unknown)
		s = strdup("records were lost, nobody could count how many");
	return s ? s : strdup("");
}

static void say_share(FILE *f, u64 part, u64 total, const char *what)
{
	if (part && part >= total / 1000)
		fprintf(f, "; %.1f%% %s", part * 100.0 / total, what);
	else if (part)
		fprintf(f, "; less than 0.1%% %s", what);
}

/* The subtitle; the caller frees it. */
static char *subtitle(struct fold *fold, const struct settings *set, const struct trace_info *info,
		      const char *lost, const char *damage)
{
	const struct model_counts *c = model_counts(fold_model(fold));
	const struct fold_sums *s = fold_sums(fold);
	u64 graph_ns = set->fold.what & (FOLD_GRAPH | FOLD_API) ? 0 : s->type_ns[OP_GRAPH];
	char ns[16], *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	if (info->host[0])
		fprintf(f, "%s: ", info->host);
	fprintf(f, "%s in %llu %s", human_ns(ns, s->total_ns), s->count, what_title(set->fold.what));
	say_share(f, s->no_stack_ns, s->total_ns, "without a CPU stack");
	say_share(f, s->no_launch_ns, s->total_ns, "without a known launch");
	if (graph_ns)
		fprintf(f, "; %s of graph launches not shown (--ops=all)", human_ns(ns, graph_ns));
	if (c->simulated)
		fprintf(f, "; the GPU is simulated");
	if (*lost)
		fprintf(f, "\n%s", lost);
	if (damage)
		fprintf(f, "\nOnly the readable part: %s", damage);
	fclose(f);
	return text;
}

/* ---- the work ---- */

static int put_stack(void *ctx, const char *const *names, u32 n, u64 ns)
{
	struct flame_frame *frames = calloc(n, sizeof(*frames));
	int err = -ENOMEM;
	u32 i;

	if (!frames)
		return err;
	for (i = 0; i < n; i++)
		frames[i] = (struct flame_frame){ names[i], strlen(names[i]) };
	err = flame_add(ctx, frames, n, ns);
	free(frames);
	return err;
}

static int nothing(struct fold *fold, const struct settings *set)
{
	const struct fold_sums *s = fold_sums(fold);
	const char *other = "";

	if (set->fold.what != FOLD_API && set->fold.what != FOLD_ALL &&
	    s->type_ns[OP_KERNEL] + s->type_ns[OP_COPY] + s->type_ns[OP_SET] + s->type_ns[OP_GRAPH])
		other = " (there are other GPU operations: --ops=all)";
	return fail(0, "%s holds no %s%s", set->input, what_title(set->fold.what), other);
}

static int write_tree(struct flame_tree *tree, const struct settings *set, struct flame_options *svg)
{
	struct outfile out;
	int err, closed;

	err = outfile_open(&out, set->output);
	if (err)
		return err;
	err = set->folded ? flame_write_folded(tree, out.f) : flame_write_svg(tree, out.f, svg);
	if (err == -EPIPE)
		err = 0;	/* the reader has what it wanted */
	else if (err)
		fail(err, "cannot write %s", set->output ? set->output : "standard output");
	closed = outfile_close(&out, !err);
	return err ? err : closed;
}

static int draw(struct fold *fold, const struct settings *set, const struct trace_info *info,
		const char *damage)
{
	char *lost = say_lost(model_counts(fold_model(fold))), *sub;
	struct flame_tree *tree = flame_new();
	struct flame_options svg = set->svg;
	char title[80];
	int err;

	if (lost && *lost)
		warn("%s: %s", set->input, lost);
	sub = subtitle(fold, set, info, lost, damage);
	if (set->fold.what == FOLD_ALL)
		snprintf(title, sizeof(title), "GPU time by CPU stack");
	else
		snprintf(title, sizeof(title), "%s time of %s by CPU stack",
			 set->fold.what == FOLD_API ? "CPU" : "GPU", what_title(set->fold.what));
	svg.title = set->title ? set->title : title;
	svg.subtitle = sub;
	svg.base = set->fold.by == FOLD_BY_THREAD ? 2 : set->fold.by == FOLD_BY_PROCESS;
	err = tree && sub ? fold_each(fold, put_stack, tree) : -ENOMEM;
	if (err)
		fail(err, "cannot sum up %s", set->input);
	else
		err = write_tree(tree, set, &svg);
	flame_free(tree);
	free(lost);
	free(sub);
	return err;
}

static int run(const struct settings *set)
{
	struct fold *fold = fold_new(&set->fold);
	struct trace_info info = {};
	char *damage = NULL;
	int err;

	if (!fold)
		return fail(-ENOMEM, "cannot read %s", set->input);
	err = fold_read(fold, set->input, &info, &damage);
	if (!err && fold_sums(fold)->total_ns)
		err = draw(fold, set, &info, damage);
	else if (!err && !damage)
		err = nothing(fold, set);
	if (damage)
		err = fail(0, "%s", damage);
	free(damage);
	fold_free(fold);
	demangle_free_all();
	return err;
}

int main(int argc, char **argv)
{
	struct settings set = {
		.fold.what = FOLD_KERNEL, .svg = { .countname = "ns", .min_width = FLAME_MIN_WIDTH },
	};
	int err;

	log_init("gpuflame", false);
	signal(SIGPIPE, SIG_IGN);	/* a reader that has enough is no failure: out_finish */
	err = parse(argc, argv, &set);
	if (err)
		return err > 0 ? out_finish(stdout, "standard output") != 0 : 2;
	return run(&set) ? 1 : 0;
}
