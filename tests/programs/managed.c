// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * managed: unified memory that goes one way, both ways, and to and fro; each allocation is made
 * by a function of its own, so that a recording can name them. A kernel touches n bytes of it.
 */
#include "stub.h"

#define MIB (1u << 20)

KERNEL(read_pages, "_Z10read_pagesPfj")
KERNEL(write_pages, "_Z11write_pagesPfj")
KERNELS(&read_pages_stub, &write_pages_stub)

static unsigned long allocations, frees;

static void allocated(const char *by, const void *p, size_t bytes)
{
	allocations++;
	printf("truth alloc %s 0x%lx %zu\n", by, (unsigned long)p, bytes);
}

#define MAKER(name, bytes)							\
	static noinline float *name(void)					\
	{									\
		float *p;							\
										\
		CALL(cudaMallocManaged, (void **)&p, bytes, 1);			\
		allocated(#name, p, bytes);					\
		return p;							\
	}
MAKER(make_input, 8 * MIB)
MAKER(make_output, 2 * MIB)
MAKER(make_shared, 1 * MIB)
MAKER(make_asked, 4 * MIB)

static noinline float *make_by_driver(void)
{
	CUdeviceptr p;

	CALL(cuMemAllocManaged, &p, 2 * MIB, 1);
	allocated("make_by_driver", (void *)p, 2 * MIB);
	return (float *)p;
}

static void give_back(float *p)
{
	CALL(cudaFree, p);
	frees++;
}

static void cpu_write(float *p, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(*p); i += 4096 / sizeof(*p))
		p[i] = i;
}

static float cpu_read(const float *p, size_t bytes)
{
	float sum = 0;

	for (size_t i = 0; i < bytes / sizeof(*p); i += 4096 / sizeof(*p))
		sum += p[i];
	return sum;
}

/* The GPU fetches what the CPU wrote, and the CPU what the GPU wrote. */
static noinline float one_way_each(void)
{
	float *in = make_input(), *out = make_output(), sum;

	cpu_write(in, 8 * MIB);
	LAUNCH(read_pages, 4, 0, in, 8 * MIB);
	LAUNCH(write_pages, 4, 0, out, 2 * MIB);
	CALL(cudaDeviceSynchronize);
	sum = cpu_read(out, 2 * MIB);
	give_back(in);
	give_back(out);
	return sum;
}

static noinline void to_and_fro(unsigned int rounds)
{
	float *p = make_shared();

	while (rounds--) {
		cpu_write(p, MIB);
		LAUNCH(write_pages, 4, 0, p, MIB);
		CALL(cudaDeviceSynchronize);
	}
	give_back(p);
}

static noinline void by_request(void)
{
	struct cudaMemLocation gpu = { 1 /* a device */, 0 };
	float *p = make_asked();

	cpu_write(p, 4 * MIB);
	CALL(cudaMemPrefetchAsync, p, 4 * MIB, gpu, 0, 0);
	LAUNCH(read_pages, 4, 0, p, 4 * MIB);
	CALL(cudaDeviceSynchronize);
	give_back(p);
}

/* By the driver's API, never given back; a refused one is none; other memory is none of it. */
static noinline void others(void)
{
	static struct site refused = { "cudaMallocManaged" };
	float *p = make_by_driver(), *q;

	LAUNCH(write_pages, 4, 0, p, 2 * MIB);
	CALL(cudaDeviceSynchronize);
	if (!cudaMallocManaged((void **)&q, 0, 1))
		fail_call("cudaMallocManaged of nothing", 0);
	site_count(&call_sites, &refused);
	CALL(cudaMalloc, (void **)&q, MIB);
	CALL(cudaFree, q);
}

int main(int argc, char **argv)
{
	float sum;

	say_device();
	sum = one_way_each();
	to_and_fro(argument(argc, argv, 1, 8));
	by_request();
	others();
	printf("truth sum %g\ntruth allocations %lu\ntruth frees %lu\n", sum, allocations,
	       frees);
	expect_all();
	return 0;
}
