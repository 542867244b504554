// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Unified memory and errors on the timeline: under each GPU batches, services and
 * evictions as slices, migrations and marks as instants; a CPU's fault is a slice
 * of the thread that took it, one of a GPU an instant.
 */
#include <errno.h>
#include <stdio.h>
#include "timeline_tracks.h"
#include "titles.h"

/* Numbers that share one of a slice's: names with them in would be without end. */
static u64 two(u32 high, u32 low)
{
	return (u64)high << 32 | low;
}

static u16 short_of(u32 x)
{
	return x < 0xffff ? x : 0xffff;
}

void timeline_uvm_notes(const struct slice *s, struct perfetto_note *n)
{
	u32 high = s->b >> 32, low = s->b;

	n[0] = (struct perfetto_note){ "bytes", s->a, NULL, false };
	switch (s->kind) {
	case SLICE_BATCH:
		n[1] = (struct perfetto_note){ "batch", high, NULL, false };
		n[2] = (struct perfetto_note){ "faults_fetched", low >> 16, NULL, false };
		n[3] = (struct perfetto_note){ "duplicates", low & 0xffff, NULL, false };
		break;
	case SLICE_SERVICE:
		n[1] = (struct perfetto_note){ "faults", high, NULL, false };
		n[2] = (struct perfetto_note){ "batch", low, NULL, false };
		break;
	default:
		n[1] = (struct perfetto_note){ "address", s->b, NULL, true };
	}
}

static int on_batch(struct timeline *t, const struct uvm_event *u)
{
	const struct uvm_batch *b = (const void *)u->e;
	struct slice s = {
		.ts = b->e.ts, .end = time_end(b->e.ts, b->dur_ns), .kind = SLICE_BATCH,
		.name = timeline_intern(t, INTERN_NAME, "batch"),
		.category = timeline_intern(t, INTERN_CATEGORY, "uvm"), .a = b->bytes,
		.b = two(b->batch, (u32)short_of(b->cached) << 16 | short_of(b->duplicates)),
	};

	return u->gpu ? timeline_add(t, tracks_uvm(t, u->gpu, "batches"), &s) : 0;
}

/* Of a GPU: what it served. Of a CPU: the thread waits in it. */
static int on_service(struct timeline *t, const struct uvm_event *u)
{
	const struct uvm_service *v = (const void *)u->e;
	char name[256];
	struct slice s = {
		.ts = v->e.ts, .end = time_end(v->e.ts, v->dur_ns), .kind = SLICE_SERVICE,
		.rank = RANK_IN_API + 1,
		.category = timeline_intern(t, INTERN_CATEGORY, "uvm"),
		.name = timeline_intern(t, INTERN_NAME,
					managed_name(t->m, u->memory, name, sizeof(name))),
		.a = v->bytes_in, .b = two(v->faults, v->batch),
	};

	if (u->gpu)
		return timeline_add(t, tracks_uvm(t, u->gpu, "services"), &s);
	if (!v->e.tid)
		return 0;
	snprintf(name, sizeof(name), "unified memory fault");
	s.name = timeline_intern(t, INTERN_NAME, name);
	return timeline_add(t, tracks_thread(t, v->e.pid, v->e.tid), &s);
}

static int on_evict(struct timeline *t, const struct uvm_event *u)
{
	const struct uvm_evict *v = (const void *)u->e;
	char name[256];
	struct slice s = {
		.ts = v->e.ts, .end = time_end(v->e.ts, v->dur_ns), .kind = SLICE_EVICT,
		.category = timeline_intern(t, INTERN_CATEGORY, "uvm"),
		.name = timeline_intern(t, INTERN_NAME,
					managed_name(t->m, u->memory, name, sizeof(name))),
		.a = v->bytes, .b = v->addr,
	};

	return u->gpu ? timeline_add(t, tracks_uvm(t, u->gpu, "evictions"), &s) : 0;
}

static int instant_on(struct timeline *t, const struct uvm_event *u, const char *track,
		      const char *name, const struct perfetto_note *notes)
{
	struct lanes *l = u->gpu ? tracks_uvm(t, u->gpu, track) : NULL;

	if (u->gpu && !l)
		return -ENOMEM;
	return timeline_instant(t, l ? l->uuid : tracks_top(t, "unified memory of the CPU"),
				u->e->ts, name, "uvm", notes);
}

static int on_migration(struct timeline *t, const struct uvm_event *u)
{
	const struct uvm_migration *m = (const void *)u->e;
	const char *cause = record_enum_name(EVENT_UVM_MIGRATION, "cause", m->cause);
	char memory[256], name[48];
	struct perfetto_note notes[] = {
		{ "bytes", m->bytes, NULL, false },
		{ "cause", 0, cause ? cause : "?", false },
		{ "address", m->addr, NULL, true },
		{ "memory", 0, managed_name(t->m, u->memory, memory, sizeof(memory)), false },
		{}
	};

	snprintf(name, sizeof(name), "%s %s", m->dst == UVM_CPU ? "to CPU" :
		 m->src == UVM_CPU ? "to GPU" : "GPU to GPU", cause ? cause : "?");
	return instant_on(t, u, m->dst == UVM_CPU ? "migrations to the CPU" :
			  "migrations to the GPU", name, notes);
}

static int on_mark(struct timeline *t, const struct uvm_event *u)
{
	const struct uvm_mark *k = (const void *)u->e;
	const char *what = record_enum_name(EVENT_UVM_MARK, "what", k->what);
	char memory[256];
	struct perfetto_note notes[] = {
		{ "bytes", k->bytes, NULL, false },
		{ "address", k->addr, NULL, true },
		{ "memory", 0, managed_name(t->m, u->memory, memory, sizeof(memory)), false },
		{}
	};

	return instant_on(t, u, "marks", what ? what : "mark", notes);
}

static int on_fault(struct timeline *t, const struct uvm_event *u)
{
	const struct uvm_fault *f = (const void *)u->e;
	const char *access = record_enum_name(EVENT_UVM_FAULT, "access", f->access);
	char memory[256];
	struct perfetto_note notes[] = {
		{ "address", f->addr, NULL, true },
		{ "batch", f->batch, NULL, false },
		{ "memory", 0, managed_name(t->m, u->memory, memory, sizeof(memory)), false },
		{}
	};

	return instant_on(t, u, "faults", access ? access : "fault", notes);
}

int timeline_uvm(void *ctx, const struct uvm_event *u)
{
	timeline_begin(ctx);
	switch (u->e->kind) {
	case EVENT_UVM_FAULT: return on_fault(ctx, u);
	case EVENT_UVM_BATCH: return on_batch(ctx, u);
	case EVENT_UVM_SERVICE: return on_service(ctx, u);
	case EVENT_UVM_MIGRATION: return on_migration(ctx, u);
	case EVENT_UVM_EVICT: return on_evict(ctx, u);
	case EVENT_UVM_MARK: return on_mark(ctx, u);
	}
	return 0;
}

/* On the device's track, and on the process that it was about. */
int timeline_xid(void *ctx, const struct xid_event *e)
{
	const struct xid *x = e->x;
	const char *text = x->e.size > sizeof(*x) ? record_text(&x->e, sizeof(*x)) : "";
	struct timeline *t = ctx;
	char name[32], title[64];
	struct perfetto_note notes[] = {
		{ "code", x->code, NULL, false }, { "text", 0, text, false },
		{ "pid", x->e.pid, NULL, false }, {}
	};

	timeline_begin(t);
	snprintf(name, sizeof(name), "%s %u", x->nvswitch ? "SXid" : "Xid", x->code);
	if (e->device)
		snprintf(title, sizeof(title), "GPU %u errors", e->device->gpu);
	else
		snprintf(title, sizeof(title), "%04x:%02x:%02x.%x errors", x->pci_domain,
			 x->pci_bus, x->pci_device, x->pci_function);
	timeline_instant(t, tracks_top(t, title), x->e.ts, name, "xid", notes);
	if (e->process)
		timeline_instant(t, tracks_process_uuid(t, e->process->pid), x->e.ts, name,
				 "xid", notes);
	return 0;
}
