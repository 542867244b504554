// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CUDASIM_LOST="DEVICE:N,...": with the Nth operation submitted to it the device falls off the
 * bus. What was not over by then never ends: it has no record, its copies do not happen. Every
 * call on the device fails from then on with CUDA_ERROR_UNKNOWN, which is what programs get.
 */
#include <stdlib.h>

#include "engine.h"
#include "schedule.h"

void lost_load(void)
{
	const char *s = setting("LOST");
	char *end;

	while (s && *s) {
		struct device *d = device_of(strtol(s, &end, 10));

		if (!d || *end != ':')
			return;
		d->lost_after = strtoull(end + 1, &end, 10);
		s = *end == ',' ? end + 1 : end;
	}
}

/* Those who wait for it shall find it over, at once and with nothing done. */
static void stream_lose(struct CUstream_st *s, uint64_t when)
{
	struct op *op;

	for (op = s->head; op; op = op->next) {
		if (op->running || (op != s->open && op->due <= when))
			continue;
		op->w.rec.type = op->w.rec.type == SIM_EVENT_RECORD ? SIM_EVENT_RECORD : 0;
		op->w.payload = PAY_NONE;
		op->due = when;
		if (op->w.mark) {
			op->w.mark->when = when;
			op->w.mark->known = true;
		}
	}
	if (s->open && !s->open->running) {
		s->open = NULL;
		engine.open--;
	}
	s->end = when;
	heap_update(s);
}

void lost_count(struct device *d)
{
	uint64_t when = now();

	if (!d->lost_after || (++d->submitted < d->lost_after && !d->lost))
		return;
	d->lost = true;
	for (uint32_t i = 0; i < engine.context_count; i++)
		for (struct CUstream_st *s = engine.contexts[i]->streams; s; s = s->next)
			if (s->ctx->device == d)
				stream_lose(s, when);
}
