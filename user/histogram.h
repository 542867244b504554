/*
 * Durations: exact count, sum, min, max; percentiles by nearest rank (the value
 * at rank ceil(p * n / 100) of the sorted samples). Up to HISTOGRAM_EXACT samples
 * they are exact, and further while all histograms of the thread together hold
 * no more than HISTOGRAM_HELD; beyond, samples fall into 64 slots per power of two
 * and a percentile is the middle of its slot: at most HISTOGRAM_ERROR_PPM wrong.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include "types.h"

#define HISTOGRAM_EXACT     4096
#define HISTOGRAM_HELD	    (1u << 20)	/* 8 MiB; those up to HISTOGRAM_EXACT do not count */
#define HISTOGRAM_ERROR_PPM 7813	/* 1/128 */

struct histogram {		/* all zero is empty */
	u64 count, sum, min, max;
	u64 *samples;		/* NULL once they are in slots */
	u32 room;
	u32 *slots;		/* NULL while exact */
};

void histogram_add(struct histogram *h, u64 v);
u64 histogram_percentile(struct histogram *h, u32 percent);	/* 0 when empty */
u32 histogram_error_ppm(const struct histogram *h);	/* 0: percentiles are exact */
void histogram_free(struct histogram *h);

#endif
