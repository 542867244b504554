// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A call's class by its name, for traces that have no CUPTI ids. The patterns
 * are those of cupti/api_table.sh, in its order: first match wins; a test
 * compares the two over every call that CUPTI knows.
 */
#include <stdbool.h>
#include <string.h>
#include "api_class.h"

struct rule {
	const char *words;	/* each ends with a space */
	enum { BEGINS, IS, ENDS, HOLDS } how;
	enum api_class class;
};

static const struct rule rules[] = {
	{ "GraphLaunch ", BEGINS, API_GRAPH_LAUNCH },
	{ "LaunchHostFunc ", BEGINS, API_STREAM },
	{ "Launch ModuleLaunch ", BEGINS, API_LAUNCH },
	{ "Graphics ", BEGINS, API_OTHER },
	{ "Cig ", ENDS, API_STREAM },
	{ "Graph UserObject ", BEGINS, API_GRAPH },
	{ "Capture Capturing ", HOLDS, API_GRAPH },
	{ "Memcpy ", BEGINS, API_COPY },
	{ "Prefetch Decompress ", HOLDS, API_COPY },
	{ "Memset ", BEGINS, API_SET },
	{ "Synchronize ", ENDS, API_SYNC },
	{ "Func Module Library Link Kernel GetKernel GetFuncBySymbol InitModule ", BEGINS,
	  API_MODULE },
	{ "RegisterFatBinary RegisterFunction RegisterVar RegisterHostVar RegisterManagedVar "
	  "RegisterUnifiedTable UnregisterFatBinary ", BEGINS, API_MODULE },
	{ "Malloc MemAlloc HostAlloc HostMalloc MemHostAlloc ", BEGINS, API_ALLOC },
	{ "HostRegister MemHostRegister ArrayCreate Array3DCreate MipmappedArrayCreate MemCreate "
	  "MemAddressReserve MemMap MemMapArrayAsync MemPoolCreate IpcOpenMemHandle ", IS,
	  API_ALLOC },
	{ "Free MemFree HostFree ", BEGINS, API_FREE },
	{ "HostUnregister MemHostUnregister ArrayDestroy MipmappedArrayDestroy IpcCloseMemHandle "
	  "MemRelease MemAddressFree MemUnmap MemPoolDestroy ", IS, API_FREE },
	{ "Event ", BEGINS, API_EVENT },
	{ "WaitEvent RecordEvent ", ENDS, API_EVENT },
	{ "Stream GreenCtxStream ", BEGINS, API_STREAM },
	{ "ExternalSemaphoresAsync ", ENDS, API_STREAM },
};

static bool begins(const char *s, size_t n, const char *word)
{
	size_t w = strlen(word);

	return n >= w && !memcmp(s, word, w);
}

/* Without prefix and version: "cudaMemcpyAsync_ptsz_v7000" is "MemcpyAsync". */
static const char *bare(const char *s, size_t *n)
{
	static const char *const prefixes[] = { "cuda", "cu64", "cu", "hipExt", "hip" };
	const char *at;
	size_t i;

	while (*n && *s == '_')
		s++, --*n;
	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (begins(s, *n, prefixes[i])) {
			s += strlen(prefixes[i]);
			*n -= strlen(prefixes[i]);
			break;
		}
	at = memchr(s, '_', *n);
	if (at && at + 1 < s + *n && (at[1] == 'v' || begins(at, s + *n - at, "_pt") ||
				      begins(at, s + *n - at, "_spt")))
		*n = at - s;
	return s;
}

static bool matches(const char *s, size_t n, const char *word, size_t w, int how)
{
	switch (how) {
	case IS: return n == w && !memcmp(s, word, w);
	case BEGINS: return n >= w && !memcmp(s, word, w);
	case ENDS: return n >= w && !memcmp(s + n - w, word, w);
	default: return memmem(s, n, word, w);
	}
}

enum api_class api_class(const char *name, size_t n)
{
	const char *s = bare(name, &n), *word, *end;
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		for (word = rules[i].words; (end = strchr(word, ' ')); word = end + 1)
			if (matches(s, n, word, end - word, rules[i].how))
				return rules[i].class;
	return API_OTHER;
}

u32 api_domain(const char *name, size_t n)
{
	while (n && *name == '_')
		name++, n--;
	if (begins(name, n, "cuda") || begins(name, n, "hip"))
		return API_RUNTIME;
	return begins(name, n, "cu") ? API_DRIVER : 0;
}
