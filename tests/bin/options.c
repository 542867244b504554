// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Option rows of every type, parsed into a struct and printed: the parser without any
 * probes. */
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
	u8 mode;
	u32 kinds;
	double share;
	u64 ring_bytes;
};

static const struct enum_name modes[] = { { 3, "fast" }, { 4, "exact" }, {} };
static const struct enum_name kinds[] = { { 1, "read" }, { 2, "write" }, { 3, "both" }, {} };

static struct own own = { .level = -1 };

static const struct option_row rows[] = {
	OPT_SET(struct own, level, 'l', "level", "N", OPT_SIGNED, "a signed number"),
	OPT_SET(struct own, port, 0, "port", "N", OPT_UNSIGNED, "a small number"),
	OPT_SET(struct own, after_ns, 0, "after", "TIME", OPT_DURATION_NS, "a time"),
	OPT_SET(struct own, name, 0, "name", "TEXT", OPT_STRING, "a text"),
	OPT_SET_LIST(struct own, cpus, cpu_count, 4, 0, "cpus", "LIST", "numbers"),
	OPT_SET_LIST(struct own, ports, port_count, 3, 0, "ports", "LIST", "bytes"),
	OPT_SET_WORD(struct own, mode, 0, "mode", "MODE", OPT_WORD, modes, "one word"),
	OPT_SET_STORE(struct own, mode, 9, 0, "none", "a switch with a value"),
	OPT_SET_WORD(struct own, kinds, 0, "kinds", "LIST", OPT_WORDS, kinds,
		     "some words,\non two lines"),
	OPT_SET_RANGE(struct own, share, 0, "share", "N", OPT_REAL, 0, 100, "a fraction"),
	OPT_SET_RANGE(struct own, ring_bytes, 0, "ring", "BYTES", OPT_POWER2, 4096, 1 << 20,
		      "a size"),
	OPT_SET(struct own, flag, 'f', "flag", NULL, OPT_SWITCH, "a switch"),
	{}
};

static const struct column columns[] = { COL_PID, {} };

static const struct probe_set no_probes = { .name = "options" };
static const struct tool tool = {
	.name = "options", .about = "test of the option parser", .examples = "",
	.options = rows, .columns = columns, .settings = &own, .set = &no_probes,
};

int main(int argc, char **argv)
{
	struct settings set = {};
	int code;

	code = tool_options(&tool, argc, argv, NULL, &set);
	if (code >= 0)
		return code;
	printf("level=%d port=%u after=%llu name=%s flag=%d cpus=", own.level, own.port,
	       own.after_ns, own.name ? own.name : "-", own.flag);
	for (u32 i = 0; i < own.cpu_count; i++)
		printf("%u;", own.cpus[i]);
	printf(" ports=");
	for (u32 i = 0; i < own.port_count; i++)
		printf("%u;", own.ports[i]);
	printf(" pid=%u count=%llu duration=%llu\n", set.pid, set.count, set.duration_ns);
	if (own.mode || own.kinds || own.share || own.ring_bytes)
		printf("mode=%u kinds=%u share=%g ring=%llu\n", own.mode, own.kinds, own.share,
		       own.ring_bytes);
	return 0;
}
