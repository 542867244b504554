// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names: of errors, and of entry points (cuGetProcAddress). */
#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "engine.h"

static const struct error_name {
	int number;
	const char *name;
} errors[] = {
#define ERROR_ROW(name, number) { number, "CUDA_ERROR_" #name },
	{ 0, "CUDA_SUCCESS" },
	CUDA_ERRORS(ERROR_ROW)
};

#define ERROR_COUNT (sizeof(errors) / sizeof(*errors))

static int error_find(CUresult error)
{
	for (size_t i = 0; i < ERROR_COUNT; i++)
		if (errors[i].number == (int)error)
			return i;
	return -1;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
	int i = error_find(error);

	if (!name)
		return CUDA_ERROR_INVALID_VALUE;
	*name = i < 0 ? NULL : errors[i].name;
	return i < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* The text is the name in plain words: "out of memory". */
CUresult cuGetErrorString(CUresult error, const char **text)
{
	static char texts[ERROR_COUNT][48];
	int i = error_find(error), j;
	const char *name;

	if (!text)
		return CUDA_ERROR_INVALID_VALUE;
	*text = NULL;
	if (i < 0)
		return CUDA_ERROR_INVALID_VALUE;
	name = i ? errors[i].name + strlen("CUDA_ERROR_") : "no error";
	for (j = 0; name[j] && j < 47; j++)
		texts[i][j] = name[j] == '_' ? ' ' : tolower(name[j]);
	*text = texts[i];
	return CUDA_SUCCESS;
}

/* The newest version of the entry point, of the wanted default stream where there are two. */
static void *entry_find(const char *symbol, bool per_thread)
{
	static const char *const versions[] = { "_v4", "_v3", "_v2", "" };
	static const char *const twins[] = { "_ptsz", "_ptds", "" };
	char name[128];
	Dl_info self;
	void *handle, *found = NULL;

	if (!dladdr(&errors, &self))
		return NULL;
	handle = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
	if (!handle)
		return NULL;
	for (int v = 0; v < 4 && !found; v++)
		for (int t = per_thread ? 0 : 2; t < 3 && !found; t++) {
			snprintf(name, sizeof(name), "%s%s%s", symbol, versions[v], twins[t]);
			found = dlsym(handle, name);
		}
	dlclose(handle);
	return found;
}

static CUresult proc_address(const char *symbol, void **function, uint64_t flags,
			     CUdriverProcAddressQueryResult *status)
{
	if (!symbol || !function || strncmp(symbol, "cu", 2))
		return CUDA_ERROR_INVALID_VALUE;
	*function = entry_find(symbol, flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
	if (status)
		*status = *function ? CU_GET_PROC_ADDRESS_SUCCESS
				    : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	return *function || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags)
{
	return proc_address(symbol, function, flags, NULL);
}

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags,
			     CUdriverProcAddressQueryResult *status)
{
	return proc_address(symbol, function, flags, status);
}

/* The private tables of the real driver are not part of the public ABI. */
CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
	return CUDA_ERROR_NOT_FOUND;
}
