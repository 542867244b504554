// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Log-linear histogram that starts as a list of samples; see histogram.h. */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "histogram.h"

#define SUB_BITS 6		/* 64 slots per power of two */
#define SUB	 (1u << SUB_BITS)
#define SLOTS	 ((64 - SUB_BITS + 1) * SUB)

static _Thread_local u64 held;	/* room of all lists of samples beyond HISTOGRAM_EXACT */

static u64 counted(u32 room)
{
	return room > HISTOGRAM_EXACT ? room : 0;
}

/* Below 64 a slot is one value; above, the top seven bits choose it. */
static u32 slot_of(u64 v)
{
	u32 shift;

	if (v < SUB)
		return v;
	shift = 63 - __builtin_clzll(v) - SUB_BITS;
	return (shift + 1) * SUB + (u32)((v >> shift) - SUB);
}

static u64 slot_middle(u32 slot)
{
	u32 shift;

	if (slot < SUB)
		return slot;
	shift = slot / SUB - 1;
	return ((u64)(SUB + slot % SUB) << shift) + ((1ULL << shift) >> 1);
}

static void histogram_spill(struct histogram *h, u32 n)
{
	h->slots = must_alloc(SLOTS * sizeof(*h->slots));
	for (u32 i = 0; i < n; i++)
		h->slots[slot_of(h->samples[i])]++;
	free(h->samples);
	h->samples = NULL;
	held -= counted(h->room);
	h->room = 0;
}

/* Room for one more sample; false: there is none. */
static bool histogram_grow(struct histogram *h)
{
	u32 room = h->room ? 2 * h->room : 4;

	if (held - counted(h->room) + counted(room) > HISTOGRAM_HELD)
		return false;
	held += counted(room) - counted(h->room);
	h->samples = must_realloc(h->samples, room * sizeof(*h->samples));
	h->room = room;
	return true;
}

void histogram_add(struct histogram *h, u64 v)
{
	u64 n = h->count++;

	h->sum += v;
	if (!n || v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
	if (!h->slots && n == h->room && !histogram_grow(h))
		histogram_spill(h, n);
	if (h->slots)
		h->slots[slot_of(v)]++;
	else
		h->samples[n] = v;
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

u64 histogram_percentile(struct histogram *h, u32 percent)
{
	u64 rank = (h->count * percent + 99) / 100, seen = 0, v;

	if (!h->count)
		return 0;
	if (!rank)
		rank = 1;
	if (!h->slots) {
		qsort(h->samples, h->count, sizeof(*h->samples), compare);
		return h->samples[rank - 1];
	}
	for (u32 i = 0; i < SLOTS; i++) {
		seen += h->slots[i];
		if (seen < rank)
			continue;
		v = slot_middle(i);
		return v < h->min ? h->min : v > h->max ? h->max : v;
	}
	return h->max;
}

u32 histogram_error_ppm(const struct histogram *h)
{
	return h->slots ? HISTOGRAM_ERROR_PPM : 0;
}

void histogram_free(struct histogram *h)
{
	held -= counted(h->room);
	free(h->samples);
	free(h->slots);
	memset(h, 0, sizeof(*h));
}
