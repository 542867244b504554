// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rows are looked up, never cleared: what is added between a look and a clear
 * would be lost, and a recording could not be replayed. Keys are listed before
 * rows are taken out: the kernel's walk starts anew at a key that is gone.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <bpf/bpf.h>
#include "arena.h"
#include "clock.h"
#include "hash.h"
#include "log.h"
#include "source_rows.h"

struct seen {			/* a row as it was last */
	u64 count;
	struct seen *next;	/* of equal hash */
	char key[];
};

struct source_rows {
	int map;
	u32 key_size, value_size, max;
	u64 interval, last_ns;
	bool host_ids;		/* the ids in rows are those that kill() takes */
	struct hash seen;
	char *keys;
	struct sum_head *row;
};

/* BPF counts in the outermost pid namespace; PROC_PID_INIT_INO. */
static bool in_host_namespace(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == 0xEFFFFFFC;
}

struct source_rows *source_rows_new(int map)
{
	struct source_rows *r = must_alloc(sizeof(*r));
	struct bpf_map_info info = {};
	u32 size = sizeof(info);

	*r = (struct source_rows){ .map = map, .last_ns = now_ns(),
				   .host_ids = in_host_namespace() };
	if (bpf_obj_get_info_by_fd(map, &info, &size) || info.value_size < sizeof(*r->row)) {
		fail(errno, "cannot read the sums of the probes");
		free(r);
		return NULL;
	}
	r->key_size = info.key_size;
	r->value_size = info.value_size;
	r->max = info.max_entries;
	r->row = must_alloc(info.value_size);
	r->keys = must_alloc((size_t)info.key_size * info.max_entries);
	return r;
}

static u32 list_keys(struct source_rows *r)
{
	char *key = NULL, *next = r->keys;
	u32 n = 0;

	while (n < r->max && !bpf_map_get_next_key(r->map, key, next)) {
		key = next;
		next += r->key_size;
		n++;
	}
	return n;
}

static struct seen *seen_find(struct source_rows *r, const char *key, u64 hash)
{
	struct seen *s = hash_get(&r->seen, hash);

	while (s && memcmp(s->key, key, r->key_size))
		s = s->next;
	return s;
}

static struct seen *seen_add(struct source_rows *r, const char *key, u64 hash)
{
	struct seen *s = must_alloc(sizeof(*s) + r->key_size);

	s->count = 0;
	s->next = hash_get(&r->seen, hash);
	memcpy(s->key, key, r->key_size);
	hash_put(&r->seen, hash, s);
	return s;
}

static void seen_drop(struct source_rows *r, struct seen *s, u64 hash)
{
	struct seen *head = hash_get(&r->seen, hash), **at = &head;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	if (head)
		hash_put(&r->seen, hash, head);
	else
		hash_take(&r->seen, hash);
	free(s);
}

static bool is_gone(const struct source_rows *r, u32 pid)
{
	return r->host_ids && pid && kill(pid, 0) && errno == ESRCH;
}

/* Dead is asked before the row is read: so nothing is added behind. */
static int read_row(struct source_rows *r, const char *key, u64 now,
		    int (*put)(void *ctx, const struct event *e), void *ctx)
{
	u64 hash = hash_bytes(key, r->key_size);
	struct seen *s = seen_find(r, key, hash);
	bool gone;
	int err = 0;

	if (bpf_map_lookup_elem(r->map, key, r->row))
		return 0;
	gone = is_gone(r, r->row->e.pid);
	if (gone && bpf_map_lookup_elem(r->map, key, r->row))
		return 0;
	if (!r->row->count || r->row->e.size > r->value_size)
		return 0;	/* it is just being made */
	if (!s)
		s = seen_add(r, key, hash);
	if (r->row->count != s->count) {
		s->count = r->row->count;
		r->row->e.ts = now;
		r->row->from_ns = r->last_ns;
		r->row->interval = r->interval;
		err = put(ctx, &r->row->e);
	}
	if (gone) {
		bpf_map_delete_elem(r->map, key);
		seen_drop(r, s, hash);
	}
	return err;
}

int source_rows_read(struct source_rows *r, int (*put)(void *ctx, const struct event *e),
		     void *ctx)
{
	u64 now = now_ns();
	u32 n = list_keys(r);
	int err = 0;

	r->interval++;
	for (u32 i = 0; i < n && !err; i++)
		err = read_row(r, r->keys + (size_t)i * r->key_size, now, put, ctx);
	r->last_ns = now;
	return err;
}

void source_rows_free(struct source_rows *r)
{
	struct hash_slot *slot;
	size_t at = 0;

	if (!r)
		return;
	while ((slot = hash_next(&r->seen, &at)))
		for (struct seen *s = slot->value, *next; s; s = next) {
			next = s->next;
			free(s);
		}
	hash_free(&r->seen);
	free(r->keys);
	free(r->row);
	free(r);
}
