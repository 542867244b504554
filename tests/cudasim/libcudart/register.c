// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What nvcc's generated code registers before main: fat binaries, kernels, variables. Images
 * are loaded and kernels found when they are first used, as lazy loading does.
 */
#include <pthread.h>
#include <stdlib.h>

#include "runtime.h"

struct fatbin {
	void *handle;		/* first, so that a fatbin is the void ** nvcc's code keeps */
	CUlibrary library;
	void *wrapper;
};

struct variable {
	const void *host;
	const char *name;
	size_t bytes;
	struct fatbin *fatbin;
	CUdeviceptr ptr;
};

/* Open addressing by the host address; entries are never removed. */
struct table {
	void **slots;		/* struct kernel or variable: both begin with host */
	size_t count, size;
};

static struct table kernels, variables;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t hash(const void *host, size_t size)
{
	return ((uintptr_t)host * 0x9e3779b97f4a7c15ull >> 20) & (size - 1);
}

static void **slot_of(const struct table *t, const void *host)
{
	size_t i = hash(host, t->size);

	while (t->slots[i] && *(const void **)t->slots[i] != host)
		i = (i + 1) & (t->size - 1);
	return &t->slots[i];
}

static bool table_grow(struct table *t)
{
	struct table bigger = { .size = t->size ? 2 * t->size : 64, .count = t->count };

	bigger.slots = calloc(bigger.size, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < t->size; i++)
		if (t->slots[i])
			*slot_of(&bigger, *(const void **)t->slots[i]) = t->slots[i];
	free(t->slots);
	*t = bigger;
	return true;
}

static void table_add(struct table *t, void *entry)
{
	pthread_mutex_lock(&lock);
	if (2 * t->count < t->size || table_grow(t)) {
		void **slot = slot_of(t, *(const void **)entry);

		t->count += !*slot;
		*slot = entry;
	}
	pthread_mutex_unlock(&lock);
}

static void *table_find(const struct table *t, const void *host)
{
	void *found;

	pthread_mutex_lock(&lock);
	found = t->size ? *slot_of(t, host) : NULL;
	pthread_mutex_unlock(&lock);
	return found;
}

struct kernel *kernel_of(const void *host)
{
	return table_find(&kernels, host);
}

/* Programs may pass a cudaKernel_t where a host function is expected. */
struct kernel *kernel_of_handle(const void *handle)
{
	const struct kernel *k = handle;

	return k && kernel_of(k->host) == k ? (struct kernel *)k : NULL;
}

const char *kernel_name(const struct kernel *k)
{
	return k ? k->name : NULL;
}

static cudaError_t library_load(struct fatbin *f, CUlibrary *library)
{
	CUresult r = CUDA_SUCCESS;

	pthread_mutex_lock(&lock);
	if (!f->library)
		r = cuLibraryLoadData(&f->library, f->wrapper, NULL, NULL, 0, NULL, NULL, 0);
	*library = f->library;
	pthread_mutex_unlock(&lock);
	return rt_error(r);
}

cudaError_t kernel_function(struct kernel *k, CUfunction *function)
{
	CUlibrary library;
	CUkernel found;
	cudaError_t r;

	if (!k)
		return cudaErrorInvalidDeviceFunction;
	if (!k->function) {
		r = library_load(k->fatbin, &library);
		if (r)
			return r;
		if (cuLibraryGetKernel(&found, library, k->name))
			return cudaErrorInvalidDeviceFunction;
		cuKernelGetFunction(&k->function, found);
	}
	*function = k->function;
	return cudaSuccess;
}

cudaError_t variable_address(const void *host, CUdeviceptr *ptr, size_t *bytes)
{
	struct variable *v = table_find(&variables, host);
	CUlibrary library;
	CUmodule module;
	cudaError_t r;

	if (!v)
		return cudaErrorInvalidSymbol;
	if (!v->ptr) {
		r = library_load(v->fatbin, &library);
		if (r)
			return r;
		cuLibraryGetModule(&module, library);
		r = rt_error(cuModuleGetGlobal_v2(&v->ptr, NULL, module, v->name));
		if (r)
			return r;
	}
	*ptr = v->ptr;
	if (bytes)
		*bytes = v->bytes;
	return cudaSuccess;
}

void **__cudaRegisterFatBinary(void *wrapper)
{
	struct fatbin *f = calloc(1, sizeof(*f));

	if (!f)
		abort();	/* before main there is nobody to tell */
	f->wrapper = wrapper;
	return &f->handle;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
}

/* Runs at exit, after the driver has stopped: what is registered goes with the process. */
void __cudaUnregisterFatBinary(void **handle)
{
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
			    int thread_limit, void *tid, void *bid, void *block, void *grid,
			    int *warp_size)
{
	struct kernel *k = calloc(1, sizeof(*k));

	if (!k)
		abort();
	*k = (struct kernel){ .host = host, .name = name, .fatbin = (struct fatbin *)handle };
	table_add(&kernels, k);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
		       size_t bytes, int constant, int global)
{
	struct variable *v = calloc(1, sizeof(*v));

	if (!v)
		abort();
	*v = (struct variable){
		.host = host, .name = name, .bytes = bytes, .fatbin = (struct fatbin *)handle,
	};
	table_add(&variables, v);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
			      int ext, size_t bytes, int constant, int global)
{
	*host = calloc(1, bytes);
}

void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes)
{
}

void *__cudaRegisterUnifiedTable(void *table)
{
	return table;
}

char __cudaInitModule(void **handle)
{
	return 1;
}
