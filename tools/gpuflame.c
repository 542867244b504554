// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* gpuflame: a trace -> which code pays for GPU time, as a picture or as folded text. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "flame_out.h"
#include "flame_words.h"
#include "log.h"
#include "options.h"
#include "out.h"
#include "outfile.h"
#include "symbols.h"
#include "trace_set.h"

#define INPUTS_MAX 4096

static struct settings {
	const char *inputs[INPUTS_MAX];
	const char *before, *title, *step;
	u32 input_n;
	struct fold_settings fold;
	struct flame_out out;
	struct frame_rules rules;
	struct trace_window window;
	u32 per;
	bool trim;
} set = { .fold.by = FOLD_BY_UNSAID,
	  .out = { .value = FOLD_VALUES, .svg.min_width = FLAME_MIN_WIDTH } };

static struct flame_words words = { .out = &set.out };

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

static const struct enum_name values[] = {
	{ FOLD_TIME, "kernel-time" }, { FOLD_LAUNCHES, "launches" }, { FOLD_CPU, "launch-cpu" },
	{ FOLD_BYTES, "bytes" }, { FOLD_UVM, "uvm" }, {}
};
static const struct enum_name names[] = {
	{ NAMES_FULL, "full" }, { NAMES_SHORT, "short" }, { NAMES_BASE, "base" }, {}
};

#define ROW(member, key, name, arg, type, help)					\
	OPT_SET(struct settings, member, key, name, arg, type, help)

static const struct option_row options[] = {
	OPT_SET_STRINGS(struct settings, inputs, input_n, INPUTS_MAX, 'i', "input", "FILE",
			"a recording; - is standard input; several (the\nranks of a job): as one"),
	ROW(out.path, 'o', "output", "OUT", OPT_STRING,
	    "where to write (default: standard output)"),
	ROW(before, 0, "diff", "BEFORE", OPT_STRING,
	    "what changed since this recording: red grew, blue shrank"),
	OPT_SET_WORD(struct settings, per, 0, "per", "WHAT", OPT_WORD, pers,
		     "time of a step, or of the run; with --diff by default\nof a step, where both have steps"),
	ROW(step, 0, "step", "REGEX", OPT_STRING,
	    "annotations and NVTX ranges that are steps"),
	OPT_SET_STORE(struct settings, out.format, FLAME_SVG, 0, "svg",
		      "an interactive picture (default)"),
	OPT_SET_STORE(struct settings, out.format, FLAME_FOLDED, 0, "folded",
		      "folded text: \"frame;frame;frame NANOSECONDS\" lines"),
	OPT_SET_STORE(struct settings, out.format, FLAME_HTML, 0, "html",
		      "a page with all values, for large recordings"),
	OPT_SET_STORE(struct settings, out.format, FLAME_PPROF, 0, "pprof",
		      "pprof's format (gzip), all values, labels"),
	OPT_SET_STORE(struct settings, out.format, FLAME_SPEEDSCOPE, 0, "speedscope",
		      "speedscope's format, all values"),
	OPT_SET_WORD(struct settings, out.value, 0, "view", "VALUE", OPT_WORD, values,
		     "kernel-time (default), launches, launch-cpu (time in\ncalls that launch), bytes (copied), uvm (service time)"),
	OPT_SET_WORD(struct settings, fold.what, 0, "ops", "LIST", OPT_WORDS, ops,
		     "kernel (default), copy, set, graph; all of them; or api:\nCPU time within CUDA calls, or sample: what was sampled"),
	OPT_SET_WORD(struct settings, fold.by, 0, "by", "WHAT", OPT_WORD, bys,
		     "outermost frames: thread (process and thread, default),\n"
		     "process, rank, or none (all together; default with --diff)"),
	ROW(fold.whole_stacks, 0, "whole-stacks", NULL, OPT_SWITCH,
	    "keep frames of CUDA and of the recorder above the CUDA call"),
	OPT_SET(struct settings, rules.recursion, 0, "fold-recursion", NULL, OPT_SWITCH,
		"a function that calls itself is one frame"),
	ROW(trim, 0, "trim", NULL, OPT_SWITCH,
	    "frames inside CUDA, PyTorch, Python and C libraries are\none frame each time"),
	ROW(rules.libraries, 0, "trim-libraries", "REGEX", OPT_STRING,
	    "the same for files of these names"),
	OPT_SET_WORD(struct settings, rules.names, 0, "names", "HOW", OPT_WORD, names,
		     "of C++: full (default), short: without parameters and\ntemplate arguments, or base: the last part"),
	OPT_SET_WINDOW(struct settings, window),
	ROW(out.svg.inverted, 0, "inverted", NULL, OPT_SWITCH, "outermost frame at the top"),
	OPT_SET_RANGE(struct settings, out.svg.min_width, 0, "minwidth", "PIXELS", OPT_REAL, 0,
		      1000, "leave narrower frames out of the picture (0.1)"),
	ROW(title, 0, "title", "TEXT", OPT_STRING, "headline of the picture"),
	{}
};

static const struct program gpuflame = {
	.name = "gpuflame",
	.about = "which code pays for GPU time: a flame graph of a recording",
	.usage = "[-i] FILE... [-o OUT] [--folded|--html|--pprof|...] [--view=VALUE]\n       gpuflame --diff BEFORE [-i] AFTER [-o OUT]",
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
		err = outfile_distinct(set.out.path, set.before);
	for (u32 i = 0; i < set.input_n && !err; i++)
		err = outfile_distinct(set.out.path, set.inputs[i]);
	return err;
}

/* What the time is called in formats that name their values. */
static void name_time(void)
{
	bool api = set.fold.what == FOLD_API, sample = set.fold.what == FOLD_SAMPLE;

	if ((api || sample) && set.out.value == FOLD_VALUES)
		set.out.value = FOLD_TIME;
	if (set.fold.what != FOLD_KERNEL)
		set.out.time_type = api ? "cuda_api_time" : sample ? "samples" : "gpu_time";
	if (sample)
		set.out.time_unit = "count";
	set.out.svg.countname = sample ? "of the event" : flame_out_unit(&set.out);
	set.fold.values = flame_out_values(&set.out);
}

static int check_ops(void)
{
	if (set.fold.what && set.out.value != FOLD_VALUES && set.out.value != FOLD_TIME)
		return fail_usage("--ops says whose time it is: it goes with --view=kernel-time alone");
	if (!set.fold.what)
		set.fold.what = FOLD_KERNEL;
	if (set.fold.what & FOLD_API && set.fold.what != FOLD_API)
		return fail_usage("--ops: api is CPU time and does not add up with GPU operations");
	if (set.fold.what & FOLD_SAMPLE && set.fold.what != FOLD_SAMPLE)
		return fail_usage("--ops: samples do not add up with GPU operations");
	if (trace_window_asked(&set.window) && (set.before || set.per == PER_STEP))
		return fail_usage("--diff and --per=step take whole recordings: --from, --to and --last do not go with them");
	if (set.before && (set.out.format == FLAME_PPROF || set.out.format == FLAME_SPEEDSCOPE))
		return fail_usage("--diff is drawn as --svg, --folded or --html (pprof has its own -diff_base)");
	return 0;
}

/* 0 or a reported usage error. */
static int check(void)
{
	if (check_ops())
		return -EINVAL;
	name_time();
	if (set.fold.by == FOLD_BY_UNSAID)
		set.fold.by = set.before || set.out.format == FLAME_PPROF ? FOLD_BY_NOTHING :
			FOLD_BY_THREAD;
	set.fold.places = set.out.format == FLAME_PPROF;
	if (set.trim && !set.rules.libraries)
		set.rules.libraries = FRAME_LIBRARIES_USUAL;
	set.out.framer = framer_new(&set.rules);
	words.what = set.fold.what;
	return set.out.framer ? check_inputs() : -EINVAL;
}

/* ---- the work ---- */

/* All inputs in a message. */
static const char *inputs_name(void)
{
	return set.input_n == 1 ? set.inputs[0] : "the set of recordings";
}

static bool holds_any(struct fold *fold)
{
	unsigned values = flame_out_values(&set.out);
	u64 any = 0;

	for (int v = 0; v < FOLD_VALUES; v++)
		any |= values & 1U << v ? fold_sums(fold)->values[v] : 0;
	return any;
}

static int nothing(struct fold *fold, const char *input)
{
	const struct fold_sums *s = fold_sums(fold);
	const char *other = "";

	if (words_time(&words) && set.fold.what < FOLD_API && set.fold.what != FOLD_ALL &&
	    s->type_ns[OP_KERNEL] + s->type_ns[OP_COPY] + s->type_ns[OP_SET] +
	    s->type_ns[OP_GRAPH])
		other = " (there are other GPU operations: --ops=all)";
	if (s->no_step_ns)
		other = " within its steps (--per=run)";
	return fail(0, "%s holds no %s%s", input, words_value(&words), other);
}

static int draw(struct fold *fold, const struct trace_info *info,
		const char *damage)
{
	char *lost = words_lost(model_counts(fold_model(fold))), *sub;
	struct flame_out out = set.out;
	char title[80];
	int err;

	if (lost && *lost)
		warn("%s: %s", inputs_name(), lost);
	sub = words_subtitle(&words, fold, info, lost, damage);
	words_title(&words, title, sizeof(title));
	out.svg.title = set.title ? set.title : title;
	out.svg.subtitle = sub;
	out.svg.base = fold_outer(fold);
	err = sub ? flame_out_write(&out, fold, info) :
		fail(-ENOMEM, "cannot sum up %s", inputs_name());
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

static int side_read(struct flame_side *s, const struct steps *steps)
{
	struct fold_settings settings = set.fold;
	struct trace_info info;
	char *lost;
	int err;

	settings.plain = true;
	settings.steps = steps;
	s->fold = fold_new(&settings);
	if (!s->fold)
		return fail(-ENOMEM, "cannot read %s", s->path);
	err = fold_read(s->fold, &s->path, 1, &info, NULL);
	if (!err && !holds_any(s->fold))
		err = nothing(s->fold, s->path);
	lost = err ? NULL : words_lost(model_counts(fold_model(s->fold)));
	if (lost && *lost)
		warn("%s: %s", s->path, lost);
	free(lost);
	return err;
}

static int diff_draw(const struct flame_side *sides)
{
	struct flame_out out = set.out;
	struct flame_tree *tree;
	char title[80], *sub = NULL;
	int err = flame_out_pair(&out, sides[0].fold, sides[1].fold, &tree);

	if (!err && !(sub = words_diff(&words, tree, sides)))
		err = -ENOMEM;
	snprintf(title, sizeof(title), "What changed: %s by CPU stack", words_value(&words));
	out.svg.title = set.title ? set.title : title;
	out.svg.subtitle = sub;
	out.svg.colors = FLAME_CHANGE;
	if (err)
		fail(err, "cannot compare %s and %s", set.before, set.inputs[0]);
	else
		err = flame_out_tree(&out, tree);
	flame_free(tree);
	free(sub);
	return err;
}

static int diff(void)
{
	struct flame_side sides[2] = { { set.before }, { set.inputs[0] } };
	struct steps *steps[2] = {};
	int err = 0;

	for (int i = 0; i < 2 && !err; i++)
		err = find_steps(&sides[i].path, 1, &steps[i]);
	words.per_step = steps[0] && steps[1];
	for (int i = 0; i < 2 && !err; i++)
		err = side_read(&sides[i], words.per_step ? steps[i] : NULL);
	if (!err)
		err = diff_draw(sides);
	for (int i = 0; i < 2; i++) {
		fold_free(sides[i].fold);
		steps_free(steps[i]);
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
	if (trace_window_asked(&set.window))
		model_window(fold_model(fold), &set.window);
	err = fold_read(fold, set.inputs, set.input_n, &info, &damage);
	if (!err && holds_any(fold))
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
	words.per_step = steps;
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
	code = (set.before ? diff() : run()) ? 1 : 0;
	framer_free(set.out.framer);
	return code;
}
