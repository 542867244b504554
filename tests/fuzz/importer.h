/* Instead of the importer, for the fuzzers of readers: it checks that what a reader says can be
 * written, and keeps nothing but a sum of it. The sum does not depend on the order, since what
 * is left open at the end of a file is closed in any. */
#include <assert.h>
#include <string.h>
#include "arena.h"
#include "hash.h"
#include "host.h"
#include "import.h"
#include "log.h"

struct import { u64 records, sum; };

static u64 input_size = -1;	/* of what is read, where the reader says places in it */

/* Instead of user/log.c: damage is no news here. */
int fail(int err, const char *fmt, ...) { return err ? err : -1; }
void note(const char *fmt, ...) {}

/* Every byte is there, and none is of memory that nobody wrote. */
static void say(struct import *im, const void *p, size_t n)
{
	im->sum += hash_bytes(p, n) + n;
}

static void say_text(struct import *im, const char *s)
{
	say(im, s ? s : "", s ? strlen(s) : 0);
}

void import_file(struct import *im, const char *path, enum source_format f, s64 origin) {}
void import_file_rank(struct import *im, s32 rank, u32 world) { say(im, &rank, sizeof(rank)); }
void import_file_origin(struct import *im, s64 ns) { say(im, &ns, sizeof(ns)); }
void import_file_host(struct import *im, const char *host) { say_text(im, host); }

void import_file_counts(struct import *im, u64 bytes, u64 records)
{
	assert(bytes <= input_size);
	say(im, &bytes, sizeof(bytes));
	say(im, &records, sizeof(records));
}

/* Small numbers that depend on what is asked for alone, so that every run says the same. */
u16 import_process(struct import *im, u64 id, const char *name)
{
	say_text(im, name);
	return 1 + hash_mix(id) % 999;
}

u32 import_pid(struct import *im, u16 producer)
{
	assert(producer && producer < 1000);
	return producer;
}

u32 import_tid(struct import *im, u16 producer, u64 id, const char *name)
{
	assert(producer && producer < 1000);
	say_text(im, name);
	return 1 + (u32)hash_mix(id) % 100000;
}

u32 import_name(struct import *im, u16 producer, enum name_what what, const char *s, size_t n)
{
	assert(producer && producer < 1000 && what && n < 1 << 20);
	say(im, s, n);
	return n ? 1 + (u32)hash_bytes(s, n) % 100000 : 0;
}

u32 import_collective(struct import *im, u16 producer, const struct collective *c)
{
	size_t n = sizeof(*c) - sizeof(c->e);

	assert(producer && producer < 1000);
	say(im, &c->e + 1, n);
	return 1 + hash_bytes(&c->e + 1, n) % 1000;
}

u32 import_correlation(struct import *im, u16 producer, u64 id)
{
	assert(producer && producer < 1000);
	return 1 + (u32)hash_mix(id) % 100000;
}

void import_device(struct import *im, u16 producer, const struct device *d)
{
	assert(producer && producer < 1000 && memchr(d->name, 0, sizeof(d->name)));
	say(im, d, sizeof(*d));
}

u64 import_stack(struct import *im, u16 producer, const struct import_frame *frames, u32 n)
{
	u32 i;

	assert(producer && producer < 1000 && n);
	for (i = 0; i < n; i++)
		say(im, frames[i].name, frames[i].n);
	return 1;
}

static u16 size_of(u16 kind)
{
	switch (kind) {
	case EVENT_API: return sizeof(struct api);
	case EVENT_API_STACK: return sizeof(struct api_stack);
	case EVENT_KERNEL: return sizeof(struct kernel);
	case EVENT_COPY: return sizeof(struct copy);
	case EVENT_SET: return sizeof(struct set);
	case EVENT_SYNC: return sizeof(struct sync);
	case EVENT_GRAPH: return sizeof(struct graph);
	case EVENT_OVERHEAD: return sizeof(struct overhead);
	case EVENT_NVTX: return sizeof(struct nvtx);
	case EVENT_SPAN: return sizeof(struct span);
	case EVENT_COUNTER: return sizeof(struct counter);
	case EVENT_FLOW: return sizeof(struct flow);
	case EVENT_SAMPLE: return sizeof(struct sample);
	case EVENT_SWITCH: return sizeof(struct sched_switch_rec);
	}
	return 0;
}

static bool is_span(u16 kind)
{
	return kind != EVENT_COUNTER && kind != EVENT_FLOW && kind != EVENT_SAMPLE &&
		kind != EVENT_SWITCH && kind != EVENT_API_STACK;
}

static bool has_cpu(u16 kind)
{
	return kind == EVENT_SAMPLE || kind == EVENT_SWITCH;
}

void import_put(struct import *im, const struct event *e)
{
	u64 dur = 0;

	assert(e->size && e->size == size_of(e->kind) && e->producer < 1000);
	assert(e->producer || e->kind == EVENT_SWITCH);
	assert(e->cpu == CPU_UNKNOWN || has_cpu(e->kind));
	if (is_span(e->kind))
		memcpy(&dur, e + 1, sizeof(dur));
	assert((s64)e->ts >= -(1LL << 62) && (s64)e->ts <= 1LL << 62 && dur <= 1ULL << 63);
	im->records++;
	say(im, e, e->size);
}

void import_odd(struct import *im, const char *what, const char *which)
{
	say_text(im, what);
	say_text(im, which);
}

void import_fact(struct import *im, const char *group, const char *key, size_t n, u64 count)
{
	say_text(im, group);
	im->sum += hash_bytes(key, n) * count;
}

void import_damage(struct import *im, const char *why, u64 at)
{
	assert(at <= input_size);
	say_text(im, why);
}
