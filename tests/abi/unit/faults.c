// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Stamps and records that are not as they should be, on request. */
#include "unit.h"

void kernels(int n)
{
	uint64_t start;

	while (n-- > 0) {
		start = monotonic();	/* arguments have no order */
		op(SIM_KERNEL, start, monotonic());
	}
}

static void zero_times(void)	/* CUDASIM_ZERO_TS=25 */
{
	struct cupti_kernel *k;
	int i, zero = 0;

	client_start();
	IS(cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	kernels(100);
	IS(cuptiActivityFlushAll(0), 0);
	for (i = 0; i < 100; i++) {
		k = nth(CUPTI_KIND_CONCURRENT_KERNEL, i);
		zero += k->start == 0 && k->end == 0;
	}
	IS(zero, 25);
}

static void inverted_times(void)	/* CUDASIM_INVERT_TS=20 */
{
	struct cupti_kernel *k;
	int i, inverted = 0;

	client_start();
	IS(cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	kernels(100);
	IS(cuptiActivityFlushAll(0), 0);
	for (i = 0; i < 100; i++) {
		k = nth(CUPTI_KIND_CONCURRENT_KERNEL, i);
		inverted += k->start && k->end < k->start;
	}
	IS(inverted, 20);
}

static void delayed(void)	/* CUDASIM_REC_DELAY_MS=3600000 */
{
	client_start();
	IS(cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	kernels(3);
	IS(cuptiActivityFlushAll(0), 0);
	IS(count(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	IS(cuptiActivityFlushAll(CUPTI_FLUSH_FORCED), 0);
	IS(count(CUPTI_KIND_CONCURRENT_KERNEL), 3);
}

const struct test fault_tests[] = {
	{ "zero-times", zero_times }, { "inverted-times", inverted_times },
	{ "delayed", delayed }, { NULL, NULL },
};
