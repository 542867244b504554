// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Managed memory that comes and goes. The addresses of what a recorder was
 * told of are kept, so that a free of any other memory costs a look at one
 * cache line and leaves no record.
 */
#include "library.h"

#define BUCKETS 1024
#define IN_BUCKET 8		/* a cache line */

static u64 known[BUCKETS][IN_BUCKET] __attribute__((aligned(64)));
static u32 count;		/* of all in it */
static bool overflown;		/* some did not fit: every free may be of managed memory */

static u64 *bucket_of(u64 address)
{
	return known[(address >> 9) * 0x9e3779b97f4a7c15ULL >> 54];
}

static void known_add(u64 address)
{
	u64 *b = bucket_of(address), none;

	for (int i = 0; i < IN_BUCKET; i++) {
		none = 0;
		if (__atomic_compare_exchange_n(&b[i], &none, address, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED)) {
			add_relaxed(&count, 1);
			return;
		}
	}
	store_relaxed(&overflown, true);
}

static bool known_take(u64 address)
{
	u64 *b = bucket_of(address), want;

	for (int i = 0; i < IN_BUCKET; i++) {
		want = address;
		if (load_relaxed(&b[i]) == address &&
		    __atomic_compare_exchange_n(&b[i], &want, 0, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED)) {
			add_relaxed(&count, -1);
			return true;
		}
	}
	return false;
}

void managed_forget(void)
{
	for (int i = 0; i < BUCKETS; i++)
		for (int k = 0; k < IN_BUCKET; k++)
			store_relaxed(&known[i][k], 0);
	store_relaxed(&count, 0);
	store_relaxed(&overflown, false);
}

static bool gives(u32 domain, u32 cbid)
{
	return domain == API_DRIVER ? cbid == CUPTI_DRIVER_MEM_ALLOC_MANAGED :
		cbid == CUPTI_RUNTIME_MALLOC_MANAGED;
}

static bool takes(u32 domain, u32 cbid)
{
	if (domain == API_DRIVER)
		return cbid == CUPTI_DRIVER_MEM_FREE || cbid == CUPTI_DRIVER_MEM_FREE_ASYNC ||
		       cbid == CUPTI_DRIVER_MEM_FREE_ASYNC_PTSZ;
	return cbid == CUPTI_RUNTIME_FREE || cbid == CUPTI_RUNTIME_FREE_ASYNC ||
	       cbid == CUPTI_RUNTIME_FREE_ASYNC_PTSZ;
}

/* It is unknown from now on: as soon as the memory is free, another thread may get it. */
u64 managed_leaving(u32 domain, u32 cbid, const void *params)
{
	const struct cupti_free_params *p = params;

	if ((!load_relaxed(&count) && !load_relaxed(&overflown)) || !p || !takes(domain, cbid))
		return 0;
	return p->address && (known_take(p->address) || load_relaxed(&overflown)) ? p->address :
		0;
}

static void tell(u64 address, u64 bytes, u32 correlation)
{
	struct writer *w = writer_get();
	struct alloc *a = w ? record_begin(w, EVENT_ALLOC, sizeof(*a)) : NULL;

	if (!a)
		return;
	a->e.ts = clock_now();
	a->addr = address;
	a->bytes = bytes;
	a->correlation = correlation;
	a->kind = MEMORY_MANAGED;
	a->freed = !bytes;
	a->pad = 0;
	record_end(w, a);
}

/* cudaMallocManaged() calls cuMemAllocManaged(): the inner one tells, with the correlation of
 * the outermost, which is the call that people know. */
void managed_exit(u32 what, const struct cupti_callback_data *d, const struct call *c,
		  struct call *outer)
{
	const struct cupti_managed_params *p = d->params;
	bool failed = d->result && *(const s32 *)d->result;
	u64 address;

	if (c->managed && takes(what >> 24, what & 0xffffff)) {
		if (failed)
			known_add(c->managed);
		else
			tell(c->managed, 0, outer->correlation);
		return;
	}
	if (failed || !p || !p->address || !p->bytes || !gives(what >> 24, what & 0xffffff))
		return;
	address = *p->address;
	if (!address || c->managed == address)
		return;
	outer->managed = address;
	known_add(address);
	tell(address, p->bytes, outer->correlation);
}
