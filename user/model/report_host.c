// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sums of what the kernel did to the threads, as a whole and inside of each API function. */
#include "report_parts.h"

static void host_add(struct host_sums *s, const struct event *e)
{
	const struct driver_call *i = (const struct driver_call *)e;
	const struct block_io *b = (const struct block_io *)e;

	switch (e->kind) {
	case EVENT_FAULT:
		s->faults++;
		break;
	case EVENT_DRIVER:
		if (i->op && i->op != DRIVER_IOCTL)
			break;
		s->ioctls++;
		s->ioctl_ns += i->dur_ns;
		break;
	case EVENT_BLOCK:
		s->blocks++;
		s->block_bytes += b->bytes;
		s->block_ns += b->dur_ns;
		break;
	case EVENT_WAKE:
		s->wakes++;
		break;
	}
}

static void off_add(struct host_sums *s, const struct off_cpu *off, u64 end)
{
	u64 ns = end - off->ts;

	s->offs++;
	s->off_ns += ns;
	if (!off->state) {
		s->preempted_ns += ns;
		s->runnable_ns += ns;
	} else if (off->wake_ts && off->wake_ts <= end) {
		s->runnable_ns += end - off->wake_ts;
	}
}

static struct off_cpu *off_get(struct report *r, u32 tid)
{
	struct off_cpu *off = hash_get(&r->off_map, tid);

	if (!off) {
		off = arena_alloc(&r->arena, sizeof(*off));
		hash_put(&r->off_map, tid, off);
	}
	return off;
}

/* From when a thread left the CPU until it came back; it belongs to the call it left in. */
static void host_switch(struct report *r, const struct sched_switch_rec *s, struct row *row)
{
	struct off_cpu *off = off_get(r, s->e.tid);

	if (!s->on) {
		*off = (struct off_cpu){ s->e.ts, 0, s->state, row };
		return;
	}
	if (off->ts && s->e.ts >= off->ts) {
		off_add(&r->host, off, s->e.ts);
		if (off->row) {
			off_add(&off->row->host, off, s->e.ts);
			off_add(&r->host_in_call, off, s->e.ts);
		}
	}
	off->ts = 0;
}

static void host_wake(struct report *r, const struct event *e)
{
	struct off_cpu *off = off_get(r, e->tid);

	if (off->ts && !off->wake_ts && e->ts >= off->ts)
		off->wake_ts = e->ts;
}

int report_host(void *ctx, const struct host_event *h)
{
	struct report *r = ctx;
	struct row *row = h->call ? rows_get(&r->host_calls, &r->arena, h->call->name) : NULL;

	if (h->e->kind == EVENT_SWITCH) {
		host_switch(r, (const struct sched_switch_rec *)h->e, row);
		return 0;
	}
	if (h->e->kind == EVENT_WAKE)
		host_wake(r, h->e);
	if (h->e->kind == EVENT_DRIVER)
		report_driver_call(r, (const struct driver_call *)h->e);
	host_add(&r->host, h->e);
	if (row) {
		host_add(&row->host, h->e);
		host_add(&r->host_in_call, h->e);
	}
	return 0;
}
