/* What the programs of one run cost, those of objects that are closed, too. */
#ifndef COSTS_H
#define COSTS_H

#include "calibrate.h"
#include "probe.h"

struct cost_row {
	const struct probe_set *set;
	char program[64];
	u8 type;		/* enum probe_type */
	u64 runs, run_ns, missed;
};

struct costs {
	struct cost_row *rows;	/* of those that ran, as they came */
	size_t count;
};

/* Once for each object: after it is detached or at the end, before probe_close(). A set that
 * was opened again runs the same programs: they are added. */
void costs_take(struct costs *c, const struct probe_set *set, struct probe_object *o);
/* What their traps cost here, measured now (some 50 ms): after probe_stats_end(), else the
 * statistics are part of it. 0 or a negative errno, not reported. */
int costs_traps(const struct costs *c, struct trap_cost *t);
/* Programs and traps, of all of them or of one row. */
u64 costs_ns(const struct costs *c, const struct trap_cost *t);
u64 cost_row_ns(const struct cost_row *row, const struct trap_cost *t);
/* A line for each whose hits the kernel left out (user/missed.c). */
void costs_say_missed(const struct costs *c);
void costs_free(struct costs *c);

#endif
