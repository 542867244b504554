/*
 * Durations as values and how often each came. Exact up to SAMPLES_EXACT distinct
 * values, beyond that to SAMPLES_BITS significant bits (1 of 8192). When closed, at most
 * SAMPLES_KEPT values stay, each for an equal share; the median stays what it was.
 */
#ifndef DIFF_SAMPLES_H
#define DIFF_SAMPLES_H

#include <stddef.h>
#include "types.h"

#define SAMPLES_EXACT (1 << 14)
#define SAMPLES_BITS  13
#define SAMPLES_KEPT  511	/* odd: the one in the middle is the median */

struct weighted { u64 value, count; };

struct samples {		/* all zero is empty */
	struct weighted *list;
	size_t n, room;
	size_t sorted;		/* so many of list are in order and distinct */
	u64 count;
};

void samples_add(struct samples *s, u64 value, u64 count);
void samples_close(struct samples *s);
void samples_merge(struct samples *into, const struct samples *from);
/* By nearest rank: the value at rank ceil(percent * count / 100); 0 of nothing. */
u64 samples_percentile(struct samples *s, u32 percent);
/* What all values are a multiple of: the clock's resolution. 1 of nothing. */
u64 samples_unit(const struct samples *s, u64 unit);
/* The value below which `share` of them lie, those of a value spread evenly over the unit
 * around it: a clock of microseconds then hides no change of a tenth of one. */
double samples_quantile(struct samples *s, double share, u64 unit);
void samples_free(struct samples *s);

#endif
