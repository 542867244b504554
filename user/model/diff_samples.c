// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Values with counts, kept few; see diff_samples.h. */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "diff_samples.h"

static int compare(const void *a, const void *b)
{
	const struct weighted *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

static void compact(struct samples *s)
{
	size_t out = 0;

	if (s->sorted == s->n)
		return;
	qsort(s->list, s->n, sizeof(*s->list), compare);
	for (size_t i = 0; i < s->n; i++) {
		if (out && s->list[out - 1].value == s->list[i].value)
			s->list[out - 1].count += s->list[i].count;
		else
			s->list[out++] = s->list[i];
	}
	s->n = s->sorted = out;
}

/* To the middle of what shares its first bits. */
static u64 rounded(u64 value)
{
	int bits = value ? 64 - __builtin_clzll(value) : 0;
	u64 unit = bits > SAMPLES_BITS ? 1ULL << (bits - SAMPLES_BITS) : 1;

	return (value & ~(unit - 1)) + unit / 2;
}

static void make_room(struct samples *s)
{
	compact(s);
	if (s->n > SAMPLES_EXACT) {
		for (size_t i = 0; i < s->n; i++)
			s->list[i].value = rounded(s->list[i].value);
		s->sorted = 0;
		compact(s);
	}
	if (s->n < s->room / 2)
		return;
	s->room = s->room ? 2 * s->room : 16;
	s->list = must_realloc(s->list, s->room * sizeof(*s->list));
}

void samples_add(struct samples *s, u64 value, u64 count)
{
	if (s->n == s->room)
		make_room(s);
	s->list[s->n++] = (struct weighted){ value, count };
	s->count += count;
}

/* The value at a rank, 1 the first; s is compact. */
static u64 at_rank(const struct samples *s, u64 rank)
{
	u64 seen = 0;

	for (size_t i = 0; i < s->n; i++) {
		seen += s->list[i].count;
		if (seen >= rank)
			return s->list[i].value;
	}
	return s->n ? s->list[s->n - 1].value : 0;
}

void samples_close(struct samples *s)
{
	struct weighted kept[SAMPLES_KEPT];

	compact(s);
	if (s->n <= SAMPLES_KEPT)
		return;
	for (u64 i = 0; i < SAMPLES_KEPT; i++) {
		u64 from = (unsigned __int128)s->count * i / SAMPLES_KEPT;
		u64 to = (unsigned __int128)s->count * (i + 1) / SAMPLES_KEPT;

		kept[i].value = at_rank(s, i == SAMPLES_KEPT / 2 ? (s->count + 1) / 2
								 : from + (to - from + 1) / 2);
		kept[i].count = to - from;
	}
	memcpy(s->list, kept, sizeof(kept));
	s->n = SAMPLES_KEPT;
	s->sorted = 0;		/* neighbours may be equal */
	compact(s);
}

void samples_merge(struct samples *into, const struct samples *from)
{
	for (size_t i = 0; i < from->n; i++)
		samples_add(into, from->list[i].value, from->list[i].count);
}

u64 samples_percentile(struct samples *s, u32 percent)
{
	compact(s);
	return at_rank(s, ((unsigned __int128)s->count * percent + 99) / 100);
}

u64 samples_unit(const struct samples *s, u64 unit)
{
	for (size_t i = 0; i < s->n && unit != 1; i++)
		for (u64 a = s->list[i].value, b; a; a = b) {
			b = unit % a;
			unit = a;
		}
	return unit ? unit : 1;
}

double samples_quantile(struct samples *s, double share, u64 unit)
{
	double rank = share * s->count, seen = 0;

	compact(s);
	for (size_t i = 0; i < s->n; i++) {
		double n = s->list[i].count;

		if (seen + n >= rank)
			return s->list[i].value + unit * ((rank - seen) / n - 0.5);
		seen += n;
	}
	return s->n ? s->list[s->n - 1].value : 0;
}

void samples_free(struct samples *s)
{
	free(s->list);
	memset(s, 0, sizeof(*s));
}
