// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as a Chrome trace: what the reader hands on must be records that
 * the importer can write, and the same ones however the bytes come in pieces.
 * The importer itself is replaced by what checks and sums. For libFuzzer.
 */
#include <assert.h>
#include <string.h>
#include "arena.h"
#include "hash.h"
#include "import.h"
#include "log.h"

struct import {
	u64 sum;		/* of all that was said */
	u64 records;
};

struct unpack { const u8 *data; size_t size, at, piece; };

static struct unpack input;

/* Instead of user/log.c: damage is no news here. */
int fail(int err, const char *fmt, ...) { return err ? err : -1; }
void note(const char *fmt, ...) {}

int unpack_open(struct unpack **u, const char *path)
{
	input.at = 0;
	*u = &input;
	return 0;
}

long unpack_read(struct unpack *u, void *buf, size_t n)
{
	size_t left = u->size - u->at;

	n = n < left ? n : left;
	n = n < u->piece ? n : u->piece;
	memcpy(buf, u->data + u->at, n);
	u->at += n;
	return n;
}

void unpack_close(struct unpack *u) {}

static void say(struct import *im, const void *p, size_t n)
{
	im->sum += hash_bytes(p, n) + n;	/* what is left open ends in any order */
}

void import_file(struct import *im, const char *path, enum source_format f, s64 origin) {}
void import_file_rank(struct import *im, s32 rank, u32 world) { say(im, &rank, sizeof(rank)); }
void import_file_origin(struct import *im, s64 ns) { say(im, &ns, sizeof(ns)); }

void import_file_counts(struct import *im, u64 bytes, u64 records)
{
	assert(bytes <= input.size);
	say(im, &bytes, sizeof(bytes));
	say(im, &records, sizeof(records));
}

/* Small numbers that depend on the id alone, so that both runs say the same. */
u16 import_process(struct import *im, u64 id, const char *name)
{
	say(im, name ? name : "", name ? strlen(name) : 0);
	return 1 + hash_mix(id) % 999;
}

u32 import_pid(struct import *im, u16 producer)
{
	assert(producer);
	return producer;
}

u32 import_tid(struct import *im, u16 producer, u64 id, const char *name)
{
	assert(producer && producer < 1000);
	say(im, name ? name : "", name ? strlen(name) : 0);
	return 1 + (u32)hash_mix(id) % 100000;
}

u32 import_name(struct import *im, u16 producer, enum name_what what, const char *s, size_t n)
{
	assert(producer && producer < 1000 && s && n < (1 << 20) && !s[n]);
	say(im, s, n);
	return n ? 1 + (u32)hash_bytes(s, n) % 100000 : 0;
}

u32 import_collective(struct import *im, u16 producer, const struct collective *c)
{
	say(im, (const u8 *)c + sizeof(c->e), sizeof(*c) - sizeof(c->e));
	return 1 + hash_bytes((const u8 *)c + sizeof(c->e), sizeof(*c) - sizeof(c->e)) % 1000;
}

u32 import_correlation(struct import *im, u16 producer, u64 id)
{
	assert(producer);
	return 1 + (u32)hash_mix(id) % 100000;
}

void import_device(struct import *im, u16 producer, const struct device *d)
{
	assert(producer && memchr(d->name, 0, sizeof(d->name)));
	say(im, d, sizeof(*d));
}

static u16 size_of(u16 kind)
{
	switch (kind) {
	case EVENT_API: return sizeof(struct api);
	case EVENT_KERNEL: return sizeof(struct kernel);
	case EVENT_COPY: return sizeof(struct copy);
	case EVENT_SET: return sizeof(struct set);
	case EVENT_SYNC: return sizeof(struct sync);
	case EVENT_OVERHEAD: return sizeof(struct overhead);
	case EVENT_SPAN: return sizeof(struct span);
	case EVENT_COUNTER: return sizeof(struct counter);
	case EVENT_FLOW: return sizeof(struct flow);
	}
	return 0;
}

void import_put(struct import *im, const struct event *e)
{
	u64 dur = 0;

	assert(e->size && e->size == size_of(e->kind) && e->producer && e->producer < 1000);
	assert((s64)e->ts >= -(1LL << 62) && (s64)e->ts <= 1LL << 62);
	assert(e->cpu == CPU_UNKNOWN);
	if (e->kind != EVENT_COUNTER && e->kind != EVENT_FLOW)
		memcpy(&dur, e + 1, sizeof(dur));
	assert(dur <= 1ULL << 63);
	im->records++;
	say(im, e, e->size);
}

void import_odd(struct import *im, const char *what, const char *which)
{
	say(im, what, strlen(what));
	say(im, which, strlen(which));
}

void import_fact(struct import *im, const char *group, const char *key, size_t n, u64 count)
{
	say(im, group, strlen(group));
	im->sum += hash_bytes(key, n) * count;
}

void import_damage(struct import *im, const char *why, u64 at)
{
	assert(at <= input.size);
	say(im, why, strlen(why));
}

static u64 read_bytes(const u8 *data, size_t size, size_t piece)
{
	struct import im = {};

	input = (struct unpack){ .data = data, .size = size, .piece = piece };
	assert(import_json.read(&im, "input") == 0 || !im.records);
	return im.sum;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u64 whole = read_bytes(data, size, size + 1);

	assert(read_bytes(data, size, 1) == whole);
	assert(read_bytes(data, size, 2 + size % 13) == whole);
	import_json.probe("input", data, size);
	return 0;
}
