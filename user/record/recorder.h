/*
 * What the parts of the recorder share. One thread, one loop; records go
 *
 *   BPF ring --(deliver.c: tasks, stacks -> frames)--\
 *                                                     record_put -> trace file
 *   rings of the library (handover) -----------------/
 */
#ifndef RECORDER_H
#define RECORDER_H

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>
#include "clock.h"
#include "costs.h"
#include "cuda.h"
#include "handover_recv.h"
#include "hash.h"
#include "log.h"
#include "record.h"
#include "trace.h"

#define RECORD_SETS_MAX 16

/* ---- mapped files (objects.c): one for each (device, inode) ---- */

struct elf_symbols;

struct object {
	u64 inode, start, end, offset;	/* start..offset: where it was first seen */
	u32 device, pid;
	u16 id;				/* of its struct map, 0: not written yet */
	u16 build_id_size;
	u8 build_id[24];
	int fd;				/* held to the end: pins the inode number; -1 none */
	int root;			/* directory below which its path is, -1 */
	bool observer;			/* ours or CUPTI's: frames that exist because we look */
	bool tried;			/* symbols were asked for */
	struct elf_symbols *symbols;
	struct object *next;
	char path[];
};

struct root { u64 ns, device, inode; int fd; struct root *next; };
struct objects { struct object *heads[256]; struct root *roots; u16 ids; };

struct mapping { u64 start, end, offset; struct object *object; };
struct maps { u32 refs, count; struct mapping map[]; };	/* executable ones, by address */

/* Of a process by its id in our own /proc. NULL: it is gone. */
struct maps *maps_read(struct objects *objects, u32 pid);
const struct mapping *maps_find(const struct maps *m, u64 addr);
void maps_put(struct maps *m);			/* NULL is fine */
void object_symbols(struct object *o);		/* reads them, once */
void objects_free(struct objects *objects);
char *proc_text(u32 pid, const char *file);	/* in /proc/PID; NULL: gone, or a zombie */

/* ---- processes (processes.c) ---- */

struct process {
	u32 pid;			/* host id */
	u32 local;			/* in our own /proc */
	struct task task;		/* the last word on its leader */
	struct maps *maps;		/* the last snapshot */
	u64 maps_ns;
	u32 in_vain;			/* snapshots in a row that did not help */
	u64 look_ns, look_wait_ns;	/* unrecorded.c: does it use CUDA unseen? */
	bool came;			/* to the socket, or it was said why not */
	bool forked;			/* and not executed since */
	bool late;			/* our library is in it, and it did not come so far */
	u64 ours_ns;			/* since when it was seen there (attach.c) */
};

/* `all`: host id -> struct process */
struct process *process_get(struct hash *all, u32 pid);		/* made if need be */
struct process *process_find_local(const struct hash *all, u32 local);
/* Fills in what /proc tells of a process that BPF did not tell about. */
void process_from_proc(struct process *p);
/* Is the process of that id in our own /proc the one that BPF told about? */
bool process_is_ours(const struct process *p);
void process_forget(struct hash *all, u32 pid);
void processes_free(struct hash *all);

/* ---- what uses CUDA and is not recorded (unrecorded.c) ---- */

#define CUDA_ENV "CUDA_INJECTION64_PATH"

struct recorder;
void unrecorded_begin(struct process *p, bool forked);	/* or it executed something */
void unrecorded_now(struct process *p);		/* it runs already */
void unrecorded_look(struct recorder *r);
void unrecorded_look_at(struct recorder *r, struct process *p);	/* if it is time for it */

/* ---- signals (signals.c) ---- */

struct signals { sigset_t mask; struct sigaction action[3]; };

void signals_take(struct signals *before);	/* those of the loop are blocked */
void signals_unblock(const struct signals *before);
void signals_restore(const struct signals *before);
void signals_wanted(sigset_t *set);		/* what the loop takes */
bool signal_ignored(int signal);		/* by who started us */

/* ---- the command (command.c) ---- */

struct command {
	pid_t pid;
	int go, result;			/* pipes: it may begin; why it could not */
	int status;			/* of waitpid */
	bool exited;
	bool cuda;			/* our library will be loaded into it */
};

int command_check(const char *name);	/* 0, or reported: 127 none, 126 cannot be executed */
int command_spawn(struct recorder *r, char **argv);	/* it waits before exec; 0 or 125 */
int command_release(struct recorder *r);		/* let it run; 0, 126, 127 or 125,
							 * reported */
/* Exit code of a finished command. */
int command_code(const struct command *c);
const char *command_library(void);	/* path of libgpuscope-cuda.so, NULL: not found */
bool command_cuda(void);		/* may our library be loaded into it? else said why
					 * not */

/* ---- processes that run already (attach.c) ---- */

struct target {
	u32 pid;			/* in our own /proc */
	int pidfd;
	bool named;			/* by the user; else a child */
	bool asked;
};
struct attach { struct target *all; u32 count, room; };

/* 0, or reported: there is no such process, or it is not ours to trace */
int attach_check(struct recorder *r);
void attach_adopt(struct recorder *r);		/* they and their children are followed */
void attach_invite(struct recorder *r);
bool attach_ended(const struct recorder *r);	/* all that the user named have ended */
void attach_free(struct recorder *r);
/* Asks a process to come. NULL: it will, or nothing can be said (yet); else why not. */
const char *attach_reason(struct recorder *r, struct process *p);
void attach_library(struct recorder *r, u32 local);	/* stacks of that process, too */

/* ---- the recorder ---- */

struct recorder {
	const struct record_settings *set;
	const char *path;
	struct trace_writer *file;
	int file_error;			/* the file can take no more */
	bool kept_old;			/* what had its name is FILE.old now */
	struct handover *handover;
	struct ring_buffer *ring;	/* NULL: no BPF */
	struct probe_shared *shared;
	struct probe_object *probe[RECORD_SETS_MAX];
	const struct probe_set *probe_set[RECORD_SETS_MAX];
	const struct probe_set *waits[RECORD_SETS_MAX];	/* for their modules */
	u32 waiting;
	struct source_rows *sums[RECORD_SETS_MAX];	/* of sets that sum */
	u64 ring_lost[RECORD_SETS_MAX], map_lost[RECORD_SETS_MAX],	/* told so far */
	    missed[RECORD_SETS_MAX];
	u32 probes;
	struct costs costs;		/* of sets that are closed, of all at the end */
	int followed_fd, adopt_fd;	/* -1 without BPF */
	bool attaching;			/* there is no command */
	struct attach attach;
	u64 cgroup;			/* its id; 0: none */
	struct hash libraries;		/* files of our library that were met */
	const struct record_set *sets;
	bool inner;			/* we run in a pid namespace: host ids are not ours */
	bool simulated, taking_stacks;
	struct signals signals_before;	/* what the command gets: as we got it */
	struct rlimit files_before;
	struct command command;
	struct hash processes;
	struct hash inner_ids;		/* `inner`: our id of a thread -> the host's */
	struct objects objects;
	struct kernel_symbols *kernel;
	struct hash stacks, frames;	/* ids that are in the file */
	struct hash peers, reasons;	/* producers that came, CUptiResults that were said */
	u64 lost;
	bool lost_unknown;
};

bool seen_first(struct hash *seen, u64 id);	/* true the first time */
int record_put(struct recorder *r, const struct event *e);	/* 0, or negative: reported */
/* A record of `size` bytes that ends in text. */
int record_put_text(struct recorder *r, struct event *e, size_t size, const char *text);
void record_note(struct recorder *r, u32 what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void record_lost(struct recorder *r, u32 where, u64 count);
void record_clock(struct recorder *r);
bool to_stdout(const struct recorder *r);	/* then the command's goes to standard error */

/* sets.c */
/* 0, -EINVAL: unknown name */
int sets_check(const struct record_set *sets, const char *list);
int sets_open(struct recorder *r, const struct record_set *sets);
/* Takes stacks in one more file of our library, by a path to open it. */
void sets_library(struct recorder *r, const char *path);
void sets_losses(struct recorder *r);
void sets_look(struct recorder *r);	/* did modules come or go? */
void sets_sums(struct recorder *r);		/* a snapshot of their sums */
void sets_costs(struct recorder *r);		/* adds those of the sets that are open */
void sets_detach(struct recorder *r);
void sets_close(struct recorder *r);
int sets_list(const struct record_set *sets);

/* cost.c */
void record_cost(struct recorder *r, u64 span_ns, u64 own_ns);	/* own: our CPU time */

/* deliver.c: what comes out of the BPF ring and of the library's rings */
int deliver_bpf(void *recorder, void *record, size_t size);
extern const struct handover_ops deliver_handover;

/* frames.c: addresses to frames, with the maps and symbols they need */
int stack_put(struct recorder *r, const struct stack *raw);
void stack_maps(struct recorder *r, struct process *p);	/* take a snapshot now */

/* loop.c */
/* Until the command ended (0) or the user ended the recording (the signal). Negative:
 * reported. */
int loop_run(struct recorder *r);

#endif
