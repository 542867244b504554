/* A BPF map of sums that only grow (struct sum_head) as a source of records. */
#ifndef SOURCE_ROWS_H
#define SOURCE_ROWS_H

#include "event.h"

struct source_rows;

/* NULL: reported. The map stays the caller's. */
struct source_rows *source_rows_new(int map);
/*
 * A snapshot: each row that changed since the last one, as a record. Rows of processes that are
 * gone are given once more and taken out of the map. What put() returns when it is not 0 ends
 * it and is returned; else 0 or a reported error.
 */
int source_rows_read(struct source_rows *r, int (*put)(void *ctx, const struct event *e),
		     void *ctx);
void source_rows_free(struct source_rows *r);	/* NULL is fine */

#endif
