/*
 * A small reader of 64-bit little-endian ELF files, for symbols only. Files
 * are other people's and may change under us: pread into memory of our own,
 * each offset checked, never a mapping.
 */
#ifndef ELF_READ_H
#define ELF_READ_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include "types.h"

#define BUILD_ID_MAX 24

struct elf_read {
	int fd;
	u64 file_size;
	Elf64_Ehdr eh;
	Elf64_Phdr *ph;		/* eh.e_phnum of them */
	Elf64_Shdr *sh;		/* eh.e_shnum of them; NULL: none */
	char *names;		/* of sections, NUL-terminated */
	u64 names_size;
};

bool elf_read_open(struct elf_read *elf, int fd);	/* false: not a file of ours */
void elf_read_close(struct elf_read *elf);		/* fd stays open */

/* Bytes of the file, with a NUL behind them; free() it. NULL: not all there, or too many. */
void *elf_read_bytes(const struct elf_read *elf, u64 offset, u64 size);
void *elf_read_section(const struct elf_read *elf, const Elf64_Shdr *sh);
const Elf64_Shdr *elf_section(const struct elf_read *elf, const char *name);
const Elf64_Shdr *elf_section_at(const struct elf_read *elf, u32 index);	/* NULL: none */
const Elf64_Shdr *elf_section_type(const struct elf_read *elf, u32 type);

/* Its length, 0 none. */
u16 elf_build_id(const struct elf_read *elf, u8 *build_id);
/* File offset of an address that is executable; ~0: it is in no such segment. */
u64 elf_code_offset(const struct elf_read *elf, u64 vaddr);

/* The separate debug file (by build id, else by debuglink) of the file at `path` below `root`
 * ("": this process's own); an open fd, or -1. */
int elf_debug_file(const struct elf_read *elf, const char *path, const char *root);

#endif
