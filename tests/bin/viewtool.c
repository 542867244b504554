// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A tool with a view: rows of records of two kinds, a sum each interval, the sum of all. */
#include "cuda.h"
#include "culaunch.h"
#include "host.h"
#include "sets/sets.h"
#include "tool.h"

struct sum { struct event e; u64 from, to; u32 launches, switches, definitions, pad; };

static struct sum now, all;
static u32 begun;

static const struct column launch_columns[] = {
	COL_TIME, COL_PID, COL_COMM, COL(launch, dur_ns, "LAT(us)", 9, AS_US), {}
};
static const struct column sum_columns[] = {
	COL(sum, from, "FROM", 6, AS_DEC), COL(sum, to, "TO", 6, AS_DEC),
	COL(sum, launches, "LAUNCHES", 9, AS_DEC), COL(sum, switches, "SWITCHES", 9, AS_DEC),
	COL(sum, definitions, "DEFS", 5, AS_DEC), {}
};

static int begin(const struct tool *tool)
{
	begun++;
	return 0;
}

static int put(struct sink *s, const struct event *e)
{
	now.launches += e->kind == EVENT_LAUNCH;
	now.switches += e->kind == EVENT_SWITCH;
	now.definitions += e->kind < EVENT_DEFINITIONS_END;
	return e->kind == EVENT_LAUNCH ? sink_row(s, launch_columns, "launch", e) : 0;
}

static int tick(struct sink *s, u64 from_ns, u64 to_ns)
{
	struct sum row = now;

	row.from = from_ns;
	row.to = to_ns;
	all.launches += now.launches;
	all.switches += now.switches;
	all.definitions += now.definitions;
	now = (struct sum){};
	return sink_row(s, sum_columns, "interval", &row.e);
}

static int end(struct sink *s)
{
	all.from = begun;
	return sink_row(s, sum_columns, "all", &all.e);
}

int main(int argc, char **argv)
{
	static const struct tool_view view = { begin, put, tick, end };
	static const u16 kinds[] = { EVENT_LAUNCH, EVENT_SWITCH, 0 };
	static const struct tool tool = {
		.name = "viewtool", .about = "test of views", .examples = "",
		.set = &set_culaunch, .kinds = kinds, .view = &view,
	};

	return tool_main(&tool, argc, argv);
}
