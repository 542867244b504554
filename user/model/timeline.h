/* A view of the model that writes a Perfetto trace; see perfetto.h. */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "model.h"
#include "perfetto.h"

struct timeline;

struct timeline_counts {
	u64 slices, ops, instants, states, counters, late;
	u64 flows;		/* links from calls to what they launched */
	u64 spans;		/* of slices: what a framework or an interpreter ran */
	u64 arrows;		/* their ends, as recorded */
	u64 samples;
	u64 short_slices, short_ops;	/* left out: shorter than asked for */
};

struct timeline_settings {
	u64 min_dur_ns;		/* shorter slices and operations are left out */
	bool lean;		/* no arguments: names, times and arrows alone */
};

extern const struct view timeline_view;	/* ctx: struct timeline * */

struct timeline *timeline_new(struct perfetto *p, const struct timeline_settings *settings);
/* Before the first record; info is read when the first thing comes, and must live on. */
void timeline_start(struct timeline *t, struct model *m, const struct trace_info *info);
/* After model_finish: writes what waits, final names, devices. 0 or -errno (not reported). */
int timeline_finish(struct timeline *t);
const struct timeline_counts *timeline_counts(const struct timeline *t);
void timeline_free(struct timeline *t);

#endif
