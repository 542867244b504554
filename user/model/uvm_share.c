// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "uvm_share.h"

/* The first fault at or behind an address; count: none. */
static u32 fault_at(const struct uvm_fault *faults, u32 count, u64 addr)
{
	u32 low = 0, high = count;

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (faults[mid].addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void share_add(struct uvm_share *s, const struct uvm_migration *m, bool in, u64 bytes)
{
	*(in ? &s->in : &s->out) += bytes;
	if (m->cause <= UVM_CAUSE_API_HINT)
		s->by_cause[m->cause] += bytes;
}

void uvm_share_out(struct uvm_share *shares, const struct uvm_fault *faults, u32 count,
		   const struct uvm_migration *m, bool in)
{
	u32 from = fault_at(faults, count, m->addr);
	u32 to = fault_at(faults, count, m->addr + m->bytes), served = 0;
	u64 left = m->bytes;

	for (u32 i = from; i < to; i++)
		served += !(faults[i].flags & UVM_DUPLICATE);
	if (!served) {
		share_add(&shares[from ? from - 1 : 0], m, in, m->bytes);
		return;
	}
	for (u32 i = from; i < to; i++) {
		u64 bytes = left / served;

		if (faults[i].flags & UVM_DUPLICATE)
			continue;
		share_add(&shares[i], m, in, bytes);
		left -= bytes;
		if (!--served)
			return;
	}
}

u32 uvm_share_cause(const struct uvm_share *s)
{
	u32 best = UVM_CAUSE_UNKNOWN;

	for (u32 i = 0; i <= UVM_CAUSE_API_HINT; i++)
		if (s->by_cause[i] &&
		    (best == UVM_CAUSE_UNKNOWN || s->by_cause[i] > s->by_cause[best]))
			best = i;
	return best;
}
