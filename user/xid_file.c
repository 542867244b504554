// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A file as lines of a log (xid_log.h): plain or gzip, of any length, with whatever
 * bytes in it. /dev/kmsg is read up to its present end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "arena.h"
#include "log.h"
#include "xid_log.h"

#define LINE_MAX_BYTES (64 << 10)	/* a longer line is read in pieces */
#define TAG_BYTES 1024		/* an error that begins so near the cut is of the next piece */

struct text {
	int fd;
	bool started, gz;
	bool member;		/* inside one of the gzip file's members */
	bool end, more;		/* more: the line's beginning has been taken */
	z_stream z;		/* its input also holds what is no gzip */
	size_t have;
	u8 in[16 << 10];
	char buf[LINE_MAX_BYTES + 1];
};

/* What was overwritten in /dev/kmsg meanwhile (EPIPE) is stepped over; it ends where it would
 * have to wait. */
static int read_in(struct text *t, const char *path)
{
	ssize_t n;

	do {
		n = read(t->fd, t->in, sizeof(t->in));
	} while (n < 0 && errno == EPIPE);
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return fail(-errno, "cannot read %s", path);
	t->z.next_in = t->in;
	t->z.avail_in = n > 0 ? n : 0;
	t->end = n <= 0;
	if (!t->started && n >= 2 && t->in[0] == 0x1f && t->in[1] == 0x8b)
		t->gz = t->member = inflateInit2(&t->z, 15 + 16) == Z_OK;
	t->started = true;
	return 0;
}

static int unpack(struct text *t, const char *path)
{
	int got;

	if (t->end && t->member)
		return fail(0, "cannot read %s: the gzip data end in the middle", path);
	if (!t->member && t->z.avail_in) {	/* another one behind the first */
		inflateReset(&t->z);
		t->member = true;
	}
	t->z.next_out = (u8 *)t->buf + t->have;
	t->z.avail_out = LINE_MAX_BYTES - t->have;
	got = t->z.avail_in ? inflate(&t->z, Z_NO_FLUSH) : Z_OK;
	t->have = LINE_MAX_BYTES - t->z.avail_out;
	if (got == Z_STREAM_END)
		t->member = false;
	else if (got != Z_OK && got != Z_BUF_ERROR)
		return fail(0, "cannot read %s: damaged gzip data", path);
	return 0;
}

static int fill(struct text *t, const char *path)
{
	size_t n;
	int err = t->z.avail_in ? 0 : read_in(t, path);

	if (err || t->gz)
		return err ? err : unpack(t, path);
	n = LINE_MAX_BYTES - t->have;
	n = n < t->z.avail_in ? n : t->z.avail_in;
	memcpy(t->buf + t->have, t->z.next_in, n);
	t->have += n;
	t->z.next_in += n;
	t->z.avail_in -= n;
	return 0;
}

/* How much of a full buffer without a line's end is taken now. */
static size_t cut(const char *buf, size_t n)
{
	for (size_t at = n - 8; at > n - TAG_BYTES; at--)
		if (!memcmp(buf + at, "NVRM:", 5) || !memcmp(buf + at, "nvidia-", 7))
			return at;
	return n - 8;
}

static void take(struct text *t, size_t n)
{
	memmove(t->buf, t->buf + n, t->have - n);
	t->have -= n;
}

/* Every whole line in the buffer, and at the end, or when it is full, what is left. */
static int lines(struct xid_log *l, struct text *t)
{
	size_t at = 0, n;
	char *nl;
	int err = 0;

	while (!err && (nl = memchr(t->buf + at, '\n', t->have - at))) {
		err = xid_log_line(l, t->buf + at, nl - (t->buf + at), t->more);
		t->more = false;
		at = nl + 1 - t->buf;
	}
	take(t, at);
	if (err || !t->have || (!t->end && t->have < LINE_MAX_BYTES))
		return err;
	n = t->end ? t->have : cut(t->buf, t->have);
	at = t->buf[n];
	err = xid_log_line(l, t->buf, n, t->more);	/* it puts a NUL behind them */
	t->more = true;
	t->buf[n] = (char)at;
	take(t, n);
	return err;
}

static int read_all(struct xid_log *l, struct text *t, const char *path)
{
	int err = 0;

	while (!err && !t->end) {
		err = fill(t, path);
		if (!err)
			err = lines(l, t);
	}
	return err ? err : xid_log_flush(l);
}

static int text_open(struct text *t, const char *path)
{
	struct stat st;
	bool in = !strcmp(path, "-");

	t->fd = in ? dup(0) : open(path, O_RDONLY | O_CLOEXEC);
	if (t->fd < 0)
		return fail(-errno, "cannot open %s", path);
	if (fstat(t->fd, &st))
		return fail(-errno, "cannot read %s", path);
	if (S_ISDIR(st.st_mode))
		return fail(-EISDIR, "cannot read %s", path);
	if (!in && S_ISCHR(st.st_mode) && strstr(path, "kmsg") &&
	    fcntl(t->fd, F_SETFL, O_NONBLOCK))
		return fail(-errno, "cannot read %s", path);
	return 0;
}

static time_t written(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) ? st.st_mtime : time(NULL);
}

int xid_log_file(struct xid_log *l, const char *path)
{
	struct text *t = must_alloc(sizeof(*t));
	int err = text_open(t, path);

	if (!err) {
		xid_log_next(l, written(t->fd));
		err = read_all(l, t, path);
	}
	if (t->gz)
		inflateEnd(&t->z);
	if (t->fd >= 0)
		close(t->fd);
	free(t);
	return err;
}
