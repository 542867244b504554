// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * GPU operations to API calls to stacks, by (producer, correlation). Whatever
 * comes first makes the entry; an operation waits at its call until the call's
 * record and its stack are there, or at the call that captured its graph node
 * until that one's stack is.
 */
#include <string.h>
#include "parts.h"

static u64 model_now(const struct model *m)
{
	return m->now ? m->now : m->gpu_now;
}

static void call_append(struct model *m, struct call *c)
{
	c->arrival = model_now(m);
	c->settled = m->settled;
	c->later = NULL;
	*m->youngest = c;
	m->youngest = &c->later;
	m->call_count++;
}

static struct call *call_new(struct model *m, u64 key)
{
	struct call *c = pool_get(&m->calls);

	c->key = key;
	c->ops_end = &c->ops;
	call_append(m, c);
	return c;
}

struct call *call_get(struct model *m, u16 producer, u32 correlation)
{
	u64 key = (u64)producer << 32 | correlation;
	struct call *c = hash_get(&m->call_map, key);

	if (!c) {
		c = call_new(m, key);
		hash_put(&m->call_map, key, c);
	}
	return c;
}

static void call_free(struct model *m, struct call *c)
{
	pool_put(&m->calls, c);
}

void call_unref(struct model *m, struct call *c)
{
	if (--c->refs == 0 && c->expired)
		call_free(m, c);
}

/* Only these classes fire the API-enter probe: see api_class and DESIGN 4. */
static bool class_has_stack(u16 class)
{
	return class >= API_LAUNCH && class <= API_GRAPH && class != API_EVENT;
}

static bool call_wants_stack(const struct model *m, const struct call *c)
{
	return m->stacks_seen && !c->have_stack && !c->expired &&
	       class_has_stack(c->c.r.class);
}

/* The node or the ancestor it is a clone of that a call made. */
static struct node *node_root(struct model *m, const struct gpu_head *g)
{
	struct producer *p = m->producers[g->e.producer];
	struct node *n = g->graph_node && p ? hash_get(&p->nodes, g->graph_node) : NULL;

	for (int hops = 0; n && n->source && !n->stack && !n->pending && hops < 64; hops++)
		n = hash_get(&p->nodes, n->source);
	return n;
}

/* Where the operation must wait, NULL: nowhere. */
static struct call *op_blocker(struct model *m, const struct waiting_op *w)
{
	struct call *c = w->call;
	struct node *n;

	if (c && !c->expired && !c->have_call)
		return c;
	if (w->r.g.e.kind == EVENT_SYNC)
		return NULL;
	if (c && c->have_call && call_wants_stack(m, c))
		return c;
	n = node_root(m, &w->r.g);
	return n ? n->pending : NULL;
}

static const char *const copy_names[] = {
	"[memcpy]", "[memcpy HtoD]", "[memcpy DtoH]", "[memcpy HtoA]", "[memcpy AtoH]",
	"[memcpy AtoA]", "[memcpy AtoD]", "[memcpy DtoA]", "[memcpy DtoD]", "[memcpy HtoH]",
	"[memcpy PtoP]", "[memcpy UVM HtoD]", "[memcpy UVM DtoH]", "[memcpy UVM DtoD]",
};

static void op_name(struct model *m, struct gpu_op *op, const struct waiting_op *w)
{
	u16 kind = w->r.copy.copy_kind;

	switch (w->r.g.e.kind) {
	case EVENT_KERNEL:
		op->type = OP_KERNEL;
		op->name = model_name(m, w->r.g.e.producer, w->r.kernel.name);
		op->collective = collective_get(m, &w->r.kernel);
		break;
	case EVENT_COPY:
		op->type = OP_COPY;
		op->name =
			copy_names[kind < sizeof(copy_names) / sizeof(*copy_names) ? kind : 0];
		break;
	case EVENT_SET:
		op->type = OP_SET;
		op->name = "[memset]";
		break;
	default:
		op->type = OP_GRAPH;
		op->name = "[graph]";
	}
}

static void op_link(struct model *m, struct gpu_op *op, struct call *c)
{
	const struct node *n = node_root(m, op->g);

	if (c) {
		c->c.ops++;
		c->c.name = model_name(m, c->c.r.e.producer, c->c.r.name);
		op->call = &c->c;
		op->link = LINK_EXACT;
		op->stack = c->c.stack;
		op->early = op->g->e.ts < c->c.r.e.ts;
		m->counts.op_correlated++;
		m->counts.op_early += op->early;
	} else {
		m->counts.op_uncorrelated++;
	}
	if (n && n->stack) {
		op->stack = n->stack;
		op->captured = true;
		m->counts.op_captured++;
	}
	m->counts.op_no_stack += c && !op->stack;
}

static int op_deliver(struct model *m, const struct waiting_op *w)
{
	struct gpu_op op = { .g = &w->r.g };
	struct call *c = w->call && w->call->have_call ? w->call : NULL;
	const struct event *e = &op.g->e;

	if (e->kind == EVENT_SYNC) {
		*(c ? &m->counts.sync_correlated : &m->counts.sync_uncorrelated) += 1;
		if (c)
			c->c.name = model_name(m, c->c.r.e.producer, c->c.r.name);
		return m->view->sync ? m->view->sync(m->ctx, &w->r.sync, c ? &c->c : NULL) : 0;
	}
	op_name(m, &op, w);
	op.device = device_get(m, e->producer, op.g->device);
	op.process = model_process(m, e->producer, e->pid);
	op_link(m, &op, c);
	m->counts.ops[op.type]++;
	return m->view->op ? m->view->op(m->ctx, &op) : 0;
}

static void op_wait(struct waiting_op *w, struct call *at)
{
	if (w->call && w->call != at)
		w->call->away++;
	w->next = NULL;
	*at->ops_end = w;
	at->ops_end = &w->next;
}

/* Once, after all its operations. */
static int call_deliver(struct model *m, struct call *c)
{
	if (c->away || !c->have_call || c->c.delivered || !m->view->api ||
	    !model_wants(m, &c->c.r.e))
		return 0;
	c->c.name = model_name(m, c->c.r.e.producer, c->c.r.name);
	c->c.delivered = true;
	return m->view->api(m->ctx, &c->c);
}

/* An operation that waited at `c`: it may have been the last its own call was waiting for. */
static int op_release(struct model *m, struct call *c, struct waiting_op *w)
{
	int err = op_deliver(m, w);

	if (!err && w->call && w->call != c && w->call->expired)
		err = call_deliver(m, w->call);
	return err;
}

/* Delivers what waits at `c` and need not any more. */
static int call_release(struct model *m, struct call *c)
{
	struct waiting_op *w = c->ops, *next;
	struct call *at;
	int err = 0;

	c->ops = NULL;
	c->ops_end = &c->ops;
	for (; w; w = next) {
		next = w->next;
		if (w->call && w->call != c)
			w->call->away--;
		at = err ? NULL : op_blocker(m, w);
		if (at) {
			op_wait(w, at);
			continue;
		}
		if (!err)
			err = op_release(m, c, w);
		if (w->call)
			call_unref(m, w->call);
		pool_put(&m->ops, w);
	}
	return err;
}

/* The nodes that this call made get its stack (0: it has none). */
static void call_nodes(struct call *c)
{
	for (struct node *n = c->nodes; n; n = n->next) {
		n->stack = c->c.stack;
		n->pending = NULL;
	}
	c->nodes = NULL;
}

static bool class_gives_work(u16 class)
{
	return (class >= API_LAUNCH && class <= API_SET) || class == API_GRAPH_LAUNCH;
}

static bool call_is_current(const struct model *m, const struct call *c)
{
	return !c->nested && hash_get(&m->call_map, c->key) == c;
}

/* What it gave to the GPU may still run: a kernel can take minutes, and so can a queue of
 * them. Of a graph whose call does not wait for all of the horizon some may be there. */
static bool call_may_work(const struct model *m, const struct call *c)
{
	bool some = c->c.ops && !(m->disorder && c->c.r.class == API_GRAPH_LAUNCH);

	return c->have_call && !some && !c->c.r.result && class_gives_work(c->c.r.class);
}

/* It can be found by its operation as long as not too many are held. The reference is the
 * list's. */
static void call_hold(struct model *m, struct call *c)
{
	c->later = NULL;
	*m->held_end = c;
	m->held_end = &c->later;
	m->held_count++;
}

static void held_release(struct model *m, size_t most)
{
	struct call *c;

	while (m->held_count > most) {
		c = m->held;
		m->held = c->later;
		if (!m->held)
			m->held_end = &m->held;
		m->held_count--;
		if (call_is_current(m, c))
			hash_take(&m->call_map, c->key);
		call_unref(m, c);
	}
}

/* Nothing more is awaited for this call: it goes to the view, and away when nobody holds it. */
static int call_expire(struct model *m, struct call *c)
{
	int err;

	c->expired = true;
	c->refs++;
	call_nodes(c);
	err = call_release(m, c);
	if (c->thread)
		timed_remove(&c->thread->calls, &c->timed);
	if (!err)
		err = call_deliver(m, c);
	if (call_is_current(m, c) && call_may_work(m, c)) {
		call_hold(m, c);
		return err;
	}
	if (call_is_current(m, c))
		hash_take(&m->call_map, c->key);
	call_unref(m, c);
	return err;
}

/* What came before the first CPU record has arrived by a clock that may be ahead, or wrong. */
void join_rebase(struct model *m, u64 now)
{
	for (struct call *c = m->oldest; c; c = c->later)
		if (c->arrival > now)
			c->arrival = now;
}

u64 model_settled(const struct model *m)
{
	u64 settled = m->oldest ? m->oldest->settled : m->settled;

	if (m->event_oldest)
		return 0;
	if (m->uvm.waiting.n && heap_first(&m->uvm.waiting)->ts < settled)
		settled = heap_first(&m->uvm.waiting)->ts;
	return settled;
}

/* How many calls may wait within the horizon: a trace in order needs few. */
static size_t waiting_max(const struct model *m)
{
	return m->disorder ? m->disorder + QUEUED_MAX : WAITING_MAX;
}

int join_expire(struct model *m, bool all)
{
	u64 now = model_now(m);
	struct call *c;
	int err;

	while ((c = m->oldest)) {
		if (!c->arrival)	/* known from a definition before any record with a
					 * time */
			c->arrival = now;
		if (!all && (s64)(now - c->arrival) <= (s64)MODEL_HORIZON_NS) {
			if (m->call_count <= waiting_max(m))
				break;
			m->counts.evicted += !m->disorder;
		}
		m->oldest = c->later;
		if (!c->later)
			m->youngest = &m->oldest;
		m->call_count--;
		err = call_expire(m, c);
		if (err)
			return err;
	}
	held_release(m, all ? 0 : HELD_MAX);
	return 0;
}

/* An entry made by an operation, a stack or a node gets its record; a second record of the same
 * key (ids wrap after 2^32 calls) has an entry of its own from now on. */
static struct call *call_for_record(struct model *m, const struct api *a)
{
	u64 key = (u64)a->e.producer << 32 | a->correlation;
	struct call *c;

	if (a->depth) {
		c = call_new(m, key);
		c->nested = true;
		return c;
	}
	c = a->correlation ? call_get(m, a->e.producer, a->correlation) : call_new(m, 0);
	if (c->have_call) {
		c = call_new(m, key);
		hash_put(&m->call_map, key, c);
	}
	return c;
}

/* What the thread did between two calls that gave work to the GPU. Records of a thread come in
 * the order in which its calls end. */
static void call_before(struct model *m, struct api_call *c)
{
	struct thread *t = thread_get(m, c->r.e.tid, c->r.e.pid);

	c->longest_name = t->longest_name;
	c->longest_ts = t->longest_ts;
	c->longest_ns = t->longest_ns;
	c->launch_class = t->launch_class;
	c->since_ns = t->launch_end && t->launch_end <= c->r.e.ts ? c->r.e.ts - t->launch_end :
		0;
	if (class_gives_work(c->r.class)) {
		t->launch_end = c->r.e.ts + c->r.dur_ns;
		t->launch_class = c->r.class;
		t->longest_name = 0;
		t->longest_ns = 0;
	} else if (c->r.dur_ns >= t->longest_ns) {
		t->longest_name = c->r.name;
		t->longest_ts = c->r.e.ts;
		t->longest_ns = c->r.dur_ns;
	}
}

int join_api(struct model *m, const struct api *a)
{
	struct call *c = call_for_record(m, a);

	memcpy(&c->c.r, a, sizeof(*a));
	if (!c->nested && a->e.tid)
		call_before(m, &c->c);
	c->have_call = true;
	m->counts.api += model_wants(m, &a->e);
	m->counts.api_nested += c->nested && model_wants(m, &a->e);
	host_call(m, c);
	if (!call_wants_stack(m, c))
		call_nodes(c);
	return call_release(m, c);
}

int join_stack(struct model *m, const struct api_stack *s)
{
	struct call *c;

	m->stacks_seen = true;
	if (!s->correlation)
		return 0;
	c = call_get(m, s->process, s->correlation);
	c->c.stack = s->stack;
	c->have_stack = true;
	call_nodes(c);
	return call_release(m, c);
}

int join_op(struct model *m, const struct gpu_head *g)
{
	struct waiting_op *w = pool_get(&m->ops);
	struct call *at;
	int err;

	memcpy(&w->r, g, record_type(g->e.kind)->size);
	overlap_kernel(m, g);
	if (g->correlation) {
		w->call = call_get(m, g->e.producer, g->correlation);
		w->call->refs++;
	}
	at = op_blocker(m, w);
	if (at) {
		op_wait(w, at);
		return 0;
	}
	err = op_deliver(m, w);
	if (w->call)
		call_unref(m, w->call);
	pool_put(&m->ops, w);
	return err;
}

void join_node(struct model *m, const struct graph_node *r)
{
	struct producer *p = producer_get(m, r->e.producer);
	struct node *n = hash_get(&p->nodes, r->node);
	struct call *c;

	if (n || !r->node)
		return;		/* definitions are repeated in long traces */
	n = pool_get(&m->nodes);
	n->source = r->source == r->node ? 0 : r->source;
	hash_put(&p->nodes, r->node, n);
	if (!r->correlation)
		return;
	c = call_get(m, r->e.producer, r->correlation);
	if (c->have_stack || (c->have_call && !call_wants_stack(m, c))) {
		n->stack = c->c.stack;
		return;
	}
	n->pending = c;
	n->next = c->nodes;
	c->nodes = n;
}
