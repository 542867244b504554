// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does what libcuda's cuInit() does for a tool, without any libcuda: loads the library of
 * CUDA_INJECTION64_PATH and calls it. Prints what it returned and the threads there are
 * then. */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	int n = -2;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

int main(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *handle = path ? dlopen(path, RTLD_NOW) : NULL;
	int (*init)(void) = handle ? dlsym(handle, "InitializeInjection") : NULL;

	if (!init) {
		fprintf(stderr, "injecttest: %s\n",
			path ? dlerror() : "CUDA_INJECTION64_PATH is not set");
		return 1;
	}
	printf("returned %d\n", init());
	printf("threads %d\n", threads());
	dlclose(handle);	/* must not take the code away from under its thread */
	return 23;
}
