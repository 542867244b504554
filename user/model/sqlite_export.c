// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The database: made without a name, with neither journal nor waiting for the
 * disk, since it is worth nothing until it is whole, then put in place.
 */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "log.h"
#include "outfile.h"
#include "sqlite_export.h"
#include "sqlite_parts.h"
#include "symbols.h"
#include "trace_set.h"

#define GPU_HEAD \
	"start, end, deviceId, contextId, streamId, correlationId, globalPid, graphNodeId, "

static const struct { const char *name, *columns; } tables[T_TABLES] = {
	[T_KERNEL] = { "CUPTI_ACTIVITY_KIND_KERNEL", GPU_HEAD "graphId, demangledName, shortName, mangledName, registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory, localMemoryPerThread, gpuscopeCollectiveId" },
	[T_MEMCPY] = { "CUPTI_ACTIVITY_KIND_MEMCPY", GPU_HEAD "bytes, copyKind, srcKind, dstKind, srcDeviceId, dstDeviceId" },
	[T_MEMSET] = { "CUPTI_ACTIVITY_KIND_MEMSET", GPU_HEAD "value, bytes, memKind" },
	[T_GRAPH] = { "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", GPU_HEAD "graphId, graphExecId" },
	[T_SYNC] = { "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
		     GPU_HEAD "deprecatedSyncType, syncType, eventId" },
	[T_RUNTIME] = { "CUPTI_ACTIVITY_KIND_RUNTIME", "start, end, eventClass, globalTid, correlationId, nameId, returnValue, callchainId" },
	[T_OVERHEAD] = { "CUPTI_ACTIVITY_KIND_OVERHEAD", "start, end, globalTid, correlationId, overheadType" },
	[T_NVTX] = { "NVTX_EVENTS", "start, end, eventType, color, text TEXT, globalTid, textId, domainId" },
	[T_SPAN] = { "GPUSCOPE_SPANS", "start, end, globalTid, nameId, categoryId, what, id, deviceId, streamId" },
	[T_COUNTER] = { "GPUSCOPE_COUNTERS", "timestamp, globalPid, nameId, value, exponent, deviceId" },
	[T_SCHED] = { "SCHED_EVENTS", "start, cpu, isSchedIn, globalTid, threadState" },
	[T_SAMPLE] = { "COMPOSITE_EVENTS", "id INTEGER PRIMARY KEY, start, cpu, threadState, globalTid, cpuCycles, nameId" },
	[T_CALL_CHAIN] = { "CUDA_CALLCHAINS", "id, symbol, module, unresolved, stackDepth" },
	[T_SAMPLE_CHAIN] = { "SAMPLING_CALLCHAINS",
			     "id, symbol, module, unresolved, stackDepth" },
	[T_STRING] = { "StringIds", "id INTEGER PRIMARY KEY, value TEXT" },
	[T_PROCESS] = { "PROCESSES", "globalPid, pid, name TEXT" },
	[T_THREAD] = { "ThreadNames", "nameId, priority, globalTid" },
	[T_GPU] = { "TARGET_INFO_GPU", "vmId, id, name TEXT, busLocation TEXT, totalMemory, smCount, uuid TEXT, computeMajor, computeMinor" },
	[T_CUDA_DEVICE] = { "TARGET_INFO_CUDA_DEVICE", "gpuId, cudaId, pid, uuid TEXT, numMultiprocessors" },
	[T_START] = { "TARGET_INFO_SESSION_START_TIME", "utcEpochNs" },
	[T_META] = { "META_DATA_EXPORT", "name TEXT, value TEXT" },
	[T_COPY_KIND] = { "ENUM_CUDA_MEMCPY_OPER", "id, name TEXT, label TEXT" },
	[T_MEMORY_KIND] = { "ENUM_CUDA_MEM_KIND", "id, name TEXT, label TEXT" },
	[T_SYNC_TYPE] = { "ENUM_CUPTI_SYNC_TYPE", "id, name TEXT, label TEXT" },
	[T_SYSTEM] = { "TARGET_INFO_SYSTEM_ENV", "name TEXT, value TEXT" },
	[T_SOURCE] = { "GPUSCOPE_SOURCES", "globalPid, file TEXT, rank, world" },
	[T_COLLECTIVE] = { "GPUSCOPE_COLLECTIVES", "id, nameId, typeId, groupId, descriptionId, ranksId, bytes, sequence, groupSize, peer, inElements, outElements" },
	[T_EVENT_TYPE] = { "ENUM_NSYS_EVENT_TYPE", "id, name TEXT, label TEXT" },
};

static void check(struct export *x, int rc)
{
	if (rc != SQLITE_OK && rc != SQLITE_DONE && rc != SQLITE_ROW && x->rc == SQLITE_OK)
		x->rc = rc;
}

static void run(struct export *x, const char *sql)
{
	check(x, sqlite3_exec(x->sql, sql, NULL, NULL, NULL));
}

/* Which of the columns are text: "value TEXT, ..." */
static u32 text_columns(const char *columns, u32 *n)
{
	const char *at = columns, *end;
	u32 text = 0;

	for (*n = 0; *at; at = *end ? end + 2 : end, ++*n) {
		end = at + strcspn(at, ",");
		if (memmem(at, end - at, " TEXT", 5))
			text |= 1u << *n;
	}
	return text;
}

static void make_table(struct export *x, enum export_table t)
{
	char *sql = sqlite3_mprintf("CREATE TABLE %s (%s)", tables[t].name, tables[t].columns);
	char marks[3 * 32] = "?";
	u32 i;

	run(x, sql);
	sqlite3_free(sql);
	x->text[t] = text_columns(tables[t].columns, &x->columns[t]);
	for (i = 1; i < x->columns[t]; i++)
		strcat(marks, ", ?");
	sql = sqlite3_mprintf("INSERT INTO %s VALUES (%s)", tables[t].name, marks);
	check(x, sqlite3_prepare_v2(x->sql, sql, -1, &x->insert[t], NULL));
	sqlite3_free(sql);
}

void export_put(struct export *x, enum export_table t, const s64 *values)
{
	sqlite3_stmt *s = x->insert[t];
	u32 i;

	if (x->rc != SQLITE_OK)
		return;
	for (i = 0; i < x->columns[t]; i++)
		if (values[i] == NONE)
			sqlite3_bind_null(s, i + 1);
		else if (x->text[t] >> i & 1)
			sqlite3_bind_text(s, i + 1, (const char *)(uintptr_t)values[i], -1,
					  SQLITE_TRANSIENT);
		else
			sqlite3_bind_int64(s, i + 1, values[i]);
	check(x, sqlite3_step(s));
	sqlite3_reset(s);
}

s64 export_string(struct export *x, const char *s)
{
	const u64 key = hash_address(s ? s : "");
	void *known = hash_get(&x->strings, key);

	if (known)
		return (uintptr_t)known;
	export_put(x, T_STRING, (s64[]){ ++x->string_n, TEXT(s ? s : "") });
	hash_put(&x->strings, key, (void *)(uintptr_t)x->string_n);
	return x->string_n;
}

/* Queries go by correlation, name and time. */
static const char indexes[] =
	"CREATE INDEX gpuscope_kernel ON CUPTI_ACTIVITY_KIND_KERNEL (correlationId);"
	"CREATE INDEX gpuscope_runtime ON CUPTI_ACTIVITY_KIND_RUNTIME (correlationId);"
	"CREATE INDEX gpuscope_call ON CUDA_CALLCHAINS (id, stackDepth);"
	"CREATE INDEX gpuscope_sample ON SAMPLING_CALLCHAINS (id, stackDepth);"
	"COMMIT";

static int read_traces(struct export *x, const char *const *inputs, size_t n, char **damage)
{
	const struct trace_info *info;
	const struct event *e;
	struct trace_set *set;
	int err = trace_set_open(&set, inputs, n), got;

	if (err)
		return err;
	info = trace_set_info(set);
	if (info->start_realtime_ns)
		export_put(x, T_START, (s64[]){ info->start_realtime_ns - info->start_ns });
	if (info->host[0])
		export_put(x, T_SYSTEM, (s64[]){ TEXT("Hostname"), TEXT(info->host) });
	while (!err && x->rc == SQLITE_OK && (got = trace_set_next(set, &e)) != 0)
		err = got < 0 ? got : model_feed(x->m, e);
	if (!err)
		err = model_finish(x->m);
	if (trace_set_damage(set))
		*damage = strdup(trace_set_damage(set));
	trace_set_close(set);
	return err;
}

static void free_all(struct export *x)
{
	u32 t;

	for (t = 0; t < T_TABLES; t++)
		sqlite3_finalize(x->insert[t]);
	sqlite3_close(x->sql);
	model_free(x->m);
	hash_free(&x->strings);
	hash_free(&x->ids);
	hash_free(&x->tasks);
	hash_free(&x->stacks);
	hash_free(&x->domains);
	hash_free(&x->gpus);
	hash_free(&x->collectives);
}

static int write_database(struct export *x, const char *const *inputs, size_t n, char **damage)
{
	int err;
	u32 t;

	run(x, "BEGIN");
	for (t = 0; t < T_TABLES; t++)
		make_table(x, t);
	export_enums(x);
	err = read_traces(x, inputs, n, damage);
	run(x, indexes);
	return err;
}

/* SQLite makes files only under a name. It is taken away at once, so that nothing is left when
 * the writer dies; the whole database is then copied to where it belongs. */
static int nameless_database(struct export *x, const char *path)
{
	char *tmp = sqlite3_mprintf("%s.%d.part", path, (int)getpid());
	int fd;

	unlink(tmp);
	check(x, sqlite3_open(tmp, &x->sql));
	run(x, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
	fd = open(tmp, O_RDONLY | O_CLOEXEC);
	unlink(tmp);
	sqlite3_free(tmp);
	return fd;
}

static void copy_out(int fd, FILE *f)
{
	char buf[1 << 16];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		if (fwrite(buf, 1, n, f) != (size_t)n)
			return;		/* outfile_close says so */
}

static int export_to(struct outfile *o, struct export *x, const char *const *inputs, size_t n,
		     char **damage)
{
	int fd = nameless_database(x, o->target), err = 0;

	if (x->rc == SQLITE_OK && fd < 0)
		err = fail(-errno, "cannot write %s", o->path);
	if (!err && x->rc == SQLITE_OK)
		err = write_database(x, inputs, n, damage);
	if (!err && x->rc != SQLITE_OK)
		err = fail(0, "cannot write %s: %s", o->path, sqlite3_errstr(x->rc));
	free_all(x);
	if (!err)
		copy_out(fd, o->f);
	if (fd >= 0)
		close(fd);
	return err;
}

int sqlite_export(const char *const *inputs, size_t n, const char *path, char **damage)
{
	struct export x = {};
	struct outfile o;
	struct stat st;
	mode_t mask;
	int err, kept;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return fail(0, "cannot write %s: it is no regular file (a database needs one)", path);
	mask = umask(0077);		/* as a trace: for its owner alone */
	err = outfile_open(&o, path);
	if (!err) {
		x.m = model_new(&export_view, &x);
		err = export_to(&o, &x, inputs, n, damage);
		kept = outfile_close(&o, !err);
		err = err ?: kept;
	}
	umask(mask);
	demangle_free_all();
	return err;
}
