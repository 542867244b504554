/* Stacks written as text, and what is counted in them: for folded stacks and perf's outputs. */
#ifndef STACKS_H
#define STACKS_H

#include "lines.h"

#define STACK_FRAMES 1024

struct stack_text {		/* frames of one sample, as they come; all zero: none */
	struct { size_t at, n; } frames[STACK_FRAMES];
	u32 n;
	char *text;		/* their names; free it at the end */
	size_t used, room;
};

/* Facts of a line: frames of the UVM driver, of libcuda, of kernels on a GPU. */
void stack_facts(struct import *im, const char *line);
/* One frame more; beyond STACK_FRAMES it is counted. One of the kernel is marked as such. */
void stack_add(struct import *im, struct stack_text *s, const char *name, size_t n,
	       bool kernel);
/* "a;b;c" as frames. */
void stack_split(struct import *im, struct stack_text *s, const char *line,
		 size_t n);
/* A sample of the stack, then no frames; e: where and when (producer, pid, tid, cpu, ts). */
void stack_put(struct import *im, struct stack_text *s, bool leaf_first, const struct event *e,
	       u64 weight, u32 name);

#endif
