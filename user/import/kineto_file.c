// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a trace of PyTorch's profiler says beside its events: the GPUs, the
 * rank, the groups of ranks. Only fields that are named here are taken:
 * other metadata holds the environment and what a cluster knows of its users.
 */
#include <stdlib.h>
#include <string.h>
#include "chrome.h"

static bool is(const struct scan_text *key, const char *name)
{
	return key->n == strlen(name) && !memcmp(key->s, name, key->n);
}

static int read_number(struct chrome *c, u64 *out, bool *found)
{
	struct scan_text t;
	bool quoted;
	int r = scan_scalar(&c->scan, &t, &quoted);

	if (r > 0 && scan_whole(t.s, t.n, out))
		*found = true;
	return r;
}

static int read_text(struct chrome *c, char *out, size_t size)
{
	struct scan_text t;
	struct chrome_text kept;
	bool quoted;
	int r = scan_scalar(&c->scan, &t, &quoted);

	if (r <= 0 || !quoted)
		return r;
	kept = chrome_keep(c, &t);
	kept.n = kept.n < size ? kept.n : size - 1;
	memcpy(out, kept.s, kept.n);
	out[kept.n] = '\0';
	return r;
}

static int device_member(struct chrome *c, struct device *d, const struct scan_text *key)
{
	bool found = false;
	u64 v = 0;
	int r;

	if (is(key, "name"))
		return read_text(c, d->name, sizeof(d->name));
	if (scan_peek(&c->scan) == '"' || scan_peek(&c->scan) == '{' ||
	    scan_peek(&c->scan) == '[')
		return scan_skip(&c->scan);
	if (is(key, "id")) {
		r = read_number(c, &v, &found);
		d->ordinal = found ? v : d->ordinal;
	} else if (is(key, "totalGlobalMem")) {
		r = read_number(c, &d->mem_bytes, &found);
	} else if (is(key, "computeMajor")) {
		r = read_number(c, &v, &found);
		d->cc_major = v;
	} else if (is(key, "computeMinor")) {
		r = read_number(c, &v, &found);
		d->cc_minor = v;
	} else if (is(key, "numSms") || is(key, "maxComputeUnits")) {
		r = read_number(c, &v, &found);
		d->sm_count = v;
	} else {
		r = scan_skip(&c->scan);
	}
	return r;
}

static int read_device(struct chrome *c)
{
	struct device d = { .ordinal = c->properties_n, .minor = ~0u, .numa_node = -1 };
	struct scan_text key, copy;
	char name[64];
	int r;

	chrome_clear(c);
	while ((r = scan_key(&c->scan, &key)) > 0) {
		copy = key;		/* the key does not outlive a look at its value */
		copy.n = key.n < sizeof(name) ? key.n : 0;
		memcpy(name, key.s, copy.n);
		copy.s = name;
		r = device_member(c, &d, &copy);
		if (r <= 0)
			return r;
	}
	if (r < 0)
		return r;
	if (c->properties_n < 4096) {
		c->properties = must_realloc(c->properties,
					     (c->properties_n + 1) * sizeof(d));
		c->properties[c->properties_n++] = d;
	}
	import_fact(c->im, "devices", "", 0, 1);
	import_fact(c->im, "gpu", d.name, strlen(d.name), 1);
	return 1;
}

/* At the value of deviceProperties: [{...}, ...] */
int kineto_properties(struct chrome *c)
{
	int r;

	if (!scan_enter(&c->scan, '['))
		return scan_skip(&c->scan);
	while ((r = scan_item(&c->scan)) > 0) {
		r = scan_enter(&c->scan, '{') ? read_device(c) : scan_skip(&c->scan);
		if (r <= 0)
			return r;
	}
	return r < 0 ? r : 1;
}

/* {"pg_name": "0", "pg_desc": "default_pg", "pg_size": 2, ...} */
static int read_group(struct chrome *c)
{
	struct scan_text key;
	char name[128] = "";
	bool found = false;
	u64 size = 0;
	int r;

	while ((r = scan_key(&c->scan, &key)) > 0) {
		if (is(&key, "pg_name"))
			r = read_text(c, name, sizeof(name));
		else if (is(&key, "pg_size"))
			r = read_number(c, &size, &found);
		else
			r = scan_skip(&c->scan);
		if (r <= 0)
			return r;
	}
	if (!r)
		import_fact(c->im, "process group", name, strlen(name), size);
	return r < 0 ? r : 1;
}

/* pg_config: [{...}, ...] */
static int read_groups(struct chrome *c)
{
	int r;

	if (!scan_enter(&c->scan, '['))
		return scan_skip(&c->scan);
	while ((r = scan_item(&c->scan)) > 0) {
		chrome_clear(c);
		r = scan_enter(&c->scan, '{') ? read_group(c) : scan_skip(&c->scan);
		if (r <= 0)
			return r;
	}
	return r < 0 ? r : 1;
}

/* At the value of distributedInfo: {"backend": "nccl", "rank": 3, "world_size": 8, ...} */
int kineto_distributed(struct chrome *c)
{
	bool has_rank = false, has_world = false;
	char backend[64] = "";
	struct scan_text key;
	u64 rank = 0, world = 0;
	int r;

	if (!scan_enter(&c->scan, '{'))
		return scan_skip(&c->scan);
	chrome_clear(c);
	while ((r = scan_key(&c->scan, &key)) > 0) {
		if (is(&key, "rank"))
			r = read_number(c, &rank, &has_rank);
		else if (is(&key, "world_size"))
			r = read_number(c, &world, &has_world);
		else if (is(&key, "backend"))
			r = read_text(c, backend, sizeof(backend));
		else if (is(&key, "pg_config"))
			r = read_groups(c);
		else
			r = scan_skip(&c->scan);
		if (r <= 0)
			return r;
	}
	if (r < 0)
		return r;
	if (has_rank) {
		c->ranked = true;
		import_file_rank(c->im, rank, world);
		import_fact(c->im, "distributed", "rank", 4, rank);
	}
	if (has_world)
		import_fact(c->im, "distributed", "world_size", 10, world);
	if (backend[0])
		import_fact(c->im, "backend", backend, strlen(backend), 1);
	return 1;
}

/* Devices belong to the process of the GPU operations, which is known only now. */
void kineto_end(struct chrome *c)
{
	struct chrome_process *p;
	struct hash_slot *slot;
	size_t at = 0;

	if (c->main)
		for (u32 i = 0; i < c->properties_n; i++)
			import_device(c->im, c->main->producer, &c->properties[i]);
	while ((slot = hash_next(&c->devices, &at))) {
		struct device d = { .ordinal = slot->key - 1, .minor = ~0u, .numa_node = -1 };

		p = slot->value;
		import_device(c->im, p->producer, &d);
	}
	hash_free(&c->devices);
	hash_free(&c->collectives);
	free(c->properties);
}
