// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Devices, contexts and streams that are there, and the records that describe them. */
#include "state.h"

#define OBJECTS 1024		/* more are not listed by cuptiActivityEnableAndDump() */

struct object {
	uint32_t kind;		/* CUPTI_KIND_CONTEXT or _STREAM, 0 free */
	uint32_t id, context, device;
	uint32_t correlation;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object objects[OBJECTS];

static void put_context(const struct object *o)
{
	const struct sim_device_info *info = core()->device(o->device);
	struct cupti_context r = {
		.kind = CUPTI_KIND_CONTEXT,
		.context = o->id,
		.device = o->device,
		.api_kind = 1,
		.null_stream = core()->stream_id(NULL),
		.multiprocessors = info ? info->sm_count : 0,
	};

	buffer_put(&r, r.kind);
}

static void put_stream(const struct object *o)
{
	struct cupti_stream r = {
		.kind = CUPTI_KIND_STREAM,
		.context = o->context,
		.stream = o->id,
		.flag = 1,
	};

	buffer_put(&r, r.kind);
}

static void put_device(uint32_t id)
{
	const struct sim_device_info *info = core()->device(id);
	struct cupti_device r = {
		.kind = CUPTI_KIND_DEVICE,
		.id = id,
		.visible = 1,
		.warp_threads = 32,
		.max_warps = 64,
		.max_blocks = 32,
		.max_block_threads = 1024,
		.max_block = { 1024, 1024, 64 },
		.max_grid = { 0x7fffffff, 65535, 65535 },
		.copy_engines = 3,
	};

	if (!info)
		return;
	r.name = info->name;
	r.memory_bytes = info->mem_bytes;
	r.multiprocessors = info->sm_count;
	r.cc_major = info->cc_major;
	r.cc_minor = info->cc_minor;
	memcpy(r.uuid, info->uuid, sizeof(r.uuid));
	r.mig = info->mig;
	if (info->mig) {
		r.gpu_instance = info->gpu_instance;
		r.compute_instance = info->compute_instance;
		memcpy(r.mig_uuid, info->mig_uuid, sizeof(r.mig_uuid));
	}
	buffer_put(&r, r.kind);
}

void object_dump(uint32_t kind)
{
	int i;

	for (i = 0; kind == CUPTI_KIND_DEVICE && i < core()->device_count(); i++)
		put_device(i);
	pthread_mutex_lock(&lock);
	for (i = 0; i < OBJECTS; i++) {
		if (objects[i].kind != kind)
			continue;
		if (kind == CUPTI_KIND_CONTEXT)
			put_context(&objects[i]);
		if (kind == CUPTI_KIND_STREAM)
			put_stream(&objects[i]);
	}
	pthread_mutex_unlock(&lock);
}

static void remember(const struct object *o)
{
	int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < OBJECTS && objects[i].kind; i++)
		;
	if (i < OBJECTS)
		objects[i] = *o;
	pthread_mutex_unlock(&lock);
}

static void forget(uint32_t kind, uint32_t id, uint32_t context)
{
	int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < OBJECTS; i++)
		if (objects[i].kind == kind && objects[i].id == id &&
		    objects[i].context == context)
			objects[i].kind = 0;
	pthread_mutex_unlock(&lock);
}

void object_track(enum sim_resource what, const struct sim_resource_data *d)
{
	static atomic_bool devices_told;
	struct object context = { CUPTI_KIND_CONTEXT, d->context_id, d->context_id, d->device };
	struct object stream = { CUPTI_KIND_STREAM, d->object_id, d->context_id, d->device };

	if (what == SIM_CONTEXT_CREATED) {
		remember(&context);
		if (kind_wanted(CUPTI_KIND_DEVICE, 0) && !atomic_exchange(&devices_told, true))
			object_dump(CUPTI_KIND_DEVICE);
		if (kind_wanted(CUPTI_KIND_CONTEXT, d->context_id))
			put_context(&context);
	}
	if (what == SIM_STREAM_CREATED) {
		remember(&stream);
		if (kind_wanted(CUPTI_KIND_STREAM, d->context_id))
			put_stream(&stream);
	}
	if (what == SIM_CONTEXT_DESTROY)
		forget(context.kind, context.id, context.context);
	if (what == SIM_STREAM_DESTROY)
		forget(stream.kind, stream.id, stream.context);
}
