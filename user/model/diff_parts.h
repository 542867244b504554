/* Inside of the comparison, shared by its files alone. */
#ifndef DIFF_PARTS_H
#define DIFF_PARTS_H

#include <math.h>
#include "arena.h"
#include "diff.h"
#include "diff_samples.h"
#include "diff_stats.h"
#include "hash.h"
#include "interval.h"
#include "steps.h"
#include "trace.h"

#define DIFF_SLOTS  256		/* steps of a run whose counts are kept */
#define DIFF_KEPT_LEAST 0.5	/* share of GPU time in kernels of both sides */
#define DIFF_GPUS   16		/* of one run, for idle time */

enum diff_dim {			/* what a number is about */
	DIM_STEP, DIM_SPEED, DIM_KERNEL, DIM_COLLECTIVE, DIM_COPY, DIM_API, DIM_SYNC, DIM_FAULT,
	DIM_IDLE, DIM_DELAY, DIMS
};

struct diff_key {		/* unique by address */
	u16 dim;
	const char *name;	/* interned in d->texts, as the next two; never NULL */
	const char *config;	/* "grid 128,1,1 block 256,1,1"; "" unknown or none */
	const char *path;	/* "train.py: step;aten::mm"; "" unknown */
	struct diff_key *next;	/* of the same hash */
};

struct diff_slot { u64 count, bytes; };

struct diff_cell {		/* one key in one run */
	const struct diff_key *key;
	struct samples times;	/* durations of each; DIM_IDLE, DIM_STEP: one a step */
	u64 count, bytes, sum_ns;
	struct diff_slot *slots;	/* run->slots of them, NULL: none fell into a step */
	/* after the run was read: */
	double step_count, step_bytes;	/* per step: the middle one, if steady; else the mean */
	bool steady;			/* all steps alike */
};

struct diff_idle {		/* of one GPU in one step */
	struct intervals busy;
	u64 window_ns;
};

struct diff_run {
	struct diff *d;
	struct diff_run *next;
	const char *path;		/* as given; NULL: out of a baseline */
	const char *name;		/* without folder */
	int side;
	char gpus[160];			/* those that were used: "2 x H100" */
	char driver[40], host[72];
	u64 lost, records;
	bool damaged, simulated;
	u64 kernels, kernel_ns;
	u64 first_ns, last_ns;
	u32 method;			/* enum steps_method */
	char step_name[64];
	u64 steps;			/* whole ones that were found, of one process */
	u32 slots;			/* kept of them, the same for all processes */
	bool exact_calls;		/* steps are of the threads that call */
	struct pointers cells;		/* struct diff_cell */
	struct hash by_key;		/* key -> struct diff_cell */
	double work;			/* work it holds, of the first run's; without steps */
	double speed;			/* log of its common factor; 0: none was taken out */
	struct arena arena;
	/* while it is read: */
	struct model *model;
	struct steps *found;
	u32 stride;			/* every so many steps have a slot */
	struct hash paths, names;	/* stack id -> path; name -> demangled */
	struct diff_idle *idle[DIFF_GPUS];	/* by slot; NULL: nothing ran in a step */
	struct intervals window[DIFF_GPUS];
	const char *gpu_name[DIFF_GPUS];
	struct diff_slot *step_kernels;		/* by slot; bytes: their nanoseconds */
};

struct diff_rule {		/* a section of the budgets file, or the defaults */
	char section;		/* 'd'efaults, 'm'etric, 'k'ernel, 'i'gnore */
	const char *glob, *kernel;	/* what it is about; kernel: of [ignore] */
	const char *until, *reason;
	u32 line;
	double floor, alpha, min_share;		/* NAN: not said here, as the next ones */
	double max, max_increase, max_median, max_launches;
	bool increase_pct;		/* max_increase is a share */
	int gate;			/* -1 not said, 0 off, 1 on */
	u32 min_runs;			/* 0: not said */
};

struct diff_gate {		/* a number that is compared */
	const struct diff_key *key;
	const char *what;	/* "time", "launches", "bytes" */
	const char *id;		/* "copy.HtoD.bytes" */
	char unit;		/* 'n' ns, 'b' bytes, 'c' count, 'x' factor */
	bool timed;		/* tested by statistics; else exact */
	bool slow;		/* the machine's speed factor is in it and is taken out */
	bool kernel;		/* of a row of the kernel table */
	bool whole, part;	/* of all rows of a kernel; of one of several */
	double weight;		/* of the error that may be made; those of a kernel have 1 */
	bool per_step;
	bool told;		/* told, never judged */
	bool unsteady;		/* exact, but differs from step to step */
	double share;		/* of GPU time, of the larger side; NAN: has none */
	double *value[DIFF_SIDES];	/* by run of that side; NAN: absent */
	const char *note;	/* how it was matched; NULL: as it is */
	/* diff_judge.c: */
	double center[DIFF_SIDES];	/* mean; timed: geometric, without the factor */
	double delta;		/* B / A - 1; NAN: from nothing */
	double p, p_adjusted, low, high;	/* NAN: no test; 95 % interval of delta */
	double sd;		/* between runs, of the logarithm */
	double floor, df;
	double history;		/* noise of a baseline, as sd; 0: too little is known */
	u32 more;		/* so many more runs a side would decide */
	enum diff_verdict verdict;
	const char *reason;	/* of the verdict, in words */
	const struct diff_rule *ignored, *budget;
};

struct diff_noise {		/* what a baseline learned of one gate */
	const char *id;
	double squares, df;
};

struct diff {
	struct texts texts;
	struct arena arena;
	struct hash keys;		/* of name, config, path, dim -> struct diff_key */
	struct diff_run *runs[DIFF_SIDES], **last[DIFF_SIDES];
	u32 run_n[DIFF_SIDES];
	struct pointers rules;
	struct diff_rule defaults;
	const char *pattern;
	bool any_machine, baseline;
	struct hash noise;		/* interned id -> struct diff_noise */
	struct pointers gates, fresh, vanished;	/* the last two: struct diff_gate, told */
	bool per_step;			/* all runs have steps */
	bool same_windows;		/* without steps: counts may be compared as they are */
	const char *counts_void;	/* why counts cannot be compared; NULL: they can */
	const char *selection;	/* libraries chose other kernels; NULL: not that */
	bool speed_taken;
	double speed_change;		/* B / A - 1 of time by the machine */
	double matched[DIFF_SIDES];	/* share of kernel time that both sides have */
	enum diff_verdict verdict, counts_verdict, time_verdict;
	const char *why;
	u32 tally[DIFF_VERDICTS];
};

/* diff_keys.c */
const char *diff_text(struct diff *d, const char *s);
const char *diff_textf(struct diff *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
const struct diff_key *diff_key(struct diff *d, u16 dim, const char *name, const char *config,
				const char *path);
const char *diff_path(struct diff_run *r, u64 stack);	/* "" unknown */
const char *diff_dim_name(u16 dim);

/* diff_selection.c: counts that changed by it alone are told, not judged */
void diff_selection(struct diff *d);

/* diff_run.c */
struct diff_run *diff_run_new(struct diff *d, int side, const char *name);
struct diff_cell *diff_run_cell(struct diff_run *r, const struct diff_key *key);
const struct diff_cell *diff_run_get(const struct diff_run *r, const struct diff_key *key);
void diff_run_free(struct diff_run *r);

struct diff_row {		/* keys that are compared as one */
	const struct diff_key **keys;
	size_t n;
	const char *note;
};

/* diff_times.c: a run's durations of the row as one number. True: they have several modes, so
 * that the number says less of their sum. */
bool diff_row_times(struct diff *d, const struct diff_row *row, struct diff_gate *g);

/* diff_rows.c: the gates of kernels and collectives */
void diff_rows(struct diff *d);
struct diff_gate *diff_gate_new(struct diff *d, const struct diff_key *key, const char *what,
				char unit);
double diff_count(const struct diff *d, const struct diff_run *r, const struct diff_cell *c);
double diff_bytes(const struct diff *d, const struct diff_run *r, const struct diff_cell *c);

/* diff_metrics.c: all the others */
void diff_metrics(struct diff *d);

/* diff_judge.c */
void diff_judge(struct diff *d);

/* diff_budget.c */
void diff_defaults(struct diff *d);
void diff_apply_budgets(struct diff *d, struct diff_gate *g);	/* on the verdict so far */
double diff_floor(const struct diff *d, const struct diff_gate *g);
bool diff_gated(const struct diff *d, const struct diff_gate *g);
double diff_min_share(const struct diff *d);

#endif
