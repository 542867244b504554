// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The report as text, third part: unified memory, driver calls, errors of GPUs. */
#include <string.h>
#include "out.h"
#include "report_print.h"

static void bytes_cell(struct table *t, u64 bytes)
{
	char b[16];

	table_cell(t, "%s", bytes ? human_bytes(b, bytes) : "-");
}

static void ns_cell(struct table *t, u64 ns, bool any)
{
	char b[16];

	table_cell(t, "%s", any ? human_ns(b, ns) : "-");
}

static void memory_cells(struct report *r, struct table *t, struct memory_row *m)
{
	struct histogram *g = &m->service[SIDE_GPU], *c = &m->service[SIDE_CPU];
	char name[256];

	table_cell(t, "%u", m->process ? m->process->pid : 0);
	table_cell(t, "%llu", memory_faults(m, SIDE_GPU));
	table_cell(t, "%llu", m->batches);
	ns_cell(t, g->sum, g->count);
	ns_cell(t, histogram_percentile(g, 50), g->count);
	ns_cell(t, histogram_percentile(g, 99), g->count);
	table_cell(t, "%llu", memory_faults(m, SIDE_CPU));
	ns_cell(t, c->sum, c->count);
	bytes_cell(t, memory_moved(m, WAY_IN));
	bytes_cell(t, memory_moved(m, WAY_OUT));
	bytes_cell(t, m->evicted_bytes);
	table_cell(t, m->marks[UVM_THRASHING] ? "%llu" : "-", m->marks[UVM_THRASHING]);
	bytes_cell(t, m->memory ? m->memory->live_max : 0);
	table_cell(t, "%s", managed_name(r->model, m->memory, name, sizeof(name)));
}

static void print_memories(struct report *r, FILE *f, u32 top, int width)
{
	static const char *const heads[] = { "PID", "GPU FAULTS", "~BATCHES", "SERVED IN",
					     "~P50", "~P99", "CPU FAULTS", "~SERVED IN",
					     "TO GPU", "TO CPU", "EVICTED", "~THRASHED",
					     "~SIZE", "<ALLOCATED BY", NULL };
	struct uvm_report *u = &r->uvm;
	struct table *t = table_new(heads);
	size_t n = shown(u->memory_n, top);
	char title[128];

	for (size_t i = 0; i < n; i++)
		memory_cells(r, t, u->memories[i]);
	snprintf(title, sizeof(title),
		 "unified memory: %llu faults of GPUs, %llu of CPUs, by allocation",
		 u->faults[SIDE_GPU], u->faults[SIDE_CPU]);
	print_table(t, f, width, title, n, u->memory_n);
}

static void print_uvm_gpus(struct report *r, FILE *f, int width)
{
	static const char *const heads[] = { "BATCHES", "TIME", "~P50", "P99", "FAULTS FETCHED",
					     "NEEDLESS%", "IN", "OUT", "~PEER", "EVICTIONS",
					     "EVICTED", "~IN EVICTION", "<SERVED FOR", NULL };
	struct table *t = table_new(heads);
	char b[64];

	for (size_t i = 0; i < r->uvm.gpu_n; i++) {
		struct uvm_gpu_row *g = r->uvm.gpus[i];

		table_cell(t, "%llu", g->batch.count);
		ns_cell(t, g->batch.sum, g->batch.count);
		ns_cell(t, histogram_percentile(&g->batch, 50), g->batch.count);
		ns_cell(t, histogram_percentile(&g->batch, 99), g->batch.count);
		table_cell(t, "%llu", g->cached);
		table_cell(t, "%s", percent(b, uvm_needless(g), g->cached));
		bytes_cell(t, g->in_bytes);
		bytes_cell(t, g->out_bytes);
		bytes_cell(t, g->peer_bytes);
		table_cell(t, "%llu", g->evictions);
		bytes_cell(t, g->evicted_bytes);
		ns_cell(t, g->evict_ns, g->evictions);
		table_cell(t, "%s", uvm_gpu_name(g->gpu, b, sizeof(b)));
	}
	print_table(t, f, width, "batches of faults and migrations, by GPU", r->uvm.gpu_n,
		    r->uvm.gpu_n);
}

static void print_causes(struct report *r, FILE *f, int width)
{
	static const char *const heads[] = { "TO GPU", "TO CPU", "GPU TO GPU",
					     "<MIGRATED BECAUSE OF", NULL };
	struct table *t = table_new(heads);
	size_t rows = 0;

	for (int c = 0; c < UVM_CAUSES; c++) {
		u64 bytes[WAYS] = {};

		for (size_t i = 0; i < r->uvm.memory_n; i++)
			for (int w = 0; w < WAYS; w++)
				bytes[w] += r->uvm.memories[i]->bytes[w][c];
		if (!bytes[WAY_IN] && !bytes[WAY_OUT] && !bytes[WAY_PEER])
			continue;
		for (int w = 0; w < WAYS; w++)
			bytes_cell(t, bytes[w]);
		table_cell(t, "%s", uvm_cause_name(c));
		rows++;
	}
	print_table(t, f, width, "why unified memory was moved", rows, rows);
}

static u64 kernel_total(const struct report *r, const char *name)
{
	const struct row *row = hash_get(&r->kernels.by_name, hash_address(name));

	return row ? row->h.sum : 0;
}

static void print_stalled(struct report *r, FILE *f, u32 top, int width)
{
	static const char *const heads[] = { "IN BATCHES", "OF ITS TIME%", "BATCHES ALONE",
					     "AMONG OTHERS", "FAULTS ALONE", "AMONG OTHERS",
					     "MOVED IN", "<KERNEL", NULL };
	struct table *t = table_new(heads);
	size_t n = shown(r->uvm.stalled_n, top);
	char b[16];

	for (size_t i = 0; i < n; i++) {
		const struct stalled_row *k = r->uvm.stalled[i];

		table_cell(t, "%s", human_ns(b, k->stalled_ns));
		table_cell(t, "%s", percent(b, k->stalled_ns, kernel_total(r, k->name)));
		table_cell(t, "%llu", k->batches[0]);
		table_cell(t, "%llu", k->batches[1]);
		table_cell(t, "%llu", k->faults[0]);
		table_cell(t, "%llu", k->faults[1]);
		bytes_cell(t, k->bytes[0] + k->bytes[1]);
		table_cell(t, "%s", k->name);
	}
	print_table(t, f, width, "kernels that ran while faults of their GPU were served", n,
		    r->uvm.stalled_n);
}

static void print_fault_calls(struct report *r, FILE *f, u32 top, int width)
{
	static const char *const heads[] = { "CPU FAULTS", "SERVED IN", "MOVED", "<INSIDE OF",
					     NULL };
	struct table *t = table_new(heads);
	size_t n = shown(r->uvm.call_n, top);

	for (size_t i = 0; i < n; i++) {
		const struct fault_call_row *c = r->uvm.calls[i];

		table_cell(t, "%llu", c->faults);
		ns_cell(t, c->service_ns, c->service_ns);
		bytes_cell(t, c->out_bytes);
		table_cell(t, "%s", c->name);
	}
	print_table(t, f, width, "CPU faults on unified memory inside of API calls", n,
		    r->uvm.call_n);
}

static void print_drivers(struct report *r, FILE *f, u32 top, int width)
{
	static const char *const heads[] = { "PID", "TOTAL", "COUNT", "AVG", "~P50", "~P99",
					     "MAX", "FAILED", "<DRIVER CALL", NULL };
	struct table *t = table_new(heads);
	size_t n = shown(r->uvm.driver_n, top);
	char b[16], name[96];

	for (size_t i = 0; i < n; i++) {
		struct driver_row *d = r->uvm.drivers[i];

		table_cell(t, "%u", d->process->pid);
		sum_cells(t, d->h.sum, d->h.count);
		table_cell(t, "%s", human_ns(b, histogram_percentile(&d->h, 50)));
		table_cell(t, "%s", human_ns(b, histogram_percentile(&d->h, 99)));
		table_cell(t, "%s", human_ns(b, d->h.max));
		table_cell(t, d->failed ? "%llu" : "-", d->failed);
		table_cell(t, "%s", driver_name(&d->call, name, sizeof(name)));
	}
	print_table(t, f, width, "calls of device drivers", n, r->uvm.driver_n);
}

static void xid_cells(struct report *r, struct table *t, const struct xid_row *x)
{
	u64 first = model_counts(r->model)->first_ns;
	char b[16], place[XID_PLACE];

	table_cell(t, "%s", x->x.e.ts >= first ? human_ns(b, x->x.e.ts - first) : "?");
	table_cell(t, "%s %u", x->x.nvswitch ? "SXid" : "Xid", x->x.code);
	table_cell(t, "%s", xid_row_place(x, place));
	if (x->process)
		table_cell(t, "%u %s", x->process->pid,
			   x->x.comm[0] ? x->x.comm : x->process->comm);
	else
		table_cell(t, "?");
	table_cell(t, "%u", x->call_n);
	table_cell(t, "%s%s", xid_row_mark(x), xid_row_meaning(x));
}

static void print_xids(struct report *r, FILE *f, u32 top, int width)
{
	static const char *const heads[] = { "AT", "<ERROR", "<DEVICE", "<PROCESS", "CALLS",
					     "<MEANING", NULL };
	struct table *t = table_new(heads);
	size_t n = shown(r->uvm.xid_n, top);

	for (size_t i = 0; i < n; i++)
		xid_cells(r, t, r->uvm.xids[i]);
	print_table(t, f, width, "errors that the driver reported (calls: known before it)", n,
		    model_counts(r->model)->xids);
}

static void print_link(const struct model_counts *c, FILE *f, u16 kind, const char *name)
{
	const struct uvm_links *l = &c->uvm[kind - EVENT_UVM_FAULT];
	u64 kernels = l->kernel_one + l->kernel_overlap + l->kernel_none;
	char a[16], b[16];

	if (!l->events)
		return;
	fprintf(f, "  %-22s ", name);
	if (kind != EVENT_UVM_BATCH)
		fprintf(f, "%s%% to a traced allocation, %llu to the driver's range, %llu of %llu to none",
			percent(a, l->memory_exact, l->events), l->memory_range, l->memory_none,
			l->events);
	if (kernels)
		fprintf(f, "%s%s%% to the one kernel that ran, %s%% to several by overlap, %llu of %llu to none",
			kind == EVENT_UVM_BATCH ? "" : "; ", percent(a, l->kernel_one, kernels),
			percent(b, l->kernel_overlap, kernels), l->kernel_none, kernels);
	if (l->no_device)
		fprintf(f, "; %llu of a GPU that nobody recorded uses", l->no_device);
	fputc('\n', f);
}

void print_uvm_links(struct report *r, FILE *f)
{
	const struct model_counts *c = model_counts(r->model);

	print_link(c, f, EVENT_UVM_FAULT, "fault");
	print_link(c, f, EVENT_UVM_SERVICE, "service of faults");
	print_link(c, f, EVENT_UVM_BATCH, "batch of faults");
	print_link(c, f, EVENT_UVM_MIGRATION, "migration");
	print_link(c, f, EVENT_UVM_EVICT, "eviction");
	if (c->allocs)
		fprintf(f, "  managed allocation     %llu, %llu of them without a stack\n",
			c->allocs, c->alloc_no_stack);
}

void print_uvm_side(struct report *r, FILE *f, u32 top, int width)
{
	print_memories(r, f, top, width);
	print_uvm_gpus(r, f, width);
	print_causes(r, f, width);
	print_stalled(r, f, top, width);
	print_fault_calls(r, f, top, width);
	print_drivers(r, f, top, width);
	print_xids(r, f, top, width);
}
