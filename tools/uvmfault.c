// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * uvmfault: faults on unified memory, as lines, by process and allocation, or as histograms.
 * All three are made of one stream of records (user/model/uvm_join.h joins a fault to its
 * service), so a recording shows each of them.
 */
#include <stdlib.h>
#include <string.h>
#include "histogram.h"
#include "tool.h"
#include "uvm_gpus.h"
#include "uvm_join.h"
#include "uvm_layout.h"
#include "uvm_top.h"
#include "sets/sets.h"
#include "uvm.skel.h"

#define HORIZON_NS  10000000000ULL	/* 10 s: a block of a recording holds less */
#define HISTS_MAX 4096		/* processes x GPUs */
#define SLOTS 40		/* powers of two; of ns: up to 9 minutes */
#define BAR 40

enum mode { MODE_FAULTS, MODE_TOP, MODE_HIST };

static struct settings_of_ours {
	u64 mode, rows;
	const char *gpu;
} settings = { .rows = 20 };

static const struct option_row options[] = {
	OPT_SET_STORE(struct settings_of_ours, mode, MODE_TOP, 0, "top",
		      "processes and their allocations, every interval"),
	OPT_SET_STORE(struct settings_of_ours, mode, MODE_HIST, 0, "hist",
		      "at the end, histograms of batch size, latency and service time"),
	OPT_SET(struct settings_of_ours, gpu, 0, "gpu", "GPU", OPT_STRING,
		"only this one: UVM's number, PCI address or UUID"),
	OPT_SET(struct settings_of_ours, rows, 0, "rows", "N", OPT_UNSIGNED,
		"with --top, at most N rows an interval (20; 0: all)"),
	{}
};

static struct uvm_join *join;
static struct uvm_gpus gpus;

static u64 absent_if(bool absent, u64 v)
{
	return absent ? ~0ULL : v;
}

/* The name of an enumerator, or its number. */
static void put_name(char *buf, size_t size, u16 kind, const char *field, u32 v)
{
	const char *name = record_enum_name(kind, field, v);

	if (name)
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, "%u", v);
}

/* ---- faults, one a line ---- */

struct line {
	struct event e;
	u64 addr, latency_ns, service_ns, bytes_in, bytes_out, range;
	u32 gpu, batch, instances, duplicate;
	char access[16], type[24], cause[24], pci[16], flags[64];
};

static const struct column line_columns[] = {
	COL_TIME, COL_PID, COL_COMM,
	COL(line, gpu, "GPU", 3, AS_DEC),
	COL(line, pci, "OF", -12, AS_STR),
	COL(line, addr, "ADDRESS", 12, AS_HEX),
	COL(line, access, "ACCESS", -8, AS_STR),
	COL(line, type, "TYPE", -11, AS_STR),
	COL(line, batch, "BATCH", 7, AS_DEC),
	COL(line, duplicate, "DUP", 3, AS_DEC),
	COL(line, instances, "INST", 4, AS_DEC),
	COL(line, latency_ns, "LAT(us)", 10, AS_US | AS_MAYBE),
	COL(line, service_ns, "SERV(us)", 10, AS_US | AS_MAYBE),
	COL(line, bytes_in, "IN", 9, AS_SIZE | AS_MAYBE),
	COL(line, bytes_out, "OUT", 9, AS_SIZE | AS_MAYBE),
	COL(line, range, "ALLOCATION", 12, AS_HEX),
	COL(line, cause, "CAUSE", -16, AS_STR),
	COL(line, flags, "FLAGS", -1, AS_STR),
	{}
};

static void put_flags(char *buf, size_t size, const struct uvm_joined *f)
{
	static const struct { u8 flag; const char *name; } names[] = {
		{ UVM_NON_REPLAYABLE, "non_replayable" }, { UVM_FATAL, "fatal" },
	};
	size_t n = 0;

	*buf = 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (f->fault.flags & names[i].flag)
			n += snprintf(buf + n, size - n, "%s%s", n ? "," : "", names[i].name);
	if (f->missing)
		snprintf(buf + n, size - n, "%sincomplete", n ? "," : "");
}

static int put_line(void *ctx, const struct uvm_joined *f)
{
	struct line l = {
		.e = f->fault.e, .addr = f->fault.addr, .range = f->fault.range,
		.gpu = f->fault.gpu, .batch = f->fault.batch, .instances = f->fault.instances,
		.duplicate = f->fault.flags & UVM_DUPLICATE,
		.latency_ns = absent_if(f->missing & UVM_MISSING_BATCH, f->latency_ns),
		.service_ns = absent_if(f->missing & UVM_MISSING_SERVICE, f->service_ns),
		.bytes_in = absent_if(f->missing & UVM_MISSING_SERVICE, f->bytes_in),
		.bytes_out = absent_if(f->missing & UVM_MISSING_SERVICE, f->bytes_out),
	};
	char buf[16];

	if (!uvm_gpus_chosen(&gpus, l.gpu))
		return 0;
	snprintf(l.pci, sizeof(l.pci), "%s", uvm_gpus_name(&gpus, l.gpu, buf));
	put_name(l.access, sizeof(l.access), EVENT_UVM_FAULT, "access", f->fault.access);
	put_name(l.type, sizeof(l.type), EVENT_UVM_FAULT, "type", f->fault.type);
	if (f->cause == UVM_CAUSE_UNKNOWN)
		snprintf(l.cause, sizeof(l.cause), "-");
	else
		put_name(l.cause, sizeof(l.cause), EVENT_UVM_MIGRATION, "cause", f->cause);
	put_flags(l.flags, sizeof(l.flags), f);
	return sink_row(ctx, line_columns, "uvm", &l.e);
}

/* ---- process x allocation, of one interval ---- */

struct top_row {
	struct event e;
	u64 range, range_bytes, faults_per_s, to_gpu_per_s, to_cpu_per_s, evicted_per_s;
	u64 p50_ns, p99_ns, interval_ns;
	u32 thrash, error_ppm;
};

static const struct column top_columns[] = {
	COL_PID, COL_COMM,
	COL(top_row, range, "ALLOCATION", 12, AS_HEX),
	COL(top_row, range_bytes, "SIZE", 9, AS_SIZE),
	COL(top_row, faults_per_s, "FAULTS/s", 9, AS_DEC),
	COL(top_row, to_gpu_per_s, "TO GPU/s", 9, AS_SIZE),
	COL(top_row, to_cpu_per_s, "TO CPU/s", 9, AS_SIZE),
	COL(top_row, evicted_per_s, "EVICT/s", 9, AS_SIZE),
	COL(top_row, thrash, "THRASH%", 7, AS_DEC),
	COL(top_row, p50_ns, "P50(us)", 9, AS_US | AS_MAYBE),
	COL(top_row, p99_ns, "P99(us)", 9, AS_US | AS_MAYBE),
	COL(top_row, error_ppm, "+-ppm", 5, AS_DEC),
	COL(top_row, interval_ns, "OVER", 9, AS_NS),
	{}
};

static struct uvm_top top;

static u64 per_second(u64 v, u64 ns)
{
	return (u64)((double)v * 1e9 / ns + 0.5);
}

static int put_use(struct sink *s, struct uvm_use *n, u64 from, u64 to)
{
	u64 ns = to > from ? to - from : 1;
	bool timed = n->latency.count;
	struct top_row r = {
		.e = { .ts = to, .pid = n->pid }, .range = n->range,
		.range_bytes = n->range_bytes, .interval_ns = ns,
		.faults_per_s = per_second(n->faults, ns),
		.to_gpu_per_s = per_second(n->to_gpu, ns),
		.to_cpu_per_s = per_second(n->to_cpu, ns),
		.evicted_per_s = per_second(n->evicted, ns),
		.thrash = n->thrash * 100 / (n->faults ? n->faults : 1),
		.p50_ns = absent_if(!timed, histogram_percentile(&n->latency, 50)),
		.p99_ns = absent_if(!timed, histogram_percentile(&n->latency, 99)),
		.error_ppm = histogram_error_ppm(&n->latency),
	};

	return sink_row(s, top_columns, "uvm_top", &r.e);
}

static int put_top(struct sink *s, u64 from, u64 to)
{
	u64 more = top.more;
	u32 count;
	struct uvm_use **list = uvm_top_sort(&top, &count);
	int err = 0;

	for (u32 i = 0; !err && i < count && (!settings.rows || i < settings.rows); i++)
		err = put_use(s, list[i], from, to);
	free(list);
	uvm_top_clear(&top);
	if (more)
		warn("%llu events of more than %u allocations are in no row", more, UVM_TOP_MAX);
	return err;
}

/* ---- histograms: slot n counts from 2^n up to below 2^(n+1), slot 0 also 0 ---- */

enum { HIST_BATCH, HIST_LATENCY, HIST_SERVICE };

struct hist {
	u32 what, gpu, pid;
	u64 most;		/* in a slot */
	u64 slots[SLOTS];
};

struct hist_row {
	struct event e;
	u64 from, to, count;
	u32 gpu;
	char pci[16], bar[BAR + 1];
};

#define HIST_COLUMNS(name, head, as)						\
	static const struct column name##_columns[] = {				\
		COL_PID, COL_COMM,						\
		COL(hist_row, gpu, "GPU", 3, AS_DEC),				\
		COL(hist_row, pci, "OF", -12, AS_STR),				\
		COL(hist_row, from, head, 12, as),				\
		COL(hist_row, to, "BELOW", 12, as),				\
		COL(hist_row, count, "COUNT", 9, AS_DEC),			\
		COL(hist_row, bar, "SHARE", -1, AS_STR),				\
		{}								\
	}
HIST_COLUMNS(batch, "BATCH", AS_DEC);
HIST_COLUMNS(latency, "LATENCY", AS_NS);
HIST_COLUMNS(service, "SERVICE", AS_NS);

static const struct { const struct column *columns; const char *schema; } hist_kinds[] = {
	[HIST_BATCH] = { batch_columns, "uvm_hist_batch" },
	[HIST_LATENCY] = { latency_columns, "uvm_hist_latency" },
	[HIST_SERVICE] = { service_columns, "uvm_hist_service" },
};

static struct hist *hists;
static u32 hist_count, hist_room;
static u64 hist_more;		/* events of processes and GPUs beyond HISTS_MAX */

static void hist_add(u32 what, u32 gpu, u32 pid, u64 v)
{
	u32 slot = v ? 63 - __builtin_clzll(v) : 0, i = 0;

	while (i < hist_count &&
	       (hists[i].what != what || hists[i].gpu != gpu || hists[i].pid != pid))
		i++;
	if (!uvm_gpus_chosen(&gpus, gpu))
		return;
	if (i == HISTS_MAX) {
		hist_more++;
		return;
	}
	if (i == hist_room) {
		hist_room = hist_room ? 2 * hist_room : 8;
		hists = must_realloc(hists, hist_room * sizeof(*hists));
	}
	if (i == hist_count) {
		hists[i] = (struct hist){ .what = what, .gpu = gpu, .pid = pid };
		hist_count++;
	}
	slot = slot < SLOTS ? slot : SLOTS - 1;
	if (++hists[i].slots[slot] > hists[i].most)
		hists[i].most = hists[i].slots[slot];
}

static void hist_record(const struct event *e)
{
	const struct uvm_service *s = (const struct uvm_service *)e;
	const struct uvm_batch *b = (const struct uvm_batch *)e;

	if (e->kind == EVENT_UVM_BATCH)
		hist_add(HIST_BATCH, b->gpu, 0, b->cached);
	else if (e->kind == EVENT_UVM_SERVICE)
		hist_add(HIST_SERVICE, s->gpu, e->pid, s->dur_ns);
}

static int hist_fault(void *ctx, const struct uvm_joined *f)
{
	if (!(f->missing & UVM_MISSING_BATCH))
		hist_add(HIST_LATENCY, f->fault.gpu, f->fault.e.pid, f->latency_ns);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct hist *x = a, *y = b;

	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	if (x->gpu != y->gpu)
		return x->gpu < y->gpu ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

static int put_hist(struct sink *s, const struct hist *h)
{
	u32 from = 0, to = SLOTS;
	int err = 0;

	while (!h->slots[from])
		from++;
	while (!h->slots[to - 1])
		to--;
	for (u32 i = from; !err && i < to; i++) {
		struct hist_row r = { .e = { .pid = h->pid }, .gpu = h->gpu,
				      .from = i ? 1ULL << i : 0, .to = 2ULL << i,
				      .count = h->slots[i] };
		char buf[16];

		snprintf(r.pci, sizeof(r.pci), "%s", uvm_gpus_name(&gpus, h->gpu, buf));
		memset(r.bar, '#', (h->slots[i] * BAR + h->most - 1) / h->most);
		err =
		    sink_row(s, hist_kinds[h->what].columns, hist_kinds[h->what].schema, &r.e);
	}
	return err;
}

static int put_hists(struct sink *s)
{
	int err = 0;

	if (hist_count)
		qsort(hists, hist_count, sizeof(*hists), by_name);
	for (u32 i = 0; !err && i < hist_count; i++)
		err = put_hist(s, &hists[i]);
	free(hists);
	if (hist_more)
		warn("%llu events of more than %u processes and GPUs are in no histogram",
		     hist_more, HISTS_MAX);
	return err;
}

/* ---- the three of them behind one view ---- */

static struct sink *sink;	/* where the join delivers to */

static int deliver(void *ctx, const struct uvm_joined *f)
{
	switch (settings.mode) {
	case MODE_TOP: uvm_top_fault(&top, &gpus, f); return 0;
	case MODE_HIST: return hist_fault(ctx, f);
	default: return put_line(sink, f);
	}
}

static int begin(const struct tool *tool)
{
	join = uvm_join_new(HORIZON_NS, deliver, NULL);
	return 0;
}

static int put(struct sink *s, const struct event *e)
{
	sink = s;
	if (e->kind == EVENT_UVM_GPU)
		uvm_gpus_learn(&gpus, (const struct uvm_gpu *)e);
	else if (settings.mode == MODE_TOP)
		uvm_top_record(&top, &gpus, e);
	else if (settings.mode == MODE_HIST)
		hist_record(e);
	return uvm_join_put(join, e);
}

static int tick(struct sink *s, u64 from, u64 to)
{
	return settings.mode == MODE_TOP ? put_top(s, from, to) : 0;
}

static int end(struct sink *s)
{
	int err;

	sink = s;
	err = uvm_join_end(join);
	if (!err && settings.mode == MODE_HIST)
		err = put_hists(s);
	uvm_join_free(join);
	uvm_top_clear(&top);
	uvm_gpus_free(&gpus);
	return err;
}

static int check(const struct tool *tool)
{
	return settings.gpu ? uvm_choice_parse(&gpus.choice, settings.gpu) : 0;
}

/* The choice of a GPU acts in the probes already. */
static int prepare(const struct tool *tool, struct probe_object *object)
{
	struct uvm_bpf__rodata *c = (void *)probe_rodata(object, NULL);
	const struct uvm_choice *choice = &gpus.choice;

	c->only_gpu = choice->by == UVM_THE_ID ? choice->id : 0;
	c->only_pci = choice->by == UVM_THE_PCI ? choice->pci : ~0ULL;
	c->only_uuid = choice->by == UVM_THE_UUID;
	memcpy((void *)c->gpu_uuid, choice->uuid, sizeof(choice->uuid));
	return 0;
}

static const u16 kinds[] = {
	EVENT_UVM_FAULT, EVENT_UVM_SERVICE, EVENT_UVM_BATCH, EVENT_UVM_MIGRATION,
	EVENT_UVM_EVICT, EVENT_UVM_MARK, 0,
};
static const struct tool_view view = { .begin = begin, .put = put, .tick = tick, .end = end };

int main(int argc, char **argv)
{
	static const struct tool uvmfault = {
		.name = "uvmfault",
		.about = "faults on unified memory: who, where, why, and how long the service took",
		.examples = "  uvmfault                    every fault of GPUs and CPUs on managed memory\n"
			    "  uvmfault -p 181 --gpu 1     of process 181 on UVM's GPU 1\n"
			    "  uvmfault --top -I 5s        processes and allocations, every 5 seconds\n"
			    "  uvmfault --hist -d 10s      batch sizes and times of 10 seconds\n"
			    "  uvmfault -d 10s -o t.gst    record; uvmfault -i t.gst --top shows it\n",
		.set = &set_uvm,
		.kinds = kinds,
		.view = &view,
		.options = options,
		.columns = line_columns,
		.settings = &settings,
		.check = check,
		.prepare = prepare,
	};

	return tool_main(&uvmfault, argc, argv);
}
