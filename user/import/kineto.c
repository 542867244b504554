// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Complete events of PyTorch's profiler by category: what ran on a GPU, what
 * asked for it, what ran around that. See chrome.h.
 */
#include <string.h>
#include "api_class.h"
#include "chrome.h"

static u64 number_or(const struct chrome_event *e, enum chrome_arg arg, u64 otherwise)
{
	return HAS(e, arg) ? e->number[arg] : otherwise;
}

/* An id of a place on the GPU from args, else from the pid or tid it is shown under. */
static u32 place(const struct chrome_event *e, enum chrome_arg arg, const struct chrome_id *id)
{
	u64 shown = id->text.s ? kineto_number_in(id->text.s) : id->n;
	u64 v = HAS(e, arg) ? e->number[arg] : shown;

	return v == (u32)v || (s64)v < 0 ? v : v ^ v >> 32;	/* handles of 64 bits */
}

/* Of those with this key p was the first, if none was; *last: the key before. */
static void seen(struct hash *all, u64 *last, u64 key, struct chrome_process *p)
{
	if (key == *last)
		return;
	*last = key;
	if (!hash_get(all, key))
		hash_put(all, key, p);
}

static void head(struct chrome *c, struct gpu_head *g, u16 kind, u16 size)
{
	const struct chrome_event *e = &c->e;
	u64 correlation = number_or(e, ARG_CORRELATION, 0);
	struct chrome_process *p = chrome_gpu_process(c, correlation);

	g->e = (struct event){ .ts = e->ts, .pid = p->pid, .kind = kind, .size = size,
			       .producer = p->producer, .cpu = CPU_UNKNOWN };
	g->dur_ns = e->dur;
	g->device = place(e, ARG_DEVICE, &e->pid);
	g->stream = place(e, ARG_STREAM, &e->tid);
	g->context = number_or(e, ARG_CONTEXT, 0) ^ number_or(e, ARG_CONTEXT, 0) >> 32;
	g->graph_node = number_or(e, ARG_NODE, 0);
	g->graph = number_or(e, ARG_GRAPH, 0);
	if (correlation)
		g->correlation = import_correlation(c->im, p->producer, correlation);
	seen(&c->devices, &c->last_device, g->device + 1ULL, p);
	if (e->pid.given)
		seen(&c->gpu_pids, &c->last_gpu_pid, e->pid.n + 1, p);
}

static u32 text_id(struct chrome *c, u16 producer, enum chrome_arg arg)
{
	const struct chrome_text *t = &c->e.text[arg];

	if (!HAS(&c->e, arg))
		return 0;
	return import_name(c->im, producer, NAME_COLLECTIVE, t->s, t->n);
}

static s32 peer(const struct chrome_event *e)
{
	s64 from = number_or(e, ARG_SOURCE, -1), to = number_or(e, ARG_TARGET, -1);
	bool send = HAS(e, ARG_COLLECTIVE) && !strncmp(e->text[ARG_COLLECTIVE].s, "send", 4);

	return send || from < 0 ? to : from;
}

/* What the event says of a collective; 0: nothing. */
static u32 collective(struct chrome *c, u16 producer)
{
	const struct chrome_event *e = &c->e;
	u64 in = number_or(e, ARG_IN_ELEMENTS, 0), out = number_or(e, ARG_OUT_ELEMENTS, 0);
	struct collective r = { .in_elements = in, .out_elements = out };

	if (!HAS(e, ARG_COLLECTIVE) && !HAS(e, ARG_IN_ELEMENTS) && !HAS(e, ARG_GROUP))
		return 0;
	r.sequence = number_or(e, ARG_SEQUENCE, 0);
	r.group_size = number_or(e, ARG_GROUP_SIZE, 0);
	r.peer = peer(e);
	if (HAS(e, ARG_DTYPE))
		r.bytes = (in > out ? in : out) * kineto_type_bytes(e->text[ARG_DTYPE].s);
	r.name = text_id(c, producer, ARG_COLLECTIVE);
	r.type = text_id(c, producer, ARG_DTYPE);
	r.group = text_id(c, producer, ARG_GROUP);
	r.description = text_id(c, producer, ARG_DESCRIPTION);
	r.ranks = text_id(c, producer, ARG_RANKS);
	return import_collective(c->im, producer, &r);
}

static void put_kernel(struct chrome *c)
{
	const struct chrome_event *e = &c->e;
	u64 external = number_or(e, ARG_EXTERNAL, 0);
	struct kernel k = {};

	head(c, &k.g, EVENT_KERNEL, sizeof(k));
	k.name = import_name(c->im, k.g.e.producer, NAME_KERNEL, e->name.s, e->name.n);
	k.registers = number_or(e, ARG_REGISTERS, 0);
	k.dynamic_shared_bytes = number_or(e, ARG_SHARED, 0);
	if (HAS(e, ARG_GRID))
		memcpy(k.grid, e->grid, sizeof(k.grid));
	if (HAS(e, ARG_BLOCK))
		memcpy(k.block, e->block, sizeof(k.block));
	k.collective = collective(c, k.g.e.producer);
	if (!k.collective && c->collectives.used && external)
		k.collective = (uintptr_t)hash_get(&c->collectives, external);
	import_put(c->im, &k.g.e);
}

static void put_copy(struct chrome *c, const char *name)
{
	const struct chrome_event *e = &c->e;
	struct copy r = {};

	head(c, &r.g, EVENT_COPY, sizeof(r));
	r.bytes = number_or(e, ARG_BYTES, 0);
	r.src_device = number_or(e, ARG_FROM, r.g.device);
	r.dst_device = number_or(e, ARG_TO, r.g.device);
	kineto_copy_name(&r, name);
	import_put(c->im, &r.g.e);
	import_fact(c->im, "memcpy", e->name.s, e->name.n, 1);
	import_fact(c->im, "memcpy bytes", e->name.s, e->name.n, r.bytes);
}

static void put_set(struct chrome *c)
{
	const char *side = strchr(c->e.name.s, '(');
	struct copy like = {};
	struct set r = {};

	head(c, &r.g, EVENT_SET, sizeof(r));
	r.bytes = number_or(&c->e, ARG_BYTES, 0);
	if (side)
		kineto_copy_name(&like, side);
	r.memory_kind = like.src_kind;
	import_put(c->im, &r.g.e);
}

static void put_sync(struct chrome *c)
{
	struct sync r = {};

	head(c, &r.g, EVENT_SYNC, sizeof(r));
	r.type = kineto_sync_type(c->e.name.s);
	r.event = number_or(&c->e, ARG_EVENT, 0);
	import_put(c->im, &r.g.e);
}

/* Units of Meta's accelerator: programs, transfers and waits in one category. */
static void put_engine(struct chrome *c)
{
	const char *name = c->e.name.s;

	if (HAS(&c->e, ARG_DIRECTION))
		put_copy(c, c->e.text[ARG_DIRECTION].s);
	else if (!strncmp(name, "event_", 6))
		put_sync(c);
	else
		put_kernel(c);
}

static void put_gpu_span(struct chrome *c, enum span_what what)
{
	const struct chrome_event *e = &c->e;
	struct gpu_head g = {};
	struct span r = {};

	head(c, &g, EVENT_SPAN, sizeof(r));
	r.e = g.e;
	r.dur_ns = g.dur_ns;
	r.id = number_or(e, ARG_EXTERNAL, 0);
	r.name = import_name(c->im, g.e.producer, NAME_SPAN, e->name.s, e->name.n);
	r.category = chrome_category_id(c, g.e.producer);
	r.device = g.device;
	r.stream = g.stream;
	r.what = what;
	import_put(c->im, &r.e);
}

/* What the call is, by its name; looked up once for the names that come again and again. */
static void classify(struct chrome *c, struct api *r, bool driver)
{
	const struct chrome_text *name = &c->e.name;
	struct chrome_call *known = &c->calls[r->name % CHROME_CALLS];

	if (known->name != r->name || known->producer != r->e.producer) {
		*known = (struct chrome_call){
			.name = r->name, .producer = r->e.producer,
			.domain = api_domain(name->s, name->n),
			.class = api_class(name->s, name->n),
		};
	}
	r->class = known->class;
	r->domain = known->domain;
	if (!r->domain)
		r->domain = driver ? API_DRIVER : API_RUNTIME;
}

static void put_call(struct chrome *c, bool driver)
{
	const struct chrome_event *e = &c->e;
	struct chrome_thread *t = chrome_thread(c);
	u64 correlation = number_or(e, ARG_CORRELATION, 0);
	struct api r = {
		.e = { .ts = e->ts, .pid = t->process->pid, .tid = t->tid,
		       .size = sizeof(r), .kind = EVENT_API, .producer = t->producer,
		       .cpu = CPU_UNKNOWN },
		.dur_ns = e->dur, .cbid = number_or(e, ARG_CBID, 0),
		.name = import_name(c->im, t->producer, NAME_API, e->name.s, e->name.n),
	};

	classify(c, &r, driver);
	if (correlation) {
		r.correlation = import_correlation(c->im, t->producer, correlation);
		if (!c->main || t->producer != c->main->producer)
			hash_put(&c->foreign, correlation, t->process);
	}
	import_put(c->im, &r.e);
}

static void put_overhead(struct chrome *c)
{
	struct chrome_thread *t = chrome_thread(c);
	struct overhead r = {
		.e = { .ts = c->e.ts, .pid = t->process->pid, .tid = t->tid,
		       .size = sizeof(r), .kind = EVENT_OVERHEAD, .producer = t->producer,
		       .cpu = CPU_UNKNOWN },
		.dur_ns = c->e.dur,
	};

	if (!kineto_overhead(c->e.name.s, &r.what)) {
		chrome_put_span(c, t, SPAN_PROFILER);
		return;
	}
	if (HAS(&c->e, ARG_CORRELATION))
		r.correlation = import_correlation(c->im, t->producer,
						   c->e.number[ARG_CORRELATION]);
	import_put(c->im, &r.e);
}

/* An operator; record_param_comms says what a collective's kernels do, and which rank it is. */
static void put_op(struct chrome *c)
{
	const struct chrome_event *e = &c->e;
	struct chrome_thread *t = chrome_thread(c);
	u64 external = number_or(e, ARG_EXTERNAL, 0);
	u32 id;

	if (!strncmp(e->name.s, "ProfilerStep#", 13)) {	/* in 2021 steps were operators */
		chrome_put_span(c, t, SPAN_ANNOTATION);
		return;
	}
	chrome_put_span(c, t, SPAN_OP);
	if (strcmp(e->name.s, "record_param_comms"))
		return;
	id = collective(c, t->producer);
	if (id && external)
		hash_put(&c->collectives, external, (void *)(uintptr_t)id);
	if (!c->ranked && HAS(e, ARG_RANK) && HAS(e, ARG_DESCRIPTION) &&
	    !strcmp(e->text[ARG_DESCRIPTION].s, "default_pg")) {
		c->ranked = true;
		import_file_rank(c->im, e->number[ARG_RANK], number_or(e, ARG_GROUP_SIZE, 0));
	}
}

/* A range of CUPTI's counters: its values are counters at its start. */
static void put_range(struct chrome *c)
{
	struct chrome_thread *t = chrome_thread(c);
	u32 device = place(&c->e, ARG_DEVICE, &c->e.pid);

	chrome_put_span(c, t, SPAN_PROFILER);
	for (u32 i = 0; i < c->e.series_n; i++)
		chrome_put_counter(c, t, device, c->e.series[i].name.s, &c->e.series[i]);
}

void kineto_memory(struct chrome *c)
{
	const struct chrome_event *e = &c->e;
	struct chrome_thread *t = chrome_thread(c);
	bool cpu = number_or(e, ARG_DEVICE_TYPE, 0) == 0;
	u32 device = cpu ? ~0u : number_or(e, ARG_DEVICE_ID, ~0u);
	static const struct { enum chrome_arg arg; const char *gpu, *cpu; } rows[] = {
		{ ARG_ALLOCATED, "memory allocated", "CPU memory allocated" },
		{ ARG_RESERVED, "memory reserved", "CPU memory reserved" },
		{ ARG_BYTES, "memory allocation", "CPU memory allocation" },
	};

	for (u32 i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct chrome_series s = { .value = number_or(e, rows[i].arg, 0) };

		if (!HAS(e, rows[i].arg) || (i == 2 && HAS(e, ARG_ALLOCATED)))
			continue;
		chrome_put_counter(c, t, device, cpu ? rows[i].cpu : rows[i].gpu, &s);
	}
}

void kineto_put(struct chrome *c)
{
	switch (c->e.category ? c->e.category->kind : CHROME_OTHER) {
	case CHROME_KERNEL:
		return put_kernel(c);
	case CHROME_COPY:
		return put_copy(c, c->e.name.s);
	case CHROME_SET:
		return put_set(c);
	case CHROME_RUNTIME:
		return put_call(c, false);
	case CHROME_DRIVER:
		return put_call(c, true);
	case CHROME_SYNC:
		return put_sync(c);
	case CHROME_ENGINE:
		return put_engine(c);
	case CHROME_OVERHEAD:
		return put_overhead(c);
	case CHROME_OP:
		return put_op(c);
	case CHROME_ANNOTATION:
		return chrome_put_span(c, chrome_thread(c), SPAN_ANNOTATION);
	case CHROME_GPU_ANNOTATION:
		return put_gpu_span(c, SPAN_GPU_ANNOTATION);
	case CHROME_GPU_EVENT:
		return put_gpu_span(c, SPAN_OTHER);
	case CHROME_PYTHON:
		return chrome_put_span(c, chrome_thread(c), SPAN_PYTHON);
	case CHROME_PROFILER:
		return chrome_put_span(c, chrome_thread(c), SPAN_PROFILER);
	case CHROME_RANGE:
		return put_range(c);
	default:
		return chrome_put_span(c, chrome_thread(c), SPAN_OTHER);
	}
}
