// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* gpuflame: a trace -> which code pays for GPU time, as a picture or as folded text. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "flamegraph.h"
#include "fold.h"
#include "log.h"
#include "options.h"
#include "out.h"
#include "outfile.h"
#include "symbols.h"

static struct settings {
	const char *input, *output, *title;
	struct fold_settings fold;
	struct flame_options svg;
	bool folded;
} set = { .svg = { .countname = "ns", .min_width = FLAME_MIN_WIDTH } };

static const struct enum_name ops[] = {
	{ FOLD_KERNEL, "kernel" }, { FOLD_COPY, "copy" }, { FOLD_SET, "set" },
	{ FOLD_GRAPH, "graph" }, { FOLD_ALL, "all" }, { FOLD_API, "api" },
	{ FOLD_SAMPLE, "sample" }, {}
};
static const struct enum_name bys[] = {
	{ FOLD_BY_THREAD, "thread" }, { FOLD_BY_PROCESS, "process" },
	{ FOLD_BY_NOTHING, "none" }, {}
};

#define ROW(member, key, name, arg, type, help)					\
	OPT_SET(struct settings, member, key, name, arg, type, help)

static const struct option_row options[] = {
	ROW(input, 'i', "input", "FILE", OPT_STRING, "the recording; - is standard input"),
	ROW(output, 'o', "output", "OUT", OPT_STRING,
	    "where to write (default: standard output)"),
	OPT_SET_STORE(struct settings, folded, false, 0, "svg",
		      "an interactive picture (default)"),
	OPT_SET_STORE(struct settings, folded, true, 0, "folded",
		      "folded text: \"frame;frame;frame NANOSECONDS\" lines"),
	OPT_SET_WORD(struct settings, fold.what, 0, "ops", "LIST", OPT_WORDS, ops,
		     "kernel (default), copy, set, graph; all of them; or api:\nCPU time within CUDA calls, or sample: what was sampled"),
	OPT_SET_WORD(struct settings, fold.by, 0, "by", "WHAT", OPT_WORD, bys,
		     "outermost frames: thread (process and thread, default),\n"
		     "process, or none (all processes together)"),
	ROW(fold.whole_stacks, 0, "whole-stacks", NULL, OPT_SWITCH,
	    "keep frames of CUDA and of the recorder above the CUDA call"),
	ROW(svg.inverted, 0, "inverted", NULL, OPT_SWITCH, "outermost frame at the top"),
	OPT_SET_RANGE(struct settings, svg.min_width, 0, "minwidth", "PIXELS", OPT_REAL, 0,
		      1000, "leave narrower frames out of the picture (0.1)"),
	ROW(title, 0, "title", "TEXT", OPT_STRING, "headline of the picture"),
	{}
};

static const struct program gpuflame = {
	.name = "gpuflame",
	.about = "which code pays for GPU time: a flame graph of a recording",
	.usage = "[-i] FILE [-o OUT] [--folded] [--ops=LIST]",
	.examples = "  gpuflame -i run.gst -o run.svg                  open it in a browser\n"
		    "  gpuflame -i run.gst --ops=all --folded | sort -k2 -t' ' -n\n"
		    "  gpurec -o - -- ./app | gpuflame -i - > app.svg\n",
	.groups = { { options, &set } },
	.operand = &options[0],
	.missing = "no recording named (gpuflame -i FILE)",
};

/* 0 or a reported usage error. */
static int check(void)
{
	if (!set.fold.what)
		set.fold.what = FOLD_KERNEL;
	if (set.fold.what & FOLD_API && set.fold.what != FOLD_API)
		return fail_usage("--ops: api is CPU time and does not add up with GPU operations");
	if (set.fold.what & FOLD_SAMPLE && set.fold.what != FOLD_SAMPLE)
		return fail_usage("--ops: samples do not add up with GPU operations");
	if (set.fold.what & FOLD_SAMPLE)
		set.svg.countname = "of the event";
	return outfile_distinct(set.output, set.input);
}

static const char *what_title(unsigned what)
{
	static const struct enum_name titles[] = {
		{ FOLD_KERNEL, "kernels" }, { FOLD_COPY, "copies" }, { FOLD_SET, "sets" },
		{ FOLD_GRAPH, "graph launches" }, { FOLD_API, "CUDA calls" },
		{ FOLD_SAMPLE, "samples" }, {}
	};
	const char *title = enum_name(titles, what);

	return title ? title : "GPU operations";
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

	if (n &&
	    asprintf(&s, "%llu records were lost%s", n,
		     unknown ? ", and more that nobody counted" : "") < 0)
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
static char *subtitle(struct fold *fold, const struct trace_info *info,
		      const char *lost, const char *damage)
{
	const struct model_counts *c = model_counts(fold_model(fold));
	const struct fold_sums *s = fold_sums(fold);
	bool sample = set.fold.what & FOLD_SAMPLE;
	u64 graph_ns = set.fold.what & (FOLD_GRAPH | FOLD_API | FOLD_SAMPLE) ? 0 :
		s->type_ns[OP_GRAPH];
	char ns[16], *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	if (info->host[0])
		fprintf(f, "%s: ", info->host);
	if (sample)
		fprintf(f, "%llu samples", s->count);
	else
		fprintf(f, "%s in %llu %s", human_ns(ns, s->total_ns), s->count,
			what_title(set.fold.what));
	say_share(f, s->no_stack_ns, s->total_ns, "without a CPU stack");
	say_share(f, s->no_launch_ns, s->total_ns, "without a known launch");
	if (graph_ns)
		fprintf(f, "; %s of graph launches not shown (--ops=all)",
			human_ns(ns, graph_ns));
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

static int nothing(struct fold *fold)
{
	const struct fold_sums *s = fold_sums(fold);
	const char *other = "";

	if (set.fold.what < FOLD_API && set.fold.what != FOLD_ALL &&
	    s->type_ns[OP_KERNEL] + s->type_ns[OP_COPY] + s->type_ns[OP_SET] +
	    s->type_ns[OP_GRAPH])
		other = " (there are other GPU operations: --ops=all)";
	return fail(0, "%s holds no %s%s", set.input, what_title(set.fold.what), other);
}

static int write_tree(struct flame_tree *tree, struct flame_options *svg)
{
	struct outfile out;
	int err, closed;

	err = outfile_open(&out, set.output);
	if (err)
		return err;
	err = set.folded ? flame_write_folded(tree, out.f) : flame_write_svg(tree, out.f, svg);
	if (err == -EPIPE)
		err = 0;	/* the reader has what it wanted */
	else if (err)
		fail(err, "cannot write %s", set.output ? set.output : "standard output");
	closed = outfile_close(&out, !err);
	return err ? err : closed;
}

static int draw(struct fold *fold, const struct trace_info *info,
		const char *damage)
{
	char *lost = say_lost(model_counts(fold_model(fold))), *sub;
	struct flame_tree *tree = flame_new();
	struct flame_options svg = set.svg;
	char title[80];
	int err;

	if (lost && *lost)
		warn("%s: %s", set.input, lost);
	sub = subtitle(fold, info, lost, damage);
	if (set.fold.what == FOLD_ALL)
		snprintf(title, sizeof(title), "GPU time by CPU stack");
	else
		snprintf(title, sizeof(title), "%s time of %s by CPU stack",
			 set.fold.what == FOLD_API ? "CPU" : "GPU", what_title(set.fold.what));
	svg.title = set.title ? set.title : title;
	svg.subtitle = sub;
	svg.base = set.fold.by == FOLD_BY_THREAD ? 2 : set.fold.by == FOLD_BY_PROCESS;
	err = tree && sub ? fold_each(fold, put_stack, tree) : -ENOMEM;
	if (err)
		fail(err, "cannot sum up %s", set.input);
	else
		err = write_tree(tree, &svg);
	flame_free(tree);
	free(lost);
	free(sub);
	return err;
}

static int run(void)
{
	struct fold *fold = fold_new(&set.fold);
	struct trace_info info = {};
	char *damage = NULL;
	int err;

	if (!fold)
		return fail(-ENOMEM, "cannot read %s", set.input);
	err = fold_read(fold, set.input, &info, &damage);
	if (!err && fold_sums(fold)->total_ns)
		err = draw(fold, &info, damage);
	else if (!err && !damage)
		err = nothing(fold);
	if (damage)
		err = fail(0, "%s", damage);
	free(damage);
	fold_free(fold);
	demangle_free_all();
	return err;
}

int main(int argc, char **argv)
{
	int code = program_options(&gpuflame, argc, argv);

	if (code >= 0)
		return code;
	if (check())
		return 2;
	return run() ? 1 : 0;
}
