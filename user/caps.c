// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which privileges this process lacks, by name; see caps.h. */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "caps.h"
#include "types.h"

static const struct { int cap; const char *name; } needed[] = {
	{ CAP_BPF, "CAP_BPF" },			/* load programs, make maps */
	{ CAP_PERFMON, "CAP_PERFMON" },		/* trace, attach */
};

static u64 effective(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = {};

	if (syscall(SYS_capget, &head, data))
		return 0;
	return data[0].effective | (u64)data[1].effective << 32;
}

bool capability_held(int cap)
{
	return effective() >> cap & 1;
}

const char *missing_capabilities(void)
{
	static char text[64];
	u64 have = effective();

	text[0] = '\0';
	if (have >> CAP_SYS_ADMIN & 1)
		return text;		/* it stands for both */
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		if (have >> needed[i].cap & 1)
			continue;
		if (text[0])
			strcat(text, ", ");
		strcat(text, needed[i].name);
	}
	return text;
}
