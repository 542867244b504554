// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a trace says about the machine it was made on. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include "clock.h"
#include "trace.h"

/* The first line of a small file, "" if there is none. */
static void read_line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");

	buf[0] = 0;
	if (!f)
		return;
	if (!fgets(buf, size, f))
		buf[0] = 0;
	fclose(f);
	buf[strcspn(buf, "\n")] = 0;
}

/* "NVRM version: NVIDIA UNIX ... Kernel Module for x86_64  580.95.05  Release Build ...": the
 * version is the first word that begins with digits and a dot. */
static void driver_version(char *out, size_t size)
{
	char line[256], *save, *word;
	unsigned a, b;

	read_line("/proc/driver/nvidia/version", line, sizeof(line));
	out[0] = 0;
	for (word = strtok_r(line, " \t", &save); word; word = strtok_r(NULL, " \t", &save))
		if (sscanf(word, "%u.%u", &a, &b) == 2) {
			snprintf(out, size, "%s", word);
			return;
		}
}

void trace_info_here(struct trace_info *info, const char *tool)
{
	struct utsname u = {};

	memset(info, 0, sizeof(*info));
	info->version = TRACE_VERSION;
	info->start_ns = clock_ns(CLOCK_MONOTONIC);
	info->start_realtime_ns = clock_ns(CLOCK_REALTIME);
	read_line("/proc/sys/kernel/random/boot_id", info->boot_id, sizeof(info->boot_id));
	uname(&u);
	snprintf(info->host, sizeof(info->host), "%s", u.nodename);
	snprintf(info->kernel, sizeof(info->kernel), "%s", u.release);
	snprintf(info->machine, sizeof(info->machine), "%.15s", u.machine);
	driver_version(info->driver, sizeof(info->driver));
	snprintf(info->tool, sizeof(info->tool), "%s", tool);
}
