/* Inside of a probe set's object, for user/probe*.c only. */
#ifndef PROBE_OBJECT_H
#define PROBE_OBJECT_H

#include "kernel_functions.h"
#include "probe.h"

#define REASON_SIZE 192
#define MODULES_MAX 8
#define REFUSED_MAX 16

/* What is known of a row before it is attached. */
struct probe_settled {
	bool dropped;		/* its program: by the tool */
	bool possible;
	bool no_module;		/* that it names: is not loaded */
	char reason[REASON_SIZE];	/* why not, or what came of it when it was attached */
	struct kernel_wanted *wanted;	/* functions that it names */
	u32 count;
};

struct probe_object {
	const struct probe_set *set;
	struct probe_shared *shared;
	void *skel;
	/* link, or fd */
	struct probe_link { struct bpf_link *link; int fd; u8 type; } *links;
	size_t link_count;
	bool loaded, attached;
	bool multi;		/* uprobes go by uprobe_multi, */
	u32 multi_pid;		/* in this process alone; 0: in all */
	bool kprobe_multi;
	struct probe_settled *settled;	/* one a row; NULL: nobody looked yet */
	struct { const char *name; u64 id; } modules[MODULES_MAX];	/* as of then */
	size_t module_count;
	size_t refused[REFUSED_MAX];	/* programs that the verifier did not take */
	size_t refused_count;
};

struct bpf_program *probe_program(struct probe_object *o, const struct probe_row *row);
/* for messages */
const char *probe_target(const struct probe_row *row, char *buf, size_t size);
bool probe_has_library(const struct probe_row *row);	/* uprobe, uretprobe, USDT */

#define EACH_ROW(row, set) const struct probe_row *row = (set)->probes; row && row->name; row++

/* "kprobe m:f": with the name that was found */
const char *probe_describe(const struct probe_object *o, const struct probe_row *row, char *buf,
			   size_t size);

/* Looks at each row: 0 or a reported error. Then at hooks: a required one that no choice can
 * serve is an error. Programs of what cannot be attached are not loaded. */
int probe_settle(struct probe_object *o);
int probe_settle_hooks(struct probe_object *o);
void probe_settled_free(struct probe_object *o);
struct probe_settled *probe_settled(const struct probe_object *o, const struct probe_row *row);

/* A program was refused at load: open the object anew without it, when hooks have other
 * choices. 0, or negative: not reported. */
bool probe_may_lose(const struct probe_object *o, size_t prog);
int probe_reopen_without(struct probe_object *o, const char *program);
/* What libbpf warns of is told by us: keep it quiet. */
void probe_quiet(bool quiet);

/* Functions of the kernel (probe_kernel.c). settle: fills in possible and reason; attach: 0 or
 * a negative errno. */
bool probe_is_kernel(const struct probe_row *row);
bool probe_is_multi(const struct probe_row *row);
void probe_kernel_settle(struct probe_object *o, const struct probe_row *row);
int probe_kernel_attach(struct probe_object *o, const struct probe_row *row);

/* One row that is no library's, 0 or a negative errno; and what was attached since. */
int probe_attach_row(struct probe_object *o, const struct probe_row *row);
void probe_undo(struct probe_object *o, size_t first_link);
/* Is the row one of alternatives, or about a function of the kernel? */
bool probe_in_hook(const struct probe_row *row);
bool probe_same_hook(const struct probe_row *a, const struct probe_row *b);
/* With its first row a whole hook is attached. 0 or reported. */
int probe_attach_hook(struct probe_object *o, const struct probe_row *row);

/* Keep what a row was attached by, until probe_detach(). 0 or a negative errno. */
int probe_keep(struct probe_object *o, const struct probe_row *row, struct bpf_link *link);
int probe_keep_fd(struct probe_object *o, const struct probe_row *row, int fd);
/* 0 when the row was optional, else the reported error. library NULL: not about one. */
int probe_row_missing(const struct probe_row *row, const char *library, int err);

struct probe_libraries;		/* the files of the libraries that rows name */
struct probe_libraries *probe_libraries_new(struct probe_object *o, const char *lib, u32 pid);
void probe_libraries_free(struct probe_libraries *t);
/* 0 or a reported error */
int probe_attach_library(struct probe_libraries *t, const struct probe_row *row);

#endif
