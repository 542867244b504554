// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Copies and sets: their kind follows from the addresses, their bytes move when the operation
 * ends. Pageable memory makes an asynchronous copy wait, as on the real device.
 */
#include <stdlib.h>
#include <string.h>

#include "engine.h"

#define STAGE_MAX 65536		/* a smaller pageable source is taken aside, not waited for */

enum { FROM_UNKNOWN, HTOD = 1, DTOH = 2, DTOD = 8, HTOH = 9, PTOP = 10 };	/* CUPTI's */

/* ---- doing it ---- */

static void set_row(char *dst, uint32_t value, uint32_t element, size_t count)
{
	if (element == 1) {
		memset(dst, value, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		memcpy(dst + i * element, &value, element);
}

void payload_run(struct work *w)
{
	const char *src = w->staged ? w->staged : w->src;

	if (w->payload == PAY_FREE)
		memory_free((uintptr_t)w->dst, 0);
	if (w->payload == PAY_WAIT)
		mark_wait(w->mark);
	for (size_t y = 0; y < w->height; y++) {
		if (w->payload == PAY_COPY)
			memmove(w->dst + y * w->dst_pitch, src + y * w->src_pitch, w->width);
		else if (w->payload == PAY_SET)
			set_row(w->dst + y * w->dst_pitch, w->rec.value, w->element, w->width);
	}
	free(w->staged);
	w->staged = NULL;
}

/* ---- describing it ---- */

static bool on_device(uint32_t kind)
{
	return kind == MEM_DEVICE || kind == MEM_MANAGED;
}

static uint32_t copy_kind(const struct memory *dst, const struct memory *src)
{
	if (on_device(src->kind) && on_device(dst->kind))
		return src->device != dst->device ? PTOP : DTOD;
	if (on_device(src->kind))
		return DTOH;
	return on_device(dst->kind) ? HTOD : HTOH;
}

struct work copy_work(char *dst, const char *src, size_t width, size_t height, size_t dst_pitch,
		      size_t src_pitch)
{
	struct memory to = memory_find(dst), from = memory_find(src);
	struct work w = {
		.rec.type = SIM_COPY, .rec.bytes = width * height, .payload = PAY_COPY,
		.dst = dst, .src = src, .width = width, .height = height,
		.dst_pitch = dst_pitch, .src_pitch = src_pitch,
		.rec.src_kind = from.kind, .rec.dst_kind = to.kind,
		.rec.copy_kind = copy_kind(&to, &from),
	};

	w.rec.src_device = from.device ? from.device->ordinal : 0;
	w.rec.dst_device = to.device ? to.device->ordinal : 0;
	w.duration = model_copy(&w.rec);
	return w;
}

struct work set_work(CUdeviceptr dst, uint32_t value, uint32_t element, size_t width,
		     size_t height, size_t pitch)
{
	struct work w = {
		.rec.type = SIM_SET, .rec.bytes = width * height * element, .rec.value = value,
		.payload = PAY_SET, .dst = (char *)dst, .width = width, .height = height,
		.dst_pitch = pitch, .element = element,
		.rec.dst_kind = memory_find((void *)dst).kind,
	};

	w.duration = model_set(&w.rec);
	return w;
}

static bool pageable(const struct work *w)
{
	return w->rec.src_kind == MEM_PAGEABLE || w->rec.dst_kind == MEM_PAGEABLE;
}

/* Does the whole access stay inside the allocation it begins in? */
static bool inside(const char *ptr, size_t pitch, size_t width, size_t height)
{
	struct memory m = memory_find(ptr);

	return m.kind == MEM_PAGEABLE || m.registered ||
	       (uintptr_t)ptr + (height - 1) * pitch + width <= m.end;
}

/* ---- submitting it ---- */

/* A small pageable source may be reused by the program at once: it is taken aside here. */
static bool stage(struct work *w)
{
	if (w->rec.copy_kind != HTOD || w->rec.src_kind != MEM_PAGEABLE || w->height != 1 ||
	    w->width > STAGE_MAX)
		return false;
	w->staged = malloc(w->width);
	if (w->staged)
		memcpy(w->staged, w->src, w->width);
	return w->staged != NULL;
}

static CUresult copy_submit(struct work *w, struct CUstream_st *s, bool async)
{
	uint64_t seq;
	CUresult r;

	if (!s)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!w->width || !w->height)
		return CUDA_SUCCESS;
	if (!w->dst || !w->src || !inside(w->dst, w->dst_pitch, w->width, w->height) ||
	    !inside(w->src, w->src_pitch, w->width, w->height))
		return CUDA_ERROR_INVALID_VALUE;
	w->rec.async = async;
	if (s->capture.graph) {
		s->capture.invalid |= !async;
		return async ? capture_add(s, w, CU_GRAPH_NODE_TYPE_MEMCPY)
			     : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	if (async && pageable(w))
		async = stage(w);
	r = submit(s, w, &seq);
	if (!r && !async && (w->rec.copy_kind != DTOD))
		wait_seq(s, seq);
	return r;
}

enum side { ANY = 0, DST = 1, SRC = 2 };	/* must be memory of CUDA */

static CUresult copy(int sides, uint64_t dst, uint64_t src, size_t bytes,
		     struct CUstream_st *s, bool async)
{
	struct work w = copy_work((char *)dst, (const char *)src, bytes, 1, bytes, bytes);

	if ((sides & DST && w.rec.dst_kind == MEM_PAGEABLE) ||
	    (sides & SRC && w.rec.src_kind == MEM_PAGEABLE))
		return CUDA_ERROR_INVALID_VALUE;
	return copy_submit(&w, s, async);
}

static CUresult copy2d(const CUDA_MEMCPY2D *c, struct CUstream_st *s, bool async)
{
	CUDA_MEMCPY3D full = {
		.srcXInBytes = c->srcXInBytes, .srcY = c->srcY,
		.srcMemoryType = c->srcMemoryType, .srcHost = c->srcHost,
		.srcDevice = c->srcDevice, .srcPitch = c->srcPitch,
		.dstXInBytes = c->dstXInBytes, .dstY = c->dstY,
		.dstMemoryType = c->dstMemoryType, .dstHost = c->dstHost,
		.dstDevice = c->dstDevice, .dstPitch = c->dstPitch,
		.WidthInBytes = c->WidthInBytes, .Height = c->Height, .Depth = 1,
	};
	struct work w;
	CUresult r = copy3d_work(&w, &full);

	return r ? r : copy_submit(&w, s, async);
}

/* One plane only: arrays and volumes are not simulated. */
CUresult copy3d_work(struct work *w, const CUDA_MEMCPY3D *c)
{
	const char *src = c->srcMemoryType == CU_MEMORYTYPE_HOST ? c->srcHost
								 : (char *)c->srcDevice;
	char *dst = c->dstMemoryType == CU_MEMORYTYPE_HOST ? c->dstHost : (char *)c->dstDevice;
	size_t src_pitch = c->srcPitch ? c->srcPitch : c->WidthInBytes;
	size_t dst_pitch = c->dstPitch ? c->dstPitch : c->WidthInBytes;

	if (c->srcMemoryType == CU_MEMORYTYPE_ARRAY ||
	    c->dstMemoryType == CU_MEMORYTYPE_ARRAY || c->Depth > 1 || c->srcZ || c->dstZ)
		return CUDA_ERROR_NOT_SUPPORTED;
	src += c->srcY * src_pitch + c->srcXInBytes;
	dst += c->dstY * dst_pitch + c->dstXInBytes;
	*w = copy_work(dst, src, c->WidthInBytes, c->Height ? c->Height : 1, dst_pitch,
		       src_pitch);
	return CUDA_SUCCESS;
}

static CUresult copy3d(const CUDA_MEMCPY3D *c, struct CUstream_st *s, bool async)
{
	struct work w;
	CUresult r = c ? copy3d_work(&w, c) : CUDA_ERROR_INVALID_VALUE;

	return r ? r : copy_submit(&w, s, async);
}

/* Sets of device memory do not wait, not even the synchronous ones: so does the real driver. */
static CUresult set2d(CUdeviceptr dst, size_t pitch, uint32_t value, uint32_t element,
		      size_t width, size_t height, struct CUstream_st *s, bool async)
{
	struct work w = set_work(dst, value, element, width, height, pitch);

	if (!s)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!width || !height)
		return CUDA_SUCCESS;
	if (w.rec.dst_kind == MEM_PAGEABLE || !inside(w.dst, pitch, width * element, height) ||
	    (height > 1 && pitch < width * element))
		return CUDA_ERROR_INVALID_VALUE;
	w.rec.async = async;
	if (s->capture.graph)
		return capture_add(s, &w, CU_GRAPH_NODE_TYPE_MEMSET);
	return submit(s, &w, NULL);
}

static CUresult set(CUdeviceptr dst, uint32_t value, uint32_t element, size_t count,
		    struct CUstream_st *s, bool async)
{
	return set2d(dst, 0, value, element, count, 1, s, async);
}

#define DEFAULT stream_of(NULL, per_thread)
#define STREAM stream_of(stream, per_thread)
#define U(ptr) ((uintptr_t)(ptr))

DEFAULT_API(cuMemcpy, (CUdeviceptr dst, CUdeviceptr src, size_t bytes), (dst, src, bytes),
	    copy(ANY, dst, src, bytes, DEFAULT, false))
DEFAULT_API(cuMemcpyHtoD_v2, (CUdeviceptr dst, const void *src, size_t bytes),
	    (dst, src, bytes), copy(DST, dst, U(src), bytes, DEFAULT, false))
DEFAULT_API(cuMemcpyDtoH_v2, (void *dst, CUdeviceptr src, size_t bytes), (dst, src, bytes),
	    copy(SRC, U(dst), src, bytes, DEFAULT, false))
DEFAULT_API(cuMemcpyDtoD_v2, (CUdeviceptr dst, CUdeviceptr src, size_t bytes),
	    (dst, src, bytes), copy(DST | SRC, dst, src, bytes, DEFAULT, false))
DEFAULT_API(cuMemcpyPeer,
	    (CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src, CUcontext src_context,
	     size_t bytes), (dst, dst_context, src, src_context, bytes),
	    copy(DST | SRC, dst, src, bytes, DEFAULT, false))
DEFAULT_API(cuMemcpy2D_v2, (const CUDA_MEMCPY2D *c), (c), copy2d(c, DEFAULT, false))
DEFAULT_API(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *c), (c), copy3d(c, DEFAULT, false))
STREAM_API(cuMemcpyAsync, (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream),
	   (dst, src, bytes, stream), copy(ANY, dst, src, bytes, STREAM, true))
STREAM_API(cuMemcpyHtoDAsync_v2,
	   (CUdeviceptr dst, const void *src, size_t bytes, CUstream stream),
	   (dst, src, bytes, stream), copy(DST, dst, U(src), bytes, STREAM, true))
STREAM_API(cuMemcpyDtoHAsync_v2, (void *dst, CUdeviceptr src, size_t bytes, CUstream stream),
	   (dst, src, bytes, stream), copy(SRC, U(dst), src, bytes, STREAM, true))
STREAM_API(cuMemcpyDtoDAsync_v2,
	   (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream),
	   (dst, src, bytes, stream), copy(DST | SRC, dst, src, bytes, STREAM, true))
STREAM_API(cuMemcpyPeerAsync,
	   (CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src, CUcontext src_context,
	    size_t bytes, CUstream stream),
	   (dst, dst_context, src, src_context, bytes, stream),
	   copy(DST | SRC, dst, src, bytes, STREAM, true))
STREAM_API(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *c, CUstream stream), (c, stream),
	   copy2d(c, STREAM, true))
STREAM_API(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *c, CUstream stream), (c, stream),
	   copy3d(c, STREAM, true))
DEFAULT_API(cuMemsetD8_v2, (CUdeviceptr dst, unsigned char value, size_t count),
	    (dst, value, count), set(dst, value, 1, count, DEFAULT, false))
DEFAULT_API(cuMemsetD16_v2, (CUdeviceptr dst, unsigned short value, size_t count),
	    (dst, value, count), set(dst, value, 2, count, DEFAULT, false))
DEFAULT_API(cuMemsetD32_v2, (CUdeviceptr dst, unsigned int value, size_t count),
	    (dst, value, count), set(dst, value, 4, count, DEFAULT, false))
STREAM_API(cuMemsetD8Async,
	   (CUdeviceptr dst, unsigned char value, size_t count, CUstream stream),
	   (dst, value, count, stream), set(dst, value, 1, count, STREAM, true))
STREAM_API(cuMemsetD16Async,
	   (CUdeviceptr dst, unsigned short value, size_t count, CUstream stream),
	   (dst, value, count, stream), set(dst, value, 2, count, STREAM, true))
STREAM_API(cuMemsetD32Async,
	   (CUdeviceptr dst, unsigned int value, size_t count, CUstream stream),
	   (dst, value, count, stream), set(dst, value, 4, count, STREAM, true))
DEFAULT_API(cuMemsetD2D8_v2,
	    (CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, size_t height),
	    (dst, pitch, value, width, height),
	    set2d(dst, pitch, value, 1, width, height, DEFAULT, false))
STREAM_API(cuMemsetD2D8Async,
	   (CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, size_t height,
	    CUstream stream), (dst, pitch, value, width, height, stream),
	   set2d(dst, pitch, value, 1, width, height, STREAM, true))
DEFAULT_API(cuMemsetD2D16_v2,
	    (CUdeviceptr dst, size_t pitch, unsigned short value, size_t width, size_t height),
	    (dst, pitch, value, width, height),
	    set2d(dst, pitch, value, 2, width, height, DEFAULT, false))
STREAM_API(cuMemsetD2D16Async,
	   (CUdeviceptr dst, size_t pitch, unsigned short value, size_t width, size_t height,
	    CUstream stream), (dst, pitch, value, width, height, stream),
	   set2d(dst, pitch, value, 2, width, height, STREAM, true))
DEFAULT_API(cuMemsetD2D32_v2,
	    (CUdeviceptr dst, size_t pitch, unsigned int value, size_t width, size_t height),
	    (dst, pitch, value, width, height),
	    set2d(dst, pitch, value, 4, width, height, DEFAULT, false))
STREAM_API(cuMemsetD2D32Async,
	   (CUdeviceptr dst, size_t pitch, unsigned int value, size_t width, size_t height,
	    CUstream stream), (dst, pitch, value, width, height, stream),
	   set2d(dst, pitch, value, 4, width, height, STREAM, true))
