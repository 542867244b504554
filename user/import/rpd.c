// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Databases of rocmProfileData (.rpd): calls in rocpd_api, operations in
 * rocpd_op, and rocpd_api_ops says which call made which operation.
 */
#include <stdio.h>
#include <string.h>
#include "api_class.h"
#include "rocpd.h"

static u16 process_of(struct import *im, const struct db_scan *s, u32 column)
{
	return import_process(im, db_int(s, column), NULL);
}

static void head_of(struct import *im, const struct db_scan *s, struct event *e, u16 kind,
		    u16 size, u16 producer, u64 *dur_ns)
{
	s64 start = db_span(im, "rpd", db_start(im, s, "rpd", 0, 1), db_int(s, 1), 0, dur_ns);

	*e = (struct event){ .ts = start, .kind = kind, .size = size, .producer = producer,
			     .pid = import_pid(im, producer), .cpu = CPU_UNKNOWN };
}

/* Ranges of roctx are calls of a name of their own; their text is what they were given. */
static void put_range(struct import *im, const struct event *e, u64 dur_ns, const char *text,
		      size_t n)
{
	struct nvtx v = { .e = *e, .dur_ns = dur_ns, .what = NVTX_PUSH_POP };

	v.e.kind = EVENT_NVTX;
	v.e.size = sizeof(v);
	v.name = import_name(im, e->producer, NAME_NVTX, text, n);
	import_put(im, &v.e);
}

static void read_calls(struct import *im, struct db *db)
{
	enum { START, END, PROCESS, THREAD, ID, NAME, ARGS };
	const char *strings = db_has(db, "rocpd_ustring") ? "rocpd_ustring" : "rocpd_string";
	char sql[512];
	struct db_scan s;
	const char *name, *args;
	size_t n, args_n;

	snprintf(sql, sizeof(sql), "SELECT a.start, a.\"end\", a.pid, a.tid, a.id, n.string, CASE WHEN n.string = 'UserMarker' THEN u.string END FROM rocpd_api a LEFT JOIN rocpd_string n ON n.id = a.apiName_id LEFT JOIN %s u ON u.id = a.args_id",
		 strings);
	db_query(db, &s, "rocpd_api", sql);
	while (db_next(&s)) {
		struct api a = {};

		head_of(im, &s, &a.e, EVENT_API, sizeof(a), process_of(im, &s, PROCESS),
			&a.dur_ns);
		a.e.tid = import_tid(im, a.e.producer, db_int(&s, THREAD), NULL);
		args = db_text(&s, ARGS, &args_n);
		if (args_n) {
			put_range(im, &a.e, a.dur_ns, args, args_n);
			continue;
		}
		name = db_text(&s, NAME, &n);
		a.name = import_name(im, a.e.producer, NAME_API, name, n);
		a.domain = api_domain(name, n);
		a.class = api_class(name, n);
		a.correlation = import_correlation(im, a.e.producer, db_int(&s, ID));
		import_put(im, &a.e);
	}
	db_end(&s);
}

enum { START, END, PROCESS, GPU, QUEUE, CALL, TYPE, NAME, BYTES, GRID, BLOCK = GRID + 3,
       SHARED = BLOCK + 3 };

static void gpu_head(struct import *im, const struct db_scan *s, struct gpu_head *g, u16 kind,
		     u16 size)
{
	u16 producer = process_of(im, s, PROCESS);
	struct device d = { .ordinal = db_int(s, GPU), .minor = ~0u, .numa_node = -1 };

	head_of(im, s, &g->e, kind, size, producer, &g->dur_ns);
	g->device = d.ordinal;
	g->stream = db_int(s, QUEUE);
	if (!db_null(s, CALL))
		g->correlation = import_correlation(im, producer, db_int(s, CALL));
	import_device(im, producer, &d);
}

static void put_kernel(struct import *im, const struct db_scan *s)
{
	struct kernel k = {};
	const char *name;
	size_t n, i;

	gpu_head(im, s, &k.g, EVENT_KERNEL, sizeof(k));
	name = db_text(s, NAME, &n);
	k.name = import_name(im, k.g.e.producer, NAME_KERNEL, name, n);
	for (i = 0; i < 3; i++) {
		k.grid[i] = db_int(s, GRID + i);
		k.block[i] = db_int(s, BLOCK + i);
	}
	k.static_shared_bytes = db_int(s, SHARED);
	import_put(im, &k.g.e);
}

static void put_copy(struct import *im, const struct db_scan *s, const char *type)
{
	struct copy c = {};

	gpu_head(im, s, &c.g, EVENT_COPY, sizeof(c));
	c.bytes = db_int(s, BYTES);
	c.src_device = c.dst_device = c.g.device;
	c.copy_kind = strstr(type, "HostToDevice") ? COPY_HTOD :
		strstr(type, "DeviceToHost") ? COPY_DTOH :
		strstr(type, "DeviceToDevice") ? COPY_DTOD : COPY_UNKNOWN;
	import_put(im, &c.g.e);
}

static void put_set(struct import *im, const struct db_scan *s)
{
	struct set f = {};

	gpu_head(im, s, &f.g, EVENT_SET, sizeof(f));
	import_put(im, &f.g.e);
}

/* A task is what a graph launched: a kernel, if it has a name. */
static bool is_kernel(const struct db_scan *s, const char *type)
{
	size_t n;

	db_text(s, NAME, &n);
	return strstr(type, "Kernel") || strstr(type, "Dispatch") ||
		(n && !strcmp(type, "Task"));
}

static void put_operation(struct import *im, const struct db_scan *s)
{
	size_t n;
	const char *type = db_text(s, TYPE, &n);

	import_fact(im, "operation", type, n, 1);
	if (is_kernel(s, type))
		put_kernel(im, s);
	else if (strstr(type, "Copy"))
		put_copy(im, s, type);
	else if (strstr(type, "Fill"))
		put_set(im, s);
	else
		import_odd(im, "operation", type);
}

/* An operation whose call is not in the file is of the first process in it. */
static const char operations[] =
	"SELECT o.start, o.\"end\", coalesce(a.pid, (SELECT pid FROM rocpd_api LIMIT 1), 0), o.gpuId, o.queueId, l.api_id, t.string, d.string, %s, %s FROM rocpd_op o "
	"LEFT JOIN (SELECT op_id, min(api_id) AS api_id FROM rocpd_api_ops GROUP BY op_id) l ON l.op_id = o.id "
	"LEFT JOIN rocpd_api a ON a.id = l.api_id LEFT JOIN rocpd_string t ON t.id = o.opType_id "
	"LEFT JOIN rocpd_string d ON d.id = o.description_id %s %s";

int rpd_read(struct import *im, struct db *db)
{
	bool kernels = db_has_column(db, "rocpd_kernelapi", "gridX");
	bool copies = db_has_column(db, "rocpd_copyapi", "size");
	char sql[1536];
	struct db_scan s;

	snprintf(sql, sizeof(sql), operations, copies ? "c.size" : "NULL", kernels ?
		 "k.gridX, k.gridY, k.gridZ, k.workgroupX, k.workgroupY, k.workgroupZ, k.groupSegmentSize" :
		 "NULL, NULL, NULL, NULL, NULL, NULL, NULL",
		 copies ? "LEFT JOIN rocpd_copyapi c ON c.api_ptr_id = l.api_id" : "",
		 kernels ? "LEFT JOIN rocpd_kernelapi k ON k.api_ptr_id = l.api_id" : "");
	read_calls(im, db);
	db_query(db, &s, "rocpd_op", sql);
	while (db_next(&s))
		put_operation(im, &s);
	db_end(&s);
	return 0;
}
