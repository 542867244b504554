// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include "gzip.h"

struct gzip { FILE *out; z_stream z; };

static int pack(struct gzip *g, int flush)
{
	unsigned char room[1 << 14] = {};
	size_t n;

	do {
		g->z.next_out = room;
		g->z.avail_out = sizeof(room);
		deflate(&g->z, flush);
		n = sizeof(room) - g->z.avail_out;
		if (fwrite(room, 1, n, g->out) != n)
			return -1;
	} while (!g->z.avail_out);
	return 0;
}

static ssize_t gzip_write(void *cookie, const char *data, size_t n)
{
	struct gzip *g = cookie;

	g->z.next_in = (unsigned char *)data;
	g->z.avail_in = n;
	return pack(g, Z_NO_FLUSH) ? -1 : (ssize_t)n;
}

static int gzip_close(void *cookie)
{
	struct gzip *g = cookie;
	int err = pack(g, Z_FINISH);

	deflateEnd(&g->z);
	free(g);
	return err;
}

FILE *gzip_stream(FILE *out)
{
	static const cookie_io_functions_t io = { .write = gzip_write, .close = gzip_close };
	struct gzip *g = calloc(1, sizeof(*g));
	FILE *f;

	if (!g)
		return NULL;
	g->out = out;
	/* 16: a gzip header; its time stays 0 */
	if (deflateInit2(&g->z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(g);
		return NULL;
	}
	f = fopencookie(g, "w", io);
	if (!f) {
		deflateEnd(&g->z);
		free(g);
	}
	return f;
}
