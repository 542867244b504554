/* Inside of the SQLite export: sqlite_export.c (the file), sqlite_rows.c (what goes in). */
#ifndef SQLITE_PARTS_H
#define SQLITE_PARTS_H

#include "hash.h"
#include "model.h"

enum export_table {
	T_KERNEL, T_MEMCPY, T_MEMSET, T_GRAPH, T_SYNC, T_RUNTIME, T_OVERHEAD, T_NVTX, T_SPAN,
	T_COUNTER, T_SCHED, T_SAMPLE, T_CALL_CHAIN, T_SAMPLE_CHAIN, T_STRING, T_PROCESS,
	T_THREAD,
	T_GPU, T_CUDA_DEVICE, T_START, T_META, T_COPY_KIND, T_MEMORY_KIND, T_SYNC_TYPE,
	T_EVENT_TYPE, T_SYSTEM, T_SOURCE, T_COLLECTIVE, T_TABLES
};

#define NONE INT64_MIN		/* NULL in the database */
#define TEXT(s) ((s64)(uintptr_t)(s))	/* of a column whose type is TEXT */

struct export {
	struct sqlite3 *sql;
	struct sqlite3_stmt *insert[T_TABLES];
	u32 columns[T_TABLES];
	u32 text[T_TABLES];	/* bit i: column i is TEXT */
	struct model *m;
	struct hash strings;	/* of model and demangle: pointer -> id */
	struct hash ids;	/* pids and tids as they are -> in 24 bits */
	struct hash tasks;	/* processes and threads that are in their tables */
	struct hash stacks;	/* id -> number of its chain */
	struct hash domains;	/* NVTX domains that are in the table */
	struct hash gpus;	/* physical devices that are */
	struct hash collectives;	/* collective_info -> id */
	u64 string_n, own_ids, chains, samples;
	int rc;			/* the first that was not SQLITE_OK */
};

extern const struct view export_view;

void export_put(struct export *x, enum export_table t, const s64 *values);
/* Id of a text that lives as long as the model; NULL: of "". */
s64 export_string(struct export *x, const char *s);
void export_enums(struct export *x);

#endif
