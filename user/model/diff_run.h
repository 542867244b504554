/* A run while it is read: diff_run.c makes it, diff_collect.c fills it. */
#ifndef DIFF_RUN_H
#define DIFF_RUN_H

#include "diff_parts.h"

extern const struct view diff_view;	/* ctx: struct diff_run */

#endif
