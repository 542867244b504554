// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as a kernel's log, through a file as gpuxid reads it: what is delivered
 * must be records that a consumer can use without checks, and each of their rows
 * must be made. For libFuzzer.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "log.h"
#include "xid_log.h"
#include "xid_row.h"

/* Instead of user/log.c: damage is no news here. */
int fail(int err, const char *fmt, ...)
{
	return err ? err : -1;
}

static int check(void *ctx, const struct xid *x)
{
	static struct xid_row row;
	const char *text = record_text(&x->e, sizeof(*x));
	size_t room = x->e.size - sizeof(*x);

	assert(x->e.kind == EVENT_XID && x->e.size > sizeof(*x) && !(x->e.size % 8));
	assert(room <= XID_TEXT_MAX && memchr(text, '\0', room));
	assert(!text[room - 1] && strlen(text) + 8 >= room);
	assert(memchr(x->comm, '\0', sizeof(x->comm)));
	assert(x->source == XID_FILE && x->lines);
	xid_row(&row, x, false);
	assert(strlen(row.text) < sizeof(row.text) && strlen(row.said) < sizeof(row.said));
	return 0;
}

static void read_bytes(const unsigned char *data, size_t size, bool many)
{
	struct xid_log *l = xid_log_new(XID_FILE, many, check, NULL);
	int fd = memfd_create("log", MFD_CLOEXEC);
	char path[32];

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (int i = 0; i < 1 + many; i++)
		xid_log_file(l, path);
	close(fd);
	xid_log_free(l);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	read_bytes(data, size, false);
	read_bytes(data, size, true);
	return 0;
}
