/*
 * Inside of the reader of Nsight Systems' SQLite exports, shared by its files
 * alone: nsys.c (the file as a whole), nsys_ids.c (what its ids stand for),
 * nsys_gpu.c (operations), nsys_host.c (calls and ranges of threads),
 * nsys_sample.c (stacks, samples, scheduling, metrics), nsys_own.c.
 */
#ifndef NSYS_H
#define NSYS_H

#include "db.h"
#include "hash.h"

struct nsys {
	struct import *im;
	struct db *db;
	s64 end_ns;		/* of the session, 0 unknown */
	u64 machine;		/* hardware and VM bits of the first id, shifted down */
	bool machine_known;
	u64 default_process;	/* of rows that name none */
	struct db_scan string;	/* by id */
	struct db_scan chain;	/* frames by id, of table chain_table */
	const char *chain_table;
	struct hash strings;	/* id -> struct nsys_string */
	struct hash names;	/* id, what, producer -> u32 */
	struct hash processes;	/* globalPid -> struct nsys_process */
	struct hash threads;	/* globalTid -> struct nsys_thread */
	struct hash thread_names;	/* globalTid -> struct nsys_string */
	struct hash domains;	/* globalPid, domain -> u32 NAME_NVTX_DOMAIN */
	struct hash stacks;	/* producer, chain of a call -> u64 id */
	struct hash collectives;	/* id -> struct collective with texts by StringIds */
	struct hash gpus;	/* id of TARGET_INFO_GPU -> struct device */
	struct hash ordinals;	/* pid, CUDA ordinal -> struct device */
	bool by_cuda_device;	/* gpus are by CUDA ordinal, the same in all processes */
	u8 memory_kinds[16];	/* the file's numbers -> enum memory_kind */
	struct arena arena;
};

struct nsys_string { const char *s; size_t n; };

struct nsys_process {
	u64 gid;		/* with the thread's bits 0 */
	u64 pid;
	u16 producer;
	struct nsys_string name;
	u64 devices[4];		/* bits of ordinals that were told to the importer */
};

struct nsys_thread {
	struct nsys_process *process;
	u32 tid;
};

/* ---- nsys_ids.c ---- */

int nsys_ids_read(struct nsys *n);	/* processes, threads, GPUs; 0 or reported */
void nsys_ids_free(struct nsys *n);
/* Never NULL. id NULL or 0 in the file: the only process, or one of number 0. */
struct nsys_process *nsys_process(struct nsys *n, u64 gid);
struct nsys_thread *nsys_thread(struct nsys *n, u64 gid);
struct nsys_string nsys_string(struct nsys *n, s64 id);		/* "" none */
/* Id of the text that a column names by number. */
u32 nsys_name(struct nsys *n, struct nsys_process *p, enum name_what what, s64 string);
void nsys_device(struct nsys *n, struct nsys_process *p, u32 ordinal);

/* Id of a call's stack (CUDA_CALLCHAINS); 0: it has no frames. */
u64 nsys_stack(struct nsys *n, u16 producer, s64 chain);

/* ---- times ---- */

/* ts and the length of a row from start to end; counts and mends an end before its start. */
s64 nsys_span(struct nsys *n, const char *table, s64 start, s64 end, u64 *dur_ns);
s64 nsys_time(struct nsys *n, const char *table, s64 at);

/* ---- what reads the tables ---- */

void nsys_read_gpu(struct nsys *n);
void nsys_read_host(struct nsys *n);
void nsys_read_samples(struct nsys *n);

/* ---- nsys_own.c: what gpureport --sqlite adds ---- */

void nsys_read_own(struct nsys *n);
void nsys_collectives_read(struct nsys *n);
u32 nsys_collective(struct nsys *n, struct nsys_process *p, s64 id);	/* 0: none */

/* The columns of a table are an enum and a list in the same order. */
#define NSYS_SELECT(n, scan, table, columns)					\
	db_select((n)->db, scan, table, columns, sizeof(columns) / sizeof(*(columns)), NULL)

#endif
