/* Inside of a probe set's object, for probe.c and probe_attach.c only. */
#ifndef PROBE_OBJECT_H
#define PROBE_OBJECT_H

#include "probe.h"

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
};

struct bpf_program *probe_program(struct probe_object *o, const struct probe_row *row);
/* for messages */
const char *probe_target(const struct probe_row *row, char *buf, size_t size);
bool probe_has_library(const struct probe_row *row);	/* uprobe, uretprobe, USDT */

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
