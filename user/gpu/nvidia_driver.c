// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which NVIDIA driver this kernel runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "nvidia_driver.h"

u32 nvidia_version(const char *text)
{
	unsigned major = 0, minor = 0, patch = 0;
	int end = 0;

	if (sscanf(text, "%3u.%3u%n.%3u%n", &major, &minor, &end, &patch, &end) < 2 ||
	    (text[end] && text[end] != '\n') || !major)
		return 0;
	return UVM_VERSION(major, minor, patch);
}

const char *nvidia_version_text(u32 version, char *buf, size_t size)
{
	u32 major = version / 1000000, minor = version / 1000 % 1000, patch = version % 1000;

	if (patch)
		snprintf(buf, size, "%u.%02u.%02u", major, minor, patch);
	else
		snprintf(buf, size, "%u.%02u", major, minor);
	return buf;
}

static bool read_version(struct nvidia_driver *d, const char *path)
{
	FILE *f = fopen(path, "re");

	if (f && fgets(d->text, sizeof(d->text), f)) {
		d->text[strcspn(d->text, "\n")] = 0;
		d->version = nvidia_version(d->text);
	}
	if (f)
		fclose(f);
	return d->version;
}

/* Does the module have that function? */
static bool has_function(const char *module, const char *name)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], have[256], where[64];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*s %*s %255s [%63[^]]]", have, where) == 2 &&
			!strcmp(have, name) && !strcmp(where, module);
	if (f)
		fclose(f);
	return found;
}

bool nvidia_driver_read(struct nvidia_driver *d)
{
	*d = (struct nvidia_driver){};
	d->loaded = !access("/sys/module/nvidia/initstate", F_OK);
	d->uvm = !access("/sys/module/nvidia_uvm/initstate", F_OK);
	if (!read_version(d, "/sys/module/nvidia_uvm/version"))
		read_version(d, "/sys/module/nvidia/version");
	d->uvm_btf = d->uvm && !access("/sys/kernel/btf/nvidia_uvm", R_OK);
	d->hmm = d->uvm && has_function("nvidia_uvm", "uvm_hmm_va_block_service_locked");
	return d->loaded || d->uvm;
}
