/* How every program of the suite talks to its user: on stderr, once, with its name in front. */
#ifndef LOG_H
#define LOG_H

#include <stdarg.h>
#include <stdbool.h>

void log_init(const char *name, bool verbose);
bool log_verbose(void);

/* "NAME: TEXT: strerror(-err)" (without the reason for err 0). Returns err, or -1 for
 * err 0: the failure's return value is made by the act that reports it. */
int fail(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* As fail(), for wrong command lines: returns -EINVAL; programs exit 2 on it. */
int fail_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));	/* always */
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));	/* under -v */

#endif
