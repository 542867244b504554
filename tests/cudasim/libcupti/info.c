// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which CUPTI this says it is, what its errors are called, and the ids of calls and objects. */
#include <stdlib.h>
#include "api_table.h"
#include "state.h"

static __thread int last_error;

const struct sim_core *core(void)
{
	static const struct sim_core *engine;

	if (!engine)
		engine = cudasim_core();
	return engine;
}

int number_setting(const char *name, int otherwise)
{
	const char *text = core()->setting(name);

	return text && *text ? atoi(text) : otherwise;
}

uint32_t version(void)
{
	static uint32_t told;

	if (!told)
		told = number_setting("CUPTI_VERSION", 130001);
	return told;
}

int failed(int result)
{
	if (result)
		last_error = result;
	return result;
}

int refuse(const char *function, bool needs_device)
{
	int err = core()->fail(function);

	if (!err && needs_device && core()->device_count() == 0)
		err = version() >= 130000 ? CUPTI_E_UNKNOWN : CUPTI_E_NOT_INITIALIZED;
	if (!err && needs_device)
		hooks_install();
	return failed(err);
}

uint32_t cbid_count(uint32_t domain)
{
	switch (domain) {
	case CUPTI_DOMAIN_DRIVER_API:
		return sizeof(api_driver_rows) / sizeof(api_driver_rows[0]);
	case CUPTI_DOMAIN_RUNTIME_API:
		return sizeof(api_runtime_rows) / sizeof(api_runtime_rows[0]);
	case CUPTI_DOMAIN_RESOURCE:
		return CUPTI_RESOURCE_SIZE;
	case CUPTI_DOMAIN_SYNCHRONIZE:
		return CUPTI_SYNCHRONIZE_SIZE;
	case CUPTI_DOMAIN_NVTX:
	case CUPTI_DOMAIN_STATE:
		return CBIDS;
	}
	return 0;
}

/* The call site keeps the answer, so the search by name is made once a site. */
uint32_t cbid_of(const struct sim_call *call)
{
	uint32_t cbid = call->cbid ? *call->cbid : 0;
	const struct api_row *row;

	if (cbid)
		return cbid;
	for (cbid = cbid_count(call->domain) - 1; cbid > 0; cbid--) {
		row = api_row(call->domain, cbid);
		if (row && !strcmp(row->name, call->name))
			break;
	}
	if (cbid == 0)
		cbid = NO_CBID;
	if (call->cbid)
		*call->cbid = cbid;
	return cbid;
}

static const char *result_name(int result)
{
	static const struct { int result; const char *name; } names[] = {
#define NAMED(x) { CUPTI_E_##x, "CUPTI_ERROR_" #x }
		{ CUPTI_E_OK, "CUPTI_SUCCESS" }, NAMED(INVALID_PARAMETER),
			NAMED(INVALID_DEVICE),
		NAMED(INVALID_CONTEXT), NAMED(INVALID_OPERATION), NAMED(OUT_OF_MEMORY),
		NAMED(HARDWARE), NAMED(PARAMETER_SIZE_NOT_SUFFICIENT),
		NAMED(API_NOT_IMPLEMENTED), NAMED(MAX_LIMIT_REACHED), NAMED(NOT_READY),
		NAMED(NOT_COMPATIBLE), NAMED(NOT_INITIALIZED), NAMED(QUEUE_EMPTY),
		NAMED(INVALID_HANDLE), NAMED(INVALID_STREAM), NAMED(INVALID_KIND),
		NAMED(DISABLED), NAMED(INVALID_MODULE),
		NAMED(HARDWARE_BUSY), NAMED(NOT_SUPPORTED), NAMED(UM_PROFILING_NOT_SUPPORTED),
		NAMED(INSUFFICIENT_PRIVILEGES), NAMED(MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED),
		NAMED(VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES), NAMED(UNKNOWN),
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].result == result)
			return names[i].name;
	return NULL;
}

int cuptiGetResultString(int result, const char **text)
{
	const char *name = result_name(result);

	if (!text)
		return failed(CUPTI_E_INVALID_PARAMETER);
	*text = name ? name : "<unknown>";
	return name ? CUPTI_E_OK : failed(CUPTI_E_INVALID_PARAMETER);
}

int cuptiGetErrorMessage(int result, const char **text)
{
	return cuptiGetResultString(result, text);
}

int cuptiGetLastError(void)
{
	int result = last_error;

	last_error = CUPTI_E_OK;
	return result;
}

int cuptiGetVersion(uint32_t *number)
{
	int err = refuse("cuptiGetVersion", false);

	if (err)
		return err;
	if (!number)
		return failed(CUPTI_E_INVALID_PARAMETER);
	*number = version();
	return CUPTI_E_OK;
}

int cuptiGetTimestamp(uint64_t *now)
{
	int err = refuse("cuptiGetTimestamp", false);

	if (err)
		return err;
	if (!now)
		return failed(CUPTI_E_INVALID_PARAMETER);
	*now = clock_convert(CLOCK_OF_CPU, core()->now());
	return CUPTI_E_OK;
}

int cuptiGetCallbackName(int domain, uint32_t cbid, const char **name)
{
	const struct api_row *row = api_row(domain, cbid);
	bool api = domain == CUPTI_DOMAIN_DRIVER_API || domain == CUPTI_DOMAIN_RUNTIME_API;

	if (!name || !api || (cbid && !row))
		return failed(CUPTI_E_INVALID_PARAMETER);
	*name = row ? row->name : "INVALID";
	return CUPTI_E_OK;
}

int cuptiSupportedDomains(size_t *count, enum cupti_domain **domains)
{
	static enum cupti_domain all[] = {
		CUPTI_DOMAIN_DRIVER_API, CUPTI_DOMAIN_RUNTIME_API, CUPTI_DOMAIN_RESOURCE,
		CUPTI_DOMAIN_SYNCHRONIZE, CUPTI_DOMAIN_NVTX, CUPTI_DOMAIN_STATE,
	};
	int err = refuse("cuptiSupportedDomains", true);

	if (err)
		return err;
	if (!count || !domains)
		return failed(CUPTI_E_INVALID_PARAMETER);
	*count = sizeof(all) / sizeof(all[0]);
	*domains = all;
	return CUPTI_E_OK;
}

int cuptiSetThreadIdType(int type)
{
	int err = refuse("cuptiSetThreadIdType", true);

	if (err)
		return err;
	if (type != CUPTI_THREAD_ID_DEFAULT && type != CUPTI_THREAD_ID_SYSTEM)
		return failed(CUPTI_E_INVALID_PARAMETER);
	thread_id_type = type;
	return CUPTI_E_OK;
}

int cuptiGetThreadIdType(int *type)
{
	int err = refuse("cuptiGetThreadIdType", true);

	if (err)
		return err;
	if (!type)
		return failed(CUPTI_E_INVALID_PARAMETER);
	*type = thread_id_type;
	return CUPTI_E_OK;
}

int cuptiGetContextId(void *context, uint32_t *id)
{
	int err = refuse("cuptiGetContextId", true);

	if (err)
		return err;
	if (!id)
		return failed(CUPTI_E_INVALID_PARAMETER);
	*id = context ? core()->context_id(context) : 0;
	return *id ? CUPTI_E_OK : failed(CUPTI_E_INVALID_CONTEXT);
}

int cuptiGetDeviceId(void *context, uint32_t *id)
{
	int err = refuse("cuptiGetDeviceId", true);

	if (err)
		return err;
	if (!id)
		return failed(CUPTI_E_INVALID_PARAMETER);
	*id = core()->context_device(context);
	return *id == CUPTI_NO_VALUE ? failed(CUPTI_E_INVALID_CONTEXT) : CUPTI_E_OK;
}

int cuptiGetStreamIdEx(void *context, void *stream, uint8_t per_thread, uint32_t *id)
{
	int err = refuse("cuptiGetStreamIdEx", true);

	if (err)
		return err;
	if (!id)
		return failed(CUPTI_E_INVALID_PARAMETER);
	if (!stream && per_thread)
		stream = (void *)2;	/* CU_STREAM_PER_THREAD */
	*id = core()->stream_id(stream);
	return *id && *id != CUPTI_NO_VALUE ? CUPTI_E_OK : failed(CUPTI_E_INVALID_STREAM);
}

int cuptiGetGraphId(void *graph, uint32_t *id)
{
	int err = refuse("cuptiGetGraphId", true);

	if (err)
		return err;
	if (!graph || !id)
		return failed(CUPTI_E_INVALID_PARAMETER);
	*id = core()->graph_id(graph);
	return CUPTI_E_OK;
}

int cuptiGetGraphExecId(void *exec, uint32_t *id)
{
	int err = refuse("cuptiGetGraphExecId", true);

	if (err)
		return err;
	if (!exec || !id)
		return failed(CUPTI_E_INVALID_PARAMETER);
	*id = core()->graph_id(exec);
	return CUPTI_E_OK;
}

int cuptiGetGraphNodeId(void *node, uint64_t *id)
{
	int err = refuse("cuptiGetGraphNodeId", true);

	if (err)
		return err;
	if (!node || !id)
		return failed(CUPTI_E_INVALID_PARAMETER);
	*id = core()->node_id(node);
	return CUPTI_E_OK;
}
