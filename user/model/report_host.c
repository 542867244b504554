// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sums of what the kernel did to the threads, as a whole and inside of each API function. */
#include "report_parts.h"

static void host_add(struct host_sums *s, const struct event *e)
{
	const struct ioctl_call *i = (const struct ioctl_call *)e;
	const struct block_io *b = (const struct block_io *)e;

	switch (e->kind) {
	case EVENT_FAULT:
		s->faults++;
		break;
	case EVENT_IOCTL:
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

static void off_add(struct host_sums *s, const struct off_cpu *off, u64 ns)
{
	s->offs++;
	s->off_ns += ns;
	if (!off->state)
		s->preempted_ns += ns;
}

/* From when a thread left the CPU until it came back; it belongs to the call it left in. */
static void host_switch(struct report *r, const struct sched_switch_rec *s, struct row *row)
{
	struct off_cpu *off = hash_get(&r->off_map, s->e.tid);

	if (!off) {
		off = arena_alloc(&r->arena, sizeof(*off));
		hash_put(&r->off_map, s->e.tid, off);
	}
	if (!s->on) {
		*off = (struct off_cpu){ s->e.ts, s->state, row };
		return;
	}
	if (off->ts && s->e.ts >= off->ts) {
		off_add(&r->host, off, s->e.ts - off->ts);
		if (off->row) {
			off_add(&off->row->host, off, s->e.ts - off->ts);
			off_add(&r->host_in_call, off, s->e.ts - off->ts);
		}
	}
	off->ts = 0;
}

int report_host(void *ctx, const struct host_event *h)
{
	struct report *r = ctx;
	struct row *row = h->call ? rows_get(&r->host_calls, &r->arena, h->call->name) : NULL;

	if (h->e->kind == EVENT_SWITCH) {
		host_switch(r, (const struct sched_switch_rec *)h->e, row);
		return 0;
	}
	host_add(&r->host, h->e);
	if (row) {
		host_add(&row->host, h->e);
		host_add(&r->host_in_call, h->e);
	}
	return 0;
}
