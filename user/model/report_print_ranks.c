// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The report as text: ranks side by side, communication, who was late, steps, classes. */
#include <string.h>
#include "out.h"
#include "report_print.h"

#define OUTLIERS_SHOWN 5

static bool has_work(const struct rank *k)
{
	return k->gpu_n && rank_window(k);
}

/* Shares of the window that sum to 100: each time goes to the first of computing,
 * communication, copying that takes place. */
static void part_cells(struct table *t, const u64 time[PARTS], u64 window)
{
	u64 busy = sweep_any(time, PART_COMPUTE | PART_COMM | PART_COPY);
	char b[16];

	table_cell(t, "%s", percent(b, sweep_any(time, PART_COMPUTE), window));
	table_cell(t, "%s", percent(b, sweep_only(time, PART_COMM, PART_COMPUTE), window));
	table_cell(t, "%s", percent(b, sweep_only(time, PART_COPY, PART_COMPUTE | PART_COMM),
				    window));
	table_cell(t, "%s", percent(b, window > busy ? window - busy : 0, window));
}

static void print_rank_rows(struct report *r, FILE *f, u32 top, int width)
{
	static const char *const heads[] = { "RANK", "GPUS", "WINDOW", "COMPUTE%", "COMM%",
					     "COPY%", "IDLE%", "LAUNCH%", "HIDDEN%", "~QUEUE",
					     "~MAX", "<PROCESS", NULL };
	struct table *t = table_new(heads);
	size_t rows = 0, all = 0;
	char b[48];

	for (size_t i = 0; i < r->ranks.n; i++) {
		const struct rank *k = r->ranks.list[i];
		u64 comm = sweep_any(k->time, PART_COMM), window = rank_window(k);
		u64 bound = k->time[0] - k->idle[IDLE_UNKNOWN] - k->idle[IDLE_QUEUED];

		if (!has_work(k) || (all++ >= top && top))
			continue;
		rows++;
		table_cell(t, "%s", rank_label(k, b, sizeof(b)));
		table_cell(t, "%zu", k->gpu_n);
		table_cell(t, "%s", human_ns(b, k->last - k->first));
		part_cells(t, k->time, window);
		table_cell(t, "%s", percent(b, bound, window));
		table_cell(t, "%s", percent(b, comm - sweep_only(k->time, PART_COMM,
								 PART_COMPUTE), comm));
		table_cell(t, "%.1f", (double)k->queue_ns / window);
		table_cell(t, "%llu", k->queue_max);
		table_cell(t, "%.*s", COMM_LEN, k->process->comm[0] ? k->process->comm : "?");
	}
	print_table(t, f, width, "ranks: what the time of their GPUs went to", rows, all);
}

static void print_idle_causes(struct report *r, FILE *f, int width)
{
	static const char *const heads[] = { "SHARE%", "TOTAL", "<WHY NOTHING RAN", NULL };
	static const char *const texts[IDLE_CAUSES] = {
		[IDLE_UNKNOWN] = "not known: no launch of what came next, or nothing did",
		[IDLE_QUEUED] = "what came next was launched before: it waited on the GPU's side",
		[IDLE_LAUNCH] = "the launch call itself, until the start",
		[IDLE_HOST] = "the host was in no CUDA call, or in short ones: its own work",
		[IDLE_SYNC] = "the host waited for the GPU in a call",
		[IDLE_COPY] = "the host was in a call that copies",
		[IDLE_MEMORY] = "the host allocated or freed memory",
		[IDLE_CALL] = "the host was in another CUDA call (a launch, a module, ...)",
	};
	struct table *t = table_new(heads);
	u64 sums[IDLE_CAUSES] = {}, all = 0;
	size_t rows = 0;
	char b[16];

	for (size_t i = 0; i < r->ranks.n; i++)
		for (int c = 0; c < IDLE_CAUSES; c++) {
			sums[c] += r->ranks.list[i]->idle[c];
			all += r->ranks.list[i]->idle[c];
		}
	for (int c = 0; c < IDLE_CAUSES; c++) {
		if (!sums[c])
			continue;
		table_cell(t, "%s", percent(b, sums[c], all));
		table_cell(t, "%s", human_ns(b, sums[c]));
		table_cell(t, "%s", texts[c]);
		rows++;
	}
	print_table(t, f, width, "idle GPUs, by what ended it", rows, rows);
}

static void print_comm(struct report *r, FILE *f, u32 top, int width)
{
	static const char *const heads[] = { "SHARE%", "TOTAL", "COUNT", "AVG", "SIZE",
					     "<COLLECTIVE", NULL };
	struct comm_row **rows = r->ranks.collective_n ? r->ranks.collectives : r->ranks.comm;
	size_t all = r->ranks.collective_n ? r->ranks.collective_n : r->ranks.comm_n;
	u64 busy = 0, exposed = 0, total = 0, count = 0;
	size_t n = shown(all, top);
	char a[16], b[16], p[16], title[128];
	struct table *t;

	for (size_t i = 0; i < r->ranks.n; i++) {
		const struct rank *k = r->ranks.list[i];

		busy += sweep_any(k->time, PART_COMM);
		exposed += sweep_only(k->time, PART_COMM, PART_COMPUTE);
		total += k->comm.total_ns;
		count += k->comm.count;
	}
	if (!count)
		return;
	t = table_new(heads);
	for (size_t i = 0; i < n; i++) {
		table_cell(t, "%s", percent(b, rows[i]->sum.total_ns, total));
		sum_cells(t, rows[i]->sum.total_ns, rows[i]->sum.count);
		table_cell(t, "%s", rows[i]->bytes ? human_bytes(b, rows[i]->bytes) : "-");
		table_cell(t, "%s", rows[i]->name);
	}
	snprintf(title, sizeof(title),
		 "communication: %llu kernels, %s; %s%% of it hidden by computing, %s not", count,
		 human_ns(a, busy), percent(p, busy - exposed, busy), human_ns(b, exposed));
	print_table(t, f, width, title, n, all);
}

static void print_stragglers(struct report *r, FILE *f, u32 top, int width)
{
	static const char *const heads[] = { "RANK", "LAST", "OF", "OTHERS WAITED", "WAITED",
					     "<PROCESS", NULL };
	const struct collectives *c = &r->ranks.matched;
	struct table *t;
	size_t rows = 0, all = 0;
	char b[48];

	if (!c->n)
		return;
	t = table_new(heads);
	for (size_t i = 0; i < r->ranks.n; i++) {
		const struct rank *k = r->ranks.list[i];
		struct straggler s = rank_straggler(k);

		if (!s.matched || (all++ >= top && top))
			continue;
		rows++;
		table_cell(t, "%s", rank_label(k, b, sizeof(b)));
		table_cell(t, "%llu", s.last);
		table_cell(t, "%llu", s.matched);
		table_cell(t, "%s", human_ns(b, s.caused_ns));
		table_cell(t, "%s", human_ns(b, s.waited_ns));
		table_cell(t, "%.*s", COMM_LEN, k->process->comm[0] ? k->process->comm : "?");
	}
	print_table(t, f, width, "who arrived last at collectives", rows, all);
	fprintf(f, "  by %s: in the median the ranks' ends differ by %s; %zu collectives, %llu kernels not matched\n",
		c->by_start ? "starts" : "durations", human_ns(b, c->clock_error_ns), c->n,
		c->unmatched + c->left_out);
}

static void step_cells(struct table *t, const struct rank_steps *s)
{
	const struct rank *k = s->rank;
	u64 all = s->times.sum * (k->gpu_n ? k->gpu_n : 1);
	char b[48];

	table_cell(t, "%s", rank_label(k, b, sizeof(b)));
	table_cell(t, "%zu", k->steps->n);
	table_cell(t, "%s", human_ns(b, s->p50));
	table_cell(t, "%s", human_ns(b, s->times.min));
	table_cell(t, "%s", human_ns(b, s->times.max));
	for (int p = 0; p < STEP_PARTS; p++)
		table_cell(t, "%s", percent(b, s->parts[p], all));
	table_cell(t, "%llu", s->outliers);
	table_cell(t, "%s%s%s", steps_method_name(k->steps->method),
		   k->steps->on_gpu ? " on the GPU: " : ": ", k->steps->name);
}

static void print_outliers(const struct rank_steps *s, FILE *f)
{
	const struct rank *k = s->rank;
	u64 shown_n = 0, more;
	char a[16], b[16], c[16], label[48];
	enum step_part why;

	for (size_t i = 0; i < k->steps->n && shown_n < OUTLIERS_SHOWN; i++) {
		const struct step *x = &k->steps->list[i];

		if (!rank_step_is_outlier(s, i))
			continue;
		why = rank_step_why(s, i, &more);
		out_line(f, "  step %llu of rank %s took %s, not %s: %s more of %s", x->number,
			 rank_label(k, label, sizeof(label)), human_ns(a, x->end - x->start),
			 human_ns(b, s->p50), human_ns(c, more), step_part_names[why]);
		shown_n++;
	}
	if (s->outliers > shown_n)
		out_line(f, "  and %llu more", s->outliers - shown_n);
}

static void print_steps(struct report *r, FILE *f, u32 top, int width)
{
	static const char *const heads[] = { "RANK", "STEPS", "P50", "~MIN", "MAX", "COMPUTE%",
					     "COMM%", "COPY%", "IDLE%", "~OUT", "<BY", NULL };
	struct table *t = table_new(heads);
	size_t rows = 0, all = 0;
	struct rank_steps s;

	for (size_t i = 0; i < r->ranks.n; i++) {
		if (!r->ranks.list[i]->steps || (all++ >= top && top))
			continue;
		rank_steps_sum(&s, r->ranks.list[i]);
		step_cells(t, &s);
		rank_steps_free(&s);
		rows++;
	}
	print_table(t, f, width, "steps: how long, and what the GPUs did meanwhile", rows, all);
	for (size_t i = 0; i < r->ranks.n; i++) {
		if (!r->ranks.list[i]->steps)
			continue;
		rank_steps_sum(&s, r->ranks.list[i]);
		print_outliers(&s, f);
		rank_steps_free(&s);
	}
}

static void add(struct class_sum *to, struct class_sum x)
{
	to->count += x.count;
	to->total_ns += x.total_ns;
}

static void print_launched(struct report *r, FILE *f)
{
	struct class_sum all = {}, graph = {}, nodes = {}, alone = {};
	char p[16], q[16];

	for (size_t i = 0; i < r->ranks.n; i++) {
		add(&all, r->ranks.list[i]->kernels);
		add(&graph, r->ranks.list[i]->graph_launched);
		add(&nodes, r->ranks.list[i]->graph_nodes);
		add(&alone, r->ranks.list[i]->no_launch);
	}
	graph = nodes.count > graph.count ? nodes : graph;
	if (graph.count)
		fprintf(f, "  %llu kernels are of graphs (%s%%, %s%% of kernel time)\n",
			graph.count, percent(p, graph.count, all.count),
			percent(q, graph.total_ns, all.total_ns));
	if (alone.count)
		fprintf(f, "  %llu kernels have no launch in the recording (%s%%, %s%% of kernel time)\n",
			alone.count, percent(p, alone.count, all.count),
			percent(q, alone.total_ns, all.total_ns));
}

static void print_classes(struct report *r, FILE *f, int width)
{
	static const char *const heads[] = { "SHARE%", "TOTAL", "COUNT", "AVG", "<CLASS",
					     NULL };
	struct class_sum sums[CLASSES] = {};
	struct table *t = table_new(heads);
	bool done[CLASSES] = {};
	size_t rows = 0;
	char b[16];
	int best;

	for (size_t i = 0; i < r->ranks.n; i++)
		for (int c = 0; c < CLASSES; c++)
			add(&sums[c], r->ranks.list[i]->classes[c]);
	for (;; rows++) {
		best = -1;
		for (int c = 0; c < CLASSES; c++)
			if (sums[c].count && !done[c] &&
			    (best < 0 || sums[c].total_ns > sums[best].total_ns))
				best = c;
		if (best < 0)
			break;
		done[best] = true;
		table_cell(t, "%s", percent(b, sums[best].total_ns, r->kernel_times.sum));
		sum_cells(t, sums[best].total_ns, sums[best].count);
		table_cell(t, "%s", kernel_class_name(best));
	}
	print_table(t, f, width, "kernels by class (rules: man gpureport)", rows, rows);
	print_launched(r, f);
}

void print_ranks(struct report *r, FILE *f, u32 top, int width)
{
	print_rank_rows(r, f, top, width);
	print_stragglers(r, f, top, width);
	print_comm(r, f, top, width);
	print_steps(r, f, top, width);
	print_classes(r, f, width);
	print_idle_causes(r, f, width);
}
