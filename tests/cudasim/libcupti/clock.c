// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The engine counts CLOCK_MONOTONIC; clients of CUPTI see CLOCK_REALTIME, or
 * the clock they registered. Both known faults of real CUPTIs are here on
 * request: the callback that comes too late (CUDASIM_CLOCK_LATCH) and the one
 * registered again (CUDASIM_TS_CORRUPT).
 */
#include <stdlib.h>
#include <time.h>
#include "state.h"

#define TRIES 20

static _Atomic(cupti_timestamp_fn) callback;
static atomic_bool latched;	/* GPU times stay on the default clock */
static atomic_int registrations, corrupt_left;

/* CUDASIM_REALTIME_STEP="MS@S": S seconds after the first look the wall clock jumps by MS. */
static int64_t realtime_step(void)
{
	static _Atomic uint64_t since;
	static const char *text;
	uint64_t now = core()->now(), unset = 0;
	const char *at;

	if (!text)
		text = core()->setting("REALTIME_STEP") ?: "";
	at = strchr(text, '@');
	if (!at)
		return 0;
	atomic_compare_exchange_strong(&since, &unset, now);
	return now - since >= strtod(at + 1, NULL) * 1e9 ? strtoll(text, NULL, 10) * 1000000 :
		0;
}

static uint64_t default_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec + realtime_step();
}

/*
 * How far CLOCK is ahead of the engine's: between two looks at the engine's
 * clock, the closest pair of some. A clock that reads between them is the same.
 */
static int64_t offset_measure(cupti_timestamp_fn clock)
{
	uint64_t before, there, after, width = ~0ULL;
	int64_t offset = 0;
	int i;

	for (i = 0; i < TRIES && width > 200; i++) {
		before = core()->now();
		there = clock();
		after = core()->now();
		if (before <= there && there <= after)
			return 0;
		if (after - before >= width)
			continue;
		width = after - before;
		offset = there - (before + width / 2);
	}
	return offset;
}

int64_t clock_offset(enum clock_of whose)
{
	cupti_timestamp_fn clock = callback;

	if (!clock || (whose == CLOCK_OF_GPU && latched))
		clock = default_clock;
	if (whose == CLOCK_OF_GPU && corrupt_left > 0 && atomic_fetch_sub(&corrupt_left, 1) > 0)
		clock = default_clock;
	return offset_measure(clock);
}

uint64_t clock_convert(enum clock_of whose, uint64_t monotonic)
{
	return monotonic + clock_offset(whose);
}

void clock_register(cupti_timestamp_fn now)
{
	int times = ++registrations;

	if (number_setting("CLOCK_LATCH", 0) && core()->context_count() > 0)
		latched = true;
	/* pytorch/pytorch#192021: the k-th registration spoils the first k kernels after it */
	if (number_setting("TS_CORRUPT", 0) && times > 1)
		corrupt_left = times;
	callback = now;
}
