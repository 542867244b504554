/* What the parts of the frame tell each other in one run of a tool; for user/ only. */
#ifndef TOOL_RUN_H
#define TOOL_RUN_H

#include <stdio.h>
#include "tool.h"
#include "trace.h"

struct settings {
	const char *input, *output, *lib, *cgroup;
	const char *live;	/* name of an option that only probes can honour, if one was
				 * given */
	u64 duration_ns, interval_ns;
	u64 count;		/* stop after so many records, 0: never */
	u32 pid, tid;
	bool json, verbose, cost, wait, follow;
};

/* Negative: go on; else the exit code. */
int tool_options(const struct tool *tool, int argc, char **argv, void *rodata,
		 struct settings *set);

/* Where records go. put() returns 0, -ECANCELED when it has had enough, or a reported error. */
struct sink {
	const struct tool *tool;
	const struct settings *set;
	FILE *out;
	struct trace_writer *file;
	struct names *names;
	u64 records;		/* of the tool's kinds; with a view, the rows that it printed */
	u64 taken;		/* of the tool's kinds */
	u64 bytes;
	u64 lost;		/* LOST records summed; LOST_UNKNOWN when one is */
	bool enough;
	const struct column *head;	/* of the table so far, NULL: the next row needs one */
	u64 tick_from, tick_last;	/* 0: no interval has begun; the latest record's time */
};

int sink_open(struct sink *s, const struct tool *tool, const struct settings *set);
int sink_begin(struct sink *s);		/* the source is open: the heads of a table */
bool sink_wants(const struct sink *s, const struct event *e);	/* of its kinds, -p, -t */
int sink_put(struct sink *s, const struct event *e);
int sink_tick(struct sink *s, u64 now);	/* live: an interval is over, for a view */
int sink_flush(struct sink *s);		/* called when there is nothing more to put for now */
int sink_close(struct sink *s, int err);

/* Where records come from. They return 0 or a reported error. */
struct source {			/* live: it may go on with another object */
	struct probe_object *object;
	struct sink *sink;
	u64 end;		/* 0: nobody said when */
	struct source_rows *sums;	/* of the set's sums, or NULL */
	u64 next_tick;		/* 0: none */
	u64 modules_at;		/* when modules were looked at, */
	const char *changed;	/* and which one was not as before */
	const char *unseen;	/* since when this one may have run without our probes */
	u64 unseen_since;	/* 0: no such time */
	u64 lost_seen, lost_map_seen, missed_seen, lost_at;
	u64 lost_map;		/* as of before detaching: an entry may go before its return */
};
#define SOURCE_MODULES 1	/* a module was unloaded or loaded anew: open the set again */

void source_begin(struct source *l, struct sink *s);	/* signals end it from now on */
void source_end(struct source *l);
/* Until there is a module for the set: at once, or 0 when there is nothing to wait for.
 * -ECANCELED: ended while waiting. `again`: it was there before. */
int source_wait(struct source *l, bool again);
/* Ring and sums of attached probes; or SOURCE_MODULES. Their losses are told either way. */
int source_live(struct source *l, struct probe_object *o);
void source_catch_signals(void);
bool source_stopped(void);			/* by one of them */
bool source_over(const struct source *l);	/* a signal, -d or -n ended it */
int source_wait_ms(const struct source *l, u64 most_ms);	/* until something is due */
int source_file(const char *path, struct sink *s);

/* Definitions met on the way, and what they say later. */
struct names *names_new(void);
void names_free(struct names *n);
void names_learn(struct names *n, const struct event *e);
const char *names_text(const struct names *n, u16 producer, u32 id);	/* NULL unknown */
const char *names_comm(const struct names *n, u32 pid);			/* NULL unknown */
const char *names_symbol(const struct names *n, u64 frame);
const u64 *names_stack(const struct names *n, u64 id, u32 *frames);

/* One cell as people read it (buf holds size bytes), and the same value as JSON. */
void cell_text(const struct names *n, const struct column *c, const struct event *e,
	       char *buf, size_t size);
struct json;
void cell_json(const struct names *n, const struct column *c, const struct event *e,
	       struct json *j);
const char *curesult_name(s32 result);	/* NULL: not known */

/* --cost */
struct cost;
int cost_begin(struct cost **c);
void cost_take(struct cost *c, const struct probe_set *set, struct probe_object *o);
void cost_report(struct cost *c, const struct sink *s);	/* calibrates (some 50 ms) */
void cost_free(struct cost *c);

#endif
