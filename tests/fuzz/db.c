// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as a database of Nsight Systems, rocprofv3 or rocmProfileData. For
 * libFuzzer: of the input, the first byte says which database of the folder
 * $FUZZ_DB is changed, the rest are pairs of place and byte, since bytes alone
 * would never be a database.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "importer.h"

#define BASES 8

static struct { u8 *bytes; size_t size; } bases[BASES];
static char path[64];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char name[512];
	FILE *f;
	u32 i;

	for (i = 0; i < BASES; i++) {
		snprintf(name, sizeof(name), "%s/%u", getenv("FUZZ_DB") ?: ".", i);
		f = fopen(name, "r");
		if (!f)
			break;
		bases[i].bytes = must_alloc(1 << 20);
		bases[i].size = fread(bases[i].bytes, 1, 1 << 20, f);
		fclose(f);
	}
	assert(i);
	snprintf(path, sizeof(path), "/dev/shm/gpuscope-fuzz-%d", (int)getpid());
	return 0;
}

/* Changes at data[1..]: three bytes of place, one of value. */
static void change(u8 *bytes, size_t size, const u8 *data, size_t n)
{
	size_t at;

	for (; n >= 4; data += 4, n -= 4) {
		at = (data[0] | data[1] << 8 | data[2] << 16) % size;
		bytes[at] = data[3];
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static u8 copy[1 << 20];
	struct import im = {};
	size_t length;
	int fd;
	u32 i;

	for (i = size ? data[0] % BASES : 0; !bases[i].size; i--)
		;
	length = bases[i].size;
	memcpy(copy, bases[i].bytes, length);
	if (size > 1)
		change(copy, length, data + 1, size - 1);
	fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	assert(fd >= 0 && write(fd, copy, length) == (ssize_t)length);
	close(fd);
	import_nsys.probe(path, copy, length);
	import_rocpd.probe(path, copy, length);
	import_nsys.read(&im, path);
	import_rocpd.read(&im, path);
	unlink(path);
	return 0;
}
