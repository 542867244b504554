// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The report as one JSON object. Keys keep their meaning for ever; all numbers are integers. */
#include "out.h"
#include "report_json.h"

static void put_lost(struct json *j, const struct model_counts *c)
{
	json_object(j, "lost");
	json_u64(j, "total", lost_total(c));
	for (const struct enum_name *n = lost_names(); n->name; n++)
		json_u64(j, n->name,
			 c->lost[n->value] + (c->lost_unknown_where >> n->value & 1));
	json_u64(j, "other", c->lost[0] + (c->lost_unknown_where & 1));
	json_u64(j, "of_unknown_count", c->lost_unknown);
	json_u64(j, "blocks_missing", c->blocks_missing);
	json_close(j);
}

static void put_rows(struct json *j, const struct rows *rows, bool errors)
{
	json_array(j, "by_name");
	for (size_t i = 0; i < rows->n; i++) {
		struct row *row = rows->list[i];

		json_object(j, NULL);
		json_str(j, "name", row->name);
		if (row->mangled)
			json_str(j, "mangled", row->mangled);
		json_u64(j, "count", row->h.count);
		json_u64(j, "total_ns", row->h.sum);
		json_u64(j, "min_ns", row->h.min);
		json_u64(j, "p50_ns", histogram_percentile(&row->h, 50));
		json_u64(j, "p90_ns", histogram_percentile(&row->h, 90));
		json_u64(j, "max_ns", row->h.max);
		if (errors)
			json_u64(j, "errors", row->errors);
		json_close(j);
	}
	json_close(j);
}

static void put_sums(struct json *j, const char *key, const struct rows *rows)
{
	json_array(j, key);
	for (size_t i = 0; i < rows->n; i++) {
		json_object(j, NULL);
		json_str(j, "name", rows->list[i]->name);
		json_u64(j, "count", rows->list[i]->h.count);
		json_u64(j, "total_ns", rows->list[i]->h.sum);
		json_close(j);
	}
	json_close(j);
}

static void put_kernels(struct json *j, struct report *r)
{
	u64 busy = 0;

	for (size_t i = 0; i < r->gpu_n; i++)
		busy += intervals_busy(&r->gpus[i]->kernels);
	json_object(j, "kernels");
	json_u64(j, "count", r->kernel_times.count);
	json_u64(j, "unique_names", r->kernels.n);
	json_u64(j, "total_ns", r->kernel_times.sum);
	json_u64(j, "busy_ns", busy);
	json_time(j, "first_ns", r->kernel_times.count ? r->kernel_first : (u64)j->zero_ns);
	json_time(j, "last_ns", r->kernel_times.count ? r->kernel_last : (u64)j->zero_ns);
	json_u64(j, "max_ns", r->kernel_times.max);
	put_rows(j, &r->kernels, false);
	put_sums(j, "by_short_name", &r->short_names);
	json_close(j);
}

static void put_sum(struct json *j, struct sum s, bool bytes)
{
	json_u64(j, "count", s.count);
	if (bytes)
		json_u64(j, "bytes", s.bytes);
	json_u64(j, "total_ns", s.total_ns);
	json_u64(j, "max_ns", s.max_ns);
}

static void put_copies(struct json *j, const struct report *r)
{
	json_object(j, "memcpy");
	put_sum(j, copies_total(r, -1, -1), true);
	json_object(j, "by_kind");
	for (int k = 0; k < COPY_KINDS; k++) {
		if (!copies_total(r, k, -1).count)
			continue;
		json_object(j, copy_kind_name(k));
		put_sum(j, copies_total(r, k, -1), true);
		json_object(j, "by_memory");
		for (int i = 0; i < MEMORY_KINDS; i++) {
			if (!r->copies[k][i].count)
				continue;
			json_object(j, memory_kind_name(i));
			put_sum(j, r->copies[k][i], true);
			json_close(j);
		}
		json_close(j);
		json_close(j);
	}
	json_close(j);
	json_close(j);
}

static void put_sync(struct json *j, const struct report *r)
{
	struct sum total = {};

	for (int i = 0; i < SYNC_TYPES; i++) {
		total.count += r->syncs[i].count;
		total.total_ns += r->syncs[i].total_ns;
		if (r->syncs[i].max_ns > total.max_ns)
			total.max_ns = r->syncs[i].max_ns;
	}
	json_object(j, "sync");
	put_sum(j, total, false);
	json_object(j, "by_type");
	for (int i = 0; i < SYNC_TYPES; i++) {
		if (!r->syncs[i].count)
			continue;
		json_object(j, sync_type_name(i));
		put_sum(j, r->syncs[i], false);
		json_close(j);
	}
	json_close(j);
	json_close(j);
}

static void put_api(struct json *j, const struct report *r, const struct model_counts *c)
{
	json_object(j, "api");
	json_u64(j, "count", c->api - c->api_nested);
	json_u64(j, "nested", c->api_nested);
	json_u64(j, "errors", r->api_errors);
	put_rows(j, &r->apis, true);
	put_sums(j, "nested_by_name", &r->nested);
	json_close(j);
}

static void put_launch(struct json *j, struct report *r, const struct model_counts *c)
{
	json_object(j, "launch");
	json_u64(j, "correlated", c->op_correlated);
	json_u64(j, "uncorrelated", c->op_uncorrelated);
	json_u64(j, "early", c->op_early);
	json_u64(j, "delay_count", r->launch_delay.count);
	json_u64(j, "delay_p50_ns", histogram_percentile(&r->launch_delay, 50));
	json_u64(j, "delay_p99_ns", histogram_percentile(&r->launch_delay, 99));
	json_u64(j, "delay_max_ns", r->launch_delay.max);
	put_delay(j, "kernel_delay", &r->ranks.delay);
	json_close(j);
}

static void put_links(struct json *j, const struct model_counts *c)
{
	json_object(j, "links");
	json_u64(j, "operation_call_exact", c->op_correlated);
	json_u64(j, "operation_call_none", c->op_uncorrelated);
	json_u64(j, "operation_stack_exact", c->op_correlated - c->op_no_stack);
	json_u64(j, "operation_stack_none", c->op_no_stack + c->op_uncorrelated);
	json_u64(j, "operation_stack_captured", c->op_captured);
	json_u64(j, "sync_call_exact", c->sync_correlated);
	json_u64(j, "sync_call_none", c->sync_uncorrelated);
	json_u64(j, "host_call_exact", c->host_in_call);
	json_u64(j, "host_outside_calls", c->host_outside);
	json_u64(j, "undefined_names", c->undefined_names);
	json_u64(j, "undefined_stacks", c->undefined_stacks);
	json_u64(j, "evicted", c->evicted);
	json_u64(j, "clock_converted", c->clock_converted);
	json_u64(j, "unknown_kinds", c->unknown_kinds);
	json_close(j);
}

static void put_host_sums(struct json *j, const char *key, const struct host_sums *s)
{
	json_object(j, key);
	json_u64(j, "page_faults", s->faults);
	json_u64(j, "ioctls", s->ioctls);
	json_u64(j, "ioctl_ns", s->ioctl_ns);
	json_u64(j, "block_io", s->blocks);
	json_u64(j, "block_bytes", s->block_bytes);
	json_u64(j, "block_ns", s->block_ns);
	json_u64(j, "off_cpu", s->offs);
	json_u64(j, "off_cpu_ns", s->off_ns);
	json_u64(j, "preempted_ns", s->preempted_ns);
	json_u64(j, "runnable_ns", s->runnable_ns);
	json_close(j);
}

static void put_host(struct json *j, const struct report *r)
{
	json_object(j, "host");
	put_host_sums(j, "all", &r->host);
	put_host_sums(j, "in_api", &r->host_in_call);
	json_array(j, "by_api");
	for (size_t i = 0; i < r->host_calls.n; i++) {
		json_object(j, NULL);
		json_str(j, "name", r->host_calls.list[i]->name);
		put_host_sums(j, "sums", &r->host_calls.list[i]->host);
		json_close(j);
	}
	json_close(j);
	json_close(j);
}

static void put_gaps(struct json *j, const struct intervals *s)
{
	json_array(j, "longest_gaps");
	for (u32 i = 0; i < s->gap_n; i++) {
		const struct interval *g = &s->gaps[i];

		json_object(j, NULL);
		json_time(j, "start_ns", g->start);
		json_u64(j, "dur_ns", g->end - g->start);
		json_str(j, "next", g->name);
		json_u64(j, "launch_tid", g->tid);
		json_time(j, "launch_ns", g->launch_ns);
		json_u64(j, "since_launch_ns", g->since_ns);
		json_str(j, "longest_call", g->longest ? g->longest : "");
		json_u64(j, "longest_call_ns", g->longest_ns);
		json_close(j);
	}
	json_close(j);
}

static void put_gpus(struct json *j, const struct report *r)
{
	json_array(j, "by_device");
	for (size_t i = 0; i < r->gpu_n; i++) {
		const struct gpu_row *g = r->gpus[i];

		json_object(j, NULL);
		json_strn(j, "name", g->device ? g->device->d.name : "",
			  sizeof(g->device->d.name));
		json_u64(j, "operations", g->ops);
		json_time(j, "first_ns", g->all.first);
		json_time(j, "last_ns", g->all.last);
		json_u64(j, "busy_ns", intervals_busy(&g->all));
		json_u64(j, "idle_ns", intervals_idle(&g->all));
		json_u64(j, "kernels", g->kernel_n);
		json_u64(j, "kernel_ns", g->kernel_ns);
		json_u64(j, "kernel_busy_ns", intervals_busy(&g->kernels));
		json_u64(j, "gaps", g->all.gap_count);
		json_u64(j, "idle_unlaunched_ns", g->all.gap_unlaunched_ns);
		json_u64(j, "idle_unknown_ns", g->all.gap_unknown_ns);
		json_u64(j, "late", g->all.late);
		put_gaps(j, &g->all);
		json_close(j);
	}
	json_close(j);
}

static void put_streams(struct json *j, const struct report *r)
{
	json_array(j, "by_stream");
	for (size_t i = 0; i < r->stream_n; i++) {
		const struct stream_row *s = r->streams[i];

		json_object(j, NULL);
		json_u64(j, "pid", s->process->pid);
		json_u64(j, "producer", s->process->producer);
		json_u64(j, "device", s->device->gpu);
		json_u64(j, "context", s->context);
		json_u64(j, "stream", s->stream);
		json_u64(j, "kernels", s->kernels);
		json_u64(j, "copies", s->copies);
		json_u64(j, "sets", s->sets);
		json_u64(j, "graphs", s->graphs);
		json_u64(j, "total_ns", s->total_ns);
		json_time(j, "first_ns", s->first_ns);
		json_time(j, "last_ns", s->last_ns);
		json_close(j);
	}
	json_close(j);
}

static void put_processes(struct json *j, const struct report *r)
{
	json_array(j, "by_process");
	for (size_t i = 0; i < r->process_n; i++) {
		const struct process_row *p = r->processes[i];

		json_object(j, NULL);
		json_u64(j, "pid", p->process->pid);
		json_u64(j, "producer", p->process->producer);
		json_strn(j, "comm", p->process->comm, COMM_LEN);
		json_u64(j, "kernels", p->kernels);
		json_u64(j, "kernel_ns", p->kernel_ns);
		json_u64(j, "copies", p->copies);
		json_u64(j, "copy_bytes", p->copy_bytes);
		json_u64(j, "sets", p->sets);
		json_u64(j, "graphs", p->graphs);
		json_u64(j, "api", p->api);
		json_u64(j, "api_ns", p->api_ns);
		json_u64(j, "launches", p->launches);
		json_close(j);
	}
	json_close(j);
}

static void put_gpu_work(struct json *j, struct report *r, const struct model_counts *c)
{
	put_kernels(j, r);
	put_copies(j, r);
	json_object(j, "memset");
	put_sum(j, r->sets, true);
	json_close(j);
	json_object(j, "graphs");
	put_sum(j, r->graphs, false);
	json_close(j);
	put_api(j, r, c);
	put_launch(j, r, c);
	put_sync(j, r);
	json_object(j, "overhead");
	put_sum(j, r->overhead, false);
	json_close(j);
	json_object(j, "nvtx");
	put_rows(j, &r->nvtx, false);
	json_close(j);
}

static void put_notes(struct json *j, const struct report *r)
{
	const struct note_record *const *notes;
	size_t n = model_notes(r->model, &notes);

	json_array(j, "notes");
	for (size_t i = 0; i < n; i++)
		json_str(j, NULL, record_text(&notes[i]->e, sizeof(*notes[i])));
	json_close(j);
}

/* Times of an imported file are its own again, where several were not brought to one clock. */
static s64 own_zero(const struct report *r)
{
	const struct process_info *const *list;
	size_t n = model_processes(r->model, &list);
	s64 zero = n && list[0]->source ? list[0]->source->shift_ns : 0;

	for (size_t i = 0; i < n; i++)
		if (!list[i]->source || list[i]->source->shift_ns != zero)
			return 0;
	return zero;
}

void report_json(struct report *r, FILE *f)
{
	const struct model_counts *c = model_counts(r->model);
	const struct process_info *const *processes;
	struct json j = { .f = f, .zero_ns = own_zero(r) };
	u64 busy = 0, idle = 0;

	for (size_t i = 0; i < r->gpu_n; i++) {
		busy += intervals_busy(&r->gpus[i]->all);
		idle += intervals_idle(&r->gpus[i]->all);
	}
	json_object(&j, NULL);
	json_str(&j, "schema", "gpuscope-report-0");
	json_str(&j, "hostname", r->info.host);
	json_str(&j, "kernel_release", r->info.kernel);
	json_str(&j, "driver", r->info.driver);
	json_bool(&j, "simulated", c->simulated);
	json_str(&j, "damage", r->damage);
	json_bool(&j, "part", r->windowed);
	json_u64(&j, "records", c->records);
	json_time(&j, "start_ns", c->first_ns);
	json_u64(&j, "span_ns", c->last_ns - c->first_ns);
	json_u64(&j, "processes", model_processes(r->model, &processes));
	json_u64(&j, "devices", model_gpus(r->model));
	json_u64(&j, "streams", r->stream_n);
	put_lost(&j, c);
	put_gpu_work(&j, r, c);
	json_u64(&j, "gpu_busy_ns", busy);
	json_u64(&j, "gpu_idle_ns", idle);
	json_u64(&j, "percentile_error_ppm", report_error_ppm(r));
	put_links(&j, c);
	put_host(&j, r);
	put_gpus(&j, r);
	put_streams(&j, r);
	put_processes(&j, r);
	put_uvm_side(&j, r);
	json_u64(&j, "unaligned_files", c->unaligned);
	put_ranks(&j, r);
	put_notes(&j, r);
	json_close(&j);
}
