// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Waiting for a recorder (bpf/handover.h): two ends of a socket and a memfd that
 * says so. The thread sleeps in poll(2); once a second it looks whether the
 * program has closed what is not its own. Whoever can take a descriptor out of
 * this process may trace it anyway, so invitations are believed; the sender's
 * user is checked all the same, since children inherit descriptors.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "library.h"

#define LOOK_MS	 1000
#define NOT_HERE 65534	/* a user that our user namespace has no number for: from outside */

struct held { int fd; u64 inode; };	/* is the descriptor still what we opened? */

static struct held ours = { -1 }, theirs = { -1 }, file = { -1 };

static void held_set(struct held *h, int fd)
{
	h->fd = fd_high(fd);
	h->inode = h->fd < 0 ? 0 : fd_inode(h->fd);
}

static bool held_still(const struct held *h)
{
	return h->fd >= 0 && h->inode && fd_inode(h->fd) == h->inode;
}

static void held_close(struct held *h)
{
	if (held_still(h))
		close(h->fd);
	h->fd = -1;
}

void control_close(void)
{
	held_close(&ours);
	held_close(&theirs);
	held_close(&file);
}

static int sockets_make(void)
{
	int pair[2], yes = 1;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -1;
	held_set(&ours, pair[0]);
	held_set(&theirs, pair[1]);
	return setsockopt(ours.fd, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes));
}

static int file_make(void)
{
	struct handover_control c = { HANDOVER_MAGIC, HANDOVER_VERSION, getpid(), theirs.fd };
	int fd = syscall(SYS_memfd_create, HANDOVER_CONTROL, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -1;
	held_set(&file, fd);
	if (write(file.fd, &c, sizeof(c)) != sizeof(c))
		return -1;
	return fcntl(file.fd, F_ADD_SEALS,
		     F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

static bool control_ready(void)
{
	if (held_still(&ours) && held_still(&theirs) && held_still(&file))
		return true;
	control_close();
	if (!sockets_make() && !file_make())
		return true;
	control_close();
	return false;
}

/* ---- invitations ---- */

union control_room {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
};

static bool sender_fits(const struct ucred *c)
{
	return c->uid == 0 || c->uid == geteuid() || c->uid == NOT_HERE;
}

/* The connection, or -1; *sender: who sent it, pid 0 when it is in no namespace of ours. */
static int invite_receive(struct ucred *sender)
{
	union control_room room = {};
	struct handover_invite invite = {};
	struct iovec iov = { &invite, sizeof(invite) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &room,
			      .msg_controllen = sizeof(room) };
	ssize_t n = recvmsg(ours.fd, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	struct cmsghdr *c;
	int fd = -1;

	*sender = (struct ucred){ 0, -1, -1 };
	for (c = n < 0 ? NULL : CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
			memcpy(&fd, CMSG_DATA(c), sizeof(int));
		else if (c->cmsg_type == SCM_CREDENTIALS)
			memcpy(sender, CMSG_DATA(c), sizeof(*sender));
	}
	if (n == sizeof(invite) && invite.magic == HANDOVER_MAGIC &&
	    invite.version == HANDOVER_VERSION && sender_fits(sender))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int control_wait(s32 *recorder)
{
	struct ucred sender;
	struct pollfd p;
	int fd;

	if (!control_ready()) {
		struct timespec second = { 1, 0 };

		nanosleep(&second, NULL);
		return -1;
	}
	p = (struct pollfd){ ours.fd, POLLIN, 0 };
	if (poll(&p, 1, LOOK_MS) <= 0 || !held_still(&ours))
		return -1;
	fd = invite_receive(&sender);
	*recorder = sender.pid;
	return fd;
}

void control_refuse(void)
{
	struct handover_hello busy = { HANDOVER_MAGIC, HANDOVER_VERSION, getpid(),
				       0, HELLO_BUSY };
	struct ucred sender;
	int fd;

	if (!held_still(&ours))
		return;
	while ((fd = invite_receive(&sender)) >= 0) {
		send(fd, &busy, sizeof(busy), MSG_NOSIGNAL | MSG_DONTWAIT);
		close(fd);
	}
}
