// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "flame_words.h"
#include "out.h"

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

bool words_time(const struct flame_words *w)
{
	return w->out->value == FOLD_TIME || w->out->value == FOLD_VALUES;
}

const char *words_value(const struct flame_words *w)
{
	static const char *const titles[FOLD_VALUES] = {
		[FOLD_LAUNCHES] = "kernel launches", [FOLD_CPU] = "CPU time of launches",
		[FOLD_BYTES] = "bytes copied", [FOLD_UVM] = "service of unified memory",
	};

	return words_time(w) ? what_title(w->what) : titles[w->out->value];
}

void words_title(const struct flame_words *w, char *title, size_t size)
{
	const char *value = words_value(w);

	if (!words_time(w))
		snprintf(title, size, "%c%s by CPU stack", toupper(value[0]), value + 1);
	else if (w->what == FOLD_ALL)
		snprintf(title, size, "GPU time by CPU stack");
	else
		snprintf(title, size, "%s time of %s by CPU stack",
			 w->what == FOLD_API ? "CPU" : "GPU", value);
}

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

char *words_lost(const struct model_counts *c)
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

char *words_subtitle(const struct flame_words *w, struct fold *fold,
		     const struct trace_info *info, const char *lost, const char *damage)
{
	const struct model_counts *c = model_counts(fold_model(fold));
	const struct fold_sums *s = fold_sums(fold);
	bool sample = w->what & FOLD_SAMPLE;
	u64 graph_ns = !words_time(w) || w->what & (FOLD_GRAPH | FOLD_API | FOLD_SAMPLE) ?
		0 : s->type_ns[OP_GRAPH];
	char ns[16], *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	if (info->host[0])
		fprintf(f, "%s: ", info->host);
	if (!words_time(w) && strcmp(flame_out_unit(w->out), "ns"))
		fprintf(f, "%llu %s", s->values[w->out->value], flame_out_unit(w->out));
	else if (!words_time(w))
		fprintf(f, "%s", human_ns(ns, s->values[w->out->value]));
	else if (sample)
		fprintf(f, "%llu samples", s->count);
	else
		fprintf(f, "%s in %llu %s", human_ns(ns, s->total_ns), s->count,
			what_title(w->what));
	if (words_time(w)) {
		say_share(f, s->no_stack_ns, s->total_ns, "without a CPU stack");
		say_share(f, s->no_launch_ns, s->total_ns, "without a known launch");
	}
	if (w->per_step)
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

static char *human_value(const struct flame_words *w, char a[32], u64 value)
{
	if (!strcmp(flame_out_unit(w->out), "ns"))
		return human_ns(a, value);
	snprintf(a, 32, "%llu %s", value, flame_out_unit(w->out));
	return a;
}

/* "kernels of a step: 1.20 ms before, 1.31 ms now (+9.2%)"; the caller frees it. */
char *words_diff(const struct flame_words *w, const struct flame_tree *tree,
		 const struct flame_side *sides)
{
	u64 before = flame_total_before(tree), now = flame_total(tree);
	char a[32], b[32], *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	fprintf(f, "%s of %s: %s before, %s now", words_value(w),
		w->per_step ? "a step" : "the whole run", human_value(w, a, before),
		human_value(w, b, now));
	if (before)
		fprintf(f, " (%+.1f%%)", ((double)now - before) * 100 / before);
	if (flame_gone(tree))
		fprintf(f, "; %s of before in stacks that are gone",
			human_value(w, a, flame_gone(tree)));
	for (int i = 0; i < 2; i++) {
		const struct fold_sums *s = fold_sums(sides[i].fold);

		fprintf(f, "\n%s: %s: ", i ? "now" : "before", sides[i].path);
		if (!words_time(w)) {
			fprintf(f, "%s", human_value(w, a, s->values[w->out->value]));
			continue;
		}
		fprintf(f, "%s in %llu", human_ns(a, s->total_ns), s->count);
		say_share(f, s->no_stack_ns, s->total_ns, "without a CPU stack");
		say_share(f, s->no_launch_ns, s->total_ns, "without a known launch");
		if (s->no_step_ns)
			fprintf(f, "; %s outside of steps left out",
				human_ns(a, s->no_step_ns));
	}
	fclose(f);
	return text;
}

