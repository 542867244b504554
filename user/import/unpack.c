// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Files as streams, unpacked if they are packed. Packed ones are inflated by a
 * thread of their own into a few buffers ahead of the reader, so that both
 * cores of a pipe have work.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include "arena.h"
#include "import.h"
#include "log.h"

#define PIECE (256u << 10)
#define AHEAD 4				/* buffers of the thread */

enum packing { PLAIN, GZIP, ZSTD };

struct piece { u8 *data; long n; };	/* n <= 0: the last one: end or error */

struct unpack {
	char *path;
	int fd, stop_fd;		/* stop_fd readable: nobody wants more */
	enum packing packing;
	u64 packed;
	u8 *in;				/* read but not yet unpacked */
	size_t at, len;
	bool ended;			/* of the file */
	bool between;			/* no member or frame is open */
	bool once;			/* what was read of it does not come again */
	bool peeking;
	bool failed;			/* by zstd, with something unpacked before */
	z_stream z;
	ZSTD_DCtx *zstd;
	/* the thread */
	bool threaded;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct piece pieces[AHEAD];
	u32 filled, taken;		/* pieces ever */
	bool stop;
	size_t taken_at;		/* of the piece at hand */
};

/* What a look at standard input or a pipe has read is kept for who reads it next; so is the
 * named pipe itself, which cannot be opened a second time. */
static struct { u8 *data; size_t n, at; char *path; int fd; } pushed_back;
static char reason[256];

const char *unpack_why(void)
{
	return reason;
}

__attribute__((format(printf, 3, 4)))
static int broken(const struct unpack *u, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	return u->peeking ? err : fail(0, "cannot read all of %s: %s", u->path, reason);
}

static int unreadable(const struct unpack *u, int err)
{
	return broken(u, err, "byte %llu cannot be read: %s", u->packed, strerror(-err));
}

/* ---- bytes of the file ---- */

static long raw_wait(const struct unpack *u)
{
	struct pollfd fds[2] = { { u->fd, POLLIN }, { u->stop_fd, POLLIN } };

	while (poll(fds, 2, -1) < 0)
		if (errno != EINTR)
			return -errno;
	return fds[1].revents ? -ECANCELED : 0;
}

static long raw_read(struct unpack *u, u8 *buf, size_t n)
{
	long got;

	if (u->once && pushed_back.at < pushed_back.n) {
		got = pushed_back.n - pushed_back.at;
		got = (size_t)got < n ? got : (long)n;
		memcpy(buf, pushed_back.data + pushed_back.at, got);
		pushed_back.at += got;
		return got;
	}
	got = u->threaded ? raw_wait(u) : 0;
	if (got)
		return got;
	do
		got = read(u->fd, buf, n);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	if (u->once && u->peeking && got) {
		pushed_back.data = must_realloc(pushed_back.data, pushed_back.n + got);
		memcpy(pushed_back.data + pushed_back.n, buf, got);
		pushed_back.at = pushed_back.n += got;
	}
	return got;
}

/* There are bytes in u->in. 1, 0: the file has ended, negative: reported. */
static int more_in(struct unpack *u)
{
	long n;

	if (u->at < u->len)
		return 1;
	if (u->ended)
		return 0;
	n = raw_read(u, u->in, PIECE);
	if (n == -ECANCELED)
		return n;
	if (n < 0)
		return unreadable(u, n);
	u->at = 0;
	u->len = n;
	u->packed += n;
	u->ended = !n;
	return n > 0;
}

/* ---- unpacking ---- */

static long plain_read(struct unpack *u, u8 *buf, size_t n)
{
	size_t left = u->len - u->at;
	long got;

	if (left) {
		n = left < n ? left : n;
		memcpy(buf, u->in + u->at, n);
		u->at += n;
		return n;
	}
	if (u->ended)
		return 0;
	got = raw_read(u, buf, n);
	if (got == -ECANCELED)
		return got;
	if (got < 0)
		return unreadable(u, got);
	u->packed += got;
	u->ended = !got;
	return got;
}

static u64 unpacked_to(const struct unpack *u)
{
	return u->packed - (u->len - u->at);
}

static int cut(const struct unpack *u, const char *what)
{
	return broken(u, -EBADMSG, "the %s data ends early at byte %llu of the file", what,
		      unpacked_to(u));
}

static int damaged(const struct unpack *u, const char *what)
{
	return broken(u, -EBADMSG, "the %s data is damaged at byte %llu of the file", what,
		      unpacked_to(u));
}

/* Behind a member: another one, padding of zeros, or the end. 1: another one, 0: the end. */
static int gzip_next(struct unpack *u)
{
	int more;

	while ((more = more_in(u)) > 0 && !u->in[u->at])
		u->at++;
	if (more <= 0)
		return more;
	if (u->in[u->at] != 0x1f)
		return broken(u, -EBADMSG, "what follows the gzip data at byte %llu of the file is none",
			      unpacked_to(u));
	inflateReset(&u->z);
	u->between = false;
	return 1;
}

static long gzip_read(struct unpack *u, u8 *buf, size_t n)
{
	int more, ret;

	u->z.next_out = buf;
	u->z.avail_out = n;
	while (u->z.avail_out == n) {
		more = u->between ? gzip_next(u) : more_in(u);
		if (more < 0 || (!more && u->between))
			return more;
		if (!more)
			return cut(u, "gzip");
		u->z.next_in = u->in + u->at;
		u->z.avail_in = u->len - u->at;
		ret = inflate(&u->z, Z_NO_FLUSH);
		u->at = u->len - u->z.avail_in;
		u->between = ret == Z_STREAM_END;
		if (ret != Z_OK && ret != Z_STREAM_END && u->z.avail_out == n)
			return damaged(u, "gzip");
	}
	return n - u->z.avail_out;
}

static long zstd_read(struct unpack *u, u8 *buf, size_t n)
{
	ZSTD_outBuffer out = { buf, n, 0 };

	while (!out.pos) {
		ZSTD_inBuffer in;
		int more = more_in(u);
		size_t ret;

		if (u->failed)
			return damaged(u, "zstd");
		if (more < 0 || (!more && u->between))
			return more;
		if (!more)
			return cut(u, "zstd");
		in = (ZSTD_inBuffer){ u->in + u->at, u->len - u->at, 0 };
		ret = ZSTD_decompressStream(u->zstd, &out, &in);
		u->at += in.pos;
		u->between = !ret;
		u->failed = ZSTD_isError(ret);
		if (u->failed && out.pos)
			break;
	}
	return out.pos;
}

static long unpack_some(struct unpack *u, u8 *buf, size_t n)
{
	return u->packing == GZIP ? gzip_read(u, buf, n) :
	       u->packing == ZSTD ? zstd_read(u, buf, n) : plain_read(u, buf, n);
}

/* ---- the thread ---- */

static void *unpack_thread(void *arg)
{
	struct unpack *u = arg;
	struct piece *p;
	long n;

	do {
		pthread_mutex_lock(&u->lock);
		while (u->filled - u->taken == AHEAD && !u->stop)
			pthread_cond_wait(&u->changed, &u->lock);
		p = &u->pieces[u->filled % AHEAD];
		n = u->stop ? -ECANCELED : 0;
		pthread_mutex_unlock(&u->lock);
		n = n ?: unpack_some(u, p->data, PIECE);
		pthread_mutex_lock(&u->lock);
		p->n = n;
		u->filled++;
		pthread_cond_signal(&u->changed);
		pthread_mutex_unlock(&u->lock);
	} while (n > 0);
	return NULL;
}

static long thread_read(struct unpack *u, u8 *buf, size_t n)
{
	struct piece *p = &u->pieces[u->taken % AHEAD];

	pthread_mutex_lock(&u->lock);
	while (u->filled == u->taken)
		pthread_cond_wait(&u->changed, &u->lock);
	pthread_mutex_unlock(&u->lock);
	if (p->n <= 0)
		return p->n;
	n = n < p->n - u->taken_at ? n : p->n - u->taken_at;
	memcpy(buf, p->data + u->taken_at, n);
	u->taken_at += n;
	if (u->taken_at == (size_t)p->n) {
		u->taken_at = 0;
		pthread_mutex_lock(&u->lock);
		u->taken++;
		pthread_cond_signal(&u->changed);
		pthread_mutex_unlock(&u->lock);
	}
	return n;
}

static int thread_start(struct unpack *u)
{
	for (int i = 0; i < AHEAD; i++)
		u->pieces[i].data = must_alloc(PIECE);
	pthread_mutex_init(&u->lock, NULL);
	pthread_cond_init(&u->changed, NULL);
	u->stop_fd = eventfd(0, EFD_CLOEXEC);
	u->threaded = u->stop_fd >= 0 && !pthread_create(&u->thread, NULL, unpack_thread, u);
	return u->threaded ? 0 : fail(-EAGAIN, "cannot unpack %s", u->path);
}

static void thread_stop(struct unpack *u)
{
	pthread_mutex_lock(&u->lock);
	u->stop = true;
	pthread_cond_signal(&u->changed);
	pthread_mutex_unlock(&u->lock);
	eventfd_write(u->stop_fd, 1);
	pthread_join(u->thread, NULL);
}

/* ---- open, read, close ---- */

/* A frame, or one to be stepped over, as parallel packers begin. */
static bool zstd_begins(const u8 *p)
{
	return !memcmp(p, "\x28\xb5\x2f\xfd", 4) ||
	       ((p[0] & 0xf0) == 0x50 && !memcmp(p + 1, "\x2a\x4d\x18", 3));
}

/* By its first four bytes, which stay in u->in. */
static int packing_find(struct unpack *u)
{
	long n = 0;

	while (u->len < 4 && (n = raw_read(u, u->in + u->len, PIECE - u->len)) > 0)
		u->len += n;
	if (n < 0)
		return fail(n, "cannot read %s", u->path);
	u->packed = u->len;
	u->ended = u->len < 4;
	if (u->len >= 3 && !memcmp(u->in, "\x1f\x8b\x08", 3)) {
		u->packing = GZIP;
		if (inflateInit2(&u->z, 15 + 16) != Z_OK)
			return fail(-ENOMEM, "cannot unpack %s", u->path);
	} else if (u->len >= 4 && zstd_begins(u->in)) {
		u->packing = ZSTD;
		u->zstd = ZSTD_createDCtx();
		if (!u->zstd)
			return fail(-ENOMEM, "cannot unpack %s", u->path);
	}
	return 0;
}

/* The file that was looked at, if it cannot be read from its beginning again; else -1. */
static int looked_at(const char *path)
{
	int fd = pushed_back.fd;

	if (!pushed_back.path || strcmp(pushed_back.path, path))
		return -1;
	free(pushed_back.path);
	pushed_back.path = NULL;
	pushed_back.at = 0;
	return fd;
}

static int file_open(struct unpack *u, const char *path)
{
	struct stat st;

	u->fd = looked_at(path);
	u->once = u->fd >= 0;
	if (u->fd < 0)
		u->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (u->fd < 0)
		return fail(-errno, "cannot open %s", path);
	if (u->once || fstat(u->fd, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return 0;
	u->once = true;
	pushed_back.at = pushed_back.n = 0;
	return 0;
}

/* The end of a look: what does not come again stays open. */
static void file_keep(struct unpack *u, const char *path)
{
	if (!u->once || u->fd == STDIN_FILENO)
		return;
	if (pushed_back.path)		/* looked at, and never read */
		close(pushed_back.fd);
	free(pushed_back.path);
	pushed_back.path = strdup(path);
	pushed_back.fd = u->fd;
	u->fd = -1;
}

static int unpack_begin(struct unpack **out, const char *path, bool peeking)
{
	struct unpack *u = must_alloc(sizeof(*u));
	bool standard = !strcmp(path, "-");
	int err = 0;

	*out = u;
	u->path = strdup(standard ? "standard input" : path);
	u->stop_fd = -1;
	u->peeking = peeking;
	u->in = must_alloc(PIECE);
	if (standard)
		pushed_back.at = 0;
	u->once = standard;
	u->fd = STDIN_FILENO;
	if (!standard)
		err = file_open(u, path);
	err = err ?: packing_find(u);
	if (!err && u->packing != PLAIN && !peeking)
		err = thread_start(u);
	if (err) {
		unpack_close(u);
		*out = NULL;
	}
	return err;
}

int unpack_open(struct unpack **u, const char *path)
{
	reason[0] = 0;
	return unpack_begin(u, path, false);
}

long unpack_read(struct unpack *u, void *buf, size_t n)
{
	return u->threaded ? thread_read(u, buf, n) : unpack_some(u, buf, n);
}

long unpack_peek(const char *path, void *buf, size_t n)
{
	struct unpack *u;
	size_t got = 0;
	long more = unpack_begin(&u, path, true);

	if (more)
		return more;
	while (got < n && (more = unpack_some(u, (u8 *)buf + got, n - got)) > 0)
		got += more;
	file_keep(u, path);
	unpack_close(u);
	return got || more >= 0 ? (long)got : fail(0, "cannot read %s: %s", path, reason);
}

u64 unpack_packed(const struct unpack *u)
{
	return u->packed;
}

void unpack_close(struct unpack *u)
{
	if (!u)
		return;
	if (u->threaded)
		thread_stop(u);
	if (u->packing == GZIP)
		inflateEnd(&u->z);
	ZSTD_freeDCtx(u->zstd);
	for (int i = 0; i < AHEAD; i++)
		free(u->pieces[i].data);
	if (u->stop_fd >= 0)
		close(u->stop_fd);
	if (u->fd > STDIN_FILENO) {
		if (u->once)
			pushed_back.n = 0;
		close(u->fd);
	}
	free(u->in);
	free(u->path);
	free(u);
}
