// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A stream tool whose records are sums: two rows, one of which grows after each look, and one
 * of a process that is gone. They go through the frame as those of a real one do.
 */
#include <unistd.h>
#include <sys/wait.h>
#include <bpf/bpf.h>
#include "driver_calls.h"
#include "tool.h"
#include "ioctl.skel.h"

TOOL_SKEL(ioctl_bpf);

static int map;

static int put(u32 pid, u64 count)
{
	u32 key[9] = { pid };
	struct driver_sum s = {
		.e = { .pid = pid, .size = sizeof(s), .kind = EVENT_DRIVER_SUM },
		.count = count, .time_ns = 1000 * count, .device = 1 << 20 | 3,
	};

	return bpf_map_update_elem(map, key, &s, BPF_ANY);
}

static void *rows_open(void)
{
	struct ioctl_bpf *s = ioctl_bpf__open();
	struct bpf_program *p;

	bpf_object__for_each_program(p, s->obj)
		bpf_program__set_autoload(p, false);
	return s;
}

static int look(const struct tool *tool)
{
	static u64 n = 10;

	return put(getpid(), ++n);
}

static int loaded(const struct tool *tool, struct probe_object *o)
{
	pid_t gone = fork();

	if (!gone)
		_exit(0);
	waitpid(gone, NULL, 0);
	map = probe_map_fd(o, "driver_sums");
	return put(getpid(), 10) || put(1, 20) || put(gone, 30);
}

static const struct probe_row probes[] = { {} };
static const struct option_row options[] = { {} };
static const struct column columns[] = {
	COL_PID, COL(driver_sum, count, "COUNT", 6, AS_DEC),
	COL(driver_sum, interval, "INTERVAL", 6, AS_DEC),
	COL_JSON(driver_sum, from_ns, AS_TIME), COL(driver_sum, time_ns, "SUM(us)", 10, AS_US),
	{}
};

int main(int argc, char **argv)
{
	struct skel_ops ops = ioctl_bpf_ops;
	struct probe_set set = { .name = "rows", .about = "test", .skel = &ops,
				 .probes = probes, .sums = "driver_sums" };
	struct tool tool = {
		.name = "rows", .about = "test of sums", .examples = "", .set = &set,
		.kind = EVENT_DRIVER_SUM, .options = options, .columns = columns,
		.loaded = loaded, .look = look,
	};

	ops.open = rows_open;
	return tool_main(&tool, argc, argv);
}
