// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Entry points and life of the library. libcuda calls InitializeInjection()
 * inside cuInit(), NVTX calls InitializeInjectionNvtx2(); either hands over. A
 * helper thread then follows what the recorder wants, asks CUPTI for records in
 * bounded time, and notices when the recorder has gone.
 */
#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "library.h"

#define TICK_MS     50		/* how soon a recorder's wish or death is noticed */
#define FLUSH_TICKS 4		/* records arrive at most about 200 ms after CUPTI has them */
#define CLOCK_TICKS 20
#define EXIT_NS     2000000000	/* longest wait for CUPTI when the program exits */
#define STOP_MS     100		/* for operations in flight when the recorder stops */
#define LEAVE_MS    50		/* the same when the program exits */

struct library library = { .socket = -1, .first_ignored = ~0U };

static pthread_mutex_t switching = PTHREAD_MUTEX_INITIALIZER;	/* never taken in a callback */
static bool helper_runs, registered;
static u32 exiting;		/* futex: the program leaves */
static u32 finished;		/* futex: the helper has handed out everything */

static void futex_wait(u32 *word, u32 value, u64 ns)
{
	struct timespec limit = { ns / 1000000000, ns % 1000000000 };

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &limit, NULL, 0);
}

static void futex_wake(u32 *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 0x7fffffff, NULL, NULL, 0);
}

/* All slots together: operations begun, and bytes written as a sign of life. */
static u64 operations_begun(u64 *written)
{
	u64 sum = load_relaxed(&library.ring->begun);
	u32 i;

	*written = 0;
	for (i = 0; i < library.slots; i++) {
		struct ring_slot *slot = (void *)((u8 *)library.ring +
						  handover_slot_off(library.ring, i));

		sum += load_relaxed(&slot->begun);
		*written += load_relaxed(&slot->head);
	}
	return sum;
}

/* A program that does nothing is not flushed again and again. */
static void flush_if_needed(void)
{
	static u64 before;
	u64 written, begun = operations_begun(&written);

	if ((library.on & WANT_API) && written == before &&
	    load_relaxed(&library.ring->delivered) >= begun)
		return;
	cupti_flush(false);
	operations_begun(&before);
}

/* What is on the GPU now gets a moment to finish, so that its record is whole. */
static void operations_settle(u32 limit_ms)
{
	struct timespec nap = { 0, 1000000 };
	u64 written;
	u32 ms;

	for (ms = 0; ms < limit_ms; ms++) {
		cupti_flush(false);
		if (load_relaxed(&library.ring->delivered) >= operations_begun(&written))
			return;
		nanosleep(&nap, NULL);
	}
}

/* Everything off, everything CUPTI has into the rings. */
static void wind_down(u32 settle_ms)
{
	if (!library.on)
		return;
	api_close();
	devices_send();
	if (library.cupti_up)
		operations_settle(settle_ms);
	cupti_flush(true);
	switch_to(0, false);
	clock_pair();
}

static void leave(void);

/*
 * What is registered last runs first: libcuda and CUPTI take themselves down at
 * exit, and we must have flushed before. So once more when CUPTI is there.
 */
static void exit_register(void)
{
	static u32 times;

	if (times < (library.cupti_up ? 2 : 1) && !atexit(leave))
		times = library.cupti_up ? 2 : 1;
}

static void state_tell(void)
{
	store_release(&library.ring->library_state,
		      library.on ? RING_LIBRARY_UP : RING_LIBRARY_OFF);
}

static void tick(u32 n)
{
	u32 wanted = load_acquire(&library.ring->wanted);

	if (!wanted && library.ring->library_state != RING_LIBRARY_DONE) {
		wind_down(STOP_MS);
		store_release(&library.ring->library_state, RING_LIBRARY_DONE);
	}
	if (!wanted)
		return;
	switch_to(wanted, false);
	exit_register();
	state_tell();
	devices_send();
	if (n % FLUSH_TICKS == 0)
		flush_if_needed();
	if (n % CLOCK_TICKS == 0)
		clock_pair();
}

/* The recorder died: leave nothing behind but the mapping, and give its memory back. */
static void abandon(void)
{
	u64 bytes = handover_slot_off(library.ring, library.slots);

	api_callbacks(0);
	switch_to(0, false);
	cupti_stop();
	handover_forget();
	madvise(library.ring, bytes, MADV_REMOVE);
}

static void *helper(void *unused)
{
	u32 n;

	self.ours = true;
	prctl(PR_SET_NAME, "gpuscope");
	for (n = 1; !load_acquire(&exiting); n++) {
		futex_wait(&exiting, 0, TICK_MS * 1000000);
		if (load_acquire(&exiting) || pthread_mutex_trylock(&switching))
			continue;
		if (!handover_alive()) {
			abandon();
			store_release(&helper_runs, false);
			pthread_mutex_unlock(&switching);
			return NULL;
		}
		tick(n);
		pthread_mutex_unlock(&switching);
	}
	wind_down(LEAVE_MS);
	store_release(&library.ring->library_state, RING_LIBRARY_DONE);
	store_release(&finished, 1);
	futex_wake(&finished);
	return NULL;
}

/* No signal of the program is ever handled by our thread. */
static bool helper_start(void)
{
	sigset_t all, before;
	pthread_t thread;
	int err;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&thread, NULL, helper, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!err)
		pthread_detach(thread);
	return !err;
}

static void leave(void)
{
	u64 until;

	if (!load_acquire(&helper_runs) || self.ours)
		return;
	api_close();
	store_release(&exiting, 1);
	futex_wake(&exiting);
	for (until = clock_now() + EXIT_NS; !load_acquire(&finished) && clock_now() < until; )
		futex_wait(&finished, 0, EXIT_NS / 10);
}

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
	pthread_mutex_init(&switching, NULL);
	helper_runs = false;
	exiting = finished = 0;
}

/* Code of ours may be on any thread's stack: it is never unloaded. */
static void pin(void)
{
	Dl_info info;

	if (dladdr((void *)leave, &info) && info.dli_fname)
		dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

/* Under `switching`. */
static int library_start(void)
{
	if (library.open)
		return 0;
	if (library.dead || load_relaxed(&exiting) || handover_take())
		return -1;
	if (!registered) {
		registered = true;
		pin();
		pthread_atfork(NULL, NULL, forked);
	}
	helper_runs = helper_start();
	if (!helper_runs) {
		store_relaxed(&library.ring->cupti_status, RING_STATUS_NO_THREAD);
		store_release(&library.ring->library_state, RING_LIBRARY_OFF);
		handover_forget();
		return -1;
	}
	clock_pair();
	return 0;
}

static void library_begin(bool cuda)
{
	bool ours = self.ours;

	self.ours = true;	/* what CUPTI calls meanwhile is not the program's doing */
	pthread_mutex_lock(&switching);
	library.cuda = library.cuda || cuda;
	/* Mapped before the recorder looks at our mappings: frames in it are told from the
	 * program's. */
	if (cuda && !library.open && !library.dead && getenv(HANDOVER_SOCKET_ENV))
		cupti_load();
	if (!library_start()) {
		switch_to(load_acquire(&library.ring->wanted), cuda);
		exit_register();
		state_tell();
	}
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
	if (!library.open)
		return 0;	/* NVTX turns itself into nothing */
	nvtx_patch(tables);
	return 1;
}
