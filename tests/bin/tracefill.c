// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes a long trace of records that do not compress: one name, then calls.
 *
 *   tracefill FILE BYTES            until the file has so many
 *   tracefill FILE BYTES BALLAST    removes the file BALLAST after half of the records (the
 *                                   disk was full); prints how many records it put
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cuda.h"
#include "log.h"
#include "trace.h"

static u64 rnd(void)
{
	static u64 x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	return x ^= x << 17;
}

static void put_name(struct trace_writer *w)
{
	struct { struct name n; char text[8]; } r = {
		.n = { .e = { .size = sizeof(r), .kind = EVENT_NAME, .producer = 1 }, .id = 1 },
		.text = "call",
	};

	trace_put(w, &r.n.e);
}

int main(int argc, char **argv)
{
	u64 bytes = argc > 2 ? strtoull(argv[2], NULL, 0) : 0, n = 0;
	struct trace_writer *w;
	struct trace_info info;

	log_init("tracefill", false);
	if (argc < 3)
		errx(2, "see tests/bin/tracefill.c");
	trace_info_here(&info, "tracefill");
	if (trace_create(&w, argv[1], &info))
		return 1;
	put_name(w);
	for (; argc > 3 ? n * 40 < bytes : trace_bytes(w) < bytes; n++) {
		struct api a = {
			.e = { .ts = rnd(), .tid = rnd(), .size = sizeof(a), .kind = EVENT_API,
			       .producer = 1 },
			.dur_ns = rnd(), .correlation = n, .name = 1, .cbid = rnd(),
			.result = rnd(),
		};

		trace_put(w, &a.e);
		if (argc > 3 && n == bytes / 80)
			unlink(argv[3]);
	}
	if (argc > 3)
		printf("%llu\n", n);
	return trace_close(w) ? 1 : 0;
}
