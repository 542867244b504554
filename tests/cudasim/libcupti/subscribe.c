// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The one subscriber and its callbacks, in the thread that makes the call. A
 * byte a call decides, so that a call nobody asked for costs one load.
 */
#include <stdio.h>
#include "state.h"

static _Atomic(cupti_callback_fn) callback;
static void *user_data;
static atomic_bool subscribed;
static char holder[64];			/* who subscribed, by cuptiSubscribe_v2 */
static _Atomic uint8_t enabled[CUPTI_DOMAIN_SIZE][CBIDS];
static __thread bool inside;		/* calls made by a callback are not told */

#define SUBSCRIBER ((void *)&subscribed)

static bool wanted(uint32_t domain, uint32_t cbid)
{
	return cbid < CBIDS && enabled[domain][cbid] && subscribed && !inside;
}

/* CUDASIM_SLOW_CALLBACK=US: what CUPTI itself does before it calls, on a bad day. */
static void callback_slow(void)
{
	static atomic_int us = -1;
	uint64_t until;

	if (us < 0)
		us = number_setting("SLOW_CALLBACK", 0);
	if (!us)
		return;
	for (until = core()->now() + us * 1000ull; core()->now() < until;)
		;
}

static void tell(uint32_t domain, uint32_t cbid, const void *data)
{
	cupti_callback_fn fn = callback;

	if (!fn)
		return;
	inside = true;
	callback_slow();
	fn(user_data, domain, cbid, data);
	inside = false;
}

void callback_api(struct sim_call *call, uint32_t cbid, int site)
{
	struct cupti_callback_data data = {
		.site = site == 0 ? CUPTI_ENTER : CUPTI_EXIT,
		.function = call->function,
		.params = call->params,
		.result = call->result,
		.symbol = call->symbol,
		.context = call->context,
		.context_id = call->context_id,
		.data = &call->data[0],
		.correlation = call->correlation,
	};

	if (wanted(call->domain, cbid))
		tell(call->domain, cbid, &data);
}

static const uint8_t resource_cbids[] = {
	[SIM_CONTEXT_CREATED] = CUPTI_RESOURCE_CONTEXT_CREATED,
	[SIM_CONTEXT_DESTROY] = CUPTI_RESOURCE_CONTEXT_DESTROY_STARTING,
	[SIM_STREAM_CREATED] = CUPTI_RESOURCE_STREAM_CREATED,
	[SIM_STREAM_DESTROY] = CUPTI_RESOURCE_STREAM_DESTROY_STARTING,
	[SIM_MODULE_LOADED] = CUPTI_RESOURCE_MODULE_LOADED,
	[SIM_MODULE_UNLOAD] = CUPTI_RESOURCE_MODULE_UNLOAD_STARTING,
	[SIM_GRAPH_CREATED] = CUPTI_RESOURCE_GRAPH_CREATED,
	[SIM_GRAPHNODE_CREATED] = CUPTI_RESOURCE_GRAPHNODE_CREATED,
	[SIM_GRAPHNODE_CLONED] = CUPTI_RESOURCE_GRAPHNODE_CLONED,
	[SIM_GRAPHEXEC_CREATED] = CUPTI_RESOURCE_GRAPHEXEC_CREATED,
};

void callback_resource(enum sim_resource what, const struct sim_resource_data *d)
{
	uint32_t cbid = what < sizeof(resource_cbids) ? resource_cbids[what] : 0;
	struct cupti_resource_data data = { .context = d->context };
	struct cupti_module_data module = { .module = d->object_id };
	struct cupti_graph_data graph = { .node_type = d->node_type };

	if (!cbid || !wanted(CUPTI_DOMAIN_RESOURCE, cbid))
		return;
	if (what == SIM_STREAM_CREATED || what == SIM_STREAM_DESTROY)
		data.stream = d->object;
	if (what == SIM_MODULE_LOADED || what == SIM_MODULE_UNLOAD)
		data.descriptor = &module;
	if (what >= SIM_GRAPH_CREATED) {
		data.descriptor = &graph;
		graph.node = d->node_handle;
		graph.original_node = d->original_node_handle;
		if (what == SIM_GRAPHEXEC_CREATED) {
			graph.exec = d->object;
			graph.graph = d->original_object;
		} else {
			graph.graph = d->object;
			graph.original_graph = d->original_object;
		}
	}
	tell(CUPTI_DOMAIN_RESOURCE, cbid, &data);
}

void callback_sync(const struct sim_sync *s)
{
	struct cupti_synchronize_data data = { NULL, NULL };
	uint32_t cbid = s->type == CUPTI_SYNC_STREAM_SYNCHRONIZE ?
		CUPTI_SYNCHRONIZE_STREAM_SYNCHRONIZED : CUPTI_SYNCHRONIZE_CONTEXT_SYNCHRONIZED;

	if (s->type != CUPTI_SYNC_STREAM_SYNCHRONIZE &&
	    s->type != CUPTI_SYNC_CONTEXT_SYNCHRONIZE)
		return;
	if (wanted(CUPTI_DOMAIN_SYNCHRONIZE, cbid))
		tell(CUPTI_DOMAIN_SYNCHRONIZE, cbid, &data);
}

/* CUDASIM_SECOND_SUBSCRIBER=1 or =NAME: another tool has subscribed already. */
static const char *other_tool(void)
{
	const char *name = core()->setting("SECOND_SUBSCRIBER");

	if (!name || !*name || !strcmp(name, "0"))
		return NULL;
	return strcmp(name, "1") ? name : "cudasim's other tool";
}

static int subscribe(void **subscriber, cupti_callback_fn fn, void *user)
{
	bool before = false;

	if (!subscriber)
		return failed(CUPTI_E_INVALID_PARAMETER);
	if (other_tool() ||
	    !atomic_compare_exchange_strong(&subscribed, &before, true))
		return failed(CUPTI_E_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
	user_data = user;
	callback = fn;
	*subscriber = SUBSCRIBER;
	holder[0] = '\0';
	return CUPTI_E_OK;
}

int cuptiSubscribe(void **subscriber, cupti_callback_fn fn, void *user)
{
	int err = refuse("cuptiSubscribe", true);

	return err ? err : subscribe(subscriber, fn, user);
}

int cuptiSubscribe_v2(void **subscriber, cupti_callback_fn fn, void *user,
		      struct cupti_subscriber_params *params)
{
	int err = refuse("cuptiSubscribe_v2", true);

	if (err)
		return err;
	if (params && params->size < sizeof(*params))
		return failed(CUPTI_E_INVALID_PARAMETER);
	err = subscribe(subscriber, fn, user);
	if (!params)
		return err;
	if (!err && params->name)
		snprintf(holder, sizeof(holder), "CUPTI for %s", params->name);
	if (err == CUPTI_E_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED && params->old_name)
		snprintf(params->old_name, params->old_name_size, "%s",
			 subscribed ? (*holder ? holder : "CUPTI") : other_tool() ?: "CUPTI");
	return err;
}

void unsubscribe(void)
{
	memset((void *)enabled, 0, sizeof(enabled));
	subscribed = false;
	callback = NULL;
}

static int bad_subscriber(void *subscriber)
{
	return subscriber != SUBSCRIBER || !subscribed;
}

int cuptiUnsubscribe(void *subscriber)
{
	int err = refuse("cuptiUnsubscribe", false);

	if (err)
		return err;
	if (bad_subscriber(subscriber))
		return failed(CUPTI_E_INVALID_PARAMETER);
	unsubscribe();
	return CUPTI_E_OK;
}

int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t cbid)
{
	int err = refuse("cuptiEnableCallback", false);

	if (err)
		return err;
	if (bad_subscriber(subscriber) || cbid == 0 || cbid >= cbid_count(domain))
		return failed(CUPTI_E_INVALID_PARAMETER);
	enabled[domain][cbid] = !!enable;
	return CUPTI_E_OK;
}

int cuptiEnableDomain(uint32_t enable, void *subscriber, int domain)
{
	int err = refuse("cuptiEnableDomain", false);

	if (err)
		return err;
	if (bad_subscriber(subscriber) || cbid_count(domain) == 0)
		return failed(CUPTI_E_INVALID_PARAMETER);
	memset((void *)enabled[domain], !!enable, CBIDS);
	return CUPTI_E_OK;
}

int cuptiEnableAllDomains(uint32_t enable, void *subscriber)
{
	int domain, err = refuse("cuptiEnableAllDomains", false);

	for (domain = CUPTI_DOMAIN_DRIVER_API; !err && domain < CUPTI_DOMAIN_SIZE; domain++)
		err = cuptiEnableDomain(enable, subscriber, domain);
	return err;
}

int cuptiGetCallbackState(uint32_t *state, void *subscriber, int domain, uint32_t cbid)
{
	int err = refuse("cuptiGetCallbackState", false);

	if (err)
		return err;
	if (!state || bad_subscriber(subscriber) || cbid >= cbid_count(domain))
		return failed(CUPTI_E_INVALID_PARAMETER);
	*state = enabled[domain][cbid];
	return CUPTI_E_OK;
}
