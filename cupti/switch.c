// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the recorder wants, in CUPTI's terms. CUPTI is subscribed to once in a
 * process and never asked again after a refusal: each refused attempt leaves a
 * thread behind in some versions. All functions run under one mutex of inject.c.
 */
#include "library.h"

#define WANT_CUPTI (~(u32)WANT_NVTX)

static const struct { u32 want; int kind; } kinds[] = {
	{ WANT_KERNEL, CUPTI_KIND_CONCURRENT_KERNEL }, { WANT_COPY, CUPTI_KIND_MEMCPY },
	{ WANT_COPY, CUPTI_KIND_MEMCPY2 }, { WANT_SET, CUPTI_KIND_MEMSET },
	{ WANT_SYNC, CUPTI_KIND_SYNCHRONIZATION }, { WANT_OVERHEAD, CUPTI_KIND_OVERHEAD },
	{ WANT_GRAPH_LAUNCH, CUPTI_KIND_GRAPH_TRACE },
};

static uint64_t timestamp(void)
{
	return clock_now();
}

/* The first thing that failed is what the recorder is told. */
static int status(int result)
{
	if (result && !library.ring->cupti_status)
		store_relaxed(&library.ring->cupti_status, result);
	return result;
}

/*
 * Our clock, once per process and only before a context exists: later CUPTI mixes
 * both clocks in one session, so then it keeps its own and times are converted.
 */
static void clock_agree(bool early)
{
	bool agreed = early && library.cupti.register_timestamp &&
		      !library.cupti.register_timestamp(timestamp);

	store_relaxed(&library.ring->clock_realtime, !agreed);
}

static void cupti_start(bool early)
{
	struct cupti_functions *c = &library.cupti;
	size_t size = sizeof(uint8_t);
	uint8_t yes = 1;

	library.cupti_tried = true;
	if (cupti_load() || activity_init()) {
		status(RING_STATUS_NO_CUPTI);
		return;
	}
	store_relaxed(&library.ring->cupti_version, library.cupti_version);
	if (status(c->subscribe(&library.subscriber, api_callback, NULL)))
		return;
	if (c->set_thread_id_type)
		c->set_thread_id_type(CUPTI_THREAD_ID_SYSTEM);
	if (c->set_attribute)
		c->set_attribute(CUPTI_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &yes);
	clock_agree(early);
	if (status(c->register_callbacks(activity_request, activity_complete))) {
		c->unsubscribe(library.subscriber);
		return;
	}
	library.cupti_up = true;
}

static void switch_kinds(u32 from, u32 to)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].want & to & ~from)
			status(library.cupti.enable(kinds[i].kind));
		else if (kinds[i].want & from & ~to)
			library.cupti.disable(kinds[i].kind);
	}
}

void switch_to(u32 wanted, bool early)
{
	u32 from = library.on;

	if ((wanted & WANT_CUPTI) && library.cuda && !library.cupti_tried)
		cupti_start(early);
	if (!library.cupti_up)
		wanted &= WANT_NVTX;
	if (wanted == from)
		return;
	if ((wanted ^ from) & WANT_NVTX)
		add_relaxed(&library.nvtx_epoch, 1);
	store_release(&library.on, wanted);
	if (!library.cupti_up)
		return;
	switch_kinds(from, wanted);
	status(api_callbacks(wanted));
}

void cupti_flush(bool force)
{
	if (!library.cupti_up)
		return;
	store_release(&library.forcing, force);
	status(library.cupti.flush_all(force ? CUPTI_FLUSH_FORCED : 0));
	store_release(&library.forcing, false);
	cupti_drops(NULL, 0);
}

void cupti_drops(void *context, u32 stream)
{
	size_t dropped = 0;

	if (!library.cupti.dropped(context, stream, &dropped) && dropped)
		add_relaxed(&library.ring->cupti_lost, dropped);
}

void cupti_stop(void)
{
	if (library.cupti_up)
		library.cupti.unsubscribe(library.subscriber);
	library.cupti_up = false;
}
