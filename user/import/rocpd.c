// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Databases of rocprofv3 and rocprof-sys (rocpd). Every recording has tables of
 * its own, whose names end in its id, and views without the end; a merged file
 * has several recordings with equal row ids. Schema 3 has times, thread, queue
 * and stream in the rows; schema 4 in rocpd_timestamp and rocpd_track.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "log.h"
#include "rocpd.h"

const char *rocpd_sql(struct rocpd *r, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	text = arena_alloc(&r->arena, n + 1);
	va_start(ap, fmt);
	vsnprintf(text, n + 1, fmt, ap);
	va_end(ap);
	return text;
}

const char *rocpd_table(struct rocpd *r, const char *name)
{
	return rocpd_sql(r, "%s%s", name, r->suffix);
}

static const char *keep(struct rocpd *r, const char *s, size_t n)
{
	return memcpy(arena_alloc(&r->arena, n + 1), s, n);
}

static void select_table(struct rocpd *r, struct db_scan *s, const char *table,
			 const char *const *columns, u32 n)
{
	db_select(r->db, s, rocpd_table(r, table), columns, n, NULL);
}

#define SELECT(r, s, table, columns) \
	select_table(r, s, table, columns, sizeof(columns) / sizeof(*(columns)))

static void read_strings(struct rocpd *r, struct hash *to, const char *table,
			 const char *column)
{
	const char *const columns[] = { "id", column };
	struct rocpd_string *text;
	struct db_scan s;
	const char *value;

	SELECT(r, &s, table, columns);
	while (db_next(&s)) {
		text = arena_alloc(&r->arena, sizeof(*text));
		value = db_text(&s, 1, &text->n);
		text->s = keep(r, value, text->n);
		hash_put(to, db_int(&s, 0), text);
	}
	db_end(&s);
}

struct rocpd_string rocpd_string(const struct rocpd *r, u64 id)
{
	struct rocpd_string *text = hash_get(&r->strings, id);

	return text ? *text : (struct rocpd_string){ "", 0 };
}

/* The program of a command line, without folder and arguments. */
static const char *program_of(struct rocpd *r, const char *command)
{
	const char *slash;
	size_t n = strcspn(command, " ");

	slash = memrchr(command, '/', n);
	if (slash) {
		n -= slash + 1 - command;
		command = slash + 1;
	}
	return keep(r, command, n);
}

static void read_tasks(struct rocpd *r)
{
	static const char *const process[] = { "id", "pid", "name", "command" };
	static const char *const thread[] = { "id", "tid", "name" };
	static const char *const node[] = { "hostname" };
	struct rocpd_process *p;
	struct rocpd_thread *t;
	struct db_scan s;
	const char *name;
	size_t n;

	SELECT(r, &s, "rocpd_info_process", process);
	while (db_next(&s)) {
		p = arena_alloc(&r->arena, sizeof(*p));
		p->pid = db_int(&s, 1);
		name = db_text(&s, 2, &n);
		p->name = program_of(r, n ? name : db_text(&s, 3, &n));
		hash_put(&r->processes, db_int(&s, 0), p);
	}
	db_end(&s);
	SELECT(r, &s, "rocpd_info_thread", thread);
	while (db_next(&s)) {
		t = arena_alloc(&r->arena, sizeof(*t));
		t->tid = db_int(&s, 1);
		name = db_text(&s, 2, &n);
		t->name = n ? keep(r, name, n) : NULL;
		hash_put(&r->threads, db_int(&s, 0), t);
	}
	db_end(&s);
	SELECT(r, &s, "rocpd_info_node", node);
	if (db_next(&s) && *db_text(&s, 0, &n))
		import_file_host(r->im, db_text(&s, 0, &n));
	db_end(&s);
}

struct rocpd_process *rocpd_process(struct rocpd *r, u64 id)
{
	struct rocpd_process *p = hash_get(&r->processes, id);

	if (!p) {
		p = arena_alloc(&r->arena, sizeof(*p));
		p->pid = id;
		hash_put(&r->processes, id, p);
	}
	if (!p->producer)
		p->producer = import_process(r->im, p->pid,
					     p->name && *p->name ? p->name : NULL);
	return p;
}

u32 rocpd_tid(struct rocpd *r, struct rocpd_process *p, u64 id)
{
	struct rocpd_thread *t = hash_get(&r->threads, id);

	return import_tid(r->im, p->producer, t ? t->tid : id, t ? t->name : NULL);
}

static void read_agents(struct rocpd *r)
{
	enum { ID, TYPE, ORDINAL, LOGICAL, PRODUCT, NAME, UUID };
	static const char *const columns[] = {
		"id", "type", "type_index", "logical_index", "product_name|model_name", "name",
		"uuid",
	};
	struct rocpd_agent *a;
	struct db_scan s;
	const char *name;
	size_t n, i;

	SELECT(r, &s, "rocpd_info_agent", columns);
	while (db_next(&s)) {
		a = arena_alloc(&r->arena, sizeof(*a));
		a->gpu = !strcasecmp(db_text(&s, TYPE, &n), "GPU");
		a->d.ordinal = db_int(&s, db_null(&s, ORDINAL) ? LOGICAL : ORDINAL);
		a->d.minor = ~0u;
		a->d.numa_node = -1;
		name = db_text(&s, PRODUCT, &n);
		snprintf(a->d.name, sizeof(a->d.name), "%s", n ? name : db_text(&s, NAME, &n));
		for (i = 0; i < 8; i++)
			a->d.uuid[i] = (u64)db_int(&s, UUID) >> (56 - 8 * i);
		if (a->gpu)
			import_fact(r->im, "gpu", a->d.name, strlen(a->d.name), 1);
		hash_put(&r->agents, db_int(&s, ID), a);
	}
	db_end(&s);
}

u32 rocpd_device(struct rocpd *r, struct rocpd_process *p, u64 agent)
{
	struct rocpd_agent *a = hash_get(&r->agents, agent);

	if (!a || !a->gpu)
		return ~0u;
	if (p->producer >= 256 || !(a->told[p->producer / 64] >> p->producer % 64 & 1))
		import_device(r->im, p->producer, &a->d);
	if (p->producer < 256)
		a->told[p->producer / 64] |= 1ULL << p->producer % 64;
	return a->d.ordinal;
}

static void read_kernels(struct rocpd *r)
{
	enum { ID, NAME, SYMBOL, REGISTERS, SHARED };
	static const char *const columns[] = {
		"id", "display_name", "kernel_name", "arch_vgpr_count", "group_segment_size",
	};
	struct rocpd_kernel *k;
	struct db_scan s;
	const char *name;
	size_t n;

	SELECT(r, &s, "rocpd_info_kernel_symbol", columns);
	while (db_next(&s)) {
		k = arena_alloc(&r->arena, sizeof(*k));
		name = db_text(&s, NAME, &n);
		if (!n)
			name = db_text(&s, SYMBOL, &n);
		k->name = keep(r, name, n);
		k->n = n > 3 && !strcmp(name + n - 3, ".kd") ? n - 3 : n;
		k->registers = db_int(&s, REGISTERS);
		k->static_shared = db_int(&s, SHARED);
		hash_put(&r->kernels, db_int(&s, ID), k);
	}
	db_end(&s);
}

static void read_recording(struct import *im, struct db *db, const char *suffix)
{
	struct rocpd r = { .im = im, .db = db, .suffix = suffix };

	read_strings(&r, &r.strings, "rocpd_string", "string");
	read_strings(&r, &r.categories, "rocpd_info_category", "name");
	read_tasks(&r);
	read_agents(&r);
	read_kernels(&r);
	rocpd_read_rows(&r);
	hash_free(&r.strings);
	hash_free(&r.categories);
	hash_free(&r.processes);
	hash_free(&r.threads);
	hash_free(&r.agents);
	hash_free(&r.kernels);
	arena_free(&r.arena);
}

/* ---- the file as a whole ---- */

#define ANCHOR "rocpd_info_agent"	/* in every recording of every schema */

static bool is_rocpd(const struct db *db)
{
	const char *table;
	size_t i;

	for (i = 0; (table = db_table(db, i)); i++)
		if (!strncmp(table, ANCHOR, strlen(ANCHOR)))
			return true;
	return false;
}

static bool is_rpd(const struct db *db)
{
	return db_has(db, "rocpd_op") && db_has(db, "rocpd_api");
}

/* Rows by table, without the recording's id; not those of the views. */
static u64 tell_rows(struct import *im, struct db *db, const char *suffix)
{
	static const char imported[] =
		" rocpd_kernel_dispatch rocpd_memory_copy rocpd_region rocpd_sample rocpd_api "
		"rocpd_op rocpd_api_ops rocpd_kernelapi rocpd_copyapi rocpd_string rocpd_ustring "
		"rocpd_metadata rocpd_event rocpd_arg rocpd_pmc_event rocpd_track "
		"rocpd_timestamp ";
	const char *table;
	char name[96];
	u64 all = 0, rows;
	size_t i, n, end = strlen(suffix);

	for (i = 0; (table = db_table(db, i)); i++) {
		n = strlen(table);
		if (strncmp(table, "rocpd_", 6) || n < end || strcmp(table + n - end, suffix))
			continue;
		rows = db_rows(db, table);
		all += rows;
		if (rows)
			import_fact(im, "rows", table, n, rows);	/* by its full name */
		snprintf(name, sizeof(name), " %.*s ", (int)(n - end), table);
		if (!rows || strstr(imported, name) || !strncmp(table, "rocpd_info_", 11))
			continue;
		name[strlen(name) - 1] = '\0';
		import_odd(im, "table not imported", name + 1);
	}
	return all;
}

static u64 read_recordings(struct import *im, struct db *db)
{
	const char *table;
	size_t i, n = strlen(ANCHOR);
	bool any = false;
	u64 rows = 0;

	for (i = 0; (table = db_table(db, i)); i++)
		if (!strncmp(table, ANCHOR, n) && table[n]) {
			read_recording(im, db, table + n);
			rows += tell_rows(im, db, table + n);
			any = true;
		}
	if (any)
		return rows;
	read_recording(im, db, "");
	return tell_rows(im, db, "");
}

static int rocpd_read(struct import *im, const char *path)
{
	struct db *db;
	u64 rows = 0;
	int err = db_open(&db, im, path);

	if (err)
		return err;
	if (is_rocpd(db)) {
		rows = read_recordings(im, db);
	} else if (is_rpd(db)) {
		err = rpd_read(im, db);
		rows = tell_rows(im, db, "");
	} else {
		err = fail(0, "cannot import %s: it has no tables of rocprofv3 (make it with rocprofv3 --output-format rocpd)",
			   path);
	}
	import_file_counts(im, db_bytes(db), rows);
	db_close(db);
	return err;
}

static int rocpd_probe(const char *path, const u8 *head, size_t n)
{
	struct db *db;
	int sure;

	if (!db_is(head, n) || !db_peek(&db, path))
		return 0;
	sure = is_rocpd(db) || is_rpd(db) ? 96 : 0;
	db_close(db);
	return sure;
}

const struct import_format import_rocpd = {
	.name = "rocpd", .format = SOURCE_ROCPD, .probe = rocpd_probe, .read = rocpd_read,
};
