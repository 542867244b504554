/*
 * Did it get slower? Runs of two sides (A before, B after) are read, their kernels, calls,
 * copies... matched by what they are, compared per call and per step, and judged.
 *
 *   trace --diff_run.c--> runs --diff_rows.c--> what is compared --diff_judge.c--> verdicts
 *   run file (baseline) --^       diff_metrics.c                   --> table, JSON, JUnit...
 *
 * The rules, with their reasons: gpudiff(8).
 */
#ifndef DIFF_H
#define DIFF_H

#include <stdio.h>
#include "types.h"

enum { DIFF_A, DIFF_B, DIFF_SIDES };

enum diff_verdict {		/* in order of what is worse */
	DIFF_NONE,		/* told, not judged */
	DIFF_UNCHANGED, DIFF_IMPROVED, DIFF_INCONCLUSIVE, DIFF_REGRESSED, DIFF_NOT_COMPARABLE,
	DIFF_VERDICTS,
};

struct diff;

struct diff *diff_new(void);
void diff_free(struct diff *d);

/* The settings of a budgets file; 0 or a reported error that names the line. */
int diff_budgets_read(struct diff *d, const char *path);
void diff_steps_pattern(struct diff *d, const char *pattern);	/* must live as long as d */
void diff_any_machine(struct diff *d);	/* different GPUs, drivers are no reason to refuse */

/* One run: a trace. 0 or a reported error. */
int diff_add(struct diff *d, int side, const char *path);

int diff_compare(struct diff *d);	/* 0 or a reported error */
enum diff_verdict diff_verdict(const struct diff *d);
const char *diff_why(const struct diff *d);		/* a sentence */
bool diff_undecided(const struct diff *d);	/* some gate is inconclusive */
const char *diff_verdict_name(enum diff_verdict v);

/* ---- baselines (diff_baseline.c) ---- */

/* Side A is what the folder holds; it may be none, where `make` allows it. 0 or a reported
 * error. */
int diff_baseline_read(struct diff *d, const char *folder, bool make);
/* The runs of side B go there, after diff_compare (if there is a side A). Where they are faster
 * or slower, the others go: the level is a new one; else the oldest go above `keep`. What noise
 * those had stays. 0 or a reported error. */
int diff_baseline_update(struct diff *d, const char *folder, u32 keep);
bool diff_has(const struct diff *d, int side);	/* any runs */

/* ---- views; top: rows of each table, 0 all ---- */
void diff_print(struct diff *d, FILE *f, u32 top, int width);
void diff_json(struct diff *d, FILE *f);
void diff_junit(struct diff *d, FILE *f);
void diff_markdown(struct diff *d, FILE *f, u32 top);
void diff_github(struct diff *d, FILE *f);	/* annotations of a GitHub workflow */
/* "frame;frame;frame A B" lines: nanoseconds a step (without steps: in all, B scaled to A's
 * launches), for differential flame graphs. */
void diff_folded(struct diff *d, FILE *f);

#endif
