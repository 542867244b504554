// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sums what the model delivers: operations, calls, waits, ranges. */
#include <stdlib.h>
#include <string.h>
#include "report_parts.h"
#include "symbols.h"

struct row *rows_get(struct rows *rows, struct arena *arena, const char *name)
{
	struct row *row = hash_get(&rows->by_name, hash_address(name));

	if (row)
		return row;
	row = arena_alloc(arena, sizeof(*row));
	row->name = name;
	hash_put(&rows->by_name, hash_address(name), row);
	if (rows->n == rows->room) {
		rows->room = rows->room ? 2 * rows->room : 64;
		rows->list = must_realloc(rows->list, rows->room * sizeof(*rows->list));
	}
	return rows->list[rows->n++] = row;
}

void *report_list_add(void *list, size_t n, void *x)
{
	void **p = list;

	if (!(n & (n - 1)))	/* 0 and powers of two: full */
		p = must_realloc(p, (n ? 2 * n : 1) * sizeof(*p));
	p[n] = x;
	return p;
}

static void sum_add(struct sum *s, u64 ns, u64 bytes)
{
	s->count++;
	s->bytes += bytes;
	s->total_ns += ns;
	if (ns > s->max_ns)
		s->max_ns = ns;
}

/* Names are equal when what people read is equal. */
const char *report_name(struct report *r, const char *mangled)
{
	u64 key = hash_address(mangled);
	const char *name = hash_get(&r->demangled, key), *text;

	if (name)
		return name;
	text = demangle(mangled);
	name = texts_add(&r->texts, text, strlen(text));
	hash_put(&r->demangled, key, (void *)name);
	return name;
}

static struct process_row *process_row(struct report *r, const struct process_info *p)
{
	struct process_row *row = hash_get(&r->process_map, hash_address(p));

	if (row)
		return row;
	row = arena_alloc(&r->arena, sizeof(*row));
	row->process = p;
	hash_put(&r->process_map, hash_address(p), row);
	r->processes = report_list_add(r->processes, r->process_n++, row);
	return row;
}

/* Streams are the process's own; keys that meet are told apart. */
static struct stream_row *stream_row(struct report *r, const struct gpu_op *op)
{
	const struct gpu_head *g = op->g;
	u64 key = hash_mix(hash_address(op->process) ^ hash_address(op->device) << 1) ^
		  ((u64)g->context << 32 | g->stream);
	struct stream_row *row;

	for (; (row = hash_get(&r->stream_map, key)); key++)
		if (row->process == op->process && row->device == op->device &&
		    row->context == g->context && row->stream == g->stream)
			return row;
	row = arena_alloc(&r->arena, sizeof(*row));
	row->process = op->process;
	row->device = op->device;
	row->context = g->context;
	row->stream = g->stream;
	row->first_ns = ~0ULL;
	hash_put(&r->stream_map, key, row);
	r->streams = report_list_add(r->streams, r->stream_n++, row);
	return row;
}

static struct gpu_row *gpu_row(struct report *r, const struct device_info *d)
{
	struct gpu_row *row;

	while (r->gpu_n <= d->gpu) {
		row = arena_alloc(&r->arena, sizeof(*row));
		r->gpus = report_list_add(r->gpus, r->gpu_n++, row);
	}
	row = r->gpus[d->gpu];
	if (!row->device)
		row->device = d;
	return row;
}

/* The memory on the host's side of a copy; a copy between devices has none. */
static u16 copy_memory(const struct copy *c)
{
	u16 kind = c->src_kind;

	switch (c->copy_kind) {
	case COPY_DTOH:
	case COPY_ATOH:
		kind = c->dst_kind;
		break;
	case COPY_HTOD:
	case COPY_HTOA:
		break;
	case COPY_HTOH:
		if (c->dst_kind == MEMORY_PAGEABLE)
			kind = c->dst_kind;
		break;
	default:
		kind = MEMORY_DEVICE;
	}
	return kind < MEMORY_KINDS ? kind : MEMORY_UNKNOWN;
}

static void add_kernel(struct report *r, const struct gpu_op *op, u64 end)
{
	const struct gpu_head *g = op->g;
	u64 start = g->e.ts;
	struct row *row = rows_get(&r->kernels, &r->arena, report_name(r, op->name));

	if (!row->mangled && strcmp(op->name, row->name))
		row->mangled = texts_add(&r->texts, op->name, strlen(op->name));
	histogram_add(&row->h, g->dur_ns);
	if (!r->kernel_times.count || start < r->kernel_first)
		r->kernel_first = start;
	if (end > r->kernel_last)
		r->kernel_last = end;
	histogram_add(&r->kernel_times, g->dur_ns);
}

static void add_to_type(struct report *r, const struct gpu_op *op, u64 end)
{
	struct process_row *p = process_row(r, op->process);
	const struct copy *c = (const struct copy *)op->g;
	u64 ns = op->g->dur_ns;
	u32 kind;

	switch (op->type) {
	case OP_KERNEL:
		add_kernel(r, op, end);
		r->graph_kernels += !!op->g->graph_node;
		p->kernels++;
		p->kernel_ns += ns;
		break;
	case OP_COPY:
		kind = c->copy_kind < COPY_KINDS ? c->copy_kind : 0;
		sum_add(&r->copies[kind][copy_memory(c)], ns, c->bytes);
		p->copies++;
		p->copy_bytes += c->bytes;
		break;
	case OP_SET:
		sum_add(&r->sets, ns, ((const struct set *)op->g)->bytes);
		p->sets++;
		break;
	default:
		sum_add(&r->graphs, ns, 0);
		p->graphs++;
	}
}

static void add_to_stream(struct report *r, const struct gpu_op *op, u64 end)
{
	struct stream_row *s = stream_row(r, op);
	u64 *counts[OP_TYPES] = { &s->kernels, &s->copies, &s->sets, &s->graphs };

	*counts[op->type] += 1;
	s->total_ns += op->g->dur_ns;
	if (op->g->e.ts < s->first_ns)
		s->first_ns = op->g->e.ts;
	if (end > s->last_ns)
		s->last_ns = end;
}

static int collect_op(void *ctx, const struct gpu_op *op)
{
	struct report *r = ctx;
	const struct gpu_head *g = op->g;
	u64 end = g->e.ts + g->dur_ns < g->e.ts ? ~0ULL : g->e.ts + g->dur_ns;
	struct gpu_row *gpu = gpu_row(r, op->device);
	struct interval x = { .start = g->e.ts, .end = end, .name = report_name(r, op->name) };

	if (op->call) {
		x.launch_ns = op->call->r.e.ts;
		x.tid = op->call->r.e.tid;
		if (op->call->longest_name)
			x.longest = model_name(r->model, g->e.producer, op->call->longest_name);
		x.longest_ns = op->call->longest_ns;
		x.since_ns = op->call->since_ns;
	}
	gpu->ops++;
	gpu->all.settled = gpu->kernels.settled = model_settled(r->model);
	intervals_add(&gpu->all, x, REPORT_KEEP_NS);
	ranks_op(&r->ranks, op, x.name);
	if (op->type == OP_KERNEL) {
		intervals_add(&gpu->kernels, x, REPORT_KEEP_NS);
		gpu->kernel_n++;
		gpu->kernel_ns += g->dur_ns;
	}
	add_to_type(r, op, end);
	add_to_stream(r, op, end);
	/* of a graph in node mode only the first: the others wait for each other */
	if (op->call && !op->early && op->call->ops == 1 &&
	    (op->type == OP_KERNEL || op->type == OP_GRAPH))
		histogram_add(&r->launch_delay, g->e.ts - op->call->r.e.ts);
	return 0;
}

static int collect_api(void *ctx, const struct api_call *c)
{
	struct report *r = ctx;
	struct row *row;
	struct process_row *p;

	if (c->r.depth) {
		histogram_add(&rows_get(&r->nested, &r->arena, c->name)->h, c->r.dur_ns);
		return 0;
	}
	ranks_api(&r->ranks, c);
	report_thread(r, c->r.e.pid, c->r.e.tid, c->r.e.ts, c->r.e.ts + c->r.dur_ns);
	row = rows_get(&r->apis, &r->arena, c->name);
	p = process_row(r, model_process(r->model, c->r.e.producer, c->r.e.pid));
	histogram_add(&row->h, c->r.dur_ns);
	p->api++;
	p->api_ns += c->r.dur_ns;
	if (c->r.class == API_LAUNCH) {
		r->launch_calls++;
		r->launch_ns += c->r.dur_ns;
	}
	p->launches += c->r.class == API_LAUNCH || c->r.class == API_GRAPH_LAUNCH;
	if (c->r.result) {
		row->errors++;
		r->api_errors++;
	}
	return 0;
}

static int collect_sync(void *ctx, const struct sync *s, const struct api_call *call)
{
	struct report *r = ctx;

	sum_add(&r->syncs[s->type < SYNC_TYPES ? s->type : 0], s->g.dur_ns, 0);
	return 0;
}

static int collect_nvtx(void *ctx, const struct nvtx *n)
{
	struct report *r = ctx;
	const char *name = model_name(r->model, n->e.producer, n->name);

	histogram_add(&rows_get(&r->nvtx, &r->arena, name)->h, n->dur_ns);
	return 0;
}

static int collect_overhead(void *ctx, const struct overhead *o)
{
	sum_add(&((struct report *)ctx)->overhead, o->dur_ns, 0);
	return 0;
}

static int collect_device(void *ctx, const struct device_info *d)
{
	gpu_row(ctx, d);
	return 0;
}

const struct view report_view = {
	.device = collect_device,
	.api = collect_api,
	.op = collect_op,
	.sync = collect_sync,
	.nvtx = collect_nvtx,
	.overhead = collect_overhead,
	.host = report_host,
	.uvm = report_uvm,
	.xid = report_xid,
	.xid_call = report_xid_call,
};
