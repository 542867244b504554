// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include "clock.h"
#include "tool_run.h"
#include "xid_kmsg.h"
#include "xid_log.h"
#include "xid_view.h"

#define POLL_MS 100
#define RECORD_BYTES 8192	/* CONSOLE_EXT_LOG_MAX of the kernel: a read gives one record */

static int put(void *ctx, const struct xid *x)
{
	return sink_put(ctx, &x->e);
}

/* The log says that it wrote over records before we read them. */
static int put_overrun(struct sink *s)
{
	struct lost l = {
		.e = { .ts = now_ns(), .size = sizeof(l), .kind = EVENT_LOST,
		       .cpu = CPU_UNKNOWN },
		.count = LOST_UNKNOWN, .where = LOST_KMSG,
	};

	return sink_put(s, &l.e);
}

/* All that is there now. */
static int drain(struct xid_log *l, int fd, struct sink *s)
{
	char buf[RECORD_BYTES + 1];
	ssize_t n;
	int err = 0;

	while (!err) {
		n = read(fd, buf, RECORD_BYTES);
		buf[n > 0 ? n : 0] = '\0';
		if (n > 0)	/* its first line; " KEY=value" behind it */
			err = xid_log_line(l, buf, strcspn(buf, "\n"), false);
		else if (n < 0 && errno == EPIPE)
			err = put_overrun(s);
		else if (n < 0 && errno != EAGAIN && errno != EINTR)
			err = fail(-errno, "cannot read /dev/kmsg");
		else
			break;
	}
	if (!err)
		err = xid_log_flush(l);
	return err ? err : sink_flush(s);
}

static int follow(struct xid_log *l, int fd, struct sink *s)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct source source;
	int err = sink_begin(s);

	source_begin(&source, s);
	if (s->set->duration_ns)
		source.end = now_ns() + s->set->duration_ns;
	while (!err && !source_over(&source)) {
		poll(&p, 1, source_wait_ms(&source, POLL_MS));
		err = drain(l, fd, s);
		if (!err)
			err = xid_view_quiet(s);
	}
	return err == -ECANCELED ? 0 : err;
}

int xid_kmsg(struct sink *s)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC), err;
	struct xid_log *l;

	if (fd < 0 && errno == EPERM)
		return fail(0, "cannot read /dev/kmsg: %s (run as root; or as anybody after sysctl kernel.dmesg_restrict=0)",
			    strerror(errno));
	if (fd < 0)
		return fail(-errno, "cannot read /dev/kmsg");
	lseek(fd, 0, SEEK_END);
	note("source: /dev/kmsg, from here on");
	l = xid_log_new(XID_KMSG, false, put, s);
	err = follow(l, fd, s);
	xid_log_free(l);
	close(fd);
	return err;
}
