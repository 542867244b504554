// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the injected library costs the program: its own code on a ring that is
 * read at once, with calls and CUPTI buffers made up here, so that neither CUPTI
 * nor the GPU is in the numbers. bench/inject [MILLIONS [api|kernel|both]]
 */
#include <stdio.h>
#include <stdlib.h>
#include "../../cupti/activity.c"
#include "../../cupti/callback.c"
#include "../../cupti/clock.c"
#include "../../cupti/devices.c"
#include "../../cupti/edges.c"
#define count managed_count	/* names.c has one, too */
#define known managed_known
#include "../../cupti/managed.c"
#undef count
#undef known
#include "../../cupti/names.c"
#include "../../cupti/ring.c"

#define KERNELS 1000	/* in a CUPTI buffer */

struct library library;
static u64 records;

void cupti_drops(void *context, u32 stream)
{
}

void *libcuda_symbol(const char *name)
{
	return NULL;
}

static int enable_nothing(uint32_t enable, void *subscriber, int domain, uint32_t cbid)
{
	return 0;
}

static int next_record(uint8_t *buffer, size_t valid, void **record)
{
	uint8_t *next = *record ? (uint8_t *)*record + sizeof(struct cupti_kernel) : buffer;

	if (next >= buffer + valid)
		return CUPTI_E_MAX_LIMIT_REACHED;
	*record = next;
	return 0;
}

static void library_make(void)
{
	struct ring_file f = { .slots = 3, .slot_bytes = 1 << 20 };

	library.slots = f.slots;
	library.slot_bytes = f.slot_bytes;
	library.producer = 1;
	library.ring = mmap(NULL, handover_slot_off(&f, f.slots), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	*library.ring = f;
	library.cupti.enable_callback = enable_nothing;
	library.cupti.next_record = next_record;
	library.cupti_up = true;
	library.open = true;
	if (ring_init() || activity_init())
		exit(1);
	api_callbacks(WANT_API | WANT_KERNEL);
}

static void rings_empty(void)
{
	u32 i;

	for (i = 0; i < library.slots; i++)
		writers[i].slot->tail = writers[i].head;
}

static void api_run(u64 n)
{
	uint64_t data = 0, i;
	s32 result = 0;
	struct cupti_callback_data d = { .function = "cudaLaunchKernel", .result = &result,
					 .data = &data };

	for (i = 0; i < n; i++) {
		d.correlation = i;
		d.site = CUPTI_ENTER;
		api_callback(NULL, CUPTI_DOMAIN_RUNTIME_API, 211, &d);
		d.site = CUPTI_EXIT;
		api_callback(NULL, CUPTI_DOMAIN_RUNTIME_API, 211, &d);
		if (i % 1000 == 0)
			rings_empty();
	}
}

static void kernel_run(u64 n)
{
	static const char name[] = "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEE"
				   "St5arrayIPcLm1EEEEviT0_T1_";
	uint8_t *buffer;
	size_t size, max, i;

	edges_reset(false);	/* no calls were made for these */
	for (; n >= KERNELS; n -= KERNELS) {
		activity_request(&buffer, &size, &max);
		for (i = 0; i < KERNELS; i++) {
			struct cupti_kernel *k = (void *)(buffer + i * sizeof(*k));

			k->kind = CUPTI_KIND_CONCURRENT_KERNEL;
			k->start = 1000 + i;
			k->end = 2000 + i;
			k->name = name;
			k->correlation = i;
		}
		activity_complete(NULL, 0, buffer, size, KERNELS * sizeof(struct cupti_kernel));
		rings_empty();
	}
}

static double clock_ns(void)	/* the peer of the same run: an API record needs two of them */
{
	u64 start = clock_now(), i;

	for (i = 0; i < 1000000; i++)
		clock_now();
	return (clock_now() - start) / 1e6;
}

static void measure(const char *what, void (*run)(u64), u64 n)
{
	double ns;
	u64 start;

	run(n / 20);
	start = clock_now();
	run(n);
	ns = (double)(clock_now() - start) / n;
	printf("%s_ns %.1f, %.1f x a read of the clock\n", what, ns, ns / clock_ns());
	records += n;
}

int main(int argc, char **argv)
{
	u64 n = (argc > 1 ? atof(argv[1]) : 1) * 1000000;
	const char *what = argc > 2 ? argv[2] : "both";
	u64 lost, i;

	library_make();
	if (strcmp(what, "kernel"))
		measure("api_record", api_run, n);
	if (strcmp(what, "api"))
		measure("kernel_record", kernel_run, n);
	for (lost = i = 0; i < library.slots; i++)
		lost += writers[i].slot->lost;
	printf("lost %llu\n", lost);
	return lost != 0;
}
