// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads many damaged versions of one trace file and checks what was delivered
 * against the whole file and its block boundaries, which it finds by itself.
 *
 *   tracecheck cuts FILE          cut at every byte
 *   tracecheck cuts FILE N        cut at N random bytes
 *   tracecheck flips FILE N       N times one random bit flipped
 *   tracecheck write FILE         writes records for ever, a line per 1,000 flushed
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>
#include "cuda.h"
#include "log.h"
#include "trace.h"
#include "trace_format.h"

static const u8 *file;
static size_t file_size;
static u64 *blocks, n_blocks;	/* offsets, the end of the file last */
static u64 *upto;		/* records before each */
static u64 *sums, n_sums;	/* of each record of the whole file */

static u64 sum(const struct event *e)
{
	u64 h = 1469598103934665603ULL;

	for (u32 i = 0; i < e->size; i++)
		h = (h ^ ((const u8 *)e)[i]) * 1099511628211ULL;
	return h;
}

static struct trace_reader *open_bytes(int fd, size_t n)
{
	struct trace_reader *r = NULL;
	char path[64];

	if (ftruncate(fd, n))
		err(1, "cannot cut a file");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (trace_open(&r, path))
		return NULL;
	trace_reader_quiet(r);
	return r;
}

static void find_blocks(void)
{
	struct block_head h;
	u64 at = sizeof(struct file_head), records = 0;

	blocks = calloc(file_size / sizeof(h) + 2, sizeof(u64));
	upto = calloc(file_size / sizeof(h) + 2, sizeof(u64));
	for (; at < file_size; at += sizeof(h) + h.stored) {
		memcpy(&h, file + at, sizeof(h));
		blocks[n_blocks] = at;
		upto[n_blocks++] = records;
		records += h.type == TRACE_RECORDS ? h.records : 0;
	}
	blocks[n_blocks] = at;
	upto[n_blocks] = records;
	n_sums = records;
}

static void load(const char *path)
{
	struct trace_reader *r;
	const struct event *e;
	struct stat st;
	int fd = open(path, O_RDONLY);
	u64 n = 0;

	if (fd < 0 || fstat(fd, &st))
		err(1, "cannot open %s", path);
	file_size = st.st_size;
	file = mmap(NULL, file_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	find_blocks();
	sums = calloc(n_sums + 1, sizeof(u64));
	if (trace_open(&r, path))
		exit(1);
	while (trace_next(r, &e) > 0)
		sums[n++] = sum(e);
	if (trace_damage(r) || n != n_sums)
		errx(1, "%s: %llu records, its blocks say %llu", path, n, n_sums);
	trace_reader_close(r);
}

/* Whether exactly the records before block `b` came, in order, and then `text`. */
static void expect(struct trace_reader *r, u64 b, const char *text, u64 where)
{
	const struct event *e;
	u64 n = 0;
	int ret;

	while ((ret = trace_next(r, &e)) > 0)
		if (n >= n_sums || sum(e) != sums[n++])
			errx(1, "byte %llu: record %llu is another", where, n);
	if (n != upto[b])
		errx(1, "byte %llu: %llu records instead of %llu", where, n, upto[b]);
	if (!text)
		return;
	if (ret >= 0 || !trace_damage(r) || !strstr(trace_damage(r), text))
		errx(1, "byte %llu: \"%s\" without \"%s\"", where, trace_damage(r) ?: "nothing",
		     text);
	if (trace_next(r, &e) != ret)
		errx(1, "byte %llu: the failure does not stay", where);
}

static void cut(int fd, u64 at)
{
	struct trace_reader *r = open_bytes(fd, at);
	char text[64];
	u64 b = 0;

	if (at < sizeof(struct file_head)) {
		if (r)
			errx(1, "a file of %llu bytes opens", at);
		return;
	}
	while (b < n_blocks && blocks[b + 1] <= at)
		b++;
	snprintf(text, sizeof(text), "ends %s at byte %llu",
		 at == blocks[b] ? "without its end mark" : "inside a block", blocks[b]);
	expect(r, b, text, at);
	trace_reader_close(r);
}

static void cuts(const char *n)
{
	int fd = memfd_create("cut", 0);
	u8 *copy = malloc(file_size);

	memcpy(copy, file, file_size);
	for (u64 i = 0; i < (n ? strtoull(n, NULL, 0) : file_size); i++) {
		if (pwrite(fd, copy, file_size, 0) != (ssize_t)file_size)
			err(1, "cannot copy a file");
		cut(fd, n ? (u64)random() % file_size : i);
	}
	free(copy);
}

/* A flip is found where it is; one in a length may look like a cut. */
static void flips(u64 n)
{
	int fd = memfd_create("flip", 0);
	u8 *copy = malloc(file_size);
	struct trace_reader *r;
	char text[64];

	memcpy(copy, file, file_size);
	for (u64 i = 0; i < n; i++) {
		u64 at = (u64)random() % file_size, b = 0;
		u8 bit = 1 << random() % 8;

		copy[at] ^= bit;
		if (pwrite(fd, copy, file_size, 0) != (ssize_t)file_size)
			err(1, "cannot copy a file");
		copy[at] ^= bit;
		r = open_bytes(fd, file_size);
		if (at < sizeof(struct file_head)) {
			if (r)
				errx(1, "a header with byte %llu changed opens", at);
			continue;
		}
		while (b < n_blocks && blocks[b + 1] <= at)
			b++;
		snprintf(text, sizeof(text), " at byte %llu", blocks[b]);
		expect(r, b, text, at);
		trace_reader_close(r);
	}
	free(copy);
}

static void write_for_ever(const char *path)
{
	struct api a = { .e = { .size = sizeof(a), .kind = EVENT_API, .producer = 1 } };
	struct trace_writer *w;
	struct trace_info info;

	trace_info_here(&info, "tracecheck");
	if (trace_create(&w, path, &info))
		exit(1);
	for (;;) {
		a.correlation++;
		a.e.ts += 1000;
		if (trace_put(w, &a.e))
			exit(1);
		if (a.correlation % 1000)
			continue;
		trace_flush(w);
		printf("%u\n", a.correlation);
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	log_init("tracecheck", false);
	srandom(1);
	if (!strcmp(what, "write"))
		write_for_ever(argv[2]);
	if (argc > 2)
		load(argv[2]);
	if (!strcmp(what, "cuts"))
		cuts(argv[3]);
	else if (!strcmp(what, "flips") && argc == 4)
		flips(strtoull(argv[3], NULL, 0));
	else
		errx(2, "see tests/bin/tracecheck.c");
	printf("%llu records in %llu blocks\n", n_sums, n_blocks);
	return 0;
}
