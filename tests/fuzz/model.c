// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Well-formed recordings with any contents, through every view: fields follow from the schema,
 * so a new kind is tried as it comes. Ids are few, so that they meet; what is random beyond
 * that depends on the seed: 0 of 4 nothing, 1 hours and disorder, 2 some fields, 3 half of
 * them.
 *
 *   model DIR FIRST COUNT RECORDS
 *
 * writes DIR/SEED.{gst,json,txt,pftrace,folded,svg} and DIR/SEED.truth: what was put in.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda.h"
#include "flamegraph.h"
#include "fold.h"
#include "log.h"
#include "report.h"
#include "symbols.h"
#include "timeline.h"
#include "trace.h"

static u64 state, now;
static u32 wild;		/* percent of fields that hold anything */
static bool hours;
static struct { u64 kernels, kernel_ns, copies, bytes, sets, graphs, api, nested, lost; } truth;

static u64 rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dULL;
}

static u64 anything(void)
{
	switch (rnd() % 6) {
	case 0: return 0;
	case 1: return ~0ULL - rnd() % 2;
	case 2: return 1ULL << rnd() % 64;
	case 3: return (1ULL << 63) - rnd() % 2;
	default: return rnd() >> rnd() % 64;
	}
}

/* How many values a field takes, by its name: those that name something take few. */
static const struct { const char *name; u64 n; } few[] = {
	{ "pid", 6 }, { "tid", 12 }, { "producer", 4 }, { "cpu", 4 }, { "correlation", 60 },
	{ "name", 25 }, { "nvtx_domain", 25 }, { "id", 20 }, { "stack", 20 }, { "device", 4 },
	{ "ordinal", 4 }, { "context", 3 }, { "stream", 4 }, { "depth", 2 }, { "class", 12 },
	{ "domain", 3 }, { "node", 30 },
	{ "source", 30 }, { "graph_node", 30 }, { "copy_kind", 13 }, { "src_kind", 9 },
	{ "dst_kind", 9 }, { "type", 6 }, { "what", 6 }, { "where", 18 }, { "process", 4 },
	{ "ppid", 6 }, { "on", 2 },
	{ "state", 4 }, { "result", 3 }, { "dur_ns", 200000 }, { "bytes", 1 << 24 },
	{ "count", 9 }, { "start_ns", 3 }, { "simulated", 2 }, { "cupti_realtime", 1 },
	{ "op", 6 }, { "gpu", 4 }, { "batch", 50 }, { "service", 50 }, { "addr", 1 << 16 },
	{ "range", 3 }, { "range_bytes", 1 << 16 }, { "src", 3 }, { "dst", 3 },
	{ "processor", 4 }, { "freed", 2 }, { "cause", 10 }, { "access", 6 }, { "rm", 9 },
	{ "xid", 20 }, { "code", 100 }, { "rank", 5 }, { "collective", 20 }, { "sequence", 9 },
	{ "group", 25 }, { "ranks", 25 }, {}
};

static u64 time_next(void)
{
	now += rnd() % 20000;
	if (!hours)
		return now - (rnd() % 5 ? 0 : rnd() % 1000000);
	if (rnd() % 1000 == 0)
		now += rnd() % 400 * 1000000000;
	return now - (rnd() % 50 ? 0 : rnd() % 200 * 1000000000);
}

static u64 value(const char *name)
{
	if (rnd() % 100 < wild)
		return !strcmp(name, "producer") && rnd() % 4 ? rnd() % 4 : anything();
	if (!strcmp(name, "ts"))
		return time_next();
	if (!strcmp(name, "frame"))
		return (rnd() % 22 ? rnd() % 22 : FRAME_KERNEL) << FRAME_SHIFT | rnd() % 64;
	for (int i = 0; few[i].name; i++)
		if (!strcmp(name, few[i].name))
			return rnd() % few[i].n;
	return anything();
}

/* Text that ends: of letters, of any bytes, of what other formats take for themselves. */
static u32 text(char *at, u32 room)
{
	static const char *const traps[] = {
		"", ";", "\n", "a;b\r\n1", "]]></script>&<\"'>", "\x1b[2J\xc2\x9b" "31m",
		"\xff\xfe\xc0\xaf", "_ZN", "_Z1fILi1EEvv", "\xe2\x80\xae" "abc",
		"{\"a\":\\u0000}", "%s%n", "../../x", " ",
		" 123", "\xf0\x9f\x98\x80",
	};
	u32 n = 0;

	if (rnd() % 3 == 0) {
		n = snprintf(at, room, "%s", traps[rnd() % (sizeof(traps) / sizeof(*traps))]);
		return n < room ? n : room - 1;
	}
	n = rnd() % (rnd() % 40 ? 24 : room);
	if (n >= room)
		n = room - 1;
	for (u32 i = 0; i < n; i++)
		at[i] = rnd() % 100 < wild ? 1 + rnd() % 255 : 'a' + rnd() % 6;
	at[n] = 0;
	return n;
}

static void fill(u8 *record, const struct field *f)
{
	for (; f->name; f++) {
		bool array = f->as == AS_DIMS || f->as == AS_HIST;
		u32 size = array ? 4 : f->size;
		u64 v;

		if (f->as == AS_STR) {
			text((char *)record + f->off, f->size);
			continue;
		}
		for (u32 i = 0; i < f->size / size; i++) {
			v = f->as == AS_BYTES ? 0 : value(f->name);
			memcpy(record + f->off + i * size, &v, size < 8 ? size : 8);
		}
	}
}

static void count(const struct event *e)
{
	const struct kernel *k = (const void *)e;
	const struct lost *l = (const void *)e;

	switch (e->kind) {
	case EVENT_KERNEL: truth.kernels++; truth.kernel_ns += k->g.dur_ns; break;
	case EVENT_COPY: truth.copies++; truth.bytes += ((const struct copy *)e)->bytes; break;
	case EVENT_SET: truth.sets++; break;
	case EVENT_GRAPH: truth.graphs++; break;
	case EVENT_API: truth.nested += !!((const struct api *)e)->depth; truth.api++; break;
	case EVENT_LOST: truth.lost += l->count == LOST_UNKNOWN ? 0 : l->count; break;
	}
}

static const struct event *record(const struct record_type *type)
{
	static u8 buf[RECORD_MAX + 8] __attribute__((aligned(8)));
	struct event *e = (struct event *)buf;
	struct stack *s = (struct stack *)buf;
	u32 size = type->size, n;

	memset(buf, 0, size + 8);
	fill(buf, event_fields);
	fill(buf, type->fields);
	if (type->tail == AS_TEXT) {
		n = text((char *)buf + size, RECORD_MAX - size);
		memset(buf + size + n, 0, 8);
		size += (n + 8) & ~7u;
	} else if (type->tail == AS_FRAMES) {
		n = rnd() % 30 ? rnd() % 12 : rnd() % 8000;
		for (u32 i = 0; i < n; i++, size += 8)
			memcpy(buf + size, &(u64){ value("frame") }, 8);
		s->kernel_frames = n / 4;
		s->user_frames = n - n / 4;
	}
	e->kind = type->kind;
	e->size = size;
	count(e);
	return e;
}

static void make(const char *path, u32 records)
{
	struct trace_info info;
	struct trace_writer *w;
	const struct record_type *types[EVENT_KIND_MAX];
	u32 n = 0;

	for (u16 kind = 0; (types[n] = record_type_next(&kind)); n++)
		;
	memset(&truth, 0, sizeof(truth));
	trace_info_here(&info, "fuzz");
	if (trace_create(&w, path, &info))
		exit(1);
	for (u32 i = 0; i < records; i++)
		if (trace_put(w, record(types[rnd() % n])))
			exit(1);
	if (trace_close(w))
		exit(1);
}

static FILE *create(const char *dir, u64 seed, const char *end, char *path)
{
	FILE *f;

	snprintf(path, 512, "%s/%llu.%s", dir, seed, end);
	f = fopen(path, "w");
	if (!f)
		errx(1, "%s", path);
	return f;
}

static void view_report(const char *trace, const char *dir, u64 seed)
{
	struct report *r = report_new();
	char *damage, path[512];
	FILE *f;

	if (report_run(r, &trace, 1, NULL, &damage) || damage)
		errx(1, "report: %s", damage);
	report_json(r, f = create(dir, seed, "json", path));
	fclose(f);
	report_print(r, f = create(dir, seed, "txt", path), 20, seed % 3 ? 0 : 20 + seed % 200);
	fclose(f);
	report_free(r);
}

static void view_timeline(const char *trace, const char *dir, u64 seed)
{
	struct trace_info info;
	struct perfetto *p;
	struct timeline *t;
	struct model *m;
	char path[512];

	fclose(create(dir, seed, "pftrace", path));
	if (perfetto_open(&p, path, false))
		exit(1);
	t = timeline_new(p, &(struct timeline_settings){});
	m = model_new(&timeline_view, t);
	timeline_start(t, m, &info);
	if (model_run(m, trace, &info, NULL) || timeline_finish(t) || perfetto_close(p, true))
		errx(1, "timeline");
	timeline_free(t);
	model_free(m);
}

static int put_stack(void *tree, const struct fold_frame *from, u32 n, u64 ns)
{
	struct flame_frame *f = calloc(n + 1, sizeof(*f));
	int ret;

	for (u32 i = 0; i < n; i++)
		f[i] = (struct flame_frame){ from[i].name, strlen(from[i].name),
					     from[i].kind };
	ret = flame_add(tree, f, n, ns);
	free(f);
	return ret;
}

static void view_flame(const char *trace, const char *dir, u64 seed)
{
	struct fold_settings set = { .what = FOLD_KERNEL, .by = seed % 3,
				     .whole_stacks = seed % 2 };
	struct flame_options o = { .countname = "ns", .min_width = 0.1, .title = "fuzz" };
	struct fold *f = fold_new(&set);
	struct flame_tree *tree = flame_new();
	struct trace_info info;
	char path[512];
	FILE *out;

	if (fold_read(f, &trace, 1, &info, NULL))
		errx(1, "fold");
	if (fold_each(f, FOLD_TIME, put_stack, tree) && !wild)	/* anything: sums may not fit */
		errx(1, "flame_add");
	flame_write_folded(tree, out = create(dir, seed, "folded", path));
	fclose(out);
	flame_write_svg(tree, out = create(dir, seed, "svg", path), &o);
	fclose(out);
	flame_free(tree);
	fold_free(f);
	demangle_free_all();
}

int main(int argc, char **argv)
{
	char path[512];
	FILE *f;

	if (argc != 5)
		errx(2, "usage: model DIR FIRST COUNT RECORDS");
	log_init("fuzz", false);
	for (u64 seed = atoll(argv[2]), end = seed + atoll(argv[3]); seed < end; seed++) {
		state = (seed + 1) * 0x9e3779b97f4a7c15ULL;
		now = 10000000000000ULL;
		hours = seed % 4 == 1;
		wild = (u32[]){ 0, 0, 2, 50 }[seed % 4];
		fclose(create(argv[1], seed, "gst", path));
		make(path, atoi(argv[4]));
		f = create(argv[1], seed, "truth", (char[512]){});
		fprintf(f, "%llu %llu %llu %llu %llu %llu %llu %llu\n", truth.kernels,
			truth.kernel_ns, truth.copies, truth.bytes, truth.sets, truth.graphs,
			truth.api - truth.nested, truth.lost);
		fclose(f);
		view_report(path, argv[1], seed);
		view_timeline(path, argv[1], seed);
		view_flame(path, argv[1], seed);
	}
	return 0;
}
