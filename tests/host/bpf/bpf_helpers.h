/*
 * A host double of the BPF helpers: probes compile as plain C and run under a
 * sanitizer, without kernel or root. A map knows the sizes of its key and value
 * from the very members that declare them to libbpf.
 */
#ifndef HOST_BPF_HELPERS_H
#define HOST_BPF_HELPERS_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <linux/bpf.h>
#include "types.h"

#define SEC(name)
#define __uint(name, val) int (*name)[val]
#define __type(name, val) typeof(val) *name
#undef __always_inline
#define __always_inline inline

struct pt_regs { u64 di, si, dx, cx, r8, r9, ax, sp; };

static u64 host_now = 1000;		/* each look at the clock is 1 us later */
static u64 host_task = (u64)100 << 32 | 101;	/* pid 100, tid 101 */
static int host_ring_full;
static u64 host_unread;			/* bytes in the ring: what decides about wake-ups */
static u64 host_flags;			/* of the last record */

/* Records in order; all of them live until the program ends, so a write behind one is seen. */
#define HOST_RECORDS 64
static void *host_records[HOST_RECORDS];
static int host_count;

static void host_keep(void *record)
{
	assert(host_count < HOST_RECORDS);
	host_records[host_count++] = record;
}

static void host_forget(void)
{
	while (host_count)
		free(host_records[--host_count]);
}

static void *host_reserve(u64 size)
{
	assert(size % 8 == 0);
	return host_ring_full ? NULL : malloc(size);	/* not zeroed: as in the kernel */
}

static int host_output(const void *data, u64 size)
{
	void *copy = host_reserve(size);

	if (!copy)
		return -11;
	memcpy(copy, data, size);
	host_keep(copy);
	return 0;
}

static struct host_elem { void *map; char key[64]; void *value; } host_elems[64];
static int host_map_full;

static struct host_elem *host_find(void *map, const void *key, size_t n)
{
	for (int i = 0; i < 64; i++)
		if (host_elems[i].map == map && !memcmp(host_elems[i].key, key, n))
			return &host_elems[i];
	return NULL;
}

static int host_update(void *map, const void *key, size_t kn, const void *value, size_t vn)
{
	struct host_elem *e = host_find(map, key, kn);

	assert(kn <= sizeof(e->key));
	for (int i = 0; !e && !host_map_full && i < 64; i++)
		if (!host_elems[i].map)
			e = &host_elems[i];
	if (!e)
		return -7;
	e->map = map;
	memcpy(e->key, key, kn);
	free(e->value);
	e->value = malloc(vn);
	memcpy(e->value, value, vn);
	return 0;
}

static int host_delete(void *map, const void *key, size_t n)
{
	struct host_elem *e = host_find(map, key, n);

	if (!e)
		return -2;
	free(e->value);
	memset(e, 0, sizeof(*e));
	return 0;
}

/* Arrays hold all their elements from the beginning, zeroed. */
static void *host_lookup(void *map, const void *key, size_t kn, size_t vn, int array)
{
	struct host_elem *e = host_find(map, key, kn);
	void *zero;

	if (!e && array) {
		zero = calloc(1, vn);
		host_update(map, key, kn, zero, vn);
		free(zero);
		e = host_find(map, key, kn);
	}
	return e ? e->value : NULL;
}

/* User memory is our own; address 0 faults, a text ends at `n` bytes. */
static long host_read(void *to, u32 n, const void *from)
{
	memset(to, 0, from ? 0 : n);
	if (!from)
		return -14;
	memcpy(to, from, n);
	return 0;
}

static long host_read_str(char *to, u32 n, const char *from)
{
	u32 i = 0;

	if (!from)
		return -14;
	for (; i + 1 < n && from[i]; i++)
		to[i] = from[i];
	to[i] = '\0';
	return i + 1;
}

#define host_is_array(m) (sizeof(*(m)->type) == BPF_MAP_TYPE_PERCPU_ARRAY * sizeof(int))
#define bpf_map_lookup_elem(m, k) \
	host_lookup((m), (k), sizeof(*(m)->key), sizeof(*(m)->value), host_is_array(m))
#define bpf_map_update_elem(m, k, v, flags) \
	host_update((m), (k), sizeof(*(m)->key), (v), sizeof(*(m)->value))
#define bpf_map_delete_elem(m, k) host_delete((m), (k), sizeof(*(m)->key))
#define bpf_ktime_get_ns() (host_now += 1000)
#define bpf_get_current_pid_tgid() host_task
#define bpf_get_smp_processor_id() 3
#define bpf_tail_call(ctx, map, at) ((void)(ctx), (void)(map))
#define bpf_get_current_cgroup_id() 77
#define bpf_probe_read_user(to, n, from) host_read((to), (n), (from))
#define bpf_probe_read_user_str(to, n, from) host_read_str((void *)(to), (n), (from))
#define bpf_ringbuf_query(ring, what) host_unread
#define bpf_ringbuf_reserve(ring, n, flags) host_reserve(n)
#define bpf_ringbuf_submit(record, flags) (host_flags = (flags), host_keep(record))
#define bpf_ringbuf_discard(record, flags) free(record)
#define bpf_ringbuf_output(ring, data, n, flags)	\
	(host_flags = (flags), host_output((data), (n)))

#endif
