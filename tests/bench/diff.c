// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * gpudiff's gate: how often it is red for nothing, how often it sees +3 % on one of the 20
 * kernels with the most time. Runs are drawn from models of kernels (or, with FILE..., from the
 * durations of real recordings), which differ from run to run as named.
 *
 *   build/bench/diff [-n COMPARISONS] [-r RUNS] [FILE...]
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "diff_parts.h"
#include "diff_run.h"

#define KERNELS  16384
#define LAUNCHES 200
#define FEW      50	/* launches a run that say nothing of 3 %, drawn anew each time */

struct drawn {			/* a kernel of one path: durations to draw from */
	const char *name, *config, *path;
	double *ns;
	size_t n;
	double all;		/* their sum */
	size_t kernel;		/* number of its name, the most time first */
	u64 unit;		/* of the clock */
};

struct shape {			/* how runs differ */
	const char *name;
	double run, common;	/* sd of a kernel's factor in a run, and of all kernels' */
	double bimodal, tail;	/* share of kernels with two modes, with outliers */
};

static u64 state = 88172645463325252ULL;
static struct drawn sources[KERNELS];
static size_t source_n, kernel_n;
static u32 runs = 5, comparisons = 400;

static double uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return ((state * 0x2545f4914f6cdd1dULL >> 11) + 0.5) / (1ULL << 53);
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* ---- where durations come from ---- */

static void add_source(const char *name, const char *config, const char *path, double *ns,
		       size_t n)
{
	struct drawn *s = &sources[source_n];

	if (source_n == KERNELS)
		errx(1, "more than %d kernels", KERNELS);
	*s = (struct drawn){ strdup(name), strdup(config), strdup(path), ns, n, .unit = 1 };
	for (size_t i = 0; i < n; i++)
		s->all += ns[i];
	source_n++;
}

/* 60 kernels, the k-th takes 1/k of the first one's time; 3 % between launches. */
static void model_sources(const struct shape *shape)
{
	char name[32];

	source_n = 0;
	for (int k = 0; k < 60; k++) {
		double *ns = must_alloc(LAUNCHES * sizeof(*ns));
		bool two = uniform() < shape->bimodal, tail = uniform() < shape->tail;
		double share = uniform();	/* of the slow mode */

		for (int i = 0; i < LAUNCHES; i++) {
			ns[i] = 400000.0 / (k + 1) * (1 + 0.03 * normal());
			if (two && uniform() < share)
				ns[i] *= 1.3;
			if (tail && uniform() < 0.05)
				ns[i] *= exp(3 * uniform());
		}
		snprintf(name, sizeof(name), "kernel%d", k);
		add_source(name, "", "", ns, LAUNCHES);
	}
}

static void sources_free(void)
{
	for (size_t i = 0; i < source_n; i++) {
		free(sources[i].ns);
		free((char *)sources[i].name);
		free((char *)sources[i].config);
		free((char *)sources[i].path);
	}
	source_n = 0;
}

static void add_cell(const struct diff_cell *c, u64 unit)
{
	double *ns = must_alloc((c->count + 1) * sizeof(*ns));
	size_t n = 0;

	for (size_t k = 0; k < c->times.n; k++)
		for (u64 m = 0; m < c->times.list[k].count && n < c->count; m++)
			ns[n++] = c->times.list[k].value;
	add_source(c->key->name, c->key->config, c->key->path, ns, n);
	sources[source_n - 1].unit = unit;
}

static bool real_sources(const char *path)
{
	struct diff *d = diff_new();
	const struct diff_run *r;
	bool right = !diff_add(d, DIFF_A, path);
	u64 unit = 0;

	r = d->runs[DIFF_A];
	for (size_t i = 0; right && i < r->cells.n; i++) {
		const struct diff_cell *c = r->cells.list[i];

		if (c->key->dim == DIM_KERNEL)
			unit = samples_unit(&c->times, unit);
	}
	for (size_t i = 0; right && i < r->cells.n; i++) {
		const struct diff_cell *c = r->cells.list[i];

		if (c->key->dim == DIM_KERNEL && c->times.n)
			add_cell(c, unit);
	}
	diff_free(d);
	return right && source_n;
}

/* ---- a run ---- */

/* As a clock of that unit would have seen a launch that took so much longer. */
static u64 clocked(const struct drawn *s, double factor)
{
	double ns = s->ns[(size_t)(uniform() * s->n)] + (uniform() - 0.5) * (s->unit - 1);
	double units = fmax(round(ns * factor / s->unit), 1);

	return units * s->unit;
}

/* Launches are drawn with replacement; a run shifts all of a kernel's, and all kernels. */
static void draw_run(struct diff *d, int side, const struct shape *shape, size_t slow,
		     double factor)
{
	struct diff_run *r = diff_run_new(d, side, "drawn");
	double common = exp(shape->common * normal());
	double *shifts = must_alloc(kernel_n * sizeof(*shifts));

	for (size_t k = 0; k < kernel_n; k++)
		shifts[k] = common * exp(shape->run * normal()) * (k == slow ? factor : 1);
	for (size_t k = 0; k < source_n; k++) {
		const struct drawn *s = &sources[k];
		struct diff_cell *c = diff_run_cell(r, diff_key(d, DIM_KERNEL,
								diff_text(d, s->name),
								diff_text(d, s->config),
								diff_text(d, s->path)));

		for (size_t i = 0; i < s->n; i++) {
			u64 ns = clocked(s, shifts[s->kernel]);

			samples_add(&c->times, ns, 1);
			c->sum_ns += ns;
		}
		c->count = s->n;
		c->steady = true;
		r->kernels += c->count;
		r->kernel_ns += c->sum_ns;
		samples_close(&c->times);
	}
	free(shifts);
}

/* Bits: 1 some gate is red, 2 the slow one is. */
static int compare(const struct shape *shape, size_t slow, double factor)
{
	struct diff *d = diff_new();
	int red = 0;

	for (u32 i = 0; i < runs; i++) {
		draw_run(d, DIFF_A, shape, slow, 1);
		draw_run(d, DIFF_B, shape, slow, factor);
	}
	diff_any_machine(d);
	if (diff_compare(d))
		errx(1, "cannot compare");
	for (size_t i = 0; i < d->gates.n; i++) {
		const struct diff_gate *g = d->gates.list[i];

		if (g->verdict != DIFF_REGRESSED)
			continue;
		red |= 1;
		for (size_t k = 0; k < source_n; k++)
			if (sources[k].kernel == slow &&
			    !strcmp(g->key->name, sources[k].name))
				red |= 2;
	}
	diff_free(d);
	return red;
}

/* ---- the rates ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct drawn *)a)->name, ((const struct drawn *)b)->name);
}

/* Numbers the kernels by time, into which: those of the first 20 that have a gate (0.5 % of all
 * time) and not too few launches. How many. */
static size_t gated(size_t *which)
{
	double *all = must_alloc((source_n + 1) * sizeof(*all)), sum = 0, time;
	size_t n = 0, *place = must_alloc((source_n + 1) * sizeof(*place));
	size_t *launches = must_alloc((source_n + 1) * sizeof(*launches));

	qsort(sources, source_n, sizeof(*sources), by_name);
	kernel_n = 0;
	for (size_t i = 0; i < source_n; i++) {
		kernel_n += !i || strcmp(sources[i].name, sources[i - 1].name);
		sources[i].kernel = kernel_n - 1;
		all[kernel_n - 1] += sources[i].all;
		launches[kernel_n - 1] += sources[i].n;
		sum += sources[i].all;
	}
	for (size_t k = 0; k < kernel_n; k++) {
		time = all[k];
		for (size_t m = 0; m < kernel_n; m++)
			place[k] += all[m] > time || (all[m] == time && m < k);
		if (place[k] < 20 && time >= 0.00505 * sum && launches[k] >= FEW)
			which[n++] = place[k];
	}
	for (size_t i = 0; i < source_n; i++)
		sources[i].kernel = place[sources[i].kernel];
	free(all);
	free(place);
	free(launches);
	return n;
}

static void rates(const char *name, const struct shape *shape)
{
	u32 red = 0, seen = 0;
	size_t which[20], top = gated(which);

	for (u32 i = 0; i < comparisons; i++) {
		red += !!compare(shape, kernel_n, 1);
		seen += top ? compare(shape, which[i % top], 1.03) >> 1 : 0;
	}
	printf("%-44.44s %-26s %5.1f %%     %5.1f %%   %zu of %zu\n", name, shape->name,
	       100.0 * red / comparisons, 100.0 * seen / comparisons, top,
	       kernel_n < 20 ? kernel_n : 20);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const struct shape shapes[] = {
		{ "runs alike to 0.3 %", 0.003, 0.01, 0, 0 },
		{ "runs alike to 0.5 %", 0.005, 0.02, 0, 0 },
		{ "to 0.5 %, half bimodal", 0.005, 0.02, 0.5, 0 },
		{ "to 0.5 %, half heavy tails", 0.005, 0.02, 0, 0.5 },
		{ "runs alike to 1 %", 0.01, 0.02, 0, 0 },
	};
	int c;

	while ((c = getopt(argc, argv, "n:r:")) != -1)
		*(c == 'n' ? &comparisons : &runs) = atoi(optarg);
	printf("%u comparisons of %u runs a side, defaults: red for nothing; +3 %% on a kernel of the top 20 seen\n",
	       comparisons, runs);
	printf("%-44s %-26s %7s     %7s   %s\n", "kernels of", "", "false", "seen", "gated");
	for (size_t i = 0; optind == argc && i < sizeof(shapes) / sizeof(*shapes); i++) {
		model_sources(&shapes[i]);
		rates("a model, 60 of 200 launches each", &shapes[i]);
		sources_free();
	}
	for (; optind < argc; optind++) {
		const char *base = strrchr(argv[optind], '/');

		if (real_sources(argv[optind]))
			rates(base ? base + 1 : argv[optind], &shapes[1]);
		sources_free();
	}
	return 0;
}
