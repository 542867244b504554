// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The report as JSON: ranks, their steps, what they told each other. */
#include "out.h"
#include "report_json.h"

static void put_class(struct json *j, const char *key, struct class_sum s)
{
	json_object(j, key);
	json_u64(j, "count", s.count);
	json_u64(j, "total_ns", s.total_ns);
	json_close(j);
}

/* What the time of GPUs went to; window: all of it. */
static void put_parts(struct json *j, const u64 time[PARTS], u64 window)
{
	u64 busy = sweep_any(time, PART_COMPUTE | PART_COMM | PART_COPY);

	json_u64(j, "busy_ns", busy);
	json_u64(j, "idle_ns", window > busy ? window - busy : 0);
	json_u64(j, "kernel_busy_ns", sweep_any(time, PART_COMPUTE | PART_COMM));
	json_u64(j, "compute_ns", sweep_any(time, PART_COMPUTE));
	json_u64(j, "comm_ns", sweep_any(time, PART_COMM));
	json_u64(j, "comm_hidden_ns", sweep_any(time, PART_COMM) -
		 sweep_only(time, PART_COMM, PART_COMPUTE));
	json_u64(j, "comm_exposed_ns", sweep_only(time, PART_COMM, PART_COMPUTE));
	json_u64(j, "copy_ns", sweep_any(time, PART_COPY));
	json_u64(j, "copy_exposed_ns", sweep_only(time, PART_COPY, PART_COMPUTE | PART_COMM));
}

void put_delay(struct json *j, const char *key, struct histogram *h)
{
	json_object(j, key);
	json_u64(j, "count", h->count);
	json_u64(j, "min_ns", h->min);
	json_u64(j, "p50_ns", histogram_percentile(h, 50));
	json_u64(j, "p99_ns", histogram_percentile(h, 99));
	json_u64(j, "max_ns", h->max);
	json_close(j);
}

static void put_kernels(struct json *j, struct rank *k)
{
	json_object(j, "kernels");
	json_u64(j, "count", k->kernels.count);
	json_u64(j, "total_ns", k->kernels.total_ns);
	put_class(j, "no_launch", k->no_launch);
	put_class(j, "early", k->early);
	put_class(j, "graph_nodes", k->graph_nodes);
	put_class(j, "graph_launched", k->graph_launched);
	put_delay(j, "delay", &k->delay);
	json_object(j, "by_class");
	for (int c = 0; c < CLASSES; c++)
		if (k->classes[c].count)
			put_class(j, kernel_class_name(c), k->classes[c]);
	json_close(j);
	json_close(j);
}

static void put_idle(struct json *j, const struct rank *k)
{
	json_object(j, "idle_by_cause");
	for (int c = 0; c < IDLE_CAUSES; c++)
		json_u64(j, idle_cause_names[c], k->idle[c]);
	json_close(j);
	json_u64(j, "launch_bound_ns",
		 k->time[0] - k->idle[IDLE_UNKNOWN] - k->idle[IDLE_QUEUED]);
	json_u64(j, "gaps", k->gaps);
	json_object(j, "queue");
	json_u64(j, "operations", k->queued);
	json_u64(j, "mean_milli", rank_window(k) ?
		 (u64)((unsigned __int128)k->queue_ns * 1000 / rank_window(k)) : 0);
	json_u64(j, "max", k->queue_max);
	json_u64(j, "empty_ns", k->queue_empty_ns);
	json_close(j);
}

static void put_gpus(struct json *j, const struct rank *k)
{
	json_array(j, "gpus");
	for (size_t i = 0; i < k->gpu_n; i++) {
		const struct rank_gpu *g = k->gpus[i];

		json_object(j, NULL);
		json_u64(j, "device", g->device->gpu);
		json_u64(j, "ordinal", g->device->ordinal);
		json_u64(j, "operations", g->operations);
		json_u64(j, "kernels", g->kernels);
		json_u64(j, "kernel_ns", g->kernel_ns);
		put_parts(j, g->sweep.time, k->last - k->first);
		json_close(j);
	}
	json_close(j);
}

static void put_step(struct json *j, const struct rank_steps *s, size_t i)
{
	const struct rank *k = s->rank;
	const struct step_sums *sums = &k->sums[i];

	json_object(j, NULL);
	json_u64(j, "number", k->steps->list[i].number);
	json_time(j, "start_ns", k->steps->list[i].start);
	json_u64(j, "dur_ns", k->steps->list[i].end - k->steps->list[i].start);
	json_u64(j, "kernels", sums->kernels);
	json_u64(j, "kernel_ns", sums->kernel_ns);
	put_parts(j, sums->time, rank_step_time(k, i));
	json_bool(j, "outlier", rank_step_is_outlier(s, i));
	json_close(j);
}

static void put_steps(struct json *j, const struct rank *k)
{
	struct rank_steps s;

	if (!k->steps) {
		json_null(j, "steps");
		return;
	}
	rank_steps_sum(&s, k);
	json_object(j, "steps");
	json_str(j, "method", steps_method_name(k->steps->method));
	json_str(j, "name", k->steps->name);
	json_bool(j, "on_gpu", k->steps->on_gpu);
	json_u64(j, "tid", k->steps->tid);
	json_u64(j, "count", k->steps->n);
	json_u64(j, "total_ns", s.times.sum);
	json_u64(j, "min_ns", s.times.min);
	json_u64(j, "p50_ns", s.p50);
	json_u64(j, "max_ns", s.times.max);
	json_u64(j, "outliers", s.outliers);
	json_u64(j, "ranges_left_out", k->steps->left_out);
	json_u64(j, "kernels_in_no_step", k->no_step);
	json_array(j, "list");
	for (size_t i = 0; i < k->steps->n; i++)
		put_step(j, &s, i);
	json_close(j);
	json_close(j);
	rank_steps_free(&s);
}

static void put_straggler(struct json *j, const struct rank *k)
{
	struct straggler s = rank_straggler(k);

	json_object(j, "collectives");
	json_u64(j, "matched", s.matched);
	json_u64(j, "last", s.last);
	json_u64(j, "caused_ns", s.caused_ns);
	json_u64(j, "waited_ns", s.waited_ns);
	json_u64(j, "waited_by_start_ns", s.waited_start_ns);
	json_u64(j, "waited_by_duration_ns", s.waited_dur_ns);
	json_close(j);
}

static void put_number(struct json *j, const char *key, s32 number)
{
	if (number >= 0)
		json_s64(j, key, number);
	else
		json_null(j, key);
}

static void put_source(struct json *j, const struct source *s)
{
	json_str(j, "file", s ? record_text(&s->e, sizeof(*s)) : "");
	json_str(j, "host", s ? s->host : "");
	json_u64(j, "world", s ? s->world : 0);
}

static void put_rank(struct json *j, struct rank *k)
{
	const struct process_info *p = k->process;

	json_object(j, NULL);
	put_number(j, "rank", k->number);
	json_u64(j, "pid", p->pid);
	json_u64(j, "producer", p->producer);
	json_strn(j, "process", p->comm, COMM_LEN);
	put_source(j, p->source);
	json_time(j, "first_ns", k->first);
	json_time(j, "last_ns", k->last);
	json_u64(j, "window_ns", rank_window(k));
	put_parts(j, k->time, rank_window(k));
	put_idle(j, k);
	put_kernels(j, k);
	put_class(j, "comm", k->comm);
	put_class(j, "copies", k->copies);
	put_class(j, "sets", k->sets);
	json_u64(j, "launches", k->launches);
	json_u64(j, "graph_launches", k->graph_launches);
	put_straggler(j, k);
	put_steps(j, k);
	put_gpus(j, k);
	json_u64(j, "late", k->late);
	json_close(j);
}

static void put_comm_rows(struct json *j, const char *key, struct comm_row *const *rows,
			  size_t n)
{
	json_array(j, key);
	for (size_t i = 0; i < n; i++) {
		json_object(j, NULL);
		json_str(j, "name", rows[i]->name);
		json_u64(j, "count", rows[i]->sum.count);
		json_u64(j, "total_ns", rows[i]->sum.total_ns);
		json_u64(j, "bytes", rows[i]->bytes);
		json_close(j);
	}
	json_close(j);
}

static void put_member(struct json *j, const struct ranks *r, const char *key, u32 member)
{
	char label[48];

	json_str(j, key, member_label(r, member, label, sizeof(label)));
}

static void put_matched(struct json *j, const struct ranks *r, const struct matched *m)
{
	json_object(j, NULL);
	json_str(j, "name", r->matched.kinds[m->kind]);
	json_u64(j, "sequence", m->sequence);
	put_member(j, r, "last", m->last);
	put_member(j, r, "shortest", m->shortest);
	json_u64(j, "spread_ns", m->spread_ns);
	json_u64(j, "end_spread_ns", m->end_spread_ns);
	json_u64(j, "dur_spread_ns", m->dur_spread_ns);
	json_array(j, "ranks");
	for (u32 i = 0; i < m->n; i++) {
		const struct comm_call *c = m->calls[i];

		json_object(j, NULL);
		put_member(j, r, "rank", c->member);
		json_time(j, "start_ns", c->start);
		json_u64(j, "dur_ns", c->end - c->start);
		json_close(j);
	}
	json_close(j);
	json_close(j);
}

static void put_collectives(struct json *j, const struct ranks *r)
{
	const struct collectives *c = &r->matched;

	json_object(j, "collectives");
	json_u64(j, "matched", c->n);
	json_u64(j, "unmatched", c->unmatched);
	json_u64(j, "left_out", c->left_out);
	json_bool(j, "by_start", c->by_start);
	json_u64(j, "clock_error_ns", c->clock_error_ns);
	json_array(j, "list");
	for (size_t i = 0; i < c->n; i++)
		put_matched(j, r, &c->list[i]);
	json_close(j);
	json_close(j);
}

static void put_comm(struct json *j, const struct ranks *r)
{
	u64 time[PARTS] = {};
	struct class_sum sum = {};

	for (size_t i = 0; i < r->n; i++) {
		sum.count += r->list[i]->comm.count;
		sum.total_ns += r->list[i]->comm.total_ns;
		for (int p = 0; p < PARTS; p++)
			time[p] += r->list[i]->time[p];
	}
	json_object(j, "comm");
	json_u64(j, "count", sum.count);
	json_u64(j, "total_ns", sum.total_ns);
	json_u64(j, "busy_ns", sweep_any(time, PART_COMM));
	json_u64(j, "hidden_ns", sweep_any(time, PART_COMM) -
		 sweep_only(time, PART_COMM, PART_COMPUTE));
	json_u64(j, "exposed_ns", sweep_only(time, PART_COMM, PART_COMPUTE));
	put_comm_rows(j, "by_name", r->comm, r->comm_n);
	put_comm_rows(j, "by_collective", r->collectives, r->collective_n);
	put_collectives(j, r);
	json_close(j);
}

void put_ranks(struct json *j, struct report *r)
{
	json_array(j, "ranks");
	for (size_t i = 0; i < r->ranks.n; i++)
		put_rank(j, r->ranks.list[i]);
	json_close(j);
	put_comm(j, &r->ranks);
}
