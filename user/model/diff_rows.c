// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which kernels are the same on both sides. A name is one row; where all its large parts are
 * on both sides it is split by launch configuration, and these by call path. What is not large
 * stays together, so that a kernel that is launched from a hundred places is still seen.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "diff_parts.h"

/* Time of keys[] in the runs of a side, as a share of its kernel time. */
static double row_share(const struct diff *d, const struct diff_row *row, int side)
{
	double part = 0, all = 0;

	for (const struct diff_run *r = d->runs[side]; r; r = r->next) {
		all += r->kernel_ns;
		for (size_t i = 0; i < row->n; i++) {
			const struct diff_cell *c = diff_run_get(r, row->keys[i]);

			part += c ? c->sum_ns : 0;
		}
	}
	return all ? part / all : 0;
}

static bool row_present(const struct diff *d, const struct diff_row *row, int side)
{
	for (const struct diff_run *r = d->runs[side]; r; r = r->next)
		for (size_t i = 0; i < row->n; i++)
			if (diff_run_get(r, row->keys[i]))
				return true;
	return false;
}

/* ---- values ---- */

double diff_count(const struct diff *d, const struct diff_run *r, const struct diff_cell *c)
{
	return !c ? 0 : d->per_step && c->key->dim != DIM_FAULT ? c->step_count :
	       d->per_step ? (double)c->count / r->steps : c->count;
}

double diff_bytes(const struct diff *d, const struct diff_run *r, const struct diff_cell *c)
{
	return !c ? 0 : d->per_step && c->key->dim != DIM_FAULT ? c->step_bytes :
	       d->per_step ? (double)c->bytes / r->steps : c->bytes;
}

struct diff_gate *diff_gate_new(struct diff *d, const struct diff_key *key, const char *what,
				char unit)
{
	struct diff_gate *g = arena_alloc(&d->arena, sizeof(*g));

	g->key = key;
	g->what = what;
	g->unit = unit;
	g->share = NAN;
	g->weight = 1;
	g->p = g->p_adjusted = g->low = g->high = g->sd = NAN;
	for (int side = 0; side < DIFF_SIDES; side++)
		g->value[side] = arena_alloc(&d->arena,
					     (d->run_n[side] + 1) * sizeof(double));
	g->id = key->name[0] ? diff_textf(d, "%s.%s%s%s%s%s.%s", diff_dim_name(key->dim),
					  key->name, key->config[0] ? " " : "", key->config,
					  key->path[0] ? " " : "", key->path, what)
			     : diff_textf(d, "%s.%s", diff_dim_name(key->dim), what);
	return g;
}

/* Nanoseconds a launch on average. */
static void mean_values(const struct diff *d, const struct diff_row *row, struct diff_gate *g)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		double *v = g->value[side];

		for (const struct diff_run *r = d->runs[side]; r; r = r->next, v++) {
			double ns = 0, n = 0;

			for (size_t i = 0; i < row->n; i++) {
				const struct diff_cell *c = diff_run_get(r, row->keys[i]);

				ns += c ? c->sum_ns : 0;
				n += c ? c->count : 0;
			}
			*v = n ? ns / n : NAN;
		}
	}
}

static struct diff_gate *time_gate(struct diff *d, const struct diff_key *key,
				   const char *what, double share, const char *note)
{
	struct diff_gate *g = diff_gate_new(d, key, what, 'n');

	g->timed = true;
	g->kernel = true;
	g->slow = key->dim == DIM_KERNEL;
	g->share = share;
	g->note = note;
	pointers_add(&d->gates, g);
	return g;
}

static void gate_time(struct diff *d, struct diff_row *row, const struct diff_key *key,
		      double share)
{
	struct diff_gate *g = time_gate(d, key, "time", share, row->note);

	if (diff_row_times(d, row, g))
		mean_values(d, row, time_gate(d, key, "mean", share, row->note));
}

static struct diff_gate *count_gate(struct diff *d, struct diff_row *row,
				    const struct diff_key *key, bool bytes, double share)
{
	struct diff_gate *g = diff_gate_new(d, key, bytes ? "bytes" : "launches",
					    bytes ? 'b' : 'c');

	for (int side = 0; side < DIFF_SIDES; side++) {
		double *v = g->value[side];

		for (const struct diff_run *r = d->runs[side]; r; r = r->next, v++) {
			*v = 0;
			for (size_t i = 0; i < row->n; i++) {
				const struct diff_cell *c = diff_run_get(r, row->keys[i]);

				*v += bytes ? diff_bytes(d, r, c) : diff_count(d, r, c);
				g->unsteady |= c && d->per_step && !c->steady;
			}
		}
	}
	g->kernel = true;
	g->per_step = d->per_step;
	g->share = share;
	g->note = row->note;
	return g;
}

/* ---- splitting ---- */

static const char *key_part(const struct diff_key *k, int level)
{
	return level == 0 ? k->name : level == 1 ? k->config : k->path;
}

static int compare_at(const void *a, const void *b, int level)
{
	const struct diff_key *x = *(const struct diff_key *const *)a;
	const struct diff_key *y = *(const struct diff_key *const *)b;

	if (x->dim != y->dim)
		return x->dim < y->dim ? -1 : 1;
	return strcmp(key_part(x, level), key_part(y, level));
}

static int compare_all(const void *a, const void *b)
{
	int order = compare_at(a, b, 0);

	order = order ? order : compare_at(a, b, 1);
	return order ? order : compare_at(a, b, 2);
}

/* The run of keys from `from` on that are the same at this level. */
static struct diff_row part_at(const struct diff_row *row, size_t from, int level)
{
	struct diff_row part = { .keys = row->keys + from, .note = row->note };

	while (from + part.n < row->n &&
	       !compare_at(&row->keys[from], &row->keys[from + part.n], level))
		part.n++;
	return part;
}

static void emit(struct diff *d, struct diff_row *row, int level, const char *rest);

/* Parts that are large and on both sides get rows; 0: one is on one side alone. */
static bool may_split(const struct diff *d, const struct diff_row *row, int level)
{
	double least = diff_min_share(d);
	struct diff_row part;
	size_t parts = 0;

	for (size_t i = 0; i < row->n; i += part.n, parts++) {
		part = part_at(row, i, level);
		if (row_share(d, &part, DIFF_A) < least && row_share(d, &part, DIFF_B) < least)
			continue;
		if (!row_present(d, &part, DIFF_A) || !row_present(d, &part, DIFF_B))
			return false;
	}
	return true;
}

static void split(struct diff *d, struct diff_row *row, int level)
{
	double least = diff_min_share(d);
	struct diff_row part, rest = { .keys = must_alloc(row->n * sizeof(*rest.keys)) };
	size_t large = 0;

	for (size_t i = 0; i < row->n; i += part.n) {
		part = part_at(row, i, level);
		if (part.n == row->n || row_share(d, &part, DIFF_A) >= least ||
		    row_share(d, &part, DIFF_B) >= least) {
			large++;
			emit(d, &part, level + 1, NULL);
			continue;
		}
		memcpy(rest.keys + rest.n, part.keys, part.n * sizeof(*part.keys));
		rest.n += part.n;
	}
	if (rest.n)
		emit(d, &rest, 3, !large ? NULL : level == 1 ? "(other configurations)"
							     : "(other paths)");
	free(rest.keys);
}

/* What stands for the row: what all its keys have in common. */
static const struct diff_key *row_key(struct diff *d, const struct diff_row *row,
				      const char *rest)
{
	const struct diff_key *first = row->keys[0], *last = row->keys[row->n - 1];
	const char *none = diff_text(d, "");
	const char *config = first->config, *path = first->path;

	for (size_t i = 1; i < row->n; i++) {
		config = row->keys[i]->config == config ? config : none;
		path = row->keys[i]->path == path ? path : none;
	}
	if (first->name != last->name)
		return diff_key(d, first->dim, diff_text(d, "(other kernels)"), none, none);
	if (rest && config == none)
		config = diff_text(d, rest);
	else if (rest)
		path = diff_text(d, rest);
	return diff_key(d, first->dim, first->name, config, path);
}

static void one_sided(struct diff *d, struct diff_row *row, const struct diff_key *key,
		      double share)
{
	bool fresh = row_present(d, row, DIFF_B);
	struct diff_gate *g = count_gate(d, row, key, false, share);

	g->told = true;
	if (d->per_step && !(stats_mean(g->value[fresh ? DIFF_B : DIFF_A],
					d->run_n[fresh ? DIFF_B : DIFF_A]) > 0))
		g->note = "outside of a usual step";
	pointers_add(fresh ? &d->fresh : &d->vanished, g);
}

static void emit(struct diff *d, struct diff_row *row, int level, const char *rest)
{
	double share = fmax(row_share(d, row, DIFF_A), row_share(d, row, DIFF_B));
	const struct diff_key *key;
	bool collective;

	if (row_present(d, row, DIFF_A) && row_present(d, row, DIFF_B)) {
		if (level < 3 && may_split(d, row, level)) {
			split(d, row, level);
			return;
		}
		if (level < 3 && level > 0)
			row->note = level == 1 ? "launch configurations differ"
					       : "call paths differ";
	}
	key = row_key(d, row, rest);
	collective = key->dim == DIM_COLLECTIVE;
	if (!row_present(d, row, DIFF_A) || !row_present(d, row, DIFF_B)) {
		one_sided(d, row, key, share);
		return;
	}
	pointers_add(&d->gates, count_gate(d, row, key, false, share));
	if (collective)
		pointers_add(&d->gates, count_gate(d, row, key, true, share));
	if (share >= diff_min_share(d))
		gate_time(d, row, key, share);
}

/*
 * A kernel that has several rows is also tested as a whole: a change of all its launches is
 * seen by them together when no row shows it. The whole (or the only row's time) has half of
 * what one kernel may err, the rest shares the other half.
 */
static void whole(struct diff *d, struct diff_row *row, size_t from)
{
	double share = fmax(row_share(d, row, DIFF_A), row_share(d, row, DIFF_B));
	const char *none = diff_text(d, "");
	struct diff_gate *g, *first = NULL;
	size_t rows = 0, timed = 0;

	for (size_t i = from; i < d->gates.n; i++) {
		g = (struct diff_gate *)d->gates.list[i];
		first = first || !g->timed ? first : g;
		timed += g->timed;
		rows += g->timed && !strcmp(g->what, "time");
	}
	if (rows > 1) {
		first = time_gate(d, diff_key(d, row->keys[0]->dim, row->keys[0]->name, none,
					      none), "time", share, "as a whole");
		first->whole = true;
		diff_row_times(d, row, first);
		timed++;
	}
	for (size_t i = from; i < d->gates.n && timed > 1; i++) {
		g = (struct diff_gate *)d->gates.list[i];
		g->part = g->timed && g != first;
		g->weight = g == first ? 0.5 : 0.5 / (timed - 1);
	}
}

/* Kernels that are too small for a row of their own, together: time a launch, on average. */
static void others(struct diff *d, struct diff_row *small)
{
	double share = fmax(row_share(d, small, DIFF_A), row_share(d, small, DIFF_B));

	if (!small->n || share < diff_min_share(d))
		return;
	mean_values(d, small, time_gate(d, row_key(d, small, NULL), "mean", share, NULL));
}

/* Every key of a run once, in order. */
static struct diff_row all_keys(const struct diff *d)
{
	struct diff_row all = {};
	struct hash seen = {};
	size_t room = 0;

	for (int side = 0; side < DIFF_SIDES; side++)
		for (const struct diff_run *r = d->runs[side]; r; r = r->next)
			for (size_t i = 0; i < r->cells.n; i++) {
				const struct diff_cell *c = r->cells.list[i];

				if ((c->key->dim != DIM_KERNEL &&
				     c->key->dim != DIM_COLLECTIVE) ||
				    hash_get(&seen, hash_address(c->key)))
					continue;
				hash_put(&seen, hash_address(c->key), (void *)c->key);
				if (all.n == room) {
					room = room ? 2 * room : 256;
					all.keys = must_realloc(all.keys,
								room * sizeof(*all.keys));
				}
				all.keys[all.n++] = c->key;
			}
	hash_free(&seen);
	return all;
}

static void matched_shares(struct diff *d, const struct diff_row *both)
{
	for (int side = 0; side < DIFF_SIDES; side++)
		d->matched[side] += row_share(d, both, side);
}

static int by_share(const void *a, const void *b)
{
	const struct diff_gate *x = *(const struct diff_gate *const *)a;
	const struct diff_gate *y = *(const struct diff_gate *const *)b;

	if (!x->note != !y->note)
		return x->note ? 1 : -1;
	if (x->share != y->share)
		return x->share > y->share ? -1 : 1;
	return strcmp(x->id, y->id);
}

static void sort_by_share(struct pointers *list)
{
	if (list->n)
		qsort(list->list, list->n, sizeof(*list->list), by_share);
}

void diff_rows(struct diff *d)
{
	struct diff_row all = all_keys(d), part, small = {};
	size_t before;

	if (!all.n)
		return;
	qsort(all.keys, all.n, sizeof(*all.keys), compare_all);
	small.keys = must_alloc(all.n * sizeof(*small.keys));
	for (size_t i = 0; i < all.n; i += part.n) {
		bool both;

		part = part_at(&all, i, 0);
		both = row_present(d, &part, DIFF_A) && row_present(d, &part, DIFF_B);
		if (both)
			matched_shares(d, &part);
		if (both && part.keys[0]->dim == DIM_KERNEL &&
		    fmax(row_share(d, &part, DIFF_A), row_share(d, &part, DIFF_B)) <
			    diff_min_share(d)) {
			memcpy(small.keys + small.n, part.keys, part.n * sizeof(*part.keys));
			small.n += part.n;
		}
		before = d->gates.n;
		emit(d, &part, 1, NULL);
		whole(d, &part, before);
	}
	others(d, &small);
	free(small.keys);
	free(all.keys);
	sort_by_share(&d->fresh);
	sort_by_share(&d->vanished);
}
