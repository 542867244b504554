// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A run's durations of one kernel as one number: the median. Where the durations of all runs
 * have a gap around their middle (two algorithms, two sizes), the median jumps across it by
 * chance; there it is how far the run's quantiles lie from those of all runs, in the middle.
 */
#include <stdlib.h>
#include "diff_parts.h"

#define GAP    0.04	/* between the 40th and the 60th percentile, as a logarithm */
#define LEVELS 49	/* quantiles: every 2 % */

static struct samples merged(const struct diff_run *r, const struct diff_row *row)
{
	struct samples all = {};

	for (size_t i = 0; i < row->n; i++) {
		const struct diff_cell *c = diff_run_get(r, row->keys[i]);

		if (c)
			samples_merge(&all, &c->times);
	}
	return all;
}

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

bool diff_row_times(struct diff *d, const struct diff_row *row, struct diff_gate *g)
{
	struct samples all = {}, one;
	double low, high, middle;
	u64 unit = 0;
	bool modes;

	for (int side = 0; side < DIFF_SIDES; side++)
		for (const struct diff_run *r = d->runs[side]; r; r = r->next) {
			one = merged(r, row);
			unit = samples_unit(&one, unit);
			samples_merge(&all, &one);
			samples_free(&one);
		}
	low = samples_quantile(&all, 0.4, unit);
	high = samples_quantile(&all, 0.6, unit);
	middle = samples_quantile(&all, 0.5, unit);
	modes = low > 0 && log(high / low) > GAP;
	for (int side = 0; side < DIFF_SIDES; side++) {
		double *v = g->value[side];

		for (const struct diff_run *r = d->runs[side]; r; r = r->next, v++) {
			one = merged(r, row);
			*v = !one.count ? NAN : modes ? middle * exp(shift(&one, &all, unit))
						      : samples_quantile(&one, 0.5, unit);
			if (!(*v > 0))
				*v = NAN;
			samples_free(&one);
		}
	}
	samples_free(&all);
	return modes;
}
