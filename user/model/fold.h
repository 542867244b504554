/*
 * Who pays: time, and what else can be counted, summed by process, thread, CPU
 * stack, CUDA call and GPU operation. Sums are kept by ids while the trace is
 * read (memory follows the distinct stacks, not the records); names are looked
 * up once, at the end.
 */
#ifndef FOLD_H
#define FOLD_H

#include "model.h"
#include "steps.h"

enum {				/* fold_settings.what: bits; FOLD_API and FOLD_SAMPLE are
				 * not mixed with others */
	FOLD_KERNEL = 1 << OP_KERNEL, FOLD_COPY = 1 << OP_COPY, FOLD_SET = 1 << OP_SET,
	FOLD_GRAPH = 1 << OP_GRAPH, FOLD_ALL = (1 << OP_TYPES) - 1, FOLD_API = 1 << OP_TYPES,
	FOLD_SAMPLE = 2 << OP_TYPES,	/* weights of samples, by what was sampled */
};

enum fold_by {
	FOLD_BY_THREAD, FOLD_BY_PROCESS, FOLD_BY_RANK, FOLD_BY_NOTHING, FOLD_BY_UNSAID,
};

enum fold_value {
	FOLD_TIME,		/* ns of what was asked for */
	FOLD_LAUNCHES,		/* kernels, one each */
	FOLD_CPU,		/* ns of CPU time in calls that launch */
	FOLD_BYTES,		/* that copies moved */
	FOLD_UVM,		/* ns in which the driver served unified memory */
	FOLD_VALUES
};

struct fold_settings {
	unsigned what;
	unsigned values;	/* bits of enum fold_value; 0: FOLD_TIME alone */
	bool places;		/* sums by device and stream, too */
	enum fold_by by;
	bool whole_stacks;	/* keep the frames between the program and the CUDA call */
	bool plain;		/* frames by names that another run has too (frame_name.h) */
	const struct steps *steps;	/* not NULL: nanoseconds a step */
};

struct fold_sums {
	u64 total_ns, count;	/* of what was asked for */
	u64 values[FOLD_VALUES];	/* sums; [FOLD_TIME] is total_ns */
	u64 type_ns[OP_TYPES];	/* of all operations in the file, asked for or not */
	u64 no_stack_ns;	/* of total_ns: the call is known, its stack is not */
	u64 no_launch_ns;	/* of total_ns: the call is not known */
	u64 no_step_ns;		/* left out: no step launched it */
};

struct fold;

struct fold *fold_new(const struct fold_settings *settings);
/* Reads the whole traces as one; see model_run_all for *damage. 0 or reported error. */
int fold_read(struct fold *f, const char *const *paths, size_t n, struct trace_info *info,
	      char **damage);
/* Frames of process, thread and rank that a stack has outermost; after fold_read. */
u32 fold_outer(const struct fold *f);
struct model *fold_model(struct fold *f);
const struct fold_sums *fold_sums(const struct fold *f);

enum fold_kind { FOLD_OTHER, FOLD_PYTHON, FOLD_OPERATOR, FOLD_ANNOTATION };

struct fold_frame {
	const char *name;
	enum fold_kind kind;	/* of imported traces: whose word the frame is */
	const char *raw;	/* the name as compilers mangle it; NULL: the same */
	const char *module;	/* name of the file of a frame of the program; NULL: none is
				 * known */
};

struct fold_stack {		/* what a stack is about, as far as the sums tell it apart */
	const struct process_info *process;
	const struct thread_info *thread;	/* NULL: not known */
	s32 rank;		/* -1 none */
	s32 device, stream;	/* -1: not of one, or not asked for (fold_settings.places) */
	const u64 *values;	/* FOLD_VALUES of them */
};

/* Calls put once for each distinct sum; frames[0] is the outermost; they live during the call.
 * A non-zero return of put ends it and is returned. */
typedef int fold_put(void *ctx, const struct fold_frame *frames, u32 n, u64 value);
int fold_each(struct fold *f, enum fold_value value, fold_put *put, void *ctx);	/* 0s: not */
typedef int fold_put_all(void *ctx, const struct fold_frame *frames, u32 n,
			 const struct fold_stack *about);
int fold_each_all(struct fold *f, fold_put_all *put, void *ctx);
void fold_free(struct fold *f);	/* NULL is fine */

#endif
