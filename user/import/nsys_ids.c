// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the ids of an nsys export stand for. A global id is a thread (24 bits),
 * above it the process (24 bits), above it VM and hardware (8 bits each): so
 * a file of several machines has equal process ids. A GPU is known by CUDA's
 * ordinal in a process, which TARGET_INFO_CUDA_DEVICE gives, or else
 * cuDevice, which older schemas do not have either.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "nsys.h"

#define TID_BITS 24
#define ID_MASK ((1u << TID_BITS) - 1)

static struct nsys_string keep(struct nsys *n, const char *s, size_t size)
{
	char *copy = arena_alloc(&n->arena, size + 1);

	memcpy(copy, s, size);
	return (struct nsys_string){ copy, size };
}

struct nsys_string nsys_string(struct nsys *n, s64 id)
{
	struct nsys_string *known = hash_get(&n->strings, id);
	const char *s;
	size_t size;

	if (known)
		return *known;
	if (!n->string.s)
		db_query(n->db, &n->string, "StringIds",
			 "SELECT value FROM StringIds WHERE id = ?1");
	known = arena_alloc(&n->arena, sizeof(*known));
	*known = (struct nsys_string){ "", 0 };
	if (n->string.s) {
		db_bind(&n->string, 1, id);
		if (db_next(&n->string)) {
			s = db_text(&n->string, 0, &size);
			*known = keep(n, s, size);
		}
	}
	hash_put(&n->strings, id, known);
	return *known;
}

u32 nsys_name(struct nsys *n, struct nsys_process *p, enum name_what what, s64 string)
{
	u64 key = (u64)string << 20 | (u64)what << 16 | p->producer;
	void *known = (u64)string >> 44 ? NULL : hash_get(&n->names, key);
	struct nsys_string s;
	u32 id;

	if (known)
		return (uintptr_t)known;
	s = nsys_string(n, string);
	if (!s.n)
		import_odd(n->im, "name without a text", "StringIds");
	id = import_name(n->im, p->producer, what, s.s, s.n);
	if (id && !((u64)string >> 44))
		hash_put(&n->names, key, (void *)(uintptr_t)id);
	return id;
}

static u64 machine_of(u64 gid)
{
	return gid >> (2 * TID_BITS);
}

struct nsys_process *nsys_process(struct nsys *n, u64 gid)
{
	struct nsys_process *p;
	u64 id;

	gid = (gid ? gid : n->default_process) & ~(u64)ID_MASK;
	p = hash_get(&n->processes, gid);
	if (!p) {
		p = arena_alloc(&n->arena, sizeof(*p));
		p->gid = gid;
		hash_put(&n->processes, gid, p);
	}
	if (p->producer)
		return p;
	if (!n->machine_known)
		n->machine = machine_of(gid);
	n->machine_known = true;
	p->pid = gid >> TID_BITS & ID_MASK;
	id = machine_of(gid) == n->machine ? p->pid : gid;	/* a second machine's */
	p->producer = import_process(n->im, id, p->name.n ? p->name.s : NULL);
	return p;
}

struct nsys_thread *nsys_thread(struct nsys *n, u64 gid)
{
	struct nsys_thread *t;
	struct nsys_string *name;
	u64 tid;

	gid = gid ? gid : n->default_process;
	t = hash_get(&n->threads, gid);
	if (t)
		return t;
	t = arena_alloc(&n->arena, sizeof(*t));
	t->process = nsys_process(n, gid);
	name = hash_get(&n->thread_names, gid);
	tid = machine_of(gid) == n->machine ? gid & ID_MASK : gid;
	t->tid = import_tid(n->im, t->process->producer, tid, name ? name->s : NULL);
	hash_put(&n->threads, gid, t);
	return t;
}

/* "cf6b97c0-bf53-a39e-febd-9532190b5766", with or without "GPU-" */
static void parse_uuid(u8 uuid[16], const char *s)
{
	u32 digit = 0, value;

	if (!strncasecmp(s, "GPU-", 4))
		s += 4;
	for (; *s && digit < 32; s++) {
		if (!isxdigit((u8)*s))
			continue;
		value = isdigit((u8)*s) ? *s - '0' : (*s | 32) - 'a' + 10;
		uuid[digit / 2] = uuid[digit / 2] << 4 | value;
		digit++;
	}
}

static void read_gpus(struct nsys *n)
{
	enum { ID, NAME, BUS, MEMORY, SMS, UUID, CUDA, MAJOR, MINOR };
	static const char *const columns[] = {
		"id", "name|deviceName", "busLocation|busLocationStr",
		"totalMemory|globalMemory|memorySize", "smCount|numMultiprocessors", "uuid",
		"cuDevice", "computeMajor", "computeMinor",
	};
	static const char *const tables[] = { "TARGET_INFO_GPU", "TARGET_INFO_CUDA_GPU" };
	bool by_cuda = !db_has(n->db, "TARGET_INFO_CUDA_DEVICE");
	const char *table = tables[!db_has(n->db, tables[0])];
	struct device *d;
	struct db_scan s;
	unsigned int domain, bus, slot, function;
	const char *name;
	size_t size;

	NSYS_SELECT(n, &s, table, columns);
	while (db_next(&s)) {
		d = arena_alloc(&n->arena, sizeof(*d));
		name = db_text(&s, NAME, &size);
		import_fact(n->im, "gpu", name, size, 1);
		snprintf(d->name, sizeof(d->name), "%s", name);
		d->mem_bytes = db_int(&s, MEMORY);
		d->sm_count = db_int(&s, SMS);
		d->cc_major = db_int(&s, MAJOR);
		d->cc_minor = db_int(&s, MINOR);
		d->minor = ~0u;
		d->numa_node = -1;
		parse_uuid(d->uuid, db_text(&s, UUID, &size));
		if (sscanf(db_text(&s, BUS, &size), "%x:%x:%x.%x", &domain, &bus, &slot,
			   &function) == 4) {
			d->pci_domain = domain;
			d->pci_bus = bus;
			d->pci_device = slot;
			d->pci_function = function;
		}
		n->by_cuda_device |= by_cuda && !db_null(&s, CUDA);
		hash_put(&n->gpus, by_cuda && !db_null(&s, CUDA) ? db_int(&s, CUDA) :
			 db_int(&s, ID), d);
	}
	db_end(&s);
}

/* Which GPU an ordinal is may differ between processes (CUDA_VISIBLE_DEVICES). */
static void read_ordinals(struct nsys *n)
{
	enum { GPU, ORDINAL, PID, SMS };
	static const char *const columns[] = {
		"gpuId", "cudaId", "pid|processId", "numMultiprocessors",
	};
	struct device *gpu;
	struct db_scan s;

	NSYS_SELECT(n, &s, "TARGET_INFO_CUDA_DEVICE", columns);
	while (db_next(&s)) {
		gpu = hash_get(&n->gpus, db_int(&s, GPU));
		if (!gpu)
			continue;
		if (!gpu->sm_count)
			gpu->sm_count = db_int(&s, SMS);
		hash_put(&n->ordinals, (u64)db_int(&s, PID) << 32 | (u32)db_int(&s, ORDINAL),
			 gpu);
	}
	db_end(&s);
}

void nsys_device(struct nsys *n, struct nsys_process *p, u32 ordinal)
{
	struct device d = { .minor = ~0u, .numa_node = -1 }, *gpu;

	if (ordinal < 256) {
		if (p->devices[ordinal / 64] >> ordinal % 64 & 1)
			return;
		p->devices[ordinal / 64] |= 1ULL << ordinal % 64;
	}
	gpu = hash_get(&n->ordinals, p->pid << 32 | ordinal);
	if (!gpu)
		gpu = hash_get(&n->ordinals, ordinal);		/* of process 0: of all */
	if (!gpu && !n->ordinals.used)
		gpu = hash_get(&n->gpus, ordinal);
	if (gpu)
		d = *gpu;
	d.ordinal = ordinal;
	import_device(n->im, p->producer, &d);
}

static void read_processes(struct nsys *n)
{
	enum { GID, PID, NAME };
	static const char *const columns[] = { "globalPid", "pid", "name" };
	static const char *const names[] = { "globalTid", "nameId" };
	struct nsys_process *p;
	struct nsys_string *name;
	const char *text;
	struct db_scan s;
	size_t size;

	NSYS_SELECT(n, &s, "PROCESSES", columns);
	while (db_next(&s)) {
		p = arena_alloc(&n->arena, sizeof(*p));
		p->gid = (u64)db_int(&s, GID) & ~(u64)ID_MASK;
		text = db_text(&s, NAME, &size);
		p->name = keep(n, text, size);
		hash_put(&n->processes, p->gid, p);
	}
	db_end(&s);
	NSYS_SELECT(n, &s, "ThreadNames", names);
	while (db_next(&s)) {
		name = arena_alloc(&n->arena, sizeof(*name));
		*name = nsys_string(n, db_int(&s, 1));
		if (name->n)
			hash_put(&n->thread_names, db_int(&s, 0), name);
	}
	db_end(&s);
}

/* Old schemas have operations without a process: it is that of the calls. */
static void read_default(struct nsys *n)
{
	static const char *const columns[] = { "globalTid" };
	static const char *const tables[] = {
		"CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS", "OSRT_API",
	};
	struct db_scan s;
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]) && !n->default_process; i++) {
		db_select(n->db, &s, tables[i], columns, 1, "LIMIT 1");
		if (db_next(&s))
			n->default_process = (u64)db_int(&s, 0) & ~(u64)ID_MASK;
		db_end(&s);
	}
}

/* The numbers of kinds of memory are not those of CUPTI: they go by the labels. */
static void read_memory_kinds(struct nsys *n)
{
	static const char *const columns[] = { "id", "name" };
	static const struct { const char *end; u8 kind; } ends[] = {
		{ "PAGEABLE", MEMORY_PAGEABLE }, { "PINNED", MEMORY_PINNED },
		{ "MANAGED_STATIC", MEMORY_MANAGED_STATIC }, { "MANAGED", MEMORY_MANAGED },
		{ "DEVICE_STATIC", MEMORY_DEVICE_STATIC }, { "DEVICE", MEMORY_DEVICE },
		{ "ARRAY", MEMORY_ARRAY },
	};
	struct db_scan s;
	const char *name;
	size_t size, i, e;
	u64 id;

	for (i = 0; i < 7; i++)
		n->memory_kinds[i] = i + 1;	/* schema 3's, where the table is missing */
	NSYS_SELECT(n, &s, "ENUM_CUDA_MEM_KIND", columns);
	while (db_next(&s)) {
		id = db_int(&s, 0);
		name = db_text(&s, 1, &size);
		if (id >= sizeof(n->memory_kinds))
			continue;
		n->memory_kinds[id] = MEMORY_UNKNOWN;
		for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
			e = strlen(ends[i].end);
			if (size >= e && !strcasecmp(name + size - e, ends[i].end) &&
			    !n->memory_kinds[id])
				n->memory_kinds[id] = ends[i].kind;
		}
	}
	db_end(&s);
}

static void read_host_name(struct nsys *n)
{
	static const char *const columns[] = { "value" };
	struct db_scan s;
	size_t size;

	db_select(n->db, &s, "TARGET_INFO_SYSTEM_ENV", columns, 1,
		  "WHERE name = 'Hostname' LIMIT 1");
	if (db_next(&s))
		import_file_host(n->im, db_text(&s, 0, &size));
	db_end(&s);
}

int nsys_ids_read(struct nsys *n)
{
	read_default(n);
	read_processes(n);
	read_gpus(n);
	read_ordinals(n);
	read_memory_kinds(n);
	read_host_name(n);
	nsys_collectives_read(n);
	return 0;
}

void nsys_ids_free(struct nsys *n)
{
	db_end(&n->string);
	db_end(&n->chain);
	hash_free(&n->stacks);
	hash_free(&n->strings);
	hash_free(&n->names);
	hash_free(&n->processes);
	hash_free(&n->threads);
	hash_free(&n->thread_names);
	hash_free(&n->domains);
	hash_free(&n->collectives);
	hash_free(&n->gpus);
	hash_free(&n->ordinals);
	arena_free(&n->arena);
}
