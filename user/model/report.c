// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The report's life: made, run over a trace, sorted, freed; and what both printers ask. */
#include <stdlib.h>
#include <string.h>
#include "log.h"
#include "report_parts.h"
#include "trace_set.h"
#include "symbols.h"

struct report *report_new(void)
{
	struct report *r = must_alloc(sizeof(*r));

	r->model = model_new(&report_view, r);
	ranks_init(&r->ranks, r->model, NULL);
	return r;
}

static int row_compare(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;

	if (x->h.sum != y->h.sum)
		return x->h.sum > y->h.sum ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* By the time that the kernel took from the callers. */
static int host_compare(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
	u64 p = x->host.off_ns + x->host.ioctl_ns, q = y->host.off_ns + y->host.ioctl_ns;

	if (p != q)
		return p > q ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int stream_compare(const void *a, const void *b)
{
	const struct stream_row *x = *(struct stream_row *const *)a;
	const struct stream_row *y = *(struct stream_row *const *)b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	if (x->process != y->process)
		return x->process->pid < y->process->pid ? -1 : 1;
	return x->stream < y->stream ? -1 : x->stream > y->stream;
}

static int process_compare(const void *a, const void *b)
{
	const struct process_row *x = *(struct process_row *const *)a;
	const struct process_row *y = *(struct process_row *const *)b;

	if (x->kernel_ns != y->kernel_ns)
		return x->kernel_ns > y->kernel_ns ? -1 : 1;
	return x->process->pid < y->process->pid ? -1 : x->process->pid > y->process->pid;
}

#define SORT(list, n, compare) ((n) ? qsort(list, n, sizeof(*(list)), compare) : (void)0)

/* Kernels of one function, whatever its template arguments and namespaces. */
static void sum_short_names(struct report *r)
{
	const char *start, *name;
	struct histogram *h;
	struct row *row;
	size_t n;

	for (size_t i = 0; i < r->kernels.n; i++) {
		h = &r->kernels.list[i]->h;
		n = kernel_short_name(r->kernels.list[i]->name, &start);
		name = texts_add(&r->texts, start, n);
		row = rows_get(&r->short_names, &r->arena, name);
		row->h.count += h->count;
		row->h.sum += h->sum;
	}
	SORT(r->short_names.list, r->short_names.n, row_compare);
}

/* Standard input is read once: its steps cannot be known before. */
static int find_steps(struct report *r, const char *const *paths, size_t n, const char *pattern)
{
	struct steps *steps = NULL;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(paths[i], "-"))
			return pattern ? fail(0, "cannot find the steps of standard input: it is read once (write it to a file)") : 0;
	if (steps_find(&steps, paths, n, pattern))
		return -1;
	r->ranks.steps = steps;
	return 0;
}

void report_window(struct report *r, const struct trace_window *w)
{
	model_window(r->model, w);
	r->windowed = trace_window_asked(w);
}

int report_run(struct report *r, const char *const *paths, size_t n, const char *steps,
	       char **damage)
{
	int err;

	*damage = NULL;
	err = find_steps(r, paths, n, steps);

	if (err)
		return err;
	err = model_run_all(r->model, paths, n, &r->info, damage);

	r->damage = *damage;
	SORT(r->kernels.list, r->kernels.n, row_compare);
	SORT(r->apis.list, r->apis.n, row_compare);
	SORT(r->nvtx.list, r->nvtx.n, row_compare);
	SORT(r->nested.list, r->nested.n, row_compare);
	SORT(r->host_calls.list, r->host_calls.n, host_compare);
	SORT(r->streams, r->stream_n, stream_compare);
	SORT(r->processes, r->process_n, process_compare);
	sum_short_names(r);
	report_uvm_finish(r);
	ranks_finish(&r->ranks);
	for (size_t i = 0; i < r->gpu_n; i++) {
		intervals_finish(&r->gpus[i]->all);
		intervals_finish(&r->gpus[i]->kernels);
	}
	return err;
}

u64 report_records(const struct report *r)
{
	return model_counts(r->model)->records;
}

static void rows_free(struct rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		histogram_free(&rows->list[i]->h);
	free(rows->list);
	hash_free(&rows->by_name);
}

void report_free(struct report *r)
{
	for (size_t i = 0; i < r->gpu_n; i++) {
		intervals_free(&r->gpus[i]->all);
		intervals_free(&r->gpus[i]->kernels);
	}
	rows_free(&r->kernels);
	rows_free(&r->apis);
	rows_free(&r->nvtx);
	rows_free(&r->nested);
	rows_free(&r->short_names);
	ranks_free(&r->ranks);
	rows_free(&r->host_calls);
	histogram_free(&r->kernel_times);
	histogram_free(&r->launch_delay);
	report_uvm_free(&r->uvm);
	free(r->findings);
	hash_free(&r->stream_map);
	hash_free(&r->process_map);
	hash_free(&r->off_map);
	hash_free(&r->demangled);
	free(r->streams);
	free(r->processes);
	free(r->gpus);
	texts_free(&r->texts);
	arena_free(&r->arena);
	model_free(r->model);
	free(r);
	demangle_free_all();
}

u32 report_error_ppm(struct report *r)
{
	u32 ppm = histogram_error_ppm(&r->launch_delay);

	for (size_t i = 0; i < r->kernels.n; i++)
		ppm |= histogram_error_ppm(&r->kernels.list[i]->h);
	for (size_t i = 0; i < r->apis.n; i++)
		ppm |= histogram_error_ppm(&r->apis.list[i]->h);
	for (size_t i = 0; i < r->uvm.memory_n; i++)
		for (int side = 0; side < SIDES; side++)
			ppm |= histogram_error_ppm(&r->uvm.memories[i]->service[side]);
	for (size_t i = 0; i < r->uvm.driver_n; i++)
		ppm |= histogram_error_ppm(&r->uvm.drivers[i]->h);
	for (size_t i = 0; i < r->nvtx.n; i++)
		ppm |= histogram_error_ppm(&r->nvtx.list[i]->h);
	return ppm;
}

/* A layer that lost an unknown number counts as one: a total of 0 means nothing was lost. */
u64 lost_total(const struct model_counts *c)
{
	u64 total = __builtin_popcount(c->lost_unknown_where) + c->blocks_missing;

	for (size_t i = 0; i < sizeof(c->lost) / sizeof(*c->lost); i++)
		total += c->lost[i];
	return total;
}

struct sum copies_total(const struct report *r, int kind, int memory)
{
	struct sum total = {};

	for (int k = 0; k < COPY_KINDS; k++)
		for (int i = 0; i < MEMORY_KINDS; i++) {
			const struct sum *s = &r->copies[k][i];

			if ((kind >= 0 && k != kind) || (memory >= 0 && i != memory))
				continue;
			total.count += s->count;
			total.bytes += s->bytes;
			total.total_ns += s->total_ns;
			if (s->max_ns > total.max_ns)
				total.max_ns = s->max_ns;
		}
	return total;
}

static const char *schema_name(u16 kind, const char *field, s64 value)
{
	const char *name = record_enum_name(kind, field, value);

	return name ? name : "unknown";
}

const char *copy_kind_name(int kind)
{
	return schema_name(EVENT_COPY, "copy_kind", kind);
}

const char *memory_kind_name(int kind)
{
	return schema_name(EVENT_COPY, "src_kind", kind);
}

const char *sync_type_name(int type)
{
	return schema_name(EVENT_SYNC, "type", type);
}

const struct enum_name *lost_names(void)
{
	return record_enum_names(EVENT_LOST, "where");
}
