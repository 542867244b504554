// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Our end of the handover (bpf/handover.h). What comes from the socket is
 * checked before it is believed: who serves it, the memfd's seals and size, the
 * ring file's own numbers. Nothing here can make the program wait for long.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>
#include "library.h"

#define WELCOME_SECONDS 2	/* longest wait for the recorder's answer */
#define SOCKET_FD_MIN   256	/* out of the way of programs that count on small numbers */

static u64 socket_inode;	/* to notice when the program closed our descriptor */
static pid_t recorder;		/* as seen from here; 0: it is in another pid namespace */
static u64 reserved_bytes;	/* of address space at library.ring, for this ring or the
				 * next */

u64 fd_inode(int fd)
{
	struct { u64 dev, ino, rest[32]; } st = {};	/* both architectures begin so */

	return syscall(SYS_fstat, fd, &st) ? 0 : st.ino;
}

int fd_high(int fd)
{
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, SOCKET_FD_MIN);

	if (high < 0)
		return fd;
	close(fd);
	return high;
}

static void waits_limit(int fd)
{
	struct timeval limit = { WELCOME_SECONDS, 0 };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

static int socket_connect(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct ucred peer;
	socklen_t len = sizeof(peer);
	int fd;

	if (strlen(path) >= sizeof(addr.sun_path))
		return -1;
	strcpy(addr.sun_path, path);
	fd = fd_high(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
	if (fd < 0)
		return -1;
	waits_limit(fd);
	if (connect(fd, (void *)&addr, sizeof(addr)) ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) ||
	    (peer.uid != 0 && peer.uid != geteuid())) {
		close(fd);
		return -1;
	}
	recorder = peer.pid;
	return fd;
}

/* The memfd, or -1. */
static int welcome_receive(int fd, struct handover_welcome *welcome)
{
	union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control = {};
	struct iovec iov = { welcome, sizeof(*welcome) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	int memfd = -1;

	if (recvmsg(fd, &msg, MSG_CMSG_CLOEXEC) != sizeof(*welcome))
		return -1;
	c = CMSG_FIRSTHDR(&msg);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&memfd, CMSG_DATA(c), sizeof(int));
	if (welcome->magic == HANDOVER_MAGIC && welcome->version == HANDOVER_VERSION &&
	    welcome->producer && welcome->producer <= 0xffff)
		return memfd;
	if (memfd >= 0)
		close(memfd);
	return -1;
}

static bool ring_sound(const struct ring_file *f, const struct handover_welcome *welcome)
{
	u32 bytes = f->slot_bytes;

	return f->magic == HANDOVER_MAGIC && f->version == HANDOVER_VERSION &&
	       f->slots >= 2 && f->slots <= SLOTS_MAX && bytes >= HANDOVER_PAGE &&
	       bytes <= 1 << 30 && !(bytes & (bytes - 1)) && f->producer == welcome->producer &&
	       handover_slot_off(f, f->slots) <= welcome->bytes;
}

/*
 * Rings lie where the last ones lay: a thread that was stopped in the middle of a record may
 * still write there, so that memory is never unmapped (ring_quiet() sees to it that none
 * does).
 */
static struct ring_file *ring_place(int memfd, u64 bytes)
{
	bool fits = bytes <= reserved_bytes;
	void *at = mmap(fits ? library.ring : NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_SHARED | (fits ? MAP_FIXED : 0), memfd, 0);

	if (at == MAP_FAILED)
		return NULL;
	if (!fits)
		reserved_bytes = bytes;
	return library.ring = at;
}

/* The memory goes back to whoever made it; what is left is address space. */
void ring_leave(void)
{
	mmap(library.ring, reserved_bytes, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

static bool ring_map(int memfd, const struct handover_welcome *welcome)
{
	int seals = fcntl(memfd, F_GET_SEALS), need = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW;
	struct ring_file *f;

	if (seals < 0 || (seals & need) != need ||
	    lseek(memfd, 0, SEEK_END) != (off_t)welcome->bytes ||
	    welcome->bytes < HANDOVER_PAGE)
		return false;
	f = ring_place(memfd, welcome->bytes);
	if (f && ring_sound(f, welcome))
		return true;
	if (f)
		ring_leave();
	return false;
}

static int handover_use(const struct handover_hello *hello,
			const struct handover_welcome *welcome)
{
	library.ns_pid = hello->ns_pid;
	library.slots = library.ring->slots;
	library.slot_bytes = library.ring->slot_bytes;
	library.producer = welcome->producer;
	return ring_init();
}

/* Says hello and takes the rings; fd is ours from now on. */
static int handover_with(int fd)
{
	struct handover_hello hello = { HANDOVER_MAGIC, HANDOVER_VERSION, getpid(),
					device_simulated(), HELLO_COMES };
	struct handover_welcome welcome = {};
	bool mapped = false;
	int memfd = -1;

	if (send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) == sizeof(hello))
		memfd = welcome_receive(fd, &welcome);
	if (memfd >= 0) {
		mapped = ring_map(memfd, &welcome);
		close(memfd);
	}
	if (!mapped || handover_use(&hello, &welcome)) {
		close(fd);
		return -1;
	}
	library.socket = fd;
	socket_inode = fd_inode(fd);
	add_relaxed(&library.session, 1);
	store_release(&library.open, true);
	return 0;
}

int handover_take(void)
{
	const char *path = secure_getenv(HANDOVER_SOCKET_ENV);
	int fd = path && *path ? socket_connect(path) : -1;

	return fd < 0 ? -1 : handover_with(fd);
}

int handover_accept(int fd, s32 from)
{
	fd = fd_high(fd);
	waits_limit(fd);
	recorder = from;
	return handover_with(fd);
}

bool handover_alive(void)
{
	struct pollfd p = { library.socket, 0, 0 };

	/* The program closed a descriptor that was not its own: then the process is asked
	 * for. */
	if (fd_inode(library.socket) != socket_inode)
		return recorder <= 0 || !kill(recorder, 0) || errno != ESRCH;
	return poll(&p, 1, 0) <= 0 || !(p.revents & (POLLHUP | POLLERR));
}

void handover_forget(void)
{
	if (library.socket >= 0 && fd_inode(library.socket) == socket_inode)
		close(library.socket);
	library.socket = -1;
	store_release(&library.open, false);
}
