// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A tool that sums: its map holds records, two of them put there as probes would.
 * culaunch's object serves as the object; its probes are not attached.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include "tool.h"
#include "culaunch.h"
#include "culaunch.skel.h"

TOOL_SKEL(culaunch_bpf);

static void *rows_open(void)
{
	struct culaunch_bpf *s = culaunch_bpf__open();

	if (!s)
		return NULL;
	bpf_map__set_value_size(s->maps.func_names, sizeof(struct launch));
	bpf_program__set_autoload(s->progs.get_function_exit, false);	/* these write to it */
	bpf_program__set_autoload(s->progs.get_name_exit, false);
	bpf_program__set_autoload(s->progs.kernel_function_exit, false);
	return s;
}

static int rows_load(void *skel)
{
	struct culaunch_bpf *s = skel;
	int err = culaunch_bpf__load(s);

	for (u32 i = 1; !err && i <= 2; i++) {
		u64 key[2] = { i, i };
		struct launch l = {
			.e = { .ts = i, .pid = 10 * i, .size = sizeof(l),
			       .kind = EVENT_LAUNCH },
			.dur_ns = 1000 * i,
		};

		err = bpf_map_update_elem(bpf_map__fd(s->maps.func_names), key, &l, BPF_ANY);
	}
	return err;
}

static const struct probe_row probes[] = { {} };
static const struct option_row options[] = { {} };
static const struct column columns[] = { COL_PID, COL(launch, dur_ns, "SUM(us)", 10, AS_US),
					 {} };

int main(int argc, char **argv)
{
	struct skel_ops ops = culaunch_bpf_ops;
	struct probe_set set = { .name = "rows", .about = "test", .skel = &ops,
				 .probes = probes };
	struct tool tool = {
		.name = "rows", .about = "test of summed rows", .examples = "", .set = &set,
		.kind = EVENT_LAUNCH, .rows = "func_names", .options = options,
		.columns = columns,
	};

	ops.open = rows_open;
	ops.load = rows_load;
	return tool_main(&tool, argc, argv);
}
