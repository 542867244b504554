/* Inside of the timeline's writer, shared by perfetto*.c alone. */
#ifndef PERFETTO_PARTS_H
#define PERFETTO_PARTS_H

#include "chromejson.h"
#include "hash.h"
#include "outfile.h"
#include "pb.h"
#include "perfetto.h"

#define FIT_BUCKETS 4096

struct fit {			/* how much was written of each time */
	u64 first, width;	/* ns of a bucket; doubled when the last one is passed */
	u64 weight[FIT_BUCKETS], all;
};

struct interned {
	struct interned *next;
	u64 id;
	char text[];
};

struct perfetto {
	struct outfile out;
	FILE *packed;			/* a stream over out, or NULL */
	struct chromejson *chrome;		/* JSON instead */
	struct pb packet, interned;	/* interned: fields of InternedData not written yet */
	struct hash strings[INTERN_KINDS];	/* hash of the text -> struct interned */
	u64 next_id[INTERN_KINDS], next_context, next_stage, next_kernel;
	u64 next_function, next_frame, next_callstack;
	struct hash functions, callstacks;	/* -> interned id as pointer */
	u64 bytes, packet_ts;
	struct fit fit;
	int err;
	bool begun;
};

void perfetto_packet_write(struct perfetto *p);
struct pb *perfetto_packet_open(struct perfetto *p);
struct pb *perfetto_packet_begin(struct perfetto *p, u64 ts);	/* one with a time */
void fit_add(struct fit *f, u64 ts, u64 weight);

#endif
