// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See perfetto.h. Interned data waits in a buffer of its own and goes out in front of the next
 * packet's event. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gzip.h"
#include "log.h"
#include "perfetto_parts.h"

#define SEQUENCE 1
enum { CLOCK_ID_REALTIME = 1, CLOCK_ID_MONOTONIC = 3 };
enum { GPU_API = 4 };			/* CUDA, in InternedGraphicsContext.Api and GpuApi */
enum { SLICE_BEGIN = 1, SLICE_END = 2, SLICE_INSTANT = 3, COUNTER = 4 };

/* ---- packets ---- */

void perfetto_packet_write(struct perfetto *p)
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
	fit_add(&p->fit, p->packet_ts, n + p->packet.size);
}

/* A packet with head, defaults on the first, and the interned data that waits. */
struct pb *perfetto_packet_open(struct perfetto *p)
{
	struct pb *pb = &p->packet;
	size_t at;

	p->packet_ts = 0;
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

struct pb *perfetto_packet_begin(struct perfetto *p, u64 ts)
{
	struct pb *pb = perfetto_packet_open(p);

	p->packet_ts = ts;
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
	if (p->chrome)
		chromejson_text(p->chrome, kind, s->id, text);
	else
		interned_entry(p, fields[kind], s->id, text);
	return s->id;
}

u64 perfetto_context(struct perfetto *p, u32 pid)
{
	u64 id = ++p->next_context;
	size_t at;

	if (p->chrome)
		return id;
	at = pb_open(&p->interned, 23);
	pb_u64(&p->interned, 1, id);
	pb_u64(&p->interned, 2, pid);
	pb_u64(&p->interned, 3, GPU_API);
	pb_close(&p->interned, at);
	return id;
}

u64 perfetto_stage(struct perfetto *p, const char *name, const char *about, bool compute)
{
	u64 id = ++p->next_stage;
	size_t at;

	if (p->chrome) {
		chromejson_stage(p->chrome, id, name, about);
		return id;
	}
	at = pb_open(&p->interned, 24);
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
	size_t at;

	if (p->chrome)
		return id;
	at = pb_open(&p->interned, 1000);
	pb_u64(&p->interned, 1, id);
	pb_str(&p->interned, 2, mangled);
	pb_str(&p->interned, 3, demangled);
	pb_close(&p->interned, at);
	return id;
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
	pb = perfetto_packet_begin(p, ts);
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
	perfetto_packet_write(p);
}

/* JSON is fitted by events; a packet by its bytes. */
static bool chrome_has(struct perfetto *p, u64 ts)
{
	if (p->chrome)
		fit_add(&p->fit, ts, 1);
	return p->chrome;
}

void perfetto_begin(struct perfetto *p, u64 ts, const struct perfetto_slice *s)
{
	if (chrome_has(p, ts))
		return chromejson_begin(p->chrome, ts, s);
	track_event(p, ts, s, SLICE_BEGIN);
}

void perfetto_instant(struct perfetto *p, u64 ts, const struct perfetto_slice *s)
{
	if (chrome_has(p, ts))
		return chromejson_instant(p->chrome, ts, s);
	track_event(p, ts, s, SLICE_INSTANT);
}

void perfetto_end(struct perfetto *p, u64 ts, u64 track)
{
	struct pb *pb;
	size_t at;

	if (chrome_has(p, ts))
		return chromejson_end(p->chrome, ts, track);
	pb = perfetto_packet_begin(p, ts);
	at = pb_open(pb, 11);
	pb_u64(pb, 9, SLICE_END);
	pb_u64(pb, 11, track);
	pb_close(pb, at);
	perfetto_packet_write(p);
}

void perfetto_counter(struct perfetto *p, u64 ts, u64 track, s64 value)
{
	struct pb *pb;
	size_t at;

	if (chrome_has(p, ts))
		return chromejson_counter(p->chrome, ts, track, &value, 0);
	pb = perfetto_packet_begin(p, ts);
	at = pb_open(pb, 11);
	pb_u64(pb, 9, COUNTER);
	pb_u64(pb, 11, track);
	pb_s64(pb, 30, value);
	pb_close(pb, at);
	perfetto_packet_write(p);
}

void perfetto_counter_real(struct perfetto *p, u64 ts, u64 track, double value)
{
	struct pb *pb;
	size_t at;

	if (chrome_has(p, ts))
		return chromejson_counter(p->chrome, ts, track, NULL, value);
	pb = perfetto_packet_begin(p, ts);
	at = pb_open(pb, 11);
	pb_u64(pb, 9, COUNTER);
	pb_u64(pb, 11, track);
	pb_double(pb, 44, value);
	pb_close(pb, at);
	perfetto_packet_write(p);
}

void perfetto_task_state(struct perfetto *p, u64 ts, u32 cpu, u32 pid, u32 tid,
			 const char *comm, u32 state)
{
	struct pb *pb;
	size_t at;

	if (chrome_has(p, ts))
		return chromejson_task_state(p->chrome, ts, tid, pid, comm, state);
	pb = perfetto_packet_begin(p, ts);
	at = pb_open(pb, 117);
	if (cpu != 0xffff)
		pb_u64(pb, 1, cpu);
	pb_str(pb, 2, comm);
	pb_u64(pb, 3, tid);
	pb_u64(pb, 4, state);
	pb_close(pb, at);
	perfetto_packet_write(p);
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
	size_t at, one;

	if (!op->grid && !(op->args && op->args->name))
		return;
	at = pb_open(pb, 21);
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

	if (chrome_has(p, op->ts))
		return chromejson_gpu_op(p->chrome, op);
	intern_notes(p, op->args, INTERN_ARG);
	pb = perfetto_packet_begin(p, op->ts);
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
	perfetto_packet_write(p);
}

void perfetto_call_left_out(struct perfetto *p, const u64 *submits, u32 n)
{
	for (u32 i = 0; i < n && p->chrome; i++)
		chromejson_unlink(p->chrome, submits[i]);
}

u64 perfetto_one_ended(const struct perfetto *p)
{
	return p->chrome ? chromejson_one_ended(p->chrome) : 0;
}

/* ---- the file ---- */

static int json_open(struct perfetto *p, const char *path)
{
	size_t n = strlen(path);

	if (n > 3 && !strcmp(path + n - 3, ".gz")) {
		p->packed = gzip_stream(p->out.f);
		if (!p->packed)
			return fail(-ENOMEM, "cannot write %s", path);
	}
	p->chrome = chromejson_open(p->packed ? p->packed : p->out.f);
	return 0;
}

int perfetto_open(struct perfetto **out, const char *path, bool json)
{
	struct perfetto *p = calloc(1, sizeof(*p));
	int err = p ? outfile_open(&p->out, path) : fail(-ENOMEM, "cannot write %s", path);

	if (err) {
		free(p);
		return err;
	}
	setvbuf(p->out.f, NULL, _IOFBF, 1 << 18);
	err = json ? json_open(p, path) : 0;
	if (err) {
		outfile_close(&p->out, false);
		free(p);
		return err;
	}
	*out = p;
	return 0;
}

u64 perfetto_bytes(const struct perfetto *p)
{
	return p->chrome ? chromejson_bytes(p->chrome) : p->bytes;
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

static int json_close_file(struct perfetto *p)
{
	int err = chromejson_close(p->chrome);

	errno = 0;
	if (p->packed && fclose(p->packed) && !err)
		err = errno ? -errno : -EIO;
	return err;
}

/* A reader that had enough is no error. */
int perfetto_close(struct perfetto *p, bool keep)
{
	const char *path = p->out.path ? p->out.path : "standard output";
	int json = p->chrome ? json_close_file(p) : 0;
	bool quiet = (p->err = p->err ? p->err : json) == -EPIPE && !p->out.path;
	int err = p->err && !quiet ? fail(p->err, "cannot write %s", path) : 0, closed;

	closed = outfile_close(&p->out, keep && !err);
	strings_free(p);
	pb_free(&p->packet);
	pb_free(&p->interned);
	hash_free(&p->functions);
	hash_free(&p->callstacks);
	free(p);
	return err ? err : closed;
}
