// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What threads did: API calls, NVTX ranges, calls of libraries, what profiling cost. */
#include <stdio.h>
#include <string.h>
#include "api_class.h"
#include "nsys.h"

/* NVTX_EVENTS.eventType: own ranges, and those of nvtxt files, which are 11 or 31 above. */
enum {
	TYPE_CATEGORY = 33, TYPE_MARK = 34, TYPE_THREAD = 39, TYPE_PUSH_POP = 59,
	TYPE_START_END = 60, TYPE_T_CATEGORY = 64, TYPE_T_MARK = 65, TYPE_T_PUSH_POP = 70,
	TYPE_T_START_END = 71, TYPE_DOMAIN = 75, TYPE_DOMAIN_END = 76,
};

static struct nsys_thread *read_head(struct nsys *n, u64 gid, struct event *e, u16 kind,
				     u16 size)
{
	struct nsys_thread *t = nsys_thread(n, gid);

	e->kind = kind;
	e->size = size;
	e->producer = t->process->producer;
	e->pid = import_pid(n->im, e->producer);
	e->tid = t->tid;
	e->cpu = CPU_UNKNOWN;
	return t;
}

static void put_stack(struct nsys *n, const struct api *call, s64 chain)
{
	struct api_stack r = { .e = call->e, .correlation = call->correlation,
			       .process = call->e.producer };

	r.e.size = sizeof(r);
	r.e.kind = EVENT_API_STACK;
	r.stack = nsys_stack(n, call->e.producer, chain);
	if (r.stack)
		import_put(n->im, &r.e);
}

static void read_calls(struct nsys *n, const char *table)
{
	enum { START, END, CLASS, THREAD, CORRELATION, NAME, RESULT, CHAIN };
	static const char *const columns[] = {
		"start", "end", "eventClass", "globalTid", "correlationId", "nameId|name",
		"returnValue", "callchainId",
	};
	struct nsys_thread *t;
	struct nsys_string name;
	struct db_scan s;

	NSYS_SELECT(n, &s, table, columns);
	while (db_next(&s)) {
		struct api r = {};

		t = read_head(n, db_int(&s, THREAD), &r.e, EVENT_API, sizeof(r));
		r.e.ts = nsys_span(n, table, db_start(n->im, &s, table, START, END),
				   db_int(&s, END), &r.dur_ns);
		r.name = nsys_name(n, t->process, NAME_API, db_int(&s, NAME));
		name = nsys_string(n, db_int(&s, NAME));
		r.domain = api_domain(name.s, name.n);
		r.class = api_class(name.s, name.n);
		r.result = db_int(&s, RESULT);
		if (db_int(&s, CORRELATION))
			r.correlation = import_correlation(n->im, r.e.producer,
							   db_int(&s, CORRELATION));
		import_put(n->im, &r.e);
		if (db_int(&s, CHAIN))
			put_stack(n, &r, db_int(&s, CHAIN));
	}
	db_end(&s);
}

/* ---- NVTX ---- */

static u64 domain_key(struct nsys_thread *t, u64 domain)
{
	return t->process->gid ^ domain;
}

/* Domains and names of threads, which rows anywhere in the table give. */
static void read_nvtx_names(struct nsys *n)
{
	enum { TYPE, THREAD, DOMAIN, TEXT, TEXT_ID };
	static const char *const columns[] = {
		"eventType", "globalTid", "domainId", "text", "textId",
	};
	struct nsys_string *name, by_id;
	struct nsys_thread *t;
	struct db_scan s;
	const char *text;
	size_t size;
	u32 id;

	db_select(n->db, &s, "NVTX_EVENTS", columns, 5, "WHERE eventType IN (39, 75)");
	while (db_next(&s)) {
		text = db_text(&s, TEXT, &size);
		if (!size && !db_null(&s, TEXT_ID)) {
			by_id = nsys_string(n, db_int(&s, TEXT_ID));
			text = by_id.s;
			size = by_id.n;
		}
		if (!size)
			continue;
		if (db_int(&s, TYPE) == TYPE_THREAD) {
			name = arena_alloc(&n->arena, sizeof(*name));
			name->s = memcpy(arena_alloc(&n->arena, size + 1), text, size);
			name->n = size;
			hash_put(&n->thread_names, db_int(&s, THREAD), name);
			continue;
		}
		t = nsys_thread(n, db_int(&s, THREAD));
		id = import_name(n->im, t->process->producer, NAME_NVTX_DOMAIN, text, size);
		if (id)
			hash_put(&n->domains, domain_key(t, db_int(&s, DOMAIN)),
				 (void *)(uintptr_t)id);
	}
	db_end(&s);
}

static u16 nvtx_what(u64 type)
{
	switch (type) {
	case TYPE_PUSH_POP: case TYPE_T_PUSH_POP: return NVTX_PUSH_POP;
	case TYPE_START_END: case TYPE_T_START_END: return NVTX_START_END;
	case TYPE_MARK: case TYPE_T_MARK: return NVTX_MARK;
	default: return 0;
	}
}

static bool nvtx_is_other(struct nsys *n, u64 type)
{
	char word[24];

	if (nvtx_what(type))
		return false;
	snprintf(word, sizeof(word), "type %llu", type);
	if (type != TYPE_CATEGORY && type != TYPE_THREAD && type != TYPE_T_CATEGORY &&
	    type != TYPE_DOMAIN && type != TYPE_DOMAIN_END)
		import_odd(n->im, "NVTX event", word);
	return true;
}

static void read_nvtx(struct nsys *n)
{
	enum { START, END, TYPE, THREAD, COLOR, TEXT, TEXT_ID, DOMAIN };
	static const char *const columns[] = {
		"start|timestamp", "end|endTimestamp", "eventType", "globalTid", "color",
		"text", "textId", "domainId",
	};
	struct nsys_thread *t;
	struct db_scan s;
	const char *text;
	size_t size;
	s64 end;

	NSYS_SELECT(n, &s, "NVTX_EVENTS", columns);
	while (db_next(&s)) {
		struct nvtx r = {};

		if (nvtx_is_other(n, db_int(&s, TYPE)))
			continue;
		r.what = nvtx_what(db_int(&s, TYPE));
		end = db_null(&s, END) || r.what == NVTX_MARK ? db_int(&s, START) :
			db_int(&s, END);
		if (db_null(&s, END) && r.what != NVTX_MARK) {
			import_odd(n->im, "NVTX range without an end", "ends with the session");
			if (n->end_ns > end)
				end = n->end_ns;
		}
		t = read_head(n, db_int(&s, THREAD), &r.e, EVENT_NVTX, sizeof(r));
		r.e.ts = nsys_span(n, "NVTX_EVENTS", db_int(&s, START), end, &r.dur_ns);
		text = db_text(&s, TEXT, &size);
		r.name = size || db_null(&s, TEXT_ID) ?
			import_name(n->im, r.e.producer, NAME_NVTX, text, size) :
			nsys_name(n, t->process, NAME_NVTX, db_int(&s, TEXT_ID));
		r.nvtx_domain = (uintptr_t)hash_get(&n->domains,
						    domain_key(t, db_int(&s, DOMAIN)));
		r.color = db_int(&s, COLOR);
		import_put(n->im, &r.e);
	}
	db_end(&s);
}

/* ---- calls of libraries, and what profiling took ---- */

static void read_spans(struct nsys *n, const char *table, const char *category,
		       enum span_what what)
{
	enum { START, END, THREAD, NAME, TEXT };
	static const char *const columns[] = {
		"start", "end", "globalTid", "nameId|textId", "name|text",
	};
	struct nsys_thread *t;
	struct db_scan s;
	const char *text;
	size_t size;

	NSYS_SELECT(n, &s, table, columns);
	while (db_next(&s)) {
		struct span r = { .what = what, .device = ~0u, .stream = ~0u };

		t = read_head(n, db_int(&s, THREAD), &r.e, EVENT_SPAN, sizeof(r));
		r.e.ts = nsys_span(n, table, db_int(&s, START),
				   db_int(&s, db_null(&s, END) ? START : END), &r.dur_ns);
		text = db_text(&s, TEXT, &size);
		r.name = db_null(&s, NAME) ?
			import_name(n->im, r.e.producer, NAME_SPAN, text, size) :
			nsys_name(n, t->process, NAME_SPAN, db_int(&s, NAME));
		r.category = import_name(n->im, r.e.producer, NAME_SPAN, category,
					 strlen(category));
		import_put(n->im, &r.e);
	}
	db_end(&s);
}

/* ENUM_CUPTI_OVERHEAD_TYPE counts from 1; CUPTI's own kinds are in the upper half. */
static u32 overhead_what(u64 type)
{
	return type <= 2 ? type == 2 : (type - 2) << 16;
}

static void read_overhead(struct nsys *n)
{
	enum { START, END, THREAD, CORRELATION, TYPE };
	static const char *const columns[] = {
		"start", "end", "globalTid|globalPid", "correlationId", "overheadType",
	};
	static const char table[] = "CUPTI_ACTIVITY_KIND_OVERHEAD";
	struct db_scan s;

	NSYS_SELECT(n, &s, table, columns);
	while (db_next(&s)) {
		struct overhead r = {};

		read_head(n, db_int(&s, THREAD), &r.e, EVENT_OVERHEAD, sizeof(r));
		r.e.ts = nsys_span(n, table, db_start(n->im, &s, table, START, END),
				   db_int(&s, END), &r.dur_ns);
		r.what = overhead_what(db_int(&s, TYPE));
		if (db_int(&s, CORRELATION))
			r.correlation = import_correlation(n->im, r.e.producer,
							   db_int(&s, CORRELATION));
		import_put(n->im, &r.e);
	}
	db_end(&s);
}

void nsys_read_host(struct nsys *n)
{
	read_nvtx_names(n);
	read_calls(n, "CUPTI_ACTIVITY_KIND_RUNTIME");
	read_calls(n, "CUPTI_ACTIVITY_KIND_DRIVER");
	read_nvtx(n);
	read_spans(n, "OSRT_API", "osrt", SPAN_OTHER);
	read_spans(n, "SYSCALL", "syscall", SPAN_OTHER);
	read_spans(n, "CUDNN_EVENTS", "cudnn", SPAN_OP);
	read_spans(n, "CUBLAS_EVENTS", "cublas", SPAN_OP);
	read_spans(n, "MPI_P2P_EVENTS", "mpi", SPAN_OTHER);
	read_spans(n, "MPI_COLLECTIVES_EVENTS", "mpi", SPAN_OTHER);
	read_spans(n, "MPI_START_WAIT_EVENTS", "mpi", SPAN_OTHER);
	read_spans(n, "MPI_OTHER_EVENTS", "mpi", SPAN_OTHER);
	read_spans(n, "UCP_SUBMIT_EVENTS", "ucx", SPAN_OTHER);
	read_spans(n, "UCP_PROGRESS_EVENTS", "ucx", SPAN_OTHER);
	read_spans(n, "UCP_EVENTS", "ucx", SPAN_OTHER);
	read_spans(n, "PROFILER_OVERHEAD", "overhead", SPAN_PROFILER);
	read_overhead(n);
}
