// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The report as text, second half: the program's side, streams, processes, how it was known. */
#include "out.h"
#include "report_print.h"

static void print_apis(struct report *r, FILE *f, u32 top, int width)
{
	static const char *const heads[] = { "TOTAL", "COUNT", "AVG", "~P50", "~P90", "MAX",
					     "ERRORS", "<API CALL", NULL };
	struct table *t = table_new(heads);
	size_t n = shown(r->apis.n, top);
	char b[16];

	for (size_t i = 0; i < n; i++) {
		struct row *row = r->apis.list[i];

		sum_cells(t, row->h.sum, row->h.count);
		table_cell(t, "%s", human_ns(b, histogram_percentile(&row->h, 50)));
		table_cell(t, "%s", human_ns(b, histogram_percentile(&row->h, 90)));
		table_cell(t, "%s", human_ns(b, row->h.max));
		table_cell(t, row->errors ? "%llu" : "-", row->errors);
		table_cell(t, "%s", row->name);
	}
	print_table(t, f, width, "CUDA API calls", n, r->apis.n);
}

static void print_syncs(struct report *r, FILE *f, int width)
{
	static const char *const heads[] = { "TOTAL", "COUNT", "AVG", "MAX", "<WAIT FOR",
					     NULL };
	struct table *t = table_new(heads);
	size_t rows = 0;
	char b[16];

	for (int i = 0; i < SYNC_TYPES; i++) {
		const struct sum *s = &r->syncs[i];

		if (!s->count)
			continue;
		sum_cells(t, s->total_ns, s->count);
		table_cell(t, "%s", human_ns(b, s->max_ns));
		table_cell(t, "%s", sync_type_name(i));
		rows++;
	}
	print_table(t, f, width,
		    "waits for the GPU (stream_wait_event: a stream waits, the host goes on)",
		    rows, rows);
}

static void print_nvtx(struct report *r, FILE *f, u32 top, int width)
{
	static const char *const heads[] = { "TOTAL", "COUNT", "AVG", "MAX", "<NVTX RANGE",
					     NULL };
	struct table *t = table_new(heads);
	size_t n = shown(r->nvtx.n, top);
	char b[16];

	for (size_t i = 0; i < n; i++) {
		struct row *row = r->nvtx.list[i];

		sum_cells(t, row->h.sum, row->h.count);
		table_cell(t, "%s", human_ns(b, row->h.max));
		table_cell(t, "%s", row->name);
	}
	print_table(t, f, width, "NVTX ranges and marks", n, r->nvtx.n);
}

static void host_cells(struct table *t, const char *name, const struct host_sums *s)
{
	char b[16];

	table_cell(t, "%s", human_ns(b, s->off_ns));
	table_cell(t, "%llu", s->offs);
	table_cell(t, "%s", human_ns(b, s->runnable_ns));
	table_cell(t, "%llu", s->faults);
	table_cell(t, "%llu", s->ioctls);
	table_cell(t, "%s", human_ns(b, s->ioctl_ns));
	table_cell(t, "%llu", s->blocks);
	table_cell(t, "%s", human_ns(b, s->block_ns));
	table_cell(t, "%s", name);
}

static void print_host(struct report *r, FILE *f, u32 top, int width)
{
	static const char *const heads[] = { "OFF-CPU", "~TIMES", "RUNNABLE", "FAULTS",
					     "~IOCTLS", "IN IOCTL", "~BLOCK I/O", "~IN BLOCK",
					     "<INSIDE OF", NULL };
	struct table *t = table_new(heads);
	size_t n = shown(r->host_calls.n, top);
	const struct model_counts *c = model_counts(r->model);
	bool any = c->host_in_call + c->host_outside > 0;

	for (size_t i = 0; i < n; i++)
		host_cells(t, r->host_calls.list[i]->name, &r->host_calls.list[i]->host);
	host_cells(t, "(all API calls)", &r->host_in_call);
	host_cells(t, "(everything recorded)", &r->host);
	print_table(t, f, width, "what the kernel did to the threads", any ? n + 2 : 0,
		    any ? r->host_calls.n + 2 : 0);
}

static void print_streams(struct report *r, FILE *f, u32 top, int width)
{
	static const char *const heads[] = { "PID", "GPU", "CONTEXT", "STREAM", "TOTAL",
					     "SHARE%", "KERNELS", "COPIES", "SETS", "GRAPHS",
					     NULL };
	struct table *t = table_new(heads);
	size_t n = shown(r->stream_n, top);
	char b[16];

	for (size_t i = 0; i < n; i++) {
		const struct stream_row *s = r->streams[i];

		table_cell(t, "%u", s->process->pid);
		table_cell(t, "%u", s->device->gpu);
		table_cell(t, "%u", s->context);
		table_cell(t, "%u", s->stream);
		table_cell(t, "%s", human_ns(b, s->total_ns));
		table_cell(t, "%s", percent(b, s->total_ns, s->last_ns - s->first_ns));
		table_cell(t, "%llu", s->kernels);
		table_cell(t, "%llu", s->copies);
		table_cell(t, "%llu", s->sets);
		table_cell(t, "%llu", s->graphs);
	}
	print_table(t, f, width, "streams (share: of the time from first to last operation)", n,
		    r->stream_n);
}

static void print_processes(struct report *r, FILE *f, u32 top, int width)
{
	static const char *const heads[] = { "PID", "KERNELS", "TIME", "COPIES", "COPIED",
					     "SETS", "GRAPHS", "API CALLS", "IN API",
					     "<COMMAND", NULL };
	struct table *t = table_new(heads);
	size_t n = shown(r->process_n, top);
	char b[16];

	for (size_t i = 0; i < n; i++) {
		const struct process_row *p = r->processes[i];

		table_cell(t, "%u", p->process->pid);
		table_cell(t, "%llu", p->kernels);
		table_cell(t, "%s", human_ns(b, p->kernel_ns));
		table_cell(t, "%llu", p->copies);
		table_cell(t, "%s", human_bytes(b, p->copy_bytes));
		table_cell(t, "%llu", p->sets);
		table_cell(t, "%llu", p->graphs);
		table_cell(t, "%llu", p->api);
		table_cell(t, "%s", human_ns(b, p->api_ns));
		table_cell(t, "%s", p->process->comm[0] ? p->process->comm : "?");
	}
	print_table(t, f, width, "processes that use CUDA", n, r->process_n);
}

static void print_launches(struct report *r, FILE *f)
{
	const struct model_counts *c = model_counts(r->model);
	struct histogram *h = &r->launch_delay;
	char a[16], b[16], d[16];

	if (h->count)
		fprintf(f,
			"\nfrom launch call to start on the GPU: median %s, p99 %s, max %s (%llu launches)\n",
			human_ns(a, histogram_percentile(h, 50)),
			human_ns(b, histogram_percentile(h, 99)), human_ns(d, h->max),
			h->count);
	if (r->graphs.count)
		fprintf(f, "graphs: %llu launches, %s on the GPU\n", r->graphs.count,
			human_ns(a, r->graphs.total_ns));
	if (r->overhead.count)
		fprintf(f, "overhead of CUPTI and the driver: %llu times, %s\n",
			r->overhead.count, human_ns(a, r->overhead.total_ns));
	if (c->op_early)
		fprintf(f,
			"%llu operations start before their launch call: the clocks disagree\n",
			c->op_early);
}

/* What each link was made by, and what could not be linked. */
static void print_links(struct report *r, FILE *f)
{
	const struct model_counts *c = model_counts(r->model);
	u64 ops = c->op_correlated + c->op_uncorrelated;
	u64 syncs = c->sync_correlated + c->sync_uncorrelated;
	char a[16];

	fputs("\nhow it was linked\n", f);
	fprintf(f, "  operation -> API call  %s%% by correlation id, %llu of %llu not\n",
		percent(a, c->op_correlated, ops), c->op_uncorrelated, ops);
	fprintf(f, "  operation -> stack     %s%% by the probe in its call, %llu of %llu not",
		percent(a, c->op_correlated - c->op_no_stack, ops),
		c->op_no_stack + c->op_uncorrelated, ops);
	fprintf(f, c->op_captured ? "; %llu by graph node\n" : "\n", c->op_captured);
	if (syncs)
		fprintf(f,
			"  wait -> API call       %s%% by correlation id, %llu of %llu not\n",
			percent(a, c->sync_correlated, syncs), c->sync_uncorrelated, syncs);
	if (c->host_in_call + c->host_outside)
		fprintf(f,
			"  kernel event -> call   %llu inside of a call of their thread, %llu outside\n",
			c->host_in_call, c->host_outside);
	print_uvm_links(r, f);
}

static void print_notes(struct report *r, FILE *f)
{
	const struct model_counts *c = model_counts(r->model);
	const struct note_record *const *notes;
	size_t n = model_notes(r->model, &notes);
	u32 ppm = report_error_ppm(r);
	u64 late = 0;

	for (size_t i = 0; i < r->gpu_n; i++)
		late += r->gpus[i]->all.late;
	fputs("\nnotes\n", f);
	for (size_t i = 0; i < n; i++)
		out_line(f, "  %s%s", notes[i]->what == NOTE_MISSING ? "not recorded: " : "",
			 record_text(&notes[i]->e, sizeof(*notes[i])));
	if (ppm)
		fprintf(f,
			"  percentiles of names with the most calls are up to %u.%u%% wrong\n",
			ppm / 10000, ppm / 1000 % 10);
	else
		fputs("  all percentiles are exact (nearest rank)\n", f);
	if (c->undefined_names + c->undefined_stacks)
		fprintf(f,
			"  %llu names and %llu stacks were used but never defined: shown as ?\n",
			c->undefined_names, c->undefined_stacks);
	if (late)
		fprintf(f, "  %llu operations came too late for the busy time\n", late);
	if (c->evicted)
		fprintf(f, "  %llu records waited less than the horizon: too many at once\n",
			c->evicted);
	if (c->clock_converted)
		fprintf(f, "  times of %llu operations were converted from CLOCK_REALTIME\n",
			c->clock_converted);
	if (c->unknown_kinds)
		fprintf(f, "  %llu records of kinds this program does not know\n",
			c->unknown_kinds);
}

void print_host_side(struct report *r, FILE *f, u32 top, int width)
{
	print_apis(r, f, top, width);
	print_syncs(r, f, width);
	print_host(r, f, top, width);
	print_nvtx(r, f, top, width);
	print_processes(r, f, top, width);
	print_streams(r, f, top, width);
	print_launches(r, f);
	print_links(r, f);
	print_notes(r, f);
}
