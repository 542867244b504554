// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The activity half of the interface: kinds, buffers, attributes, walking records. */
#include "cupti_sizes.h"
#include "state.h"

static size_t attributes[] = {		/* by enum cupti_attribute; defaults as documented */
	[CUPTI_ATTR_DEVICE_BUFFER_SIZE] = 3200000,
	[CUPTI_ATTR_DEVICE_BUFFER_POOL_LIMIT] = 250,
	[CUPTI_ATTR_PROFILING_SEMAPHORE_POOL_SIZE] = 25000,
	[CUPTI_ATTR_PROFILING_SEMAPHORE_POOL_LIMIT] = 250,
	[CUPTI_ATTR_ZEROED_OUT_ACTIVITY_BUFFER] = 0,
	[CUPTI_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE] = 3,
	[CUPTI_ATTR_PROFILING_SEMAPHORE_PRE_ALLOCATE_VALUE] = 3,
	[CUPTI_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED] = 0,
};

/* Kinds that no longer are, or never were, enabled this way. */
static bool kind_valid(int kind)
{
	switch (kind) {
	case CUPTI_KIND_EVENT:
	case CUPTI_KIND_METRIC:
	case 23: case 27: case 42:
		return false;
	case CUPTI_KIND_CUDA_EVENT:
		return version() >= 130000;
	}
	return kind > 0 && kind < CUPTI_KIND_COUNT;
}

/* 11.x and 12.x look at the kind before they look for a driver, 13.x after. */
static int kind_refuse(const char *function, int kind)
{
	int err;

	if (version() < 130000 && !kind_valid(kind))
		return failed(CUPTI_E_INVALID_KIND);
	err = refuse(function, true);
	if (!err && !kind_valid(kind))
		err = failed(CUPTI_E_INVALID_KIND);
	return err;
}

int cuptiActivityRegisterCallbacks(cupti_buffer_request_fn request,
				   cupti_buffer_complete_fn complete)
{
	int err = refuse("cuptiActivityRegisterCallbacks", false);

	if (err)
		return err;
	if (!request || !complete)
		return failed(CUPTI_E_INVALID_PARAMETER);
	buffer_register(request, complete);
	return CUPTI_E_OK;
}

int cuptiActivityRegisterTimestampCallback(cupti_timestamp_fn now)
{
	int err = refuse("cuptiActivityRegisterTimestampCallback", true);

	if (err)
		return err;
	if (!now)
		return failed(CUPTI_E_INVALID_PARAMETER);
	clock_register(now);
	return CUPTI_E_OK;
}

int cuptiActivityEnable(int kind)
{
	int err = kind_refuse("cuptiActivityEnable", kind);

	if (err)
		return err;
	kinds[kind] = 1;
	hooks_update();
	return CUPTI_E_OK;
}

int cuptiActivityEnableAndDump(int kind)
{
	int err = kind_refuse("cuptiActivityEnableAndDump", kind);

	if (err)
		return err;
	kinds[kind] = 1;
	hooks_update();
	object_dump(kind);
	return CUPTI_E_OK;
}

int cuptiActivityDisable(int kind)
{
	int err = kind_refuse("cuptiActivityDisable", kind);

	if (err)
		return err;
	kinds[kind] = 0;
	hooks_update();
	return CUPTI_E_OK;
}

static int context_switch(const char *function, void *context, int kind, uint8_t on)
{
	int err = kind_refuse(function, kind);
	uint32_t id = 0;

	if (!err)
		err = cuptiGetContextId(context, &id);
	if (err)
		return err;
	if (id >= CONTEXTS)
		return failed(CUPTI_E_NOT_COMPATIBLE);
	context_kinds[id][kind] = on;
	return CUPTI_E_OK;
}

int cuptiActivityEnableContext(void *context, int kind)
{
	return context_switch("cuptiActivityEnableContext", context, kind, 1);
}

int cuptiActivityDisableContext(void *context, int kind)
{
	return context_switch("cuptiActivityDisableContext", context, kind, 0);
}

int cuptiActivityFlushAll(uint32_t flag)
{
	int err = refuse("cuptiActivityFlushAll", true);

	if (err)
		return err;
	if (!buffer_registered())
		return failed(CUPTI_E_INVALID_OPERATION);
	return failed(buffer_flush(flag & CUPTI_FLUSH_FORCED));
}

int cuptiActivityFlush(void *context, uint32_t stream, uint32_t flag)
{
	return cuptiActivityFlushAll(flag);
}

/* Full buffers go out as they fill, so that there is nothing to do periodically. */
int cuptiActivityFlushPeriod(uint32_t ms)
{
	return refuse("cuptiActivityFlushPeriod", true);
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record)
{
	uint8_t *at = buffer;
	uint32_t kind;

	if (!buffer || !record)
		return failed(CUPTI_E_INVALID_PARAMETER);
	if (*record) {
		memcpy(&kind, *record, sizeof(kind));
		at = (uint8_t *)*record + cupti_record_size(kind, version());
	}
	if (at >= buffer + valid)
		return failed(CUPTI_E_MAX_LIMIT_REACHED);
	memcpy(&kind, at, sizeof(kind));
	if (cupti_record_size(kind, version()) == 0)
		return failed(CUPTI_E_INVALID_KIND);
	*record = at;
	return CUPTI_E_OK;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count)
{
	int err = refuse("cuptiActivityGetNumDroppedRecords", version() < 130000);

	if (err)
		return err;
	if (!count)
		return failed(CUPTI_E_INVALID_PARAMETER);
	*count = buffer_dropped();
	return CUPTI_E_OK;
}

static size_t attribute_size(int attr)
{
	bool byte = attr == CUPTI_ATTR_ZEROED_OUT_ACTIVITY_BUFFER ||
		attr == CUPTI_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED;

	if (attr < 0 || attr >= (int)(sizeof(attributes) / sizeof(attributes[0])))
		return 0;
	return byte ? sizeof(uint8_t) : sizeof(size_t);
}

static int attribute_refuse(const char *function, int attr, size_t *size, void *value)
{
	int err = refuse(function, true);

	if (err)
		return err;
	if (!size || !value || attribute_size(attr) == 0)
		return failed(CUPTI_E_INVALID_PARAMETER);
	if (*size < attribute_size(attr))
		return failed(CUPTI_E_PARAMETER_SIZE_NOT_SUFFICIENT);
	*size = attribute_size(attr);
	return CUPTI_E_OK;
}

int cuptiActivityGetAttribute(int attr, size_t *size, void *value)
{
	int err = attribute_refuse("cuptiActivityGetAttribute", attr, size, value);

	if (!err)
		memcpy(value, &attributes[attr], *size);
	return err;
}

int cuptiActivitySetAttribute(int attr, size_t *size, void *value)
{
	int err = attribute_refuse("cuptiActivitySetAttribute", attr, size, value);

	if (err)
		return err;
	memcpy(&attributes[attr], value, *size);
	buffers_zeroed = attributes[CUPTI_ATTR_ZEROED_OUT_ACTIVITY_BUFFER];
	return CUPTI_E_OK;
}

static int external_refuse(const char *function, int kind)
{
	int err = refuse(function, true);

	if (!err && (kind <= 0 || kind >= CUPTI_EXTERNAL_SIZE))
		err = failed(CUPTI_E_INVALID_PARAMETER);
	return err;
}

int cuptiActivityPushExternalCorrelationId(int kind, uint64_t id)
{
	int err = external_refuse("cuptiActivityPushExternalCorrelationId", kind);

	if (!err && !external_push(kind, id))
		err = failed(CUPTI_E_OUT_OF_MEMORY);
	return err;
}

int cuptiActivityPopExternalCorrelationId(int kind, uint64_t *id)
{
	int err = external_refuse("cuptiActivityPopExternalCorrelationId", kind);

	if (!err && !external_pop(kind, id))
		err = failed(CUPTI_E_QUEUE_EMPTY);
	return err;
}

/* The engine migrates no pages. */
int cuptiActivityConfigureUnifiedMemoryCounter(void *config, uint32_t count)
{
	int err = refuse("cuptiActivityConfigureUnifiedMemoryCounter", true);

	if (err)
		return err;
	return failed(config && count ? CUPTI_E_UM_PROFILING_NOT_SUPPORTED :
		      CUPTI_E_INVALID_PARAMETER);
}

int cuptiActivityEnableLatencyTimestamps(uint8_t enable)
{
	int err = refuse("cuptiActivityEnableLatencyTimestamps", true);

	if (!err)
		latency = enable;
	return err;
}

/* The engine has no launch attributes, no graphs launched by kernels, and tells no queries. */
int cuptiActivityEnableLaunchAttributes(uint8_t enable)
{
	return refuse("cuptiActivityEnableLaunchAttributes", true);
}

int cuptiActivityEnableDeviceGraph(uint8_t enable)
{
	return refuse("cuptiActivityEnableDeviceGraph", true);
}

int cuptiActivityEnableAllSyncRecords(uint8_t enable)
{
	return refuse("cuptiActivityEnableAllSyncRecords", true);
}

/* Blackwell and later only. */
int cuptiActivityEnableHWTrace(uint8_t enable)
{
	int err = refuse("cuptiActivityEnableHWTrace", true);

	if (!err && core()->device(0)->cc_major < 10)
		err = failed(CUPTI_E_NOT_SUPPORTED);
	return err;
}

static int api_switch(const char *function, int domain, uint32_t cbid, uint8_t enable)
{
	int err = refuse(function, true);

	if (err)
		return err;
	if (cbid == 0 || cbid >= cbid_count(domain))
		return failed(CUPTI_E_INVALID_PARAMETER);
	api_kinds[domain == CUPTI_DOMAIN_RUNTIME_API][cbid] = !!enable;
	return CUPTI_E_OK;
}

int cuptiActivityEnableDriverApi(uint32_t cbid, uint8_t enable)
{
	return api_switch("cuptiActivityEnableDriverApi", CUPTI_DOMAIN_DRIVER_API, cbid,
			  enable);
}

int cuptiActivityEnableRuntimeApi(uint32_t cbid, uint8_t enable)
{
	return api_switch("cuptiActivityEnableRuntimeApi", CUPTI_DOMAIN_RUNTIME_API, cbid,
			  enable);
}

int cuptiFinalize(void)
{
	int err = refuse("cuptiFinalize", false);

	if (err)
		return err;
	memset((void *)kinds, 0, sizeof(kinds));
	memset((void *)context_kinds, 0, sizeof(context_kinds));
	memset((void *)api_kinds, 0, sizeof(api_kinds));
	hooks_update();
	unsubscribe();
	buffer_stop(true);
	return CUPTI_E_OK;
}
