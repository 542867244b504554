/*
 * Events of the Chrome trace format, whoever wrote them: parsed once into
 * struct chrome_event, then given to what they mean. Shared by these files:
 *
 *   json_read.c    the file: documents, arrays of events, damage, facts
 *   chrome_event.c, chrome_args.c   text of one event -> struct chrome_event
 *   chrome_steps.c from one key to the next, which is guessed
 *   chrome_put.c   by phase: complete, instant, counter, flow, metadata
 *   chrome_async.c by phase: what begins in one event and ends in another
 *   chrome_ids.c   processes, threads and categories of the file
 *   kineto.c, kineto_names.c   by category: kernels, copies, calls, operators
 *
 * One rule for processes: in a trace with a GPU its operations belong to the
 * process whose calls the file has, since their pid is the number of the GPU.
 */
#ifndef CHROME_H
#define CHROME_H

#include "hash.h"
#include "import.h"
#include "json_scan.h"

#define CHROME_TEXTS (SCAN_WINDOW * 3 / 4)	/* all texts of one event */
#define CHROME_SERIES 64		/* values of one counter event */

struct chrome_text { const char *s; u32 n; };

struct chrome_id {		/* pid, tid, id: a number or a text, which may be a number */
	u64 n;			/* the number, or a hash of the text with the top bit set */
	struct chrome_text text;	/* s NULL: it is a number */
	bool given;
};

/* What a category (or a word of it) makes of an event. */
enum chrome_kind {
	CHROME_OTHER, CHROME_KERNEL, CHROME_COPY, CHROME_SET, CHROME_RUNTIME, CHROME_DRIVER,
	CHROME_SYNC, CHROME_OVERHEAD, CHROME_OP, CHROME_ANNOTATION, CHROME_GPU_ANNOTATION,
	CHROME_PYTHON, CHROME_PROFILER, CHROME_RANGE, CHROME_GPU_EVENT, CHROME_ENGINE,
	CHROME_MEMORY, CHROME_COUNTERS, CHROME_LAUNCH_FLOW, CHROME_FLOW,
};

struct chrome_category {
	const char *name;	/* as in the file */
	u32 n;
	enum chrome_kind kind;
	u64 count;
	u16 producer;		/* whose id is this: */
	u16 nth;		/* of the file's */
	u32 id;			/* NAME_SPAN */
};

/* Arguments that have a meaning here; the table in chrome_args.c gives their names. */
enum chrome_arg {
	ARG_CORRELATION, ARG_EXTERNAL, ARG_DEVICE, ARG_STREAM, ARG_CONTEXT, ARG_BYTES,
	ARG_GRID, ARG_BLOCK, ARG_REGISTERS, ARG_SHARED, ARG_GRAPH, ARG_NODE, ARG_CBID,
	ARG_EVENT, ARG_DIRECTION, ARG_FROM, ARG_TO,
	ARG_COLLECTIVE, ARG_IN_ELEMENTS, ARG_OUT_ELEMENTS, ARG_GROUP_SIZE, ARG_DTYPE,
	ARG_GROUP, ARG_DESCRIPTION, ARG_RANKS, ARG_SEQUENCE, ARG_RANK, ARG_SOURCE, ARG_TARGET,
	ARG_ALLOCATED, ARG_RESERVED, ARG_DEVICE_TYPE, ARG_DEVICE_ID, ARG_NAME, ARG_LABELS,
	ARGS
};
#define HAS(e, arg) ((e)->args >> (arg) & 1)

struct chrome_series {		/* a number of an event's args that has no other meaning */
	struct chrome_text name;
	s64 value;
	s32 exponent;
};

struct chrome_event {
	char phase;		/* 0: none */
	bool has_ts, has_dur, flow_in, flow_out;
	s64 ts, dur;		/* ns */
	struct chrome_category *category;
	struct chrome_text name;
	struct chrome_id pid, tid, id, bind;
	struct chrome_text scope;
	u64 args;		/* bits of enum chrome_arg */
	u64 number[ARGS];	/* of those that are numbers; negative ones as s64 */
	struct chrome_text text[ARGS];	/* of those that are texts */
	u32 grid[3], block[3];
	u32 series_n;
	struct chrome_series series[CHROME_SERIES];
};

/*
 * A way through events: a key with what stands around it, and which came next
 * the last time in an event of this context (its phase and category, as far as
 * they are known). Profilers write an event of a kind always alike, so nearly
 * every key is taken by one comparison with the guess.
 */
#define CHROME_CONTEXTS 64
#define CHROME_STEPS 256
struct chrome_step {
	struct scan_gap gap;
	bool args;			/* among the arguments */
	u8 what;			/* chrome_key_find() or chrome_arg_find() of it */
	u8 next[CHROME_CONTEXTS];	/* 0: not known */
};
/* The first of them: none; at the '{' of an event; at that of its arguments; for what cannot be
 * known again. */
enum { STEP_NONE, STEP_EVENT, STEP_ARGS, STEP_OTHER, STEP_FIRST };

struct chrome_process {
	u64 id;
	u64 key;		/* of import_process */
	char *name;		/* as the file says, NULL unknown yet */
	u16 producer;		/* 0: nothing of it was imported yet */
	u32 pid;		/* of records */
};

struct chrome_thread {
	struct chrome_process *process;	/* by the file's pid */
	u64 id;
	char *name;
	u16 producer;		/* whose thread tid is; 0: nothing of it yet */
	u32 tid;		/* of records */
	struct chrome_open *open;	/* B without its E, the innermost first */
};

#define CHROME_CALLS 256
struct chrome_call { u32 name; u16 producer, domain, class; };

struct chrome {			/* one file being read */
	struct import *im;
	const char *path;
	struct unpack *packed;
	struct json_scan scan;
	struct chrome_event e;
	struct chrome_step *step, steps[CHROME_STEPS];	/* step: of the key at hand */
	struct hash steps_by_text;
	u32 steps_n, context;
	struct scan_text key;	/* of STEP_OTHER */
	u32 texts_n;
	char texts[CHROME_TEXTS];

	struct chrome_category **categories;
	u32 categories_n;
	u64 phases[256], uncategorized, events;
	struct chrome_call calls[CHROME_CALLS];	/* by id of the name */

	struct hash processes;	/* id -> struct chrome_process */
	struct hash threads;	/* process, id -> struct chrome_thread */
	struct chrome_thread *recent[64];	/* by pid and tid: the last ones */
	struct chrome_process *main;	/* the GPU's */
	u64 caller;		/* id of the process that makes the first call, if one is */
	bool has_caller;	/* among the first events */
	bool nameless;		/* main was needed before its pid was seen */
	struct hash gpu_pids;	/* pids + 1 under which GPU operations are shown */
	u64 last_gpu_pid, last_device;	/* of the operation before, + 1 */
	bool dry;		/* looking ahead: nothing is said */
	struct hash foreign;	/* correlations of calls of others than main -> process */
	struct hash async;	/* category, id, scope -> struct chrome_open */
	u32 open_n;
	struct hash collectives;	/* external id -> what record_param_comms said */
	struct hash devices;	/* ordinals + 1 that were seen */
	struct device *properties;	/* what deviceProperties says */
	u32 properties_n;
	bool ranked;		/* the file said which rank it is */
	bool trace;		/* it is one, if maybe empty */
	u64 broken_at;		/* where there was no JSON last */
	s64 last_ns;
};

/* chrome_ids.c */
#define CHROME_ID_TEXT (1ULL << 63)	/* ids that are hashes of texts */
#define CHROME_NAMELESS (1ULL << 32)	/* the process of a GPU alone: beyond all pids */
/* Of this text; stays where it is. */
struct chrome_category *chrome_category(struct chrome *c, const char *s, u32 n);
u32 chrome_category_id(struct chrome *c, u16 producer);	/* of c->e, NAME_SPAN */
/* The process and thread of c->e as of an event on a CPU. */
struct chrome_thread *chrome_thread(struct chrome *c);
struct chrome_thread *chrome_thread_of(struct chrome *c, const struct chrome_id *pid,
				       const struct chrome_id *tid);
/* The process to which GPU operations of this correlation belong. */
struct chrome_process *chrome_gpu_process(struct chrome *c, u64 correlation);
void chrome_process_name(struct chrome *c, const struct chrome_id *pid, const char *name);
void chrome_thread_name(struct chrome *c, const struct chrome_id *pid,
			const struct chrome_id *tid, const char *name);
void chrome_ids_free(struct chrome *c);

/* chrome_event.c: at the '{' of an event, into c->e: as scan_key. Or the value of a key. */
int chrome_event(struct chrome *c);
int chrome_member(struct chrome *c, u8 what);
u8 chrome_key_find(const struct scan_text *key);
void chrome_clear(struct chrome *c);
/* As scan_scalar(). An object or list is stepped over: as null. */
int chrome_scalar_find(struct chrome *c, struct scan_text *t, bool *quoted);
struct chrome_text chrome_keep(struct chrome *c, const struct scan_text *t);
void chrome_id(struct chrome *c, struct chrome_id *id, const struct scan_text *t, bool quoted);

/* import_odd, unless it is only a look ahead. */
void chrome_odd(struct chrome *c, const char *what);

/* chrome_args.c */
int chrome_args(struct chrome *c);
void chrome_args_init(void);
u8 chrome_arg_find(const struct scan_text *key);

/* chrome_steps.c */
void chrome_steps_init(struct chrome *c);
/* The next key of the event or of its arguments, as scan_key(), by looking at it. */
int chrome_step_find(struct chrome *c, bool args);
struct scan_text chrome_step_key(const struct chrome *c);	/* of c->step */

/* chrome_put.c: c->e to records. */
void chrome_put(struct chrome *c);
void chrome_put_span(struct chrome *c, const struct chrome_thread *t, enum span_what what);
void chrome_put_counter(struct chrome *c, const struct chrome_thread *t, u32 device,
			const char *name, const struct chrome_series *s);

/* chrome_async.c */
void chrome_put_begin(struct chrome *c);	/* B */
void chrome_put_end(struct chrome *c);		/* E */
void chrome_put_async(struct chrome *c, bool end);	/* b, S; e, F */
void chrome_async_end(struct chrome *c);	/* what has not ended in the file */

/* kineto.c: a complete event by its category. */
void kineto_put(struct chrome *c);
void kineto_memory(struct chrome *c);		/* [memory] */
void kineto_end(struct chrome *c);		/* what is known at the end of the file */
int kineto_properties(struct chrome *c);	/* values of keys beside traceEvents */
int kineto_distributed(struct chrome *c);

/* kineto_names.c */
enum chrome_kind kineto_kind(const char *category, size_t n);
void kineto_copy_name(struct copy *r, const char *name);
enum sync_type kineto_sync_type(const char *name);
bool kineto_overhead(const char *name, u32 *what);
u32 kineto_type_bytes(const char *type);	/* 0 unknown */
/* of "stream 7": 7; ~0: there is none */
u32 kineto_number_in(const char *text);

#endif
