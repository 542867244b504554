// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * All times are CLOCK_MONOTONIC. CUPTI that came too late to be told so gives
 * CLOCK_REALTIME: then pairs of both clocks, sampled all along, convert each
 * time by itself. The pairs are records, so that a reader can check it.
 */
#include "library.h"

static u64 realtime_ahead;	/* CLOCK_REALTIME minus CLOCK_MONOTONIC at the last pair */

static u64 clock_realtime(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (u64)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The narrowest of a few reads: an interrupt between two reads makes a pair wide. */
void clock_pair(void)
{
	u64 mono = 0, real = 0, width = ~0ULL;
	struct writer *w = writer_shared();
	struct clock_pair *pair;
	int i;

	for (i = 0; i < 20; i++) {
		u64 before = clock_now(), r = clock_realtime(), after = clock_now();

		if (after - before >= width)
			continue;
		width = after - before;
		mono = before + width / 2;
		real = r;
	}
	store_relaxed(&realtime_ahead, real - mono);
	pair = record_begin(w, EVENT_CLOCK, sizeof(*pair));
	if (!pair)
		return;
	pair->e.ts = mono;
	pair->e.tid = 0;
	pair->realtime_ns = real;
	pair->width_ns = width;
	pair->cupti_realtime = load_relaxed(&library.ring->clock_realtime);
	pair->pad = 0;
	record_end(w, pair);
}

u64 clock_convert(u64 ts)
{
	return ts - load_relaxed(&realtime_ahead);
}
