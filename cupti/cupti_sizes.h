/* How long CUPTI's records are in each version; cupti_abi.h says what is in them. */
#ifndef CUPTI_SIZES_H
#define CUPTI_SIZES_H

#include "cupti_abi.h"

/*
 * Bytes of a record by the version that cuptiGetVersion() tells (18: 11.8, 22:
 * 12.4, six digits MMmmpp later); of the rows that are not newer the last
 * holds. Only for buffers that cuptiActivityGetNextRecord() cannot walk; the
 * distance it shows is exact for every version.
 */
struct cupti_size { uint16_t kind, size; uint32_t since; };

#define CUPTI_SIZES \
	{ CUPTI_KIND_CONCURRENT_KERNEL, 200, 18 }, { CUPTI_KIND_CONCURRENT_KERNEL, 208, 22 }, \
	{ CUPTI_KIND_CONCURRENT_KERNEL, 216, 130000 }, \
	{ CUPTI_KIND_KERNEL, 200, 18 }, { CUPTI_KIND_KERNEL, 208, 22 }, \
	{ CUPTI_KIND_KERNEL, 216, 130000 }, \
	{ CUPTI_KIND_MEMCPY, 88, 18 }, { CUPTI_KIND_MEMCPY, 96, 130000 }, \
	{ CUPTI_KIND_MEMCPY2, 96, 18 }, { CUPTI_KIND_MEMSET, 88, 18 }, \
	{ CUPTI_KIND_DRIVER, 40, 18 }, { CUPTI_KIND_RUNTIME, 40, 18 }, \
	{ CUPTI_KIND_SYNCHRONIZATION, 40, 18 }, { CUPTI_KIND_SYNCHRONIZATION, 56, 130000 }, \
	{ CUPTI_KIND_OVERHEAD, 40, 18 }, { CUPTI_KIND_OVERHEAD, 56, 22 }, \
	{ CUPTI_KIND_GRAPH_TRACE, 48, 18 }, { CUPTI_KIND_GRAPH_TRACE, 56, 22 }, \
	{ CUPTI_KIND_EXTERNAL_CORRELATION, 24, 18 }, { CUPTI_KIND_STREAM, 24, 18 }, \
	{ CUPTI_KIND_CONTEXT, 16, 18 }, { CUPTI_KIND_CONTEXT, 24, 22 }, \
	{ CUPTI_KIND_CONTEXT, 32, 130000 }, \
	{ CUPTI_KIND_DEVICE, 176, 18 }, { CUPTI_KIND_DEVICE, 184, 22 }

/* 0: no record of this kind is known here. */
static inline size_t cupti_record_size(uint32_t kind, uint32_t version)
{
	static const struct cupti_size sizes[] = { CUPTI_SIZES };
	size_t i, size = 0;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i].kind == kind && (!size || sizes[i].since <= version))
			size = sizes[i].size;
	return size;
}

#endif
