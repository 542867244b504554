// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A tool whose program is left out once for each time that it runs. */
#include "tool.h"
#include "../bpf/kinds.h"
#include "test/missed.skel.h"

TOOL_SKEL(missed_bpf);

static const struct probe_row probes[] = {
	BTF_TRACEPOINT(missed_bpf, on_fault, "page_fault_kernel"),
	{}
};

static const struct probe_set set = { "missed", "test", &missed_bpf_ops, probes };

static const struct option_row options[] = { {} };
static const struct column columns[] = {
	COL_TIME, COL_PID, COL_COMM,
	COL(hit, value, "ADDRESS", 12, AS_HEX),
	{}
};

int main(int argc, char **argv)
{
	static const struct tool tool = {
		.name = "missed", .about = "test of probes that the kernel leaves out",
		.examples = "", .kind = EVENT_HIT, .set = &set, .options = options,
		.columns = columns,
	};

	return tool_main(&tool, argc, argv);
}
