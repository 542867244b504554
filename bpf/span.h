/*
 * What programs, frameworks and other tools say of themselves: whose recording
 * it is, collectives, spans of a framework or an interpreter, counters, flows.
 * gpuimport writes them; nothing in them comes from a probe.
 */
#ifndef SPAN_H
#define SPAN_H

#include "event.h"

enum source_format {		/* whose file a producer's records come from */
	SOURCE_UNKNOWN = 0, SOURCE_KINETO = 1, SOURCE_CHROME = 2, SOURCE_NSYS = 3,
	SOURCE_ROCPD = 4, SOURCE_PERF = 5, SOURCE_FOLDED = 6, SOURCE_NVPROF = 7,
	SOURCE_CUPTI_TEXT = 8,
};

/* A definition: what e.producer is. e.ts: the first time in its file. */
struct source {			/* text tail: name of the file, without its folder */
	struct event e;
	u64 bytes;		/* of the file, unpacked; 0 unknown */
	u64 records;		/* events or rows in it */
	s64 shift_ns;		/* trace time minus the file's own time */
	s32 rank;		/* of a distributed job, -1 unknown */
	u32 world;		/* ranks in the job, 0 unknown */
	u32 format;		/* enum source_format */
	u32 file;		/* numbers the input files from 1: one may hold several
				 * processes */
	char host[64];		/* "" unknown */
	u32 disorder;		/* so many records may come before an earlier one, 0 unknown */
	u32 pad;
};
_Static_assert(sizeof(struct source) == 136, "source: files depend on this layout");

/* A definition: collectives that are alike. struct kernel names it by id. */
struct collective {
	struct event e;
	u64 in_elements, out_elements;
	u64 bytes;		/* message size; 0: unknown */
	u64 sequence;		/* within its group, from 1; 0 unknown */
	u32 id;			/* from 1, within the producer */
	u32 name;		/* NAME_COLLECTIVE: "allreduce" */
	u32 type;		/* NAME_COLLECTIVE: element type, "Float"; 0 unknown */
	u32 group;		/* NAME_COLLECTIVE: name of the process group; 0 unknown */
	u32 description;	/* NAME_COLLECTIVE: what the group is for; 0 unknown */
	u32 ranks;		/* NAME_COLLECTIVE: members as written, "[0, 1]"; 0 unknown */
	u32 group_size;		/* 0 unknown */
	s32 peer;		/* the other rank of a send or receive, root; -1 none */
};
_Static_assert(sizeof(struct collective) == 88, "collective: files depend on this layout");

enum span_what {
	SPAN_OTHER = 0,
	SPAN_PYTHON = 1,	/* a call of the interpreter */
	SPAN_OP = 2,		/* an operator of the framework */
	SPAN_ANNOTATION = 3,	/* what the user named: a step, record_function */
	SPAN_GPU_ANNOTATION = 4,	/* the same as seen on the GPU: device, stream */
	SPAN_PROFILER = 5,	/* the profiler's own: the window, a range of counters */
	SPAN_MARK = 6,		/* an instant: dur_ns 0 */
};

struct span {			/* e.pid, e.tid: the thread; tid 0: on a GPU */
	struct event e;
	u64 dur_ns;
	u64 id;			/* operators: external id, within the producer; 0 none */
	u32 name;		/* NAME_SPAN */
	u32 category;		/* NAME_SPAN: as the file has it; 0 none */
	u32 device, stream;	/* SPAN_GPU_ANNOTATION; else ~0 */
	u16 what;		/* enum span_what */
	u16 depth;		/* spans of its thread around it */
	u32 pad;
};
_Static_assert(sizeof(struct span) == 64, "span: files depend on this layout");

/* A sample: value x 10^exponent, exact as the file wrote it. */
struct counter {
	struct event e;
	s64 value;
	s32 exponent;
	u32 name;		/* NAME_COUNTER */
	u32 device;		/* CUDA ordinal it is about, ~0: none */
	u32 pad;
};
_Static_assert(sizeof(struct counter) == 48, "counter: files depend on this layout");

struct flow {			/* one end of an arrow; both have the same id and name */
	struct event e;
	u64 id;
	u32 name;		/* NAME_SPAN: "fwdbwd" */
	u32 begin;		/* 1: it leaves here, 0: it arrives */
};
_Static_assert(sizeof(struct flow) == 40, "flow: files depend on this layout");

/* A sample of a profiler that interrupts (perf, Nsight Systems); in files without times (folded
 * stacks; e.ts 0) all samples of one stack. */
struct sample {
	struct event e;		/* where it was taken */
	u64 stack;		/* struct stack id, 0: none */
	u64 weight;		/* in the unit of its name: the period; 1: a sample is one */
	u32 name;		/* NAME_COUNTER: "cycles"; 0 unknown */
	u32 pad;
};
_Static_assert(sizeof(struct sample) == 48, "sample: files depend on this layout");

#endif
