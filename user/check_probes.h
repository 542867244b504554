/*
 * Which probes of which tools work here: each hook of a probe set with the choice
 * that would win, as the symbols and the BTF of the running kernel promise. Nothing
 * is loaded or attached.
 */
#ifndef CHECK_PROBES_H
#define CHECK_PROBES_H

#include <stdio.h>
#include "check.h"
#include "probe.h"

#define TOOL_SETS_MAX 16

/* Sets that have hooks are looked at; one that several tools use, once. */
struct tool_sets {
	const char *tool;	/* NULL ends a list of them */
	const struct probe_set *sets[TOOL_SETS_MAX];	/* NULL ends */
};

/* release 0: on the running kernel; else the hooks on NVIDIA's modules alone, on that release
 * (user/gpu/nvidia_table.h). */
void check_probes_print(const struct tool_sets *tools, u32 release, FILE *f);
/* "probes" */
void check_probes_json(const struct tool_sets *tools, u32 release, struct json *j);

#endif
