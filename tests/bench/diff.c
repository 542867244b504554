// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * gpudiff's gate: how often it is red for nothing, how often it sees +3 % on one of the 20
 * kernels with the most time. Runs are drawn from models of kernels (or, with FILE..., from the
 * durations of real recordings), which differ from run to run as named.
 *
 * Where a recording has steps the n-th launch of a step keeps its place: runs draw how far it
 * lies from the mean of that place. Without steps launches are drawn from all of a kernel's:
 * more noise than real runs have. Bound: what a test sees that knows all but the change.
 *
 *   build/bench/diff [-v] [-n COMPARISONS] [-r RUNS] [FILE...]
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "diff_parts.h"
#include "diff_run.h"
#include "symbols.h"

#define KERNELS  16384
#define LAUNCHES 200
#define FEW_DRIFTS 8	/* that say what a launch is like */
#define DRAWS    100	/* of a run, for its variance */
#define FEW      50	/* launches a run that say nothing of 3 %, drawn anew each time */

struct drawn {			/* a kernel of one path: durations to draw from */
	const char *name, *config, *path;
	double *ns;		/* of each launch; drifts: what its place in the step takes */
	size_t n, room;
	s32 *step;		/* of each launch; -1: none */
	double *drifts;		/* log of a launch over its place's, NULL: places are unknown */
	size_t drift_n;
	double all;		/* sum of ns */
	size_t kernel;		/* number of its name, the most time first */
	u64 unit;		/* of the clock */
};

struct shape {			/* how runs differ */
	const char *name;
	double run, common;	/* sd of a kernel's factor in a run, and of all kernels' */
	double bimodal, tail;	/* share of kernels with two modes, with outliers */
};

struct placed { u64 place; size_t launch; double log; };

static u64 state = 88172645463325252ULL;
static struct drawn sources[KERNELS];
static size_t source_n, kernel_n;
static u32 runs = 5, comparisons = 400;
static bool verbose, places;		/* launches keep their place in the step */

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

static struct drawn *add_source(const char *name, const char *config, const char *path)
{
	struct drawn *s = &sources[source_n++];

	if (source_n == KERNELS)
		errx(1, "more than %d kernels", KERNELS);
	*s = (struct drawn){ strdup(name), strdup(config), strdup(path), .unit = 1 };
	return s;
}

static void add_launch(struct drawn *s, double ns, s32 step)
{
	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 16;
		s->ns = must_realloc(s->ns, s->room * sizeof(*s->ns));
		s->step = must_realloc(s->step, s->room * sizeof(*s->step));
	}
	s->ns[s->n] = ns;
	s->step[s->n++] = step;
	s->all += ns;
}

/* 60 kernels, the k-th takes 1/k of the first one's time; 3 % between launches. */
static void model_sources(const struct shape *shape)
{
	char name[32];

	source_n = 0;
	for (int k = 0; k < 60; k++) {
		bool two = uniform() < shape->bimodal, tail = uniform() < shape->tail;
		double share = uniform(), ns;	/* of the slow mode */
		struct drawn *s;

		snprintf(name, sizeof(name), "kernel%d", k);
		s = add_source(name, "", "");
		for (int i = 0; i < LAUNCHES; i++) {
			ns = 400000.0 / (k + 1) * (1 + 0.03 * normal());
			if (two && uniform() < share)
				ns *= 1.3;
			if (tail && uniform() < 0.05)
				ns *= exp(3 * uniform());
			add_launch(s, ns, -1);
		}
	}
}

static void sources_free(void)
{
	for (size_t i = 0; i < source_n; i++) {
		free(sources[i].ns);
		free(sources[i].step);
		free(sources[i].drifts);
		free((char *)sources[i].name);
		free((char *)sources[i].config);
		free((char *)sources[i].path);
	}
	source_n = 0;
}

/* Its kernels go to sources[], those of a key in the order of their launches. */
static int read_op(void *ctx, const struct gpu_op *op)
{
	struct diff_run *r = ctx;
	const struct process_steps *p;
	const struct step *step;
	struct diff_cell *c;
	u64 bytes;

	if (op->type != OP_KERNEL)
		return 0;
	c = diff_op_cell(r, op, &bytes);
	if (c->key->dim != DIM_KERNEL)
		return 0;
	if (!c->count)
		add_source(c->key->name, c->key->config, c->key->path);
	c->bytes = c->count++ ? c->bytes : source_n - 1;	/* whose it is */
	p = op->process ? steps_of(r->found, op->process->producer, op->process->pid) : NULL;
	step = p ? step_of(p, op) : NULL;
	add_launch(&sources[c->bytes], op->g->dur_ns, step ? step - p->list : -1);
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

/* Launch n of a step is the same work in each step: what its place takes is the mean over the
 * steps, how far each launch lies from that is its drift. */
static void find_drifts(struct drawn *s)
{
	struct placed *list = must_alloc(s->n * sizeof(*list));
	size_t from = 0, to;
	u32 place = 0;

	for (size_t i = 0; i < s->n; i++) {
		place = i && s->step[i] == s->step[i - 1] ? place + 1 : 0;
		list[i] = (struct placed){ s->step[i] < 0 ? (1ULL << 32) + i : place, i,
					   log(fmax(s->ns[i], 1)) };
	}
	qsort(list, s->n, sizeof(*list), by_place);
	s->drifts = must_alloc(s->n * sizeof(*s->drifts));
	for (; from < s->n; from = to) {
		double mean = 0;

		for (to = from; to < s->n && list[to].place == list[from].place; to++)
			mean += list[to].log;
		mean /= to - from;
		for (size_t i = from; i < to; i++) {
			s->ns[list[i].launch] = exp(mean);
			if (to - from >= 2)	/* n means hide a share of 1 / n of it */
				s->drifts[s->drift_n++] = (list[i].log - mean) *
					sqrt((to - from) / (to - from - 1.0));
		}
	}
	free(list);
}

/* Of a kernel with few drifts those of all kernels that take about as long count, too. */
static void borrow(struct drawn *s, const struct drawn *own)
{
	double mean = s->all / s->n, other;

	s->drifts = NULL;
	s->drift_n = 0;
	for (size_t i = 0; i < source_n; i++) {
		other = own[i].all / own[i].n;
		if (other < mean / 1.5 || other > mean * 1.5 || !own[i].drift_n)
			continue;
		s->drifts = must_realloc(s->drifts, (s->drift_n + own[i].drift_n) *
					 sizeof(*s->drifts));
		memcpy(s->drifts + s->drift_n, own[i].drifts,
		       own[i].drift_n * sizeof(*s->drifts));
		s->drift_n += own[i].drift_n;
	}
}

/* Where steps are known places are kept. Without steps launches are drawn from all of the
 * kernel: more noise than runs have. */
static void keep_places(void)
{
	struct drawn *own;

	for (size_t i = 0; i < source_n; i++)
		find_drifts(&sources[i]);
	own = must_alloc(source_n * sizeof(*own));
	memcpy(own, sources, source_n * sizeof(*own));
	for (size_t i = 0; i < source_n; i++)
		if (own[i].drift_n < FEW_DRIFTS)
			borrow(&sources[i], own);
	for (size_t i = 0; i < source_n; i++)
		if (own[i].drift_n < FEW_DRIFTS)
			free(own[i].drifts);
	free(own);
}

/* Most launches are of one of several steps. */
static bool steps_known(void)
{
	size_t all = 0, in = 0;
	s32 last = -1;

	for (size_t i = 0; i < source_n; i++)
		for (size_t k = 0; k < sources[i].n; k++, all++) {
			in += sources[i].step[k] >= 0;
			last = sources[i].step[k] > last ? sources[i].step[k] : last;
		}
	return last >= 1 && 2 * in > all;
}

static void find_unit(void)
{
	u64 unit = 0;

	for (size_t i = 0; i < source_n; i++)
		for (size_t k = 0; k < sources[i].n && unit != 1; k++)
			for (u64 a = sources[i].ns[k], b; a; a = b) {
				b = unit % a;
				unit = a;
			}
	for (size_t i = 0; i < source_n; i++)
		sources[i].unit = unit ? unit : 1;
}

static bool real_sources(const char *path)
{
	static const struct view view = { .op = read_op };
	struct diff *d = diff_new();
	struct diff_run *r = diff_run_new(d, DIFF_A, path);
	struct trace_info info = {};
	char *damage = NULL;
	bool right = !steps_find(&r->found, &path, 1, NULL);

	r->model = model_new(&view, r);
	right = right && !model_run(r->model, path, &info, &damage);
	free(damage);
	model_free(r->model);
	steps_free(r->found);
	hash_free(&r->paths);
	hash_free(&r->names);
	demangle_free_all();
	diff_free(d);
	find_unit();
	places = right && steps_known();
	if (places)
		keep_places();
	return right && source_n;
}

/* ---- a run ---- */

/* As a clock of that unit would have seen it: a launch begins anywhere between two ticks. */
static u64 clocked(const struct drawn *s, double ns)
{
	return fmax(floor(ns / s->unit + uniform()), 1) * s->unit;
}

static double draw(const struct drawn *s, size_t launch)
{
	if (s->drift_n)
		return s->ns[launch] * exp(s->drifts[(size_t)(uniform() * s->drift_n)]);
	return s->ns[(size_t)(uniform() * s->n)];
}

/* A run shifts all of a kernel's launches, and all kernels. */
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
			u64 ns = clocked(s, draw(s, i) * shifts[s->kernel]);

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

/* The variance of the best of a few ways to sum a run's launches up, where their places are
 * known: mean, a fifth trimmed on both sides, median and lower quartile of what they drift. */
static double best_variance(const struct drawn *s)
{
	double *v = must_alloc((s->n + 1) * sizeof(*v)), sum[4] = {}, squares[4] = {};
	double best = INFINITY;

	for (int draws = 0; draws < DRAWS; draws++) {
		double by[4];

		for (size_t i = 0; i < s->n; i++)
			v[i] = log(clocked(s, draw(s, i))) - (s->drift_n ? log(s->ns[i]) : 0);
		by[0] = stats_mean(v, s->n);
		by[1] = stats_median(v, s->n);	/* sorts */
		by[2] = stats_mean(v + s->n / 5, s->n - 2 * (s->n / 5));
		by[3] = v[s->n / 4];
		for (int k = 0; k < 4; k++) {
			sum[k] += by[k] / DRAWS;
			squares[k] += by[k] * by[k] / DRAWS;
		}
	}
	for (int k = 0; k < 4; k++)
		best = fmin(best, squares[k] - sum[k] * sum[k]);
	free(v);
	return fmax(best, 0);
}

/* How often a test sees it that knows all but the change: variances, places, which launches
 * are of the kernel. One side, 1 % of false alarms in all rows together. */
static double bound(const struct shape *shape, size_t kernel, double factor, size_t tests)
{
	double weight = 0, variance, v;

	for (size_t i = 0; i < source_n; i++) {
		if (sources[i].kernel != kernel)
			continue;
		v = best_variance(&sources[i]);
		weight += 1 / fmax(v, 1e-12);
	}
	variance = (1 / weight + shape->run * shape->run) * 2 / runs;
	return stats_t_tail(stats_t_quantile(0.01 / tests, INFINITY) -
			    log(factor) / sqrt(variance), INFINITY);
}

static void rates(const char *name, const struct shape *shape)
{
	u32 red = 0, seen = 0, of[20] = {};
	size_t which[20], top = gated(which);
	double most = 0, can[20];

	for (size_t i = 0; i < top; i++)
		most += (can[i] = bound(shape, which[i], 1.03, top)) / top;
	for (u32 i = 0; i < comparisons; i++) {
		red += !!compare(shape, kernel_n, 1);
		if (top && compare(shape, which[i % top], 1.03) >> 1)
			of[i % top]++;
	}
	for (size_t i = 0; i < top; i++)
		seen += of[i];
	for (size_t i = 0; verbose && i < top; i++)
		printf("  %5.1f %% seen, %5.1f %% could be: kernel %zu\n",
		       100.0 * of[i] * top / comparisons, 100 * can[i], which[i]);
	printf("%-44.44s %-26s %5.1f %%     %5.1f %%  %5.1f %%   %zu of %zu, launches %s\n", name,
	       shape->name, 100.0 * red / comparisons, 100.0 * seen / comparisons, 100 * most,
	       top, kernel_n < 20 ? kernel_n : 20, places ? "by place" : "of all");
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

	while ((c = getopt(argc, argv, "n:r:v")) != -1)
		if (c == 'v')
			verbose = true;
		else
			*(c == 'n' ? &comparisons : &runs) = atoi(optarg);
	printf("%u comparisons of %u runs a side, defaults: red for nothing; +3 %% on a kernel of the top 20 seen\n",
	       comparisons, runs);
	printf("%-44s %-26s %7s     %7s  %7s   gated\n", "kernels of", "", "false", "seen",
	       "bound");
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
