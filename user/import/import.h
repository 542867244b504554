/*
 * What every importer writes to: one trace made of other tools' files.
 *
 *   reader of a format -> import_put, in any order -> runs sorted by time, on disk
 *   when there are many -> stacks of the spans around each call -> trace file
 *
 * Memory is bounded by the distinct names, threads and stacks and by one run
 * (IMPORT_RUN_BYTES), not by the size of the files. Not found, not understood
 * or wrong things are counted by a word each and said at the end; nothing is
 * dropped in silence.
 *
 * One object, one thread.
 */
#ifndef IMPORT_H
#define IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include "cuda.h"
#include "span.h"

#define IMPORT_RUN_BYTES (64u << 20)

struct import;

/* path "-": stdout. 0 or reported. */
int import_new(struct import **im, const char *path);
/* Sorts, makes the stacks, writes. The trace is under its name only if this succeeds.
 * 0 or reported. */
int import_finish(struct import *im);
void import_free(struct import *im);	/* without finish: leaves nothing. NULL is fine */

/*
 * A file begins. Times given to import_put afterwards are of the file's own clock, in ns (of
 * whatever origin); origin_ns: CLOCK_REALTIME ns at its zero, 0 unknown. Files of known origin
 * are brought to the clock of the first such; a file alone keeps its times, unless one is
 * negative: then all files move.
 */
void import_file(struct import *im, const char *path, enum source_format format, s64 origin_ns);
/* May be said any time before import_finish; they hold for all producers of this file. */
void import_file_rank(struct import *im, s32 rank, u32 world);
void import_file_host(struct import *im, const char *host);
void import_file_origin(struct import *im, s64 origin_ns);
void import_file_counts(struct import *im, u64 bytes, u64 records);

/* The producer for this process of the current file; the same every time. id: what the file
 * says, a process id if it is below 2^32. name: command name, NULL unknown. */
u16 import_process(struct import *im, u64 id, const char *name);
/* Host thread and process ids as they go into records: the file's own where they fit in 31 bits
 * and no other process has them, else numbers from 2^31 on. name NULL: unknown. */
u32 import_pid(struct import *im, u16 producer);
u32 import_tid(struct import *im, u16 producer, u64 id, const char *name);

/* Id of a text within the producer; 0 for an empty one. */
u32 import_name(struct import *im, u16 producer, enum name_what what, const char *s, size_t n);
/* Id of a collective: c->e, c->id are filled in; equal ones get the same. */
u32 import_collective(struct import *im, u16 producer, const struct collective *c);
/* Correlation ids beyond 31 bits get small ones of their own, the same every time. */
u32 import_correlation(struct import *im, u16 producer, u64 id);
/* d->ordinal names it within the producer; what is said again fills in what was unknown. */
void import_device(struct import *im, u16 producer, const struct device *d);

/* A record of any kind but definitions: producer, ids and size as above, in the order of the
 * file, which is kept among records of equal time. */
void import_put(struct import *im, const struct event *e);

/* Stacks that the file itself has: names, outermost first; the id for struct api_stack. Put one
 * for a call, and no calls of its process get stacks made of the spans around them. */
struct import_frame { const char *name; size_t n; enum span_what what; };
u64 import_stack(struct import *im, u16 producer, const struct import_frame *frames, u32 n);

/* One more of what was not understood: "unknown phase", "b". which may be "". */
void import_odd(struct import *im, const char *what, const char *which);
/* Facts of the file for `gpuimport -j`, counted by group and key: ("ph", "X"). */
void import_fact(struct import *im, const char *group, const char *key, size_t n, u64 count);
/* The file ended early or is broken from this byte on; what was before it is imported.
 * why NULL: unpack_read() has said it. */
void import_damage(struct import *im, const char *why, u64 at);

/* A reader opens the file, puts what is in it and returns 0 or a reported error. Damage that
 * leaves a readable part is import_damage and 0. */
struct import_format {
	const char *name;		/* "kineto": also of --format */
	enum source_format format;
	/* head: the first n bytes, unpacked; is it ours? 0 no, else how surely, up to 100 */
	int (*probe)(const char *path, const u8 *head, size_t n);
	int (*read)(struct import *im, const char *path);
};
extern const struct import_format import_json, import_chrome, import_nsys, import_rocpd,
	import_perf, import_folded, import_nvprof, import_cupti_text;

/* Every format, by name and by content, the surest first. NULL: none. */
const struct import_format *import_format_named(const char *name);
const struct import_format *import_format_of(const char *path, const u8 *head, size_t n);
const char *import_format_names(char *buf, size_t size);	/* "kineto, nsys, ..." */

/* The file by a reader: of this format, NULL: of the one that its content says. 0, also when
 * it is damaged, or reported. */
int import_read(struct import *im, const char *path, const struct import_format *format);
bool import_damaged(const struct import *im);	/* any file; reported */

/* What was imported, per file, as JSON or as lines of talk; after import_finish. */
struct json;
void import_summary(const struct import *im, struct json *j, const char *output);
void import_say(const struct import *im);

/*
 * Plain, gz (concatenated members too) and zst files, by content, as a stream; what is packed
 * is unpacked by a thread beside the caller.
 */
struct unpack;
int unpack_open(struct unpack **u, const char *path);	/* "-": stdin. 0 or reported */
/* Up to n bytes; 0 at the end; negative reported: damaged packing, unreadable */
long unpack_read(struct unpack *u, void *buf, size_t n);
u64 unpack_packed(const struct unpack *u);		/* bytes of the file read so far */
void unpack_close(struct unpack *u);			/* NULL is fine */
/* The first bytes of what unpack_read() will give, of stdin too. As unpack_read(). */
long unpack_peek(const char *path, void *buf, size_t n);
const char *unpack_why(void);				/* the reason that was last reported */

#endif
