/*
 * The same collective on several ranks: by group and sequence number where the
 * trace has them, else the k-th of its kind where all ranks have as many. Who
 * arrived last is whose kernel was the shortest: the others' waited inside.
 */
#ifndef COLLECTIVES_H
#define COLLECTIVES_H

#include "hash.h"
#include "model.h"

#define COMM_CALLS_MAX (1u << 20)

struct comm_call {		/* a kernel of a collective on one member: a GPU of a process */
	u64 start, end;
	u64 sequence;		/* 0 unknown */
	u32 kind;
	u32 member;
};

struct matched {		/* one collective */
	const struct comm_call **calls;	/* by member */
	u32 n;
	u32 kind;
	u64 sequence;
	u32 last;		/* member that arrived last: by starts if clocks agree, else the
				 * shortest */
	u32 shortest;		/* member */
	u64 spread_ns;		/* between first and last start */
	u64 end_spread_ns;
	u64 dur_spread_ns;
};

struct straggler {		/* of one member, over all matched ones */
	u64 matched;
	u64 last;		/* times it arrived last */
	u64 caused_ns;		/* time that the others waited for it then */
	u64 waited_ns;		/* it, for the last one */
	u64 waited_start_ns, waited_dur_ns;	/* by starts; by durations */
};

struct collectives {
	struct texts texts;
	struct arena arena;
	struct hash kind_map;
	const char **kinds;	/* for people */
	size_t kind_n;
	struct comm_call *calls;
	size_t call_n, call_room;
	u64 left_out;		/* beyond COMM_CALLS_MAX */
	/* after collectives_match */
	struct matched *list;	/* by first start */
	size_t n;
	u64 unmatched;		/* calls: alone, or members have different numbers of them */
	bool by_start;		/* clocks of the members agree better than arrivals differ */
	u64 clock_error_ns;	/* median spread of ends */
};

void collectives_add(struct collectives *c, u32 member, const struct gpu_op *op,
		     const char *name);
/* stragglers: by member, zeroed */
void collectives_match(struct collectives *c, struct straggler *const *stragglers);
void collectives_free(struct collectives *c);

#endif
