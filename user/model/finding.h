/*
 * What a report points at: each finding is of one rule, names what it is about,
 * and has the numbers that made the rule speak. Rules compare shares and counts,
 * never times with a constant, so that they hold on any machine. Without
 * evidence there is none. The rules and their thresholds: gpureport(8).
 */
#ifndef FINDING_H
#define FINDING_H

#include <stddef.h>
#include "types.h"

#define EVIDENCE_MAX 8

struct evidence {
	const char *name;	/* ends in _ns, _bytes, _pct by unit; else a count */
	u64 value;
};

struct finding {
	const char *rule;	/* "ping_pong" */
	const char *about;	/* which allocation, thread, GPU */
	const char *what;	/* a sentence */
	const char *advice;	/* what to try */
	struct evidence evidence[EVIDENCE_MAX];
	u32 evidence_n;
};

struct report;

/* All of them, in the order of the rules. The list belongs to the report. */
size_t findings(struct report *r, const struct finding **list);

#endif
