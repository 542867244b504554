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

const char *xid_row_mark(const struct xid_row *x)
{
	return x->x.simulated == XID_SIMULATED ? "(simulated) " :
	       x->x.simulated ? "(written to the log by a process) " : "";
}

const char *xid_row_place(const struct xid_row *x, char buf[XID_PLACE])
{
	if (x->x.pci_domain == XID_NO_DOMAIN)
		return "-";
	snprintf(buf, XID_PLACE, "%04x:%02x:%02x.%x", x->x.pci_domain, x->x.pci_bus,
		 x->x.pci_device, x->x.pci_function);
	return buf;
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

static u64 xid_kind(const struct xid *x)
{
	u64 place = (u64)x->pci_domain << 16 | x->pci_bus << 8 | x->pci_device;

	return hash_mix(hash_mix(place) ^ (u64)x->code << 33 ^ (u64)x->nvswitch << 32 ^
			x->e.pid);
}

/* NULL: it is counted, but enough of its kind are kept. */
static struct xid_row *xid_row_new(struct report *r, const struct xid *x)
{
	struct uvm_report *u = &r->uvm;
	struct xid_row *first = hash_get(&u->xid_kinds, xid_kind(x)), *row;

	if (first)
		first->times++;
	if (u->xid_n >= (first ? XIDS_KEPT : XID_KINDS))
		return NULL;
	row = arena_alloc(&r->arena, sizeof(*row));
	row->x = *x;
	if (!first) {
		row->times = 1;
		hash_put(&u->xid_kinds, xid_kind(x), row);
	}
	u->xids = report_list_add(u->xids, u->xid_n++, row);
	return row;
}

int report_xid(void *ctx, const struct xid_event *x)
{
	struct report *r = ctx;
	struct xid_row *row = xid_row_new(r, x->x);
	const char *text = record_text(&x->x->e, sizeof(*x->x));

	if (!row)
		return 0;
	row->text = "";
	if (x->x->e.size > sizeof(*x->x))
		row->text = texts_add(&r->texts, text, strlen(text));
	row->process = x->process;
	row->device = x->device;
	if (row->x.id)
		hash_put(&r->uvm.xid_map, row->x.id, row);
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
