/* What gpuxid prints, and which errors. */
#ifndef XID_VIEW_H
#define XID_VIEW_H

#include "tool_run.h"

#define XID_FILES_MAX 64
#define XID_CODES_MAX 64

enum { BY_TRACEPOINT = 1, BY_KPROBE = 2, BY_CONSOLE = 4, BY_KMSG = 8 };

struct xid_settings {
	const char *files[XID_FILES_MAX];	/* logs to read */
	const char *gpu;	/* number, address or UUID; NULL all */
	u64 fold_ns;
	u32 file_count, code_count, code[XID_CODES_MAX];
	u32 sources;		/* BY_*, 0: all */
	u32 calls;		/* in the table, at most RECENT_CALLS */
};

extern struct xid_settings xid_set;
extern const struct tool_view xid_view;

/* Live, now and then: the line for what came behind the first of a burst that is over. */
struct sink;
int xid_view_quiet(struct sink *s);

#endif
