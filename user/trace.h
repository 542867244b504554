/*
 * The trace file: a header, then blocks, each of one producer and one kind,
 * its records transposed to columns. Nothing points back or forward, so a pipe
 * ("-") is a file. Version 0: unstable until UVM and imported records exist.
 *
 * One writer and one reader object each; both are used from a single thread.
 */
#ifndef TRACE_H
#define TRACE_H

#include "schema.h"

#define TRACE_VERSION 0

struct trace_info {		/* what the header says; strings NUL-terminated, "" unknown */
	u32 version;
	u64 start_ns;		/* CLOCK_MONOTONIC when recording began */
	u64 start_realtime_ns;
	char boot_id[40];
	char host[72];
	char kernel[72];	/* uname -r */
	char machine[16];	/* uname -m */
	char driver[40];	/* NVIDIA driver version, "simulated" for cudasim */
	char tool[40];		/* "gpurec 0.1" */
};

struct trace_writer;
struct trace_reader;

/* Fills in all that can be known of this machine. */
void trace_info_here(struct trace_info *info, const char *tool);

/* All return 0 or a negative errno after having reported it. path "-": stdout/stdin.
 * A file is created 0600 and, under sudo, owned by the invoking user. */
int trace_create(struct trace_writer **w, const char *path, const struct trace_info *info);
/* To an open file, which stays the caller's; name: for messages. */
int trace_create_on(struct trace_writer **w, int fd, const char *name,
		    const struct trace_info *info);

/* Copies the record into the block of its producer and kind. Definitions are written
 * before any block that follows them. */
int trace_put(struct trace_writer *w, const struct event *e);
int trace_flush(struct trace_writer *w);	/* everything put so far goes to the file */
int trace_close(struct trace_writer *w);	/* flush, end mark, free; NULL is fine */
u64 trace_bytes(const struct trace_writer *w);	/* written to the file so far */
u64 trace_records(const struct trace_writer *w);

int trace_open(struct trace_reader **r, const char *path);
const struct trace_info *trace_reader_info(const struct trace_reader *r);
/* 1 and the next record (valid until the next call; at least as long as this program's struct
 * of its kind, missing fields zero; texts end, counts fit), 0 at the end, negative if damaged:
 * reported as "PATH ends inside a block at byte N" / "PATH is damaged at byte N", where the
 * unreadable part begins. What the writer lost comes as a struct lost of LOST_WRITER. */
int trace_next(struct trace_reader *r, const struct event **e);
/* Like trace_next, but damage is kept as text instead of being reported, so that an analysis
 * can show what was readable and then say so. */
const char *trace_damage(const struct trace_reader *r);	/* NULL: none */
void trace_reader_quiet(struct trace_reader *r);
u64 trace_unknown_kinds(const struct trace_reader *r);	/* records stepped over */
u64 trace_blocks_missing(const struct trace_reader *r);	/* gaps in block sequence numbers */
void trace_reader_close(struct trace_reader *r);	/* NULL is fine */

#endif
