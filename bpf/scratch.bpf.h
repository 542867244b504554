/*
 * Buffers for records whose length is known only when they are built (stacks,
 * names): too large for the BPF stack. Probes of user code can be preempted, so
 * one buffer a CPU is not enough: there are four, each taken by an exchange.
 */
#ifndef SCRATCH_BPF_H
#define SCRATCH_BPF_H

#include "emit.bpf.h"

#define SCRATCH_BYTES 4096	/* power of two: masked indexes stay inside */
#define SCRATCH_SLOTS 4

struct scratch {
	u64 busy;
	u8 data[SCRATCH_BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SCRATCH_SLOTS);
	__type(key, u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

/* NULL (counted as a lost record): all are taken. Give it back with scratch_put() on every
 * path. */
static __always_inline struct scratch *scratch_get(void)
{
	struct scratch *s;

	for (u32 i = 0; i < SCRATCH_SLOTS; i++) {
		u32 key = i;

		s = bpf_map_lookup_elem(&scratches, &key);
		if (s && !__sync_lock_test_and_set(&s->busy, 1))
			return s;
	}
	emit_lost();
	return NULL;
}

static __always_inline void scratch_put(struct scratch *s)
{
	__sync_lock_test_and_set(&s->busy, 0);
}

#endif
