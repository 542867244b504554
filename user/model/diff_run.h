/* A run while it is read: diff_run.c makes it, diff_collect.c fills it. */
#ifndef DIFF_RUN_H
#define DIFF_RUN_H

#include "diff_parts.h"

extern const struct view diff_view;	/* ctx: struct diff_run */
/* Where an operation is counted; *bytes: what it moved. */
struct diff_cell *diff_op_cell(struct diff_run *r, const struct gpu_op *op, u64 *bytes);

#endif
