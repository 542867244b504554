// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Readable names of C++ (and legacy Rust) functions, by libstdc++; each is made
 * once and kept. libstdc++ refuses names above 1,024 characters, which CUTLASS
 * kernels have: of those the qualified name is read here, and a hash stands for
 * the template arguments, so that different kernels stay different.
 */
#include <ctype.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "symbols.h"

/* of libstdc++, whose headers are C++ */
extern char *__cxa_demangle(const char *name, char *buf, size_t *len, int *status);

struct entry {
	char *name, *readable;	/* readable: the same as name when nothing is known */
};

static struct entry *entries;	/* open addressing, a power of two */
static size_t used, size;

static size_t hash(const char *s)
{
	u64 h = 14695981039346656037ULL;

	for (; *s; s++)
		h = (h ^ (u8)*s) * 1099511628211ULL;
	return h ^ h >> 32;
}

static struct entry *entry_find(const char *name)
{
	size_t i = hash(name) & (size - 1);

	while (entries[i].name && strcmp(entries[i].name, name))
		i = (i + 1) & (size - 1);
	return &entries[i];
}

static void grow(void)
{
	struct entry *old = entries;
	size_t n = size;

	size = size ? size * 2 : 1024;
	entries = calloc(size, sizeof(*entries));
	if (!entries)
		err(1, "cannot keep %zu names in memory", size);
	for (size_t i = 0; i < n; i++)
		if (old[i].name)
			*entry_find(old[i].name) = old[i];
	free(old);
}

/* Legacy Rust ends in "::h" and 16 hex digits that say nothing to people. */
static void drop_rust_hash(char *s)
{
	size_t len = strlen(s);
	char *h = len > 19 ? s + len - 19 : NULL;

	if (!h || memcmp(h, "::h", 3))
		return;
	for (int i = 3; i < 19; i++)
		if (!isxdigit((unsigned char)h[i]))
			return;
	*h = 0;
}

/* "_ZN1a1bI...": "a::b<#HASH>"; NULL when it does not begin with plain names. */
static char *shorten(const char *name)
{
	char *out = malloc(strlen(name) + 32), *end, *to = out;
	const char *from = name + 2;
	bool nested = *from == 'N';
	unsigned long n;

	if (!out)
		return NULL;
	from += nested;
	while (isdigit((unsigned char)*from)) {
		n = strtoul(from, &end, 10);
		if (!n || n > strlen(end))
			break;
		to += sprintf(to, "%s%.*s", to == out ? "" : "::", (int)n, end);
		from = end + n;
		if (!nested)
			break;
	}
	if (to == out) {
		free(out);
		return NULL;
	}
	sprintf(to, *from == 'I' ? "<#%08x>" : "#%08x", (u32)hash(name));
	return out;
}

const char *demangle(const char *name)
{
	struct entry *e;
	int status;

	if (used * 2 >= size)
		grow();
	e = entry_find(name);
	if (e->name)
		return e->readable;
	e->name = strdup(name);
	if (!e->name)
		err(1, "cannot keep a name in memory");
	if (!strncmp(name, "_Z", 2))
		e->readable = __cxa_demangle(name, NULL, NULL, &status) ?: shorten(name);
	if (e->readable)
		drop_rust_hash(e->readable);
	else
		e->readable = e->name;
	used++;
	return e->readable;
}

void demangle_free_all(void)
{
	for (size_t i = 0; i < size; i++) {
		if (entries[i].readable != entries[i].name)
			free(entries[i].readable);
		free(entries[i].name);
	}
	free(entries);
	entries = NULL;
	used = size = 0;
}
