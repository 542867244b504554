// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Descriptions of tracks, devices and clocks; samples; what was written of which time. */
#include <stdio.h>
#include <string.h>
#include "perfetto_parts.h"

enum { CLOCK_ID_REALTIME = 1, CLOCK_ID_MONOTONIC = 3 };

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
	struct pb *pb;
	size_t at;

	if (p->chrome)
		return chromejson_clock(p->chrome, monotonic_ns, realtime_ns);
	pb = perfetto_packet_open(p);
	at = pb_open(pb, 6);
	clock_entry(pb, CLOCK_ID_MONOTONIC, monotonic_ns);
	clock_entry(pb, CLOCK_ID_REALTIME, realtime_ns);
	pb_u64(pb, 2, CLOCK_ID_MONOTONIC);
	pb_close(pb, at);
	perfetto_packet_write(p);
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
	struct pb *pb;
	size_t at, one;
	char text[32];

	if (p->chrome)
		return;
	pb = perfetto_packet_open(p);
	at = pb_open(pb, 128);
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
	perfetto_packet_write(p);
}

void perfetto_process(struct perfetto *p, u64 uuid, u32 pid, const char *name)
{
	struct pb *pb;
	size_t at, inner;

	if (p->chrome)
		return chromejson_process(p->chrome, uuid, pid, name);
	pb = perfetto_packet_open(p);
	at = pb_open(pb, 60);
	pb_u64(pb, 1, uuid);
	inner = pb_open(pb, 3);
	pb_u64(pb, 1, pid);
	pb_str(pb, 6, name);
	pb_close(pb, inner);
	pb_close(pb, at);
	perfetto_packet_write(p);
}

void perfetto_thread(struct perfetto *p, u64 uuid, u64 parent, u32 pid, u32 tid,
		     const char *name)
{
	struct pb *pb;
	size_t at, inner;

	if (p->chrome)
		return chromejson_thread(p->chrome, uuid, pid, tid, name);
	pb = perfetto_packet_open(p);
	at = pb_open(pb, 60);
	pb_u64(pb, 1, uuid);
	pb_u64(pb, 5, parent);
	inner = pb_open(pb, 4);
	pb_u64(pb, 1, pid);
	pb_u64(pb, 2, tid);
	pb_str(pb, 5, name);
	pb_close(pb, inner);
	pb_close(pb, at);
	perfetto_packet_write(p);
}

void perfetto_track(struct perfetto *p, u64 uuid, u64 parent, const char *name)
{
	struct pb *pb;
	size_t at;

	if (p->chrome)
		return chromejson_track(p->chrome, uuid, parent, name);
	pb = perfetto_packet_open(p);
	at = pb_open(pb, 60);
	pb_u64(pb, 1, uuid);
	pb_u64(pb, 5, parent);
	pb_str(pb, 2, name);
	pb_close(pb, at);
	perfetto_packet_write(p);
}

void perfetto_counter_track(struct perfetto *p, u64 uuid, u64 parent, const char *name,
			    u32 unit)
{
	struct pb *pb;
	size_t at, inner;

	if (p->chrome)
		return chromejson_counter_track(p->chrome, uuid, parent, name);
	pb = perfetto_packet_open(p);
	at = pb_open(pb, 60);
	pb_u64(pb, 1, uuid);
	pb_u64(pb, 5, parent);
	pb_str(pb, 2, name);
	inner = pb_open(pb, 8);
	if (unit)
		pb_u64(pb, 3, unit);
	pb_close(pb, inner);
	pb_close(pb, at);
	perfetto_packet_write(p);
}

/* ---- samples ---- */

/* Fields of InternedData: function_names 5, frames 6, callstacks 7. */
static u64 frame_id(struct perfetto *p, const char *name)
{
	u64 key = hash_bytes(name, strlen(name)), id = (uintptr_t)hash_get(&p->functions, key);
	struct pb *pb = &p->interned;
	size_t at;

	if (id)
		return id;
	id = ++p->next_function;
	hash_put(&p->functions, key, (void *)(uintptr_t)id);
	at = pb_open(pb, 5);
	pb_u64(pb, 1, id);
	pb_str(pb, 2, name);
	pb_close(pb, at);
	at = pb_open(pb, 6);
	pb_u64(pb, 1, id);
	pb_u64(pb, 2, id);
	pb_close(pb, at);
	return id;
}

static u64 callstack_id(struct perfetto *p, const char *const *frames, u32 n)
{
	u64 ids[512] = {}, key, id;
	size_t at;
	u32 i;

	if (n > 512) {
		frames += n - 512;
		n = 512;
	}
	for (i = 0; i < n; i++)
		ids[i] = frame_id(p, frames[i]);
	key = hash_bytes(ids, n * sizeof(*ids));
	id = (uintptr_t)hash_get(&p->callstacks, key);
	if (id)
		return id;
	id = ++p->next_callstack;
	hash_put(&p->callstacks, key, (void *)(uintptr_t)id);
	at = pb_open(&p->interned, 7);
	pb_u64(&p->interned, 1, id);
	for (i = 0; i < n; i++)
		pb_u64(&p->interned, 2, ids[i]);
	pb_close(&p->interned, at);
	return id;
}

void perfetto_sample(struct perfetto *p, u64 ts, u32 cpu, u32 pid, u32 tid,
		     const char *const *frames, u32 n)
{
	struct pb *pb;
	size_t at;
	u64 id;

	if (p->chrome) {
		fit_add(&p->fit, ts, 1);
		chromejson_sample(p->chrome, ts, pid, tid, frames, n);
		return;
	}
	id = n ? callstack_id(p, frames, n) : 0;
	pb = perfetto_packet_begin(p, ts);
	at = pb_open(pb, 66);
	if (cpu != 0xffff)
		pb_u64(pb, 1, cpu);
	pb_u64(pb, 2, pid);
	pb_u64(pb, 3, tid);
	if (id)
		pb_u64(pb, 4, id);
	pb_close(pb, at);
	perfetto_packet_write(p);
}

/* ---- what was written of which time ---- */

static void fit_widen(struct fit *f)
{
	u32 i;

	for (i = 0; i < FIT_BUCKETS / 2; i++)
		f->weight[i] = f->weight[2 * i] + f->weight[2 * i + 1];
	memset(f->weight + i, 0, i * sizeof(*f->weight));
	f->width *= 2;
}

void fit_add(struct fit *f, u64 ts, u64 weight)
{
	f->all += weight;
	if (!ts || ts >= PERFETTO_TIME_MAX)
		return;
	if (!f->width) {
		f->width = 1000000;
		f->first = ts;
	}
	if (ts < f->first)
		ts = f->first;
	while ((ts - f->first) / f->width >= FIT_BUCKETS)
		fit_widen(f);
	f->weight[(ts - f->first) / f->width] += weight;
}

u64 perfetto_fit(const struct perfetto *p, u64 bytes)
{
	const struct fit *f = &p->fit;
	double scale = f->all ? (double)perfetto_bytes(p) / f->all : 0, sum = f->all, part;
	u32 i;

	for (i = 0; i < FIT_BUCKETS; i++)
		sum -= f->weight[i];		/* what has no time is always there */
	for (i = 0, part = sum * scale; i < FIT_BUCKETS; i++) {
		part += f->weight[i] * scale;
		if (part > bytes)
			return f->first + i * f->width;
	}
	return ~0ULL;
}
