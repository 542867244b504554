/*
 * Names of code addresses. A file's function symbols are read once into a
 * sorted table of our own; kernel names come from /proc/kallsyms.
 */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include "types.h"

struct elf_symbols;
/* From an open file; ownership of fd stays with the caller. NULL when it has none.
 * .symtab, else .dynsym; also the separate debug file by build id or debuglink under `root`
 * ("/proc/PID/root" or ""). build_id/build_id_size (>= 24 bytes) are filled in, 0 if none. */
struct elf_symbols *elf_symbols_open(int fd, const char *path, const char *root,
				     u8 *build_id, u16 *build_id_size);
/* Name of the function at a file offset, and the distance from its start; NULL unknown. */
const char *elf_symbols_find(const struct elf_symbols *s, u64 file_offset, u64 *distance);
/* File offset of a function (for uprobes); 0 when there is none of that name. */
u64 elf_symbols_offset(const struct elf_symbols *s, const char *name);
void elf_symbols_free(struct elf_symbols *s);

struct kernel_symbols;
struct kernel_symbols *kernel_symbols_open(void);	/* NULL: kptr_restrict hides them */
const char *kernel_symbols_find(const struct kernel_symbols *s, u64 addr, u64 *distance,
				const char **module);	/* module: NULL for the kernel proper */
void kernel_symbols_free(struct kernel_symbols *s);

/* C++ (_Z...) and Rust v0/legacy as far as libstdc++ knows them; else the name itself. The
 * result lives until demangle_free_all(); the same name gives the same pointer. */
const char *demangle(const char *name);
void demangle_free_all(void);

#endif
