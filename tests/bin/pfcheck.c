// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * pfcheck FILE: reads a Perfetto trace by itself (nothing shared with the
 * writer) and checks what a viewer would silently drop: every interned id is
 * defined before its use, every track described, slices balanced and nested,
 * every launched operation there, no thread RUNNING twice. Prints counts. A viewer
 * ends the youngest slice that is open at a time: it must be the one that was meant,
 * which is the youngest at that place of the file.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;
typedef uint32_t u32;

struct span { const uint8_t *p, *end; };
struct field { u32 number, wire; u64 value; struct span bytes; };

static int problems;

static void problem(const char *what, u64 value, long packet)
{
	if (problems++ < 20)
		printf("problem: %s %llu in packet %ld\n", what, (unsigned long long)value,
		       packet);
}

static bool varint(struct span *s, u64 *v)
{
	*v = 0;
	for (int shift = 0; s->p < s->end && shift < 64; shift += 7) {
		uint8_t b = *s->p++;

		*v |= (u64)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return true;
	}
	return false;
}

/* 1 and the next field, 0 at the end, -1 damaged. */
static int next(struct span *s, struct field *f)
{
	u64 tag, n;

	if (s->p == s->end)
		return 0;
	if (!varint(s, &tag))
		return -1;
	f->number = tag >> 3;
	f->wire = tag & 7;
	if (f->wire == 1) {
		if (s->end - s->p < 8)
			return -1;
		memcpy(&f->value, s->p, 8);
		s->p += 8;
		return 1;
	}
	if (f->wire == 0)
		return varint(s, &f->value) ? 1 : -1;
	if (f->wire == 2) {
		if (!varint(s, &n) || n > (u64)(s->end - s->p))
			return -1;
		f->bytes = (struct span){ s->p, s->p + n };
		s->p += n;
		return 1;
	}
	return -1;		/* nothing else is written */
}

#define NO_TIME ~0ULL

static u64 number(struct span s, u32 field, u64 absent)
{
	struct field f;

	while (next(&s, &f) > 0)
		if (f.number == field && f.wire == 0)
			return f.value;
	return absent;
}

/* ---- sets of ids ---- */

struct set { u64 *v; size_t n, room; };

static bool has(const struct set *s, u64 v)
{
	if (!s->room)
		return false;
	for (size_t i = v * 0x9e3779b97f4a7c15ULL >> 20; ; i++) {
		u64 x = s->v[i % s->room];

		if (!x || x == v + 1)
			return x;
	}
}

static bool put(struct set *s, u64 v)
{
	size_t i = v * 0x9e3779b97f4a7c15ULL >> 20;
	struct set old = *s;

	if (has(s, v))
		return false;
	if (2 * s->n >= s->room) {
		s->room = old.room ? 2 * old.room : 64;
		s->v = calloc(s->room, sizeof(*s->v));
		s->n = 0;
		for (size_t k = 0; k < old.room; k++)
			if (old.v[k])
				put(s, old.v[k] - 1);
		free(old.v);
	}
	while (s->v[i % s->room])
		i++;
	s->v[i % s->room] = v + 1;
	s->n++;
	return true;
}

enum { NAMES, CATEGORIES, ANNOTATIONS, ARGS, CONTEXTS, STAGES, KERNELS, TRACKS, OPS, SUBMITS,
       SETS };
static struct set sets[SETS];
static unsigned long counts[9];
enum { SLICES, ENDS, INSTANTS, COUNTERS, STATES, GPUS, KERNEL_OPS, CLOCKS, ARROWS };
static u64 kernel_ns;

static void interned(struct span s, long packet)
{
	static const u32 where[][2] = {
		{ 1, CATEGORIES }, { 2, NAMES }, { 3, ANNOTATIONS }, { 23, CONTEXTS },
		{ 24, STAGES }, { 1000, KERNELS }, { 1001, ARGS },
	};
	struct field f;

	while (next(&s, &f) > 0)
		for (size_t i = 0; i < sizeof(where) / sizeof(*where); i++)
			if (f.number == where[i][0] &&
			    !put(&sets[where[i][1]], number(f.bytes, 1, 0)))
				problem("interned twice", f.number, packet);
}

static void need(int set, u64 id, const char *what, long packet)
{
	if (!id || !has(&sets[set], id))
		problem(what, id, packet);
}

/* ---- slices: kept to be checked in order of time, as a viewer sorts them ---- */

struct edge { u64 track, ts; long packet; bool begin; };
static struct edges { struct edge *v; size_t n; } slices, states;

static void edge(struct edges *e, u64 track, u64 ts, long packet, bool begin)
{
	if (!(e->n & (e->n - 1)))
		e->v = realloc(e->v, (e->n ? 2 * e->n : 1) * sizeof(*e->v));
	e->v[e->n++] = (struct edge){ track, ts, packet, begin };
}

static int by_time(const void *pa, const void *pb)
{
	const struct edge *a = pa, *b = pb;

	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	return a->packet < b->packet ? -1 : 1;
}

static int by_packet(const void *pa, const void *pb)
{
	const struct edge *a = pa, *b = pb;

	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	return a->packet < b->packet ? -1 : 1;
}

static int by_pair(const void *pa, const void *pb)
{
	return memcmp(pa, pb, sizeof(u64[3]));
}

/* (track, begin, end) of each slice when edges are taken in the order they are in now. */
static size_t pair(u64 (*pairs)[3])
{
	u64 *open = malloc(slices.n * sizeof(*open) + 1);
	size_t n = 0, depth = 0;

	for (size_t i = 0; i < slices.n; i++) {
		const struct edge *e = &slices.v[i];

		if (i && e->track != e[-1].track)
			depth = 0;
		if (e->begin)
			open[depth++] = e->ts;
		else if (depth)
			memcpy(pairs[n++], (u64[]){ e->track, open[--depth], e->ts },
			       sizeof(*pairs));
	}
	free(open);
	qsort(pairs, n, sizeof(*pairs), by_pair);
	return n;
}

static void crossing(void)
{
	u64 (*meant)[3] = malloc(slices.n * sizeof(*meant) + 1),
		(*shown)[3] = malloc(slices.n * sizeof(*shown) + 1);
	size_t n;

	qsort(slices.v, slices.n, sizeof(*slices.v), by_packet);
	n = pair(meant);
	qsort(slices.v, slices.n, sizeof(*slices.v), by_time);
	if (pair(shown) != n || memcmp(meant, shown, n * sizeof(*meant)))
		problem("slices are shown with ends of others, of slices", n, -1);
	free(meant);
	free(shown);
}

static void balance(void)
{
	const struct edge *e = slices.v;
	long depth = 0;

	if (slices.n)
		crossing();
	for (size_t i = 0; i < slices.n; i++, e++) {
		if (i && e->track != e[-1].track) {
			if (depth)
				problem("slices never ended on track", e[-1].track,
					e[-1].packet);
			depth = 0;
		}
		depth += e->begin ? 1 : -1;
		if (depth < 0) {
			problem("slice ended that never began on track", e->track, e->packet);
			depth = 0;
		}
	}
	if (depth)
		problem("slices never ended on the last track", depth, -1);
}

/* ---- packets ---- */

static void track_event(struct span s, u64 ts, long packet)
{
	u64 type = number(s, 9, 0), track = number(s, 11, 0);
	struct field f, inner;
	struct span all = s;

	need(TRACKS, track, "track not described", packet);
	while (next(&s, &f) > 0) {
		if (f.number == 4)
			need(ANNOTATIONS, number(f.bytes, 1, 0), "annotation name", packet);
		if (f.number == 3)
			need(CATEGORIES, f.value, "category", packet);
		if (f.number == 10)
			need(NAMES, f.value, "event name", packet);
		if (f.number == 47 || f.number == 48)
			counts[ARROWS]++;
		while (f.number == 3000 && next(&f.bytes, &inner) > 0)
			if (!put(&sets[SUBMITS], inner.value))
				problem("operation launched twice", inner.value, packet);
	}
	if (type == 1 || type == 2)
		edge(&slices, track, ts, packet, type == 1);
	if ((type == 1 || type == 3) && !number(all, 10, 0))
		problem("event without a name, type", type, packet);
	if (ts == NO_TIME || type < 1 || type > 4)
		problem("event without time or type", type, packet);
	else
		counts[(int[]){ SLICES, ENDS, INSTANTS, COUNTERS }[type - 1]]++;
}

static void render_stage(struct span s, u64 ts, long packet)
{
	bool device = false, stream = false;
	struct field f, inner;
	struct span all = s;

	if (ts == NO_TIME || !put(&sets[OPS], number(s, 1, 0)))
		problem("operation id twice or without time", number(s, 1, 0), packet);
	need(STAGES, number(all, 13, 0), "queue", packet);
	need(STAGES, number(all, 14, 0), "stage", packet);
	need(CONTEXTS, number(all, 5, 0), "context", packet);
	need(NAMES, number(all, 20, 0), "operation name", packet);
	if (number(all, 19, 0)) {
		need(KERNELS, number(all, 19, 0), "kernel", packet);
		counts[KERNEL_OPS]++;
		kernel_ns += number(all, 2, 0);
	}
	while (next(&s, &f) > 0)
		while (f.number == 21 && next(&f.bytes, &inner) > 0)
			if (inner.number == 3) {
				need(ARGS, number(inner.bytes, 1, 0), "argument name", packet);
				device |= number(inner.bytes, 1, 0) == 1;
				stream |= number(inner.bytes, 1, 0) == 2;
			}
	if (!device || !stream)		/* the first two names are device and stream */
		problem("operation without device and stream", 0, packet);
}

static void task_state(struct span s, u64 ts, long packet)
{
	u64 tid = number(s, 3, 0), state = number(s, 4, 0);

	if (ts == NO_TIME || !tid || state < 2 || state > 7)
		problem("thread state", state, packet);
	edge(&states, tid, ts, packet, state == 3);
	counts[STATES]++;
}

static void running_check(void)
{
	qsort(states.v, states.n, sizeof(*states.v), by_time);
	for (size_t i = 1; i < states.n; i++)
		if (states.v[i].track == states.v[i - 1].track && states.v[i].begin &&
		    states.v[i - 1].begin)
			problem("thread RUNNING twice", states.v[i].track, states.v[i].packet);
}

static void gpu_info(struct span s)
{
	struct field f;

	while (next(&s, &f) > 0)
		counts[GPUS] += f.number == 1;
}

static void packet_check(struct span s, long packet)
{
	u64 ts = number(s, 8, NO_TIME);
	struct span all = s;
	struct field f;
	int more;

	while ((more = next(&s, &f)) > 0)	/* first what is defined, then what uses it */
		if (f.number == 12)
			interned(f.bytes, packet);
		else if (f.number == 60)
			put(&sets[TRACKS], number(f.bytes, 1, 0));
	if (more < 0)
		problem("damaged packet", 0, packet);
	if (number(all, 10, 0) != 1 || number(all, 13, 0) != (packet ? 2 : 1))
		problem("sequence flags", number(all, 13, 0), packet);
	while (next(&all, &f) > 0) {
		if (f.number == 11)
			track_event(f.bytes, ts, packet);
		if (f.number == 53)
			render_stage(f.bytes, ts, packet);
		if (f.number == 117)
			task_state(f.bytes, ts, packet);
		if (f.number == 128)
			gpu_info(f.bytes);
		counts[CLOCKS] += f.number == 6;
	}
}

static void submits_check(void)
{
	for (size_t i = 0; i < sets[SUBMITS].room; i++)
		if (sets[SUBMITS].v[i] && !has(&sets[OPS], sets[SUBMITS].v[i] - 1))
			problem("launched operation is missing", sets[SUBMITS].v[i] - 1, -1);
}

static struct span slurp(const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t room = 1 << 20, n = 0, got;
	uint8_t *data = malloc(room);

	if (!f) {
		perror(path);
		exit(2);
	}
	while ((got = fread(data + n, 1, room - n, f)) > 0)
		if ((n += got) == room)
			data = realloc(data, room *= 2);
	fclose(f);
	return (struct span){ data, data + n };
}

int main(int argc, char **argv)
{
	struct span s = slurp(argc > 1 ? argv[1] : "/dev/stdin");
	struct field f;
	long packet = 0;
	int more;

	while ((more = next(&s, &f)) > 0)
		packet_check(f.bytes, packet++);
	if (more < 0)
		problem("damaged file after packets", packet, packet);
	balance();
	running_check();
	submits_check();
	printf("packets %ld\nslices %lu\nends %lu\ninstants %lu\ncounters %lu\nstates %lu\nops %zu\n"
	       "kernels %lu\nkernel_ns %llu\narrows %lu\nflows %zu\ngpus %lu\nclocks %lu\nproblems %d\n", packet,
		       counts[SLICES],
	       counts[ENDS], counts[INSTANTS], counts[COUNTERS], counts[STATES], sets[OPS].n,
	       counts[KERNEL_OPS], (unsigned long long)kernel_ns, counts[ARROWS],
	       sets[SUBMITS].n, counts[GPUS], counts[CLOCKS], problems);
	return problems != 0;
}
