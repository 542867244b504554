// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * API calls, in the thread that makes them: no lock, no allocation, no system
 * call. An enter leaves a note in the thread's own storage, the exit makes the
 * record. A driver call inside a runtime call has its correlation id and is
 * the same act of the program: by default only the outermost is recorded.
 */
#include "api_table.h"
#include "library.h"
#include "usdt.h"

#define CLASSES(x) (1U << (x))
#define WITH_STACK (CLASSES(API_LAUNCH) | CLASSES(API_COPY) | CLASSES(API_SET) |	\
		    CLASSES(API_SYNC) | CLASSES(API_ALLOC) | CLASSES(API_FREE) |	\
		    CLASSES(API_GRAPH_LAUNCH) | CLASSES(API_GRAPH))

static u32 recording;		/* WANT_* of what callbacks do now; 0: they return at once */
static bool closing;		/* calls that have begun are recorded, no new ones */

static const u32 want_of_class[16] = {	/* classes whose success means: a GPU record will
					 * come */
	[API_LAUNCH] = WANT_KERNEL, [API_COPY] = WANT_COPY, [API_SET] = WANT_SET,
	[API_GRAPH_LAUNCH] = WANT_GRAPH_LAUNCH,
};

/* False: the recording has ended for it. A call that makes an operation says so before it
 * looks. */
static bool call_begins(struct writer *w, u32 class, u32 correlation)
{
	if (want_of_class[class & 15])
		calling_begin(w);
	if (!load_relaxed(&closing)) {
		edge_recorded(correlation);
		return true;
	}
	calling_end();
	edge_left_out(correlation);
	return false;
}

static void call_enter(u32 domain, u32 cbid, const struct cupti_callback_data *d)
{
	const struct api_row *row = api_row(domain, cbid);
	struct writer *w = writer_get();
	struct thread *t = &self;
	struct call *c;

	if (!w || !row)
		return;
	/* Calls that began before the last switch never came to their exit here. */
	if (t->epoch != load_relaxed(&library.epoch) || t->depth >= CALLS_MAX) {
		t->epoch = load_relaxed(&library.epoch);
		t->depth = 0;
	}
	if (!t->depth && !call_begins(w, row->class, d->correlation))
		return;
	c = &t->calls[t->depth++];
	c->correlation = d->correlation;
	c->what = cbid | domain << 24;
	c->captured = false;
	c->managed = row->class == API_FREE ? managed_leaving(domain, cbid, d->params) : 0;
	if (t->depth > 1 && !(load_relaxed(&recording) & WANT_API_NESTED))
		return;
	if (t->depth == 1 && (WITH_STACK & CLASSES(row->class)))
		usdt_api_enter(c->correlation, library.producer, w->index, t->ns_tid, c->what);
	c->start = clock_now();
}

/* Takes the call off the thread's calls; its depth, or -1 when its enter was not seen. */
static int call_pop(u32 what, u32 correlation, struct call *call)
{
	struct thread *t = &self;
	u32 i;

	if (t->epoch != load_relaxed(&library.epoch))
		return -1;
	for (i = t->depth; i-- > 0; ) {
		if (t->calls[i].what != what || t->calls[i].correlation != correlation)
			continue;
		*call = t->calls[i];
		t->depth = i;
		return i;
	}
	return -1;
}

static void operation_begun(struct writer *w, u32 class, const struct call *c, s32 result)
{
	if (result || c->captured || !(want_of_class[class & 15] & recording))
		return;
	if (w->index)
		store_relaxed(&w->slot->begun, w->slot->begun + 1);
	else
		add_relaxed(&library.ring->begun, 1);
}

static void call_leave(u32 domain, u32 cbid, const struct cupti_callback_data *d)
{
	const struct api_row *row = api_row(domain, cbid);
	struct call call;
	int depth = call_pop(cbid | domain << 24, d->correlation, &call);
	s32 result = d->result ? *(const s32 *)d->result : 0;
	struct writer *w;
	struct api *api;
	u64 end;

	if (depth >= 0 && row && (row->class == API_ALLOC || row->class == API_FREE))
		managed_exit(call.what, d, &call, depth ? &self.calls[0] : &call);
	if (depth < 0 || (depth && !(load_relaxed(&recording) & WANT_API_NESTED)))
		return;
	end = clock_now();
	w = writer_get();
	if (!w)
		return;
	if (!depth)
		operation_begun(w, row->class, &call, result);
	name_api(API_NAME_ID(domain, cbid), row->function);
	api = record_begin(w, EVENT_API, sizeof(*api));
	if (!api)
		return;
	api->e.ts = call.start;
	api->dur_ns = end - call.start;
	api->correlation = call.correlation;
	api->name = API_NAME_ID(domain, cbid);
	api->result = result;
	api->cbid = cbid;
	api->domain = domain;
	api->class = row->class;
	api->depth = depth;
	api->pad = 0;
	record_end(w, api);
}

static void call_exit(u32 domain, u32 cbid, const struct cupti_callback_data *d)
{
	call_leave(domain, cbid, d);
	if (!self.depth || self.epoch != load_relaxed(&library.epoch))
		calling_end();
}

static void node_made(u32 cbid, const struct cupti_graph_data *d)
{
	struct cupti_functions *f = &library.cupti;
	struct writer *w = writer_get();
	struct graph_node *n;
	uint64_t node = 0, source = 0;
	u32 graph = 0;

	if (self.depth && self.epoch == load_relaxed(&library.epoch))
		self.calls[0].captured = true;
	if (!(load_relaxed(&recording) & WANT_GRAPH_NODES) || !f->graph_node_id || !w ||
	    f->graph_node_id(d->node, &node))
		return;
	if (cbid == CUPTI_RESOURCE_GRAPHNODE_CLONED)
		f->graph_node_id(d->original_node, &source);
	if (f->graph_id)
		f->graph_id(d->graph, &graph);
	n = record_begin(w, EVENT_GRAPH_NODE, sizeof(*n));
	if (!n)
		return;
	n->e.ts = clock_now();
	n->node = node;
	n->source = source;
	n->graph = graph;
	n->correlation = !source && self.depth ? self.calls[0].correlation : 0;
	record_end(w, n);
}

static void context_made(void *context)
{
	struct cupti_functions *f = &library.cupti;
	uint32_t id, device;

	if (f->context_id && f->device_id && !f->context_id(context, &id) &&
	    !f->device_id(context, &device))
		context_learn(id, device);
}

void api_callback(void *user, int domain, uint32_t cbid, const void *data)
{
	if (!load_acquire(&recording) || self.ours)
		return;
	if (domain == CUPTI_DOMAIN_DRIVER_API || domain == CUPTI_DOMAIN_RUNTIME_API) {
		const struct cupti_callback_data *d = data;

		if (d->site == CUPTI_ENTER)
			call_enter(domain, cbid, d);
		else
			call_exit(domain, cbid, d);
	} else if (domain == CUPTI_DOMAIN_RESOURCE) {
		const struct cupti_resource_data *d = data;

		if (cbid == CUPTI_RESOURCE_CONTEXT_CREATED)
			context_made(d->context);
		else
			node_made(cbid, d->descriptor);
	}
}

/* Some are unknown to older versions. 0, or the CUptiResult when not one was taken. */
static int enable_rows(u32 enable, int domain, u32 count)
{
	bool any = false;
	int err = 0, result;
	u32 cbid;

	for (cbid = 1; cbid < count; cbid++) {
		const struct api_row *row = api_row(domain, cbid);

		if (!row || row->class == API_OTHER)
			continue;
		result = library.cupti.enable_callback(enable, library.subscriber, domain,
						       cbid);
		any = any || !result;
		err = result ? result : err;
	}
	return any ? 0 : err;
}

static int enable_all(u32 enable)
{
	static const u32 resources[] = { CUPTI_RESOURCE_CONTEXT_CREATED,
		CUPTI_RESOURCE_GRAPHNODE_CREATED, CUPTI_RESOURCE_GRAPHNODE_CLONED };
	int driver = enable_rows(enable, CUPTI_DOMAIN_DRIVER_API,
				 sizeof(api_driver_rows) / sizeof(api_driver_rows[0]));
	int runtime = enable_rows(enable, CUPTI_DOMAIN_RUNTIME_API,
				  sizeof(api_runtime_rows) / sizeof(api_runtime_rows[0]));
	size_t i;

	for (i = 0; i < sizeof(resources) / sizeof(resources[0]); i++)
		library.cupti.enable_callback(enable, library.subscriber, CUPTI_DOMAIN_RESOURCE,
					      resources[i]);
	return driver ? driver : runtime;
}

void api_close(void)
{
	store_release(&closing, true);
	writers_fence();
}

/* Off at once for callers, whatever CUPTI still calls; on only when all is enabled. */
int api_callbacks(u32 on)
{
	u32 was = load_relaxed(&recording);
	int err = 0;

	if (!(on & WANT_API))
		on = 0;
	if (on == was)
		return 0;
	store_release(&recording, 0);
	add_relaxed(&library.epoch, 1);
	managed_forget();
	store_release(&closing, false);
	if (on) {		/* else what is still delivered is judged as before */
		calling_forget();
		edges_reset(true);
	}
	if (!on != !was && library.cupti_up)
		err = enable_all(on != 0);
	store_release(&recording, on);
	return on ? err : 0;
}
