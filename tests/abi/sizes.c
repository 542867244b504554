// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Compares cupti_record_size() with the records of each CUPTI, which the 13.0 headers have. */
#include <cuda.h>
#include <cupti.h>
#include <stdio.h>
#include "cupti_sizes.h"

static int wrong;

static void check(const char *what, uint32_t kind, uint32_t version, size_t size)
{
	if (cupti_record_size(kind, version) == size)
		return;
	printf("%s, CUPTI %u: %zu here, %zu there\n", what, version,
	       cupti_record_size(kind, version), size);
	wrong++;
}

#define SIZES(kind, t11_8, t12_4, t13_0) \
	check(#kind, CUPTI_KIND_##kind, 18, sizeof(CUpti_Activity##t11_8)); \
	check(#kind, CUPTI_KIND_##kind, 22, sizeof(CUpti_Activity##t12_4)); \
	check(#kind, CUPTI_KIND_##kind, 130001, sizeof(CUpti_Activity##t13_0)); \
	check(#kind, CUPTI_KIND_##kind, 130303, sizeof(CUpti_Activity##t13_0))

int main(void)
{
	SIZES(CONCURRENT_KERNEL, Kernel8, Kernel9, Kernel10);
	SIZES(KERNEL, Kernel8, Kernel9, Kernel10);
	SIZES(MEMCPY, Memcpy5, Memcpy5, Memcpy6);
	SIZES(MEMCPY2, MemcpyPtoP4, MemcpyPtoP4, MemcpyPtoP4);
	SIZES(MEMSET, Memset4, Memset4, Memset4);
	SIZES(DRIVER, API, API, API);
	SIZES(RUNTIME, API, API, API);
	SIZES(SYNCHRONIZATION, Synchronization, Synchronization, Synchronization2);
	SIZES(OVERHEAD, Overhead, Overhead3, Overhead3);
	SIZES(GRAPH_TRACE, GraphTrace, GraphTrace2, GraphTrace2);
	SIZES(EXTERNAL_CORRELATION, ExternalCorrelation, ExternalCorrelation,
	      ExternalCorrelation);
	SIZES(STREAM, Stream, Stream, Stream);
	SIZES(CONTEXT, Context, Context2, Context3);
	SIZES(DEVICE, Device4, Device5, Device5);
	return wrong ? 1 : 0;
}
