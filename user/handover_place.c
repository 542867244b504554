// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The directory of the socket. It is locked while its recorder lives, so that
 * the next one can tell what a killed one left behind, and removes it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "handover_place.h"
#include "handover_recv.h"

#define PREFIX "gpuscope-socket-"
#define TRIES  3	/* until it is locked a new directory may be taken for a dead one's */

/* ---- what others left ---- */

static void dead_remove(int base, const char *name)
{
	int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct dirent *e;
	struct stat st;
	DIR *dir;

	if (fd < 0)
		return;
	if (fstat(fd, &st) || st.st_uid != geteuid() || flock(fd, LOCK_EX | LOCK_NB) ||
	    !(dir = fdopendir(fd))) {
		close(fd);
		return;
	}
	while ((e = readdir(dir)))
		if (e->d_type == DT_SOCK)
			unlinkat(fd, e->d_name, 0);
	unlinkat(base, name, AT_REMOVEDIR);
	closedir(dir);
}

static void dead_remove_all(const char *base)
{
	DIR *dir = opendir(base);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (!strncmp(e->d_name, PREFIX, strlen(PREFIX)))
			dead_remove(dirfd(dir), e->d_name);
	if (dir)
		closedir(dir);
}

/* ---- ours ---- */

/* The directory lets everyone through who knows the name, which nobody can list or guess. */
static int place_make(struct place *p, const char *base)
{
	int n = snprintf(p->dir, sizeof(p->dir), "%s/" PREFIX "XXXXXX", base);
	u64 secret[2];

	if (n >= (int)sizeof(p->dir) || !mkdtemp(p->dir)) {
		p->dir[0] = '\0';
		return errno ? -errno : -ENAMETOOLONG;
	}
	if (getrandom(secret, sizeof(secret), 0) != sizeof(secret))
		return -EIO;
	snprintf(p->path, sizeof(p->path), "%s/%016llx%016llx", p->dir, secret[0], secret[1]);
	if (chmod(p->dir, 0711))
		return -errno;
	p->lock = open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return p->lock < 0 || flock(p->lock, LOCK_EX | LOCK_NB) ? -errno : 0;
}

static int listener_make(const struct place *p)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int err, fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	memcpy(addr.sun_path, p->path, sizeof(addr.sun_path));
	if (fd >= 0 && !bind(fd, (void *)&addr, sizeof(addr)) && !chmod(p->path, 0666) &&
	    !listen(fd, 128))
		return fd;
	err = -errno;
	if (fd >= 0)
		close(fd);
	return err;
}

void place_close(struct place *p)
{
	if (p->path[0])
		unlink(p->path);
	if (p->dir[0])
		rmdir(p->dir);
	if (p->lock >= 0)
		close(p->lock);
	*p = (struct place){ .lock = -1 };
}

static int place_below(struct place *p, const char *base)
{
	int fd = -ENOENT;

	dead_remove_all(base);
	for (int i = 0; i < TRIES && (fd == -ENOENT || fd == -EWOULDBLOCK); i++) {
		errno = 0;
		fd = place_make(p, base);
		if (!fd)
			fd = listener_make(p);
		if (fd < 0)
			place_close(p);
	}
	return fd;
}

/* Absolute: the program may change its directory. */
int place_open(struct place *p)
{
	const char *tmp = getenv("TMPDIR");
	char base[PATH_MAX];
	int fd = -ENOENT;

	*p = (struct place){ .lock = -1 };
	if (tmp && *tmp && realpath(tmp, base))
		fd = place_below(p, base);
	return fd < 0 ? place_below(p, "/tmp") : fd;
}
