// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What ran on GPUs: kernels, copies, sets, graphs as a whole, and waits for them. */
#include <stdio.h>
#include "nsys.h"

#define INVALID 0xffffffffu	/* CUPTI_SYNCHRONIZATION_INVALID_VALUE */

/* The columns that all tables of the GPU begin with here. */
enum { START, END, DEVICE, CONTEXT, STREAM, CORRELATION, PROCESS, NODE, GRAPH, OWN };
#define HEAD "start", "end", "deviceId", "contextId", "streamId", "correlationId", \
	"globalPid|globalTid", "graphNodeId", "graphExecId|graphId"

static struct nsys_process *read_head(struct nsys *n, const struct db_scan *s,
				      const char *table, struct gpu_head *g, u16 kind,
				      u16 size)
{
	struct nsys_process *p = nsys_process(n, db_int(s, PROCESS));

	g->e.ts = nsys_span(n, table, db_start(n->im, s, table, START, END), db_int(s, END),
			    &g->dur_ns);
	g->e.kind = kind;
	g->e.size = size;
	g->e.producer = p->producer;
	g->e.pid = import_pid(n->im, p->producer);
	g->e.cpu = CPU_UNKNOWN;
	g->device = db_int(s, DEVICE);
	g->context = db_int(s, CONTEXT);
	g->stream = db_int(s, STREAM);
	g->graph_node = db_int(s, NODE);
	g->graph = db_int(s, GRAPH);
	if (db_int(s, CORRELATION))
		g->correlation = import_correlation(n->im, p->producer, db_int(s, CORRELATION));
	if (kind != EVENT_SYNC)		/* of a wait the number may be another process' */
		nsys_device(n, p, g->device);
	return p;
}

/* Facts that are in no record: names without templates, which only nsys has, and the file's own
 * numbers of devices. */
static void kernel_facts(struct nsys *n, const struct db_scan *s, u32 column,
			 const struct gpu_head *g)
{
	struct nsys_string name;
	char device[16];
	size_t size = snprintf(device, sizeof(device), "%u", g->device);

	import_fact(n->im, "kernel_count_by_device", device, size, 1);
	import_fact(n->im, "kernel_ns_by_device", device, size, g->dur_ns);
	if (g->graph_node)
		import_fact(n->im, "kernel", "graph_nodes", 11, 1);
	if (db_null(s, column))
		return;
	name = nsys_string(n, db_int(s, column));
	import_fact(n->im, "short_name_count", name.s, name.n, 1);
	import_fact(n->im, "short_name_ns", name.s, name.n, g->dur_ns);
}

static void read_kernels(struct nsys *n)
{
	enum { NAME = OWN, SHORT, REGISTERS, GRID, BLOCK = GRID + 3, STATIC = BLOCK + 3,
	       DYNAMIC, LOCAL, COLLECTIVE };
	static const char *const columns[] = {
		HEAD, "demangledName|nameId|name|shortName|mangledName", "shortName",
		"registersPerThread", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ",
		"staticSharedMemory", "dynamicSharedMemory", "localMemoryPerThread",
		"gpuscopeCollectiveId",
	};
	static const char table[] = "CUPTI_ACTIVITY_KIND_KERNEL";
	struct nsys_process *p;
	struct db_scan s;
	u32 i;

	NSYS_SELECT(n, &s, table, columns);
	while (db_next(&s)) {
		struct kernel k = {};

		p = read_head(n, &s, table, &k.g, EVENT_KERNEL, sizeof(k));
		k.name = nsys_name(n, p, NAME_KERNEL, db_int(&s, NAME));
		k.registers = db_int(&s, REGISTERS);
		for (i = 0; i < 3; i++) {
			k.grid[i] = db_int(&s, GRID + i);
			k.block[i] = db_int(&s, BLOCK + i);
		}
		k.static_shared_bytes = db_int(&s, STATIC);
		k.dynamic_shared_bytes = db_int(&s, DYNAMIC);
		k.local_bytes = db_int(&s, LOCAL);
		if (!db_null(&s, COLLECTIVE))
			k.collective = nsys_collective(n, p, db_int(&s, COLLECTIVE));
		kernel_facts(n, &s, SHORT, &k.g);
		import_put(n->im, &k.g.e);
	}
	db_end(&s);
}

static u16 memory_kind(struct nsys *n, const struct db_scan *s, u32 column)
{
	u64 kind = db_int(s, column);

	return db_null(s, column) || kind >= sizeof(n->memory_kinds) ? MEMORY_UNKNOWN :
		n->memory_kinds[kind];
}

/* Kinds above CUPTI's are what the driver migrates of managed memory. */
static u16 copy_kind(struct nsys *n, u64 kind)
{
	if (kind <= COPY_UVM_DTOD)
		return kind;
	import_odd(n->im, "kind of copy", "");
	return COPY_UNKNOWN;
}

static void read_copies(struct nsys *n)
{
	enum { BYTES = OWN, KIND, SRC_KIND, DST_KIND, SRC, DST };
	static const char *const columns[] = {
		HEAD, "bytes", "copyKind", "srcKind", "dstKind", "srcDeviceId|srcId",
		"dstDeviceId|dstId",
	};
	static const char table[] = "CUPTI_ACTIVITY_KIND_MEMCPY";
	struct db_scan s;

	NSYS_SELECT(n, &s, table, columns);
	while (db_next(&s)) {
		struct copy c = {};

		read_head(n, &s, table, &c.g, EVENT_COPY, sizeof(c));
		c.bytes = db_int(&s, BYTES);
		c.copy_kind = copy_kind(n, db_int(&s, KIND));
		c.src_kind = memory_kind(n, &s, SRC_KIND);
		c.dst_kind = memory_kind(n, &s, DST_KIND);
		c.src_device = db_null(&s, SRC) ? c.g.device : db_int(&s, SRC);
		c.dst_device = db_null(&s, DST) ? c.g.device : db_int(&s, DST);
		import_put(n->im, &c.g.e);
	}
	db_end(&s);
}

static void read_sets(struct nsys *n)
{
	enum { BYTES = OWN, VALUE, KIND };
	static const char *const columns[] = { HEAD, "bytes", "value", "memKind|memoryKind" };
	static const char table[] = "CUPTI_ACTIVITY_KIND_MEMSET";
	struct db_scan s;

	NSYS_SELECT(n, &s, table, columns);
	while (db_next(&s)) {
		struct set r = {};

		read_head(n, &s, table, &r.g, EVENT_SET, sizeof(r));
		r.bytes = db_int(&s, BYTES);
		r.value = db_int(&s, VALUE);
		r.memory_kind = memory_kind(n, &s, KIND);
		import_put(n->im, &r.g.e);
	}
	db_end(&s);
}

static void read_graphs(struct nsys *n)
{
	static const char *const columns[] = { HEAD };
	static const char table[] = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
	struct db_scan s;

	NSYS_SELECT(n, &s, table, columns);
	while (db_next(&s)) {
		struct graph r = {};

		read_head(n, &s, table, &r.g, EVENT_GRAPH, sizeof(r));
		import_put(n->im, &r.g.e);
	}
	db_end(&s);
}

/*
 * Before there was a column deprecatedSyncType the type was not CUPTI's (schema 3.13 gives 1,
 * its "Event sync", to cudaDeviceSynchronize): what the wait was for tells then.
 */
static u32 sync_type(u32 stream, u32 event)
{
	if (event == INVALID)
		return stream == INVALID ? SYNC_CONTEXT : SYNC_STREAM;
	return stream == INVALID ? SYNC_EVENT : SYNC_STREAM_WAIT_EVENT;
}

static void read_syncs(struct nsys *n)
{
	enum { TYPE = OWN, EVENT };
	static const char *const columns[] = { HEAD, "syncType", "eventId" };
	static const char table[] = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
	bool cupti = db_has_column(n->db, table, "deprecatedSyncType");
	struct db_scan s;

	NSYS_SELECT(n, &s, table, columns);
	while (db_next(&s)) {
		struct sync r = {};

		read_head(n, &s, table, &r.g, EVENT_SYNC, sizeof(r));
		r.event = db_null(&s, EVENT) ? INVALID : db_int(&s, EVENT);
		r.type = cupti ? db_int(&s, TYPE) : sync_type(r.g.stream, r.event);
		r.event = r.event == INVALID ? 0 : r.event;
		import_put(n->im, &r.g.e);
	}
	db_end(&s);
}

void nsys_read_gpu(struct nsys *n)
{
	read_kernels(n);
	read_copies(n);
	read_sets(n);
	read_graphs(n);
	read_syncs(n);
}
