/*
 * The trace file: a header, then blocks, each of one producer and one kind,
 * its records transposed to columns. Nothing points back or forward, so a pipe
 * ("-") is a file. Version 1; its bytes: trace_read.h.
 *
 * One writer and one reader object each; both are used from a single thread.
 */
#ifndef TRACE_H
#define TRACE_H

#include "schema.h"
#include "trace_read.h"

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
/* From now on what goes to the file is on the disk as well, a second later at most. */
void trace_sync(struct trace_writer *w);
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
/* Only records of blocks that hold a start in [from, to) will come, and all definitions; a
 * caller drops what else is in those blocks. Before the first trace_next. */
void trace_window(struct trace_reader *r, u64 from, u64 to);
/* The earliest and the latest start of all records but definitions; 1: there are some, 0: none.
 * Of a file, before the first trace_next; of a pipe: -ESPIPE, not reported. */
int trace_times(struct trace_reader *r, u64 *first, u64 *last);
/* At the end of what is there, more() is asked whether to look again. */
void trace_follow(struct trace_reader *r, bool (*more)(void *ctx), void *ctx);
/* Like trace_next, but damage is kept as text instead of being reported, so that an analysis
 * can show what was readable and then say so. */
const char *trace_damage(const struct trace_reader *r);	/* NULL: none */
void trace_reader_quiet(struct trace_reader *r);
u64 trace_unknown_kinds(const struct trace_reader *r);	/* records stepped over */
u64 trace_blocks_missing(const struct trace_reader *r);	/* gaps in block sequence numbers */
void trace_reader_close(struct trace_reader *r);	/* NULL is fine */

#endif
