// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The file under a trace writer: created for its owner alone, written in whole
 * blocks. A block that does not fit (full disk) is taken back, so that what is
 * there stays readable, and writing goes on when there is room again.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "log.h"
#include "trace_file.h"

/* Under sudo a new file belongs to who called it, not to root. */
static void give_to_invoker(int fd)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");

	if (geteuid() == 0 && uid && gid &&
	    fchown(fd, strtoul(uid, NULL, 10), strtoul(gid, NULL, 10)))
		note("cannot give the trace to user %s: %s", uid, strerror(errno));
}

/* O_EXCL first: only a file made here is given away; and in a sticky directory the kernel
 * refuses O_CREAT on an existing file of another user. */
static int open_path(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
	struct stat st;

	if (fd >= 0) {
		give_to_invoker(fd);
		return fd;
	}
	if (errno != EEXIST)
		return -errno;
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		fchmod(fd, 0600);
	return fd;
}

static int file_begin(struct trace_file *f, const char *path)
{
	struct stat st;

	if (f->fd < 0)
		return fail(f->fd, "cannot create %s", path);
	if (isatty(f->fd)) {
		close(f->fd);
		return fail_usage("cannot write a trace to a terminal (use a file or a pipe)");
	}
	f->regular = !fstat(f->fd, &st) && S_ISREG(st.st_mode);
	f->start = f->regular ? lseek(f->fd, 0, SEEK_CUR) : 0;
	f->path = strdup(path);
	return f->path ? 0 : fail(-ENOMEM, "cannot create %s", path);
}

static int file_copy(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	return copy < 0 ? -errno : copy;
}

int trace_file_open(struct trace_file *f, const char *path)
{
	if (!strcmp(path, "-")) {
		f->fd = file_copy(STDOUT_FILENO);
		return file_begin(f, "stdout");
	}
	f->fd = open_path(path);
	return file_begin(f, path);
}

int trace_file_on(struct trace_file *f, int fd, const char *name)
{
	struct stat st;

	f->fd = file_copy(fd);
	if (fd != STDOUT_FILENO && !fstat(fd, &st) && S_ISREG(st.st_mode)) {
		fchmod(fd, 0600);
		give_to_invoker(fd);
	}
	return file_begin(f, name);
}

int write_all(int fd, const void *data, size_t len)
{
	const u8 *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1);
		else if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			p += n, len -= n;
	}
	return 0;
}

/* Said once; what could not be written is counted by the caller. */
int trace_file_write(struct trace_file *f, const void *data, size_t len)
{
	int err = f->dead ? f->error : write_all(f->fd, data, len);

	if (!err) {
		f->bytes += len;
		return 0;
	}
	if (!f->error)
		fail(err, "cannot write %s", f->path);
	f->error = err;
	if (!f->regular || ftruncate(f->fd, f->start + f->bytes) ||
	    lseek(f->fd, f->start + f->bytes, SEEK_SET) < 0)
		f->dead = true;
	return err;
}

int trace_file_sync(struct trace_file *f)
{
	if (!f->regular || !fdatasync(f->fd) || errno == EINVAL || errno == EROFS)
		return 0;
	return f->error ?: (f->error = fail(-errno, "cannot write %s to the disk", f->path));
}

int trace_file_close(struct trace_file *f)
{
	if (close(f->fd) && !f->error)
		f->error = fail(-errno, "cannot write %s", f->path);
	free(f->path);
	return f->error;
}
