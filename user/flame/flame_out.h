/*
 * From the sums of a fold to a file: a picture, folded lines, a page, or what other
 * programs open. Formats of one value get the one that was chosen; the others all that
 * the recording has.
 */
#ifndef FLAME_OUT_H
#define FLAME_OUT_H

#include "flamegraph.h"
#include "fold.h"
#include "frame_rules.h"

enum flame_format {
	FLAME_SVG, FLAME_FOLDED, FLAME_HTML, FLAME_SPEEDSCOPE, FLAME_PPROF,
};

struct flame_out {
	const char *path;		/* NULL: standard output */
	u32 format;			/* enum flame_format */
	u32 value;			/* FOLD_TIME .. FOLD_UVM: chosen; FOLD_VALUES: not */
	const char *time_type;		/* what FOLD_TIME is called; NULL: gpu_kernel_time */
	const char *time_unit;		/* NULL: nanoseconds */
	struct framer *framer;
	struct flame_options svg;
};

/* The values (bits) that a fold has to sum up for it. */
unsigned flame_out_values(const struct flame_out *o);
/* All return 0 or a reported error, -ENOMEM and the like. */
int flame_out_write(const struct flame_out *o, struct fold *f, const struct trace_info *info);
/* Of two recordings. */
int flame_out_pair(const struct flame_out *o, struct fold *before, struct fold *after,
		   struct flame_tree **tree);
int flame_out_tree(const struct flame_out *o, struct flame_tree *tree);
const char *flame_out_unit(const struct flame_out *o);	/* "ns", "launches", "bytes" */

#endif
