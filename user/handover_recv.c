// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Taking in traced processes: one connection each, answered with a sealed memfd
 * of rings made and paid for here. Peers are told apart by what the kernel says
 * of them (SO_PEERCRED, pidfd), never by what they say. Nothing waits for a peer.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>
#include "clock.h"
#include "handover_invite.h"
#include "handover_peer.h"
#include "handover_place.h"
#include "log.h"

/*
 * A launch loop makes 56 bytes a call: 512 KiB hold 190 ms at 50,000 calls/s, more than a busy
 * recorder is away. A process with few threads costs the recorder 5 MB (handover_rings.c).
 */
#define SLOTS_DEFAULT 129
#define SLOT_BYTES_DEFAULT (512 << 10)
#define PEERS_DEFAULT 256
#define HELLO_NS 5000000000ULL	/* a connection that says nothing is closed after this */
#define DRAIN_MS_MIN 1
#define DRAIN_MS_MAX 8	/* a burst after a pause: 780,000 launches/s fill 512 KiB in 12 ms */
/* of draining a dead peer; one is enough unless others write on */
#define LAST_ROUNDS 64

struct handover {
	struct handover_settings set;
	struct handover_sink sink;
	int listener, epoll, timer, reserve;
	u32 period_ms;		/* of the timer, 0: off */
	u32 next_producer;
	u64 refused;
	bool stopped;
	struct peer **peers;
	u32 peer_count;
	struct place place;
};

/* ---- making and closing ---- */

static int watch(struct handover *h, int fd, void *what)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = what };

	return epoll_ctl(h->epoll, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

static int handover_make(struct handover *h)
{
	int err;

	h->listener = place_open(&h->place);
	if (h->listener < 0)
		return h->listener;
	h->epoll = epoll_create1(EPOLL_CLOEXEC);
	h->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	h->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (h->epoll < 0 || h->timer < 0)
		return -errno;
	err = watch(h, h->listener, &h->listener);
	return err ? err : watch(h, h->timer, &h->timer);
}

static void settings_fill(struct handover_settings *s)
{
	if (!s->wanted)
		s->wanted = WANT_API | WANT_KERNEL | WANT_COPY | WANT_SET | WANT_SYNC |
			    WANT_OVERHEAD | WANT_GRAPH_LAUNCH | WANT_NVTX;
	if (!s->slots)
		s->slots = SLOTS_DEFAULT;
	if (!s->slot_bytes)
		s->slot_bytes = SLOT_BYTES_DEFAULT;
	if (!s->peers)
		s->peers = PEERS_DEFAULT;
}

int handover_open(struct handover **out, const struct handover_settings *set,
		  const struct handover_ops *ops, void *ctx)
{
	struct handover *h = calloc(1, sizeof(*h));
	int err = h ? 0 : -ENOMEM;

	*out = NULL;
	if (h) {
		h->listener = h->epoll = h->timer = h->reserve = h->place.lock = -1;
		h->next_producer = 1;
		h->sink = (struct handover_sink){ ops, ctx, 0 };
		if (set)
			h->set = *set;
		settings_fill(&h->set);
		h->peers = calloc(h->set.peers, sizeof(*h->peers));
		err = h->peers ? handover_make(h) : -ENOMEM;
	}
	if (err) {
		handover_close(h);
		return fail(err,
			    "cannot make a socket for traced processes (is $TMPDIR or /tmp writable?)");
	}
	*out = h;
	return 0;
}

static void peer_free(struct peer *p)
{
	if (!p)
		return;
	if (p->ring) {
		__atomic_store_n(&p->ring->wanted, 0, __ATOMIC_RELEASE);
		munmap(p->ring, p->bytes);
	}
	if (p->fd >= 0)
		close(p->fd);
	if (p->pidfd >= 0)
		close(p->pidfd);
	free(p->tail);
	free(p->head);
	free(p->threads);
	free(p);
}

static void fd_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

void handover_close(struct handover *h)
{
	u32 i;

	if (!h)
		return;
	for (i = 0; i < h->peer_count; i++)
		peer_free(h->peers[i]);
	fd_close(h->listener);
	fd_close(h->epoll);
	fd_close(h->timer);
	fd_close(h->reserve);
	place_close(&h->place);
	free(h->peers);
	free(h);
}

/* ---- newcomers ---- */

/* Without a free descriptor a connection could not even be turned away: one is kept for
 * that. */
static void turn_away(struct handover *h)
{
	int fd;

	if (!h->refused++)
		warn("too many open files: traced processes are turned away (raise ulimit -n)");
	fd_close(h->reserve);
	fd = accept(h->listener, NULL, NULL);
	fd_close(fd);
	h->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static bool has_room(const struct handover *h)
{
	return !h->stopped && h->peer_count < h->set.peers && h->next_producer <= 0xffff;
}

/* NULL: no memory; fd is closed. */
static struct peer *peer_add(struct handover *h, int fd, u32 pid)
{
	struct peer *p = calloc(1, sizeof(*p));

	if (!p) {
		close(fd);
		return NULL;
	}
	p->fd = fd;
	p->pidfd = syscall(SYS_pidfd_open, pid, 0);
	p->since_ns = now_ns();
	p->shown.pid = pid;
	h->peers[h->peer_count++] = p;
	if (watch(h, fd, p) || (p->pidfd >= 0 && watch(h, p->pidfd, p)))
		p->dying = true;
	return p;
}

static void newcomer(struct handover *h, int fd)
{
	struct ucred cred = {};
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) || cred.pid <= 0 ||
	    !has_room(h) ||
	    (h->sink.ops->accept && !h->sink.ops->accept(h->sink.ctx, cred.pid))) {
		h->refused++;
		close(fd);
	} else if (!peer_add(h, fd, cred.pid)) {
		h->refused++;
	}
}

int handover_invite(struct handover *h, u32 pid)
{
	int fd = has_room(h) ? invite(pid) : -ENOSPC;
	struct peer *p = fd < 0 ? NULL : peer_add(h, fd, pid);

	if (p)
		p->invited = true;
	return p ? 0 : fd < 0 ? fd : -ENOMEM;
}

static void newcomers(struct handover *h)
{
	u32 n;

	for (n = 0; n < 64; n++) {
		int fd = accept4(h->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
			turn_away(h);
			return;
		}
		if (fd < 0)
			return;
		newcomer(h, fd);
	}
}

/* ---- the rings of one process ---- */

static void peer_tell(struct handover *h, struct peer *p)
{
	if (h->sink.ops->peer)
		h->sink.ops->peer(h->sink.ctx, &p->shown);
}

/* An older connection of the same process is from before its exec: nobody writes there now. */
static void older_end(struct handover *h, const struct peer *new)
{
	u32 i;

	for (i = 0; i < h->peer_count; i++)
		if (h->peers[i] != new && h->peers[i]->hello &&
		    h->peers[i]->shown.pid == new->shown.pid)
			h->peers[i]->dying = true;
}

static void peer_declines(struct handover *h, struct peer *p, u32 answer)
{
	p->dying = true;
	if (p->invited && h->sink.ops->declined)
		h->sink.ops->declined(h->sink.ctx, p->shown.pid, answer);
}

static void hello_take(struct handover *h, struct peer *p, const struct handover_hello *hello,
		       ssize_t n)
{
	bool valid = n == sizeof(*hello) && hello->magic == HANDOVER_MAGIC &&
		     hello->version == HANDOVER_VERSION;
	int memfd;

	if (valid && hello->answer == HELLO_BUSY) {
		peer_declines(h, p, HELLO_BUSY);
		return;
	}
	memfd = valid ? rings_make(p, &h->set, h->next_producer) : -1;
	if (memfd < 0) {
		if (!h->refused++ && valid)
			warn("cannot make rings of %zu bytes for process %u: %s (ulimit -f, ulimit -n, memory)",
			     p->bytes, p->shown.pid, strerror(errno));
		p->dying = true;
		return;
	}
	older_end(h, p);
	p->hello = true;
	p->shown.producer = h->next_producer++;
	p->shown.ns_pid = hello->ns_pid;
	p->shown.simulated = hello->simulated == 1;
	p->same_ns = hello->ns_pid == p->shown.pid;
	peer_tell(h, p);	/* before it goes on: its mappings are looked at */
	if (!rings_send(p, memfd, p->shown.producer)) {
		h->refused++;
		p->dying = true;
	}
	close(memfd);
}

/* Some programs close every descriptor they find, ours too; after an exec the mapping is
 * gone. */
static bool rings_mapped(const struct peer *p)
{
	char path[64], line[512];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/maps", p->shown.pid);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, "/memfd:gpuscope ");
	if (f)
		fclose(f);
	return found;
}

static void peer_event(struct handover *h, struct peer *p)
{
	struct pollfd dead = { p->pidfd, POLLIN, 0 };
	struct handover_hello hello;
	ssize_t n = p->fd < 0 ? 1 : recv(p->fd, &hello, sizeof(hello), MSG_DONTWAIT);

	if (n > 0 && !p->hello)
		hello_take(h, p, &hello, n);
	if (poll(&dead, 1, 0) > 0)
		p->dying = true;
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	if (p->hello && p->pidfd >= 0 && !p->dying && rings_mapped(p)) {
		close(p->fd);	/* the pidfd tells its end */
		p->fd = -1;
	} else {
		p->dying = true;
	}
}

/* ---- one turn ---- */

static void state_read(struct handover *h, struct peer *p)
{
	u32 state = __atomic_load_n(&p->ring->library_state, __ATOMIC_ACQUIRE);

	if (state == p->shown.state || state > RING_LIBRARY_OFF)
		return;
	p->shown.state = state;
	p->shown.cupti_status = p->ring->cupti_status;
	p->shown.cupti_version = p->ring->cupti_version;
	peer_tell(h, p);
}

static void peer_end(struct handover *h, struct peer *p)
{
	struct pollfd lives = { p->pidfd, POLLIN, 0 };
	u32 rounds, fullest = 0;

	if (!p->hello)
		return;
	for (rounds = 0; rounds < LAST_ROUNDS && peer_drain(p, &h->sink, &fullest); rounds++)
		;
	state_read(h, p);
	if (!p->shown.state && p->pidfd >= 0 && poll(&lives, 1, 0) == 0)
		peer_declines(h, p, HELLO_COMES);
	p->shown.clock_fixups = p->ring->clock_fixups;
	p->shown.gone = true;
	peer_losses(p, &h->sink);
	peer_tell(h, p);
}

static void timer_set(struct handover *h, u32 ms)
{
	struct itimerspec every = { { 0, ms * 1000000 }, { 0, ms * 1000000 } };

	if (ms == h->period_ms)
		return;
	h->period_ms = ms;
	timerfd_settime(h->timer, 0, &every, NULL);
}

/* Rings that fill fast are looked at more often. */
static void timer_adapt(struct handover *h, u32 live, u32 fullest)
{
	u32 ms = h->period_ms ? h->period_ms : 10;

	if (fullest > 20)
		ms = ms / 4 > DRAIN_MS_MIN ? ms / 4 : DRAIN_MS_MIN;
	else if (fullest < 5)
		ms = ms * 2 < DRAIN_MS_MAX ? ms * 2 : DRAIN_MS_MAX;
	timer_set(h, live ? ms : 0);
}

static void turn(struct handover *h)
{
	u32 i, fullest = 0, live = 0;

	for (i = 0; i < h->peer_count; ) {
		struct peer *p = h->peers[i];

		if (!p->hello && !p->dying && now_ns() - p->since_ns > HELLO_NS)
			peer_declines(h, p, HELLO_COMES);
		if (!p->dying) {
			if (p->hello) {
				state_read(h, p);
				rings_ready(p);
				peer_drain(p, &h->sink, &fullest);
			}
			live++;
			i++;
			continue;
		}
		peer_end(h, p);
		peer_free(p);
		h->peers[i] = h->peers[--h->peer_count];
	}
	timer_adapt(h, live, fullest);
}

int handover_poll(struct handover *h)
{
	struct epoll_event events[64];
	int i, n = epoll_wait(h->epoll, events, 64, 0);
	u64 ticks;

	for (i = 0; i < n; i++) {
		void *what = events[i].data.ptr;

		if (what == &h->listener)
			newcomers(h);
		else if (what == &h->timer)
			(void)!read(h->timer, &ticks, sizeof(ticks));
		else
			peer_event(h, what);
	}
	turn(h);
	return h->sink.error;
}

/* ---- the rest of the interface ---- */

const char *handover_socket_path(const struct handover *h)
{
	return h->place.path;
}

int handover_fd(const struct handover *h)
{
	return h->epoll;
}

u64 handover_refused(const struct handover *h)
{
	return h->refused;
}

void handover_thread(struct handover *h, u16 producer, u16 slot, u32 ns_tid, u32 pid, u32 tid)
{
	u32 i;

	for (i = 0; i < h->peer_count; i++) {
		struct peer *p = h->peers[i];

		if (p->hello && p->shown.producer == producer && p->shown.pid == pid &&
		    !p->same_ns)
			peer_thread_set(p, ns_tid, tid);
	}
}

void handover_stop(struct handover *h)
{
	u32 i;

	h->stopped = true;
	for (i = 0; i < h->peer_count; i++)
		if (h->peers[i]->ring)
			__atomic_store_n(&h->peers[i]->ring->wanted, 0, __ATOMIC_RELEASE);
}

bool handover_busy(const struct handover *h)
{
	u32 i;

	for (i = 0; i < h->peer_count; i++) {
		const struct peer *p = h->peers[i];
		u32 state = p->hello ?
			__atomic_load_n(&p->ring->library_state, __ATOMIC_ACQUIRE) :
				       RING_LIBRARY_DONE;

		if (state != RING_LIBRARY_DONE && state != RING_LIBRARY_OFF)
			return true;
	}
	return false;
}

int handover_losses(struct handover *h)
{
	u32 i;

	for (i = 0; i < h->peer_count; i++)
		peer_losses(h->peers[i], &h->sink);
	return h->sink.error;
}
