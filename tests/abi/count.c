// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A second opinion on the simulated CUPTI: a library that CUDA_INJECTION64_PATH
 * loads into a test program and that appends to $COUNT_OUT, when the program
 * leaves, the same keys as the program prints behind "expect".
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cupti_abi.h"

#define NAMES 4096
#define DECLARE(need, field, symbol, arguments) int symbol arguments;
CUPTI_FUNCTIONS(DECLARE)

struct tally { const char *what; char *name; unsigned long count; };
static struct tally tallies[NAMES];
static int tally_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread unsigned int depth;

static void count(const char *what, const char *name, unsigned long n)
{
	int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < tally_count; i++)
		if (!strcmp(tallies[i].what, what) && !strcmp(tallies[i].name, name))
			break;
	if (i == tally_count && i < NAMES)
		tallies[tally_count++] = (struct tally){ what, strdup(name), 0 };
	tallies[i].count += n;
	pthread_mutex_unlock(&lock);
}

static void on_call(void *user, int domain, uint32_t cbid, const void *data)
{
	const struct cupti_callback_data *d = data;

	if (d->site == CUPTI_EXIT) {
		depth--;
		return;
	}
	if (depth++ == 0)
		count("api:", d->function, 1);
}

static void on_record(const void *record)
{
	static const char *const directions[] = { "?", "HtoD", "DtoH" };
	const struct cupti_kernel *k = record;
	const struct cupti_memcpy *m = record;

	switch (k->kind) {
	case CUPTI_KIND_CONCURRENT_KERNEL:
		count("kernels", "", 1);
		count("kernel:", k->name, 1);
		break;
	case CUPTI_KIND_MEMCPY:
		count("copies", "", 1);
		count("bytes_", m->copy_kind < 3 ? directions[m->copy_kind] :
		      m->copy_kind == CUPTI_MEMCPY_DTOD ? "DtoD" : "?", m->bytes);
		break;
	case CUPTI_KIND_MEMSET:
		count("sets", "", 1);
		break;
	}
}

static void request(uint8_t **buffer, size_t *size, size_t *max_records)
{
	*size = 1 << 20;
	*max_records = 0;
	*buffer = malloc(*size);
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	void *record = NULL;

	while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_E_OK)
		on_record(record);
	free(buffer);
}

static void leave(void)
{
	FILE *out = fopen(getenv("COUNT_OUT"), "a");
	int i;

	cuptiActivityFlushAll(0);
	for (i = 0; out && i < tally_count; i++)
		fprintf(out, "%s%s %lu\n", tallies[i].what, tallies[i].name, tallies[i].count);
	if (out)
		fclose(out);
}

int InitializeInjection(void)
{
	void *subscriber;
	int err = cuptiSubscribe(&subscriber, on_call, NULL);

	err = err ?: cuptiEnableDomain(1, subscriber, CUPTI_DOMAIN_DRIVER_API);
	err = err ?: cuptiEnableDomain(1, subscriber, CUPTI_DOMAIN_RUNTIME_API);
	err = err ?: cuptiActivityRegisterCallbacks(request, complete);
	err = err ?: cuptiActivityEnable(CUPTI_KIND_CONCURRENT_KERNEL);
	err = err ?: cuptiActivityEnable(CUPTI_KIND_MEMCPY);
	err = err ?: cuptiActivityEnable(CUPTI_KIND_MEMSET);
	if (!err)
		atexit(leave);
	return !err;
}
