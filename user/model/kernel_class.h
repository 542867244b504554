/* What a kernel is for, by its name; the rules stand in gpureport(8). */
#ifndef KERNEL_CLASS_H
#define KERNEL_CLASS_H

#include <stddef.h>
#include "types.h"

enum kernel_class {		/* in the order in which the rules are tried */
	CLASS_COMM, CLASS_COLLECTIVE, CLASS_TRITON, CLASS_ATTENTION, CLASS_CONV, CLASS_GEMM,
	CLASS_SOFTMAX, CLASS_NORM, CLASS_EMBEDDING, CLASS_OPTIMIZER, CLASS_SORT, CLASS_COPY,
	CLASS_POOL, CLASS_REDUCE, CLASS_ELEMENTWISE, CLASS_OTHER, CLASSES
};

enum kernel_class kernel_class(const char *name);	/* demangled or not */
const char *kernel_class_name(enum kernel_class c);	/* "gemm" */
const char *kernel_class_words(enum kernel_class c);	/* that its rule looks for */
/* NCCL's or RCCL's: what the report calls communication. */
bool kernel_is_comm(const char *name);

/* The function's own name: without return type, namespaces, templates, parameters. Its length;
 * *start: in `name`. */
size_t kernel_short_name(const char *name, const char **start);

#endif
