// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "log.h"

static const char *who = "?";
static bool chatty;

void log_init(const char *name, bool verbose)
{
	who = name;
	chatty = verbose;
}

bool log_verbose(void)
{
	return chatty;
}

/* One write a message: lines of concurrent processes do not mix. A long text is cut, the reason
 * is not. */
static void say(const char *fmt, va_list ap, const char *reason)
{
	char buf[1024];
	int room = sizeof(buf) - 1 - (reason ? strlen(reason) + 2 : 0);
	int n = snprintf(buf, sizeof(buf), "%s: ", who);

	n += vsnprintf(buf + n, room - n, fmt, ap);
	if (n >= room) {
		n = room;
		memcpy(buf + n - 3, "...", 3);
	}
	if (reason)
		n += sprintf(buf + n, ": %s", reason);
	buf[n++] = '\n';
	fwrite(buf, 1, n, stderr);
	fflush(stderr);
}

int fail(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, err ? strerror(err < 0 ? -err : err) : NULL);
	va_end(ap);
	return err ? err : -1;
}

int fail_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, NULL);
	va_end(ap);
	return -EINVAL;
}

void warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, NULL);
	va_end(ap);
}

void note(const char *fmt, ...)
{
	va_list ap;

	if (!chatty)
		return;
	va_start(ap, fmt);
	say(fmt, ap, NULL);
	va_end(ap);
}
