// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Student's t, Holm, moderated variances; see diff_stats.h. */
#include <math.h>
#include <stdlib.h>
#include "arena.h"
#include "diff_stats.h"

#define TINY 1e-300

/* ---- distributions ---- */

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = 1 / (fabs(d) < TINY ? TINY : d);
	f = d;
	for (int m = 1; m < 2000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		for (int half = 0; half < 2; half++) {
			double term = half ? odd : even;

			d = 1 + term * d;
			d = 1 / (fabs(d) < TINY ? TINY : d);
			c = 1 + term / c;
			c = fabs(c) < TINY ? TINY : c;
			f *= d * c;
		}
		if (fabs(d * c - 1) < 1e-15)
			break;
	}
	return f;
}

double stats_beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x > 0;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	/* the fraction converges fast on this side of the mean alone */
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double stats_t_tail(double t, double df)
{
	double tail;

	if (isinf(df) || df > 1e8)
		return erfc(t / M_SQRT2) / 2;
	tail = stats_beta(df / 2, 0.5, df / (df + t * t)) / 2;
	return t > 0 ? tail : 1 - tail;
}

double stats_t_quantile(double tail, double df)
{
	double low = 0, high = 1;

	if (tail > 0.5)
		return -stats_t_quantile(1 - tail, df);
	while (high < 1e150 && stats_t_tail(high, df) > tail)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-14 * high; i++) {
		double middle = (low + high) / 2;

		if (stats_t_tail(middle, df) > tail)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* Both by recurrence to where the asymptotic series is exact to double precision. */
double stats_digamma(double x)
{
	double sum = 0, y;

	for (; x < 10; x++)
		sum -= 1 / x;
	y = 1 / (x * x);
	return sum + log(x) - 0.5 / x -
	       y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y / 132))));
}

double stats_trigamma(double x)
{
	double sum = 0, y;

	for (; x < 10; x++)
		sum += 1 / (x * x);
	y = 1 / (x * x);
	return sum + 1 / x + y / 2 +
	       y / x * (1.0 / 6 - y * (1.0 / 30 - y * (1.0 / 42 - y * (1.0 / 30 -
									   y * 5 / 66))));
}

double stats_trigamma_inverse(double y)
{
	double low = 1e-8, high = 1e8;	/* it falls from 1e16 to 1e-8 between them */

	for (int i = 0; i < 200 && high / low > 1 + 1e-14; i++) {
		double middle = sqrt(low * high);

		if (stats_trigamma(middle) > y)
			low = middle;
		else
			high = middle;
	}
	return sqrt(low * high);
}

/* ---- samples ---- */

double stats_mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return n ? sum / n : 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double stats_median(double *v, size_t n)
{
	if (!n)
		return 0;
	qsort(v, n, sizeof(*v), compare);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

double stats_squares(const double *v, size_t n)
{
	double mean = stats_mean(v, n), sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return sum;
}

struct ranked { double p, weight; size_t at; };

static int ranked_compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->p < y->p ? -1 : x->p > y->p;
}

void stats_holm(const double *p, const double *weight, double *adjusted, size_t n)
{
	struct ranked *order = must_alloc((n + 1) * sizeof(*order));
	double worst = 0, left = 0;

	for (size_t i = 0; i < n; i++) {
		double w = weight ? weight[i] : 1;

		order[i] = (struct ranked){ p[i] / w, w, i };
		left += w;
	}
	qsort(order, n, sizeof(*order), ranked_compare);
	for (size_t i = 0; i < n; i++) {
		worst = fmax(worst, fmin(order[i].p * left, 1));
		adjusted[order[i].at] = worst;
		left -= order[i].weight;
	}
	free(order);
}

/* ---- variances ---- */

/*
 * If the true variances follow a scaled inverse chi-square, the logarithms of the samples'
 * have a known mean and spread: what they spread more than by chance says how much the true
 * ones differ (Smyth, section 6.2).
 */
struct stats_prior stats_prior_fit(const double *variance, const double *df, size_t n)
{
	struct stats_prior prior = {};
	double mean = 0, spread = 0, chance = 0;
	double *e = must_alloc((n + 1) * sizeof(*e));
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(variance[i] > 0) || !(df[i] > 0))
			continue;
		e[used] = log(variance[i]) - stats_digamma(df[i] / 2) + log(df[i] / 2);
		chance += stats_trigamma(df[i] / 2);
		used++;
	}
	if (used >= 2) {
		mean = stats_mean(e, used);
		spread = stats_squares(e, used) / (used - 1) - chance / used;
		prior.df = spread > 1e-8 ? 2 * stats_trigamma_inverse(spread) : INFINITY;
		prior.variance = spread > 1e-8 ? exp(mean + stats_digamma(prior.df / 2) -
						     log(prior.df / 2)) : exp(mean);
	}
	free(e);
	return prior;
}

double stats_f_tail(double f, double df1, double df2)
{
	return f > 0 ? stats_beta(df2 / 2, df1 / 2, df2 / (df2 + df1 * f)) : 1;
}

struct stats_prior stats_prior_for(const struct stats_prior *prior, double variance, double df)
{
	struct stats_prior own = *prior;

	if (prior->df > 0 && !isinf(prior->df))
		own.df *= fmin(1, 10 * stats_f_tail(variance / prior->variance, df, prior->df));
	return own;
}

double stats_moderate(const struct stats_prior *prior, double variance, double *df)
{
	double sum = prior->df + *df;

	if (isinf(prior->df)) {
		*df = INFINITY;
		return prior->variance;
	}
	if (prior->df > 0)
		variance = (prior->df * prior->variance + *df * variance) / sum;
	*df = sum;
	return variance;
}
