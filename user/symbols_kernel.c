// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The kernel's own names, from /proc/kallsyms: read once, sorted by address. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "symbols.h"

#define REACH (1u << 20)	/* no function is longer: beyond it the address is nobody's */

struct kernel_symbol {
	u64 addr;
	u32 name, module;	/* in strings; module 0: the kernel proper */
};

struct kernel_symbols {
	struct kernel_symbol *list;
	size_t n, room;
	char *strings;
	size_t used, size;
	u32 last_module;	/* lines of one module stand together */
};

static u32 keep_string(struct kernel_symbols *s, const char *text)
{
	size_t len = strlen(text) + 1;
	char *p;

	if (s->used + len > s->size) {
		s->size = (s->used + len) * 2 + (1 << 20);
		p = realloc(s->strings, s->size);
		if (!p)
			return 0;
		s->strings = p;
		s->strings[0] = 0;
	}
	memcpy(s->strings + s->used, text, len);
	s->used += len;
	return s->used - len;
}

/* "ffffffff81000000 T name\t[module]": text symbols only. */
static void add_line(struct kernel_symbols *s, char *line)
{
	char *save, *type, *name, *module, *end;
	u64 addr = strtoull(line, &end, 16);

	type = strtok_r(end, " \t\n", &save);
	name = type ? strtok_r(NULL, " \t\n", &save) : NULL;
	if (!addr || !name || !strchr("TtWw", *type))
		return;
	if (s->n == s->room) {
		size_t room = s->room * 2 + 65536;
		struct kernel_symbol *list = realloc(s->list, room * sizeof(*list));

		if (!list)
			return;
		s->list = list;
		s->room = room;
	}
	module = strtok_r(NULL, " \t\n[]", &save);
	if (module && (!s->last_module || strcmp(s->strings + s->last_module, module)))
		s->last_module = keep_string(s, module);
	s->list[s->n++] = (struct kernel_symbol){ addr, keep_string(s, name),
						  module ? s->last_module : 0 };
}

static int by_addr(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

struct kernel_symbols *kernel_symbols_open(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	struct kernel_symbols *s = calloc(1, sizeof(*s));
	char line[1024];

	if (s)
		s->used = 1;	/* offset 0: no string */
	if (f)
		setvbuf(f, NULL, _IOFBF, 1 << 17);
	while (s && f && fgets(line, sizeof(line), f))
		add_line(s, line);
	if (f)
		fclose(f);
	if (!s || !s->n) {
		kernel_symbols_free(s);
		return NULL;
	}
	qsort(s->list, s->n, sizeof(*s->list), by_addr);
	return s;
}

const char *kernel_symbols_find(const struct kernel_symbols *s, u64 addr, u64 *distance,
				const char **module)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->list[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || addr - s->list[lo - 1].addr >= REACH)
		return NULL;
	lo--;
	while (lo && s->list[lo - 1].addr == s->list[lo].addr)
		lo--;	/* aliases: always the same one, the first in the kernel's list */
	if (distance)
		*distance = addr - s->list[lo].addr;
	if (module)
		*module = s->list[lo].module ? s->strings + s->list[lo].module : NULL;
	return s->strings + s->list[lo].name;
}

void kernel_symbols_free(struct kernel_symbols *s)
{
	if (!s)
		return;
	free(s->list);
	free(s->strings);
	free(s);
}
