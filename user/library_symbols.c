// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where the functions of a library lie in its file: what a uprobe is attached by. */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "library.h"

struct library_symbols {
	int fd;
	Elf *elf;
};

struct library_symbols *library_symbols_open(const char *path)
{
	struct library_symbols *s = calloc(1, sizeof(*s));

	elf_version(EV_CURRENT);
	if (!s)
		return NULL;
	s->fd = open(path, O_RDONLY | O_CLOEXEC);
	s->elf = s->fd < 0 ? NULL : elf_begin(s->fd, ELF_C_READ_MMAP, NULL);
	if (s->elf && elf_kind(s->elf) == ELF_K_ELF)
		return s;
	library_symbols_close(s);
	return NULL;
}

void library_symbols_close(struct library_symbols *s)
{
	if (!s)
		return;
	elf_end(s->elf);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

static u64 file_offset(Elf *elf, u64 address)
{
	size_t n = 0;
	GElf_Phdr p;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, i, &p) && p.p_type == PT_LOAD && address >= p.p_vaddr &&
		    address - p.p_vaddr < p.p_filesz)
			return address - p.p_vaddr + p.p_offset;
	return 0;
}

static u64 in_section(Elf *elf, Elf_Scn *section, const GElf_Shdr *head, const char *name)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data && head->sh_entsize ? head->sh_size / head->sh_entsize : 0;
	GElf_Sym sym;

	for (size_t i = 0; i < n; i++) {
		const char *text;

		if (!gelf_getsym(data, i, &sym) || GELF_ST_TYPE(sym.st_info) != STT_FUNC ||
		    !sym.st_value)
			continue;
		text = elf_strptr(elf, head->sh_link, sym.st_name);
		if (text && !strcmp(text, name))
			return file_offset(elf, sym.st_value);
	}
	return 0;
}

u64 library_symbols_offset(const struct library_symbols *s, const char *name)
{
	Elf_Scn *section = NULL;
	GElf_Shdr head;
	u64 offset = 0;

	while (!offset && (section = elf_nextscn(s->elf, section)))
		if (gelf_getshdr(section, &head) &&
		    (head.sh_type == SHT_DYNSYM || head.sh_type == SHT_SYMTAB))
			offset = in_section(s->elf, section, &head, name);
	return offset;
}
