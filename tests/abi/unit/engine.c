// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An engine that does what a test says, at once. */
#include <time.h>
#include "unit.h"

uint64_t fake_now;
int live_contexts;
struct sim_hooks *hooks;
struct sim_record shape = { .context_id = 1, .stream_id = 7, .name = "_Z4axpyv" };
struct sim_record running;
static uint32_t correlations, depth, outer;

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

uint64_t realtime(void)
{
	return clock_ns(CLOCK_REALTIME);
}

uint64_t monotonic(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static uint64_t now(void)
{
	return fake_now ? fake_now : monotonic();
}

static void set_hooks(struct sim_hooks *h)
{
	hooks = h;
}

static const char *setting(const char *name)
{
	char full[64];

	snprintf(full, sizeof(full), "CUDASIM_%s", name);
	return getenv(full);
}

static int device_count(void)
{
	return setting("DEVICES") ? atoi(setting("DEVICES")) : 1;
}

static int fail(const char *name)	/* "NAME:err=N" */
{
	const char *text = setting("FAIL");
	size_t n = strlen(name);

	return text && !strncmp(text, name, n) && text[n] == ':' ? atoi(strchr(text, '=') + 1) :
		0;
}

static const struct sim_device_info *device(int ordinal)
{
	static const struct sim_device_info info = {
		.name = "cudasim unit", .mem_bytes = 1 << 30, .cc_major = 9, .sm_count = 132,
	};

	return ordinal == 0 ? &info : NULL;
}

static uint32_t id_of(void *object)
{
	return (uintptr_t)object & 0xffff;
}

static uint64_t node_id(void *node)
{
	return (uintptr_t)node;
}

static uint32_t context_device(void *context)
{
	return context ? 0 : ~0U;
}

static uint32_t stream_id(void *stream)
{
	return stream ? id_of(stream) : 7;
}

static void settle(void)	/* an op is recorded as it is made */
{
}

static void in_flight(void (*give)(const struct sim_record *r))
{
	if (running.type)
		give(&running);
}

static int context_count(void)
{
	return live_contexts;
}

const struct sim_core *cudasim_core(void)
{
	static const struct sim_core core = {
		.version = SIM_VERSION, .set_hooks = set_hooks, .now = now, .setting = setting,
		.device_count = device_count, .fail = fail, .device = device,
		.context_id = id_of, .stream_id = stream_id, .node_id = node_id,
		.graph_id = id_of, .context_device = context_device,
		.context_count = context_count, .settle = settle, .in_flight = in_flight,
	};

	return &core;
}

uint32_t call(uint32_t domain, const char *name, void (*inside)(void))
{
	static uint32_t cbids[2];	/* sites of the tests' two calls */
	int result = 0;
	struct sim_call c = {
		.domain = domain, .name = name, .function = "function", .symbol = "_Z4axpyv",
		.params = "params", .result = &result, .context = (void *)1, .context_id = 1,
		.correlation = depth ? outer : ++correlations, .depth = depth, .start = now(),
		.cbid = strstr(name, "aunchKernel") ? &cbids[domain - 1] : NULL,
	};

	outer = c.correlation;
	depth++;
	hooks->api(&c, 0);
	if (inside)
		inside();
	c.end = now();
	hooks->api(&c, 1);
	depth--;
	return c.correlation;
}

uint32_t op(enum sim_op_type type, uint64_t start, uint64_t end)
{
	struct sim_record r = shape;

	r.type = type;
	r.queued = start - 2;
	r.submitted = start - 1;
	r.start = start;
	r.end = end;
	r.correlation = ++correlations;
	hooks->record(&r);
	return r.correlation;
}
