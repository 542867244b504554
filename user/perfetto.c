// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See perfetto.h. Interned data waits in a buffer of its own and goes out in front of the next
 * packet's event. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "log.h"
#include "outfile.h"
#include "pb.h"
#include "perfetto.h"

#define SEQUENCE 1
enum { CLOCK_ID_REALTIME = 1, CLOCK_ID_MONOTONIC = 3 };
enum { GPU_API = 4 };			/* CUDA, in InternedGraphicsContext.Api and GpuApi */
enum { SLICE_BEGIN = 1, SLICE_END = 2, SLICE_INSTANT = 3, COUNTER = 4 };

struct interned {
	struct interned *next;
	u64 id;
	char text[];
};

struct perfetto {
	struct outfile out;
	struct pb packet, interned;	/* interned: fields of InternedData not written yet */
	struct hash strings[INTERN_KINDS];	/* hash of the text -> struct interned */
	u64 next_id[INTERN_KINDS], next_context, next_stage, next_kernel;
	u64 bytes;
	int err;
	bool begun;
};

/* ---- packets ---- */

static void packet_write(struct perfetto *p)
{
	u8 head[11];
	size_t n = 1;
	u64 v = p->packet.size;

	if (p->packet.failed || p->interned.failed)
		p->err = -ENOMEM;
	if (p->err)
		return;
	head[0] = 1 << 3 | 2;			/* Trace.packet */
	for (; v >= 0x80; v >>= 7)
		head[n++] = (u8)v | 0x80;
	head[n++] = (u8)v;
	errno = 0;
	if (fwrite(head, n, 1, p->out.f) != 1 ||
	    fwrite(p->packet.data, p->packet.size, 1, p->out.f) != 1)
		p->err = errno ? -errno : -EIO;
	p->bytes += n + p->packet.size;
}

/* A packet with head, defaults on the first, and the interned data that waits. */
static struct pb *packet_open(struct perfetto *p)
{
	struct pb *pb = &p->packet;
	size_t at;

	pb_reset(pb);
	pb_u64(pb, 10, SEQUENCE);
	pb_u64(pb, 13, p->begun ? 2 : 1);	/* needs / clears the incremental state */
	if (!p->begun) {
		at = pb_open(pb, 59);		/* trace_packet_defaults */
		pb_u64(pb, 58, CLOCK_ID_MONOTONIC);
		pb_close(pb, at);
		p->begun = true;
	}
	if (p->interned.size) {
		pb_bytes(pb, 12, p->interned.data, p->interned.size);
		pb_reset(&p->interned);
	}
	return pb;
}

/* One with a time. */
static struct pb *packet_begin(struct perfetto *p, u64 ts)
{
	struct pb *pb = packet_open(p);

	pb_u64(pb, 8, ts < PERFETTO_TIME_MAX ? ts : PERFETTO_TIME_MAX);
	return pb;
}

/* ---- interning ---- */

static void interned_entry(struct perfetto *p, u32 field, u64 id, const char *text)
{
	size_t at = pb_open(&p->interned, field);

	pb_u64(&p->interned, 1, id);
	pb_str(&p->interned, 2, text);
	pb_close(&p->interned, at);
}

u64 perfetto_intern(struct perfetto *p, enum intern kind, const char *text)
{
	static const u32 fields[INTERN_KINDS] = {
		[INTERN_NAME] = 2, [INTERN_CATEGORY] = 1, [INTERN_ANNOTATION] = 3,
		[INTERN_ARG] = 1001,
	};
	size_t n = strlen(text);
	u64 key = hash_bytes(text, n);
	struct interned *first = hash_get(&p->strings[kind], key), *s;

	for (s = first; s; s = s->next)
		if (!strcmp(s->text, text))
			return s->id;
	s = malloc(sizeof(*s) + n + 1);
	if (!s) {
		p->err = -ENOMEM;
		return 0;
	}
	memcpy(s->text, text, n + 1);
	s->id = ++p->next_id[kind];
	s->next = first;
	hash_put(&p->strings[kind], key, s);
	interned_entry(p, fields[kind], s->id, text);
	return s->id;
}

u64 perfetto_context(struct perfetto *p, u32 pid)
{
	u64 id = ++p->next_context;
	size_t at = pb_open(&p->interned, 23);

	pb_u64(&p->interned, 1, id);
	pb_u64(&p->interned, 2, pid);
	pb_u64(&p->interned, 3, GPU_API);
	pb_close(&p->interned, at);
	return id;
}

u64 perfetto_stage(struct perfetto *p, const char *name, const char *about, bool compute)
{
	u64 id = ++p->next_stage;
	size_t at = pb_open(&p->interned, 24);

	pb_u64(&p->interned, 1, id);
	pb_str(&p->interned, 2, name);
	if (about)
		pb_str(&p->interned, 3, about);
	pb_u64(&p->interned, 4, compute ? 2 : 0);
	pb_close(&p->interned, at);
	return id;
}

u64 perfetto_kernel(struct perfetto *p, const char *mangled, const char *demangled)
{
	u64 id = ++p->next_kernel;
	size_t at = pb_open(&p->interned, 1000);

	pb_u64(&p->interned, 1, id);
	pb_str(&p->interned, 2, mangled);
	pb_str(&p->interned, 3, demangled);
	pb_close(&p->interned, at);
	return id;
}

/* ---- descriptions ---- */

static void clock_entry(struct pb *pb, u32 id, u64 ts)
{
	size_t at = pb_open(pb, 1);

	pb_u64(pb, 1, id);
	pb_u64(pb, 2, ts);
	pb_close(pb, at);
}

void perfetto_clock(struct perfetto *p, u64 monotonic_ns, u64 realtime_ns)
{
	struct pb *pb = packet_open(p);
	size_t at = pb_open(pb, 6);

	clock_entry(pb, CLOCK_ID_MONOTONIC, monotonic_ns);
	clock_entry(pb, CLOCK_ID_REALTIME, realtime_ns);
	pb_u64(pb, 2, CLOCK_ID_MONOTONIC);
	pb_close(pb, at);
	packet_write(p);
}

static void gpu_extra(struct pb *pb, const char *key, const char *value)
{
	size_t at = pb_open(pb, 6);

	pb_str(pb, 1, key);
	pb_str(pb, 2, value);
	pb_close(pb, at);
}

void perfetto_gpus(struct perfetto *p, const struct perfetto_gpu *gpus, u32 n)
{
	struct pb *pb = packet_open(p);
	size_t at = pb_open(pb, 128), one;
	char text[32];

	for (u32 i = 0; i < n; i++) {
		one = pb_open(pb, 1);
		pb_str(pb, 1, gpus[i].name);
		if (gpus[i].vendor)
			pb_str(pb, 2, gpus[i].vendor);
		pb_bytes(pb, 5, gpus[i].uuid, 16);
		pb_str(pb, 7, gpus[i].pci);
		if (gpus[i].driver)
			gpu_extra(pb, "driver", gpus[i].driver);
		gpu_extra(pb, "compute_capability", gpus[i].cc);
		snprintf(text, sizeof(text), "%llu", (unsigned long long)gpus[i].mem_bytes);
		gpu_extra(pb, "memory_bytes", text);
		pb_close(pb, one);
	}
	pb_close(pb, at);
	packet_write(p);
}

void perfetto_process(struct perfetto *p, u64 uuid, u32 pid, const char *name)
{
	struct pb *pb = packet_open(p);
	size_t at = pb_open(pb, 60), inner;

	pb_u64(pb, 1, uuid);
	inner = pb_open(pb, 3);
	pb_u64(pb, 1, pid);
	pb_str(pb, 6, name);
	pb_close(pb, inner);
	pb_close(pb, at);
	packet_write(p);
}

void perfetto_thread(struct perfetto *p, u64 uuid, u64 parent, u32 pid, u32 tid,
		     const char *name)
{
	struct pb *pb = packet_open(p);
	size_t at = pb_open(pb, 60), inner;

	pb_u64(pb, 1, uuid);
	pb_u64(pb, 5, parent);
	inner = pb_open(pb, 4);
	pb_u64(pb, 1, pid);
	pb_u64(pb, 2, tid);
	pb_str(pb, 5, name);
	pb_close(pb, inner);
	pb_close(pb, at);
	packet_write(p);
}

void perfetto_track(struct perfetto *p, u64 uuid, u64 parent, const char *name)
{
	struct pb *pb = packet_open(p);
	size_t at = pb_open(pb, 60);

	pb_u64(pb, 1, uuid);
	pb_u64(pb, 5, parent);
	pb_str(pb, 2, name);
	pb_close(pb, at);
	packet_write(p);
}

void perfetto_counter_track(struct perfetto *p, u64 uuid, u64 parent, const char *name,
			    u32 unit)
{
	struct pb *pb = packet_open(p);
	size_t at = pb_open(pb, 60), inner;

	pb_u64(pb, 1, uuid);
	pb_u64(pb, 5, parent);
	pb_str(pb, 2, name);
	inner = pb_open(pb, 8);
	if (unit)
		pb_u64(pb, 3, unit);
	pb_close(pb, inner);
	pb_close(pb, at);
	packet_write(p);
}

/* ---- events ---- */

static void annotation(struct perfetto *p, struct pb *pb, const struct perfetto_note *n)
{
	size_t at = pb_open(pb, 4);

	pb_u64(pb, 1, perfetto_intern(p, INTERN_ANNOTATION, n->name));
	if (n->text)
		pb_str(pb, 6, n->text);
	else
		pb_u64(pb, n->hex ? 7 : 3, n->value);
	pb_close(pb, at);
}

/* Names must be interned before the packet begins: interned data goes in front. */
static void intern_notes(struct perfetto *p, const struct perfetto_note *n, enum intern kind)
{
	for (; n && n->name; n++)
		perfetto_intern(p, kind, n->name);
}

static void correlation(struct pb *pb, const struct perfetto_slice *s)
{
	size_t at;

	if (s->n_submits) {
		at = pb_open(pb, 3000);
		for (u32 i = 0; i < s->n_submits; i++)
			pb_u64(pb, 1, s->submits[i]);
		pb_close(pb, at);
	}
	if (s->cuda)
		pb_u64(pb, 3001, GPU_API);
}

static void track_event(struct perfetto *p, u64 ts, const struct perfetto_slice *s, u32 type)
{
	struct pb *pb;
	size_t at;

	intern_notes(p, s->notes, INTERN_ANNOTATION);
	pb = packet_begin(p, ts);
	at = pb_open(pb, 11);
	pb_u64(pb, 9, type);
	pb_u64(pb, 11, s->track);
	pb_u64(pb, 3, s->category);
	pb_u64(pb, 10, s->name);
	for (const struct perfetto_note *n = s->notes; n && n->name; n++)
		annotation(p, pb, n);
	correlation(pb, s);
	if (s->flow_out)
		pb_fixed64(pb, 47, s->flow_out);	/* flow_ids */
	if (s->flow_in)
		pb_fixed64(pb, 48, s->flow_in);		/* terminating_flow_ids */
	pb_close(pb, at);
	packet_write(p);
}

void perfetto_begin(struct perfetto *p, u64 ts, const struct perfetto_slice *s)
{
	track_event(p, ts, s, SLICE_BEGIN);
}

void perfetto_instant(struct perfetto *p, u64 ts, const struct perfetto_slice *s)
{
	track_event(p, ts, s, SLICE_INSTANT);
}

void perfetto_end(struct perfetto *p, u64 ts, u64 track)
{
	struct pb *pb = packet_begin(p, ts);
	size_t at = pb_open(pb, 11);

	pb_u64(pb, 9, SLICE_END);
	pb_u64(pb, 11, track);
	pb_close(pb, at);
	packet_write(p);
}

void perfetto_counter(struct perfetto *p, u64 ts, u64 track, s64 value)
{
	struct pb *pb = packet_begin(p, ts);
	size_t at = pb_open(pb, 11);

	pb_u64(pb, 9, COUNTER);
	pb_u64(pb, 11, track);
	pb_s64(pb, 30, value);
	pb_close(pb, at);
	packet_write(p);
}

void perfetto_counter_real(struct perfetto *p, u64 ts, u64 track, double value)
{
	struct pb *pb = packet_begin(p, ts);
	size_t at = pb_open(pb, 11);

	pb_u64(pb, 9, COUNTER);
	pb_u64(pb, 11, track);
	pb_double(pb, 44, value);
	pb_close(pb, at);
	packet_write(p);
}

void perfetto_task_state(struct perfetto *p, u64 ts, u32 cpu, u32 tid, const char *comm,
			 u32 state)
{
	struct pb *pb = packet_begin(p, ts);
	size_t at = pb_open(pb, 117);

	if (cpu != 0xffff)
		pb_u64(pb, 1, cpu);
	pb_str(pb, 2, comm);
	pb_u64(pb, 3, tid);
	pb_u64(pb, 4, state);
	pb_close(pb, at);
	packet_write(p);
}

/* ---- GPU operations ---- */

static void dims(struct pb *pb, u32 field, const u32 *d)
{
	size_t at = pb_open(pb, field);

	for (u32 i = 0; i < 3; i++)
		pb_u64(pb, i + 1, d[i]);
	pb_close(pb, at);
}

static void launch_args(struct perfetto *p, struct pb *pb, const struct perfetto_op *op)
{
	size_t at = pb_open(pb, 21), one;

	if (op->grid) {
		dims(pb, 1, op->grid);
		dims(pb, 2, op->block);
	}
	for (const struct perfetto_note *n = op->args; n && n->name; n++) {
		one = pb_open(pb, 3);
		pb_u64(pb, 1, perfetto_intern(p, INTERN_ARG, n->name));
		if (n->text)
			pb_str(pb, 6, n->text);
		else
			pb_u64(pb, 4, n->value);
		pb_close(pb, one);
	}
	pb_close(pb, at);
}

void perfetto_gpu_op(struct perfetto *p, const struct perfetto_op *op)
{
	struct pb *pb;
	size_t at;

	intern_notes(p, op->args, INTERN_ARG);
	pb = packet_begin(p, op->ts);
	at = pb_open(pb, 53);
	pb_u64(pb, 1, op->event_id);
	pb_u64(pb, 2, op->dur_ns);
	pb_u64(pb, 5, op->context);
	pb_u64(pb, 11, op->gpu);
	pb_u64(pb, 13, op->queue);
	pb_u64(pb, 14, op->stage);
	if (op->kernel)
		pb_u64(pb, 19, op->kernel);
	pb_u64(pb, 20, op->name);
	launch_args(p, pb, op);
	pb_close(pb, at);
	packet_write(p);
}

/* ---- the file ---- */

int perfetto_open(struct perfetto **out, const char *path)
{
	struct perfetto *p = calloc(1, sizeof(*p));
	int err = p ? outfile_open(&p->out, path) : fail(-ENOMEM, "cannot write %s", path);

	if (err) {
		free(p);
		return err;
	}
	setvbuf(p->out.f, NULL, _IOFBF, 1 << 18);
	*out = p;
	return 0;
}

u64 perfetto_bytes(const struct perfetto *p)
{
	return p->bytes;
}

static void strings_free(struct perfetto *p)
{
	struct interned *s, *next;
	struct hash_slot *slot;

	for (int k = 0; k < INTERN_KINDS; k++) {
		for (size_t at = 0; (slot = hash_next(&p->strings[k], &at));)
			for (s = slot->value; s; s = next) {
				next = s->next;
				free(s);
			}
		hash_free(&p->strings[k]);
	}
}

int perfetto_close(struct perfetto *p, bool keep)
{
	const char *path = p->out.path ? p->out.path : "standard output";
	bool quiet = p->err == -EPIPE && !p->out.path;		/* the reader had enough */
	int err = p->err && !quiet ? fail(p->err, "cannot write %s", path) : 0, closed;

	closed = outfile_close(&p->out, keep && !err);
	strings_free(p);
	pb_free(&p->packet);
	pb_free(&p->interned);
	free(p);
	return err ? err : closed;
}
