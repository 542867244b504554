/*
 * Errors of GPUs and NVSwitches out of a kernel's log: dmesg, syslog, journalctl, /dev/kmsg.
 * Each occurrence is one record: the lines that the driver prints behind an SXid belong to it,
 * what a daemon quotes of the kernel does not count, and of several files that hold the same
 * line one counts.
 */
#ifndef XID_LOG_H
#define XID_LOG_H

#include <stddef.h>
#include <time.h>
#include "xid.h"

#define XID_TEXT_MAX 1024	/* of the driver's message; the kernel's own lines end there */

struct xid_record {
	struct xid x;
	char text[XID_TEXT_MAX];
};

struct xid_log;

/* put() returns 0 or an error, which ends the reading and is returned. many: more than one file
 * will be read. */
struct xid_log *xid_log_new(u8 source, bool many, int (*put)(void *ctx, const struct xid *x),
			    void *ctx);
void xid_log_free(struct xid_log *l);

/* A file, gzip or not; "-" is standard input. 0, or a reported error. */
int xid_log_file(struct xid_log *l, const char *path);

/* A line without its end, or a piece of one; `more`: not the first piece. Its n bytes and one
 * behind them are changed. */
int xid_log_line(struct xid_log *l, char *text, size_t n, bool more);
int xid_log_flush(struct xid_log *l);	/* nothing more for now: what waits for its next line
					 * is complete */
/* From here on lines are of another file, last written at `written`. */
void xid_log_next(struct xid_log *l, time_t written);

/* Fills a record from a scanned text; `text` is what xid_scan.message counts from. */
struct xid_scan;
void xid_fill(struct xid_record *r, const struct xid_scan *s, const char *text, size_t n);

#endif
