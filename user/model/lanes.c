// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See lanes.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lanes.h"

int lanes_add(struct lanes *l, const struct slice *s)
{
	if (l->n == l->room) {
		size_t room = l->room ? 2 * l->room : 64;
		struct slice *more = realloc(l->slices, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		l->slices = more;
		l->room = room;
	}
	l->slices[l->n++] = *s;
	l->any_loose |= s->loose;
	return 0;
}

static int compare(const void *pa, const void *pb)
{
	const struct slice *a = pa, *b = pb;

	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->a < b->a ? -1 : a->a > b->a;
}

/* Takes the arrow's end, if there is room for it. */
static bool slice_takes(struct slice *s, const struct slice *loose)
{
	if ((loose->flow_out && s->flow_out) || (loose->flow_in && s->flow_in))
		return false;
	s->flow_out |= loose->flow_out;
	s->flow_in |= loose->flow_in;
	return true;
}

/* Arrows' ends go to what is around them among the first n, which are in order; 0 or
 * -ENOMEM. */
static int lanes_bind(struct lanes *l, size_t n)
{
	size_t *open = malloc(n * sizeof(*open) + 1), depth = 0, kept = 0;

	if (!open)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct slice *s = &l->slices[i];

		while (depth && l->slices[open[depth - 1]].end <= s->ts &&
		       l->slices[open[depth - 1]].ts < s->ts)
			depth--;
		if (s->loose && depth && slice_takes(&l->slices[open[depth - 1]], s))
			continue;
		l->slices[kept] = *s;
		if (!s->loose)
			open[depth++] = kept;
		kept++;
	}
	memmove(l->slices + kept, l->slices + n, (l->n - n) * sizeof(*l->slices));
	l->n -= n - kept;
	l->any_loose = l->n > kept;
	free(open);
	return 0;
}

static void lane_close(struct lane *lane, u64 until, const struct lanes_ops *ops, void *ctx)
{
	while (lane->depth && lane->ends[lane->depth - 1] <= until) {
		lane->at = lane->ends[--lane->depth];
		ops->end(ctx, lane->at, lane->uuid);
	}
}

static bool lane_takes(const struct lane *lane, const struct slice *s)
{
	u32 i = lane->depth;

	if (s->ts < lane->at)
		return false;		/* it comes too late for this one */
	while (i && lane->ends[i - 1] <= s->ts)	/* these will be closed first */
		i--;
	return !i || lane->ends[i - 1] >= s->end;
}

static struct lane *lane_new(struct lanes *l, const struct lanes_ops *ops, void *ctx)
{
	struct lane *more = realloc(l->lane, (l->n_lanes + 1) * sizeof(*more));

	if (!more)
		return NULL;
	l->lane = more;
	more[l->n_lanes] = (struct lane){ .uuid = l->n_lanes ? ops->track(ctx, l) : l->uuid };
	return &more[l->n_lanes++];
}

static struct lane *lane_for(struct lanes *l, const struct slice *s,
			     const struct lanes_ops *ops, void *ctx)
{
	for (u32 i = 0; i < l->n_lanes; i++)
		if (lane_takes(&l->lane[i], s))
			return &l->lane[i];
	return lane_new(l, ops, ctx);
}

static int slice_write(struct lanes *l, const struct slice *s, const struct lanes_ops *ops,
		       void *ctx)
{
	struct lane *lane = lane_for(l, s, ops, ctx);

	if (!lane)
		return -ENOMEM;
	lane_close(lane, s->ts, ops, ctx);
	if (lane->depth == lane->room) {
		u32 room = lane->room ? 2 * lane->room : 16;
		u64 *more = realloc(lane->ends, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		lane->ends = more;
		lane->room = room;
	}
	lane->ends[lane->depth++] = s->end;
	lane->at = s->ts;
	ops->begin(ctx, s, lane->uuid);
	return 0;
}

int lanes_flush(struct lanes *l, u64 before, const struct lanes_ops *ops, void *ctx)
{
	size_t i = 0;
	int err = 0;

	if (l->n)
		qsort(l->slices, l->n, sizeof(*l->slices), compare);
	while (l->any_loose && i < l->n && l->slices[i].ts < before)
		i++;
	if (i)
		err = lanes_bind(l, i);
	for (i = 0; i < l->n && l->slices[i].ts < before && !err; i++) {
		err = slice_write(l, &l->slices[i], ops, ctx);
		free(l->slices[i].submits);
	}
	l->n -= i;
	if (l->n && i)
		memmove(l->slices, l->slices + i, l->n * sizeof(*l->slices));
	if (before == ~0ULL)
		for (u32 k = 0; k < l->n_lanes; k++)
			lane_close(&l->lane[k], ~0ULL, ops, ctx);
	return err;
}

void lanes_free(struct lanes *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->slices[i].submits);
	for (u32 i = 0; i < l->n_lanes; i++)
		free(l->lane[i].ends);
	free(l->slices);
	free(l->lane);
	*l = (struct lanes){};
}
