// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The entry of the model: each record goes to the table or join of its kind,
 * trace time moves on, and what has waited for the horizon is let go.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "log.h"
#include "parts.h"
#include "trace_set.h"

struct model *model_new(const struct view *view, void *ctx)
{
	struct model *m = must_alloc(sizeof(*m));

	m->view = view;
	m->ctx = ctx;
	m->calls.bytes = sizeof(struct call);
	m->ops.bytes = sizeof(struct waiting_op);
	m->nodes.bytes = sizeof(struct node);
	m->events.bytes = sizeof(struct waiting_event);
	m->uvm.events.bytes = sizeof(struct waiting_uvm);
	m->uvm.runnings.bytes = sizeof(struct running);
	m->uvm.lives.bytes = sizeof(struct live);
	m->uvm.blocks.bytes = sizeof(struct block_memory);
	m->youngest = &m->oldest;
	m->held_end = &m->held;
	m->event_youngest = &m->event_oldest;
	m->counts.first_ns = ~0ULL;
	m->to = ~0ULL;
	m->unknown = texts_add(&m->texts, "?", 1);
	return m;
}

void model_free(struct model *m)
{
	struct hash *maps[] = { &m->stacks, &m->maps, &m->symbols, &m->frames, &m->threads,
				&m->pids, &m->gpus, &m->call_map };

	for (size_t i = 0; i < sizeof(m->producers) / sizeof(*m->producers); i++) {
		if (!m->producers[i])
			continue;
		hash_free(&m->producers[i]->names);
		hash_free(&m->producers[i]->devices);
		hash_free(&m->producers[i]->nodes);
		hash_free(&m->producers[i]->collectives);
	}
	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		hash_free(maps[i]);
	uvm_free(m);
	free(m->processes.list);
	free(m->devices.list);
	free(m->notes.list);
	pool_free(&m->calls);
	pool_free(&m->ops);
	pool_free(&m->nodes);
	pool_free(&m->events);
	texts_free(&m->texts);
	arena_free(&m->arena);
	free(m);
}

/* Is it one of those whose second field is dur_ns? */
static bool kind_is_span(u16 kind)
{
	return (kind >= EVENT_API && kind <= EVENT_NVTX) || kind == EVENT_DRIVER ||
	       kind == EVENT_SPAN || kind == EVENT_BLOCK || kind == EVENT_LAUNCH ||
	       kind == EVENT_UVM_SERVICE || kind == EVENT_UVM_BATCH ||
	       kind == EVENT_UVM_EVICT || kind == EVENT_XID_CALL;
}

static bool kind_is_gpu(u16 kind)
{
	return (kind >= EVENT_KERNEL && kind <= EVENT_SYNC) || kind == EVENT_GRAPH;
}

/* GPU clocks can be wrong; they move trace time on only where there is no other clock. */
static void model_time(struct model *m, const struct event *e)
{
	u64 end = e->ts, dur;

	if (kind_is_span(e->kind)) {
		memcpy(&dur, e + 1, sizeof(dur));
		end = e->ts + dur < e->ts ? ~0ULL : e->ts + dur;
	}
	if (e->ts < m->counts.first_ns && model_wants(m, e))
		m->counts.first_ns = e->ts;
	if (end > m->counts.last_ns && model_wants(m, e))
		m->counts.last_ns = end;
	/* a program's own range may last as long as the trace, and come before what is in it */
	if (e->kind == EVENT_SPAN || e->kind == EVENT_NVTX)
		end = e->ts;
	if (kind_is_gpu(e->kind)) {
		if (end > m->gpu_now)
			m->gpu_now = end;
	} else if (end > m->now) {
		if (!m->now)
			join_rebase(m, end);
		m->now = end;
	}
}

static int model_define(struct model *m, const struct event *e)
{
	switch (e->kind) {
	case EVENT_TASK:
		return table_task(m, (const struct task *)e);
	case EVENT_DEVICE:
		return table_device(m, (const struct device *)e);
	case EVENT_NAME:
		table_name(m, (const struct name *)e);
		break;
	case EVENT_STACK:
		table_stack(m, (const struct stack *)e);
		break;
	case EVENT_MAP:
		table_map(m, (const struct map *)e);
		break;
	case EVENT_SYMBOL:
		table_symbol(m, (const struct symbol *)e);
		break;
	case EVENT_CLOCK:
		table_clock(m, (const struct clock_pair *)e);
		return m->view->clock ?
			m->view->clock(m->ctx, (const struct clock_pair *)e) : 0;
	case EVENT_LOST:
		table_lost(m, (const struct lost *)e);
		break;
	case EVENT_NOTE:
		table_note(m, (const struct note_record *)e);
		break;
	case EVENT_GRAPH_NODE:
		join_node(m, (const struct graph_node *)e);
		break;
	case EVENT_UVM_GPU:
		uvm_gpu_define(m, (const struct uvm_gpu *)e);
		break;
	case EVENT_SOURCE:
		table_source(m, (const struct source *)e);
		break;
	case EVENT_COLLECTIVE:
		table_collective(m, (const struct collective *)e);
		break;
	default:
		m->counts.unknown_kinds++;
	}
	return 0;
}

static int model_deliver(struct model *m, const struct event *e)
{
	const struct view *v = m->view;
	int err;

	switch (e->kind) {
	case EVENT_API:
		return join_api(m, (const struct api *)e);
	case EVENT_API_STACK:
		return join_stack(m, (const struct api_stack *)e);
	case EVENT_KERNEL:
	case EVENT_COPY:
	case EVENT_SET:
	case EVENT_SYNC:
	case EVENT_GRAPH:
		return join_op(m, (const struct gpu_head *)e);
	case EVENT_NVTX:
		return v->nvtx ? v->nvtx(m->ctx, (const struct nvtx *)e) : 0;
	case EVENT_SPAN:
		return v->span ? v->span(m->ctx, (const struct span *)e) : 0;
	case EVENT_COUNTER:
		return v->counter ? v->counter(m->ctx, (const struct counter *)e) : 0;
	case EVENT_FLOW:
		return v->flow ? v->flow(m->ctx, (const struct flow *)e) : 0;
	case EVENT_SAMPLE:
		return v->sample ? v->sample(m->ctx, (const struct sample *)e) : 0;
	case EVENT_OVERHEAD:
		return v->overhead ? v->overhead(m->ctx, (const struct overhead *)e) : 0;
	case EVENT_SWITCH:
		return host_event_add(m, e, sizeof(struct sched_switch_rec));
	case EVENT_WAKE:
		return host_event_add(m, e, sizeof(struct wake));
	case EVENT_FAULT:
		return host_event_add(m, e, sizeof(struct fault));
	case EVENT_DRIVER:
		return host_event_add(m, e, sizeof(struct driver_call));
	case EVENT_BLOCK:
		return host_event_add(m, e, sizeof(struct block_io));
	case EVENT_ALLOC:
		err = v->other ? v->other(m->ctx, e) : 0;
		return err ? err : uvm_add(m, e);
	case EVENT_UVM_FAULT ... EVENT_UVM_MARK:
		return uvm_add(m, e);
	case EVENT_DRIVER_SUM:
		return v->driver_sum ? v->driver_sum(m->ctx, (const struct driver_sum *)e) : 0;
	case EVENT_XID:
		return xid_deliver(m, (const struct xid *)e);
	case EVENT_XID_CALL:
		return xid_call_deliver(m, (const struct xid_call *)e);
	default:		/* a stream tool's own record, too: no CUPTI, nothing to join */
		m->counts.unknown_kinds += !record_type(e->kind);
		return v->other && record_type(e->kind) ? v->other(m->ctx, e) : 0;
	}
}

/* 2001; CLOCK_MONOTONIC would be up 31 years */
#define REALTIME_FROM 1000000000000000000ULL

/* GPU records of a process whose CUPTI keeps CLOCK_REALTIME are brought to ours, where the
 * library has not done so. */
static const struct event *model_convert(struct model *m, const struct event *e,
					 struct waiting_op *copy)
{
	const struct record_type *type;
	struct producer *p = m->producers[e->producer];

	if (!p || !p->realtime || !m->clock_count || !kind_is_gpu(e->kind) ||
	    e->ts < REALTIME_FROM)
		return e;
	type = record_type(e->kind);
	memcpy(&copy->r, e, type->size);
	copy->r.g.e.ts = clock_convert(m, e->ts);
	m->counts.clock_converted++;
	return &copy->r.g.e;
}

/* What has come before the last so many records is before all that will come. */
static void model_order(struct model *m, const struct event *e)
{
	if (!m->disorder)
		return;
	if (!(m->in_order++ % m->disorder)) {
		m->settled = m->marked;
		m->marked = m->newest;
	}
	if (e->ts > m->newest)
		m->newest = e->ts;
}

int model_feed(struct model *m, const struct event *e)
{
	struct waiting_op copy;
	int err;

	m->counts.records++;
	if (e->kind < EVENT_DEFINITIONS_END)
		return model_define(m, e);
	model_order(m, e);
	e = model_convert(m, e, &copy);
	if (e->kind != EVENT_API && e->kind != EVENT_API_STACK && !model_wants(m, e))
		return 0;	/* calls may have to do with what comes within */
	model_time(m, e);
	err = model_deliver(m, e);
	if (!err)
		err = host_expire(m, false);
	if (!err)
		err = uvm_expire(m, false);
	return err ? err : join_expire(m, false);
}

int model_finish(struct model *m)
{
	int err = host_expire(m, true);

	if (!err)
		err = uvm_expire(m, true);
	if (!err)
		err = join_expire(m, true);
	if (m->counts.first_ns == ~0ULL)
		m->counts.first_ns = m->counts.last_ns = 0;
	return err;
}

const struct model_counts *model_counts(const struct model *m)
{
	return &m->counts;
}

void model_window(struct model *m, const struct trace_window *w)
{
	m->window = *w;
}

int model_run_all(struct model *m, const char *const *paths, size_t n, struct trace_info *info,
		  char **damage)
{
	struct trace_set *set;
	const struct event *e;
	const char *why;
	int err;

	if (damage)
		*damage = NULL;
	err = trace_set_open_window(&set, paths, n, &m->window, MODEL_HORIZON_NS);
	if (err)
		return err;
	m->alone = n == 1;
	trace_set_range(set, &m->from, &m->to);
	if (info)
		*info = *trace_set_info(set);
	while (trace_set_next(set, &e)) {
		err = model_feed(m, e);
		if (err)
			goto out;
	}
	m->counts.unknown_kinds += trace_set_unknown_kinds(set);
	m->counts.blocks_missing = trace_set_blocks_missing(set);
	m->counts.unaligned = trace_set_unaligned(set);
	why = trace_set_damage(set);
	if (why && damage)
		*damage = strdup(why);
	err = why && !damage ? fail(0, "%s", why) : model_finish(m);
out:
	trace_set_close(set);
	return err;
}

int model_run(struct model *m, const char *path, struct trace_info *info, char **damage)
{
	return model_run_all(m, &path, 1, info, damage);
}
