// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Slots and records. A thread takes a slot by compare-and-swap at its first
 * event and has it alone until it ends; then a record costs no lock, no system
 * call and one release store. Threads beyond the slots share slot 0.
 */
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "library.h"

#define LOCK_TRIES 200		/* of slot 0; about a microsecond, then the record is lost */
/* events after which a thread on slot 0 looks for a free one again */
#define CLAIM_EVERY 64
#define RESERVED    2		/* first slots, for the threads that bring CUPTI's buffers */
#define PATIENCE_NS 500000000	/* how long a burst waits for a reader that does not read */
#define QUIET_MS    100		/* for threads in the middle of a record at the end */
#define MEMBARRIER_ALL	    8	/* MEMBARRIER_CMD_PRIVATE_EXPEDITED and its registration */
#define MEMBARRIER_REGISTER 16

__thread struct thread self __attribute__((tls_model("initial-exec")));

static struct writer writers[SLOTS_MAX];
static pthread_key_t key;
static bool have_key;
static u32 hint;		/* where the search for a free slot begins */
static u64 stalled_at;		/* tail of the slot whose reader let us wait in vain, plus 1 */

static bool session_is_mine(void)
{
	return load_acquire(&library.open) && self.session == load_relaxed(&library.session);
}

/* What the thread had from an earlier recorder is no more. */
static bool session_join(void)
{
	u32 session = load_relaxed(&library.session);

	if (!load_acquire(&library.open))
		return false;
	if (self.session != session) {
		self.session = session;
		self.writer = NULL;
	}
	if (!self.ns_tid)
		self.ns_tid = syscall(SYS_gettid);
	return true;
}

static void thread_end(void *writer)
{
	struct writer *w = writer;

	self.writer = NULL;
	if (session_is_mine() && w->index)
		store_release(&w->slot->state, 0);
}

int ring_init(void)
{
	u32 i;

	if (!have_key && pthread_key_create(&key, thread_end))
		return -1;
	have_key = true;
	syscall(SYS_membarrier, MEMBARRIER_REGISTER, 0);
	stalled_at = 0;
	for (i = 0; i < library.slots; i++) {
		struct writer *w = &writers[i];

		w->slot = (void *)((u8 *)library.ring + handover_slot_off(library.ring, i));
		w->data = (u8 *)w->slot + HANDOVER_PAGE;
		w->head = w->tail = w->frames = w->busy = 0;
		w->index = i;
	}
	return 0;
}

void writers_fence(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_ALL, 0))
		nanosleep(&(struct timespec){ 0, 20000000 }, NULL);	/* before Linux 4.14 */
}

/*
 * A writer says it is busy, then looks whether there is a recorder; here it is the other way
 * round. The kernel makes the writers' two steps happen in that order for all who run
 * now, so that they need no barrier of their own. A thread that is stopped in the middle of
 * a record is not waited for long: it would write into memory that nobody reads.
 */
void ring_quiet(void)
{
	struct timespec nap = { 0, 1000000 };
	u32 i, ms = 0;

	writers_fence();
	for (i = 0; i < library.slots && ms < QUIET_MS; ) {
		if (!load_acquire(&writers[i].busy)) {
			i++;
			continue;
		}
		nanosleep(&nap, NULL);
		ms++;
	}
}

/* ---- calls that make operations, between their enter and their record ---- */

enum { CALLING_NOT, CALLING_SLOT, CALLING_SHARED };
static u32 calling_shared;	/* threads without a slot */

void calling_begin(struct writer *w)
{
	self.calling = w->index ? CALLING_SLOT : CALLING_SHARED;
	if (w->index)
		store_relaxed(&w->calling, 1);
	else
		add_relaxed(&calling_shared, 1);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);	/* api_close() */
}

void calling_end(void)
{
	if (self.calling == CALLING_SLOT && self.writer)
		store_release(&self.writer->calling, 0);
	else if (self.calling == CALLING_SHARED)
		__atomic_fetch_sub(&calling_shared, 1, __ATOMIC_RELEASE);
	self.calling = CALLING_NOT;
}

void calling_forget(void)
{
	for (u32 i = 0; i < library.slots; i++)
		store_relaxed(&writers[i].calling, 0);
	store_relaxed(&calling_shared, 0);
}

u32 calling_count(void)
{
	u32 n = load_acquire(&calling_shared);

	for (u32 i = 1; i < library.slots; i++)
		n += load_acquire(&writers[i].calling);
	return n > SLOTS_MAX * 64 ? 0 : n;
}

void ring_forget(void)
{
	if (have_key)
		pthread_setspecific(key, NULL);
	memset(&self, 0, sizeof(self));
}

static struct writer *writer_take(u32 i)
{
	struct writer *w = &writers[i];
	u32 free = 0;

	/* acquire: what the former owner left in *w */
	if (load_relaxed(&w->slot->state) ||
	    !__atomic_compare_exchange_n(&w->slot->state, &free, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return NULL;
	w->frames = 0;
	store_relaxed(&w->calling, 0);
	w->slot->ns_pid = library.ns_pid;
	w->slot->ns_tid = self.ns_tid;
	return w;
}

static struct writer *writer_claim(u32 first)
{
	u32 n, start = load_relaxed(&hint), slots = library.slots - first;

	for (n = 0; n < slots; n++) {
		u32 i = first + (start + n) % slots;
		struct writer *w = writer_take(i);

		if (!w)
			continue;
		store_relaxed(&hint, i - first);
		return w;
	}
	return &writers[0];
}

static struct writer *writer_of(bool brings_buffers)
{
	struct writer *w = NULL;
	u32 i, reserved = library.slots > 4 * RESERVED ? RESERVED : 0;

	if (!session_join())
		return NULL;
	if (self.writer && (self.writer->index || ++self.shared % CLAIM_EVERY))
		return self.writer;
	for (i = 1; brings_buffers && !w && i <= reserved; i++)
		w = writer_take(i);
	self.writer = w ? w : writer_claim(1 + reserved);
	pthread_setspecific(key, self.writer);
	return self.writer;
}

struct writer *writer_get(void)
{
	return writer_of(false);
}

struct writer *writer_get_patient(void)
{
	return writer_of(true);
}

struct writer *writer_shared(void)
{
	return session_join() ? &writers[0] : NULL;
}

static inline void cpu_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static bool slot_lock(struct ring_slot *slot)
{
	u32 tries;

	for (tries = 0; tries < LOCK_TRIES; tries++) {
		u32 free = 0;

		if (__atomic_compare_exchange_n(&slot->lock, &free, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return true;
		cpu_relax();
	}
	return false;
}

/* Where the next `size` bytes go, NULL when the ring is full. */
static struct event *ring_room(struct writer *w, u32 size)
{
	u64 bytes = library.slot_bytes, at = w->head & (bytes - 1), left = bytes - at;
	u64 need = left < size ? left + size : size;

	if (w->head + need - w->tail > bytes) {
		w->tail = load_acquire(&w->slot->tail);
		if (w->head + need - w->tail > bytes)
			return NULL;
	}
	if (left < size) {
		struct event *filler = (void *)(w->data + at);

		if (left >= sizeof(*filler)) {
			filler->kind = 0;
			filler->size = left;
		}
		w->head += left;
		at = 0;
	}
	return (void *)(w->data + at);
}

static void *record_head(struct event *e, u16 kind, u32 size)
{
	e->ts = 0;
	e->pid = library.ns_pid;
	e->tid = self.ns_tid;
	e->size = size;
	e->kind = kind;
	e->producer = library.producer;
	e->cpu = CPU_UNKNOWN;
	return e;
}

/* Names and devices are sent again at their next use: not lost yet. */
static void count_lost(struct writer *w, u16 kind)
{
	if (kind == EVENT_NAME || kind == EVENT_DEVICE)
		return;
	if (w->index)	/* one writer: plain adding is exact */
		store_relaxed(&w->slot->lost, w->slot->lost + 1);
	else
		add_relaxed(&library.ring->no_slot_lost, 1);
}

static void writer_done(struct writer *w)
{
	store_release(&w->busy, 0);
	if (!w->index)
		store_release(&w->slot->lock, 0);
}

void *record_begin(struct writer *w, u16 kind, u32 size)
{
	struct event *e;

	if (!w || !session_is_mine())
		return NULL;
	if (!w->index && !slot_lock(w->slot)) {
		count_lost(w, kind);
		return NULL;
	}
	store_relaxed(&w->busy, 1);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);	/* ring_quiet() */
	e = session_is_mine() ? ring_room(w, size) : NULL;
	if (e)
		return record_head(e, kind, size);
	if (session_is_mine())
		count_lost(w, kind);
	writer_done(w);
	return NULL;
}

/*
 * CUPTI hands out records in bursts that exceed a ring. Its worker and our
 * helper wait for the reader; a reader that does not move for PATIENCE_NS is not
 * waited for again until it has moved.
 */
static bool reader_moves(struct writer *w, u32 size)
{
	struct timespec nap = { 0, 200000 };
	u64 waited, tail = load_acquire(&w->slot->tail);

	if (size > library.slot_bytes / 2 || load_relaxed(&stalled_at) == tail + 1)
		return false;
	for (waited = 0; waited < PATIENCE_NS; waited += nap.tv_nsec) {
		u64 now = load_acquire(&w->slot->tail);

		if (w->head - now + 2 * (u64)size <= library.slot_bytes)
			return true;
		if (!load_acquire(&library.open))
			return false;
		nanosleep(&nap, NULL);
	}
	store_relaxed(&stalled_at, load_acquire(&w->slot->tail) + 1);
	return false;
}

void *record_begin_patient(struct writer *w, u16 kind, u32 size)
{
	u64 worst = 2 * (u64)size + sizeof(struct event);

	if (w && w->index && w->head - w->tail + worst > library.slot_bytes) {
		w->tail = load_acquire(&w->slot->tail);
		if (w->head - w->tail + worst > library.slot_bytes)
			reader_moves(w, size);
	}
	return record_begin(w, kind, size);
}

void record_end(struct writer *w, void *record)
{
	struct event *e = record;

	w->head += e->size;
	store_release(&w->slot->head, w->head);
	writer_done(w);
}
