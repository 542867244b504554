// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Kernel names in what a program loads as a module: PTX text (.entry NAME), a cubin (sections
 * .text.NAME), or a fat binary of those. The driver is not told the size of an image, so each
 * form is read by the sizes in its own headers; PTX ends at its NUL.
 */
#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "cudart_abi.h"
#include "engine.h"

static int name_add(struct image *image, const char *name, size_t n)
{
	char **grown, *copy;

	for (size_t i = 0; i < image->count; i++)
		if (!strncmp(image->names[i], name, n) && !image->names[i][n])
			return 0;
	if (!(image->count & (image->count + 1))) {	/* room doubles when count is 2^k - 1 */
		grown = realloc(image->names, (2 * image->count + 2) * sizeof(*grown));
		if (!grown)
			return -1;
		image->names = grown;
	}
	copy = strndup(name, n);
	if (!copy)
		return -1;
	image->names[image->count++] = copy;
	return 0;
}

static bool name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

/* Comments are not stripped: no compiler writes .entry into one. */
static int ptx_parse(const char *text, size_t size, struct image *image)
{
	const char *p = text, *end = text + strnlen(text, size), *name;

	while ((p = memmem(p, end - p, ".entry", 6))) {
		p += 6;
		while (p < end && isspace((unsigned char)*p))
			p++;
		for (name = p; p < end && name_char(*p); p++)
			;
		if (p > name && name_add(image, name, p - name))
			return -1;
	}
	return 0;
}

static int elf_parse(const char *data, struct image *image)
{
	const Elf64_Ehdr *e = (const void *)data;
	const Elf64_Shdr *s = (const void *)(data + e->e_shoff);
	const char *names, *name;

	if (e->e_ident[EI_CLASS] != ELFCLASS64 || !e->e_shoff || e->e_shstrndx >= e->e_shnum)
		return -1;
	names = data + s[e->e_shstrndx].sh_offset;
	for (int i = 0; i < e->e_shnum; i++) {
		name = names + s[i].sh_name;
		if (!strncmp(name, ".text.", 6) && name_add(image, name + 6, strlen(name + 6)))
			return -1;
	}
	return 0;
}

static int fatbin_parse(const char *data, struct image *image)
{
	const struct fatbin_header *h = (const void *)data;
	const char *p = data + h->header_bytes, *end = p + h->bytes;

	while (p + sizeof(struct fatbin_entry) <= end) {
		const struct fatbin_entry *e = (const void *)p;
		const char *payload = p + e->header_bytes;

		if (!e->header_bytes || e->bytes > (uint64_t)(end - payload))
			return -1;
		if (e->flags & (FATBIN_LZ4 | FATBIN_ZSTD) || e->compressed_bytes)
			image->opaque = true;
		else if (e->kind == FATBIN_PTX && ptx_parse(payload, e->bytes, image))
			return -1;
		else if (e->kind == FATBIN_ELF && elf_parse(payload, image))
			return -1;
		p = payload + e->bytes;
	}
	return 0;
}

/* 0, or -1 when data is in no form we know. */
int image_parse(const void *data, struct image *image)
{
	const struct fatbin_wrapper *w = data;
	uint32_t magic = w->magic;

	if (magic == FATBIN_WRAPPER_MAGIC)
		return fatbin_parse(w->data, image);
	if (magic == FATBIN_MAGIC)
		return fatbin_parse(data, image);
	if (!memcmp(data, ELFMAG, SELFMAG))
		return elf_parse(data, image);
	if (strstr(data, ".version"))
		return ptx_parse(data, SIZE_MAX, image);
	return -1;
}
