// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The events of a rocpd recording. stack_id is what rocprofv3 calls its own
 * correlation id: a call and what it caused have the same.
 */
#include <stdio.h>
#include <string.h>
#include "api_class.h"
#include "rocpd.h"

/* A time of row x: in the row, or apart. */
static const char *time_of(struct rocpd *r, const char *table, const char *name)
{
	if (db_has_column(r->db, table, name))
		return rocpd_sql(r, "x.\"%s\"", name);
	return rocpd_sql(r, "(SELECT t.value FROM \"%s\" t WHERE t.id = x.%s_id)",
			 rocpd_table(r, "rocpd_timestamp"), name);
}

/* A column of row x, of its track, or NULL. */
static const char *column_of(struct rocpd *r, const char *table, const char *name)
{
	const char *track = rocpd_table(r, "rocpd_track");

	if (db_has_column(r->db, table, name))
		return rocpd_sql(r, "x.\"%s\"", name);
	if (db_has_column(r->db, table, "track_id") && db_has_column(r->db, track, name))
		return rocpd_sql(r, "(SELECT t.\"%s\" FROM \"%s\" t WHERE t.id = x.track_id)",
				 name, track);
	return "NULL";
}

/* The columns that all queries begin with here. */
enum { START, END, PROCESS, THREAD, CORRELATION, OWN };

static void query(struct rocpd *r, struct db_scan *s, const char *name, const char *own)
{
	const char *table = rocpd_table(r, name), *event = rocpd_table(r, "rocpd_event");

	*s = (struct db_scan){};
	if (!db_has(r->db, table))
		return;
	db_query(r->db, s, table, rocpd_sql(r, "SELECT %s, %s, %s, %s, e.stack_id%s FROM \"%s\" x LEFT JOIN \"%s\" e ON e.id = x.event_id",
		 time_of(r, table, "start"), time_of(r, table, "end"),
		 column_of(r, table, "pid"), column_of(r, table, "tid"), own, table, event));
	if (!s->s)
		import_odd(r->im, "table of an unknown shape", name);
}

static struct rocpd_process *read_head(struct rocpd *r, const struct db_scan *s,
				       struct event *e, u16 kind, u16 size, u64 *dur_ns)
{
	struct rocpd_process *p = rocpd_process(r, db_int(s, PROCESS));

	e->ts = db_span(r->im, "rocpd", db_start(r->im, s, "rocpd", START, END),
			db_int(s, END), 0, dur_ns);
	e->kind = kind;
	e->size = size;
	e->producer = p->producer;
	e->pid = import_pid(r->im, p->producer);
	e->cpu = CPU_UNKNOWN;
	return p;
}

static u32 correlation_of(struct rocpd *r, const struct db_scan *s, u16 producer)
{
	u64 id = db_int(s, CORRELATION);

	return id ? import_correlation(r->im, producer, id) : 0;
}

static void read_dispatches(struct rocpd *r)
{
	enum { AGENT = OWN, QUEUE, STREAM, KERNEL, PRIVATE, GROUP, BLOCK, GRID = BLOCK + 3 };
	static const char name[] = "rocpd_kernel_dispatch";
	const char *table = rocpd_table(r, name);
	struct rocpd_process *p;
	struct rocpd_kernel *symbol;
	struct db_scan s;
	u32 i, size;

	query(r, &s, name, rocpd_sql(r, ", %s, %s, %s, x.kernel_id, x.private_segment_size, x.group_segment_size, x.workgroup_size_x, x.workgroup_size_y, x.workgroup_size_z, x.grid_size_x, x.grid_size_y, x.grid_size_z",
	      column_of(r, table, "agent_id"), column_of(r, table, "queue_id"),
	      column_of(r, table, "stream_id")));
	while (db_next(&s)) {
		struct kernel k = {};

		p = read_head(r, &s, &k.g.e, EVENT_KERNEL, sizeof(k), &k.g.dur_ns);
		k.g.correlation = correlation_of(r, &s, p->producer);
		k.g.device = rocpd_device(r, p, db_int(&s, AGENT));
		k.g.stream = db_int(&s, db_null(&s, STREAM) ? QUEUE : STREAM);
		symbol = hash_get(&r->kernels, db_int(&s, KERNEL));
		if (symbol) {
			k.name = import_name(r->im, p->producer, NAME_KERNEL, symbol->name,
					     symbol->n);
			k.registers = symbol->registers;
			k.static_shared_bytes = symbol->static_shared;
		} else {
			import_odd(r->im, "kernel without a symbol", "");
		}
		k.local_bytes = db_int(&s, PRIVATE);
		size = db_int(&s, GROUP);
		if (size > k.static_shared_bytes)
			k.dynamic_shared_bytes = size - k.static_shared_bytes;
		for (i = 0; i < 3; i++) {	/* AMD counts a grid in work items */
			k.block[i] = db_int(&s, BLOCK + i);
			size = db_int(&s, GRID + i);
			k.grid[i] = !k.block[i] ? size :
				(size + (u64)k.block[i] - 1) / k.block[i];
		}
		import_put(r->im, &k.g.e);
	}
	db_end(&s);
}

static u16 copy_kind(u32 src, u32 dst)
{
	if (src == ~0u)
		return dst == ~0u ? COPY_HTOH : COPY_HTOD;
	return dst == ~0u ? COPY_DTOH : COPY_DTOD;
}

static void read_copies(struct rocpd *r)
{
	enum { DST = OWN, SRC, BYTES, QUEUE, STREAM };
	static const char name[] = "rocpd_memory_copy";
	const char *table = rocpd_table(r, name);
	struct rocpd_process *p;
	struct db_scan s;

	query(r, &s, name, rocpd_sql(r, ", x.dst_agent_id, x.src_agent_id, x.size, %s, %s",
	      column_of(r, table, "queue_id"), column_of(r, table, "stream_id")));
	while (db_next(&s)) {
		struct copy c = {};

		p = read_head(r, &s, &c.g.e, EVENT_COPY, sizeof(c), &c.g.dur_ns);
		c.g.correlation = correlation_of(r, &s, p->producer);
		c.dst_device = rocpd_device(r, p, db_int(&s, DST));
		c.src_device = rocpd_device(r, p, db_int(&s, SRC));
		c.copy_kind = copy_kind(c.src_device, c.dst_device);
		c.g.device = c.dst_device != ~0u ? c.dst_device : c.src_device;
		if (c.g.device == ~0u)		/* between hosts: of no GPU */
			c.g.device = 0;
		if (c.src_device == ~0u)
			c.src_device = c.g.device;
		if (c.dst_device == ~0u)
			c.dst_device = c.g.device;
		c.g.stream = db_int(&s, db_null(&s, STREAM) ? QUEUE : STREAM);
		c.bytes = db_int(&s, BYTES);
		import_put(r->im, &c.g.e);
	}
	db_end(&s);
}

/* ---- what threads did ---- */

struct region {
	struct event e;
	u64 dur_ns;
	struct rocpd_process *process;
	const char *name, *category;
	size_t n;
	u32 correlation;
};

static void put_call(struct rocpd *r, const struct region *x)
{
	struct api a = { .e = x->e, .dur_ns = x->dur_ns, .correlation = x->correlation };

	a.e.kind = EVENT_API;
	a.e.size = sizeof(a);
	a.name = import_name(r->im, a.e.producer, NAME_API, x->name, x->n);
	a.domain = API_RUNTIME;
	a.class = api_class(x->name, x->n);
	import_put(r->im, &a.e);
}

static void put_range(struct rocpd *r, const struct region *x, const char *text, size_t n)
{
	struct nvtx v = { .e = x->e, .dur_ns = x->dur_ns };

	v.e.kind = EVENT_NVTX;
	v.e.size = sizeof(v);
	v.name = import_name(r->im, v.e.producer, NAME_NVTX, n ? text : x->name, n ? n : x->n);
	v.what = strstr(x->name, "Mark") ? NVTX_MARK :
		strstr(x->name, "RangeStart") ? NVTX_START_END : NVTX_PUSH_POP;
	if (v.what == NVTX_MARK)
		v.dur_ns = 0;
	import_put(r->im, &v.e);
}

static void put_span(struct rocpd *r, const struct region *x)
{
	struct span v = { .e = x->e, .dur_ns = x->dur_ns, .device = ~0u, .stream = ~0u };

	v.e.kind = EVENT_SPAN;
	v.e.size = sizeof(v);
	v.name = import_name(r->im, v.e.producer, NAME_SPAN, x->name, x->n);
	v.category = import_name(r->im, v.e.producer, NAME_SPAN, x->category,
				 strlen(x->category));
	import_put(r->im, &v.e);
}

static void read_regions(struct rocpd *r)
{
	enum { NAME = OWN, CATEGORY, TEXT };
	struct rocpd_string name, *category;
	struct db_scan s;
	const char *text;
	size_t n;

	query(r, &s, "rocpd_region", ", x.name_id, e.category_id, CASE WHEN e.extdata LIKE '%\"message\"%' AND json_valid(e.extdata) THEN json_extract(e.extdata, '$.message') END");
	while (db_next(&s)) {
		struct region x = {};

		x.process = read_head(r, &s, &x.e, 0, 0, &x.dur_ns);
		x.e.tid = rocpd_tid(r, x.process, db_int(&s, THREAD));
		x.correlation = correlation_of(r, &s, x.e.producer);
		name = rocpd_string(r, db_int(&s, NAME));
		x.name = name.s;
		x.n = name.n;
		category = hash_get(r->categories.used ? &r->categories : &r->strings,
				    db_int(&s, CATEGORY));
		x.category = category ? category->s : "";
		import_fact(r->im, "category", x.category, strlen(x.category), 1);
		if (!strncmp(x.category, "HIP_", 4)) {
			put_call(r, &x);
		} else if (!strncmp(x.category, "MARKER_", 7)) {
			text = db_text(&s, TEXT, &n);
			put_range(r, &x, text, n);
		} else {
			put_span(r, &x);
		}
	}
	db_end(&s);
}

/* Counters that were read at times, not those of a kernel. */
static void read_samples(struct rocpd *r)
{
	enum { TIME, PROCESS_ID, AGENT, NAME, VALUE };
	const char *table = rocpd_table(r, "rocpd_sample"), *name;
	struct rocpd_process *p;
	struct db_scan s;
	size_t n;
	u64 none;

	if (!db_has(r->db, table) || !db_has(r->db, rocpd_table(r, "rocpd_pmc_event")))
		return;
	db_query(r->db, &s, table, rocpd_sql(r, "SELECT %s, %s, i.agent_id, i.name, v.value FROM \"%s\" x JOIN \"%s\" v ON v.event_id = x.event_id JOIN \"%s\" i ON i.id = v.pmc_id",
		 time_of(r, table, "timestamp"), column_of(r, table, "pid"), table,
		 rocpd_table(r, "rocpd_pmc_event"), rocpd_table(r, "rocpd_info_pmc")));
	while (db_next(&s)) {
		struct counter c = {
			.e = { .size = sizeof(c), .kind = EVENT_COUNTER, .cpu = CPU_UNKNOWN },
		};

		p = rocpd_process(r, db_int(&s, PROCESS_ID));
		c.e.ts = db_span(r->im, "rocpd_sample", db_int(&s, TIME), db_int(&s, TIME), 0,
				 &none);
		c.e.producer = p->producer;
		c.e.pid = import_pid(r->im, p->producer);
		c.device = rocpd_device(r, p, db_int(&s, AGENT));
		name = db_text(&s, NAME, &n);
		c.name = import_name(r->im, p->producer, NAME_COUNTER, name, n);
		if (db_decimal(&s, VALUE, &c.value, &c.exponent))
			import_put(r->im, &c.e);
		else
			import_odd(r->im, "sample of a counter", "no number");
	}
	db_end(&s);
}

void rocpd_read_rows(struct rocpd *r)
{
	read_regions(r);
	read_dispatches(r);
	read_copies(r);
	read_samples(r);
}
