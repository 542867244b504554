// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The statistics of gpudiff, a line each: "t_tail 2.3 8" -> the value. holm and prior take
 * lists: "prior VARIANCE:DF ..." -> prior's df and variance, "samples VALUE:COUNT ..." -> the
 * median before and after closing and how many values are left.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "diff_samples.h"
#include "diff_stats.h"

#define MAX 64

static size_t numbers(char *s, double *v, size_t max)
{
	size_t n = 0;
	char *end;

	for (; n < max; s = end) {
		v[n] = strtod(s, &end);
		if (end == s)
			break;
		n++;
	}
	return n;
}

static void prior(char *s)
{
	double v[2 * MAX], variance[MAX], df[MAX];
	struct stats_prior p;
	size_t n;

	for (char *c = s; *c; c++)
		if (*c == ':')
			*c = ' ';
	n = numbers(s, v, 2 * MAX) / 2;
	for (size_t i = 0; i < n; i++) {
		variance[i] = v[2 * i];
		df[i] = v[2 * i + 1];
	}
	p = stats_prior_fit(variance, df, n);
	printf("%.15g %.15g %.15g\n", p.df, p.variance,
	       stats_moderate(&p, variance[3], &df[3]));
}

static void holm(char *s)
{
	double p[MAX], adjusted[MAX];
	size_t n = numbers(s, p, MAX);

	stats_holm(p, NULL, adjusted, n);
	for (size_t i = 0; i < n; i++)
		printf("%s%.6g", i ? " " : "", adjusted[i]);
	putchar('\n');
}

/* N values, the i-th (i * i * 7919) % MODULO + 1, each once. */
static void squares(char *s)
{
	struct samples all = {};
	double v[2];
	u64 before;

	if (numbers(s, v, 2) != 2)
		errx(1, "squares N MODULO");
	for (u64 i = 0; i < v[0]; i++)
		samples_add(&all, i * i * 7919 % (u64)v[1] + 1, 1);
	before = samples_percentile(&all, 50);
	samples_close(&all);
	printf("%llu %llu %llu %d\n", before, samples_percentile(&all, 50), all.count,
	       all.n <= SAMPLES_KEPT);
	samples_free(&all);
}

int main(void)
{
	char line[4096], name[32];
	double v[3];
	int at;

	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%31s%n", name, &at) != 1)
			continue;
		if (!strcmp(name, "prior"))
			prior(line + at);
		else if (!strcmp(name, "holm"))
			holm(line + at);
		else if (!strcmp(name, "squares"))
			squares(line + at);
		else if (numbers(line + at, v, 3) && !strcmp(name, "t_tail"))
			printf("%.15g\n", stats_t_tail(v[0], v[1]));
		else if (!strcmp(name, "t_quantile"))
			printf("%.15g\n", stats_t_quantile(v[0], v[1]));
		else if (!strcmp(name, "beta"))
			printf("%.15g\n", stats_beta(v[0], v[1], v[2]));
		else if (!strcmp(name, "f_tail"))
			printf("%.15g\n", stats_f_tail(v[0], v[1], v[2]));
		else if (!strcmp(name, "digamma"))
			printf("%.15g\n", stats_digamma(v[0]));
		else if (!strcmp(name, "trigamma"))
			printf("%.15g\n", stats_trigamma(v[0]));
		else if (!strcmp(name, "trigamma_inverse"))
			printf("%.15g\n", stats_trigamma_inverse(v[0]));
		else
			errx(1, "no such function: %s", name);
	}
	return 0;
}
