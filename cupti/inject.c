// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Entry points of the library. libcuda calls InitializeInjection() inside
 * cuInit(), NVTX calls InitializeInjectionNvtx2(); either takes the rings of the
 * recorder that GPUSCOPE_SOCKET names, or leaves a thread that waits for one.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include "library.h"

struct library library = { .socket = -1 };

static bool registered;

/* In a forked child CUDA and CUPTI are unusable; one that only had NVTX may begin anew. */
static void forked(void)
{
	library.dead = library.dead || library.cupti_tried;
	library.on = 0;
	library.epoch++;
	library.cuda = false;
	handover_forget();
	ring_forget();
	names_forget();
	helper_forget();
}

/* Code of ours may be on any thread's stack: it is never unloaded. */
static void pin(void)
{
	Dl_info info;

	if (dladdr((void *)helper_leave, &info) && info.dli_fname)
		dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

static void registered_once(void)
{
	if (registered)
		return;
	registered = true;
	pin();
	pthread_atfork(NULL, NULL, forked);
}

/* Under `switching`. */
static void library_start(bool cuda)
{
	bool recorder = !handover_take();

	registered_once();
	if (helper_start()) {
		if (recorder)
			session_begin(cuda);
	} else if (recorder) {
		store_relaxed(&library.ring->cupti_status, RING_STATUS_NO_THREAD);
		store_release(&library.ring->library_state, RING_LIBRARY_OFF);
		handover_forget();
	}
}

static void library_begin(bool cuda)
{
	bool ours = self.ours;

	if (library.dead || helper_exiting())
		return;
	self.ours = true;	/* what CUPTI calls meanwhile is not the program's doing */
	pthread_mutex_lock(&switching);
	library.cuda = library.cuda || cuda;
	/* Mapped before the recorder looks at our mappings: frames in it are told from the
	 * program's. */
	if (cuda && !library.open && getenv(HANDOVER_SOCKET_ENV))
		cupti_load();
	if (library.open)
		session_begin(cuda);
	else
		library_start(cuda);
	pthread_mutex_unlock(&switching);
	self.ours = ours;
}

/* Always 1: whatever is wrong with us is no reason to fail the program's cuInit(). */
__attribute__((visibility("default"))) int InitializeInjection(void)
{
	library_begin(true);
	return 1;
}

void nvtx_patch(const void *(*tables)(uint32_t id));

__attribute__((visibility("default")))
int InitializeInjectionNvtx2(const void *(*tables)(uint32_t id))
{
	library_begin(false);
	if (!helper_waits())
		return 0;	/* NVTX turns itself into nothing */
	nvtx_patch(tables);
	return 1;
}
