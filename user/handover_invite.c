// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calling a process that waits for a recorder (bpf/handover.h): its control file
 * is found among its descriptors, its socket is copied from it, and one end of a
 * new connection goes through that. What the control file says is not believed:
 * a wrong number gives a descriptor that takes no message, or one that hears an
 * invitation and nothing more.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "handover_invite.h"
#include "handover_recv.h"

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438	/* Linux 5.6; the same number everywhere */
#endif

#define CONTROL_LINK "/memfd:" HANDOVER_CONTROL " (deleted)"

static bool is_control(int dir, const char *name)
{
	char link[sizeof(CONTROL_LINK) + 1];
	ssize_t n = readlinkat(dir, name, link, sizeof(link));

	return n == sizeof(CONTROL_LINK) - 1 && !memcmp(link, CONTROL_LINK, n);
}

static int control_read(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct handover_control c = {};
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = pread(fd, &c, sizeof(c), 0);
	close(fd);
	if (n != sizeof(c) || c.magic != HANDOVER_MAGIC || c.socket < 0)
		return -ENOENT;
	return c.version == HANDOVER_VERSION ? c.socket : -EPROTO;
}

/* Number of the socket in the process; -ENOENT: it does not wait. */
static int control_find(u32 pid)
{
	char path[64];
	struct dirent *e;
	int err = -ENOENT;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (err == -ENOENT && (e = readdir(dir)))
		if (e->d_name[0] != '.' && is_control(dirfd(dir), e->d_name))
			err = control_read(dirfd(dir), e->d_name);
	closedir(dir);
	return err;
}

/* With our credentials: its end asks for them. */
static int invite_through(int socket, int end)
{
	struct handover_invite invite = { HANDOVER_MAGIC, HANDOVER_VERSION };
	union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control = {};
	struct iovec iov = { &invite, sizeof(invite) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			      .msg_controllen = sizeof(control) };

	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.head), &end, sizeof(int));
	return sendmsg(socket, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

int invite(u32 pid)
{
	int number = control_find(pid), pidfd, socket, pair[2], err;

	if (number < 0)
		return number;
	pidfd = syscall(SYS_pidfd_open, pid, 0);
	socket = pidfd < 0 ? -1 : syscall(SYS_pidfd_getfd, pidfd, number, 0);
	err = socket < 0 ? -errno : 0;
	if (pidfd >= 0)
		close(pidfd);
	if (err)
		return err == -EBADF ? -ENOENT : err;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		err = -errno;
		close(socket);
		return err;
	}
	fcntl(pair[0], F_SETFL, O_NONBLOCK);	/* ours; the library waits at its own */
	err = invite_through(socket, pair[1]);
	close(socket);
	close(pair[1]);
	if (!err)
		return pair[0];
	close(pair[0]);
	return err;
}
