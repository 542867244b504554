// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Unified memory and what it is about. Its records, and those of managed
 * memory that comes and goes, wait for the horizon and then leave in order of
 * time: by then the kernels of that time are here, and an address means what
 * was allocated at that moment.
 */
#include <stdlib.h>
#include <string.h>
#include "parts.h"

/* ---- GPUs ---- */

static bool same_gpu(const struct device *d, const struct uvm_gpu *g)
{
	static const u8 none[16];

	if (memcmp(g->uuid, none, sizeof(none)) && memcmp(d->uuid, none, sizeof(none)))
		return !memcmp(d->uuid, g->uuid, sizeof(none));
	return d->pci_domain == g->pci_domain && d->pci_bus == g->pci_bus &&
	       d->pci_device == g->pci_device && d->pci_function == g->pci_function &&
	       (g->pci_bus || g->pci_device || g->pci_domain);
}

static struct uvm_gpu_info *gpu_get(struct model *m, u32 id)
{
	struct uvm_gpu_info *g = hash_get(&m->uvm.ids, (u64)id + 1);

	if (g)
		return g;
	g = arena_alloc(&m->arena, sizeof(*g));
	g->id = id;
	hash_put(&m->uvm.ids, (u64)id + 1, g);
	return g;
}

void uvm_gpu_define(struct model *m, const struct uvm_gpu *g)
{
	struct uvm_gpu_info *x;

	if (g->gpu == UVM_CPU)
		return;
	x = gpu_get(m, g->gpu);
	if (memcmp(x->g.uuid, g->uuid, sizeof(g->uuid)))
		x->device = NULL;	/* the module was loaded anew: another GPU has the id */
	x->g = *g;
	x->g.name[sizeof(x->g.name) - 1] = 0;
	m->uvm.seen = true;
}

const struct uvm_gpu_info *model_uvm_gpu(struct model *m, u32 id)
{
	struct uvm_gpu_info *g = id == UVM_CPU ? NULL : gpu_get(m, id);
	const struct device_info *d;

	if (!g || !g->g.gpu || g->device)
		return g;
	for (size_t i = 0; i < m->devices.n && !g->device; i++) {
		d = m->devices.list[i];
		if (same_gpu(&d->d, &g->g))
			g->device = d;
	}
	return g;
}

/* ---- what each kind holds in its own place ---- */

struct about {			/* what an event is about, as its record says */
	u64 addr, range, range_bytes, service;
	u64 dur_ns;
	u32 gpu;
	bool any_process;	/* kernels of all processes are of interest */
};

static struct about about_get(const struct event *e)
{
	const struct uvm_fault *f = (const void *)e;
	const struct uvm_service *s = (const void *)e;
	const struct uvm_batch *b = (const void *)e;
	const struct uvm_migration *g = (const void *)e;
	const struct uvm_evict *v = (const void *)e;
	const struct uvm_mark *k = (const void *)e;

	switch (e->kind) {
	case EVENT_UVM_FAULT:
		return (struct about){ f->addr, f->range, f->range_bytes, f->service, 0,
				       f->gpu };
	case EVENT_UVM_SERVICE:
		return (struct about){ s->addr, 0, 0, s->id, s->dur_ns, s->gpu };
	case EVENT_UVM_BATCH:
		return (struct about){ 0, 0, 0, 0, b->dur_ns, b->gpu, true };
	case EVENT_UVM_MIGRATION:
		return (struct about){ g->addr, g->range, g->range_bytes, g->service, 0,
				       g->dst ? g->dst : g->src };
	case EVENT_UVM_EVICT:
		return (struct about){ v->addr, v->range, v->range_bytes, 0, v->dur_ns, v->gpu,
				       true };
	default:
		return (struct about){ k->addr, k->range, k->range_bytes, k->service, 0,
				       k->processor };
	}
}

/* ---- coming ---- */

static void services_forget(struct model *m)
{
	struct hash_slot *slot;
	size_t at = 0;

	while ((slot = hash_next(&m->uvm.services, &at)))	/* of services that were lost */
		pool_put(&m->uvm.blocks, slot->value);
	hash_free(&m->uvm.services);
}

/* A service is about what its faults are about: its own record holds but the block's address,
 * where another allocation may begin. */
static void service_learn(struct model *m, const struct about *a)
{
	struct block_memory *b;

	if (!a->service || hash_get(&m->uvm.services, a->service))
		return;
	if (m->uvm.services.used > WAITING_MAX)
		services_forget(m);
	b = pool_get(&m->uvm.blocks);
	*b = (struct block_memory){ a->addr, a->range, a->range_bytes };
	hash_put(&m->uvm.services, a->service, b);
}

int uvm_add(struct model *m, const struct event *e)
{
	const struct alloc *alloc = (const void *)e;
	struct waiting_uvm *w;
	struct about a;

	if (!m->view->uvm)
		return 0;
	m->uvm.seen = true;
	w = pool_get(&m->uvm.events);
	memcpy(&w->r, e, record_type(e->kind)->size);
	if (e->pid && e->kind != EVENT_ALLOC)
		w->process = model_process(m, e->producer, e->pid);
	if (e->kind == EVENT_ALLOC && alloc->correlation) {
		w->call = call_get(m, e->producer, alloc->correlation);
		w->call->refs++;
	} else if (e->kind != EVENT_ALLOC && e->kind != EVENT_UVM_SERVICE) {
		a = about_get(e);
		service_learn(m, &a);
	}
	heap_put(&m->uvm.waiting, e->ts, w);
	return 0;
}

/* ---- leaving ---- */

static void link_memory(struct model *m, struct uvm_event *u, struct about *a,
			struct uvm_links *links)
{
	struct block_memory *b;

	if (u->e->kind == EVENT_UVM_SERVICE) {
		b = hash_take(&m->uvm.services, a->service);
		if (b) {
			a->addr = b->addr;
			a->range = b->range;
			a->range_bytes = b->range_bytes;
			pool_put(&m->uvm.blocks, b);
		}
	}
	if (u->e->kind == EVENT_UVM_BATCH)
		return;
	if (u->process)
		u->memory = managed_at(m, u->process, a->addr, a->range, a->range_bytes,
				       &u->memory_link);
	links->memory_exact += u->memory_link == LINK_EXACT;
	links->memory_range += u->memory_link == LINK_RANGE;
	links->memory_none += !u->memory;
}

static void link_kernels(struct model *m, struct uvm_event *u, const struct about *a,
			 struct uvm_links *links)
{
	u64 from = u->e->ts, to = from + a->dur_ns < from ? ~0ULL : from + a->dur_ns;

	if (!u->gpu)
		return;
	if (!u->gpu->device) {
		links->no_device++;
		return;
	}
	overlap_find(m, u->gpu->device->gpu, a->any_process ? 0 : u->e->pid, from, to);
	u->kernels = (const struct running *const *)m->uvm.met.list;
	u->kernel_n = m->uvm.met.n;
	u->kernels_link = u->kernel_n > 1 ? LINK_OVERLAP : u->kernel_n ? LINK_EXACT : LINK_NONE;
	links->kernel_one += u->kernel_n == 1;
	links->kernel_overlap += u->kernel_n > 1;
	links->kernel_none += !u->kernel_n;
}

/* What the CPU did, a thread did: in which of its calls? GPU faults are served by threads of
 * the kernel's own. */
static void link_call(struct model *m, struct uvm_event *u, struct uvm_links *links)
{
	struct thread *t = u->e->tid ? hash_get(&m->threads, u->e->tid) : NULL;
	struct call *c = t ? thread_call_at(t, u->e->ts) : NULL;

	if (!c)
		return;
	c->c.name = model_name(m, c->c.r.e.producer, c->c.r.name);
	u->call = &c->c;
	links->in_call++;
}

static int uvm_deliver(struct model *m, struct waiting_uvm *w)
{
	struct uvm_links *links = &m->counts.uvm[w->r.e.kind - EVENT_UVM_FAULT];
	struct uvm_event u = { .e = &w->r.e, .process = w->process };
	struct about a = about_get(&w->r.e);

	u.gpu = model_uvm_gpu(m, a.gpu);
	links->events++;
	links->owned += !!u.process;
	link_memory(m, &u, &a, links);
	link_kernels(m, &u, &a, links);
	link_call(m, &u, links);
	return m->view->uvm(m->ctx, &u);
}

/* Before the calls of that time expire: what happened inside of one still finds it. */
int uvm_expire(struct model *m, bool all)
{
	const struct heap_item *first;
	struct waiting_uvm *w;
	int err;

	while ((first = heap_first(&m->uvm.waiting))) {
		u64 due = first->ts + MODEL_HORIZON_NS;

		if (!all && (due < first->ts || m->now <= due)) {
			if (m->uvm.waiting.n <= WAITING_MAX)
				break;
			m->counts.evicted++;
		}
		w = heap_take(&m->uvm.waiting);
		err = 0;
		if (w->r.e.kind == EVENT_ALLOC)
			managed_alloc(m, w);
		else
			err = uvm_deliver(m, w);
		if (w->call)
			call_unref(m, w->call);
		pool_put(&m->uvm.events, w);
		if (err)
			return err;
	}
	if (m->now > 2 * MODEL_HORIZON_NS)
		overlap_forget(m, m->now - 2 * MODEL_HORIZON_NS);
	return 0;
}

void uvm_free(struct model *m)
{
	managed_free(m);
	overlap_free(m);
	heap_free(&m->uvm.waiting);
	hash_free(&m->uvm.ids);
	hash_free(&m->uvm.services);
	free(m->uvm.met.list);
	pool_free(&m->uvm.events);
	pool_free(&m->uvm.blocks);
	pool_free(&m->uvm.runnings);
	pool_free(&m->uvm.lives);
}

/* ---- errors that the driver reports ---- */

static bool xid_is_of(const struct xid *x, const struct device *d)
{
	return !x->nvswitch && d->pci_domain == x->pci_domain && d->pci_bus == x->pci_bus &&
	       d->pci_device == x->pci_device;
}

int xid_deliver(struct model *m, const struct xid *r)
{
	struct xid_event x = { .x = r };
	const struct device_info *d;

	m->counts.xids++;
	if (r->e.pid) {
		x.process = model_process(m, r->e.producer, r->e.pid);
		m->counts.xid_owned++;
	}
	for (size_t i = 0; i < m->devices.n && !x.device; i++) {
		d = m->devices.list[i];
		if (xid_is_of(r, &d->d))
			x.device = d;
	}
	return m->view->xid ? m->view->xid(m->ctx, &x) : 0;
}

/* A CUDA call has the fixed name id of its function in the process's own names: see
 * cupti/callback.c. */
int xid_call_deliver(struct model *m, const struct xid_call *c)
{
	const struct process_info *p = c->e.pid ? model_process(m, c->e.producer, c->e.pid) :
		NULL;
	const char *name = NULL;

	if (c->what == RECENT_CUDA && p && p->producer && c->op)
		name = hash_get(&producer_get(m, p->producer)->names,
				API_NAME_ID(c->op, c->rm));
	return m->view->xid_call ? m->view->xid_call(m->ctx, c, name) : 0;
}
