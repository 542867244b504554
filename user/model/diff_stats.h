/*
 * The statistics of a comparison of runs, without a library: Student's t by the
 * incomplete beta function, Holm's correction, and variances that borrow from
 * each other (moderated: Smyth 2004, the method of limma). The unit is always
 * the run; launches within a run are no independent samples.
 */
#ifndef DIFF_STATS_H
#define DIFF_STATS_H

#include <stddef.h>

/* The regularised incomplete beta function I_x(a, b). */
double stats_beta(double a, double b, double x);
double stats_t_tail(double t, double df);	/* P(T > t); df may be INFINITY */
double stats_t_quantile(double tail, double df);	/* t with P(T > t) == tail */
double stats_digamma(double x);		/* x > 0, as the next two */
double stats_trigamma(double x);
double stats_trigamma_inverse(double y);

double stats_mean(const double *v, size_t n);
double stats_median(double *v, size_t n);	/* sorts v; 0 of nothing */
double stats_squares(const double *v, size_t n);	/* sum of squares about the mean */

/* adjusted[i]: the smallest level at which Holm's procedure over all n rejects p[i]. weight: of
 * the error that may be made, how much is for each (Holm 1979, section 3); NULL: all alike. */
void stats_holm(const double *p, const double *weight, double *adjusted, size_t n);

struct stats_prior {		/* variances are about this, as sure as df more samples */
	double df, variance;	/* df 0: nothing is known, INFINITY: all are alike */
};

/* From sample variances, each of so many degrees of freedom; what is 0 does not count. */
struct stats_prior stats_prior_fit(const double *variance, const double *df, size_t n);
/* P(F > f) with so many degrees of freedom. */
double stats_f_tail(double f, double df1, double df2);
/* The prior for one that may not be like the others: the more it exceeds them, the less it
 * counts (after Phipson 2016), so that what is noisy is not taken for quiet. */
struct stats_prior stats_prior_for(const struct stats_prior *prior, double variance, double df);
/* A variance that takes both into account; *df grows by the prior's. */
double stats_moderate(const struct stats_prior *prior, double variance, double *df);

#endif
