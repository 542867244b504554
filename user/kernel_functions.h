/* Functions of the kernel and of its modules by name, as they are there now. */
#ifndef KERNEL_FUNCTIONS_H
#define KERNEL_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include "types.h"

struct kernel_function {
	u64 addr;		/* 0: hidden from us (kernel.kptr_restrict) */
	char name[96];
};

/*
 * What is looked for. A name that is not there itself is found by what the compiler made of
 * it: NAME.isra.0, NAME.constprop.0, all of them; NAME.part.0 when there is nothing else; never
 * NAME.cold.
 */
struct kernel_wanted {
	const char *module;	/* NULL: the kernel proper */
	const char *name;	/* `len` long; * may stand in it */
	size_t len;
	struct kernel_function *found;
	u32 count;
	u32 twins;		/* others of just that name: the kernel's, other modules' */
	u32 rank;		/* of what was found: 0 the name itself */
};

/* One pass over /proc/kallsyms for all. 0 or a negative errno. */
int kernel_functions_find(struct kernel_wanted *wanted, size_t n);
void kernel_functions_free(struct kernel_wanted *wanted, size_t n);

enum module_state { MODULE_ABSENT, MODULE_COMES_OR_GOES, MODULE_LIVE, MODULE_BUILTIN };

/* `id`: another one each time that it is loaded; NULL is fine. */
enum module_state kernel_module(const char *name, u64 *id);

#endif
