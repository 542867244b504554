/* What the migrations of a service count for, fault by fault; the rule is in uvm_join.h. */
#ifndef UVM_SHARE_H
#define UVM_SHARE_H

#include "uvm.h"

struct uvm_share {		/* of one fault */
	u64 in, out;		/* bytes */
	u64 by_cause[UVM_CAUSE_API_HINT + 1];
};

/* `faults` in order of their addresses, at least one. `in`: it went to who faulted. */
void uvm_share_out(struct uvm_share *shares, const struct uvm_fault *faults, u32 count,
		   const struct uvm_migration *m, bool in);
u32 uvm_share_cause(const struct uvm_share *s);	/* of most of the bytes; UVM_CAUSE_UNKNOWN */

#endif
