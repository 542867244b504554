// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sums of driver calls by process and call, of threads as a whole, and the errors of GPUs. */
#include <string.h>
#include "driver_calls.h"
#include "report_parts.h"
#include "xid_catalog.h"

struct thread_row *report_thread(struct report *r, u32 pid, u32 tid, u64 from, u64 to)
{
	struct uvm_report *u = &r->uvm;
	struct thread_row *t = hash_get(&u->thread_map, (u64)tid + 1);

	if (!t) {
		t = arena_alloc(&r->arena, sizeof(*t));
		t->pid = pid;
		t->tid = tid;
		t->first_ns = from;
		hash_put(&u->thread_map, (u64)tid + 1, t);
		u->threads = report_list_add(u->threads, u->thread_n++, t);
	}
	if (from < t->first_ns)
		t->first_ns = from;
	if (to > t->last_ns)
		t->last_ns = to;
	return t;
}

/* Equal calls: the control command or the class tells what an ioctl does, else its number. */
static u64 driver_key(const struct process_info *p, const struct driver_call *d)
{
	u64 what = (u64)d->op << 48 ^ (u64)d->escape << 32 ^ (d->rm ? d->rm : d->cmd);

	return hash_mix(hash_address(p) ^ hash_mix(what)) ^ (u64)d->device << 20;
}

void report_driver_call(struct report *r, const struct driver_call *d)
{
	struct uvm_report *u = &r->uvm;
	const struct process_info *p = model_process(r->model, 0, d->e.pid);
	u64 key = driver_key(p, d);
	struct driver_row *row = hash_get(&u->driver_map, key);
	struct thread_row *t = report_thread(r, d->e.pid, d->e.tid, d->e.ts,
					     d->e.ts + d->dur_ns);

	if (!row) {
		row = arena_alloc(&r->arena, sizeof(*row));
		row->process = p;
		row->call = *d;
		hash_put(&u->driver_map, key, row);
		u->drivers = report_list_add(u->drivers, u->driver_n++, row);
	}
	histogram_add(&row->h, d->dur_ns);
	row->failed += d->result < 0 || (d->status && d->status != DRIVER_STATUS_NONE);
	t->driver_calls++;
	t->driver_ns += d->dur_ns;
}

const char *xid_row_meaning(const struct xid_row *x)
{
	struct xid_meaning m = xid_meaning(x->x.code, x->x.nvswitch, x->x.fatal, x->text);

	return m.text ? m.text : x->text[0] ? x->text : "?";
}

const char *xid_row_advice(const struct xid_row *x)
{
	return xid_advice(xid_meaning(x->x.code, x->x.nvswitch, x->x.fatal, x->text).action);
}

const char *xid_call_name(const struct xid_call_row *c, char *buf, size_t size)
{
	struct driver_call d = { .cmd = c->c.cmd, .device = c->c.device, .rm = c->c.rm,
				 .op = c->c.op, .escape = c->c.cmd & 0xff,
				 .driver = driver_kind_guess(c->c.device, c->c.cmd) };

	if (c->c.what == RECENT_DRIVER)
		return driver_name(&d, buf, size);
	snprintf(buf, size, "%s", c->name ? c->name : "a CUDA call");
	return buf;
}

int report_xid(void *ctx, const struct xid_event *x)
{
	struct report *r = ctx;
	struct uvm_report *u = &r->uvm;
	const char *text = record_text(&x->x->e, sizeof(*x->x));
	struct xid_row *row;

	if (u->xid_n == XIDS_KEPT)
		return 0;
	row = arena_alloc(&r->arena, sizeof(*row));
	row->x = *x->x;
	row->text = "";
	if (x->x->e.size > sizeof(*x->x))
		row->text = texts_add(&r->texts, text, strlen(text));
	row->process = x->process;
	row->device = x->device;
	u->xids = report_list_add(u->xids, u->xid_n++, row);
	if (row->x.id)
		hash_put(&u->xid_map, row->x.id, row);
	return 0;
}

int report_xid_call(void *ctx, const struct xid_call *c, const char *name)
{
	struct report *r = ctx;
	struct xid_row *row = hash_get(&r->uvm.xid_map, c->xid);

	if (!row || row->call_n >= RECENT_CALLS)
		return 0;
	if (!row->calls)
		row->calls = arena_alloc(&r->arena, RECENT_CALLS * sizeof(*row->calls));
	row->calls[row->call_n++] = (struct xid_call_row){ *c, name };
	return 0;
}
