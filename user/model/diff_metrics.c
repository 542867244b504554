// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is compared besides kernels: steps, copies, calls, waits, faults, idle times, delays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "diff_parts.h"

/* What is compared of the keys of a dimension. */
struct metric {
	u16 dim;
	const char *name;	/* NULL: any */
	const char *what;
	char unit;
	u8 percentile;		/* of the durations; 0: count or bytes by unit */
	bool slow, per_step, timed;
};

static const struct metric metrics[] = {
	{ DIM_STEP, "step", "time", 'n', 50, false, false, true },
	{ DIM_STEP, "kernels", "time", 'n', 50, true, true, true },
	{ DIM_STEP, "kernels", "launches", 'c', 0, false, true, false },
	{ DIM_COPY, NULL, "count", 'c', 0, false, true, false },
	{ DIM_COPY, NULL, "bytes", 'b', 0, false, true, false },
	{ DIM_COPY, NULL, "time", 'n', 50, false, false, true },
	{ DIM_API, NULL, "calls", 'c', 0, false, true, false },
	{ DIM_API, NULL, "time", 'n', 50, false, false, true },
	{ DIM_SYNC, NULL, "count", 'c', 0, false, true, false },
	{ DIM_SYNC, NULL, "time", 'n', 50, false, false, true },
	{ DIM_FAULT, NULL, "count", 'c', 0, false, true, false },
	{ DIM_FAULT, NULL, "bytes", 'b', 0, false, true, false },
	{ DIM_FAULT, NULL, "time", 'n', 50, false, false, true },
	{ DIM_IDLE, "gpu", "time", 'n', 50, false, true, true },
	{ DIM_IDLE, "gpu share", "time", 'm', 50, false, false, true },
	{ DIM_DELAY, NULL, "p50", 'n', 50, false, false, true },
	{ DIM_DELAY, NULL, "p95", 'n', 95, false, false, true },
	{}
};

/*
 * What grows when something else gets faster is told and not judged: how often a program asks
 * whether something is done, how long it waits for it, how far launches run ahead of the GPU.
 */
static bool told(const struct diff_key *key, bool timed)
{
	switch (key->dim) {
	case DIM_API:
		return strstr(key->name, "Query") ||
		       (timed && strstr(key->name, "Synchronize"));
	case DIM_SYNC:
		return timed;
	case DIM_DELAY:
		return true;
	default:
		return false;
	}
}

static double value_of(const struct diff *d, const struct diff_run *r, const struct metric *m,
		       const struct diff_key *key)
{
	struct diff_cell *c = (struct diff_cell *)diff_run_get(r, key);

	if (m->percentile)
		return c && c->times.count ? samples_percentile(&c->times, m->percentile) : NAN;
	return m->unit == 'b' ? diff_bytes(d, r, c) : diff_count(d, r, c);
}

/* Time in it as a share of the recordings, on the larger side. */
static double wall_share(const struct diff *d, const struct diff_key *key)
{
	double share = 0;

	for (int side = 0; side < DIFF_SIDES; side++) {
		double part = 0, all = 0;

		for (const struct diff_run *r = d->runs[side]; r; r = r->next) {
			const struct diff_cell *c = diff_run_get(r, key);

			part += c ? c->sum_ns : 0;
			all += r->last_ns - r->first_ns;
		}
		share = fmax(share, all ? part / all : 0);
	}
	return share;
}

static bool all_zero(const struct diff *d, const struct diff_gate *g)
{
	for (int side = 0; side < DIFF_SIDES; side++)
		for (u32 i = 0; i < d->run_n[side]; i++)
			if (g->value[side][i] > 0)
				return false;
	return true;
}

static void metric_gate(struct diff *d, const struct metric *m, const struct diff_key *key)
{
	struct diff_gate *g = diff_gate_new(d, key, m->what, m->unit);

	for (int side = 0; side < DIFF_SIDES; side++) {
		u32 i = 0;

		for (const struct diff_run *r = d->runs[side]; r; r = r->next, i++) {
			const struct diff_cell *c = diff_run_get(r, key);

			g->value[side][i] = value_of(d, r, m, key);
			g->unsteady |= !m->percentile && d->per_step && c && !c->steady &&
				       key->dim != DIM_FAULT;
		}
	}
	g->timed = m->timed;
	g->slow = m->slow;
	g->per_step = m->per_step && d->per_step;
	if (key->dim != DIM_STEP && key->dim != DIM_IDLE && key->dim != DIM_DELAY)
		g->share = wall_share(d, key);
	g->told = told(key, m->percentile);
	if (!all_zero(d, g))
		pointers_add(&d->gates, g);
}

static int by_name(const void *a, const void *b)
{
	const struct diff_key *x = *(const struct diff_key *const *)a;
	const struct diff_key *y = *(const struct diff_key *const *)b;

	return x->dim != y->dim ? (x->dim < y->dim ? -1 : 1) : strcmp(x->name, y->name);
}

static struct pointers other_keys(const struct diff *d)
{
	struct pointers keys = {};
	struct hash seen = {};

	for (int side = 0; side < DIFF_SIDES; side++)
		for (const struct diff_run *r = d->runs[side]; r; r = r->next)
			for (size_t i = 0; i < r->cells.n; i++) {
				const struct diff_cell *c = r->cells.list[i];

				if (c->key->dim == DIM_KERNEL ||
				    c->key->dim == DIM_COLLECTIVE ||
				    hash_get(&seen, hash_address(c->key)))
					continue;
				hash_put(&seen, hash_address(c->key), (void *)c->key);
				pointers_add(&keys, c->key);
			}
	hash_free(&seen);
	if (keys.n)
		qsort(keys.list, keys.n, sizeof(*keys.list), by_name);
	return keys;
}

void diff_metrics(struct diff *d)
{
	struct pointers keys = other_keys(d);

	for (size_t i = 0; i < keys.n; i++) {
		const struct diff_key *key = keys.list[i];

		for (const struct metric *m = metrics; m->what; m++)
			if (m->dim == key->dim && (!m->name || !strcmp(m->name, key->name)))
				metric_gate(d, m, key);
	}
	free(keys.list);
}
