/*
 * A probe set: one BPF object with its probe rows. A tool names one; gpurec
 * opens many, and they share the ring, the map of followed tasks and the stack
 * maps (by map name).
 */
#ifndef PROBE_H
#define PROBE_H

#include <stddef.h>
#include "event.h"

struct bpf_object;
struct bpf_program;
struct bpf_link;
struct probe_object;		/* an open probe set */

/* The calls bpftool generates, without their types. */
struct skel_ops {
	const char *name;
	void *(*open)(void);		/* needs no privilege */
	int (*load)(void *skel);
	int (*attach)(void *skel);	/* static targets: SEC("tp_btf/...") */
	void (*destroy)(void *skel);
	size_t obj, rodata, rodata_size;	/* offsets in the skeleton of the pointers */
	size_t bss, lost, lost_map;	/* u64 in .bss (bpf/emit.bpf.h) */
	size_t only_pid, only_tid, wake_bytes;	/* u32 in .rodata (same) */
	size_t only_cgroup, use_followed;	/* u64, bool */
};

#define TOOL_SKEL(name)								\
	static void *name##_open(void) { return name##__open(); }		\
	static int name##_load(void *s) { return name##__load(s); }		\
	static int name##_attach(void *s) { return name##__attach(s); }	\
	static void name##_destroy(void *s) { name##__destroy(s); }		\
	static const struct skel_ops name##_ops = {				\
		#name, name##_open, name##_load, name##_attach, name##_destroy,	\
		offsetof(struct name, obj), offsetof(struct name, rodata),	\
		sizeof(*((struct name *)0)->rodata),				\
		offsetof(struct name, bss), offsetof(struct name##__bss, lost),	\
		offsetof(struct name##__bss, lost_map),				\
		offsetof(struct name##__rodata, only_pid),			\
		offsetof(struct name##__rodata, only_tid),			\
		offsetof(struct name##__rodata, wake_bytes),			\
		offsetof(struct name##__rodata, only_cgroup),			\
		offsetof(struct name##__rodata, use_followed),			\
	}

enum probe_type {
	PROBE_UPROBE, PROBE_URETPROBE, PROBE_USDT, PROBE_TRACEPOINT, PROBE_RAW_TRACEPOINT,
	PROBE_BTF_TRACEPOINT, PROBE_PERF_EVENT,
	/*
	 * On functions of the kernel and of its modules. A name that is not there is found
	 * by what the compiler made of it: NAME.isra.0, NAME.constprop.0 (all of them),
	 * NAME.part.0.
	 */
	PROBE_KPROBE, PROBE_KRETPROBE,
	PROBE_FENTRY, PROBE_FEXIT,	/* the name itself; needs BTF; the module cannot be
					 * unloaded meanwhile */
	/* Of names with commas, * allowed, those that are there: by one link where the
	 * kernel has that (5.18; from 6.4 on the module cannot be unloaded meanwhile), else
	 * by a kprobe each. SEC("kprobe.multi"). */
	PROBE_KPROBE_MULTI, PROBE_KRETPROBE_MULTI,
};

enum { PROBE_OPTIONAL = 1 };	/* its absence is a note under -v, not an error */

struct probe_row {
	size_t prog;		/* offset of the struct bpf_program * in the skeleton */
	const char *name;	/* of the program; NULL ends the list */
	u8 type;		/* enum probe_type */
	u8 flags;
	const char *where;	/* library, tracepoint category, module as /proc/modules has
				 * it; or NULL */
	const char *what;	/* function, USDT "provider:name", tracepoint name */
	u64 config;		/* PROBE_PERF_EVENT: PERF_COUNT_SW_* and frequency << 32 */
	/*
	 * Rows of one hook are alternatives: those of one choice attach together or not at
	 * all, and the lowest choice that attaches wins. -v and gpucheck name it. A hook is
	 * optional when its first row is. NULL: the row stands alone. No rows of libraries.
	 * A program that is off before load (prepare) takes its rows out.
	 */
	const char *hook;	/* what is observed: "batch service" */
	u8 choice;		/* 0 .. 15 */
};

#define PROBE(skel, prog, type, flags, where, what)				\
	{ offsetof(struct skel, progs.prog), #prog, type, flags, where, what, 0 }
#define UPROBE(skel, prog, lib, func)						\
	PROBE(skel, prog, PROBE_UPROBE, 0, lib, func)
#define URETPROBE(skel, prog, lib, func)					\
	PROBE(skel, prog, PROBE_URETPROBE, 0, lib, func)
#define UPROBE_OPT(skel, prog, lib, func)					\
	PROBE(skel, prog, PROBE_UPROBE, PROBE_OPTIONAL, lib, func)
#define URETPROBE_OPT(skel, prog, lib, func)					\
	PROBE(skel, prog, PROBE_URETPROBE, PROBE_OPTIONAL, lib, func)
#define USDT(skel, prog, lib, provider_name)					\
	PROBE(skel, prog, PROBE_USDT, 0, lib, provider_name)
#define TRACEPOINT(skel, prog, category, name)					\
	PROBE(skel, prog, PROBE_TRACEPOINT, 0, category, name)
#define RAW_TRACEPOINT(skel, prog, name)					\
	PROBE(skel, prog, PROBE_RAW_TRACEPOINT, 0, NULL, name)
#define BTF_TRACEPOINT(skel, prog, name)					\
	PROBE(skel, prog, PROBE_BTF_TRACEPOINT, 0, NULL, name)
#define PERF_EVENT(skel, prog, counter, hertz)	/* PERF_COUNT_SW_*; on every CPU */	\
	{ offsetof(struct skel, progs.prog), #prog, PROBE_PERF_EVENT, 0, NULL, NULL,	\
	  (counter) | (u64)(hertz) << 32 }

#define HOOK(skel, prog, type, flags, module, func, hook, choice)		\
	{ offsetof(struct skel, progs.prog), #prog, type, flags, module, func, 0, hook, choice }

struct probe_set {
	const char *name;	/* "sched"; what --probes names */
	const char *about;	/* one line for --help */
	const struct skel_ops *skel;
	const struct probe_row *probes;
	/* After open, before load: set constants (layouts of driver structs), drop programs. 0
	 * or a reported error. */
	int (*prepare)(struct probe_object *object);
	/* Map of sums (struct sum_head) that are given out as records once an interval and at
	 * the end, or NULL. */
	const char *sums;
};

/* What became of a hook, or of a row without one. */
struct probe_state {
	const char *hook;	/* or the program's name */
	const struct probe_row *row;	/* the first of the choice that works, NULL none */
	bool optional;
	char target[128];	/* "kprobe nvidia_uvm:service_fault_batch.constprop.0", "" none */
	char reason[256];	/* why no better choice works, "" */
};

const char *probe_type_name(u8 type);	/* "kprobe" */

struct probe_cost {		/* of one program, for --cost */
	const char *program;
	u8 type;
	u64 runs, run_ns;	/* from the kernel's BPF statistics */
	u64 missed;		/* hits that it did not run for */
};


/* The maps that the sets of one run share: "events", "followed" and every "shared_*". The first
 * set that has one makes it (and may resize it before load). NULL: the set has its own. */
struct probe_shared;
struct probe_shared *probe_shared_new(void);
void probe_shared_free(struct probe_shared *s);

/* 0 or a reported error. `lib`: --lib PATH overrides the library of uprobe rows; `pid`: look
 * libraries up in that process (its mount namespace), 0: by the loader's usual rules. */
int probe_open(struct probe_object **o, const struct probe_set *set,
	       struct probe_shared *shared);
/* Before load: attach uprobes by one link a program where the kernel can; pid as for
 * probe_attach(). */
void probe_few_links(struct probe_object *o, u32 pid);
int probe_load(struct probe_object *o);		/* names the missing capability when refused */
int probe_attach(struct probe_object *o, const char *lib, u32 pid);
void probe_detach(struct probe_object *o);
/* The states of a set's hooks and of its rows about functions of the kernel: after attach as
 * attached; before load as the running kernel's symbols and BTF promise. Returns how many, at
 * most max. */
size_t probe_states(struct probe_object *o, struct probe_state *states, size_t max);
/*
 * Modules that a set's rows name. A set whose module is not loaded cannot attach; when it was
 * loaded anew its probes are gone: probe_modules_changed() is cheap (some stat calls) and names
 * a module once after each such change; then probe_close() and open anew. A module is
 * missing when a required hook has no choice without it, or when no hook has one.
 */
const char *probe_module_missing(const struct probe_set *set);	/* its name, NULL: all there */
bool probe_names_module(const struct probe_set *set);
bool probe_module_there(const char *module);
const char *probe_modules_changed(struct probe_object *o);	/* its name, NULL: none */
void probe_close(struct probe_object *o);	/* NULL is fine */
void *probe_rodata(struct probe_object *o, size_t *size);
struct bpf_object *probe_bpf(struct probe_object *o);
int probe_map_fd(struct probe_object *o, const char *map);	/* -1 none */
u64 probe_lost(struct probe_object *o);		/* records that found the ring full */
u64 probe_lost_map(struct probe_object *o);	/* calls or tasks that found a map full */
u64 probe_missed(struct probe_object *o);	/* hits whose program did not run (missed.c) */

/* Program time is counted between these two; a few ns a run. 0 or a negative errno (not
 * reported). */
int probe_stats_begin(void);
void probe_stats_end(void);
size_t probe_costs(struct probe_object *o, struct probe_cost *costs, size_t max);

/* Path by which a library can be opened from here: by the loader's rules (pid 0), else as `pid`
 * has it mapped, else by the loader's rules in its root. It may be /proc/self/fd/N, which stays
 * open. NULL when not found (not reported). */
const char *library_find(const char *name, u32 pid, char *buf, size_t size);

#endif
