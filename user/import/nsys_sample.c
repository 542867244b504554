// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What was sampled and scheduled: stacks, the kernel's switches, metrics of GPUs, ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host.h"
#include "nsys.h"

#define FRAMES_MAX 512

/* A frame without a symbol is the file it lies in. */
static struct import_frame frame_of(struct nsys *n, const struct db_scan *s)
{
	enum { SYMBOL, MODULE, UNRESOLVED };
	struct nsys_string text = nsys_string(n, db_int(s, db_int(s, UNRESOLVED) ? MODULE :
							SYMBOL));
	const char *slash = memrchr(text.s, '/', text.n);

	if (db_int(s, UNRESOLVED) && slash) {
		text.n -= slash + 1 - text.s;
		text.s = slash + 1;
	}
	return (struct import_frame){ text.s, text.n, SPAN_OTHER };
}

static void select_chains(struct nsys *n, const char *table)
{
	char sql[192];

	if (n->chain_table && !strcmp(n->chain_table, table))
		return;
	db_end(&n->chain);
	snprintf(sql, sizeof(sql), "SELECT symbol, module, unresolved FROM %s WHERE id = ?1 ORDER BY stackDepth DESC",
		 table);
	if (db_has(n->db, table))
		db_query(n->db, &n->chain, table, sql);
	n->chain_table = table;
}

static u64 read_stack(struct nsys *n, const char *table, u16 producer, s64 chain)
{
	struct import_frame frames[FRAMES_MAX];
	u32 count = 0;

	select_chains(n, table);
	if (!n->chain.s)
		return 0;
	db_bind(&n->chain, 1, chain);
	while (count < FRAMES_MAX && db_next(&n->chain))
		frames[count++] = frame_of(n, &n->chain);
	return count ? import_stack(n->im, producer, frames, count) : 0;
}

u64 nsys_stack(struct nsys *n, u16 producer, s64 chain)
{
	u64 key = (u64)chain << 16 | producer, *known = hash_get(&n->stacks, key);

	if (!known) {
		known = arena_alloc(&n->arena, sizeof(*known));
		*known = read_stack(n, "CUDA_CALLCHAINS", producer, chain);
		hash_put(&n->stacks, key, known);
	}
	return *known;
}

static void read_composite(struct nsys *n)
{
	enum { ID, START, CPU, THREAD, WEIGHT, NAME };
	static const char *const columns[] = {
		"id", "start", "cpu", "globalTid", "cpuCycles", "nameId",
	};
	static const char what[] = "cpu samples";
	bool named = db_has_column(n->db, "COMPOSITE_EVENTS", "nameId");	/* ours */
	struct nsys_thread *t;
	struct db_scan s;

	NSYS_SELECT(n, &s, "COMPOSITE_EVENTS", columns);
	while (db_next(&s)) {
		struct sample r = { .e = { .size = sizeof(r), .kind = EVENT_SAMPLE } };

		t = nsys_thread(n, db_int(&s, THREAD));
		r.e.ts = nsys_time(n, "COMPOSITE_EVENTS", db_int(&s, START));
		r.e.producer = t->process->producer;
		r.e.pid = import_pid(n->im, r.e.producer);
		r.e.tid = named && !(db_int(&s, THREAD) & 0xffffff) ? 0 : t->tid;
		r.e.cpu = db_null(&s, CPU) ? CPU_UNKNOWN : db_int(&s, CPU);
		r.weight = db_null(&s, WEIGHT) ? 1 : db_int(&s, WEIGHT);
		if (!named)
			r.name = import_name(n->im, r.e.producer, NAME_COUNTER, what,
					     strlen(what));
		else if (!db_null(&s, NAME))
			r.name = nsys_name(n, t->process, NAME_COUNTER, db_int(&s, NAME));
		r.stack = read_stack(n, "SAMPLING_CALLCHAINS", r.e.producer, db_int(&s, ID));
		import_put(n->im, &r.e);
	}
	db_end(&s);
}

/* ENUM_SAMPLING_THREAD_STATE to TASK_* bits. */
static u32 task_state(u64 state)
{
	static const u32 states[] = { SCHED_STATE_UNKNOWN, 0, 1, 2, 4, 0x10 };

	return state < sizeof(states) / sizeof(states[0]) ? states[state] : SCHED_STATE_UNKNOWN;
}

static void read_switches(struct nsys *n)
{
	enum { START, CPU, ON, THREAD, STATE };
	static const char *const columns[] = {
		"start", "cpu", "isSchedIn", "globalTid", "threadState",
	};
	struct nsys_thread *t;
	struct db_scan s;

	NSYS_SELECT(n, &s, "SCHED_EVENTS", columns);
	while (db_next(&s)) {
		struct sched_switch_rec r = {
			.e = { .size = sizeof(r), .kind = EVENT_SWITCH },
		};

		t = nsys_thread(n, db_int(&s, THREAD));
		r.e.ts = nsys_time(n, "SCHED_EVENTS", db_int(&s, START));
		r.e.pid = import_pid(n->im, t->process->producer);
		r.e.tid = t->tid;
		r.e.cpu = db_int(&s, CPU);
		r.on = db_int(&s, ON) != 0;
		r.state = r.on ? 0 : task_state(db_int(&s, STATE));
		import_put(n->im, &r.e);
	}
	db_end(&s);
}

/* A sample names its metric; the low byte of its type is the GPU. */
static void read_metrics(struct nsys *n)
{
	enum { TIME, TYPE, METRIC, VALUE };
	static const char *const columns[] = {
		"timestamp|start", "typeId", "metricId", "value",
	};
	static const char *const of_names[] = { "metricId", "metricName", "typeId" };
	struct nsys_process *p = nsys_process(n, 0);
	struct hash names = {};
	struct db_scan s;
	const char *text;
	char name[256];
	size_t size;
	u32 id;

	NSYS_SELECT(n, &s, "TARGET_INFO_GPU_METRICS", of_names);
	while (db_next(&s)) {
		text = db_text(&s, 1, &size);
		size = snprintf(name, sizeof(name), "GPU %lld: %s", db_int(&s, 2) & 0xff, text);
		id = import_name(n->im, p->producer, NAME_COUNTER, name, strlen(name));
		hash_put(&names, (u64)db_int(&s, 2) << 16 ^ db_int(&s, 0),
			 (void *)(uintptr_t)id);
	}
	db_end(&s);
	NSYS_SELECT(n, &s, "GPU_METRICS", columns);
	while (db_next(&s)) {
		struct counter r = {
			.e = { .size = sizeof(r), .kind = EVENT_COUNTER, .cpu = CPU_UNKNOWN },
			.device = ~0u,
		};

		r.e.producer = p->producer;
		r.e.ts = nsys_time(n, "GPU_METRICS", db_int(&s, TIME));
		r.name = (uintptr_t)hash_get(&names, (u64)db_int(&s, TYPE) << 16 ^
					     db_int(&s, METRIC));
		if (!r.name || !db_decimal(&s, VALUE, &r.value, &r.exponent))
			import_odd(n->im, "sample of a metric", "no name or no number");
		else
			import_put(n->im, &r.e);
	}
	db_end(&s);
	hash_free(&names);
}

/* A report is of one rank mostly; of several ranks in one file none is the file's. */
static void read_ranks(struct nsys *n)
{
	struct db_scan s;

	if (!db_has(n->db, "MPI_RANKS"))
		return;
	db_query(n->db, &s, "MPI_RANKS", "SELECT min(rank), max(rank) FROM MPI_RANKS");
	if (db_next(&s) && !db_null(&s, 0) && db_int(&s, 0) == db_int(&s, 1))
		import_file_rank(n->im, db_int(&s, 0), 0);
	db_end(&s);
}

void nsys_read_samples(struct nsys *n)
{
	read_switches(n);
	read_composite(n);
	read_ranks(n);
	if (db_rows(n->db, "GPU_METRICS"))
		read_metrics(n);
}
