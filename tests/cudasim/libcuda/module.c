// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Modules and libraries. A kernel handle is the function handle: both name a CUfunc_st, which
 * is made when it is first asked for and lives as long as the process (records name it).
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine.h"

#define MODULE_MAGIC 0x4d4f4431
#define FUNCTION_MAGIC 0x46554e31

struct global {
	struct global *next;
	char *name;
	CUdeviceptr ptr;
	size_t bytes;
};

struct CUmod_st {			/* a CUlibrary is one too */
	uint32_t magic, id;
	CUcontext ctx;
	struct image image;
	struct CUfunc_st *functions;
	struct global *globals;
};

static uint32_t module_ids;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define module_valid(m) ((m) && (m)->magic == MODULE_MAGIC)

CUfunction function_of(CUfunction f)
{
	return f && f->magic == FUNCTION_MAGIC ? f : NULL;
}

const char *function_name(CUfunction f)
{
	return function_of(f) ? f->name : NULL;
}

static void module_report(CUmodule m, enum sim_resource what)
{
	struct sim_resource_data data = {
		.context = m->ctx, .context_id = m->ctx ? m->ctx->id : 0, .object = m,
		.object_id = m->id,
	};

	resource_report(what, &data);
}

static CUresult load(CUmodule *out, const void *data)
{
	CUmodule m;

	if (!out || !data)
		return CUDA_ERROR_INVALID_VALUE;
	m = calloc(1, sizeof(*m));
	if (!m)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (image_parse(data, &m->image)) {
		free(m);
		return CUDA_ERROR_INVALID_IMAGE;
	}
	m->magic = MODULE_MAGIC;
	m->ctx = current;
	m->id = __atomic_add_fetch(&module_ids, 1, __ATOMIC_RELAXED);
	*out = m;
	module_report(m, SIM_MODULE_LOADED);
	return CUDA_SUCCESS;
}

static CUresult load_file(CUmodule *out, const char *path)
{
	struct stat st;
	CUresult r = CUDA_ERROR_FILE_NOT_FOUND;
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	char *text;

	if (fd < 0 || fstat(fd, &st)) {
		if (fd >= 0)
			close(fd);
		return r;
	}
	text = calloc(1, st.st_size + 1);
	if (text && read(fd, text, st.st_size) == st.st_size)
		r = load(out, text);
	free(text);
	close(fd);
	return r;
}

/* The functions stay: records and programs may still name them. */
static CUresult unload(CUmodule m)
{
	if (!module_valid(m))
		return CUDA_ERROR_INVALID_HANDLE;
	wait_context(NULL);
	module_report(m, SIM_MODULE_UNLOAD);
	m->magic = 0;
	return CUDA_SUCCESS;
}

static bool image_has(const struct image *image, const char *name)
{
	for (size_t i = 0; i < image->count; i++)
		if (!strcmp(image->names[i], name))
			return true;
	return image->opaque;
}

static CUfunction function_new(CUmodule m, const char *name)
{
	CUfunction f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->magic = FUNCTION_MAGIC;
	f->name = strdup(name);
	f->module = m;
	f->next = m->functions;
	if (!f->name) {
		free(f);
		return NULL;
	}
	model_apply(f);
	m->functions = f;
	return f;
}

static CUresult function_get(CUfunction *out, CUmodule m, const char *name)
{
	CUfunction f;

	if (!module_valid(m))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!out || !name)
		return CUDA_ERROR_INVALID_VALUE;
	if (!image_has(&m->image, name))
		return CUDA_ERROR_NOT_FOUND;
	pthread_mutex_lock(&lock);
	for (f = m->functions; f && strcmp(f->name, name); f = f->next)
		;
	*out = f ? f : function_new(m, name);
	pthread_mutex_unlock(&lock);
	return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Images are not searched for variables: each name gets memory of its own, 64 KiB. */
static CUresult global_get(CUdeviceptr *ptr, size_t *bytes, CUmodule m, const char *name)
{
	struct global *g;
	CUresult r = CUDA_SUCCESS;

	if (!module_valid(m) || !name)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	for (g = m->globals; g && strcmp(g->name, name); g = g->next)
		;
	if (!g && (g = calloc(1, sizeof(*g)))) {
		g->name = strdup(name);
		g->bytes = 65536;
		r = memory_global(&g->ptr, g->bytes);
		g->next = m->globals;
		m->globals = g;
	}
	pthread_mutex_unlock(&lock);
	if (!g || r)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (ptr)
		*ptr = g->ptr;
	if (bytes)
		*bytes = g->bytes;
	return CUDA_SUCCESS;
}

#define GIVE(ptr, value) ((ptr) ? (*(ptr) = (value), CUDA_SUCCESS) : CUDA_ERROR_INVALID_VALUE)
#define OF_FUNCTION(f, expr) (function_of(f) ? (expr) : CUDA_ERROR_INVALID_HANDLE)

static CUresult attribute_get(int *value, CUfunction_attribute attribute, CUfunction f)
{
	switch (attribute) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		return GIVE(value, 1024);
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
		return GIVE(value, f->static_shared);
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
		return GIVE(value, f->local_bytes);
	case CU_FUNC_ATTRIBUTE_NUM_REGS:
		return GIVE(value, f->registers);
	case CU_FUNC_ATTRIBUTE_PTX_VERSION:
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
		return GIVE(value, 90);
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		return GIVE(value, f->dynamic_max);
	default:
		return GIVE(value, 0);
	}
}

static CUresult attribute_set(CUfunction f, CUfunction_attribute attribute, int value)
{
	if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
		f->dynamic_max = value;
	return CUDA_SUCCESS;
}

static CUresult occupancy(int *blocks, CUfunction f, int block_size, size_t shared_bytes)
{
	int by_threads, by_shared;

	if (block_size <= 0 || !blocks)
		return CUDA_ERROR_INVALID_VALUE;
	by_threads = 2048 / block_size;
	shared_bytes += f->static_shared;
	by_shared = shared_bytes ? 233472 / shared_bytes : 32;
	*blocks = by_threads < by_shared ? by_threads : by_shared;
	if (*blocks > 32)
		*blocks = 32;
	return CUDA_SUCCESS;
}

CTX_API(cuModuleLoad, (CUmodule *module, const char *path), (module, path),
	load_file(module, path))
CTX_API(cuModuleLoadData, (CUmodule *module, const void *image), (module, image),
	load(module, image))
CTX_API(cuModuleLoadDataEx,
	(CUmodule *module, const void *image, unsigned int count, int *options, void **values),
	(module, image, count, options, values), load(module, image))
CTX_API(cuModuleLoadFatBinary, (CUmodule *module, const void *image), (module, image),
	load(module, image))
CTX_API(cuModuleUnload, (CUmodule module), (module), unload(module))
CTX_API(cuModuleGetFunction, (CUfunction *function, CUmodule module, const char *name),
	(function, module, name), function_get(function, module, name))
CTX_API(cuModuleGetGlobal_v2,
	(CUdeviceptr *ptr, size_t *bytes, CUmodule module, const char *name),
	(ptr, bytes, module, name), global_get(ptr, bytes, module, name))
API(cuModuleGetLoadingMode, (CUmoduleLoadingMode *mode), (mode),
    GIVE(mode, CU_MODULE_LAZY_LOADING))
CTX_API(cuModuleGetFunctionCount, (unsigned int *count, CUmodule module), (count, module),
	module_valid(module) ? GIVE(count, module->image.count) : CUDA_ERROR_INVALID_HANDLE)
API(cuLibraryLoadData,
    (CUlibrary *library, const void *code, int *jit_options, void **jit_values,
     unsigned int jit_count, int *options, void **values, unsigned int count),
    (library, code, jit_options, jit_values, jit_count, options, values, count),
    load((CUmodule *)library, code))
API(cuLibraryGetKernel, (CUkernel *kernel, CUlibrary library, const char *name),
    (kernel, library, name), function_get((CUfunction *)kernel, (CUmodule)library, name))
API(cuLibraryGetModule, (CUmodule *module, CUlibrary library), (module, library),
    GIVE(module, (CUmodule)library))
API(cuLibraryUnload, (CUlibrary library), (library), unload((CUmodule)library))
API(cuKernelGetFunction, (CUfunction *function, CUkernel kernel), (function, kernel),
    OF_FUNCTION((CUfunction)kernel, GIVE(function, (CUfunction)kernel)))
API(cuKernelGetName, (const char **name, CUkernel kernel), (name, kernel),
    OF_FUNCTION((CUfunction)kernel, GIVE(name, function_name((CUfunction)kernel))))
API(cuFuncGetName, (const char **name, CUfunction function), (name, function),
    OF_FUNCTION(function, GIVE(name, function->name)))
API(cuFuncGetModule, (CUmodule *module, CUfunction function), (module, function),
    OF_FUNCTION(function, GIVE(module, function->module)))
API(cuFuncGetAttribute, (int *value, CUfunction_attribute attribute, CUfunction function),
    (value, attribute, function),
    OF_FUNCTION(function, attribute_get(value, attribute, function)))
API(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value),
    (function, attribute, value),
    OF_FUNCTION(function, attribute_set(function, attribute, value)))
API(cuFuncSetCacheConfig, (CUfunction function, int config), (function, config),
    OF_FUNCTION(function, CUDA_SUCCESS))
CTX_API(cuOccupancyMaxActiveBlocksPerMultiprocessor,
	(int *blocks, CUfunction function, int block_size, size_t shared_bytes),
	(blocks, function, block_size, shared_bytes),
	OF_FUNCTION(function, occupancy(blocks, function, block_size, shared_bytes)))
CTX_API(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
	(int *blocks, CUfunction function, int block_size, size_t shared_bytes,
	 unsigned int flags), (blocks, function, block_size, shared_bytes, flags),
	OF_FUNCTION(function, occupancy(blocks, function, block_size, shared_bytes)))
