// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A service waits until it, its faults and its migrations are here: its record says how many
 * faults and bytes it had. Then it waits for its batch. Both kinds of group stand in one list
 * by age, from whose old end the horizon and the bound on memory take.
 */
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "log.h"
#include "uvm_join.h"
#include "uvm_share.h"

#define PENDING_MAX 262144	/* faults and migrations that wait: 24 MiB */
#define GROUPS_MAX  131072	/* services and batches that wait or are remembered */
#define SLICES 8		/* of a board, by the driver's GPU ids */

/* Of a module that was loaded before: numbers begin at 1 again. */
struct earlier { struct earlier *next; struct uvm_batch batch; };

struct group {			/* of a service, or of a batch */
	struct group *older, *newer;
	u64 key, born;		/* born: the newest time seen when it came */
	bool is_batch, have;
	struct uvm_service service;	/* where have */
	struct uvm_batch batch;
	struct earlier *earlier;	/* batches of that number before */
	struct uvm_fault *faults;	/* batch: those without a service */
	struct uvm_migration *moves;
	u32 fault_count, fault_room, move_count, move_room;
	struct group *waiting, **last;	/* batch: services complete but for it, by `next` */
	struct group *next;
	bool parked;		/* service: in its batch's list */
	u32 missing;		/* service: UVM_MISSING_SERVICE or _MOVES, when delivered */
};

struct age { struct group *oldest, *youngest; };

struct uvm_join {
	int (*deliver)(void *ctx, const struct uvm_joined *f);
	void *ctx;
	u64 horizon_ns, newest;
	struct hash services, batches;
	struct age ages[2]; /* of services; of batches, which are remembered twice as long */
	u32 pending, groups;
};

struct uvm_join *uvm_join_new(u64 horizon_ns,
			      int (*deliver)(void *ctx, const struct uvm_joined *f), void *ctx)
{
	struct uvm_join *j = must_alloc(sizeof(*j));

	j->deliver = deliver;
	j->ctx = ctx;
	j->horizon_ns = horizon_ns;
	return j;
}

/* ---- groups ---- */

static void age_leave(struct age *age, struct group *g)
{
	*(g->older ? &g->older->newer : &age->oldest) = g->newer;
	*(g->newer ? &g->newer->older : &age->youngest) = g->older;
}

static void age_join(struct uvm_join *j, struct group *g)
{
	struct age *age = &j->ages[g->is_batch];

	g->born = j->newest;
	g->newer = NULL;
	g->older = age->youngest;
	*(g->older ? &g->older->newer : &age->oldest) = g;
	age->youngest = g;
}

static struct group *group_of(struct uvm_join *j, bool batch, u64 key)
{
	struct hash *h = batch ? &j->batches : &j->services;
	struct group *g = hash_get(h, key);

	if (g)
		return g;
	g = must_alloc(sizeof(*g));
	g->key = key;
	g->is_batch = batch;
	g->last = &g->waiting;
	age_join(j, g);
	j->groups++;
	hash_put(h, key, g);
	return g;
}

static u64 batch_key(u32 gpu, u32 batch)
{
	return (u64)gpu << 32 | batch;
}

/* As young as what it just got, although one of its number was there long before. */
static struct group *renewed(struct uvm_join *j, struct group *g)
{
	age_leave(&j->ages[g->is_batch], g);
	age_join(j, g);
	return g;
}

static void group_drop(struct uvm_join *j, struct group *g)
{
	age_leave(&j->ages[g->is_batch], g);
	j->groups--;
	j->pending -= g->fault_count + g->move_count;
	hash_take(g->is_batch ? &j->batches : &j->services, g->key);
	for (struct earlier *e = g->earlier, *next; e; e = next) {
		next = e->next;
		free(e);
	}
	free(g->faults);
	free(g->moves);
	free(g);
}

static void *room_for(void *items, u32 count, u32 *room, size_t size)
{
	if (count < *room)
		return items;
	*room = *room ? *room * 2 : 4;
	return must_realloc(items, *room * size);
}

static void add_fault(struct uvm_join *j, struct group *g, const struct uvm_fault *f)
{
	g->faults = room_for(g->faults, g->fault_count, &g->fault_room, sizeof(*f));
	g->faults[g->fault_count++] = *f;
	j->pending++;
}

static void add_move(struct uvm_join *j, struct group *g, const struct uvm_migration *m)
{
	g->moves = room_for(g->moves, g->move_count, &g->move_room, sizeof(*m));
	g->moves[g->move_count++] = *m;
	j->pending++;
}

/* ---- batches ---- */

/* Is it of the time when the batch was served? */
static bool fits(const struct uvm_batch *b, u64 ts)
{
	return ts >= b->e.ts && ts <= b->e.ts + b->dur_ns;
}

static const struct uvm_batch *batch_in(const struct group *g, u64 ts)
{
	if (!g || !g->have)
		return NULL;
	if (fits(&g->batch, ts))
		return &g->batch;
	for (const struct earlier *e = g->earlier; e; e = e->next)
		if (fits(&e->batch, ts))
			return &e->batch;
	return NULL;
}

/* NULL: not here. A batch is named by the first GPU of its board; a fault may be of another
 * slice of it. */
static const struct uvm_batch *batch_known(const struct uvm_join *j, u32 gpu, u32 batch, u64 ts)
{
	u32 board = (gpu - 1) / SLICES * SLICES + 1;
	const struct uvm_batch *b = batch_in(hash_get(&j->batches, batch_key(gpu, batch)), ts);

	return b || board == gpu ? b :
		batch_in(hash_get(&j->batches, batch_key(board, batch)), ts);
}

/* ---- delivery ---- */

static int by_address(const void *a, const void *b)
{
	const struct uvm_fault *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->flags & UVM_DUPLICATE) - (y->flags & UVM_DUPLICATE);
}

static bool own(const struct group *g, const struct uvm_migration *m)
{
	return m->e.pid == g->service.e.pid;
}

static u64 moved(const struct group *g)
{
	u64 bytes = 0;

	for (u32 i = 0; i < g->move_count; i++)
		bytes += own(g, &g->moves[i]) ? g->moves[i].bytes : 0;
	return bytes;
}

static bool of_batch(const struct group *g)
{
	return g->service.what == UVM_SERVICE_REPLAYABLE && g->service.batch;
}

static void latency_of(struct uvm_joined *d, const struct uvm_batch *b)
{
	if (!b) {
		d->missing |= UVM_MISSING_BATCH;
		return;
	}
	d->latency_ns = b->dur_ns;
	if (!b->replays)
		d->missing |= UVM_MISSING_REPLAY;
}

static u32 missing_in(const struct group *g)
{
	if (!g->have)
		return UVM_MISSING_SERVICE;
	return moved(g) < g->service.bytes_in + g->service.bytes_out ? UVM_MISSING_MOVES : 0;
}

static int deliver_fault(struct uvm_join *j, const struct group *g, u32 i,
			 const struct uvm_share *s, const struct uvm_batch *b)
{
	struct uvm_joined d = {
		.fault = g->faults[i], .service_ns = g->service.dur_ns, .bytes_in = s->in,
		.bytes_out = s->out, .status = g->service.status, .what = g->service.what,
		.cause = uvm_share_cause(s), .missing = g->missing,
	};

	if (g->have && !of_batch(g))
		d.latency_ns = d.service_ns;
	else
		latency_of(&d, d.fault.batch ? b : NULL);
	return j->deliver(j->ctx, &d);
}

/* Gives out a service's faults, and forgets it. */
static int deliver_service(struct uvm_join *j, struct group *g, const struct uvm_batch *b)
{
	struct uvm_share *shares = must_alloc((g->fault_count + 1) * sizeof(*shares));
	int err = 0;

	g->missing = missing_in(g);
	if (g->fault_count)
		qsort(g->faults, g->fault_count, sizeof(*g->faults), by_address);
	for (u32 i = 0; g->have && g->fault_count && i < g->move_count; i++)
		if (own(g, &g->moves[i]))
			uvm_share_out(shares, g->faults, g->fault_count, &g->moves[i],
				      g->moves[i].dst == g->service.gpu);
	for (u32 i = 0; !err && i < g->fault_count; i++)
		err = deliver_fault(j, g, i, &shares[i], b);
	free(shares);
	group_drop(j, g);
	return err;
}

/* Faults that no service was begun for: the driver found at once that they are fatal. */
static int deliver_loose(struct uvm_join *j, const struct uvm_fault *f,
			 const struct uvm_batch *b)
{
	struct uvm_joined d = {
		.fault = *f, .cause = UVM_CAUSE_UNKNOWN, .missing = UVM_MISSING_SERVICE,
	};

	latency_of(&d, b);
	return j->deliver(j->ctx, &d);
}

/* Of what waits for the batch: what is of its time, or all. */
static int deliver_batch(struct uvm_join *j, struct group *g, bool all)
{
	struct group *s = g->waiting, *next;
	u32 count = g->fault_count, kept = 0;
	int err = 0, e;

	g->waiting = NULL;
	g->last = &g->waiting;
	for (; s; s = next) {
		const struct uvm_batch *b = batch_in(g, s->service.e.ts);

		next = s->next;
		s->next = NULL;
		if (!b && !all) {
			*g->last = s;
			g->last = &s->next;
			continue;
		}
		e = deliver_service(j, s, b);
		err = err ? err : e;
	}
	for (u32 i = 0; i < count; i++) {
		const struct uvm_batch *b = batch_in(g, g->faults[i].e.ts);

		if (!b && !all)
			g->faults[kept++] = g->faults[i];
		else if (!err)
			err = deliver_loose(j, &g->faults[i], b);
	}
	g->fault_count = kept;
	j->pending -= count - kept;
	return err;
}

static int service_progress(struct uvm_join *j, struct group *g)
{
	const struct uvm_service *s = &g->service;
	const struct uvm_batch *b;
	struct group *batch;

	if (!g->have || g->parked || g->fault_count < s->faults ||
	    (g->fault_count && moved(g) < s->bytes_in + s->bytes_out))
		return 0;
	if (!g->fault_count) {
		group_drop(j, g);	/* a service nobody waited for */
		return 0;
	}
	if (!of_batch(g))
		return deliver_service(j, g, NULL);
	b = batch_known(j, s->gpu, s->batch, s->e.ts);
	if (b)
		return deliver_service(j, g, b);
	batch = renewed(j, group_of(j, true, batch_key(s->gpu, s->batch)));
	*batch->last = g;
	batch->last = &g->next;
	g->parked = true;
	return 0;
}

static void unpark(struct uvm_join *j, struct group *g)
{
	struct group *batch =
	    hash_get(&j->batches, batch_key(g->service.gpu, g->service.batch));
	struct group **at = batch ? &batch->waiting : NULL;

	while (at && *at && *at != g)
		at = &(*at)->next;
	if (!at || !*at)
		return;
	*at = g->next;
	if (!g->next)
		batch->last = at;
}

/* Gives out what waited too long. */
static int retire(struct uvm_join *j, struct group *g)
{
	const struct uvm_fault *f = g->faults;
	int err;

	if (!g->is_batch) {
		if (g->parked)
			unpark(j, g);
		return deliver_service(
		    j, g, f && f->batch ? batch_known(j, f->gpu, f->batch, f->e.ts) : NULL);
	}
	err = deliver_batch(j, g, true);
	group_drop(j, g);
	return err;
}

/* ---- records ---- */

static int put_fault(struct uvm_join *j, const struct uvm_fault *f)
{
	const struct uvm_batch *b;
	struct group *g;

	if (f->service) {
		g = group_of(j, false, f->service);
		add_fault(j, g, f);
		return service_progress(j, g);
	}
	if (!f->batch)
		return deliver_loose(j, f, NULL);
	b = batch_known(j, f->gpu, f->batch, f->e.ts);
	if (b)
		return deliver_loose(j, f, b);
	add_fault(j, renewed(j, group_of(j, true, batch_key(f->gpu, f->batch))), f);
	return 0;
}

/* Probes that were opened anew count from 1 again: the one before of that number has gone. */
static int put_service(struct uvm_join *j, const struct uvm_service *s)
{
	struct group *g = group_of(j, false, s->id);
	int err;

	if (g->have) {
		err = retire(j, g);
		if (err)
			return err;
		g = group_of(j, false, s->id);
	}
	g->service = *s;
	g->have = true;
	return service_progress(j, g);
}

static int put_migration(struct uvm_join *j, const struct uvm_migration *m)
{
	struct group *g;

	if (!m->service)
		return 0;
	g = group_of(j, false, m->service);
	if (!g->parked)		/* else it has all it waits for: another process's */
		add_move(j, g, m);
	return service_progress(j, g);
}

/* What waited under another slice's number finds it too. */
static int put_batch(struct uvm_join *j, const struct uvm_batch *b)
{
	u32 slices = (b->gpu - 1) % SLICES ? 1 : SLICES;
	int err = 0;

	for (u32 i = 0; !err && i < slices; i++) {
		u64 key = batch_key(b->gpu + i, b->batch);
		struct group *g = i ? hash_get(&j->batches, key) : group_of(j, true, key);
		struct earlier *e;

		if (!g)
			continue;
		renewed(j, g);
		if (g->have) {
			e = must_alloc(sizeof(*e));
			*e = (struct earlier){ g->earlier, g->batch };
			g->earlier = e;
		}
		g->batch = *b;
		g->have = true;
		err = deliver_batch(j, g, false);
	}
	return err;
}

static int expire(struct uvm_join *j)
{
	int err = 0;

	for (int batch = 0; batch < 2; batch++) {
		u64 horizon = j->horizon_ns << batch;
		struct age *age = &j->ages[batch];

		while (!err && age->oldest &&
		       (age->oldest->born + horizon < j->newest || j->pending > PENDING_MAX ||
			j->groups > GROUPS_MAX))
			err = retire(j, age->oldest);
	}
	return err;
}

int uvm_join_put(struct uvm_join *j, const struct event *e)
{
	int err = 0;

	if (e->kind < EVENT_UVM_FAULT || e->kind > EVENT_UVM_MARK)
		return 0;
	if (e->ts > j->newest)
		j->newest = e->ts;
	switch (e->kind) {
	case EVENT_UVM_FAULT: err = put_fault(j, (const struct uvm_fault *)e); break;
	case EVENT_UVM_SERVICE: err = put_service(j, (const struct uvm_service *)e); break;
	case EVENT_UVM_BATCH: err = put_batch(j, (const struct uvm_batch *)e); break;
	case EVENT_UVM_MIGRATION:
		err = put_migration(j, (const struct uvm_migration *)e);
		break;
	}
	return err ? err : expire(j);
}

int uvm_join_end(struct uvm_join *j)
{
	int err = 0;

	for (int batch = 0; batch < 2; batch++)
		while (!err && j->ages[batch].oldest)
			err = retire(j, j->ages[batch].oldest);
	return err;
}

void uvm_join_free(struct uvm_join *j)
{
	if (!j)
		return;
	for (int batch = 0; batch < 2; batch++)
		while (j->ages[batch].oldest)
			group_drop(j, j->ages[batch].oldest);
	hash_free(&j->services);
	hash_free(&j->batches);
	free(j);
}
