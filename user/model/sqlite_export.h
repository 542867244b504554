/* A trace as an SQLite database for people who ask in SQL: the tables of Nsight Systems'
 * exports, so that queries written for those work, and some of our own (GPUSCOPE_*). */
#ifndef SQLITE_EXPORT_H
#define SQLITE_EXPORT_H

#include <stddef.h>

/* Several traces are one, as in a report. path appears when it is whole. 0 or reported;
 * *damage: what of the traces could not be read, NULL: nothing; the caller frees it. */
int sqlite_export(const char *const *inputs, size_t n, const char *path, char **damage);

#endif
