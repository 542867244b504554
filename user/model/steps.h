/*
 * The steps of a loop (training, serving), process by process: what the user
 * says is one, else what the profiler calls ProfilerStep#N, else ranges whose
 * name says so ("iteration 7"), else the repetition of the kernels themselves.
 *
 * Found by a pass of its own over the trace, before the one that uses them:
 * what is summed by step need not wait then. Memory follows the distinct names
 * and the steps, and a sample of REPEAT_SAMPLE kernels of each GPU.
 */
#ifndef STEPS_H
#define STEPS_H

#include "model.h"

enum steps_method {
	STEPS_NONE = 0,
	STEPS_GIVEN = 1,	/* annotations or ranges that match the user's pattern */
	STEPS_PROFILER = 2,	/* "ProfilerStep#7" */
	STEPS_RANGE = 3,	/* annotations or NVTX ranges named as steps are */
	STEPS_REPEATED = 4,	/* the same kernels over and over; a guess by rule */
};

struct step {			/* [start, end) */
	u64 start, end;
	u64 number;		/* at the end of its name, else counted from 0 */
};

struct process_steps {
	u32 pid;
	u16 producer;
	u16 method;		/* enum steps_method; never STEPS_NONE */
	bool on_gpu;		/* the times are of the GPU, not of the thread that launches */
	const char *name;	/* "ProfilerStep#", what was common to the ranges' names, the
				 * pattern, the (mangled) kernel that begins a repetition */
	u32 tid;		/* thread of the ranges; 0: on the GPU */
	u32 kernels;		/* repeated: of one repetition */
	const struct step *list;	/* by start, and by end; they may overlap by what the
					 * profiler rounded */
	size_t n;
	u64 left_out;		/* ranges inside of another, or of other threads */
};

struct steps;

/* paths: as trace_set_open (trace_set.h). pattern: a POSIX extended regular expression, NULL
 * none. Damage is not reported: what was readable counts. 0 or a reported error. */
int steps_find(struct steps **s, const char *const *paths, size_t n, const char *pattern);
void steps_free(struct steps *s);	/* NULL is fine */

/* The processes that have steps, in order of producer. */
size_t steps_list(const struct steps *s, const struct process_steps *const **list);
const struct process_steps *steps_of(const struct steps *s, u16 producer, u32 pid);	/* or
										 * NULL */
const struct step *step_at(const struct process_steps *p, u64 ns);	/* NULL: in none */
/* The step that launched it; by its own start where steps are of the GPU. NULL: in none, or the
 * launch is not known. */
const struct step *step_of(const struct process_steps *p, const struct gpu_op *op);
const char *steps_method_name(u32 method);	/* "profiler", a word for JSON */

#endif
