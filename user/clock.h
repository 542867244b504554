/* Clocks as the trace counts them: nanoseconds. */
#ifndef CLOCK_H
#define CLOCK_H

#include <time.h>
#include "types.h"

static inline u64 clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static inline u64 now_ns(void)		/* the time of all records */
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
