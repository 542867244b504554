// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * SQLite files, opened immutable: neither a lock nor a "-shm" is made, so a
 * read-only folder is fine. SQLite then looks at nothing but the file, so what
 * would be missing or half written (a log or journal beside it, a writer's
 * lock) is looked for here first, and refused with what to do.
 */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "arena.h"
#include "db.h"
#include "log.h"

#define MAGIC "SQLite format 3"
#define LOCK_BYTES 0x40000000	/* where SQLite's locks are: pending, reserved, shared */

struct db_table {
	char *name;
	s64 rows;		/* -1: not counted */
};

struct db {
	sqlite3 *sql;
	struct import *im;
	const char *path;
	struct db_table *tables;
	size_t table_n;
	u64 bytes;
};

bool db_is(const u8 *head, size_t n)
{
	return n >= sizeof(MAGIC) && !memcmp(head, MAGIC, sizeof(MAGIC));
}

/* Changes beside the file that are not in it. */
static int refuse_beside(const char *path, const char *end, const char *what, const char *cure)
{
	struct stat st;
	char *beside = sqlite3_mprintf("%s%s", path, end);
	bool there = beside && !stat(beside, &st) && st.st_size > 0;

	sqlite3_free(beside);
	return there ? fail(-EBUSY, "cannot read %s: %s%s beside it %s (%s)", path, path, end,
			    what, cure) : 0;
}

static int check_file(struct db *db, const char *path)
{
	struct flock lock = { .l_type = F_RDLCK, .l_start = LOCK_BYTES, .l_len = 512 };
	struct stat st;
	u8 head[100];
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return fail(-errno, "cannot open %s", path);
	n = pread(fd, head, sizeof(head), 0);
	if (n < 0 || fstat(fd, &st))
		err = fail(-errno, "cannot read %s", path);
	else if (!db_is(head, n))
		err = fail(0, "cannot read %s: it is no SQLite database (packed? unpack it first)", path);
	else if (!fcntl(fd, F_GETLK, &lock) && lock.l_type != F_UNLCK)
		err = fail(-EBUSY, "cannot read %s: process %d is writing it (wait for its end)",
			   path, (int)lock.l_pid);
	close(fd);
	if (err)
		return err;
	db->bytes = st.st_size;
	err = refuse_beside(path, "-wal", "holds rows that are not in it",
			    "end its writer, or merge them with sqlite3 FILE vacuum");
	return err ? err : refuse_beside(path, "-journal", "belongs to an unfinished change",
					 "end its writer, or undo it with sqlite3 FILE vacuum");
}

/* "file:PATH?immutable=1" with what is special in a URI escaped. */
static char *uri_of(const char *path)
{
	static const char hex[] = "0123456789ABCDEF";
	char *uri = must_alloc(strlen(path) * 3 + 32), *to = uri;

	to += sprintf(to, "file:");
	for (; *path; path++)
		if (strchr("?#% ", *path)) {
			*to++ = '%';
			*to++ = hex[(u8)*path >> 4];
			*to++ = hex[*path & 15];
		} else {
			*to++ = *path;
		}
	strcpy(to, "?immutable=1");
	return uri;
}

static int read_tables(struct db *db)
{
	struct db_scan s;
	size_t n;

	db_query(db, &s, "list of tables", "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
			 "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name");
	if (!s.s)
		return -EIO;
	while (db_next(&s)) {
		db->tables = must_realloc(db->tables, (db->table_n + 1) * sizeof(*db->tables));
		db->tables[db->table_n].rows = -1;
		db->tables[db->table_n++].name = strdup(db_text(&s, 0, &n));
	}
	db_end(&s);
	return 0;
}

/* What SQLite says when it cannot; SQLITE_OK: db->tables are there. */
static int open_file(struct db *db, const char *path)
{
	char *uri = uri_of(path);
	int rc = sqlite3_open_v2(uri, &db->sql, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI |
				 SQLITE_OPEN_NOMUTEX, NULL);

	free(uri);
	if (rc == SQLITE_OK && read_tables(db))
		rc = sqlite3_errcode(db->sql);
	return rc;
}

static const char *unlink_open;

void db_unlink_open(const char *path)
{
	unlink_open = path;
}

int db_open(struct db **out, struct import *im, const char *path)
{
	struct db *db = must_alloc(sizeof(*db));
	int err, rc;

	*out = NULL;
	db->path = path;
	db->im = im;
	err = check_file(db, path);
	if (!err) {
		rc = open_file(db, path);
		if (rc != SQLITE_OK)
			err = fail(0, "cannot read %s: %s", path, sqlite3_errstr(rc));
	}
	if (unlink_open && !strcmp(path, unlink_open))
		unlink(path);
	if (err)
		db_close(db);
	else
		*out = db;
	return err;
}

bool db_peek(struct db **out, const char *path)
{
	struct db *db = must_alloc(sizeof(*db));

	db->path = path;
	if (open_file(db, path) != SQLITE_OK) {
		db_close(db);
		db = NULL;
	}
	*out = db;
	return db;
}

void db_close(struct db *db)
{
	size_t i;

	if (!db)
		return;
	for (i = 0; i < db->table_n; i++)
		free(db->tables[i].name);
	free(db->tables);
	sqlite3_close(db->sql);
	free(db);
}

u64 db_bytes(const struct db *db)
{
	return db->bytes;
}

const char *db_table(const struct db *db, size_t i)
{
	return i < db->table_n ? db->tables[i].name : NULL;
}

static int find_table(const struct db *db, const char *table)
{
	size_t i;

	for (i = 0; i < db->table_n; i++)
		if (!strcasecmp(db->tables[i].name, table))
			return i;
	return -1;
}

bool db_has(const struct db *db, const char *table)
{
	return find_table(db, table) >= 0;
}

bool db_has_column(struct db *db, const char *table, const char *column)
{
	char *sql = sqlite3_mprintf("SELECT \"%w\".\"%w\" FROM \"%w\"", table, column, table);
	sqlite3_stmt *s = NULL;
	bool has = sql && sqlite3_prepare_v2(db->sql, sql, -1, &s, NULL) == SQLITE_OK;

	sqlite3_finalize(s);
	sqlite3_free(sql);
	return has;
}

u64 db_rows(struct db *db, const char *table)
{
	int at = find_table(db, table);
	struct db_scan s;
	char *sql;

	if (at < 0)
		return 0;
	if (db->tables[at].rows < 0) {
		sql = sqlite3_mprintf("SELECT count(*) FROM \"%w\"", table);
		db_query(db, &s, db->tables[at].name, sql);
		db->tables[at].rows = db_next(&s) ? db_int(&s, 0) : 0;
		db_end(&s);
		sqlite3_free(sql);
	}
	return db->tables[at].rows;
}

static void damage(struct db *db, const char *table)
{
	char *why;

	if (!db->im)
		return;
	why = sqlite3_mprintf("%s: %s", table, sqlite3_errmsg(db->sql));
	import_damage(db->im, why, 0);
	sqlite3_free(why);
}

void db_query(struct db *db, struct db_scan *scan, const char *what, const char *sql)
{
	*scan = (struct db_scan){ .db = db, .what = what, .table = -1 };
	if (sqlite3_prepare_v2(db->sql, sql, -1, &scan->s, NULL) == SQLITE_OK)
		scan->columns = sqlite3_column_count(scan->s);
}

/* Adds the first of the alternatives that the table has, or NULL. */
static void add_column(struct db *db, sqlite3_str *sql, const char *table, const char *column)
{
	char name[64];
	size_t n;

	for (; *column; column += n + (column[n] == '|')) {
		n = strcspn(column, "|");
		snprintf(name, sizeof(name), "%.*s", (int)n, column);
		if (db_has_column(db, table, name)) {
			sqlite3_str_appendf(sql, "\"%w\".\"%w\"", table, name);
			return;
		}
	}
	sqlite3_str_appendall(sql, "NULL");
}

void db_select(struct db *db, struct db_scan *scan, const char *table,
	       const char *const *columns, u32 n, const char *rest)
{
	sqlite3_str *sql;
	char *text;
	u32 i;

	*scan = (struct db_scan){};
	if (!db_has(db, table))
		return;
	sql = sqlite3_str_new(db->sql);
	sqlite3_str_appendall(sql, "SELECT ");
	for (i = 0; i < n; i++) {
		sqlite3_str_appendall(sql, i ? ", " : "");
		add_column(db, sql, table, columns[i]);
	}
	sqlite3_str_appendf(sql, " FROM \"%w\" %s", table, rest ? rest : "");
	text = sqlite3_str_finish(sql);
	db_query(db, scan, table, text);
	sqlite3_free(text);
	if (!scan->s)
		damage(db, table);
	else if (!rest)
		scan->table = find_table(db, table);
}

void db_bind(struct db_scan *scan, int at, s64 value)
{
	sqlite3_reset(scan->s);
	sqlite3_bind_int64(scan->s, at, value);
}

bool db_next(struct db_scan *scan)
{
	struct db *db = scan->db;
	int rc;

	if (!scan->s)	/* of a table that is not there */
		return false;
	rc = sqlite3_step(scan->s);
	scan->rows += rc == SQLITE_ROW;
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		damage(db, scan->what);
	if (rc == SQLITE_DONE && scan->table >= 0)
		db->tables[scan->table].rows = scan->rows;
	return rc == SQLITE_ROW;
}

void db_end(struct db_scan *scan)
{
	sqlite3_finalize(scan->s);
	scan->s = NULL;
}

bool db_null(const struct db_scan *scan, u32 column)
{
	return sqlite3_column_type(scan->s, column) == SQLITE_NULL;
}

s64 db_int(const struct db_scan *scan, u32 column)
{
	return sqlite3_column_int64(scan->s, column);
}

const char *db_text(const struct db_scan *scan, u32 column, size_t *n)
{
	const char *s = (const char *)sqlite3_column_text(scan->s, column);

	*n = s ? sqlite3_column_bytes(scan->s, column) : 0;
	return s ? s : "";
}

bool db_decimal(const struct db_scan *scan, u32 column, s64 *value, s32 *exponent)
{
	const char *s = (const char *)sqlite3_column_text(scan->s, column) ?: "";
	char *end;
	u32 digits = 0;
	bool point = false, minus = *s == '-';
	u64 v = 0;

	*exponent = 0;
	for (s += minus; (*s >= '0' && *s <= '9') || (*s == '.' && !point); s++) {
		if (*s == '.') {
			point = true;
			continue;
		}
		if (v > (1ULL << 62) / 10)
			return false;
		v = v * 10 + (*s - '0');
		*exponent -= point;
		digits++;
	}
	if (digits && (*s == 'e' || *s == 'E')) {
		*exponent += strtol(s + 1, &end, 10);
		s = end;
	}
	*value = minus ? -(s64)v : (s64)v;
	return digits && !*s;
}

static s64 time_of(struct import *im, const char *table, s64 t, s64 least)
{
	if (t >= least && t <= DB_TIME_MAX)
		return t;
	import_odd(im, "time out of range", table);
	return t < 0 ? 0 : DB_TIME_MAX;
}

s64 db_span(struct import *im, const char *table, s64 start, s64 end, s64 least, u64 *dur_ns)
{
	s64 from = time_of(im, table, start, least), to;

	to = end == start ? from : time_of(im, table, end, least);
	if (to < from) {
		import_odd(im, "ends before it starts", table);
		to = from;
	}
	*dur_ns = to - from;
	return from;
}

s64 db_start(struct import *im, const struct db_scan *scan, const char *table, u32 start,
	     u32 end)
{
	if (!db_null(scan, start))
		return db_int(scan, start);
	import_odd(im, "without a start", table);
	return db_int(scan, end);
}
