/*
 * What a tool needs of NVTX 3's binary interface, declared by ourselves: numbers
 * and layouts. tests/inject.bats compares them with the real headers.
 */
#ifndef NVTX_ABI_H
#define NVTX_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

enum { NVTX_TABLE_CALLBACKS = 1 };		/* export table ids */
enum { NVTX_MODULE_CORE = 1, NVTX_MODULE_CORE2 = 5 };

enum nvtx_core {
	NVTX_CORE_MARK_EX = 1, NVTX_CORE_MARK_A, NVTX_CORE_MARK_W,
	NVTX_CORE_START_EX, NVTX_CORE_START_A, NVTX_CORE_START_W, NVTX_CORE_END,
	NVTX_CORE_PUSH_EX, NVTX_CORE_PUSH_A, NVTX_CORE_PUSH_W, NVTX_CORE_POP,
};

enum nvtx_core2 {
	NVTX_CORE2_MARK_EX = 1, NVTX_CORE2_START_EX, NVTX_CORE2_END, NVTX_CORE2_PUSH_EX,
	NVTX_CORE2_POP, NVTX_CORE2_REGISTER_A = 10, NVTX_CORE2_REGISTER_W,
	NVTX_CORE2_DOMAIN_A, NVTX_CORE2_DOMAIN_W, NVTX_CORE2_DOMAIN_DESTROY,
};

enum { NVTX_TEXT_ASCII = 1, NVTX_TEXT_UNICODE = 2, NVTX_TEXT_REGISTERED = 3,
       NVTX_COLOR_IS_ARGB = 1 };

struct nvtx_attributes {		/* nvtxEventAttributes_t, version 2 */
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t text_type;
	const void *text;		/* by text_type: char *, wchar_t *, a registered
					 * string */
};

typedef void (*nvtx_function)(void);

struct nvtx_callbacks {			/* NVTX_TABLE_CALLBACKS */
	size_t size;
	/* 1 and the addresses of a module's function pointers, by id */
	int (*module)(int module, nvtx_function ***table, unsigned *count);
};

#define NVTX_NO_TRACKING (-2)		/* what push and pop return when nobody counts */

#endif
