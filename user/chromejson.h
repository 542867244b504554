/*
 * The timeline as JSON in Chrome's trace event format, for viewers that do not read
 * Perfetto's: the same calls as perfetto.h, which passes them on. Names and categories
 * of GPU operations and calls are those of PyTorch's profiler, so that its readers,
 * gpuimport among them, know what they are. Operations that overlap on a stream stand on
 * tracks of their own, since the format has no room for two at a time on one.
 */
#ifndef CHROMEJSON_H
#define CHROMEJSON_H

#include <stdio.h>
#include "perfetto.h"

struct chromejson;

struct chromejson *chromejson_open(FILE *f);
/* The end of the file; 0 or a negative errno. Frees c. */
int chromejson_close(struct chromejson *c);
u64 chromejson_bytes(const struct chromejson *c);
/* Arrows of the recording with one end so far; they are not written. */
u64 chromejson_one_ended(const struct chromejson *c);

void chromejson_text(struct chromejson *c, enum intern kind, u64 id, const char *text);
void chromejson_stage(struct chromejson *c, u64 id, const char *name, const char *about);
void chromejson_clock(struct chromejson *c, u64 monotonic_ns, u64 realtime_ns);
void chromejson_process(struct chromejson *c, u64 uuid, u32 pid, const char *name);
void chromejson_thread(struct chromejson *c, u64 uuid, u32 pid, u32 tid, const char *name);
void chromejson_track(struct chromejson *c, u64 uuid, u64 parent, const char *name);
void chromejson_counter_track(struct chromejson *c, u64 uuid, u64 parent, const char *name);
void chromejson_begin(struct chromejson *c, u64 ts, const struct perfetto_slice *s);
void chromejson_instant(struct chromejson *c, u64 ts, const struct perfetto_slice *s);
void chromejson_end(struct chromejson *c, u64 ts, u64 track);
/* value NULL: real. */
void chromejson_counter(struct chromejson *c, u64 ts, u64 track, const s64 *value, double real);
void chromejson_task_state(struct chromejson *c, u64 ts, u32 tid, u32 pid, const char *comm,
			   u32 state);
void chromejson_sample(struct chromejson *c, u64 ts, u32 pid, u32 tid,
		       const char *const *frames, u32 n);
void chromejson_gpu_op(struct chromejson *c, const struct perfetto_op *op);
/* Its call is left out: it has no arrow. */
void chromejson_unlink(struct chromejson *c, u64 event_id);

#endif
