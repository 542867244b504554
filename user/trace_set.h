/*
 * Several traces as one, in order of time: ids that two files use for
 * different things are told apart, times are brought to the clock of the first
 * file. One file alone passes unchanged.
 */
#ifndef TRACE_SET_H
#define TRACE_SET_H

#include "trace.h"

struct trace_set;

struct trace_window {		/* each 0: none */
	u64 from_ns, to_ns;	/* behind the start of the first file's recording */
	u64 last_ns;		/* before the latest start of a record */
};

static inline bool trace_window_asked(const struct trace_window *w)
{
	return w->from_ns || w->to_ns || w->last_ns;
}

/* Its rows among a tool's options (options.h). */
#define OPT_SET_WINDOW(type, member)						\
	OPT_SET(type, member.from_ns, 0, "from", "TIME", OPT_DURATION_NS,	\
		"only what begins so long after the recording's start, or later"), \
	OPT_SET(type, member.to_ns, 0, "to", "TIME", OPT_DURATION_NS,		\
		"only what begins earlier than that"),				\
	OPT_SET(type, member.last_ns, 0, "last", "TIME", OPT_DURATION_NS,	\
		"only the end of it")

/* 0, or reported. "-" (standard input) may be one of them. Damage is kept, not reported. */
int trace_set_open(struct trace_set **s, const char *const *paths, size_t n);
/* 1 and the next record (valid until the next call), 0 at the end of all. A damaged file gives
 * what is readable of it. */
int trace_set_next(struct trace_set *s, const struct event **e);
/* The same of a part: all definitions, and of other records those that begin within, with some
 * around. lead_ns: as much before it comes as well. */
int trace_set_open_window(struct trace_set **s, const char *const *paths, size_t n,
			  const struct trace_window *w, u64 lead_ns);
/* Where the part begins and ends; [0, 2^64-1) without one. */
void trace_set_range(const struct trace_set *s, u64 *from, u64 *to);
const struct trace_info *trace_set_info(const struct trace_set *s);	/* of the first */
/* Of the first damaged one; NULL: none. */
const char *trace_set_damage(const struct trace_set *s);
u64 trace_set_unknown_kinds(const struct trace_set *s);
u64 trace_set_blocks_missing(const struct trace_set *s);
/* Files whose clock has nothing in common with the first one's. */
size_t trace_set_unaligned(const struct trace_set *s);
void trace_set_close(struct trace_set *s);		/* NULL is fine */

#endif
