/*
 * An SQLite file of another tool, read so that nothing beside it changes: no lock,
 * no journal, no index. Tables and columns come and go over the versions of
 * the tools: what is not there reads as NULL.
 */
#ifndef DB_H
#define DB_H

#include <stdbool.h>
#include <stddef.h>
#include "import.h"

struct db;
struct sqlite3_stmt;

/* Is it an SQLite file? Then the names of its tables can be asked. */
bool db_is(const u8 *head, size_t n);

/* 0 or reported: not there, locked, with changes beside the file, no database. */
int db_open(struct db **db, struct import *im, const char *path);
/* The same for a look at the tables: false, in silence, when it cannot be opened. */
bool db_peek(struct db **db, const char *path);
void db_close(struct db *db);	/* NULL is fine */
/* This file loses its name when db_open() has it open. It stays the caller's; NULL: none. */
void db_unlink_open(const char *path);

u64 db_bytes(const struct db *db);
/* Tables and views, by index and by name (without regard to case): NULL none. */
const char *db_table(const struct db *db, size_t i);
bool db_has(const struct db *db, const char *table);
bool db_has_column(struct db *db, const char *table, const char *column);
/* Rows of a table; those of a table that db_select read to its end are not counted again. */
u64 db_rows(struct db *db, const char *table);

struct db_scan {
	struct db *db;
	struct sqlite3_stmt *s;
	const char *what;	/* table, in messages: it stays the caller's */
	int table;		/* index, -1: not counted */
	u64 rows;
	u32 columns;
};

/*
 * All rows of a table. columns: n names, each with alternatives behind '|' that older or newer
 * versions have; rest: NULL or what follows FROM. Without the table there are no rows.
 */
void db_select(struct db *db, struct db_scan *scan, const char *table,
	       const char *const *columns, u32 n, const char *rest);
/* Any query; what: the table it is about, for messages. */
void db_query(struct db *db, struct db_scan *scan, const char *what, const char *sql);
void db_bind(struct db_scan *scan, int at, s64 value);	/* from 1; begins again */
/* The next row; false at the end, or at a damaged page, which is told to import_damage. */
bool db_next(struct db_scan *scan);
void db_end(struct db_scan *scan);

bool db_null(const struct db_scan *scan, u32 column);
/* A beginning that is missing is the end, and counted: no time is made up. */
s64 db_start(struct import *im, const struct db_scan *scan, const char *table, u32 start,
	     u32 end);
s64 db_int(const struct db_scan *scan, u32 column);	/* NULL: 0 */
#define DB_TIME_MAX (1LL << 62)
/* A row from start to end: its begin as a record has it, and its length. An end before its
 * start, a time below least or beyond DB_TIME_MAX: counted, and mended. */
s64 db_span(struct import *im, const char *table, s64 start, s64 end, s64 least, u64 *dur_ns);
/* "12.5" as 125 x 10^-1; false: no number, or more digits than fit. */
bool db_decimal(const struct db_scan *scan, u32 column, s64 *value, s32 *exponent);
const char *db_text(const struct db_scan *scan, u32 column, size_t *n);	/* NULL: "" */

#endif
