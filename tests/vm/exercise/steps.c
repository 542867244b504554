// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The steps of a script. SIZE and the like take k, m, g; PLACE is cpu or gpu0 and
 * up; RANGE is NAME or NAME+OFFSET.
 *
 *   alloc NAME SIZE                 managed memory; nothing is touched yet
 *   free NAME
 *   cpu read|write RANGE N [STRIDE] the CPU touches N pages
 *   fill RANGE SIZE BYTE            the CPU writes; check RANGE SIZE BYTE: it reads
 *   gpu G read|write|atomic|prefetch RANGE N [STRIDE] [OPTION=VALUE]...
 *                                   N faults, exactly, whatever is mapped
 *   access G read|write RANGE SIZE  as a kernel does: faults only where needed
 *   gfill G RANGE SIZE BYTE         the GPU writes; gcheck: it reads and compares
 *   migrate RANGE SIZE PLACE        the migration call
 *   prefer RANGE SIZE PLACE|none    preferred location
 *   accessed RANGE SIZE PLACE on|off
 *   readdup RANGE SIZE on|off
 *   peer G G                        peer access by PCIe
 *   notify G RANGE N [STRIDE]       access counter notifications
 *   thrash G RANGE ROUNDS [refault] the GPU and the CPU write a page in turn
 *   fatal G [ACCESS] [nonreplayable] a fault where nothing is
 *   xid G CODE TEXT...              the driver's error message, in this process's name
 *   storm NAME SEED ROUNDS          random accesses of all kinds
 *   where RANGE                     where the driver says that the page is
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exercise.h"

uint64_t number_of(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 0);

	switch (*end) {
	case 'k': n <<= 10; end++; break;
	case 'm': n <<= 20; end++; break;
	case 'g': n <<= 30; end++; break;
	}
	if (*end || end == text)
		die("not a number: %s", text);
	return n;
}

int place_of_name(struct process *p, const char *text)
{
	unsigned int gpu;

	if (!strcmp(text, "cpu"))
		return SOFTGPU_CPU;
	if (!strcmp(text, "none"))
		return SOFTGPU_NONE;
	if (sscanf(text, "gpu%u", &gpu) != 1 && sscanf(text, "%u", &gpu) != 1)
		die("not a place: %s", text);
	if (gpu >= p->gpu.gpus)
		die("there is no %s", text);
	return gpu;
}

static struct range *range_find(struct process *p, const char *name, size_t n)
{
	struct range *r;

	for (r = p->ranges; r < p->ranges + RANGES; r++)
		if (r->p && strlen(r->name) == n && !strncmp(r->name, name, n))
			return r;
	return NULL;
}

/* The address that NAME+OFFSET means, with room for need bytes. */
char *at(struct process *p, const char *text, size_t need)
{
	size_t n = strcspn(text, "+"), offset = text[n] ? number_of(text + n + 1) : 0;
	struct range *r = range_find(p, text, n);

	if (!r)
		die("no memory has the name %.*s", (int)n, text);
	if (offset + need > r->size)
		die("%s: %zu bytes go beyond its end", text, need);
	return r->p + offset;
}

int option(int n, char **words, const char *name, int64_t *value)
{
	size_t len = strlen(name);
	int i;

	for (i = 0; i < n; i++) {
		if (strncmp(words[i], name, len))
			continue;
		if (words[i][len] == '=')
			*value = number_of(words[i] + len + 1);
		if (!words[i][len] || words[i][len] == '=')
			return 1;
	}
	return 0;
}

/* xorshift64: the same numbers for the same seed everywhere */
uint64_t draw(struct process *p, uint64_t below)
{
	uint64_t x = p->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	p->random = x;
	return (x >> 11) % below;
}

static void done(int err)
{
	if (err)
		die("%s", softgpu_error());
}

static void step_alloc(struct process *p, int n, char **w)
{
	struct range *r = p->ranges;

	(void)n;
	while (r < p->ranges + RANGES && r->p)
		r++;
	if (r == p->ranges + RANGES)
		die("too many allocations");
	snprintf(r->name, sizeof(r->name), "%s", w[1]);
	r->size = number_of(w[2]);
	r->p = softgpu_managed(&p->gpu, NULL, r->size);
	if (!r->p)
		done(-1);
	truth("alloc name=%s addr=%p bytes=%zu", r->name, (void *)r->p, r->size);
}

static void step_free(struct process *p, int n, char **w)
{
	struct range *r = range_find(p, w[1], strlen(w[1]));

	(void)n;
	if (!r)
		die("no memory has the name %s", w[1]);
	done(softgpu_free(&p->gpu, r->p, r->size));
	truth("free name=%s addr=%p bytes=%zu", r->name, (void *)r->p, r->size);
	r->p = NULL;
}

static void step_fill(struct process *p, int n, char **w)
{
	size_t size = number_of(w[2]);

	(void)n;
	memset(at(p, w[1], size), number_of(w[3]), size);
}

static void compare(const unsigned char *b, size_t size, unsigned int byte, const char *name)
{
	size_t i;

	for (i = 0; i < size; i++)
		if (b[i] != byte)
			die("%s: byte %zu is 0x%x, not 0x%x", name, i, b[i], byte);
	truth("check name=%s bytes=%zu byte=0x%x ok=1", name, size, byte);
}

static void step_check(struct process *p, int n, char **w)
{
	size_t size = number_of(w[2]);

	(void)n;
	compare((unsigned char *)at(p, w[1], size), size, number_of(w[3]), w[1]);
}

static void step_gfill(struct process *p, int n, char **w)
{
	size_t size = number_of(w[3]);
	char *from = malloc(size), *to = at(p, w[2], size);
	uint64_t faults = 0;
	int gpu = place_of_name(p, w[1]);

	(void)n;
	memset(from, number_of(w[4]), size);
	done(softgpu_write(&p->gpu, gpu, to, from, size, &faults));
	free(from);
	truth("access gpu=%s access=write addr=%p bytes=%zu faults=%llu", place_name(gpu), (void *)to, size,
	      (unsigned long long)faults);
}

static void step_gcheck(struct process *p, int n, char **w)
{
	size_t size = number_of(w[3]);
	char *to = malloc(size), *from = at(p, w[2], size);
	uint64_t faults = 0;
	int gpu = place_of_name(p, w[1]);

	(void)n;
	done(softgpu_read(&p->gpu, gpu, to, from, size, &faults));
	truth("access gpu=%s access=read addr=%p bytes=%zu faults=%llu", place_name(gpu), (void *)from, size,
	      (unsigned long long)faults);
	compare((unsigned char *)to, size, number_of(w[4]), w[2]);
	free(to);
}

static void step_migrate(struct process *p, int n, char **w)
{
	size_t size = number_of(w[2]);

	(void)n;
	done(softgpu_migrate(&p->gpu, at(p, w[1], size), size, place_of_name(p, w[3])));
	truth("migrate addr=%p bytes=%zu to=%s", (void *)at(p, w[1], size), size, w[3]);
}

static void step_prefer(struct process *p, int n, char **w)
{
	size_t size = number_of(w[2]);

	(void)n;
	done(softgpu_prefer(&p->gpu, at(p, w[1], size), size, place_of_name(p, w[3])));
}

static int on(const char *word)
{
	if (strcmp(word, "on") && strcmp(word, "off"))
		die("neither on nor off: %s", word);
	return word[1] == 'n';
}

static void step_accessed(struct process *p, int n, char **w)
{
	size_t size = number_of(w[2]);

	(void)n;
	done(softgpu_accessed_by(&p->gpu, at(p, w[1], size), size, place_of_name(p, w[3]),
				 on(w[4])));
}

static void step_readdup(struct process *p, int n, char **w)
{
	size_t size = number_of(w[2]);

	(void)n;
	done(softgpu_read_duplication(&p->gpu, at(p, w[1], size), size, on(w[3])));
}

static void step_peer(struct process *p, int n, char **w)
{
	(void)n;
	done(softgpu_peer(&p->gpu, place_of_name(p, w[1]), place_of_name(p, w[2])));
}

static void step_xid(struct process *p, int n, char **w)
{
	struct fakerm_xid x = {
		.gpu = place_of_name(p, w[1]), .code = number_of(w[2]), .pid = p->gpu.client
	};
	size_t used = 0;
	int i;

	for (i = 3; i < n && used < sizeof(x.text); i++)
		used += snprintf(x.text + used, sizeof(x.text) - used, "%s%s", i > 3 ? " " : "",
				 w[i]);
	done(softgpu_xid(&p->gpu, &x));
	truth("xid gpu=%s code=%u name=%s", place_name(x.gpu), x.code, x.name);
}

static void step_where(struct process *p, int n, char **w)
{
	(void)n;
	where(&p->gpu, at(p, w[1], 1));
}

void step(struct process *p, int n, char **words)
{
	static const struct {
		const char *name;
		int words;
		void (*run)(struct process *p, int n, char **words);
	} table[] = {
		{ "alloc", 3, step_alloc }, { "free", 2, step_free },
		{ "cpu", 4, step_cpu }, { "fill", 4, step_fill }, { "check", 4, step_check },
		{ "gpu", 5, step_gpu }, { "access", 5, step_access },
		{ "gfill", 5, step_gfill }, { "gcheck", 5, step_gcheck },
		{ "migrate", 4, step_migrate }, { "prefer", 4, step_prefer },
		{ "accessed", 5, step_accessed }, { "readdup", 4, step_readdup },
		{ "peer", 3, step_peer }, { "notify", 4, step_notify },
		{ "thrash", 4, step_thrash }, { "fatal", 2, step_fatal },
		{ "storm", 4, step_storm }, { "xid", 4, step_xid }, { "where", 2, step_where },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcmp(table[i].name, words[0]))
			continue;
		if (n < table[i].words)
			die("%s wants %d words (see the head of tests/vm/exercise/steps.c)", words[0],
			    table[i].words - 1);
		table[i].run(p, n, words);
		return;
	}
	die("no such step: %s", words[0]);
}
