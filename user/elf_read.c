// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Headers, sections and the build id of an ELF file that may be anything; see elf_read.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "elf_read.h"

#define SECTION_MAX (2ULL << 30)	/* the largest symbol tables in use are some 100 MB */
#define NOTES_MAX   65536

static bool read_at(const struct elf_read *elf, void *buf, u64 offset, u64 size)
{
	u64 got = 0;
	ssize_t n;

	for (; got < size; got += n) {
		n = pread(elf->fd, (u8 *)buf + got, size - got, offset + got);
		if (n <= 0)
			return false;
	}
	return true;
}

void *elf_read_bytes(const struct elf_read *elf, u64 offset, u64 size)
{
	char *p;

	if (size > SECTION_MAX || offset > elf->file_size || size > elf->file_size - offset)
		return NULL;
	p = malloc(size + 1);
	if (p && !read_at(elf, p, offset, size)) {
		free(p);
		return NULL;
	}
	if (p)
		p[size] = 0;
	return p;
}

void *elf_read_section(const struct elf_read *elf, const Elf64_Shdr *sh)
{
	if (!sh || sh->sh_type == SHT_NOBITS || sh->sh_flags & SHF_COMPRESSED)
		return NULL;
	return elf_read_bytes(elf, sh->sh_offset, sh->sh_size);
}

/* More than 65,279 sections: the number stands in section 0. */
static void read_sections(struct elf_read *elf)
{
	Elf64_Shdr *first = elf_read_bytes(elf, elf->eh.e_shoff, sizeof(*first));
	u64 n = elf->eh.e_shnum, names = elf->eh.e_shstrndx;

	elf->eh.e_shnum = 0;
	if (!first || !elf->eh.e_shoff || elf->eh.e_shentsize != sizeof(*first)) {
		free(first);
		return;
	}
	if (names == SHN_XINDEX)
		names = first->sh_link;
	free(first);
	if (!n || names >= n)	/* extended numbering: relocatable monsters, not what runs */
		return;
	elf->sh = elf_read_bytes(elf, elf->eh.e_shoff, n * sizeof(*elf->sh));
	if (!elf->sh)
		return;
	elf->eh.e_shnum = n;
	elf->names = elf_read_section(elf, &elf->sh[names]);
	elf->names_size = elf->names ? elf->sh[names].sh_size : 0;
}

bool elf_read_open(struct elf_read *elf, int fd)
{
	struct stat st;

	*elf = (struct elf_read){ .fd = fd };
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	elf->file_size = st.st_size;
	if (!read_at(elf, &elf->eh, 0, sizeof(elf->eh)) ||
	    memcmp(elf->eh.e_ident, ELFMAG, SELFMAG) ||
	    elf->eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf->eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return false;
	if (elf->eh.e_phentsize != sizeof(*elf->ph))
		elf->eh.e_phnum = 0;
	elf->ph = elf_read_bytes(elf, elf->eh.e_phoff, elf->eh.e_phnum * sizeof(*elf->ph));
	if (!elf->ph)
		elf->eh.e_phnum = 0;
	read_sections(elf);
	return true;
}

void elf_read_close(struct elf_read *elf)
{
	free(elf->ph);
	free(elf->sh);
	free(elf->names);
}

const Elf64_Shdr *elf_section(const struct elf_read *elf, const char *name)
{
	for (u32 i = 0; i < elf->eh.e_shnum; i++)
		if (elf->sh[i].sh_name < elf->names_size &&
		    !strcmp(elf->names + elf->sh[i].sh_name, name))
			return &elf->sh[i];
	return NULL;
}

const Elf64_Shdr *elf_section_at(const struct elf_read *elf, u32 index)
{
	return index < elf->eh.e_shnum ? &elf->sh[index] : NULL;
}

const Elf64_Shdr *elf_section_type(const struct elf_read *elf, u32 type)
{
	for (u32 i = 0; i < elf->eh.e_shnum; i++)
		if (elf->sh[i].sh_type == type)
			return &elf->sh[i];
	return NULL;
}

static u16 find_build_id(const u8 *p, u64 size, u8 *build_id)
{
	Elf64_Nhdr n;

	while (size >= sizeof(n)) {
		u64 name, desc;

		memcpy(&n, p, sizeof(n));
		name = (n.n_namesz + 3ULL) & ~3ULL;
		desc = (n.n_descsz + 3ULL) & ~3ULL;
		if (name + desc > size - sizeof(n))
			return 0;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 &&
		    !memcmp(p + sizeof(n), "GNU", 4) && n.n_descsz <= BUILD_ID_MAX) {
			memcpy(build_id, p + sizeof(n) + name, n.n_descsz);
			return n.n_descsz;
		}
		p += sizeof(n) + name + desc;
		size -= sizeof(n) + name + desc;
	}
	return 0;
}

static u16 build_id_at(const struct elf_read *elf, u64 offset, u64 size, u8 *build_id)
{
	u8 *p = size <= NOTES_MAX ? elf_read_bytes(elf, offset, size) : NULL;
	u16 n = p ? find_build_id(p, size, build_id) : 0;

	free(p);
	return n;
}

/* Sections first: in a separate debug file the offsets of segments are not its own. */
u16 elf_build_id(const struct elf_read *elf, u8 *build_id)
{
	u16 n = 0;

	for (u32 i = 0; !n && i < elf->eh.e_shnum; i++)
		if (elf->sh[i].sh_type == SHT_NOTE)
			n = build_id_at(elf, elf->sh[i].sh_offset, elf->sh[i].sh_size,
					build_id);
	for (u32 i = 0; !n && i < elf->eh.e_phnum; i++)
		if (elf->ph[i].p_type == PT_NOTE)
			n = build_id_at(elf, elf->ph[i].p_offset, elf->ph[i].p_filesz,
					build_id);
	return n;
}

u64 elf_code_offset(const struct elf_read *elf, u64 vaddr)
{
	for (u32 i = 0; i < elf->eh.e_phnum; i++) {
		const Elf64_Phdr *p = &elf->ph[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X && vaddr >= p->p_vaddr &&
		    vaddr - p->p_vaddr < p->p_filesz)
			return vaddr - p->p_vaddr + p->p_offset;
	}
	return ~0ULL;
}
