// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A run's durations of one kernel as one number. Each key (launch configuration, call path) for
 * itself, weighted by how sure its number is, so that what they differ among each other is no
 * noise. Of a key:
 *
 *   the median; where the durations of all runs have a gap around their middle (two algorithms,
 *   two sizes), across which it jumps by chance, how far the run's quantiles lie from those of
 *   all runs, in the middle;
 *   or the mean of the logarithms between the first and the last tenth. It is the better one
 *   where a step launches the kernel with several sizes, always the same.
 *
 * Which of them is taken is what differs less between runs of one side.
 */
#include <stdlib.h>
#include "diff_parts.h"

#define GAP    0.04	/* between the 40th and the 60th percentile, as a logarithm */
#define LEVELS 49	/* quantiles: every 2 % */
#define RUNS_SD 0.003	/* that runs of one kernel differ by, at the least */
#define TENTH  4	/* the first of LEVELS that is not below the first tenth */

enum { MIDDLE, TRIMMED, WAYS };

struct summary {		/* of all runs: those of A, then those of B */
	u32 runs;
	struct samples *run;	/* of the key that is summed up */
	double *by[WAYS];	/* weighted sums of logarithms */
	double weight, modes;	/* sums over its keys; over those with a gap */
};

static double level(int i)
{
	return (i + 1) / (LEVELS + 1.0);
}

/* The middle of log(quantile of the run / quantile of all). */
static double shift(struct samples *run, struct samples *all, u64 unit)
{
	double ratio[LEVELS];
	size_t n = 0;

	for (int i = 0; i < LEVELS; i++) {
		double a = samples_quantile(all, level(i), unit);
		double b = samples_quantile(run, level(i), unit);

		if (a > 0 && b > 0)
			ratio[n++] = log(b / a);
	}
	return stats_median(ratio, n);
}

static double trimmed(struct samples *run, u64 unit)
{
	double sum = 0;

	for (int i = TENTH; i < LEVELS - TENTH; i++)
		sum += log(fmax(samples_quantile(run, level(i), unit), 0.5));
	return sum / (LEVELS - 2 * TENTH);
}

/* What the runs have of keys [from, to) of the row; false: one has nothing. */
static bool gather(const struct diff *d, const struct diff_row *row, size_t from, size_t to,
		   struct summary *s)
{
	struct samples *one = s->run;
	bool whole = true;

	for (int side = 0; side < DIFF_SIDES; side++)
		for (const struct diff_run *r = d->runs[side]; r; r = r->next, one++) {
			samples_free(one);
			for (size_t i = from; i < to; i++) {
				const struct diff_cell *c = diff_run_get(r, row->keys[i]);

				if (c)
					samples_merge(one, &c->times);
			}
			whole &= one->count > 0;
		}
	return whole;
}

/* How sure a run's number of the key is: its launches' spread, and what differs between runs of
 * any kernel. */
static double sureness(const struct summary *s, struct samples *all, u64 unit)
{
	double low = samples_quantile(all, 0.16, unit);
	double high = samples_quantile(all, 0.84, unit);
	double spread = low > 0 ? log(high / low) / 2 : 1;

	return 1 / (RUNS_SD * RUNS_SD + spread * spread * s->runs / all->count);
}

static void add_key(struct summary *s)
{
	struct samples all = {};
	double low, high, middle, weight;
	bool modes;
	u64 unit = 0;

	for (u32 i = 0; i < s->runs; i++) {
		unit = samples_unit(&s->run[i], unit);
		samples_merge(&all, &s->run[i]);
	}
	low = samples_quantile(&all, 0.4, unit);
	high = samples_quantile(&all, 0.6, unit);
	middle = log(fmax(samples_quantile(&all, 0.5, unit), 0.5));
	modes = low > 0 && log(high / low) > GAP;
	weight = sureness(s, &all, unit);
	for (u32 i = 0; i < s->runs; i++) {
		struct samples *one = &s->run[i];
		double median = log(fmax(samples_quantile(one, 0.5, unit), 0.5));

		if (!one->count)
			median = NAN;
		s->by[MIDDLE][i] += weight * (modes && one->count ?
					      middle + shift(one, &all, unit) : median);
		s->by[TRIMMED][i] += weight * (one->count ? trimmed(one, unit) : NAN);
	}
	s->weight += weight;
	s->modes += modes ? weight : 0;
	samples_free(&all);
}

/* Nanoseconds of the key in all runs. */
static double key_ns(const struct diff *d, const struct diff_key *key)
{
	double ns = 0;

	for (int side = 0; side < DIFF_SIDES; side++)
		for (const struct diff_run *r = d->runs[side]; r; r = r->next) {
			const struct diff_cell *c = diff_run_get(r, key);

			ns += c ? c->sum_ns : 0;
		}
	return ns;
}

/* The keys that all runs have, if they are most of the row; else all of it as one. */
static void add_keys(const struct diff *d, const struct diff_row *row, struct summary *s)
{
	double all = 0, used = 0, ns;

	for (size_t i = 0; i < row->n; i++) {
		ns = key_ns(d, row->keys[i]);
		all += ns;
		if (ns > 0 && gather(d, row, i, i + 1, s)) {
			add_key(s);
			used += ns;
		}
	}
	if (2 * used > all)
		return;
	for (int way = 0; way < WAYS; way++)
		for (u32 i = 0; i < s->runs; i++)
			s->by[way][i] = 0;
	s->weight = s->modes = 0;
	gather(d, row, 0, row->n, s);
	add_key(s);
}

/* How much the runs of a side differ. */
static double differ(const struct diff *d, const double *v)
{
	return stats_squares(v, d->run_n[DIFF_A]) +
	       stats_squares(v + d->run_n[DIFF_A], d->run_n[DIFF_B]);
}

bool diff_row_times(struct diff *d, const struct diff_row *row, struct diff_gate *g)
{
	struct summary s = { .runs = d->run_n[DIFF_A] + d->run_n[DIFF_B] };
	double level_by[WAYS];
	int way;

	s.run = must_alloc(s.runs * sizeof(*s.run));
	for (way = 0; way < WAYS; way++)
		s.by[way] = must_alloc(s.runs * sizeof(double));
	add_keys(d, row, &s);
	for (way = 0; way < WAYS; way++)
		level_by[way] = stats_mean(s.by[way], s.runs);
	way = differ(d, s.by[TRIMMED]) < 0.5 * differ(d, s.by[MIDDLE]) ? TRIMMED : MIDDLE;
	for (u32 i = 0; i < s.runs; i++) {
		double v = s.by[way][i] - level_by[way] + level_by[MIDDLE];
		int side = i >= d->run_n[DIFF_A];

		if (isnan(level_by[MIDDLE]))	/* a run has nothing of it */
			v = s.by[way = MIDDLE][i];
		g->value[side][i - side * d->run_n[DIFF_A]] = exp(v / s.weight);
		samples_free(&s.run[i]);
	}
	free(s.run);
	for (way = 0; way < WAYS; way++)
		free(s.by[way]);
	return 2 * s.modes > s.weight;
}
