/*
 * The sums of a trace: one pass over the model's deliveries, then printed as
 * tables or as one JSON object.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdio.h>
#include <stddef.h>
#include "types.h"

struct report;

struct report *report_new(void);
struct trace_window;
void report_window(struct report *r, const struct trace_window *w);	/* as model_window */
/* Reads the whole traces, as one. steps: a pattern, or NULL (steps.h). 0 or a reported error;
 * *damage: as model_run; it must live as long as r. */
int report_run(struct report *r, const char *const *paths, size_t n, const char *steps,
	       char **damage);
/* top: rows of each table, 0 all; width of the terminal, 0 unlimited. */
void report_print(struct report *r, FILE *f, u32 top, int width);
void report_json(struct report *r, FILE *f);
u64 report_records(const struct report *r);
void report_free(struct report *r);

#endif
