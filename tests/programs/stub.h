/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernels on the runtime API, registered and launched as the code that nvcc generates does it:
 * a constructor registers a fat binary (here one PTX text) and each kernel's host stub.
 */
#ifndef STUB_H
#define STUB_H

#ifdef __CUDACC__		/* the same program built by nvcc */
#include "stub_nvcc.h"
#else

#include "common.h"
#include "cudart_abi.h"

struct stub {
	struct site site;		/* its name is the mangled one */
	const void *host;		/* address the program launches by */
	cudaKernel_t handle;
};

/* A fat binary of one PTX image; the device compiles it when it is loaded. */
static struct {
	struct fatbin_header header;
	struct fatbin_entry entry;
	char text[];
} *fatbin;
static struct fatbin_wrapper fatbin_wrapper
	__attribute__((section(".nvFatBinSegment"), aligned(8))) = { FATBIN_WRAPPER_MAGIC, 1 };
static void **fatbin_handle;

static void stubs_unregister(void)
{
	__cudaUnregisterFatBinary(fatbin_handle);
}

static inline void fatbin_build(struct stub *const *stubs, size_t count)
{
	size_t size = sizeof(PTX_HEAD), at;

	for (size_t i = 0; i < count; i++)
		size += strlen(stubs[i]->site.name) + sizeof(PTX_KERNEL(""));
	size = (size + 7) & ~(size_t)7;
	fatbin = calloc(1, sizeof(*fatbin) + size);
	if (!fatbin)
		abort();
	fatbin->header = (struct fatbin_header){
		.magic = FATBIN_MAGIC, .version = 1, .header_bytes = sizeof(fatbin->header),
		.bytes = sizeof(fatbin->entry) + size,
	};
	fatbin->entry = (struct fatbin_entry){
		.kind = FATBIN_PTX, .version = 0x101, .header_bytes = sizeof(fatbin->entry),
		.bytes = size, .major = 6, .arch = 50,
		.flags = FATBIN_64BIT | FATBIN_HOST_LINUX,
	};
	at = sprintf(fatbin->text, "%s", PTX_HEAD);
	for (size_t i = 0; i < count; i++)
		at += sprintf(fatbin->text + at, ".visible .entry %s(.param .u64 out, "
			      ".param .u32 n)\n%s", stubs[i]->site.name, PTX_BODY);
}

static inline void stubs_register(struct stub *const *stubs, size_t count)
{
	fatbin_build(stubs, count);
	fatbin_wrapper.data = fatbin;
	fatbin_handle = __cudaRegisterFatBinary(&fatbin_wrapper);
	for (size_t i = 0; i < count; i++)
		__cudaRegisterFunction(fatbin_handle, stubs[i]->host,
				       (char *)stubs[i]->site.name, stubs[i]->site.name, -1,
				       NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(fatbin_handle);
	atexit(stubs_unregister);
}

/* The second half of <<<>>>: what a stub does with its arguments. */
static inline void stub_launch(struct stub *s, void **args)
{
	static struct site site = { "cudaLaunchKernel" };
	dim3 grid, block;
	size_t shared_bytes;
	cudaStream_t stream;
	int error;

	if (!s->handle && __cudaGetKernel(&s->handle, s->host))
		fail_call(s->site.name, cudaErrorInvalidDeviceFunction);
	__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream);
	error = __cudaLaunchKernel(s->handle, grid, block, args, shared_bytes, stream);
	if (error)
		fail_call("cudaLaunchKernel", error);
	site_count(&call_sites, &site);
	site_count(&kernel_sites, &s->site);
}

/* KERNEL(name, "mangled"): a host stub, void name(float *out, unsigned n) */
#define KERNEL(name, mangled)						\
	static void name(float *out, unsigned int n);			\
	static struct stub name##_stub = { { mangled }, (void *)name };	\
	static noinline void name(float *out, unsigned int n)		\
	{								\
		void *args[] = { &out, &n };				\
									\
		stub_launch(&name##_stub, args);			\
	}

/* KERNELS(&a_stub, &b_stub): registers them before main. */
#define KERNELS(...)							\
	static __attribute__((constructor)) void kernels_register(void)	\
	{								\
		struct stub *const stubs[] = { __VA_ARGS__ };		\
									\
		stubs_register(stubs, sizeof(stubs) / sizeof(*stubs));	\
	}

/* name<<<blocks, 256, 0, stream>>>(out, n) */
#define LAUNCH(name, blocks, stream, out, n)						       \
	do {										       \
		if (!__cudaPushCallConfiguration((dim3){ blocks, 1, 1 }, (dim3){ 256, 1, 1 },  \
						 0, stream))				       \
			name(out, n);							       \
	} while (0)

/* What a kernel is called by, other than by LAUNCH. */
#define FUNCTION(name) ((void *)name)

static inline void say_device(void)
{
	struct cudaDeviceProp p;

	CHECK(cudaGetDeviceProperties, &p, 0);
	printf("%s: runs on %s\n", program_invocation_short_name, p.name);
	fflush(stdout);
}

#endif	/* __CUDACC__ */
#endif
