// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The life of the library in a process: cuInit with the injected library, fork, exit.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine.h"

static bool started;		/* a child of fork may not go on where its parent was */

/* A child has none of our threads and half of our locks: it gets errors and nothing else. */
static void forked(void)
{
	sim_ready = 0;
	hooks_set(NULL);
}

static void finish(void)
{
	struct sim_hooks *hooks = hooks_get();

	if (!sim_ready)
		return;
	if (hooks && hooks->fini)
		hooks->fini();
	hooks_set(NULL);
	worker_stop();
	sim_ready = 0;
}

/* As the real driver: one path, loaded once, only when there is a device. */
static void inject(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	int (*initialize)(void);
	void *handle;

	if (!path || !*path)
		return;
	handle = dlopen(path, RTLD_NOW);
	if (!handle) {
		if (sim_log)
			fprintf(stderr, "cudasim: cannot load %s: %s\n", path, dlerror());
		return;
	}
	initialize = (int (*)(void))dlsym(handle, "InitializeInjection");
	if (initialize)
		initialize();
}

static CUresult refuse(void)
{
	if (access("/dev/nvidiactl", F_OK) || setting("FORCE"))
		return CUDA_SUCCESS;
	fprintf(stderr, "cudasim: cannot start: a real NVIDIA driver is here "
			"(CUDASIM_FORCE=1 starts anyway)\n");
	return CUDA_ERROR_SYSTEM_DRIVER_MISMATCH;
}

static CUresult start(void)
{
	CUresult r = refuse();

	if (r)
		return r;
	devices_init();
	if (!engine.device_count)
		return CUDA_ERROR_NO_DEVICE;
	engine_init();
	model_load();
	lost_load();
	if (setting_number("IOCTL", 0))
		engine.ioctl_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	pthread_atfork(NULL, NULL, forked);
	atexit(finish);
	worker_start();
	started = true;
	sim_ready = 1;
	inject();
	return CUDA_SUCCESS;
}

/* The injected library may call the driver from its InitializeInjection: hence recursive. */
static CUresult init(void)
{
	static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	CUresult r;

	if (sim_ready)
		return CUDA_SUCCESS;
	if (started)
		return engine.closing ? CUDA_ERROR_DEINITIALIZED : CUDA_ERROR_NOT_INITIALIZED;
	pthread_mutex_lock(&lock);
	r = sim_ready ? CUDA_SUCCESS : start();
	pthread_mutex_unlock(&lock);
	return r;
}

CUresult cuInit(unsigned int flags)
{
	static uint32_t cbid;
	struct { unsigned int flags; } params = { flags };
	CUresult result = CUDA_SUCCESS;
	struct sim_call call = {
		.domain = 1, .name = "cuInit", .function = "cuInit", .params = &params,
		.result = &result, .cbid = &cbid,
	};
	bool before = sim_ready;

	faults_load();
	if (before)
		call_enter(&call);
	result = flags ? CUDA_ERROR_INVALID_VALUE : sim_faults ? fault("cuInit") : CUDA_SUCCESS;
	if (!result)
		result = init();
	if (before)
		call_exit(&call);
	return result;
}

CUresult cuDriverGetVersion(int *version)
{
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = CUDA_ABI_VERSION;
	return CUDA_SUCCESS;
}
