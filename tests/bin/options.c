// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Option rows of every type, parsed into a struct and printed: the parser without any probes. */
#include <stdio.h>
#include "tool_run.h"

struct own {
	s32 level;
	u16 port;
	u64 after_ns;
	const char *name;
	u32 cpus[4], cpu_count;
	u8 ports[3];
	u32 port_count;
	bool flag;
};

static struct own own = { .level = -1 };

static const struct option_row rows[] = {
	OPT_SET(struct own, level, 'l', "level", "N", OPT_SIGNED, "a signed number"),
	OPT_SET(struct own, port, 0, "port", "N", OPT_UNSIGNED, "a small number"),
	OPT_SET(struct own, after_ns, 0, "after", "TIME", OPT_DURATION_NS, "a time"),
	OPT_SET(struct own, name, 0, "name", "TEXT", OPT_STRING, "a text"),
	OPT_SET_LIST(struct own, cpus, cpu_count, 4, 0, "cpus", "LIST", "numbers"),
	OPT_SET_LIST(struct own, ports, port_count, 3, 0, "ports", "LIST", "bytes"),
	OPT_SET(struct own, flag, 'f', "flag", NULL, OPT_SWITCH, "a switch"),
	{}
};

static const struct column columns[] = { COL_PID, {} };

static const struct tool tool = {
	.name = "options", .about = "test of the option parser", .examples = "",
	.options = rows, .columns = columns, .settings = &own,
};

int main(int argc, char **argv)
{
	struct settings set = {};

	log_init("options", false);
	if (options_parse(&tool, argc, argv, NULL, &set))
		return 2;
	printf("level=%d port=%u after=%llu name=%s flag=%d cpus=", own.level, own.port,
	       own.after_ns, own.name ? own.name : "-", own.flag);
	for (u32 i = 0; i < own.cpu_count; i++)
		printf("%u;", own.cpus[i]);
	printf(" ports=");
	for (u32 i = 0; i < own.port_count; i++)
		printf("%u;", own.ports[i]);
	printf(" pid=%u count=%llu duration=%llu\n", set.pid, set.count, set.duration_ns);
	return 0;
}
