// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The sums of --cost: programs by the kernel's statistics, traps as measured here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "costs.h"
#include "log.h"

#define PROGRAMS_MAX 64		/* of a set */

static struct cost_row *row_of(struct costs *c, const struct probe_set *set,
			       const struct probe_cost *p)
{
	struct cost_row *row;

	for (row = c->rows; row < c->rows + c->count; row++)
		if (row->set == set && !strcmp(row->program, p->program))
			return row;
	c->rows = must_realloc(c->rows, (c->count + 1) * sizeof(*row));
	row = &c->rows[c->count++];
	*row = (struct cost_row){ .set = set, .type = p->type };
	snprintf(row->program, sizeof(row->program), "%s", p->program);
	return row;
}

void costs_take(struct costs *c, const struct probe_set *set, struct probe_object *o)
{
	struct probe_cost all[PROGRAMS_MAX];
	size_t n = probe_costs(o, all, PROGRAMS_MAX);

	for (const struct probe_cost *p = all; p < all + n; p++) {
		struct cost_row *row;

		if (!p->runs)
			continue;
		row = row_of(c, set, p);
		row->runs += p->runs;
		row->run_ns += p->run_ns;
		row->missed += p->missed;
	}
}

static bool has_types(const struct costs *c, u8 from, u8 to)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->rows[i].type >= from && c->rows[i].type <= to)
			return true;
	return false;
}

int costs_traps(const struct costs *c, struct trap_cost *t)
{
	return calibrate_types(t, has_types(c, PROBE_UPROBE, PROBE_USDT),
			       has_types(c, PROBE_KPROBE, PROBE_KRETPROBE_MULTI));
}

u64 cost_row_ns(const struct cost_row *row, const struct trap_cost *t)
{
	return row->run_ns + row->runs * trap_ns(t, row->type);
}

u64 costs_ns(const struct costs *c, const struct trap_cost *t)
{
	u64 sum = 0;

	for (size_t i = 0; i < c->count; i++)
		sum += cost_row_ns(&c->rows[i], t);
	return sum;
}

void costs_say_missed(const struct costs *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->rows[i].missed)
			warn("%s did not run %llu times: it ran on that CPU already",
			     c->rows[i].program, c->rows[i].missed);
}

void costs_free(struct costs *c)
{
	free(c->rows);
	*c = (struct costs){};
}
