// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What differs between versions of NVIDIA's drivers in the arguments of their ioctls. */
#include <stdio.h>
#include <string.h>
#include "driver_calls.h"
#include "nvidia.h"

#define NEWEST 9999

/* "535" of "535.261.03" */
static u32 branch(void)
{
	static const char *const files[] = { "/sys/module/nvidia/version",
					     "/sys/module/nvidia_uvm/version" };
	u32 n = 0;

	for (int i = 0; i < 2 && !n; i++) {
		FILE *f = fopen(files[i], "re");

		if (f && fscanf(f, "%u.", &n) != 1)
			n = 0;
		if (f)
			fclose(f);
	}
	return n ? n : NEWEST;
}

static void add(struct rm_status row[RM_SIZES], u32 size, u32 at)
{
	u32 i = 0;

	while (i < RM_SIZES - 1 && row[i].at && row[i].size != size)
		i++;
	row[i] = (struct rm_status){ size, at + 1 };
}

static const struct rm_call { u16 escape, size, status, since; } rm_calls[] = {
#define X(escape, name, size, status, since) { escape, size, status, since },
	RM_CALLS(X)
#undef X
};

void driver_statuses(struct rm_status rm[RM_ROWS][RM_SIZES], u16 uvm[UVM_CALLS])
{
	u32 now = branch();

	memset(rm, 0, sizeof(*rm) * RM_ROWS);
	memset(uvm, 0, sizeof(*uvm) * UVM_CALLS);
	for (size_t i = 0; i < sizeof(rm_calls) / sizeof(*rm_calls); i++) {
		const struct rm_call *c = &rm_calls[i];

		if (c->since <= now && c->status != RM_NO_STATUS)
			add(rm[RM_ROW(c->escape)], c->size, c->status);
	}
	for (const struct driver_place *p = driver_uvm_status; p->offset != 0xffff; p++)
		if (p->number < UVM_CALLS && p->since <= now)
			uvm[p->number] = p->offset + 1;
}

u32 driver_uvm_major(void)
{
	FILE *f = fopen("/proc/devices", "re");
	char line[128], name[64];
	u32 major = 0, n;

	while (f && !major && fgets(line, sizeof(line), f))
		if (sscanf(line, "%u %63s", &n, name) == 2 && !strcmp(name, "nvidia-uvm"))
			major = n;
	if (f)
		fclose(f);
	return major;
}
