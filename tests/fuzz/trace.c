// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as a trace file: what is delivered must be records that a consumer
 * can use without checks. Checksums are made right first, or the fuzzer would
 * never get behind them. With -DFUZZER for libFuzzer; else a program that
 * replays the files it is given.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "cuda.h"
#include "log.h"
#include "trace.h"
#include "trace_format.h"

static void mend_block(u8 *at, size_t left)
{
	struct block_head h;

	memcpy(&h, at, sizeof(h));
	h.crc = 0;
	if (h.size < sizeof(h) || h.size > left || h.stored > left - h.size)
		return;
	h.crc = trace_crc32c(0, &h, sizeof(h));
	h.crc = trace_crc32c(h.crc, at + sizeof(h), h.size - sizeof(h) + h.stored);
	memcpy(at, &h, sizeof(h));
}

static void mend(u8 *data, size_t size)
{
	struct file_head f;
	struct block_head h;
	size_t at;

	if (size < sizeof(f))
		return;
	memcpy(&f, data, sizeof(f));
	at = f.size;
	f.crc = 0;
	if (at < sizeof(f) || at > size)
		return;
	f.crc = trace_crc32c(0, &f, sizeof(f));
	f.crc = trace_crc32c(f.crc, data + sizeof(f), at - sizeof(f));
	memcpy(data, &f, sizeof(f));
	while (at <= size && size - at >= sizeof(h)) {
		memcpy(&h, data + at, sizeof(h));
		mend_block(data + at, size - at);
		if (h.size < sizeof(h))
			break;
		at += (size_t)h.size + h.stored;
	}
}

static void check(const struct event *e)
{
	const struct record_type *type = record_type(e->kind);
	u8 copy[RECORD_MAX];
	const struct stack *s = (const struct stack *)e;
	u32 tail;

	assert(type && e->size % 8 == 0 && e->size >= type->size);
	memcpy(copy, e, e->size);	/* all of it is there */
	tail = e->size - type->size;
	if (type->tail == AS_TEXT)
		assert(tail && memchr(record_text(e, type->size), 0, tail));
	if (e->kind == EVENT_STACK)
		assert(s->kernel_frames <= tail / 8 &&
		       s->kernel_frames + s->user_frames == tail / 8);
	for (const struct field *f = type->fields; f->name; f++)
		if (f->as == AS_STR)
			assert(memchr((const u8 *)e + f->off, 0, f->size));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static int fd = -1;
	struct trace_reader *r;
	const struct event *e;
	char path[64];
	u8 *copy = malloc(size + 1);

	if (fd < 0)
		fd = memfd_create("fuzz", 0);
	memcpy(copy, data, size);
	if (size && !(copy[size - 1] & 1))	/* half of the inputs as they are */
		mend(copy, size);
	assert(!ftruncate(fd, size) && pwrite(fd, copy, size, 0) == (ssize_t)size);
	free(copy);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (trace_open(&r, path))
		return 0;
	trace_reader_quiet(r);
	while (trace_next(r, &e) > 0)
		check(e);
	trace_reader_close(r);
	return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	freopen("/dev/null", "w", stdout);
	log_init("fuzz", false);
	return 0;
}

#ifndef FUZZER
int main(int argc, char **argv)
{
	static u8 data[1 << 20];

	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "r");
		size_t n = f ? fread(data, 1, sizeof(data), f) : 0;

		if (f)
			fclose(f);
		LLVMFuzzerTestOneInput(data, n);
	}
	return 0;
}
#endif
