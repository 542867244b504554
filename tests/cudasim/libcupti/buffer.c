// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * From records to the client's buffers. Whoever makes a record only appends it
 * to a queue; a thread of the library asks the client for buffers, fills them
 * and hands them back when they are full or flushed, as CUPTI's worker does.
 * CUDASIM_BUFFER_THREAD=app: a flush does that work in its caller's thread.
 */
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "cupti_sizes.h"
#include "state.h"

#define CHUNK     65536
#define WAKE      32768			/* queued bytes that wake the worker at once */
/* else it waits for company: a wake-up a record is dear */
#define LINGER_NS 5000000
#define QUEUE_MAX (64 << 20)		/* a client that never returns loses records */

struct chunk {
	struct chunk *next;
	size_t used;
	uint8_t data[CHUNK];
};

atomic_bool buffers_zeroed;
static cupti_buffer_request_fn request_fn;
static cupti_buffer_complete_fn complete_fn;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* the queue and what follows */
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static struct chunk *first, *last;
static size_t queued;
static uint64_t flush_asked, flush_done;
static pid_t worker_pid;
static bool stopping;

static pthread_mutex_t delivery = PTHREAD_MUTEX_INITIALIZER;	/* the client's buffer */
static struct { uint8_t *data; size_t size, used, records, max_records; bool worth; } buffer;
static __thread bool delivering;
static atomic_size_t dropped, seen;

bool buffer_registered(void)
{
	return complete_fn != NULL;
}

void buffer_register(cupti_buffer_request_fn request, cupti_buffer_complete_fn complete)
{
	request_fn = request;
	complete_fn = complete;
}

size_t buffer_dropped(void)
{
	return atomic_exchange(&dropped, 0);
}

/* CUDASIM_DROP="every=N": each Nth record is lost; "after=N": all behind the first N. */
static bool drop_wanted(void)
{
	static const char *text;
	static unsigned long number;
	size_t n = ++seen;

	if (!text) {
		text = core()->setting("DROP");
		text = text && strchr(text, '=') ? text : "";
		number = *text ? strtoul(strchr(text, '=') + 1, NULL, 10) : 0;
	}
	if (!number)
		return false;
	return *text == 'e' ? n % number == 0 : n > number;
}

static bool append(const void *record, size_t size)
{
	if (queued + size > QUEUE_MAX)
		return false;
	if (!last || last->used + size > CHUNK) {
		struct chunk *more = calloc(1, sizeof(*more));

		if (!more)
			return false;
		if (last)
			last->next = more;
		else
			first = more;
		last = more;
	}
	memcpy(last->data + last->used, record, size);
	last->used += size;
	queued += size;
	return true;
}

/* ---- the client's side; under `delivery` ---- */

static void hand_back(void)
{
	uint64_t start = core()->now();
	uint8_t *data = buffer.data;
	bool worth = buffer.worth;

	if (!data)
		return;
	buffer.data = NULL;
	complete_fn(NULL, 0, data, buffer.size, buffer.used);
	if (worth)	/* else the note about a flush would cause the next one */
		record_overhead(CUPTI_OVERHEAD_CUPTI_BUFFER_FLUSH, start, core()->now());
}

static bool ask(void)
{
	uint64_t start = core()->now();

	memset(&buffer, 0, sizeof(buffer));
	request_fn(&buffer.data, &buffer.size, &buffer.max_records);
	if (!buffer.data || (uintptr_t)buffer.data % CUPTI_RECORD_ALIGN) {
		buffer.data = NULL;
		return false;
	}
	if (!buffers_zeroed)
		memset(buffer.data, 0, buffer.size);
	record_overhead(CUPTI_OVERHEAD_ACTIVITY_BUFFER_REQUEST, start, core()->now());
	return true;
}

static void place(const uint8_t *record, size_t size, uint32_t kind)
{
	if (buffer.data && (buffer.used + size > buffer.size ||
			    (buffer.max_records && buffer.records >= buffer.max_records)))
		hand_back();
	if ((!buffer.data && !ask()) || size > buffer.size) {
		dropped++;	/* declined, or too small for one record */
		return;
	}
	memcpy(buffer.data + buffer.used, record, size);
	buffer.used += size;
	buffer.records++;
	buffer.worth |= kind != CUPTI_KIND_OVERHEAD;
	if (buffer.max_records && buffer.records >= buffer.max_records)
		hand_back();
}

static struct chunk *take(void)
{
	struct chunk *all;

	pthread_mutex_lock(&lock);
	all = first;
	first = last = NULL;
	queued = 0;
	pthread_mutex_unlock(&lock);
	return all;
}

/* Everything queued goes to the client; what its callbacks cause comes with the next round. */
static void deliver(bool flush)
{
	struct chunk *c, *next;
	size_t at, size;
	uint32_t kind;

	pthread_mutex_lock(&delivery);
	delivering = true;
	for (c = take(); c; c = next) {
		for (at = 0; at < c->used; at += size) {
			memcpy(&kind, c->data + at, sizeof(kind));
			size = cupti_record_size(kind, version());
			place(c->data + at, size, kind);
		}
		next = c->next;
		free(c);
	}
	if (flush && buffer.used)
		hand_back();
	delivering = false;
	pthread_mutex_unlock(&delivery);
}

/* ---- the worker ---- */

static void wait_for_work(void)
{
	struct timespec until;

	while (!stopping && flush_asked == flush_done && queued == 0)
		pthread_cond_wait(&wake, &lock);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LINGER_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	while (!stopping && flush_asked == flush_done && queued < WAKE)
		if (pthread_cond_timedwait(&wake, &lock, &until))
			break;
}

static void *work(void *unused)
{
	uint64_t asked;

	pthread_mutex_lock(&lock);
	for (;;) {
		wait_for_work();
		if (stopping)
			break;
		asked = flush_asked;
		pthread_mutex_unlock(&lock);
		deliver(asked != flush_done);
		pthread_mutex_lock(&lock);
		flush_done = asked;
		pthread_cond_broadcast(&done);
	}
	worker_pid = 0;
	pthread_cond_broadcast(&done);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void worker_start(void)		/* under `lock` */
{
	pthread_t thread;
	sigset_t all, before;

	if (worker_pid || stopping)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!pthread_create(&thread, NULL, work, NULL)) {
		pthread_setname_np(thread, "cupti_worker");
		pthread_detach(thread);
		worker_pid = getpid();
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void buffer_put(const void *record, uint32_t kind)
{
	size_t size = cupti_record_size(kind, version()), before;

	if (!buffer_registered())
		return;		/* enabled without buffers: no records, none lost */
	if (drop_wanted()) {
		dropped++;
		return;
	}
	pthread_mutex_lock(&lock);
	worker_start();
	before = queued;
	if (!append(record, size))
		dropped++;
	else if (before == 0 || (before < WAKE && queued >= WAKE))
		pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
}

int buffer_flush(bool forced)
{
	const char *thread = core()->setting("BUFFER_THREAD");
	uint64_t mine;

	if (delivering)		/* from within a buffer callback */
		return CUPTI_E_INVALID_OPERATION;
	core()->settle();
	record_late(forced);
	if (forced)
		record_unfinished();
	if (thread && !strcmp(thread, "app")) {
		deliver(true);
		return CUPTI_E_OK;
	}
	pthread_mutex_lock(&lock);
	worker_start();
	mine = ++flush_asked;
	pthread_cond_signal(&wake);
	while (flush_done < mine && worker_pid == getpid() && !stopping)
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
	return CUPTI_E_OK;
}

void buffer_stop(bool wait)
{
	if (delivering)
		return;
	pthread_mutex_lock(&lock);
	stopping = true;
	pthread_cond_signal(&wake);
	while (wait && worker_pid == getpid())
		pthread_cond_wait(&done, &lock);
	stopping = !wait;
	pthread_mutex_unlock(&lock);
}
