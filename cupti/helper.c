// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The library's one thread. Without a recorder it sleeps until one invites it
 * (control.c). With one it follows what the recorder wants, asks CUPTI for
 * records in bounded time, and notices when the recorder has gone: then all is
 * given back and it sleeps again.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
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
#define CALLS_MS    400		/* for calls that have begun, when the recorder stops */

pthread_mutex_t switching = PTHREAD_MUTEX_INITIALIZER;	/* never taken in a callback */

static bool runs;
static u32 exiting;		/* futex: the program leaves */
static u32 finished;		/* futex: all is handed out */
static bool working;		/* not asleep: the program's exit waits for it */
static u64 flushed_at;		/* bytes written when CUPTI was last asked */

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
	u64 written, begun = operations_begun(&written);

	if ((library.on & WANT_API) && written == flushed_at &&
	    load_relaxed(&library.ring->delivered) >= begun)
		return;
	cupti_flush(false);
	operations_begun(&flushed_at);
}

/*
 * What is on the GPU now gets a moment to finish, so that its record is whole; so do calls
 * that have begun, where many threads share few CPUs. Those that have not come back then
 * are lost: their operation will have no call.
 */
static void operations_settle(u32 limit_ms, u32 calls_ms)
{
	struct timespec nap = { 0, 1000000 };
	u32 ms, calling = 1;
	u64 written;

	for (ms = 0; ms < limit_ms || (calling && ms < limit_ms + calls_ms); ms++) {
		cupti_flush(false);
		calling = calling_count();
		if (!calling && (ms >= limit_ms || load_relaxed(&library.ring->delivered) >=
		    operations_begun(&written)))
			return;
		nanosleep(&nap, NULL);
	}
	add_relaxed(&library.ring->unfinished, calling);
}

/* Everything off, everything CUPTI has into the rings. */
static void wind_down(u32 settle_ms, u32 calls_ms)
{
	if (!library.on)
		return;
	api_close();
	devices_send();
	if (library.cupti_up)
		operations_settle(settle_ms, calls_ms);
	cupti_flush(true);
	switch_to(0, false);
	clock_pair();
}

/*
 * What is registered last runs first: libcuda and CUPTI take themselves down at
 * exit, and we must have flushed before. So once more when CUPTI is there.
 */
static void exit_register(void)
{
	static u32 times;

	if (times < (library.cupti_up ? 2 : 1) && !atexit(helper_leave))
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
		wind_down(STOP_MS, CALLS_MS);
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

void session_begin(bool early)
{
	u32 wanted = load_acquire(&library.ring->wanted);

	flushed_at = 0;
	if (!library.on)
		edges_reset(wanted & WANT_API);
	switch_to(wanted, early);
	exit_register();
	state_tell();
	clock_pair();
}

/* The recorder has gone, after a farewell or without: nothing of it stays. */
static void session_end(void)
{
	api_callbacks(0);
	switch_to(0, false);
	cupti_stop();
	handover_forget();
	ring_quiet();
	ring_leave();
	names_forget();
}

static void recording_turn(u32 n)
{
	futex_wait(&exiting, 0, TICK_MS * 1000000);
	if (load_acquire(&exiting) || pthread_mutex_trylock(&switching))
		return;
	if (!handover_alive()) {
		session_end();
	} else {
		control_refuse();
		tick(n);
	}
	pthread_mutex_unlock(&switching);
}

static void invited(int fd, s32 recorder)
{
	pthread_mutex_lock(&switching);
	if (library.open || library.dead)
		close(fd);
	else if (!handover_accept(fd, recorder))
		session_begin(false);
	pthread_mutex_unlock(&switching);
}

/* An exit that begins while we sleep does not wait; one that begins later finds us at work. */
static void idle_turn(void)
{
	s32 recorder;
	int fd;

	__atomic_store_n(&working, false, __ATOMIC_SEQ_CST);
	fd = control_wait(&recorder);
	__atomic_store_n(&working, true, __ATOMIC_SEQ_CST);
	if (fd < 0)
		return;
	if (__atomic_load_n(&exiting, __ATOMIC_SEQ_CST))
		close(fd);
	else
		invited(fd, recorder);
}

static void *helper(void *unused)
{
	u32 n;

	self.ours = true;
	prctl(PR_SET_NAME, "gpuscope");
	for (n = 1; !load_acquire(&exiting); n++)
		if (load_acquire(&library.open))
			recording_turn(n);
		else
			idle_turn();
	if (load_acquire(&library.open)) {
		wind_down(LEAVE_MS, 0);
		store_release(&library.ring->library_state, RING_LIBRARY_DONE);
	}
	store_release(&finished, 1);
	futex_wake(&finished);
	return NULL;
}

/* No signal of the program is ever handled by our thread. */
bool helper_start(void)
{
	sigset_t all, before;
	pthread_t thread;
	int err;

	if (runs)
		return true;
	working = true;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&thread, NULL, helper, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!err)
		pthread_detach(thread);
	return runs = !err;
}

void helper_leave(void)
{
	u64 until;

	if (!load_acquire(&runs) || self.ours)
		return;
	api_close();
	__atomic_store_n(&exiting, 1, __ATOMIC_SEQ_CST);
	futex_wake(&exiting);
	if (!__atomic_load_n(&working, __ATOMIC_SEQ_CST) && !load_acquire(&library.open))
		return;
	for (until = clock_now() + EXIT_NS; !load_acquire(&finished) && clock_now() < until; )
		futex_wait(&finished, 0, EXIT_NS / 10);
}

bool helper_exiting(void)
{
	return load_acquire(&exiting);
}

bool helper_waits(void)
{
	return load_acquire(&runs);
}

void helper_forget(void)
{
	control_close();
	pthread_mutex_init(&switching, NULL);
	runs = false;
	exiting = finished = 0;
}
