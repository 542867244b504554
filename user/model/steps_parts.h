/* Inside of steps: how candidates are kept; shared by its files alone. */
#ifndef STEPS_PARTS_H
#define STEPS_PARTS_H

#include <regex.h>
#include "hash.h"
#include "steps.h"

#define REPEAT_SAMPLE (128u << 10)	/* kernels of a GPU from which a repetition is found */
#define REPEAT_MAX    (1u << 20)	/* repetitions of it that are kept */

struct candidate {		/* ranges of one thread whose names have this in common */
	const char *stem;
	enum steps_method method;
	u32 tid;			/* 0: on the GPU */
	bool on_gpu;
	struct step *ranges;
	size_t n, room;
	u64 covered;			/* by those that are kept, after sorting */
	u64 inside;			/* that were not kept */
};

struct occurrence { u64 start, end; u32 name, order; };

struct sequence {		/* kernels of one GPU of a process, in any order */
	u32 device;
	u64 kernels;
	struct occurrence *sample;
	size_t n, room;
	bool decided;
	u32 anchor;		/* name that begins a repetition, 0: none */
	u32 period;		/* kernels of a repetition */
	u64 *starts;		/* of the anchor, from the first good repetition on */
	size_t start_n, start_room;
	u64 left_out;		/* starts beyond REPEAT_MAX */
};

struct owner {			/* a process, by producer, without one by pid */
	struct process_steps found;	/* first: what is given out */
	struct candidate **candidates;
	size_t candidate_n;
	struct sequence **sequences;
	size_t sequence_n;
};

struct steps {
	regex_t regex;
	bool given;			/* regex is the user's */
	const char *pattern;
	struct arena arena;
	struct texts texts;
	struct hash owners;		/* producer, or pid << 16 -> struct owner */
	struct hash names;		/* producer << 32 | id -> interned text */
	struct hash kinds;		/* text -> struct name_kind */
	struct owner **list;
	const struct process_steps **found;
	size_t n, found_n;
};

/* steps_name.c: does the text name a step? Its stem and number. */
enum steps_method step_name(const char *text, size_t *stem, u64 *number);

/* steps_repeat.c */
void sequence_add(struct sequence *q, const struct kernel *k);
/* The repetition on the process's busiest GPU; NULL: none. */
struct sequence *sequence_choose(struct owner *o);
void sequence_free(struct sequence *q);

#endif
