// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Findings: how one is made; the rules about launches, the driver, errors, the recording. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "finding_parts.h"
#include "out.h"

u64 share_pct(u64 part, u64 whole)
{
	return whole ? (u64)(100.0 * part / whole) : 0;
}

static const char *keep(struct finder *f, const char *text)
{
	return texts_add(&f->r->texts, text, strlen(text));
}

struct finding *finding_add(struct finder *f, const struct rule *rule, const char *about,
			    const char *fmt, ...)
{
	struct finding *x;
	char text[512];
	va_list ap;

	f->list = f->n & (f->n - 1) ? f->list :	/* 0 and powers of two: full */
		must_realloc(f->list, (f->n ? 2 * f->n : 1) * sizeof(*f->list));
	x = &f->list[f->n++];
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	*x = (struct finding){ .rule = rule->name, .about = keep(f, about),
			       .what = keep(f, text), .advice = rule->advice };
	return x;
}

void finding_prove(struct finding *x, const char *name, u64 value)
{
	if (x->evidence_n < EVIDENCE_MAX)
		x->evidence[x->evidence_n++] = (struct evidence){ name, value };
}

/* ---- errors of GPUs ---- */

static void xid_find(struct finder *f, const struct rule *rule, const struct xid_row *x)
{
	char place[XID_PLACE], call[96];
	struct finding *g;

	g = finding_add(f, rule, xid_row_place(x, place),
			"%s%s %u of %s (%u): %s; the last call before it: %s",
			xid_row_mark(x), x->x.nvswitch ? "SXid" : "Xid", x->x.code,
			x->x.comm[0] ? x->x.comm : x->process ? x->process->comm :
			"no known process", x->x.e.pid, xid_row_meaning(x),
			x->call_n ? xid_call_name(&x->calls[0], call, sizeof(call)) :
			"not known");
	g->advice = xid_row_advice(x);
	finding_prove(g, "code", x->x.code);
	finding_prove(g, "times", x->times);
	finding_prove(g, "calls_known_before_it", x->call_n);
}

static void xid_look(struct finder *f, const struct rule *rule)
{
	const struct uvm_report *u = &f->r->uvm;

	for (size_t i = 0; i < u->xid_n; i++)
		if (u->xids[i]->times)
			xid_find(f, rule, u->xids[i]);
}

/* ---- threads in the driver ---- */

/* pid -> its most costly call: rows are in order of cost */
static void driver_first(const struct uvm_report *u, struct hash *first)
{
	for (size_t i = 0; i < u->driver_n; i++)
		if (!hash_get(first, u->drivers[i]->process->pid))
			hash_put(first, u->drivers[i]->process->pid, u->drivers[i]);
}

static void driver_find(struct finder *f, const struct rule *rule, const struct thread_row *t,
			const struct driver_row *d)
{
	u64 wall = t->last_ns - t->first_ns;
	char about[64], name[96];
	struct finding *g;

	snprintf(about, sizeof(about), "thread %u of process %u", t->tid, t->pid);
	g = finding_add(f, rule, about,
			"%llu%% of the thread's time is in %llu calls of device drivers; the process's most costly: %s",
			share_pct(t->driver_ns, wall), t->driver_calls,
			driver_name(&d->call, name, sizeof(name)));
	finding_prove(g, "driver_ns", t->driver_ns);
	finding_prove(g, "wall_ns", wall);
	finding_prove(g, "driver_calls", t->driver_calls);
	finding_prove(g, "most_costly_ns", d->h.sum);
}

static void driver_look(struct finder *f, const struct rule *rule)
{
	const struct uvm_report *u = &f->r->uvm;
	struct hash first = {};

	driver_first(u, &first);
	for (size_t i = 0; i < u->thread_n; i++) {
		const struct thread_row *t = u->threads[i];
		const struct driver_row *d = hash_get(&first, t->pid);

		if (d && t->driver_calls >= DRIVER_CALLS &&
		    share_pct(t->driver_ns, t->last_ns - t->first_ns) >= DRIVER_PCT)
			driver_find(f, rule, t, d);
	}
	hash_free(&first);
}

/* ---- launches ---- */

static void launch_look(struct finder *f, const struct rule *rule)
{
	char about[32];

	for (size_t i = 0; i < f->r->gpu_n; i++) {
		const struct gpu_row *g = f->r->gpus[i];
		u64 busy = intervals_busy(&g->all), all = busy + intervals_idle(&g->all);
		u64 idle = g->all.gap_unlaunched_ns;
		struct finding *x;

		if (g->ops < LAUNCH_OPERATIONS || share_pct(idle, all) < LAUNCH_PCT)
			continue;
		snprintf(about, sizeof(about), "GPU %zu", i);
		x = finding_add(f, rule, about,
				"for %llu%% of the time between its first and last operation the GPU had nothing to do because nothing was launched",
				share_pct(idle, all));
		finding_prove(x, "idle_unlaunched_ns", idle);
		finding_prove(x, "busy_ns", busy);
		finding_prove(x, "first_to_last_ns", all);
		finding_prove(x, "operations", g->ops);
	}
}

/* Are graphs launched, whether or not their kernels are told? */
static bool graphs_used(const struct report *r)
{
	u64 launches = r->graphs.count + r->graph_kernels;

	for (size_t i = 0; i < r->ranks.n; i++)
		launches += r->ranks.list[i]->graph_launches;
	return launches;
}

static void tiny_look(struct finder *f, const struct rule *rule)
{
	struct report *r = f->r;
	u64 kernels = r->kernel_times.count;
	u64 median = histogram_percentile(&r->kernel_times, 50);
	u64 launch = r->launch_calls ? r->launch_ns / r->launch_calls : 0;
	struct finding *x;

	if (kernels < TINY_KERNELS || graphs_used(r) ||
	    !launch || median > launch || share_pct(r->kernels.n, kernels) > TINY_NAMES_PCT)
		return;
	x = finding_add(f, rule, "all launches",
			"half of the kernels run no longer than it takes to launch one, %zu kernels are launched over and over, and no CUDA graph is used",
			r->kernels.n);
	finding_prove(x, "kernels", kernels);
	finding_prove(x, "different_kernels", r->kernels.n);
	finding_prove(x, "kernel_median_ns", median);
	finding_prove(x, "launch_call_mean_ns", launch);
}

/* ---- the recording itself ---- */

static void loss_look(struct finder *f, const struct rule *rule)
{
	const struct model_counts *c = model_counts(f->r->model);
	u64 lost = lost_total(c);
	struct finding *x;

	if (!lost)
		return;
	x = finding_add(f, rule, "the recording",
			"records were lost: every sum is too small by what they held");
	finding_prove(x, "lost", lost);
	finding_prove(x, "records", c->records);
	finding_prove(x, "lost_pct", share_pct(lost, lost + c->records));
}

static void clock_look(struct finder *f, const struct rule *rule)
{
	const struct model_counts *c = model_counts(f->r->model);
	u64 ops = c->op_correlated + c->op_uncorrelated;
	struct finding *x;

	if (!c->op_early && !c->lost[LOST_CLOCK])
		return;
	x = finding_add(f, rule, "the recording",
			"operations start before the call that launched them, or have times that cannot be: the clocks of CPU and GPU disagree");
	finding_prove(x, "early", c->op_early);
	finding_prove(x, "impossible", c->lost[LOST_CLOCK]);
	finding_prove(x, "operations", ops);
}

static const struct rule rules[] = {
	{ "xid", xid_look, NULL },
	{ "driver_bound", driver_look,
	  "find what makes the calls (gpuflame, gpuioctl): allocate once and keep it, create streams, events and contexts outside of the loop" },
	{ "launch_bound", launch_look,
	  "let the host run ahead: fewer waits between launches, CUDA graphs, bigger launches, another thread for what is not launching; see the longest idle times" },
	{ "graph_absent", tiny_look,
	  "capture the repeated sequence into a CUDA graph, or fuse the kernels" },
	{ "losses", loss_look,
	  "record with bigger rings (gpurec --ring, --buffer) or fewer probe sets (--probes)" },
	{ "clock", clock_look,
	  "do not read delays from launch to start; start the program under gpurec, so that CUPTI takes its clock" },
	{}
};

static void look(struct finder *f, const struct rule *rule)
{
	for (; rule->name; rule++)
		rule->look(f, rule);
}

size_t findings(struct report *r, const struct finding **list)
{
	struct finder f = { .r = r };

	if (!r->findings_looked) {
		look(&f, uvm_rules);
		look(&f, rank_rules);
		look(&f, rules);
		r->findings = f.list;
		r->finding_n = f.n;
		r->findings_looked = true;
	}
	*list = r->findings;
	return r->finding_n;
}
