// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* gpurec --cost: what the probes of all sets and the recorder itself took. */
#include <stdio.h>
#include "out.h"
#include "recorder.h"

static void print_programs(const struct costs *costs, const struct trap_cost *trap)
{
	static const char *const heads[] = { "<PROGRAM", "RUNS", "PROGRAM(ns)", "TRAP(ns)",
					     NULL };
	struct table *t = table_new(heads);

	for (size_t i = 0; i < costs->count; i++) {
		const struct cost_row *row = &costs->rows[i];

		table_cell(t, "%s", row->program);
		table_cell(t, "%llu", row->runs);
		table_cell(t, "%llu", row->run_ns / row->runs);
		table_cell(t, "%llu", trap_ns(trap, row->type));
	}
	warn("cost, in ns a run:");
	table_print(t, stderr, 0, "  ");
	table_free(t);
}

void record_cost(struct recorder *r, u64 span_ns, u64 own_ns)
{
	struct trap_cost trap = {};

	sets_costs(r);
	probe_stats_end();	/* it would be part of what is measured */
	if (costs_traps(&r->costs, &trap))
		warn("the cost of a trap is left out: it could not be measured");
	print_programs(&r->costs, &trap);
	costs_say_missed(&r->costs);
	warn("probes %.2f%% of one core, this program %.2f%%, in %.1f s",
	     100.0 * costs_ns(&r->costs, &trap) / span_ns, 100.0 * own_ns / span_ns,
	     span_ns / 1e9);
}
