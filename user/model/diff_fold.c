// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Stacks with their time on both sides, "frame;frame;[gpu] kernel A B": what draws a
 * differential flame graph. Nanoseconds a step; without steps B is scaled to A's launches.
 */
#include <stdlib.h>
#include <string.h>
#include "diff_view.h"

struct folded { const char *text; double ns[DIFF_SIDES]; };

static bool on_gpu(const struct diff_key *k)
{
	return k->dim == DIM_KERNEL || k->dim == DIM_COLLECTIVE || k->dim == DIM_COPY;
}

/* By what the time of a run is divided. */
static double unit(const struct diff *d, const struct diff_run *r)
{
	double first = d->runs[DIFF_A]->kernels;

	return d->run_n[r->side] * (d->per_step ? (double)r->steps : r->kernels / first);
}

static const char *stack_text(struct diff *d, const struct diff_key *k)
{
	char *name = strdup(k->name);
	const char *text;

	if (!name)
		abort();
	for (char *s = name; *s; s++)	/* what a folded line cannot carry */
		if (*s == ';' || *s == '\n')
			*s = *s == ';' ? ',' : ' ';
	text = diff_textf(d, "%s%s[gpu] %s%s", k->path, k->path[0] ? ";" : "",
			  k->dim == DIM_COPY ? "copy " : "", name);
	free(name);
	return text;
}

static void add_run(struct diff *d, const struct diff_run *r, struct hash *map,
		    struct pointers *all)
{
	for (size_t i = 0; i < r->cells.n; i++) {
		const struct diff_cell *c = r->cells.list[i];
		const char *text;
		struct folded *s;

		if (!on_gpu(c->key))
			continue;
		text = stack_text(d, c->key);
		s = hash_get(map, hash_address(text));
		if (!s) {
			s = arena_alloc(&d->arena, sizeof(*s));
			s->text = text;
			hash_put(map, hash_address(text), s);
			pointers_add(all, s);
		}
		s->ns[r->side] += c->sum_ns / unit(d, r);
	}
}

static int compare(const void *a, const void *b)
{
	return strcmp((*(const struct folded *const *)a)->text,
		      (*(const struct folded *const *)b)->text);
}

void diff_folded(struct diff *d, FILE *f)
{
	struct hash map = {};
	struct pointers all = {};

	for (int side = 0; side < DIFF_SIDES; side++)
		for (const struct diff_run *r = d->runs[side]; r; r = r->next)
			add_run(d, r, &map, &all);
	if (all.n)
		qsort(all.list, all.n, sizeof(*all.list), compare);
	for (size_t i = 0; i < all.n; i++) {
		const struct folded *s = all.list[i];

		fprintf(f, "%s %.0f %.0f\n", s->text, s->ns[DIFF_A], s->ns[DIFF_B]);
	}
	free(all.list);
	hash_free(&map);
}
