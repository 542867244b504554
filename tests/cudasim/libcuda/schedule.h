/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* When operations start and end, and which stream is next; engine.lock is held in all. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include "engine.h"

void streams_schedule(struct CUstream_st *s, bool known);	/* plan what can be planned */
void op_planned(struct op *op, uint64_t end);		/* its end is known */
void heap_update(struct CUstream_st *s);		/* its head changed */
void heap_remove(struct CUstream_st *s);

#endif
