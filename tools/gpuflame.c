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

#define INPUTS_MAX 4096

static struct settings {
	const char *inputs[INPUTS_MAX];
	const char *before, *output, *title, *step;
	u32 input_n;
	struct fold_settings fold;
	struct flame_options svg;
	u32 per;
	bool folded;
} set = { .fold.by = FOLD_BY_UNSAID,
	  .svg = { .countname = "ns", .min_width = FLAME_MIN_WIDTH } };

static const struct enum_name ops[] = {
	{ FOLD_KERNEL, "kernel" }, { FOLD_COPY, "copy" }, { FOLD_SET, "set" },
	{ FOLD_GRAPH, "graph" }, { FOLD_ALL, "all" }, { FOLD_API, "api" },
	{ FOLD_SAMPLE, "sample" }, {}
};
enum { PER_UNSAID, PER_STEP, PER_RUN };
static const struct enum_name pers[] = { { PER_STEP, "step" }, { PER_RUN, "run" }, {} };
static const struct enum_name bys[] = {
	{ FOLD_BY_THREAD, "thread" }, { FOLD_BY_PROCESS, "process" },
	{ FOLD_BY_RANK, "rank" }, { FOLD_BY_NOTHING, "none" }, {}
};

#define ROW(member, key, name, arg, type, help)					\
	OPT_SET(struct settings, member, key, name, arg, type, help)

static const struct option_row options[] = {
	OPT_SET_STRINGS(struct settings, inputs, input_n, INPUTS_MAX, 'i', "input", "FILE",
			"a recording; - is standard input; several (the\nranks of a job): as one"),
	ROW(output, 'o', "output", "OUT", OPT_STRING,
	    "where to write (default: standard output)"),
	ROW(before, 0, "diff", "BEFORE", OPT_STRING,
	    "what changed since this recording: red grew, blue shrank"),
	OPT_SET_WORD(struct settings, per, 0, "per", "WHAT", OPT_WORD, pers,
		     "time of a step, or of the run; with --diff by default\nof a step, where both have steps"),
	ROW(step, 0, "step", "REGEX", OPT_STRING,
	    "annotations and NVTX ranges that are steps"),
	OPT_SET_STORE(struct settings, folded, false, 0, "svg",
		      "an interactive picture (default)"),
	OPT_SET_STORE(struct settings, folded, true, 0, "folded",
		      "folded text: \"frame;frame;frame NANOSECONDS\" lines"),
	OPT_SET_WORD(struct settings, fold.what, 0, "ops", "LIST", OPT_WORDS, ops,
		     "kernel (default), copy, set, graph; all of them; or api:\nCPU time within CUDA calls, or sample: what was sampled"),
	OPT_SET_WORD(struct settings, fold.by, 0, "by", "WHAT", OPT_WORD, bys,
		     "outermost frames: thread (process and thread, default),\n"
		     "process, rank, or none (all together; default with --diff)"),
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
	.usage = "[-i] FILE... [-o OUT] [--folded] [--ops=LIST]\n       gpuflame --diff BEFORE [-i] AFTER [-o OUT]",
	.examples = "  gpuflame -i run.gst -o run.svg                  open it in a browser\n"
		    "  gpuflame -i run.gst --ops=all --folded | sort -k2 -t' ' -n\n"
		    "  gpurec -o - -- ./app | gpuflame -i - > app.svg\n"
		    "  gpuflame rank*.gst --by=rank -o job.svg         the ranks of a job\n",
	.groups = { { options, &set } },
	.operand = &options[0],
	.missing = "no recording named (gpuflame -i FILE)",
};

/* 0 or a reported usage error. */
static int check_inputs(void)
{
	bool twice = set.before || set.per == PER_STEP;
	int err = 0;

	if (set.before && set.input_n > 1)
		return fail_usage("--diff compares two recordings, not %u", set.input_n + 1);
	if (twice && set.before && !strcmp(set.before, "-"))
		err = -EINVAL;
	for (u32 i = 0; twice && i < set.input_n; i++)
		if (!strcmp(set.inputs[i], "-"))
			err = -EINVAL;
	if (err)
		return fail_usage("--diff and --per=step read a recording twice: it cannot be standard input");
	if (set.before)
		err = outfile_distinct(set.output, set.before);
	for (u32 i = 0; i < set.input_n && !err; i++)
		err = outfile_distinct(set.output, set.inputs[i]);
	return err;
}

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
	if (set.fold.by == FOLD_BY_UNSAID)
		set.fold.by = set.before ? FOLD_BY_NOTHING : FOLD_BY_THREAD;
	return check_inputs();
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
	if (set.fold.steps)
		fprintf(f, "; shown is a step of it; %s outside of steps is left out",
			human_ns(ns, s->no_step_ns));
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

/* NULL: no memory. The caller frees it. */
static struct flame_frame *flame_frames(const struct fold_frame *from, u32 n)
{
	static const enum flame_what whats[] = {
		[FOLD_OTHER] = FLAME_BY_NAME, [FOLD_PYTHON] = FLAME_PYTHON,
		[FOLD_OPERATOR] = FLAME_OPERATOR, [FOLD_ANNOTATION] = FLAME_ANNOTATION,
	};
	struct flame_frame *frames = calloc(n, sizeof(*frames));

	for (u32 i = 0; frames && i < n; i++)
		frames[i] = (struct flame_frame){ from[i].name, strlen(from[i].name),
						  whats[from[i].kind] };
	return frames;
}

static int put_stack(void *ctx, const struct fold_frame *from, u32 n, u64 ns)
{
	struct flame_frame *frames = flame_frames(from, n);
	int err = frames ? flame_add(ctx, frames, n, ns) : -ENOMEM;

	free(frames);
	return err;
}

static int put_before(void *ctx, const struct fold_frame *from, u32 n, u64 ns)
{
	struct flame_frame *frames = flame_frames(from, n);
	int err = frames ? flame_add_pair(ctx, frames, n, ns, 0) : -ENOMEM;

	free(frames);
	return err;
}

static int put_after(void *ctx, const struct fold_frame *from, u32 n, u64 ns)
{
	struct flame_frame *frames = flame_frames(from, n);
	int err = frames ? flame_add_pair(ctx, frames, n, 0, ns) : -ENOMEM;

	free(frames);
	return err;
}

/* All inputs in a message. */
static const char *inputs_name(void)
{
	return set.input_n == 1 ? set.inputs[0] : "the set of recordings";
}

static int nothing(struct fold *fold, const char *input)
{
	const struct fold_sums *s = fold_sums(fold);
	const char *other = "";

	if (set.fold.what < FOLD_API && set.fold.what != FOLD_ALL &&
	    s->type_ns[OP_KERNEL] + s->type_ns[OP_COPY] + s->type_ns[OP_SET] +
	    s->type_ns[OP_GRAPH])
		other = " (there are other GPU operations: --ops=all)";
	if (s->no_step_ns)
		other = " within its steps (--per=run)";
	return fail(0, "%s holds no %s%s", input, what_title(set.fold.what), other);
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
		warn("%s: %s", inputs_name(), lost);
	sub = subtitle(fold, info, lost, damage);
	if (set.fold.what == FOLD_ALL)
		snprintf(title, sizeof(title), "GPU time by CPU stack");
	else
		snprintf(title, sizeof(title), "%s time of %s by CPU stack",
			 set.fold.what == FOLD_API ? "CPU" : "GPU", what_title(set.fold.what));
	svg.title = set.title ? set.title : title;
	svg.subtitle = sub;
	svg.base = fold_outer(fold);
	err = tree && sub ? fold_each(fold, put_stack, tree) : -ENOMEM;
	if (err)
		fail(err, "cannot sum up %s", inputs_name());
	else
		err = write_tree(tree, &svg);
	flame_free(tree);
	free(lost);
	free(sub);
	return err;
}

/* The steps of recordings; *steps is NULL where there are none or none are wanted. */
static int find_steps(const char *const *paths, u32 n, struct steps **steps)
{
	const struct process_steps *const *list;
	int err = 0;

	*steps = NULL;
	if (set.per == PER_RUN || (set.per == PER_UNSAID && !set.before))
		return 0;
	err = steps_find(steps, paths, n, set.step);
	if (err || steps_list(*steps, &list))
		return err;
	steps_free(*steps);
	*steps = NULL;
	if (set.per != PER_STEP)
		return 0;
	return fail(0, "%s has no steps (--step=REGEX names them)",
		    n == 1 ? paths[0] : inputs_name());
}

/* ---- two recordings ---- */

struct side {
	const char *path;
	struct steps *steps;
	struct fold *fold;
};

static int side_read(struct side *s, bool per_step)
{
	struct fold_settings settings = set.fold;
	struct trace_info info;
	char *lost;
	int err;

	settings.plain = true;
	settings.steps = per_step ? s->steps : NULL;
	s->fold = fold_new(&settings);
	if (!s->fold)
		return fail(-ENOMEM, "cannot read %s", s->path);
	err = fold_read(s->fold, &s->path, 1, &info, NULL);
	if (!err && !fold_sums(s->fold)->total_ns)
		err = nothing(s->fold, s->path);
	lost = err ? NULL : say_lost(model_counts(fold_model(s->fold)));
	if (lost && *lost)
		warn("%s: %s", s->path, lost);
	free(lost);
	return err;
}

/* "kernels of a step: 1.20 ms before, 1.31 ms now (+9.2%)"; the caller frees it. */
static char *diff_subtitle(const struct flame_tree *tree, const struct side *sides,
			   bool per_step)
{
	u64 before = flame_total_before(tree), now = flame_total(tree);
	char a[16], b[16], *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	fprintf(f, "%s of %s: %s before, %s now", what_title(set.fold.what),
		per_step ? "a step" : "the whole run", human_ns(a, before), human_ns(b, now));
	if (before)
		fprintf(f, " (%+.1f%%)", ((double)now - before) * 100 / before);
	if (flame_gone(tree))
		fprintf(f, "; %s of before in stacks that are gone",
			human_ns(a, flame_gone(tree)));
	for (int i = 0; i < 2; i++) {
		const struct fold_sums *s = fold_sums(sides[i].fold);

		fprintf(f, "\n%s: %s: %s in %llu", i ? "now" : "before", sides[i].path,
			human_ns(a, s->total_ns), s->count);
		say_share(f, s->no_stack_ns, s->total_ns, "without a CPU stack");
		say_share(f, s->no_launch_ns, s->total_ns, "without a known launch");
		if (s->no_step_ns)
			fprintf(f, "; %s outside of steps left out",
				human_ns(a, s->no_step_ns));
	}
	fclose(f);
	return text;
}

static int diff_draw(struct side *sides, bool per_step)
{
	struct flame_tree *tree = flame_new();
	struct flame_options svg = set.svg;
	char title[80], *sub = NULL;
	int err = tree ? fold_each(sides[0].fold, put_before, tree) : -ENOMEM;

	if (!err)
		err = fold_each(sides[1].fold, put_after, tree);
	if (!err && !(sub = diff_subtitle(tree, sides, per_step)))
		err = -ENOMEM;
	snprintf(title, sizeof(title), "What changed: %s by CPU stack",
		 what_title(set.fold.what));
	svg.title = set.title ? set.title : title;
	svg.subtitle = sub;
	svg.colors = FLAME_CHANGE;
	if (err)
		fail(err, "cannot compare %s and %s", set.before, set.inputs[0]);
	else
		err = write_tree(tree, &svg);
	flame_free(tree);
	free(sub);
	return err;
}

static int diff(void)
{
	struct side sides[2] = { { .path = set.before }, { .path = set.inputs[0] } };
	bool per_step;
	int err = find_steps(&sides[0].path, 1, &sides[0].steps);

	if (!err)
		err = find_steps(&sides[1].path, 1, &sides[1].steps);
	per_step = sides[0].steps && sides[1].steps;
	for (int i = 0; i < 2 && !err; i++)
		err = side_read(&sides[i], per_step);
	if (!err)
		err = diff_draw(sides, per_step);
	for (int i = 0; i < 2; i++) {
		fold_free(sides[i].fold);
		steps_free(sides[i].steps);
	}
	demangle_free_all();
	return err;
}

static int one(void)
{
	struct fold *fold = fold_new(&set.fold);
	struct trace_info info = {};
	char *damage = NULL;
	int err;

	if (!fold)
		return fail(-ENOMEM, "cannot read %s", inputs_name());
	err = fold_read(fold, set.inputs, set.input_n, &info, &damage);
	if (!err && fold_sums(fold)->total_ns)
		err = draw(fold, &info, damage);
	else if (!err && !damage)
		err = nothing(fold, inputs_name());
	if (damage)
		err = fail(0, "%s", damage);
	free(damage);
	fold_free(fold);
	demangle_free_all();
	return err;
}

static int run(void)
{
	struct steps *steps;
	int err = find_steps(set.inputs, set.input_n, &steps);

	if (err)
		return err;
	set.fold.steps = steps;
	err = one();
	steps_free(steps);
	return err;
}

int main(int argc, char **argv)
{
	int code = program_options(&gpuflame, argc, argv);

	if (code >= 0)
		return code;
	if (check())
		return 2;
	return (set.before ? diff() : run()) ? 1 : 0;
}
