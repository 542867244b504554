/*
 * Inside of the importer, shared by its files alone: import.c (files and processes),
 * import_finish.c (the end of it), import_ids.c (what ids stand for), import_sort.c (records in
 * order of time), import_spans.c (stacks of the spans around calls), import_tally.c (things
 * counted by words), import_summary.c, import_formats.c.
 */
#ifndef IMPORT_PARTS_H
#define IMPORT_PARTS_H

#include "hash.h"
#include "import.h"
#include "outfile.h"
#include "trace.h"

#define IMPORT_TEXT_MAX 65000u		/* of a name: it must fit into a record */
#define NO_TIME INT64_MAX
#define ID_OWN_FIRST (1u << 31)		/* ids below are files' own, others are ours */

/* ---- things counted by two words each (import_tally.c) ---- */

struct tally_item { char *group, *key; u64 count; };
struct tally {			/* all zero is an empty one */
	struct hash map;
	struct tally_item **list;
	u32 n;
};

/* Beyond TALLY_MAX distinct ones a key is "(others)". */
#define TALLY_MAX 4096u
void tally_add(struct tally *t, const char *group, const char *key, size_t n, u64 count);
void tally_free(struct tally *t);

/* ---- records in order of time (import_sort.c) ---- */

struct sorter;
struct sorter *sorter_new(const char *folder);	/* of temporary files */
/* The records of one source come in one piece. 0 or reported. */
int sorter_add(struct sorter *s, const struct event *e, u32 source);
/* All of them by time + shift[source], longer spans first, then as added. put: non-zero ends
 * it; the record may be changed. */
int sorter_merge(struct sorter *s, const s64 *shift, void *ctx,
		 int (*put)(void *ctx, struct event *e, u32 source));
u64 sorter_spilled(const struct sorter *s);	/* bytes that went to disk */
const char *sorter_folder(const struct sorter *s);
void sorter_free(struct sorter *s);

/* ---- databases out of pipes and packed files (import_spool.c) ---- */

/* *spooled: where the database is then, NULL where it lies already. 0 or reported. */
int import_spool(struct import *im, const char *path, const u8 *head, size_t n, char **spooled);
void import_spool_end(char *spooled);	/* NULL is fine */

/* ---- what it all is ---- */

struct import_source {			/* an input file */
	char *path;
	const char *name;		/* without its folder */
	enum source_format format;
	s64 origin_ns, shift_ns;
	s32 rank;
	u32 world;
	char host[64];
	u64 bytes, records;
	u64 put;			/* records of ours that came of it */
	s64 first_ns, last_ns;		/* by its own clock; first NO_TIME: none */
	bool coarse;			/* all times are whole microseconds */
	struct tally odd, facts;
	char *damage;			/* NULL: none */
	u64 damage_at;
	bool damage_said;
	struct hash processes;		/* id -> struct import_process */
};

struct import_process {			/* a producer */
	struct import_source *source;
	u64 id;
	s64 first_ns;
	u32 pid;
	u16 producer;
	bool own_stacks;		/* the file has stacks of its calls */
	char comm[COMM_LEN];
	struct hash threads;		/* id -> struct import_thread */
	struct hash devices;		/* ordinal -> struct device */
	struct hash correlations;	/* id / 256 -> struct correlations */
	u32 names, collectives, correlation_blocks;
	struct import_name **by_id;	/* names of them; [0] is that of id 1 */
	u32 by_id_room;
};

struct import_thread { u32 tid; char comm[COMM_LEN]; };

struct import_name {
	const char *text;		/* one copy of equal texts */
	u32 n, id;
	u16 producer;
	u16 what;
	u16 map;			/* of frame; 0: it is not known */
	u64 frame;
};

struct import_stack {
	u64 id;
	u32 n;
	u64 frames[];			/* leaf first */
};

struct span_threads;

#define IMPORT_DISORDER 32768u		/* of struct source */

struct import {
	struct outfile out;
	struct trace_writer *trace;
	struct sorter *sorter;
	int error;			/* reported: the rest is for nothing */
	struct import_source **sources, *source;
	u32 source_n;
	struct import_process *processes[1 << 16];
	u32 process_n;			/* producers are 1 .. process_n */
	struct arena arena;
	struct texts texts;
	struct hash names;		/* text, what, producer -> struct import_name */
	struct import_name *recent[1024];	/* by name_slot(): events come with few names */
	struct hash collectives;	/* content -> struct import_collective */
	struct import_collective *collective_first, **collective_end;
	struct hash numbers;		/* pids and tids in use */
	u32 next_number;
	struct hash frames;		/* text and map -> u64 frame */
	u64 frame_n;
	u16 maps;			/* bit m: struct map m is in the trace */
	struct hash stacks;		/* id -> struct import_stack */
	struct span_threads *threads;
	u64 written[EVENT_KIND_MAX], flushed_ns, flushed_records;
	u64 first_ns, last_ns, in_spans;
};

struct import_collective {
	struct import_collective *next, *same_hash;
	struct collective c;
};

/* Definitions of all producers, into the trace. 0 or reported. */
int import_ids_write(struct import *im);
void import_ids_free(struct import *im);
struct import_process *import_producer(const struct import *im, u16 producer);

/* import_spans.c: the record is about to be written: its depth is filled in; what must be there
 * before and after it is written. 0 or reported. */
int spans_before(struct import *im, struct event *e, const struct import_source *s);
int spans_after(struct import *im, const struct event *e);
int spans_define(struct import *im);	/* stacks that came by import_stack */
void spans_free(struct import *im);

/* A copy of a command name: at most COMM_LEN - 1 bytes of whole characters. */
void import_comm(char comm[COMM_LEN], const char *name);

#endif
