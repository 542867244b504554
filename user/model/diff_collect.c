// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One pass over a trace: what is compared of a run, by key and by step. */
#include <stdlib.h>
#include <string.h>
#include "diff_run.h"
#include "schema.h"
#include "symbols.h"

#define KEEP_NS (3 * MODEL_HORIZON_NS)	/* operations may come that late: see interval.h */

static const char *demangled(struct diff_run *r, const char *name)
{
	const char *text = hash_get(&r->names, hash_address(name));

	if (!text) {
		text = diff_text(r->d, demangle(name));
		hash_put(&r->names, hash_address(name), (void *)text);
	}
	return text;
}

static struct diff_cell *cell(struct diff_run *r, u16 dim, const char *name, const char *config,
			      const char *path)
{
	return diff_run_cell(r, diff_key(r->d, dim, name, config, path));
}

static struct diff_cell *named_cell(struct diff_run *r, u16 dim, const char *name)
{
	const char *none = diff_text(r->d, "");

	return cell(r, dim, diff_text(r->d, name), none, none);
}

/* ---- steps ---- */

/* -1: the step is not one of those that are kept. */
static int slot_of(const struct diff_run *r, const struct process_steps *p,
		   const struct step *s)
{
	size_t at = s - p->list;

	return at % r->stride || at / r->stride >= r->slots ? -1 : (int)(at / r->stride);
}

static const struct process_steps *steps_for(const struct diff_run *r,
					     const struct process_info *p)
{
	return p && r->slots ? steps_of(r->found, p->producer, p->pid) : NULL;
}

static void cell_add(struct diff_run *r, struct diff_cell *c, const struct process_steps *p,
		     const struct step *s, u64 bytes)
{
	int slot = p && s ? slot_of(r, p, s) : -1;

	c->count++;
	c->bytes += bytes;
	if (slot < 0)
		return;
	if (!c->slots)
		c->slots = arena_alloc(&r->arena, r->slots * sizeof(*c->slots));
	c->slots[slot].count++;
	c->slots[slot].bytes += bytes;
}

static void cell_time(struct diff_cell *c, u64 ns)
{
	samples_add(&c->times, ns, 1);
	c->sum_ns += ns;
}

/* What of [start, end) is in the steps that are kept goes to their busy time. */
static void add_busy(struct diff_run *r, const struct process_steps *p, u32 gpu, u64 start,
		     u64 end)
{
	const struct step *s = end > start ? step_at(p, end - 1) : NULL;
	int slot;

	for (s = s ? s : step_at(p, start); s && s >= p->list && s->end > start; s--) {
		slot = slot_of(r, p, s);
		if (slot < 0 || s->start >= end)
			continue;
		if (!r->idle[gpu])
			r->idle[gpu] = arena_alloc(&r->arena, r->slots * sizeof(**r->idle));
		r->idle[gpu][slot].window_ns = s->end - s->start;
		intervals_add(&r->idle[gpu][slot].busy, (struct interval){
				.start = start > s->start ? start : s->start,
				.end = end < s->end ? end : s->end }, KEEP_NS);
	}
}

/* ---- operations ---- */

static const char *config(struct diff_run *r, const struct kernel *k)
{
	if (!k->grid[0] && !k->block[0])
		return diff_text(r->d, "");
	return diff_textf(r->d, "grid %u,%u,%u block %u,%u,%u", k->grid[0], k->grid[1],
			  k->grid[2], k->block[0], k->block[1], k->block[2]);
}

static bool collective_name(const char *name)
{
	return strcasestr(name, "nccl") || strcasestr(name, "rccl");
}

static struct diff_cell *kernel_cell(struct diff_run *r, const struct gpu_op *op, u64 *bytes)
{
	const struct kernel *k = (const struct kernel *)op->g;
	const struct collective_info *c = op->collective;
	const char *name = demangled(r, op->name), *none = diff_text(r->d, "");

	*bytes = c ? c->c.bytes : 0;
	if (c && c->name)
		return cell(r, DIM_COLLECTIVE,
			    diff_textf(r->d, "%s of %u", c->name, c->c.group_size), none, none);
	if (collective_name(name))
		return cell(r, DIM_COLLECTIVE, name, none, none);
	return cell(r, DIM_KERNEL, name, config(r, k), diff_path(r, op->stack));
}

struct diff_cell *diff_op_cell(struct diff_run *r, const struct gpu_op *op, u64 *bytes)
{
	const struct copy *c = (const struct copy *)op->g;
	const char *kind;

	*bytes = 0;
	switch (op->type) {
	case OP_KERNEL:
		return kernel_cell(r, op, bytes);
	case OP_COPY:
		*bytes = c->bytes;
		kind = record_enum_name(EVENT_COPY, "copy_kind", c->copy_kind);
		return named_cell(r, DIM_COPY, kind ? kind : "unknown");
	case OP_SET:
		*bytes = ((const struct set *)op->g)->bytes;
		return named_cell(r, DIM_COPY, "set");
	default:
		return named_cell(r, DIM_KERNEL, "[graph]");
	}
}

static void use_gpu(struct diff_run *r, const struct gpu_op *op, u64 start, u64 end,
		    const struct process_steps *p)
{
	u32 gpu = op->device->gpu;

	if (gpu >= DIFF_GPUS)
		return;
	if (!r->gpu_name[gpu])
		r->gpu_name[gpu] = diff_text(r->d, op->device->d.name[0] ? op->device->d.name
									 : "?");
	r->window[gpu].settled = model_settled(r->model);
	intervals_add(&r->window[gpu], (struct interval){ .start = start, .end = end },
		      KEEP_NS);
	if (p)
		add_busy(r, p, gpu, start, end);
}

static int collect_op(void *ctx, const struct gpu_op *op)
{
	struct diff_run *r = ctx;
	u64 bytes, start = op->g->e.ts, ns = op->g->dur_ns;
	u64 end = start + ns < start ? ~0ULL : start + ns;
	const struct process_steps *p = steps_for(r, op->process);
	const struct step *s = p ? step_of(p, op) : NULL;
	struct diff_cell *c = diff_op_cell(r, op, &bytes);
	int slot = s ? slot_of(r, p, s) : -1;

	cell_add(r, c, p, s, bytes);
	cell_time(c, ns);
	use_gpu(r, op, start, end, p);
	if (op->type == OP_KERNEL || op->type == OP_GRAPH) {
		r->kernels++;
		r->kernel_ns += ns;
		if (slot >= 0) {
			r->step_kernels[slot].count++;
			r->step_kernels[slot].bytes += ns;
		}
		if (op->call && !op->early && op->call->ops == 1)
			cell_time(named_cell(r, DIM_DELAY, "launch"),
				  start - op->call->r.e.ts);
	}
	return 0;
}

static int collect_api(void *ctx, const struct api_call *a)
{
	struct diff_run *r = ctx;
	const struct process_steps *p;
	struct diff_cell *c;

	if (a->r.depth)
		return 0;
	p = steps_for(r, model_process(r->model, a->r.e.producer, a->r.e.pid));
	c = named_cell(r, DIM_API, a->name);
	cell_add(r, c, p, p ? step_at(p, a->r.e.ts) : NULL, 0);
	cell_time(c, a->r.dur_ns);
	if (a->r.result)
		cell_add(r, named_cell(r, DIM_API, "[errors]"), p,
			 p ? step_at(p, a->r.e.ts) : NULL, 0);
	return 0;
}

static int collect_sync(void *ctx, const struct sync *s, const struct api_call *call)
{
	struct diff_run *r = ctx;
	const char *type = record_enum_name(EVENT_SYNC, "type", s->type);
	struct diff_cell *c = named_cell(r, DIM_SYNC, type ? type : "unknown");
	const struct process_steps *p;

	p = steps_for(r, model_process(r->model, s->g.e.producer, s->g.e.pid));
	cell_add(r, c, p, p ? step_at(p, call ? call->r.e.ts : s->g.e.ts) : NULL, 0);
	cell_time(c, s->g.dur_ns);
	return 0;
}

/* ---- faults ---- */

static int collect_uvm(void *ctx, const struct uvm_event *u)
{
	struct diff_run *r = ctx;
	const struct uvm_fault *f = (const struct uvm_fault *)u->e;
	const struct process_steps *p = steps_for(r, u->process);
	struct diff_cell *c;
	u64 bytes = 0;

	switch (u->e->kind) {
	case EVENT_UVM_FAULT:
		c = named_cell(r, DIM_FAULT, f->gpu == UVM_CPU ? "cpu" : "gpu");
		break;
	case EVENT_UVM_SERVICE:
		cell_time(c = named_cell(r, DIM_FAULT, "service"),
			  ((const struct uvm_service *)u->e)->dur_ns);
		break;
	case EVENT_UVM_MIGRATION:
		c = named_cell(r, DIM_FAULT, "migration");
		bytes = ((const struct uvm_migration *)u->e)->bytes;
		break;
	case EVENT_UVM_EVICT:
		c = named_cell(r, DIM_FAULT, "eviction");
		bytes = ((const struct uvm_evict *)u->e)->bytes;
		break;
	default:
		return 0;
	}
	cell_add(r, c, p, p ? step_at(p, u->e->ts) : NULL, bytes);
	return 0;
}

static int collect_host(void *ctx, const struct host_event *h)
{
	struct diff_run *r = ctx;

	if (h->e->kind == EVENT_FAULT)
		named_cell(r, DIM_FAULT, "host page")->count++;
	return 0;
}

const struct view diff_view = {
	.op = collect_op, .api = collect_api, .sync = collect_sync, .uvm = collect_uvm,
	.host = collect_host,
};
