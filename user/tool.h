/*
 * What a tool is: a skeleton, three tables (options, probes, columns) and a
 * name. Everything else (parsing, attaching, polling, printing, recording,
 * replaying, saying what went wrong and what it cost) is done once, here.
 *
 *   probe -> ring or file -> record -> sink: table, JSON or file
 *
 * Records flow one way. A sink never asks a source for anything.
 */
#ifndef TOOL_H
#define TOOL_H

#include "log.h"
#include "options.h"
#include "probe.h"
#include "schema.h"

/*
 * Every tool has -p -t -d -i -o -j -n -v -h --version --cost --lib besides its own options:
 * rows of constants of its BPF program, and of its own settings (OPT_SET of options.h).
 */

#define OPT_CONST_(skel, var, key, name, arg, type, help)			\
	{ name, arg, help, key, type, 1, offsetof(struct skel##__rodata, var),	\
	  sizeof(((struct skel##__rodata *)0)->var), 0, 0 }
#define OPT_CONST(skel, var, key, name, arg, help)				\
	OPT_CONST_(skel, var, key, name, arg, OPT_UNSIGNED, help)
#define OPT_CONST_SWITCH(skel, var, key, name, help)				\
	OPT_CONST_(skel, var, key, name, NULL, OPT_SWITCH, help)
#define OPT_CONST_SIGNED(skel, var, key, name, arg, help)			\
	OPT_CONST_(skel, var, key, name, arg, OPT_SIGNED, help)
#define OPT_CONST_NS(skel, var, key, name, arg, help)				\
	OPT_CONST_(skel, var, key, name, arg, OPT_DURATION_NS, help)
#define OPT_CONST_LIST(skel, var, count, room, key, name, arg, help)		\
	{ name, arg, help, key, OPT_LIST, 1, offsetof(struct skel##__rodata, var), \
	  sizeof(((struct skel##__rodata *)0)->var),				\
	  offsetof(struct skel##__rodata, count), room }

/* ---- columns: one list for the table, the JSON keys and the manual ---- */

struct column {
	const char *head, *key;	/* head "": in JSON alone; not the last one */
	u16 off, size;
	s16 width;		/* negative: left-aligned */
	u16 as;			/* enum as */
	const struct enum_name *names;
};

#define COL_KEY(type, member, key, head, width, as, ...)			\
	{ head, key, offsetof(struct type, member),				\
	  sizeof(((struct type *)0)->member), width, as, ##__VA_ARGS__ }
#define COL(type, member, head, width, as, ...)					\
	COL_KEY(type, member, #member, head, width, as, ##__VA_ARGS__)
#define COL_JSON(type, member, as, ...)						\
	COL_KEY(type, member, #member, "", 0, as, ##__VA_ARGS__)
#define COL_TIME COL_KEY(event, ts, "ts", "TIME(s)", 14, AS_TIME)
#define COL_PID  COL_KEY(event, pid, "pid", "PID", 7, AS_DEC)
#define COL_TID  COL_KEY(event, tid, "tid", "TID", 7, AS_DEC)
#define COL_COMM COL_KEY(event, pid, "comm", "COMM", -15, AS_COMM)

/* ---- the tool itself ---- */

/*
 * What a tool prints that is no record as it comes: joined rows, tops, histograms. State is the
 * tool's own (a program runs one tool). Functions return 0, -ECANCELED (enough), or a reported
 * error; any may be NULL.
 */
struct sink;
struct tool;
struct tool_view {
	int (*begin)(const struct tool *tool);		/* options are parsed */
	int (*put)(struct sink *s, const struct event *e);	/* a record of .kinds or a
								 * definition */
	int (*tick)(struct sink *s, u64 from_ns, u64 to_ns);	/* an interval is over: of the
							 * clock when live, of the records' time
							 * when replayed */
	int (*end)(struct sink *s);
};
/* Print a row: a struct that begins with struct event (ts, pid and tid are used), by columns of
 * it: a table line (a head when the columns change) or JSON "gpuscope.SCHEMA.0". Counts as a
 * record for -n. -p and -t are the view's business. */
int sink_row(struct sink *s, const struct column *columns, const char *schema,
	     const struct event *row);

#define TOOL_TRACE 1

struct tool {
	const char *name, *about, *examples;
	const struct probe_set *set;
	u16 kind;		/* the records it prints */
	const u16 *kinds;	/* or: those its view wants (and -o records), ends with 0 */
	const struct tool_view *view;
	bool quiet_ticks;	/* the view's ticks print no tables: they have no option */
	const struct option_row *options;
	const struct column *columns;
	void *settings;		/* what OPT_SET rows write to, or NULL */
	/* Records from elsewhere than probes and recordings (a log), by sink_put(). 0, a
	 * reported error, or TOOL_TRACE: there are none, trace. Not with -i. */
	int (*read)(const struct tool *tool, struct sink *s);
	int (*check)(const struct tool *tool);	/* after options: 0, or a reported usage error;
						 * may be NULL */
	/* After open and options, before load: set constants, drop programs. 0 or reported
	 * error. */
	int (*prepare)(const struct tool *tool, struct probe_object *object);
	/* A module that, as the options are, it cannot do without and misses; NULL: none. */
	const char *(*missing)(const struct tool *tool);
	/* After load, before the probes are attached: fill maps. */
	int (*loaded)(const struct tool *tool, struct probe_object *object);
	/* Once an interval while they are: has anything to be watched come? */
	int (*look)(const struct tool *tool);
};

/* Runs the tool and returns its exit code: 0 done, 1 failed, 2 usage. */
int tool_main(const struct tool *tool, int argc, char **argv);

#endif
