/* The file under a trace writer. All return 0 or a negative errno; the first is reported. */
#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include "types.h"

struct trace_file {
	char *path;		/* for messages */
	int fd, error;
	bool regular, dead;	/* dead: ends inside a block, nothing can follow */
	u64 start, bytes;
};

/* To any descriptor, also one that would block; not reported. */
int write_all(int fd, const void *data, size_t len);

int trace_file_open(struct trace_file *f, const char *path);	/* "-": stdout */
int trace_file_on(struct trace_file *f, int fd, const char *name);	/* a copy of fd */
/* All of it or nothing. */
int trace_file_write(struct trace_file *f, const void *data, size_t len);
int trace_file_sync(struct trace_file *f);	/* to the disk; what has none is fine */
int trace_file_close(struct trace_file *f);

#endif
