/* Shared by the two files that print the report as text. */
#ifndef REPORT_PRINT_H
#define REPORT_PRINT_H

#include "report_parts.h"

struct table;

char *percent(char *buf, u64 part, u64 whole);
size_t shown(size_t n, u32 top);
void sum_cells(struct table *t, u64 total_ns, u64 count);	/* TOTAL, COUNT, AVG */
/* Title and table; nothing where there are no rows. Frees the table. */
void print_table(struct table *t, FILE *f, int width, const char *title, size_t rows,
		 size_t all);
void print_ranks(struct report *r, FILE *f, u32 top, int width);
void print_findings(struct report *r, FILE *f);
void print_uvm_links(struct report *r, FILE *f);
void print_uvm_side(struct report *r, FILE *f, u32 top, int width);
void print_host_side(struct report *r, FILE *f, u32 top, int width);

#endif
