// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A run: its steps are found, it is read, and what it says of each step is summed up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "diff_run.h"
#include "log.h"
#include "symbols.h"

struct diff_run *diff_run_new(struct diff *d, int side, const char *name)
{
	struct diff_run *r = must_alloc(sizeof(*r));
	const char *slash = strrchr(name, '/');

	r->d = d;
	r->side = side;
	r->name = diff_text(d, slash && slash[1] ? slash + 1 : name);
	if (!d->last[side])
		d->last[side] = &d->runs[side];
	*d->last[side] = r;
	d->last[side] = &r->next;
	d->run_n[side]++;
	return r;
}

const struct diff_cell *diff_run_get(const struct diff_run *r, const struct diff_key *key)
{
	return hash_get(&r->by_key, hash_address(key));
}

struct diff_cell *diff_run_cell(struct diff_run *r, const struct diff_key *key)
{
	struct diff_cell *c = hash_get(&r->by_key, hash_address(key));

	if (c)
		return c;
	c = arena_alloc(&r->arena, sizeof(*c));
	c->key = key;
	hash_put(&r->by_key, hash_address(key), c);
	pointers_add(&r->cells, c);
	return c;
}

void diff_run_free(struct diff_run *r)
{
	for (size_t i = 0; i < r->cells.n; i++)
		samples_free(&((struct diff_cell *)r->cells.list[i])->times);
	free(r->cells.list);
	hash_free(&r->by_key);
	arena_free(&r->arena);
	free(r);
}

/* ---- its steps ---- */

/* Processes of a job do the same steps: as many count as all of them have. */
static void steps_choose(struct diff_run *r)
{
	const struct process_steps *const *list;
	size_t n = steps_list(r->found, &list);

	for (size_t i = 0; i < n; i++)
		if (!i || list[i]->n < r->steps)
			r->steps = list[i]->n;
	if (!n || !r->steps)
		return;
	r->method = list[0]->method;
	snprintf(r->step_name, sizeof(r->step_name), "%s",
		 list[0]->name ? demangle(list[0]->name) : "");
	r->exact_calls = true;
	for (size_t i = 0; i < n; i++)
		r->exact_calls &= !list[i]->on_gpu;
	r->stride = (r->steps + DIFF_SLOTS - 1) / DIFF_SLOTS;
	r->slots = (r->steps + r->stride - 1) / r->stride;
	r->step_kernels = arena_alloc(&r->arena, r->slots * sizeof(*r->step_kernels));
}

static struct diff_cell *total_cell(struct diff_run *r, u16 dim, const char *name)
{
	const char *none = diff_text(r->d, "");

	return diff_run_cell(r, diff_key(r->d, dim, diff_text(r->d, name), none, none));
}

static void sum_steps(struct diff_run *r)
{
	const struct process_steps *const *list;
	size_t n = steps_list(r->found, &list);
	struct diff_cell *step = total_cell(r, DIM_STEP, "step");
	struct diff_cell *kernels = total_cell(r, DIM_STEP, "kernels");

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < list[i]->n; k++) {
			samples_add(&step->times, list[i]->list[k].end - list[i]->list[k].start,
				    1);
			step->count++;
		}
	for (u32 i = 0; i < r->slots; i++)
		samples_add(&kernels->times, r->step_kernels[i].bytes, 1);
	kernels->slots = arena_alloc(&r->arena, r->slots * sizeof(*kernels->slots));
	for (u32 i = 0; i < r->slots; i++)
		kernels->slots[i].count = r->step_kernels[i].count;
	kernels->count = r->kernels;
}

static void sum_idle(struct diff_run *r, u32 gpu)
{
	struct diff_cell *c;

	for (u32 i = 0; r->idle[gpu] && i < r->slots; i++) {
		struct diff_idle *x = &r->idle[gpu][i];

		if (!x->window_ns)
			continue;
		intervals_finish(&x->busy);
		c = total_cell(r, DIM_IDLE, "gpu");
		samples_add(&c->times, x->window_ns - intervals_busy(&x->busy), 1);
		intervals_free(&x->busy);
	}
	if (r->slots || !r->gpu_name[gpu])
		return;
	intervals_finish(&r->window[gpu]);
	c = total_cell(r, DIM_IDLE, "gpu share");	/* of a million */
	if (r->window[gpu].last > r->window[gpu].first)
		samples_add(&c->times, (unsigned __int128)1000000 *
			    intervals_idle(&r->window[gpu]) /
			    (r->window[gpu].last - r->window[gpu].first), 1);
}

/* ---- what a step has of each ---- */

/* The middle one of the steps, and whether most are like it: the first steps of a program and
 * some later ones (a checkpoint) do more. */
static double middle(const struct diff_slot *slots, u32 n, bool bytes, bool *steady)
{
	double v[DIFF_SLOTS], m;
	u32 like = 0;

	for (u32 i = 0; i < n; i++)
		v[i] = bytes ? slots[i].bytes : slots[i].count;
	m = stats_median(v, n);
	for (u32 i = 0; i < n; i++)
		like += v[i] == m;
	*steady &= 4 * like >= 3 * n;
	return 4 * like >= 3 * n ? m : stats_mean(v, n);
}

static void cell_finish(struct diff_run *r, struct diff_cell *c)
{
	samples_close(&c->times);
	c->steady = true;
	if (!r->slots || !c->slots)
		return;
	c->step_count = middle(c->slots, r->slots, false, &c->steady);
	c->step_bytes = middle(c->slots, r->slots, true, &c->steady);
	if (c->key->dim == DIM_API)
		c->steady &= r->exact_calls;
}

static void name_gpus(struct diff_run *r)
{
	size_t at = 0;

	for (u32 i = 0; i < DIFF_GPUS; i++) {
		u32 like = 1;

		for (u32 k = 0; r->gpu_name[i] && k < i; k++)
			like = r->gpu_name[k] == r->gpu_name[i] ? 0 : like;
		if (!r->gpu_name[i] || !like)
			continue;
		for (u32 k = i + 1; k < DIFF_GPUS; k++)
			like += r->gpu_name[k] == r->gpu_name[i];
		at += snprintf(r->gpus + at, sizeof(r->gpus) - at, "%s%u x %.40s",
			       at ? ", " : "", like, r->gpu_name[i]);
		if (at >= sizeof(r->gpus))
			return;
	}
}

static void run_finish(struct diff_run *r, const struct trace_info *info)
{
	const struct model_counts *c = model_counts(r->model);

	snprintf(r->driver, sizeof(r->driver), "%s", info->driver);
	snprintf(r->host, sizeof(r->host), "%s", info->host);
	r->records = c->records;
	r->first_ns = c->first_ns;
	r->last_ns = c->last_ns;
	r->simulated = c->simulated;
	r->lost = c->lost_unknown + c->blocks_missing;
	for (size_t i = 0; i < sizeof(c->lost) / sizeof(*c->lost); i++)
		r->lost += c->lost[i];
	name_gpus(r);
	if (r->slots)
		sum_steps(r);
	for (u32 i = 0; i < DIFF_GPUS; i++) {
		sum_idle(r, i);
		intervals_free(&r->window[i]);
	}
	for (size_t i = 0; i < r->cells.n; i++)
		cell_finish(r, (struct diff_cell *)r->cells.list[i]);
}

int diff_add(struct diff *d, int side, const char *path)
{
	struct diff_run *r = diff_run_new(d, side, path);
	struct trace_info info = {};
	char *damage = NULL;
	int err;

	r->path = path;
	err = steps_find(&r->found, &path, 1, d->pattern);
	if (err)
		return err;
	steps_choose(r);
	r->model = model_new(&diff_view, r);
	err = model_run(r->model, path, &info, &damage);
	if (!err)
		run_finish(r, &info);
	if (damage) {
		warn("%s (the part before is compared, its counts are not)", damage);
		r->damaged = true;
	}
	free(damage);
	model_free(r->model);
	steps_free(r->found);
	r->model = NULL;
	r->found = NULL;
	hash_free(&r->paths);
	hash_free(&r->names);
	demangle_free_all();
	return err;
}
