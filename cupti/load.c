// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finding CUPTI, which is never linked. Two copies in one process must not both
 * be active, so one that is mapped already is taken, whatever its version; else
 * the user's choice; else the newest that fits the driver.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "library.h"

static const struct cupti_symbol symbols[] = { CUPTI_FUNCTIONS(CUPTI_SYMBOL) };

void *libcuda_symbol(const char *name)
{
	static void *handle;

	if (!handle)
		handle = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	return handle ? dlsym(handle, name) : NULL;
}

/* The simulated driver exports what no real one does; asked before cuInit() is through. */
bool device_simulated(void)
{
	return libcuda_symbol("cudasim_core") != NULL;
}

static int find_mapped(struct dl_phdr_info *info, size_t size, void *found)
{
	const char *base = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

	if (!base || strncmp(base, "/libcupti.so", 12))
		return 0;
	snprintf(found, 4096, "%s", info->dlpi_name);
	return 1;
}

static void *open_mapped(void)
{
	static char path[4096];

	if (!dl_iterate_phdr(find_mapped, path))
		return NULL;
	return dlopen(path, RTLD_NOW | RTLD_NOLOAD);
}

static void *open_fitting(void)
{
	static const struct { int major; const char *name; } versions[] = {
		{ 13, "libcupti.so.13" }, { 12, "libcupti.so.12" }, { 11, "libcupti.so.11.8" },
	};
	static const char *const places[] = {
		"", "/usr/local/cuda/lib64/", "/usr/local/cuda/extras/CUPTI/lib64/",
	};
	int (*driver_version)(int *) = libcuda_symbol("cuDriverGetVersion");
	int driver = 0;
	size_t i, place;

	if (driver_version)
		driver_version(&driver);
	for (place = 0; place < 3; place++) {
		for (i = 0; i < 3; i++) {
			char path[256];
			void *handle;

			if (driver && versions[i].major > driver / 1000)
				continue;
			snprintf(path, sizeof(path), "%s%s", places[place], versions[i].name);
			handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
			if (handle)
				return handle;
		}
	}
	return NULL;
}

int cupti_load(void)
{
	const char *choice = secure_getenv("GPUSCOPE_CUPTI");
	void *handle = open_mapped();
	size_t i;

	if (!handle && choice && *choice)
		handle = dlopen(choice, RTLD_NOW | RTLD_LOCAL);
	else if (!handle)
		handle = open_fitting();
	if (!handle)
		return -1;
	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *symbol = dlsym(handle, symbols[i].name);

		if (!symbol && symbols[i].need == CUPTI_NEED)
			return -1;
		memcpy((char *)&library.cupti + symbols[i].offset, &symbol, sizeof(symbol));
	}
	library.cupti.get_version(&library.cupti_version);
	return 0;
}
