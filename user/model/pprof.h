/*
 * Google's pprof format (profile.proto, packed by gzip): samples of several
 * values by stack, with labels. Field numbers are those of pprof's proto/profile.proto;
 * they are an interface and never change meaning.
 */
#ifndef PPROF_H
#define PPROF_H

#include "fold.h"

struct pprof;

struct pprof_value { const char *type, *unit; };	/* "gpu_kernel_time", "nanoseconds" */

/* values: bits of enum fold_value that samples have, names: of all FOLD_VALUES; the first one
 * is what viewers show by default. */
struct pprof *pprof_new(unsigned values, const struct pprof_value *names);
/* One sample; frames[0] is the outermost. As fold_put_all. */
int pprof_add(struct pprof *p, const struct fold_frame *frames, u32 n,
	      const struct fold_stack *about);
void pprof_comment(struct pprof *p, const char *text);
/* realtime_ns: when it began, 0 unknown. 0 or a negative errno. */
int pprof_write(struct pprof *p, u64 realtime_ns, u64 duration_ns, FILE *out);
void pprof_free(struct pprof *p);		/* NULL is fine */

#endif
