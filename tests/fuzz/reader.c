// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as each format that is read as a stream and is linked: what the
 * readers hand on must be records that the importer can write, and the same
 * ones however the bytes come in pieces. For libFuzzer.
 */
#include <stdlib.h>
#include "importer.h"

#define ONE_BY_ONE 512		/* longer inputs take larger pieces: each moves a window */

#pragma weak import_json
#pragma weak import_perf
#pragma weak import_folded
#pragma weak import_nvprof
#pragma weak import_cupti_text

struct unpack { const u8 *data; size_t size, at, piece; };

static struct unpack input;

/* A reader may open its file twice: each has a place of its own. */
int unpack_open(struct unpack **u, const char *path)
{
	*u = must_alloc(sizeof(**u));
	**u = input;
	return 0;
}

long unpack_read(struct unpack *u, void *buf, size_t n)
{
	size_t left = u->size - u->at;

	n = n < left ? n : left;
	n = n < u->piece ? n : u->piece;
	memcpy(buf, u->data + u->at, n);
	u->at += n;
	return n;
}

void unpack_close(struct unpack *u)
{
	free(u);
}

static u64 read_bytes(const struct import_format *format, const u8 *data, size_t size,
		      size_t piece)
{
	struct import im = {};

	input = (struct unpack){ .data = data, .size = size, .piece = piece };
	input_size = size;
	assert(format->read(&im, "input") == 0 || !im.records);
	return im.sum;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const struct import_format *const formats[] = {
		&import_json, &import_perf, &import_folded, &import_nvprof, &import_cupti_text,
	};
	size_t i, small = size <= ONE_BY_ONE ? 1 : 1 + size / ONE_BY_ONE * 7;
	u64 whole;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!formats[i])
			continue;
		formats[i]->probe("input", data, size);
		whole = read_bytes(formats[i], data, size, size + 1);
		assert(read_bytes(formats[i], data, size, small) == whole);
		assert(read_bytes(formats[i], data, size, small + 1 + size % 13) == whole);
	}
	return 0;
}
