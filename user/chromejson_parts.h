/* Inside of the writer of JSON, shared by chromejson*.c alone. */
#ifndef CHROMEJSON_PARTS_H
#define CHROMEJSON_PARTS_H

#include "arena.h"
#include "chromejson.h"
#include "hash.h"
#include "out.h"

struct track { u32 pid; u64 tid; const char *name; };	/* name: of a counter */
struct state { u32 state, pid; u64 since, track; };
struct place { u64 ts, tid; u32 pid; };

struct chromejson {
	FILE *f;
	struct json j;
	struct texts texts;
	const char **text[INTERN_KINDS];	/* by id */
	size_t text_room[INTERN_KINDS];
	struct track *tracks;			/* by uuid */
	size_t track_room;
	struct queue *queues;			/* by the id of its stage */
	size_t queue_room;
	u64 lanes, state_tracks;		/* how many there are */
	struct hash states;			/* tid + 1 -> struct state */
	struct hash gpus;			/* that were named */
	/* operation -> struct place, until its call is written; id -> struct arrow, until the
	 * other end is there */
	struct hash links, arrows;
	u64 one_ended;				/* arrows that were given up */
	u64 realtime_ahead;			/* of CLOCK_MONOTONIC; 0 unknown */
	u64 events, newest;
};

/* chromejson.c: one event, and what stands in many */
void chromejson_event_open(struct chromejson *c, const char *phase);
/* Microseconds, as the format wants it, with every nanosecond. */
void chromejson_time_put(struct chromejson *c, const char *key, u64 ns);
void chromejson_place_put(struct chromejson *c, u32 pid, u64 tid);
void chromejson_meta(struct chromejson *c, const char *what, u32 pid, u64 tid,
		     const char *name);
void chromejson_sort_meta(struct chromejson *c, const char *what, u32 pid, u64 tid, u64 index);
void chromejson_notes_put(struct chromejson *c, const struct perfetto_note *n);
const char *chromejson_text_of(const struct chromejson *c, enum intern kind, u64 id);

/* chromejson_ops.c. The call of an operation; one end of an arrow, out: where it leaves. */
void chromejson_link(struct chromejson *c, u64 event_id, const struct place *call);
void chromejson_arrow(struct chromejson *c, u64 id, bool out, const struct place *at);
void chromejson_ops_free(struct chromejson *c);

#endif
