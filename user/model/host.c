// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Kernel events to API calls: the innermost call of the same thread that holds
 * the event between enter and exit. Calls and events come in any order; an
 * event waits for the horizon, and each call that comes or is here meanwhile may
 * take it. With it go the earlier ones of its thread, so that a view sees a thread's
 * events in order of time. Both lists of a thread are sorted; searches start where
 * the last ended.
 */
#include <string.h>
#include "parts.h"

struct timed *timed_at(struct timed_list *l, u64 ts)
{
	struct timed *t = l->hint ? l->hint : l->tail;

	while (t && t->ts > ts)
		t = t->prev;
	if (!t) {
		l->hint = l->head;	/* what comes next is near, and may be before all too */
		return NULL;
	}
	while (t->next && t->next->ts <= ts)
		t = t->next;
	return l->hint = t;
}

void timed_insert(struct timed_list *l, struct timed *node)
{
	struct timed *before = timed_at(l, node->ts);

	node->prev = before;
	node->next = before ? before->next : l->head;
	*(before ? &before->next : &l->head) = node;
	*(node->next ? &node->next->prev : &l->tail) = node;
	l->hint = node;
}

void timed_remove(struct timed_list *l, struct timed *node)
{
	*(node->prev ? &node->prev->next : &l->head) = node->next;
	*(node->next ? &node->next->prev : &l->tail) = node->prev;
	if (l->hint == node)
		l->hint = node->next ? node->next : node->prev;
}

static struct call *timed_call(struct timed *t)
{
	return t ? (struct call *)((char *)t - offsetof(struct call, timed)) : NULL;
}

static struct waiting_event *timed_event(struct timed *t)
{
	return t ? (struct waiting_event *)((char *)t - offsetof(struct waiting_event, timed)) :
		NULL;
}

static bool call_holds(const struct call *c, u64 ts)
{
	const struct api *r = &c->c.r;

	return r->e.ts <= ts && ts - r->e.ts <= r->dur_ns;
}

/* Is `a` inside of `b`? */
static bool call_inner(const struct call *a, const struct call *b)
{
	const struct api *x = &a->c.r, *y = &b->c.r;

	if (x->e.ts != y->e.ts)
		return x->e.ts > y->e.ts;
	return x->dur_ns != y->dur_ns ? x->dur_ns < y->dur_ns : x->depth > y->depth;
}

static void event_take(struct model *m, struct waiting_event *w, struct call *c)
{
	if (w->call && !call_inner(c, w->call))
		return;
	c->refs++;
	if (w->call)
		call_unref(m, w->call);
	w->call = c;
}

void host_call(struct model *m, struct call *c)
{
	u64 from = c->c.r.e.ts;
	struct waiting_event *w;
	struct timed *t;

	if ((!m->view->host && !m->view->uvm) || !c->c.r.e.tid)
		return;
	c->thread = thread_get(m, c->c.r.e.tid, c->c.r.e.pid);
	c->timed.ts = from;
	timed_insert(&c->thread->calls, &c->timed);
	t = from ? timed_at(&c->thread->events, from - 1) : NULL;
	for (t = t ? t->next : c->thread->events.head; t; t = t->next) {
		w = timed_event(t);
		if (!call_holds(c, t->ts))
			break;
		event_take(m, w, c);
	}
}

/* Calls of a thread nest: going back from the last that began, the first that is still open at
 * `ts` is the innermost, and behind an outermost one that has ended there is none. */
struct call *thread_call_at(struct thread *t, u64 ts)
{
	struct call *c = timed_call(timed_at(&t->calls, ts));

	while (c && !call_holds(c, ts))
		c = c->nested ? timed_call(c->timed.prev) : NULL;
	return c;
}

int host_event_add(struct model *m, const struct event *e, size_t size)
{
	struct waiting_event *w;
	struct call *c;

	if (!m->view->host)
		return 0;
	w = pool_get(&m->events);
	memcpy(&w->r, e, size);
	w->arrival = m->now;
	w->timed.ts = e->ts;
	*m->event_youngest = w;
	m->event_youngest = &w->later;
	m->event_count++;
	w->thread = thread_get(m, e->tid, e->pid);
	if (!e->tid)
		return 0;
	timed_insert(&w->thread->events, &w->timed);
	c = thread_call_at(w->thread, e->ts);
	if (c)
		event_take(m, w, c);
	return 0;
}

static int event_deliver(struct model *m, struct waiting_event *w)
{
	struct host_event h = { .e = &w->r.e };
	int err;

	if (w->call) {
		w->call->c.name = model_name(m, w->call->c.r.e.producer, w->call->c.r.name);
		h.call = &w->call->c;
		m->counts.host_in_call++;
	} else {
		m->counts.host_outside++;
	}
	err = m->view->host(m->ctx, &h);
	w->delivered = true;
	if (w->r.e.tid)
		timed_remove(&w->thread->events, &w->timed);
	if (w->call)
		call_unref(m, w->call);
	return err;
}

/* The event and before it all earlier ones of its thread. */
static int event_deliver_until(struct model *m, struct waiting_event *w)
{
	struct waiting_event *x;
	int err = 0;

	if (!w->r.e.tid)
		return event_deliver(m, w);
	while (!err && !w->delivered) {
		x = timed_event(w->thread->events.head);
		err = event_deliver(m, x);
	}
	return err;
}

int host_expire(struct model *m, bool all)
{
	struct waiting_event *w;
	int err;

	while ((w = m->event_oldest)) {
		if (!all && m->now - w->arrival <= MODEL_HORIZON_NS) {
			if (m->event_count <= WAITING_MAX)
				break;
			m->counts.evicted++;
		}
		m->event_oldest = w->later;
		if (!w->later)
			m->event_youngest = &m->event_oldest;
		m->event_count--;
		err = w->delivered ? 0 : event_deliver_until(m, w);
		pool_put(&m->events, w);
		if (err)
			return err;
	}
	return 0;
}
