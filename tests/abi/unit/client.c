// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A client of CUPTI that copies every record. argv[1]: the case, or "all" for their names. */
#include <dlfcn.h>
#include <pthread.h>
#include "unit.h"

size_t buffer_bytes = 65536, buffer_records;
_Atomic int requests, completions, record_count;
unsigned long request_thread, complete_thread;
void *records[RECORDS];
uint32_t sizes[RECORDS];
int (*walk)(uint8_t *buffer, size_t valid, void **record) = cuptiActivityGetNextRecord;

static void request(uint8_t **buffer, size_t *size, size_t *max_records)
{
	requests++;
	request_thread = pthread_self();
	*size = buffer_bytes;
	*max_records = buffer_records;
	*buffer = buffer_bytes ? malloc(buffer_bytes) : NULL;
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	void *record = NULL, *before = NULL;
	uint32_t bytes;

	completions++;
	complete_thread = pthread_self();
	CHECK(valid <= size);
	while (walk(buffer, valid, &record) == CUPTI_E_OK) {
		if (before)
			sizes[record_count - 1] = (uint8_t *)record - (uint8_t *)before;
		bytes = buffer + valid - (uint8_t *)record;
		CHECK(record_count < RECORDS);
		sizes[record_count] = bytes;	/* of the last one: the rest */
		records[record_count] = calloc(1, 4096);
		memcpy(records[record_count++], record, bytes < 4096 ? bytes : 4096);
		before = record;
	}
	IS(walk(buffer, valid, &record), CUPTI_E_MAX_LIMIT_REACHED);
	free(buffer);
}

void client_start(void)
{
	IS(cuptiActivityRegisterCallbacks(request, complete), 0);
}

int count(uint32_t kind)
{
	int i, n = 0;

	for (i = 0; i < record_count; i++)
		n += *(uint32_t *)records[i] == kind;
	return n;
}

void *nth(uint32_t kind, int n)
{
	int i;

	for (i = 0; i < record_count; i++)
		if (*(uint32_t *)records[i] == kind && n-- == 0)
			return records[i];
	return NULL;
}

void forget(void)
{
	while (record_count > 0)
		free(records[--record_count]);
}

/* Walks with the real library's cuptiActivityGetNextRecord(), which needs no device. */
static void walk_with(const char *library)
{
	void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);

	CHECK(lib);
	walk = dlsym(lib, "cuptiActivityGetNextRecord");
	CHECK(walk && walk != cuptiActivityGetNextRecord);
}

static int run(const struct test *tests, const char *name)
{
	int found = 0;

	for (; tests->name; tests++) {
		if (!strcmp(name, "all"))
			printf("%s\n", tests->name);
		if (strcmp(name, tests->name))
			continue;
		tests->run();
		found = 1;
	}
	return found;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "all";
	int found;

	if (argc > 2)
		walk_with(argv[2]);
	found = run(record_tests, name) + run(callback_tests, name) +
		run(fault_tests, name);
	return found || !strcmp(name, "all") ? 0 : 2;
}
