// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The report as text: what was recorded and lost, then what took the GPU's time. */
#include <string.h>
#include "out.h"
#include "report_print.h"

#define UNUSED_SHOWN 2	/* GPUs on which nothing ran, a line each */

/* "12.3" for 123 of 1000; "-" of nothing. */
char *percent(char *buf, u64 part, u64 whole)
{
	if (whole)
		snprintf(buf, 16, "%.1f", 100.0 * part / whole);
	else
		strcpy(buf, "-");
	return buf;
}

size_t shown(size_t n, u32 top)
{
	return top && n > top ? top : n;
}

void sum_cells(struct table *t, u64 total_ns, u64 count)
{
	char b[16];

	table_cell(t, "%s", human_ns(b, total_ns));
	table_cell(t, "%llu", count);
	table_cell(t, "%s", human_ns(b, total_ns / count));
}

void print_table(struct table *t, FILE *f, int width, const char *title, size_t rows,
		 size_t all)
{
	if (rows)
		fprintf(f, rows < all ? "\n%s (%zu of %zu)\n" : "\n%s\n", title, rows, all);
	if (rows)
		table_print(t, f, width, "  ");
	table_free(t);
}

static void print_lost(const struct model_counts *c, FILE *f)
{
	u64 total = lost_total(c);

	if (!total) {
		fputs("lost       nothing\n", f);
		return;
	}
	fprintf(f, "lost       %llu%s records:",
		total - __builtin_popcount(c->lost_unknown_where),
		c->lost_unknown ? " and an unknown number of" : "");
	for (const struct enum_name *n = lost_names(); n->name; n++) {
		if (c->lost_unknown_where >> n->value & 1)
			fprintf(f, " %s unknown", n->name);
		if (c->lost[n->value])
			fprintf(f, " %s %llu", n->name, c->lost[n->value]);
	}
	if (c->lost[0])
		fprintf(f, " other %llu", c->lost[0]);
	if (c->blocks_missing)
		fprintf(f, " blocks missing %llu", c->blocks_missing);
	fputs(" (sums below are too small by these)\n", f);
}

static void print_devices(const struct report *r, FILE *f)
{
	char a[16], b[16], p[16];
	size_t unused = 0;

	for (size_t i = 0; i < r->gpu_n; i++)
		unused += !r->gpus[i]->ops;
	for (size_t i = 0; i < r->gpu_n; i++) {
		const struct gpu_row *g = r->gpus[i];
		const char *name = g->device && g->device->d.name[0] ? g->device->d.name :
			"(unnamed)";
		u64 busy = intervals_busy(&g->all), idle = intervals_idle(&g->all);

		if (!g->ops && unused > UNUSED_SHOWN)
			continue;
		if (!g->ops) {
			out_line(f, "GPU %-6zu %s: nothing ran on it", i, name);
			continue;
		}
		out_line(f,
			 "GPU %-6zu %s: busy %s (%s%%), idle %s between its first and last operation",
			 i, name, human_ns(a, busy), percent(p, busy, busy + idle),
			 human_ns(b, idle));
	}
	if (unused > UNUSED_SHOWN)
		out_line(f, "GPUs       nothing ran on %zu others", unused);
}

#define SOURCES_SHOWN 4

/* From which files gpuimport made the recording. False: it did not. */
static bool print_sources(struct report *r, FILE *f)
{
	const struct process_info *const *list;
	size_t processes = model_processes(r->model, &list), n = 0;
	const struct source *s, *before = NULL;

	for (size_t i = 0; i < processes; i++) {
		s = list[i]->source;
		if (!s || (before && before->file == s->file &&
			   !strcmp((const char *)(before + 1), (const char *)(s + 1))))
			continue;
		before = s;
		if (n++ < SOURCES_SHOWN)
			out_line(f, "imported   %s (%s)", (const char *)(s + 1),
				 record_enum_name(EVENT_SOURCE, "format", s->format) ?: "?");
	}
	if (n > SOURCES_SHOWN)
		out_line(f, "imported   and %zu more files", n - SOURCES_SHOWN);
	return n;
}

static void print_header(struct report *r, FILE *f)
{
	const struct model_counts *c = model_counts(r->model);
	const struct process_info *const *list;
	size_t processes = model_processes(r->model, &list);
	const struct trace_info *info = &r->info;
	char a[16];

	if (!print_sources(r, f) || info->host[0])
		out_line(f, "host       %s, Linux %s, %s%s", info->host[0] ? info->host : "?",
			 info->kernel[0] ? info->kernel : "?",
			 c->simulated ? "simulated GPU" : info->driver[0] ? "NVIDIA driver " :
			 "no NVIDIA driver", c->simulated ? "" : info->driver);
	out_line(f, "recorded   %s, %llu records, %zu process%s, %zu GPU%s%s%s",
		 human_ns(a, c->last_ns - c->first_ns), c->records, processes,
		 processes == 1 ? "" : "es", model_gpus(r->model),
		 model_gpus(r->model) == 1 ? "" : "s", info->tool[0] ? ", by " : "",
		 info->tool);
	if (r->windowed)
		out_line(f, "part       only what begins in the part that was asked for");
	if (r->damage)
		out_line(f, "damaged    %s: all below is about the part before", r->damage);
	print_lost(c, f);
	print_devices(r, f);
}

static void print_kernels(struct report *r, FILE *f, u32 top, int width)
{
	static const char *const heads[] = { "SHARE%", "TOTAL", "COUNT", "AVG", "~MIN", "~P50",
					     "~P90", "MAX", "<KERNEL", NULL };
	struct table *t = table_new(heads);
	size_t n = shown(r->kernels.n, top);
	char b[16], title[96], busy_text[16];
	u64 busy = 0;

	for (size_t i = 0; i < n; i++) {
		struct row *row = r->kernels.list[i];

		table_cell(t, "%s", percent(b, row->h.sum, r->kernel_times.sum));
		sum_cells(t, row->h.sum, row->h.count);
		table_cell(t, "%s", human_ns(b, row->h.min));
		table_cell(t, "%s", human_ns(b, histogram_percentile(&row->h, 50)));
		table_cell(t, "%s", human_ns(b, histogram_percentile(&row->h, 90)));
		table_cell(t, "%s", human_ns(b, row->h.max));
		table_cell(t, "%s", row->name);
	}
	for (size_t i = 0; i < r->gpu_n; i++)
		busy += intervals_busy(&r->gpus[i]->kernels);
	snprintf(title, sizeof(title), "kernels: %llu, %s in all, GPUs busy with them for %s",
		 r->kernel_times.count, human_ns(b, r->kernel_times.sum),
		 human_ns(busy_text, busy));
	print_table(t, f, width, title, n, r->kernels.n);
}

static void copy_cells(struct table *t, const char *name, const char *memory, struct sum s,
		       u64 all)
{
	char b[16];

	table_cell(t, "%s", percent(b, s.total_ns, all));
	table_cell(t, "%s", human_ns(b, s.total_ns));
	table_cell(t, "%llu", s.count);
	table_cell(t, "%s", human_bytes(b, s.bytes));
	table_cell(t, "%s", human_rate(b, s.bytes, s.total_ns));
	table_cell(t, "%s", human_ns(b, s.max_ns));
	table_cell(t, "%s", name);
	table_cell(t, "%s", memory);
}

static void print_copies(struct report *r, FILE *f, int width)
{
	static const char *const heads[] = { "SHARE%", "TOTAL", "COUNT", "SIZE", "RATE", "MAX",
					     "<DIRECTION", "<HOST MEMORY", NULL };
	struct table *t = table_new(heads);
	u64 all = copies_total(r, -1, -1).total_ns + r->sets.total_ns;
	size_t rows = 0;

	for (int k = 0; k < COPY_KINDS; k++)
		for (int i = 0; i < MEMORY_KINDS; i++) {
			const char *memory = i == MEMORY_DEVICE ? "-" : memory_kind_name(i);

			if (!r->copies[k][i].count)
				continue;
			copy_cells(t, copy_kind_name(k), memory, r->copies[k][i], all);
			rows++;
		}
	if (r->sets.count) {
		copy_cells(t, "set", "-", r->sets, all);
		rows++;
	}
	print_table(t, f, width, "copies and sets", rows, rows);
}

#define BRIEF 60

/* A name in the middle of a row: its end is cut off, so that the row stays one. */
static const char *brief(const char *name, char buf[static BRIEF + 4])
{
	size_t n = BRIEF;

	if (strlen(name) <= BRIEF + 3)
		return name;
	while (n && ((u8)name[n] & 0xc0) == 0x80)
		n--;
	memcpy(buf, name, n);
	strcpy(buf + n, "...");
	return buf;
}

/* The two parts of the gap, and what the launching thread did before the launch. */
static void gap_cells(struct table *t, const struct interval *g)
{
	u64 launch = g->launch_ns > g->end ? g->end : g->launch_ns;
	char a[16], b[16], name[BRIEF + 4];

	table_cell(t, "%s", human_ns(b, g->end - g->start));
	if (!launch) {
		table_cell(t, "?");
		table_cell(t, "?");
		table_cell(t, "-");
		table_cell(t, "%s", brief(g->name, name));
		table_cell(t, "its launch is not known");
		return;
	}
	table_cell(t, "%s", human_ns(b, launch > g->start ? launch - g->start : 0));
	table_cell(t, "%s",
		   human_ns(b, launch > g->start ? g->end - launch : g->end - g->start));
	table_cell(t, "%u", g->tid);
	table_cell(t, "%s", brief(g->name, name));
	if (launch < g->start)
		table_cell(t, "launched %s before the idle time",
			   human_ns(b, g->start - launch));
	else if (!g->since_ns)
		table_cell(t, "the first launch of its thread");
	else if (g->longest)
		table_cell(t, "%s, %s of %s since its last launch", g->longest,
			   human_ns(a, g->longest_ns), human_ns(b, g->since_ns));
	else
		table_cell(t, "%s outside of CUDA since its last launch",
			   human_ns(a, g->since_ns));
}

static void print_gaps(struct report *r, FILE *f, u32 top, int width)
{
	static const char *const heads[] = { "GPU", "AT", "IDLE", "UNLAUNCHED", "LAUNCHED",
					     "~TID", "<THEN", "<THE THREAD", NULL };
	const struct model_counts *c = model_counts(r->model);
	struct table *t = table_new(heads);
	size_t rows = 0, all = 0;
	char b[16];

	for (size_t i = 0; i < r->gpu_n; i++) {
		const struct intervals *s = &r->gpus[i]->all;

		all += s->gap_count;
		for (u32 k = 0; k < shown(s->gap_n, top ? top / 2 + 1 : 0); k++, rows++) {
			table_cell(t, "%zu", i);
			table_cell(t, "%s", human_ns(b, s->gaps[k].start - c->first_ns));
			gap_cells(t, &s->gaps[k]);
		}
	}
	print_table(t, f, width, "longest times with nothing running on a GPU", rows, all);
}

static void print_idle(struct report *r, FILE *f)
{
	char a[16], b[16], c[16];

	for (size_t i = 0; i < r->gpu_n; i++) {
		const struct intervals *s = &r->gpus[i]->all;
		u64 idle = intervals_idle(s);

		if (idle)
			fprintf(f,
				"  GPU %zu idle: %s until the host launched what came next, %s from that "
				"launch to its start, %s not known\n", i,
					human_ns(a, s->gap_unlaunched_ns),
				human_ns(b, idle - s->gap_unlaunched_ns - s->gap_unknown_ns),
				human_ns(c, s->gap_unknown_ns));
	}
}

void report_print(struct report *r, FILE *f, u32 top, int width)
{
	print_header(r, f);
	print_findings(r, f);
	print_ranks(r, f, top, width);
	print_kernels(r, f, top, width);
	print_copies(r, f, width);
	print_gaps(r, f, top, width);
	print_idle(r, f);
	print_uvm_side(r, f, top, width);
	print_host_side(r, f, top, width);
}
