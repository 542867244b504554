// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the recorder wants, in CUPTI's terms. CUPTI is subscribed to once for
 * each recorder. All functions run under `switching`.
 */
#include "library.h"

/* Each refused attempt leaves a thread behind in some versions: then never again. */
#define REFUSED_MAX 4

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
static bool clock_agree(bool early)
{
	return early && library.cupti.register_timestamp &&
	       !library.cupti.register_timestamp(timestamp);
}

/* What is done once in a process, before the first subscription. */
static int cupti_prepare(void)
{
	static bool prepared;

	if (!prepared && (cupti_load() || activity_init()))
		return -1;
	prepared = library.cupti_tried = true;
	return 0;
}

/* The same right after it. */
static int cupti_first(bool early)
{
	struct cupti_functions *c = &library.cupti;
	static bool done, agreed;
	size_t size = sizeof(uint8_t);
	uint8_t yes = 1;
	int err = 0;

	if (!done) {
		if (c->set_thread_id_type)
			c->set_thread_id_type(CUPTI_THREAD_ID_SYSTEM);
		if (c->set_attribute)
			c->set_attribute(CUPTI_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &yes);
		agreed = clock_agree(early);
		err = c->register_callbacks(activity_request, activity_complete);
	}
	done = done || !err;
	store_relaxed(&library.ring->clock_realtime, !agreed);
	return err;
}

static void cupti_start(bool early)
{
	struct cupti_functions *c = &library.cupti;
	static u32 refused;	/* times */
	static int refusal;

	if (cupti_prepare()) {
		status(RING_STATUS_NO_CUPTI);
		return;
	}
	store_relaxed(&library.ring->cupti_version, library.cupti_version);
	if (refused < REFUSED_MAX) {
		refusal = c->subscribe(&library.subscriber, api_callback, NULL);
		refused += refusal != 0;
	}
	if (status(refusal))
		return;
	if (status(cupti_first(early)))
		c->unsubscribe(library.subscriber);
	else
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
	static u32 asked;	/* in this session */
	u32 from = library.on;

	if ((wanted & WANT_CUPTI) && library.cuda && asked != library.session) {
		asked = library.session;
		cupti_start(early);
	}
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
