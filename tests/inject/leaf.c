// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A leaf function that keeps locals on its stack across the USDT site: an attached nop5 pushes
 * on that stack. Built by tests/inject.bats with and without a red zone. Prints how often
 * locals were destroyed; correlations are 1..1000, so their sum is 500500. */
#include <stdio.h>
#include "types.h"
#include "usdt.h"

static __attribute__((noinline)) u32 leaf(u32 n)
{
	volatile u64 local[12];
	u32 i, bad = 0;

	for (i = 0; i < 12; i++)
		local[i] = n * 1000003ULL + i;
	usdt_api_enter(n, 1, 2, 3, 4);
	for (i = 0; i < 12; i++)
		bad |= local[i] != n * 1000003ULL + i;
	return bad;
}

int main(void)
{
	u32 n, bad = 0;

	for (n = 1; n <= 1000; n++)
		bad += leaf(n);
	printf("destroyed %u\n", bad);
	return 0;
}
