// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Exports of Nsight Systems (nsys export --type sqlite), schemas 2 and 3. The
 * tool makes a table only when it has rows for it, and columns come and go, so
 * everything is asked for by name and may be missing; what no reader here
 * knows is counted and said.
 */
#include <stdio.h>
#include <string.h>
#include "log.h"
#include "nsys.h"

/* Tables that hold no events, or are looked up from others; a '*' stands for any end. */
static const char known[] =
	"StringIds ENUM_* UnwindMethodType META_DATA_* EXPORT_META_DATA TARGET_INFO_* "
	"ANALYSIS_* PROCESSES ProcessStreams ThreadNames DIAGNOSTIC_EVENT NVTX_PAYLOAD_* "
	"CUDA_CALLCHAINS OSRT_CALLCHAINS SAMPLING_CALLCHAINS GENERIC_EVENT_TYPES "
	"GENERIC_EVENT_SOURCES GENERIC_EVENT_TYPE_FIELDS MPI_RANKS MPI_COMMUNICATORS UCP_WORKERS "
	"NIC_ID_MAP CUPTI_ACTIVITY_KIND_KERNEL CUPTI_ACTIVITY_KIND_MEMCPY "
	"CUPTI_ACTIVITY_KIND_MEMSET CUPTI_ACTIVITY_KIND_RUNTIME CUPTI_ACTIVITY_KIND_DRIVER "
	"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION CUPTI_ACTIVITY_KIND_OVERHEAD "
	"CUPTI_ACTIVITY_KIND_GRAPH_TRACE PROFILER_OVERHEAD NVTX_EVENTS "
	"OSRT_API CUDNN_EVENTS CUBLAS_EVENTS MPI_P2P_EVENTS MPI_COLLECTIVES_EVENTS "
	"MPI_START_WAIT_EVENTS MPI_OTHER_EVENTS UCP_SUBMIT_EVENTS UCP_PROGRESS_EVENTS UCP_EVENTS "
	"SCHED_EVENTS COMPOSITE_EVENTS GPU_METRICS SYSCALL GPUSCOPE_* ";

static bool is_known(const char *table)
{
	const char *word, *end;
	size_t n;

	for (word = known; (end = strchr(word, ' ')); word = end + 1) {
		n = end - word;
		if (word[n - 1] == '*' ? !strncmp(table, word, n - 1) :
		    strlen(table) == n && !strncmp(table, word, n))
			return true;
	}
	return false;
}

s64 nsys_span(struct nsys *n, const char *table, s64 start, s64 end, u64 *dur_ns)
{
	return db_span(n->im, table, start, end, -DB_TIME_MAX / 2, dur_ns);
}

s64 nsys_time(struct nsys *n, const char *table, s64 at)
{
	u64 none;

	return db_span(n->im, table, at, at, -DB_TIME_MAX / 2, &none);
}

/* Which version wrote it; nothing else of the metadata, which names users and folders. */
static void read_export(struct nsys *n)
{
	static const char *const columns[] = { "name", "value" };
	static const char *const tables[] = { "META_DATA_EXPORT", "EXPORT_META_DATA" };
	const char *key, *value;
	struct db_scan s;
	size_t k, v, i;
	char text[192];

	for (i = 0; i < 2; i++) {
		NSYS_SELECT(n, &s, tables[i], columns);
		while (db_next(&s)) {
			key = db_text(&s, 0, &k);
			value = db_text(&s, 1, &v);
			if (strncmp(key, "EXPORT_SCHEMA_VERSION", 21) &&
			    strcmp(key, "EXPORT_PRODUCT_VERSION"))
				continue;
			k = snprintf(text, sizeof(text), "%.90s=%.90s", key, value);
			import_fact(n->im, "export", text, k, 1);
		}
		db_end(&s);
	}
}

/* One value of the first row; 0 where there is none. */
static s64 first_value(struct nsys *n, const char *table, const char *column)
{
	struct db_scan s;
	s64 value;

	db_select(n->db, &s, table, &column, 1, "LIMIT 1");
	value = db_next(&s) ? db_int(&s, 0) : 0;
	db_end(&s);
	return value;
}

/* Times are from the start of the session; those of what ran into it are negative. */
static void read_times(struct nsys *n)
{
	s64 origin = first_value(n, "TARGET_INFO_SESSION_START_TIME", "utcEpochNs");

	if (origin > 0 && origin < DB_TIME_MAX)
		import_file_origin(n->im, origin);
	n->end_ns = first_value(n, "ANALYSIS_DETAILS", "duration");
}

/* Rows of every table, and what was passed over. */
static u64 tell_rows(struct nsys *n)
{
	const char *table;
	u64 all = 0, rows;
	size_t i;

	for (i = 0; (table = db_table(n->db, i)); i++) {
		if (!strncmp(table, "ENUM_", 5))
			continue;
		rows = db_rows(n->db, table);
		all += rows;
		if (rows)
			import_fact(n->im, "rows", table, strlen(table), rows);
		if (rows && !is_known(table))
			import_odd(n->im, "table not imported", table);
	}
	return all;
}

static bool is_nsys(const struct db *db)
{
	static const char *const tables[] = {
		"StringIds", "META_DATA_EXPORT", "EXPORT_META_DATA",
		"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME",
		"NVTX_EVENTS", "TARGET_INFO_SESSION_START_TIME",
	};
	size_t i, found = 0;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		found += db_has(db, tables[i]);
	return found >= 2;
}

static int nsys_read(struct import *im, const char *path)
{
	struct nsys n = { .im = im };
	u64 rows;
	int err = db_open(&n.db, im, path);

	if (err)
		return err;
	if (!is_nsys(n.db)) {
		err = fail(0, "cannot import %s: it has no tables of Nsight Systems (make it with nsys export --type sqlite REPORT.nsys-rep)",
			   path);
		goto out;
	}
	read_export(&n);
	read_times(&n);
	nsys_ids_read(&n);
	nsys_read_host(&n);
	nsys_read_gpu(&n);
	nsys_read_samples(&n);
	nsys_read_own(&n);
	rows = tell_rows(&n);
	import_file_counts(im, db_bytes(n.db), rows);
out:
	nsys_ids_free(&n);
	db_close(n.db);
	return err;
}

/* The first page of a database has the text of its first tables; a table that is asked for
 * settles it. */
static int nsys_probe(const char *path, const u8 *head, size_t size)
{
	struct db *db;
	int sure;

	if (!db_is(head, size))
		return 0;
	if (memmem(head, size, "rocpd_", 6))
		return 1;
	if (!db_peek(&db, path))
		return 10;	/* the reader says what is wrong with it */
	sure = is_nsys(db) ? 95 : 10;
	db_close(db);
	return sure;
}

const struct import_format import_nsys = {
	.name = "nsys", .format = SOURCE_NSYS, .probe = nsys_probe, .read = nsys_read,
};
