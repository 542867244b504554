/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A process of the exerciser and the steps that it can take. */
#ifndef EXERCISE_H
#define EXERCISE_H

#include <stdint.h>
#include "softgpu.h"
#include "truth.h"

#define RANGES	32
#define WORDS	24

struct range {
	char name[16];
	char *p;
	size_t size;
};

struct process {
	struct softgpu gpu;
	struct tools *tools;
	struct range ranges[RANGES];
	unsigned int number;		/* 1 and up */
	int quiet;			/* no line for each fault */
	int each;			/* a line for each tools event */
	uint64_t random;
};

/* Run one step; words: its name and arguments. Dies of what it cannot do. */
void step(struct process *p, int n, char **words);

/* What steps share */
char *at(struct process *p, const char *text, size_t need);
uint64_t number_of(const char *text);
int place_of_name(struct process *p, const char *text);
int option(int n, char **words, const char *name, int64_t *value);
uint64_t draw(struct process *p, uint64_t below);

/* steps of faults.c */
void step_gpu(struct process *p, int n, char **words);
void step_access(struct process *p, int n, char **words);
void step_cpu(struct process *p, int n, char **words);
void step_thrash(struct process *p, int n, char **words);
void step_fatal(struct process *p, int n, char **words);
void step_notify(struct process *p, int n, char **words);
void step_storm(struct process *p, int n, char **words);

#endif
