// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "clock.h"
#include "driver_calls.h"
#include "out.h"
#include "xid_catalog.h"
#include "xid_host.h"
#include "xid_row.h"

#define NS 1000000000ULL

static void iso_time(char *buf, size_t size, u64 realtime_ns)
{
	time_t t = realtime_ns / NS;
	struct tm tm;
	size_t n;

	buf[0] = '\0';
	if (!realtime_ns || !gmtime_r(&t, &tm))
		return;
	n = strftime(buf, size, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf + n, size - n, ".%06uZ", (u32)(realtime_ns % NS / 1000));
}

/* day: with the date */
static void human_time(char *buf, size_t size, u64 realtime_ns, u64 boot_ns, bool day)
{
	time_t t = realtime_ns / NS;
	struct tm tm;
	size_t n;

	if (realtime_ns && localtime_r(&t, &tm)) {
		n = strftime(buf, size, day ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S", &tm);
		snprintf(buf + n, size - n, ".%03u", (u32)(realtime_ns % NS / 1000000));
	} else if (boot_ns) {
		snprintf(buf, size, "[%.3f]", boot_ns / 1e9);
	} else {
		snprintf(buf, size, "-");
	}
}

static void set_place(struct xid_row *r, const struct xid *x, bool here)
{
	struct xid_gpu g = { .index = -1, .minor = -1 };

	if (x->pci_domain == XID_NO_DOMAIN)
		snprintf(r->pci, sizeof(r->pci), "-");
	else
		snprintf(r->pci, sizeof(r->pci), "%04x:%02x:%02x.%x", x->pci_domain, x->pci_bus,
			 x->pci_device, x->pci_function);
	if (!x->nvswitch && x->pci_domain != XID_NO_DOMAIN)
		xid_gpu(&g, x, here);
	r->gpu = g.index;
	r->minor = g.minor;
	snprintf(r->gpu_text, sizeof(r->gpu_text), g.index < 0 ? "-" : "%d", g.index);
	snprintf(r->uuid, sizeof(r->uuid), "%s", g.uuid);
	snprintf(r->model, sizeof(r->model), "%s", g.model);
}

static void set_process(struct xid_row *r, const struct xid *x, bool here)
{
	struct xid_process p = { .cgroup_id = x->cgroup };

	memcpy(r->comm, x->comm, sizeof(r->comm));
	if (x->e.pid && here)
		xid_process(&p, x->e.pid, x->e.ts);
	if (!r->comm[0])
		memcpy(r->comm, p.comm, sizeof(r->comm));
	r->cgroup_id = p.cgroup_id;
	snprintf(r->cgroup, sizeof(r->cgroup), "%s", p.cgroup);
	if (x->e.pid)
		snprintf(r->pid_text, sizeof(r->pid_text), "%u", x->e.pid);
	else
		snprintf(r->pid_text, sizeof(r->pid_text), "-");
	snprintf(r->comm_text, sizeof(r->comm_text), "%.15s", r->comm[0] ? r->comm : "-");
}

static void set_meaning(struct xid_row *r, const struct xid *x)
{
	struct xid_meaning m = xid_meaning(x->code, x->nvswitch, x->fatal, r->text);
	const char *mark = x->simulated == XID_SIMULATED ? "[simulated] " :
		x->simulated == XID_WRITTEN ? "[written to the log by a process] " : "";
	char mig[48] = "";

	r->severity = m.severity;
	r->action = m.action;
	snprintf(r->severity_text, sizeof(r->severity_text), "%s",
		 enum_name(xid_severities, m.severity));
	snprintf(r->name, sizeof(r->name), "%s", m.name ? m.name : "");
	snprintf(r->meaning, sizeof(r->meaning), "%s", m.text);
	snprintf(r->advice, sizeof(r->advice), "%s", xid_advice(m.action));
	if (r->compute_instance >= 0)
		snprintf(mig, sizeof(mig), "[MIG %d/%d] ", r->gpu_instance,
			 r->compute_instance);
	else if (r->gpu_instance >= 0)
		snprintf(mig, sizeof(mig), "[MIG %d] ", r->gpu_instance);
	snprintf(r->said, sizeof(r->said), "%s%s%s%s%s", mark, mig, m.text,
		 r->text[0] ? ": " : "", r->text);
}

void xid_row(struct xid_row *r, const struct xid *x, bool here)
{
	*r = (struct xid_row){
		.e = x->e, .id = x->id, .count = 1, .code = x->code, .lines = x->lines,
		.gpu_instance = x->gpu_instance == XID_NO_INSTANCE ? -1 : x->gpu_instance,
		.compute_instance = x->compute_instance == XID_NO_INSTANCE ? -1 :
			x->compute_instance,
		.nvswitch = x->nvswitch, .source = x->source, .simulated = x->simulated,
		.owner = x->owner, .realtime_ns = x->realtime_ns,
	};
	if (here && !r->realtime_ns && x->e.ts)
		r->realtime_ns = clock_ns(CLOCK_REALTIME) - (now_ns() - x->e.ts);
	snprintf(r->text, sizeof(r->text), "%s", record_text(&x->e, sizeof(*x)));
	snprintf(r->label, sizeof(r->label), "%s %u", x->nvswitch ? "SXid" : "Xid", x->code);
	iso_time(r->time, sizeof(r->time), r->realtime_ns);
	human_time(r->first, sizeof(r->first), r->realtime_ns, x->e.ts, true);
	set_place(r, x, here);
	set_process(r, x, here);
	set_meaning(r, x);
}

void xid_row_count(struct xid_row *r, u64 before, u64 realtime_ns, u64 boot_ns)
{
	snprintf(r->count_text, sizeof(r->count_text), before ? "+%llu" : "%llu", r->count);
	if (before + r->count > 1)
		human_time(r->last, sizeof(r->last), realtime_ns, boot_ns, false);
}

/* ---- calls ---- */

static void call_name(char *buf, size_t size, const struct xid_call *c)
{
	struct driver_what what = {
		.device = c->device, .cmd = c->cmd, .rm = c->rm, .op = c->op,
		.escape = c->cmd & 0xff, .driver = driver_kind_guess(c->device, c->cmd),
	};

	if (c->what == RECENT_CUDA)
		snprintf(buf, size, "CUDA %s callback %u", c->op == 1 ? "driver" : "runtime",
			 c->rm);
	else
		driver_call_text(&what, buf, size);
}

void xid_call_row(struct xid_call_row *r, const struct xid_call *c)
{
	r->c = *c;
	call_name(r->name, sizeof(r->name), c);
}

void xid_call_line(struct xid_row *r, const struct xid_call *c, u64 ts)
{
	char name[96], before[16], took[16] = "not returned";

	memset(r, 0, sizeof(*r));
	call_name(name, sizeof(name), c);
	if (c->dur_ns)
		human_ns(took, c->dur_ns);
	snprintf(r->said, sizeof(r->said), "  %s before, thread %u: %s = %d, %s",
		 human_ns(before, ts > c->e.ts ? ts - c->e.ts : 0), c->e.tid, name, c->result,
		 took);
}
