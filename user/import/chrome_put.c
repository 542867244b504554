// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Events by phase; see chrome.h. */
#include <stdio.h>
#include <string.h>
#include "chrome.h"

#define TIME_MAX ((1LL << 62) - 1)	/* 146 years: one more than 1970 to now */

static struct event record(const struct chrome *c, const struct chrome_thread *t, u16 kind,
			   u16 size)
{
	return (struct event){ .ts = c->e.ts, .pid = t->process->pid, .tid = t->tid,
			       .size = size, .kind = kind, .producer = t->producer,
			       .cpu = CPU_UNKNOWN };
}

void chrome_put_span(struct chrome *c, const struct chrome_thread *t, enum span_what what)
{
	const struct chrome_event *e = &c->e;
	struct span r = {
		.e = record(c, t, EVENT_SPAN, sizeof(r)), .dur_ns = e->dur, .device = ~0u,
		.stream = ~0u, .what = what, .category = chrome_category_id(c, t->producer),
		.name = import_name(c->im, t->producer, NAME_SPAN, e->name.s, e->name.n),
	};

	if (HAS(e, ARG_EXTERNAL))
		r.id = e->number[ARG_EXTERNAL];
	import_put(c->im, &r.e);
}

void chrome_put_counter(struct chrome *c, const struct chrome_thread *t, u32 device,
			const char *name, const struct chrome_series *s)
{
	struct counter r = {
		.e = record(c, t, EVENT_COUNTER, sizeof(r)), .value = s->value,
		.exponent = s->exponent, .device = device,
		.name = import_name(c->im, t->producer, NAME_COUNTER, name, strlen(name)),
	};

	import_put(c->im, &r.e);
}

/* One value has the event's name; of several, each has its own behind it. */
static void put_counters(struct chrome *c)
{
	const struct chrome_event *e = &c->e;
	bool gpu = e->category && e->category->kind == CHROME_COUNTERS;
	struct chrome_thread *t = chrome_thread(c);
	u32 device = ~0u;
	char name[512];

	if (gpu)
		device = e->pid.text.s ? kineto_number_in(e->pid.text.s) : e->pid.n;
	else if (e->pid.text.s && !strncmp(e->pid.text.s, "GPU ", 4))
		device = kineto_number_in(e->pid.text.s);
	for (u32 i = 0; i < e->series_n; i++) {
		const struct chrome_series *s = &e->series[i];

		if (e->series_n == 1 || !s->name.n)
			snprintf(name, sizeof(name), "%s", e->name.s);
		else
			snprintf(name, sizeof(name), "%s %s", e->name.s, s->name.s);
		chrome_put_counter(c, t, device, name, s);
	}
	if (!e->series_n)
		import_odd(c->im, "counter without a value", "");
}

static void put_mark(struct chrome *c)
{
	bool memory = c->e.category && c->e.category->kind == CHROME_MEMORY;

	if (memory || !strcmp(c->e.name.s, "[memory]")) {
		kineto_memory(c);
		return;
	}
	c->e.dur = 0;
	chrome_put_span(c, chrome_thread(c), SPAN_MARK);
}

static void put_flow_end(struct chrome *c, u64 id, bool begin, const struct chrome_text *name)
{
	const struct chrome_thread *t = chrome_thread(c);
	struct flow r = {
		.e = record(c, t, EVENT_FLOW, sizeof(r)), .id = id, .begin = begin,
		.name = import_name(c->im, t->producer, NAME_SPAN, name->s, name->n),
	};

	import_put(c->im, &r.e);
}

/* Arrows from a call to what it launched say what the correlation says: they are counted
 * among the facts alone. */
static void put_flow(struct chrome *c)
{
	const struct chrome_event *e = &c->e;
	enum chrome_kind kind = e->category ? e->category->kind : CHROME_OTHER;

	if (kind == CHROME_LAUNCH_FLOW || !strcmp(e->name.s, "launch"))
		return;
	if (!e->id.given)
		import_odd(c->im, "flow without an id", "");
	else
		put_flow_end(c, e->id.n, e->phase == 's', &e->name);
}

static void put_complete(struct chrome *c)
{
	static const struct chrome_text bound = { "bound", 5 };	/* slices do not name it */
	const struct chrome_event *e = &c->e;

	if (!e->has_dur)
		import_odd(c->im, "complete event without a duration", "");
	kineto_put(c);
	if (!e->bind.given)
		return;
	if (e->flow_in)
		put_flow_end(c, e->bind.n, false, &bound);
	if (e->flow_out)
		put_flow_end(c, e->bind.n, true, &bound);
}

static void put_metadata(struct chrome *c)
{
	struct chrome_event *e = &c->e;

	if (!HAS(e, ARG_NAME))
		return;
	if (!strcmp(e->name.s, "process_name"))
		chrome_process_name(c, &e->pid, e->text[ARG_NAME].s);
	else if (!strcmp(e->name.s, "thread_name"))
		chrome_thread_name(c, &e->pid, &e->tid, e->text[ARG_NAME].s);
}

/* Times that records can hold; others are said and moved to the nearest. */
static void mend_times(struct chrome *c)
{
	struct chrome_event *e = &c->e;

	if (e->ts < -TIME_MAX || e->ts > TIME_MAX) {
		import_odd(c->im, "time out of range", "");
		e->ts = e->ts < 0 ? -TIME_MAX : TIME_MAX;
	}
	if (e->dur < 0) {
		import_odd(c->im, "negative duration", "");
		e->dur = 0;
	}
	if (e->dur > TIME_MAX) {
		import_odd(c->im, "time out of range", "");
		e->dur = TIME_MAX;
	}
	if (e->ts + e->dur > c->last_ns)
		c->last_ns = e->ts + e->dur;
}

static void put_phase(struct chrome *c)
{
	char phase[2] = { c->e.phase };

	switch (c->e.phase) {
	case 'X':
		return put_complete(c);
	case 'B':
		return chrome_put_begin(c);
	case 'E':
		return chrome_put_end(c);
	case 'b': case 'S':
		return chrome_put_async(c, false);
	case 'e': case 'F':
		return chrome_put_async(c, true);
	case 'i': case 'I': case 'R': case 'n': case 'T': case 'p': case 'N': case 'D':
	case 'P': case 'c':
		return put_mark(c);
	case 'C':
		return put_counters(c);
	case 's': case 't': case 'f':
		return put_flow(c);
	default:
		import_odd(c->im, "phase that is not imported", phase);
	}
}

void chrome_put(struct chrome *c)
{
	struct chrome_event *e = &c->e;

	c->events++;
	c->phases[(u8)e->phase]++;
	if (e->category)
		e->category->count++;
	else
		c->uncategorized++;
	if (!e->name.s)
		e->name.s = "";
	if (e->phase == 'M')
		return put_metadata(c);
	if (!e->phase || !e->has_ts) {
		import_odd(c->im, e->phase ? "event without a time" : "event without a phase",
			   "");
		return;
	}
	mend_times(c);
	put_phase(c);
}
