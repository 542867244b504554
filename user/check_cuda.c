// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The NVIDIA driver and its devices, as the kernel shows them. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "check.h"

#define GROUP "NVIDIA driver"

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  ...": the first word of digits
 * and dots */
static bool driver_version(char *version, size_t size)
{
	char line[256], *word, *save;

	if (!check_read("/proc/driver/nvidia/version", line, sizeof(line)))
		return false;
	for (word = strtok_r(line, " \t", &save); word; word = strtok_r(NULL, " \t", &save))
		if (strspn(word, "0123456789.") == strlen(word) && strchr(word, '.')) {
			snprintf(version, size, "%s", word);
			return true;
		}
	return false;
}

static int count_devices(char *model, size_t size)
{
	DIR *dir = opendir("/proc/driver/nvidia/gpus");
	struct dirent *d;
	char path[512], line[256];
	int n = 0;

	model[0] = '\0';
	while (dir && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		n++;
		snprintf(path, sizeof(path), "/proc/driver/nvidia/gpus/%s/information",
			 d->d_name);
		if (check_read(path, line, sizeof(line)) && !strncmp(line, "Model:", 6))
			snprintf(model, size, "%s", line + 6 + strspn(line + 6, " \t"));
	}
	if (dir)
		closedir(dir);
	return n;
}

/* Whether hardware counters are for administrators only; tracing of kernels and copies is not
 * concerned. */
static void check_profiling(struct checks *c)
{
	FILE *f = fopen("/proc/driver/nvidia/params", "re");
	char line[256];
	int v = -1;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "RmProfilingAdminOnly: %d", &v) == 1)
			break;
	if (f)
		fclose(f);
	if (v < 0)
		return;
	if (v && geteuid())
		check_add(c, GROUP, "counters", CHECK_DEGRADED,
			  "options nvidia NVreg_RestrictProfilingToAdminUsers=0 in modprobe.d (only hardware counters need it)",
			  "for administrators only");
	else
		check_add(c, GROUP, "counters", CHECK_OK, "", "%s",
			  v ? "for administrators only" : "for all users");
}

static void check_modules(struct checks *c)
{
	static const char *const modules[] = { "nvidia", "nvidia_uvm" };
	char path[96];

	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "/sys/module/%s", modules[i]);
		if (access(path, F_OK)) {
			check_add(c, GROUP, modules[i], CHECK_MISSING,
				  i ? "modprobe nvidia-uvm" : "modprobe nvidia",
				  "module not loaded");
			continue;
		}
		snprintf(path, sizeof(path), "/sys/kernel/btf/%s", modules[i]);
		if (access(path, F_OK))
			check_add(c, GROUP, modules[i], CHECK_DEGRADED,
				  "build the module on a machine with pahole and vmlinux: its events are seen by their types",
				  "loaded, without BTF");
		else
			check_add(c, GROUP, modules[i], CHECK_OK, "", "loaded, with BTF");
	}
}

void check_driver(struct checks *c)
{
	char version[32], model[128];
	int n;

	if (!driver_version(version, sizeof(version))) {
		check_add(c, GROUP, "driver", CHECK_MISSING,
			  "install the NVIDIA driver; recordings from other machines can be read here all the same",
			  "no /proc/driver/nvidia/version");
		return;
	}
	check_add(c, GROUP, "driver", CHECK_OK, "", "%s", version);
	n = count_devices(model, sizeof(model));
	if (n)
		check_add(c, GROUP, "devices", CHECK_OK, "", "%d: %s", n, model);
	else
		check_add(c, GROUP, "devices", CHECK_MISSING,
			  "is the GPU in the machine, and passed through?", "none");
	check_modules(c);
	check_profiling(c);
}
