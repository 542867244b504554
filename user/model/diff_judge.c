// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The test of times. The unit is the run: one logarithm of one median each. What all kernels of
 * a run have in common (clocks, heat, neighbours) is taken out first; variances borrow from
 * each other within their dimension and from what the baseline knows; all tests together are
 * corrected by Holm.
 */
#include <stdlib.h>
#include <string.h>
#include "diff_parts.h"

#define SPEED_ROWS   5		/* fewer kernels cannot tell the machine from themselves */
#define HISTORY_DF   8		/* a baseline that knows less has no say in the floor */
#define PRIOR_LEAST  10		/* fewer variances say nothing of each other */
#define MORE_MAX     50
#define SURE         0.05	/* of what is called unchanged, one side */

/* ---- logarithms of a side; absent and zero values are left out ---- */

static size_t logs(const struct diff *d, const struct diff_gate *g, int side, double *out)
{
	size_t n = 0;
	u32 i = 0;

	for (const struct diff_run *r = d->runs[side]; r; r = r->next, i++)
		if (g->value[side][i] > 0)
			out[n++] = log(g->value[side][i]) - (g->slow ? r->speed : 0);
	return n;
}

/* Means are noisier than medians: variances are alike within a dimension and a kind alone. */
static int kind(const struct diff_gate *g)
{
	return !strcmp(g->what, "mean");
}

/* ---- the machine ---- */

static bool in_all_runs(const struct diff *d, const struct diff_gate *g)
{
	for (int side = 0; side < DIFF_SIDES; side++)
		for (u32 i = 0; i < d->run_n[side]; i++)
			if (!(g->value[side][i] > 0))
				return false;
	return true;
}

static bool tells_speed(const struct diff *d, const struct diff_gate *g)
{
	return g->timed && g->kernel && !g->whole && g->slow && !kind(g) &&
	       g->share >= diff_min_share(d) && in_all_runs(d, g);
}

/* The middle of what its kernels are above or below their own mean over all runs. */
static double run_speed(const struct diff *d, int side, u32 at, const struct diff_gate **rows,
			size_t n, double *buf)
{
	for (size_t k = 0; k < n; k++) {
		double mean = 0;

		for (int s = 0; s < DIFF_SIDES; s++) {
			double sum = 0;

			for (u32 i = 0; i < d->run_n[s]; i++)
				sum += log(rows[k]->value[s][i]);
			mean += sum / d->run_n[s] / DIFF_SIDES;
		}
		buf[k] = log(rows[k]->value[side][at]) - mean;
	}
	return stats_median(buf, n);
}

static void take_speed(struct diff *d)
{
	const struct diff_gate **rows = must_alloc((d->gates.n + 1) * sizeof(*rows));
	double *buf = must_alloc((d->gates.n + 1) * sizeof(*buf));
	size_t n = 0;

	for (size_t i = 0; i < d->gates.n; i++)
		if (tells_speed(d, d->gates.list[i]))
			rows[n++] = d->gates.list[i];
	d->speed_taken = n >= SPEED_ROWS;
	for (int side = 0; d->speed_taken && side < DIFF_SIDES; side++) {
		u32 i = 0;

		for (struct diff_run *r = d->runs[side]; r; r = r->next, i++)
			r->speed = run_speed(d, side, i, rows, n, buf);
	}
	free(rows);
	free(buf);
}

/* The factor itself is a number that may regress. */
static void speed_gate(struct diff *d)
{
	const char *none = diff_text(d, "");
	struct diff_gate *g = diff_gate_new(d, diff_key(d, DIM_SPEED, diff_text(d, "machine"),
							none, none), "time", 'x');

	for (int side = 0; side < DIFF_SIDES; side++) {
		u32 i = 0;

		for (const struct diff_run *r = d->runs[side]; r; r = r->next)
			g->value[side][i++] = exp(r->speed);
	}
	g->timed = true;
	pointers_add(&d->gates, g);
}

/* ---- one gate ---- */

static bool constant(const double *v, u32 n)
{
	for (u32 i = 1; i < n; i++)
		if (v[i] != v[0])
			return false;
	return true;
}

/* A count that differs from run to run is as good as a time, if there are runs enough. */
static void if_varying_test(const struct diff *d, struct diff_gate *g)
{
	if (!g->timed && !g->unsteady && (d->per_step || d->same_windows) &&
	    in_all_runs(d, g) && d->run_n[DIFF_A] >= d->defaults.min_runs &&
	    d->run_n[DIFF_B] >= d->defaults.min_runs &&
	    (!constant(g->value[DIFF_A], d->run_n[DIFF_A]) ||
	     !constant(g->value[DIFF_B], d->run_n[DIFF_B])))
		g->timed = true;
}

struct pair {			/* a gate's two samples */
	double mean[DIFF_SIDES], squares;
	size_t n[DIFF_SIDES];
};

static struct pair pair_of(const struct diff *d, const struct diff_gate *g, double *buf)
{
	struct pair p = {};

	for (int side = 0; side < DIFF_SIDES; side++) {
		p.n[side] = logs(d, g, side, buf);
		p.mean[side] = stats_mean(buf, p.n[side]);
		p.squares += stats_squares(buf, p.n[side]);
	}
	return p;
}

static bool enough(const struct diff *d, const struct pair *p)
{
	u32 least = d->defaults.min_runs;

	return p->n[DIFF_A] >= least && p->n[DIFF_B] >= least;
}

static double pair_df(const struct pair *p)
{
	return (double)p->n[DIFF_A] + p->n[DIFF_B] - 2;
}

/* What earlier runs of the baseline taught counts as more samples of the variance; with those
 * that are in it, it is the history that the floor minds. */
static void add_noise(const struct diff *d, struct diff_gate *g, double *squares, double *df,
		      double *buf)
{
	const struct diff_noise *noise = hash_get(&d->noise, hash_address(g->id));
	size_t n = logs(d, g, DIFF_A, buf);
	double before = stats_squares(buf, n) + (noise ? noise->squares : 0);
	double before_df = (double)n - 1 + (noise ? noise->df : 0);

	if (d->baseline && before_df >= HISTORY_DF)
		g->history = sqrt(before / before_df);
	if (!noise)
		return;
	*squares += noise->squares;
	*df += noise->df;
}

static struct stats_prior prior_of(const struct diff *d, u16 dim, int of, double *buf)
{
	double *variance = must_alloc((d->gates.n + 1) * sizeof(double));
	double *df = must_alloc((d->gates.n + 1) * sizeof(double));
	struct stats_prior prior;
	size_t n = 0;

	for (size_t i = 0; i < d->gates.n; i++) {
		const struct diff_gate *g = d->gates.list[i];
		struct pair p;

		if (!g->timed || g->key->dim != dim || kind(g) != of || !diff_gated(d, g))
			continue;
		p = pair_of(d, g, buf);
		if (!enough(d, &p))
			continue;
		df[n] = pair_df(&p);
		variance[n++] = p.squares / pair_df(&p);
	}
	prior = n >= PRIOR_LEAST ? stats_prior_fit(variance, df, n) : (struct stats_prior){};
	prior.df = fmin(prior.df, 3 * n);	/* of few variances none is that sure */
	free(variance);
	free(df);
	return prior;
}

/* How many more runs a side would show a change of `effect` (a logarithm). */
static u32 more_runs(const struct diff_gate *g, const struct pair *p, double alpha,
		     double effect)
{
	size_t have = p->n[DIFF_A] < p->n[DIFF_B] ? p->n[DIFF_A] : p->n[DIFF_B], n;

	for (n = have + 1; n < have + MORE_MAX; n++) {
		double df = g->df + 2 * (n - have), se = g->sd * sqrt(2.0 / n);

		if ((stats_t_quantile(alpha, df) + stats_t_quantile(SURE, df)) * se <= effect)
			break;
	}
	return n - have;
}

static void test(struct diff *d, struct diff_gate *g, const struct stats_prior *prior,
		 double *buf)
{
	struct pair p = pair_of(d, g, buf);
	double change = p.mean[DIFF_B] - p.mean[DIFF_A], df = pair_df(&p), se, reach;
	double squares = p.squares;
	struct stats_prior own;

	g->center[DIFF_A] = p.n[DIFF_A] ? exp(p.mean[DIFF_A]) : NAN;
	g->center[DIFF_B] = p.n[DIFF_B] ? exp(p.mean[DIFF_B]) : NAN;
	g->delta = p.n[DIFF_A] && p.n[DIFF_B] ? expm1(change) : NAN;
	if (!enough(d, &p))
		return;
	add_noise(d, g, &squares, &df, buf);
	g->df = df;
	own = stats_prior_for(prior, squares / df, df);
	g->sd = sqrt(stats_moderate(&own, squares / df, &g->df));
	se = g->sd * sqrt(1.0 / p.n[DIFF_A] + 1.0 / p.n[DIFF_B]);
	g->p = se > 0 ? stats_t_tail(fabs(change) / se, g->df) : change ? 0 : 1;
	reach = stats_t_quantile(0.025, g->df) * se;
	g->low = expm1(change - reach);
	g->high = expm1(change + reach);
}

static void correct(struct diff *d)
{
	double *p = must_alloc((d->gates.n + 1) * sizeof(*p));
	double *adjusted = must_alloc((d->gates.n + 1) * sizeof(*adjusted));
	double *weight = must_alloc((d->gates.n + 1) * sizeof(*weight));
	size_t n = 0;

	for (size_t i = 0; i < d->gates.n; i++) {
		const struct diff_gate *g = d->gates.list[i];

		if (!g->timed || isnan(g->p) || !diff_gated(d, g))
			continue;
		weight[n] = g->weight;
		p[n++] = g->p;
	}
	stats_holm(p, weight, adjusted, n);
	n = 0;
	for (size_t i = 0; i < d->gates.n; i++) {
		struct diff_gate *g = (struct diff_gate *)d->gates.list[i];

		if (g->timed && !isnan(g->p) && diff_gated(d, g))
			g->p_adjusted = adjusted[n++];
	}
	free(p);
	free(adjusted);
	free(weight);
}

/* ---- verdicts ---- */

static void too_few(struct diff *d, struct diff_gate *g, const struct pair *p)
{
	size_t have = p->n[DIFF_A] < p->n[DIFF_B] ? p->n[DIFF_A] : p->n[DIFF_B];

	g->verdict = DIFF_INCONCLUSIVE;
	g->more = d->defaults.min_runs > have ? d->defaults.min_runs - have : 1;
	g->reason = diff_textf(d, "%zu and %zu runs: times take %u a side", p->n[DIFF_A],
			       p->n[DIFF_B], d->defaults.min_runs);
}

/* Not significant: is that because there is nothing, or because nothing could be seen? */
static void not_significant(struct diff *d, struct diff_gate *g, const struct pair *p,
			    size_t tests)
{
	double effect = log1p(3 * diff_floor(d, g)), change = log1p(g->delta);
	double se = g->sd * sqrt(1.0 / p->n[DIFF_A] + 1.0 / p->n[DIFF_B]);

	if (change + stats_t_quantile(SURE, g->df) * se < effect) {
		g->verdict = DIFF_UNCHANGED;
		return;
	}
	g->verdict = DIFF_INCONCLUSIVE;
	g->more = more_runs(g, p, d->defaults.alpha / (tests ? tests : 1), effect);
	g->reason = diff_textf(d, "noise of %.1f%% between runs: a change of %.1f%% could hide",
			       100 * g->sd, 100 * expm1(effect));
}

static void judge_time(struct diff *d, struct diff_gate *g, size_t tests, double *buf)
{
	struct pair p = pair_of(d, g, buf);

	g->floor = diff_floor(d, g);
	if (!p.n[DIFF_A] || !p.n[DIFF_B]) {
		g->reason = "on one side alone";
		return;
	}
	if (isnan(g->p))
		too_few(d, g, &p);
	else if (g->p_adjusted < d->defaults.alpha && fabs(g->delta) >= g->floor)
		g->verdict = g->delta > 0 ? DIFF_REGRESSED : DIFF_IMPROVED;
	else if (g->p_adjusted < d->defaults.alpha)
		g->verdict = DIFF_UNCHANGED;
	else
		not_significant(d, g, &p, tests);
}

/* ---- numbers that are exact ---- */

static void judge_varying(struct diff *d, struct diff_gate *g)
{
	double low[DIFF_SIDES], high[DIFF_SIDES];

	for (int side = 0; side < DIFF_SIDES; side++) {
		low[side] = high[side] = g->value[side][0];
		for (u32 i = 1; i < d->run_n[side]; i++) {
			low[side] = fmin(low[side], g->value[side][i]);
			high[side] = fmax(high[side], g->value[side][i]);
		}
	}
	g->verdict = DIFF_UNCHANGED;
	g->reason = "differs from run to run; the ranges of both sides meet";
	if (low[DIFF_B] <= high[DIFF_A] && low[DIFF_A] <= high[DIFF_B])
		return;
	g->verdict = DIFF_INCONCLUSIVE;
	g->reason = "differs from run to run, so it is not compared exactly";
	g->more = d->run_n[DIFF_A] < 5 ? 5 - d->run_n[DIFF_A] : 1;
}

/* Recordings of different length, without steps: is it as many as there are of the rest? Their
 * ends cut a repetition, so a tenth and two more or fewer are no news. */
static void judge_windows(struct diff *d, struct diff_gate *g)
{
	double mean[DIFF_SIDES] = {}, more;

	for (int side = 0; side < DIFF_SIDES; side++) {
		u32 i = 0;

		for (const struct diff_run *r = d->runs[side]; r; r = r->next, i++)
			mean[side] += g->value[side][i] / r->work / d->run_n[side];
	}
	more = mean[DIFF_B] - mean[DIFF_A];
	g->delta = mean[DIFF_A] > 0 ? more / mean[DIFF_A] : NAN;
	g->reason = "the recordings hold different amounts of work, and no steps are known";
	if (fabs(more) > 0.1 * mean[DIFF_A] + 2)
		return;
	g->verdict = DIFF_UNCHANGED;
	g->reason = "as many as there is of the rest: the recordings hold different amounts of work";
}

static void judge_exact(struct diff *d, struct diff_gate *g)
{
	const double *a = g->value[DIFF_A], *b = g->value[DIFF_B];

	for (int side = 0; side < DIFF_SIDES; side++)
		g->center[side] = stats_mean(g->value[side], d->run_n[side]);
	g->delta = g->center[DIFF_A] > 0 ? g->center[DIFF_B] / g->center[DIFF_A] - 1 :
		   g->center[DIFF_B] > 0 ? NAN : 0;
	if (d->counts_void) {
		g->reason = d->counts_void;
	} else if (!d->per_step && !d->same_windows) {
		judge_windows(d, g);
	} else if (g->unsteady) {
		g->verdict = DIFF_UNCHANGED;
		g->reason = "differs from step to step: told, not judged";
		if (g->delta != 0)
			g->verdict = DIFF_NONE;
	} else if (!constant(a, d->run_n[DIFF_A]) || !constant(b, d->run_n[DIFF_B])) {
		judge_varying(d, g);
	} else if (a[0] == b[0] || (g->key->dim == DIM_FAULT &&
				    fabs(g->delta) < diff_floor(d, g))) {
		g->verdict = DIFF_UNCHANGED;
	} else {
		g->verdict = b[0] > a[0] ? DIFF_REGRESSED : DIFF_IMPROVED;
		g->reason = b[0] > a[0] ? "more than before, in every run"
					: "fewer than before, in every run";
	}
}

/* Kernels that got faster leave more idle time behind: no harm while the step is not longer. */
static void idle_counts_with_step(struct diff *d)
{
	double step = NAN;

	for (size_t i = 0; i < d->gates.n; i++) {
		struct diff_gate *g = (struct diff_gate *)d->gates.list[i];

		if (g->key->dim == DIM_STEP && !strcmp(g->key->name, "step"))
			step = g->delta;
	}
	for (size_t i = 0; i < d->gates.n; i++) {
		struct diff_gate *g = (struct diff_gate *)d->gates.list[i];

		if (g->key->dim != DIM_IDLE || g->verdict != DIFF_REGRESSED || !(step <= 0))
			continue;
		g->verdict = DIFF_NONE;
		g->reason = "more, but the step is not longer";
	}
}

void diff_judge(struct diff *d)
{
	u32 runs = d->run_n[DIFF_A] > d->run_n[DIFF_B] ? d->run_n[DIFF_A] : d->run_n[DIFF_B];
	double *buf = must_alloc((runs + 1) * sizeof(*buf));
	struct stats_prior prior[DIMS][2];
	size_t tests = 0;

	take_speed(d);
	if (d->speed_taken)
		speed_gate(d);
	for (size_t i = 0; i < d->gates.n; i++)
		if_varying_test(d, (struct diff_gate *)d->gates.list[i]);
	for (u16 dim = 0; dim < DIMS; dim++)
		for (int of = 0; of < 2; of++)
			prior[dim][of] = prior_of(d, dim, of, buf);
	for (size_t i = 0; i < d->gates.n; i++) {
		struct diff_gate *g = (struct diff_gate *)d->gates.list[i];

		if (g->timed)
			test(d, g, &prior[g->key->dim][kind(g)], buf);
		if (g->key->dim == DIM_SPEED)
			d->speed_change = g->delta;
	}
	correct(d);
	for (size_t i = 0; i < d->gates.n; i++)
		tests += !isnan(((const struct diff_gate *)d->gates.list[i])->p_adjusted);
	for (size_t i = 0; i < d->gates.n; i++) {
		struct diff_gate *g = (struct diff_gate *)d->gates.list[i];

		if (g->timed)
			judge_time(d, g, tests, buf);
		else
			judge_exact(d, g);
		if (!diff_gated(d, g))
			g->verdict = DIFF_NONE;
	}
	idle_counts_with_step(d);
	diff_selection(d);
	for (size_t i = 0; i < d->gates.n; i++)
		diff_apply_budgets(d, (struct diff_gate *)d->gates.list[i]);
	free(buf);
}
