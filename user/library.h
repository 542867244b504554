/* Libraries as processes have them mapped; library_find() itself is in probe.h. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <stddef.h>
#include "probe.h"

struct library_mapped {
	unsigned long long start, end, inode;
	unsigned int major, minor;
	u32 pid;
	char path[4096];	/* as the process sees it; " (deleted)" behind it when it is
				 * gone */
};

/* Has the process a library of that name (any version of it) mapped? */
bool library_mapped(u32 pid, const char *name, struct library_mapped *m);
/* A path by which this process can open that very file; its fd stays open. */
bool library_open_mapped(const struct library_mapped *m, char *buf, size_t size);

struct library_file { char path[4096]; };
/* Every file by which a library of that name can be in use: what the loader would take here
 * and, for pid 0, what running processes have mapped. Returns how many (0: none found). */
size_t library_files(const char *name, u32 pid, struct library_file *files, size_t max);

/* Functions of a library by name, every alias too (user/symbols.h keeps one name an
 * address). */
struct library_symbols;
struct library_symbols *library_symbols_open(const char *path);	/* NULL: no ELF file */
/* in the file; 0 none */
u64 library_symbols_offset(const struct library_symbols *s, const char *name);
void library_symbols_close(struct library_symbols *s);	/* NULL is fine */

#endif
