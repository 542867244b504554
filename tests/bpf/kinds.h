/* What tests/bin/kinds.c and hooks.c see: a record for each time that a probe fired. */
#ifndef KINDS_H
#define KINDS_H

#include "event.h"

#define EVENT_HIT 255			/* of this test alone: never in a file */

enum hit_what { HIT_UPROBE = 1, HIT_URETPROBE, HIT_USDT, HIT_TRACEPOINT, HIT_RAW, HIT_BTF,
		HIT_PERF,
		HIT_FENTRY, HIT_FEXIT, HIT_KPROBE, HIT_KRETPROBE, HIT_OTHER, HIT_MULTI,
		HIT_MULTI_RET, HIT_NEVER };

#define HIT_STACK 0x1234		/* the id of the one stack that is defined */

struct hit {
	struct event e;
	u64 value;		/* argument or result, where there is one */
	u64 stack;		/* HIT_STACK, an unknown one, or 0 */
	u32 slots[4];		/* 0, what, 1000, ~0 */
	u32 what;		/* enum hit_what */
	u32 pad;
};
_Static_assert(sizeof(struct hit) == 64, "hit: both sides agree");

#endif
