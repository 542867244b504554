// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Any bytes as each of the text formats. For libFuzzer. */
#include "importer.h"

struct unpack { const u8 *data; size_t size, at; };

static struct unpack input;

int unpack_open(struct unpack **u, const char *path)
{
	input.at = 0;
	*u = &input;
	return 0;
}

long unpack_read(struct unpack *u, void *buf, size_t n)
{
	size_t left = u->size - u->at;

	n = n < left ? n : left;
	memcpy(buf, u->data + u->at, n);
	u->at += n;
	return n;
}

void unpack_close(struct unpack *u) {}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const struct import_format *const formats[] = {
		&import_perf, &import_folded, &import_nvprof, &import_cupti_text,
	};
	struct import im = {};
	size_t i;

	input = (struct unpack){ .data = data, .size = size };
	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		formats[i]->probe("input", data, size);
		assert(!formats[i]->read(&im, "input"));
	}
	return 0;
}
