// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "kernel_functions.h"

enum { RANK_NAME, RANK_CLONE, RANK_PART, RANK_NONE };

struct line { u64 addr; const char *name, *module; size_t base; };	/* base: up to a '.' */

/* "ffffffff81000000 T name\t[module]"; false: no function. */
static bool read_line(char *text, struct line *l)
{
	char *p, *tab;

	l->addr = strtoull(text, &p, 16);
	if (p[0] != ' ' || !strchr("TtWw", p[1]) || p[2] != ' ')
		return false;
	p += 3;
	p[strcspn(p, "\n")] = '\0';
	tab = strchr(p, '\t');
	l->module = NULL;
	if (tab && tab[1] == '[') {
		*tab = '\0';
		l->module = tab + 2;
		tab[strcspn(tab + 1, "]") + 1] = '\0';
	}
	l->name = p;
	l->base = strcspn(p, ".");
	return true;
}

static bool is_pattern(const struct kernel_wanted *w)
{
	return memchr(w->name, '*', w->len) != NULL;
}

static u32 rank_of(const struct kernel_wanted *w, const struct line *l)
{
	char pattern[128];

	if (is_pattern(w)) {
		snprintf(pattern, sizeof(pattern), "%.*s", (int)w->len, w->name);
		return fnmatch(pattern, l->name, 0) || strstr(l->name, ".cold") ? RANK_NONE :
			RANK_NAME;
	}
	if (l->base != w->len || memcmp(l->name, w->name, w->len))
		return RANK_NONE;
	if (!l->name[l->base])
		return RANK_NAME;
	return strstr(l->name + l->base, ".cold") ? RANK_NONE :
		strstr(l->name + l->base, ".part") ? RANK_PART : RANK_CLONE;
}

static bool same_module(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Whatever ranks higher takes the place of what was found so far. */
static int take(struct kernel_wanted *w, const struct line *l)
{
	u32 rank = rank_of(w, l);
	struct kernel_function *f;

	if (rank == RANK_NONE)
		return 0;
	if (!same_module(w->module, l->module)) {
		w->twins += rank == RANK_NAME;
		return 0;
	}
	if (w->count && rank > w->rank)
		return 0;
	if (rank < w->rank)
		w->count = 0;
	f = reallocarray(w->found, w->count + 1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	w->found = f;
	w->rank = rank;
	f[w->count].addr = l->addr;
	snprintf(f[w->count].name, sizeof(f->name), "%s", l->name);
	w->count++;
	return 0;
}

/* "name" or "name [module]" */
static void mark_traceable(struct kernel_wanted *w, char *text, bool *yes)
{
	char *end = text + strcspn(text, " \n"), *module = NULL;

	if (*end == ' ' && end[1] == '[') {
		module = end + 2;
		module[strcspn(module, "]")] = '\0';
	}
	*end = '\0';
	if (!same_module(w->module, module))
		return;
	for (u32 i = 0; i < w->count; i++)
		yes[i] |= !strcmp(w->found[i].name, text);
}

/* Of what a pattern found, only functions that can be probed: one that cannot would fail them
 * all. Where the list cannot be read, all stay. */
static void keep_traceable(struct kernel_wanted *w)
{
	FILE *f = fopen("/sys/kernel/tracing/available_filter_functions", "re");
	bool *yes = calloc(w->count + 1, sizeof(*yes));
	char text[1024];
	u32 n = 0;

	while (f && yes && fgets(text, sizeof(text), f))
		mark_traceable(w, text, yes);
	for (u32 i = 0; f && yes && i < w->count; i++)
		if (yes[i])
			w->found[n++] = w->found[i];
	if (f && yes)
		w->count = n;
	if (f)
		fclose(f);
	free(yes);
}

int kernel_functions_find(struct kernel_wanted *wanted, size_t n)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	bool first[256] = {};		/* letters that a wanted name begins with */
	char text[1024];
	struct line l;
	int err = 0;

	if (!f)
		return -errno;
	setvbuf(f, NULL, _IOFBF, 1 << 17);
	for (size_t i = 0; i < n; i++) {
		wanted[i].rank = RANK_NONE;
		first[(u8)wanted[i].name[0]] = true;
	}
	while (!err && fgets(text, sizeof(text), f)) {
		if (!read_line(text, &l) || !(first[(u8)l.name[0]] || first['*']))
			continue;
		for (size_t i = 0; i < n && !err; i++)
			err = take(&wanted[i], &l);
	}
	fclose(f);
	for (size_t i = 0; i < n && !err; i++)
		if (wanted[i].count && is_pattern(&wanted[i]))
			keep_traceable(&wanted[i]);
	return err;
}

void kernel_functions_free(struct kernel_wanted *wanted, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(wanted[i].found);
}

enum module_state kernel_module(const char *name, u64 *id)
{
	char path[128], state[16] = "";
	struct stat st;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/%s", name);
	if (id)
		*id = 0;
	if (stat(path, &st))
		return MODULE_ABSENT;
	if (id)
		*id = st.st_ino;	/* sysfs numbers its directories as they are made */
	snprintf(path, sizeof(path), "/sys/module/%s/initstate", name);
	f = fopen(path, "re");
	if (!f && errno == ENOENT) {
		usleep(1000);	/* the directory of one that comes is made before its files */
		f = fopen(path, "re");
	}
	if (!f)
		return errno == ENOENT ? MODULE_BUILTIN : MODULE_LIVE;
	if (!fgets(state, sizeof(state), f))
		state[0] = '\0';
	fclose(f);
	return !strcmp(state, "live\n") ? MODULE_LIVE : MODULE_COMES_OR_GOES;
}
