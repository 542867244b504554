// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --cost: time of the programs from the kernel's statistics, traps by calibration, bytes,
 * cores. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "arena.h"
#include "clock.h"
#include "costs.h"
#include "out.h"
#include "tool_run.h"

struct cost {
	u64 begin_ns, own_ns;
	struct costs programs;
};

struct sums { u64 elapsed_ns, own_ns, probe_ns; };

static u64 own_cpu_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000ULL +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000ULL;
}

int cost_begin(struct cost **c)
{
	int err = probe_stats_begin();

	*c = must_alloc(sizeof(**c));
	(*c)->begin_ns = now_ns();
	(*c)->own_ns = own_cpu_ns();
	return err ? fail(err, "cannot count what the probes cost") : 0;
}

void cost_free(struct cost *c)
{
	if (c)
		costs_free(&c->programs);
	free(c);
}

static void report_table(const struct cost *c, const struct trap_cost *t,
			 const struct sums *sum, const struct sink *s)
{
	static const char *const heads[] = { "<PROGRAM", "<KIND", "RUNS", "PROGRAM(ns)",
					     "TRAP(ns)", NULL };
	struct table *table = table_new(heads);
	char bytes[16];

	for (size_t i = 0; i < c->programs.count; i++) {
		const struct cost_row *p = &c->programs.rows[i];

		table_cell(table, "%s", p->program);
		table_cell(table, "%s", probe_type_name(p->type));
		table_cell(table, "%llu", p->runs);
		table_cell(table, "%llu", p->run_ns / p->runs);
		table_cell(table, "%llu", trap_ns(t, p->type));
	}
	warn("cost, in ns a run:");
	table_print(table, stderr, 0, "  ");
	table_free(table);
	costs_say_missed(&c->programs);
	if (t->uprobe_ns)
		warn("a probe on an instruction that the kernel must single-step: %llu ns instead of %llu",
		     t->stepped_ns, t->uprobe_ns);
	warn("probes %.2f%% of one core, this program %.2f%%, %s of records in %.1f s",
	     100.0 * sum->probe_ns / sum->elapsed_ns, 100.0 * sum->own_ns / sum->elapsed_ns,
	     human_bytes(bytes, s->bytes), sum->elapsed_ns / 1e9);
}

static void report_json(const struct cost *c, const struct trap_cost *t, const struct sums *sum,
			const struct sink *s)
{
	struct json j = { .f = s->out };

	json_object(&j, NULL);
	json_str(&j, "schema", "gpuscope.cost.0");
	json_u64(&j, "elapsed_ns", sum->elapsed_ns);
	json_u64(&j, "probe_ns", sum->probe_ns);
	json_u64(&j, "own_cpu_ns", sum->own_ns);
	json_u64(&j, "bytes", s->bytes);
	json_u64(&j, "stepped_trap_ns", t->stepped_ns);
	json_array(&j, "programs");
	for (size_t i = 0; i < c->programs.count; i++) {
		const struct cost_row *p = &c->programs.rows[i];

		json_object(&j, NULL);
		json_str(&j, "program", p->program);
		json_str(&j, "kind", probe_type_name(p->type));
		json_u64(&j, "runs", p->runs);
		json_u64(&j, "run_ns", p->run_ns);
		json_u64(&j, "missed", p->missed);
		json_u64(&j, "trap_ns_per_run", trap_ns(t, p->type));
		json_close(&j);
	}
	json_close(&j);
	json_close(&j);
}

void cost_take(struct cost *c, const struct probe_set *set, struct probe_object *o)
{
	costs_take(&c->programs, set, o);
}

void cost_report(struct cost *c, const struct sink *s)
{
	struct sums sum = { now_ns() - c->begin_ns, own_cpu_ns() - c->own_ns, 0 };
	struct trap_cost t;
	int err;

	probe_stats_end();	/* it would be part of what is calibrated */
	err = costs_traps(&c->programs, &t);
	if (err)
		warn("the cost of a trap is left out: it could not be calibrated: %s",
		     strerror(-err));
	sum.probe_ns = costs_ns(&c->programs, &t);
	if (s->set->json && !s->file)
		report_json(c, &t, &sum, s);
	else
		report_table(c, &t, &sum, s);
}
