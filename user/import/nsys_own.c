// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tables that gpureport --sqlite adds to Nsight Systems': import(export(x)) is x. */
#include <string.h>
#include "nsys.h"

static void read_spans(struct nsys *n)
{
	enum { START, END, THREAD, NAME, CATEGORY, WHAT, ID, DEVICE, STREAM };
	static const char *const columns[] = {
		"start", "end", "globalTid", "nameId", "categoryId", "what", "id", "deviceId",
		"streamId",
	};
	static const char table[] = "GPUSCOPE_SPANS";
	struct nsys_thread *t;
	struct nsys_process *p;
	struct db_scan s;

	NSYS_SELECT(n, &s, table, columns);
	while (db_next(&s)) {
		struct span r = { .e = { .size = sizeof(r), .kind = EVENT_SPAN } };

		p = nsys_process(n, db_int(&s, THREAD));
		if (db_int(&s, THREAD) & 0xffffff) {	/* else on a GPU */
			t = nsys_thread(n, db_int(&s, THREAD));
			r.e.tid = t->tid;
		}
		r.e.producer = p->producer;
		r.e.pid = import_pid(n->im, p->producer);
		r.e.cpu = CPU_UNKNOWN;
		r.e.ts = nsys_span(n, table, db_int(&s, START), db_int(&s, END), &r.dur_ns);
		r.name = nsys_name(n, p, NAME_SPAN, db_int(&s, NAME));
		if (!db_null(&s, CATEGORY))
			r.category = nsys_name(n, p, NAME_SPAN, db_int(&s, CATEGORY));
		r.what = db_int(&s, WHAT) > SPAN_MARK ? SPAN_OTHER : db_int(&s, WHAT);
		r.id = db_int(&s, ID);
		r.device = db_null(&s, DEVICE) ? ~0u : db_int(&s, DEVICE);
		r.stream = db_null(&s, STREAM) ? ~0u : db_int(&s, STREAM);
		import_put(n->im, &r.e);
	}
	db_end(&s);
}

static void read_counters(struct nsys *n)
{
	enum { TIME, PROCESS, NAME, VALUE, EXPONENT, DEVICE };
	static const char *const columns[] = {
		"timestamp", "globalPid", "nameId", "value", "exponent", "deviceId",
	};
	struct nsys_process *p;
	struct db_scan s;

	NSYS_SELECT(n, &s, "GPUSCOPE_COUNTERS", columns);
	while (db_next(&s)) {
		struct counter r = {
			.e = { .size = sizeof(r), .kind = EVENT_COUNTER, .cpu = CPU_UNKNOWN },
		};

		p = nsys_process(n, db_int(&s, PROCESS));
		r.e.producer = p->producer;
		r.e.pid = import_pid(n->im, p->producer);
		r.e.ts = nsys_time(n, "GPUSCOPE_COUNTERS", db_int(&s, TIME));
		r.name = nsys_name(n, p, NAME_COUNTER, db_int(&s, NAME));
		r.value = db_int(&s, VALUE);
		r.exponent = db_int(&s, EXPONENT);
		r.device = db_null(&s, DEVICE) ? ~0u : db_int(&s, DEVICE);
		import_put(n->im, &r.e);
	}
	db_end(&s);
}

/* Whose rank a process is; of several ranks in one file none is the file's. */
static void read_source(struct nsys *n)
{
	static const char *const columns[] = { "rank", "world" };
	struct db_scan s;
	u64 rows = 0;
	s64 rank = -1, world = 0;

	NSYS_SELECT(n, &s, "GPUSCOPE_SOURCES", columns);
	for (; db_next(&s); rows++) {
		rank = db_null(&s, 0) ? -1 : db_int(&s, 0);
		world = db_int(&s, 1);
	}
	db_end(&s);
	if (rows == 1 && rank >= 0)
		import_file_rank(n->im, rank, world);
}

/* Devices that no operation uses are in the trace too. */
static void tell_devices(struct nsys *n)
{
	struct hash_slot *slot;
	size_t at = 0;

	if (db_has(n->db, "GPUSCOPE_SOURCES"))
		while ((slot = hash_next(&n->ordinals, &at)))
			nsys_device(n, nsys_process(n, 1ULL << 48 | (slot->key >> 32) << 24),
				    slot->key);
}

/* ---- collectives ---- */

enum { ID, NAME, TYPE, GROUP, DESCRIPTION, RANKS, BYTES, SEQUENCE, SIZE, PEER, IN, OUT };

void nsys_collectives_read(struct nsys *n)
{
	static const char *const columns[] = {
		"id", "nameId", "typeId", "groupId", "descriptionId", "ranksId", "bytes",
		"sequence", "groupSize", "peer", "inElements", "outElements",
	};
	struct collective *c;
	struct db_scan s;

	NSYS_SELECT(n, &s, "GPUSCOPE_COLLECTIVES", columns);
	while (db_next(&s)) {
		c = arena_alloc(&n->arena, sizeof(*c));
		c->name = db_int(&s, NAME);	/* of StringIds, until a kernel needs it */
		c->type = db_int(&s, TYPE);
		c->group = db_int(&s, GROUP);
		c->description = db_int(&s, DESCRIPTION);
		c->ranks = db_int(&s, RANKS);
		c->bytes = db_int(&s, BYTES);
		c->sequence = db_int(&s, SEQUENCE);
		c->group_size = db_int(&s, SIZE);
		c->peer = db_int(&s, PEER);
		c->in_elements = db_int(&s, IN);
		c->out_elements = db_int(&s, OUT);
		hash_put(&n->collectives, db_int(&s, ID), c);
	}
	db_end(&s);
}

u32 nsys_collective(struct nsys *n, struct nsys_process *p, s64 id)
{
	const struct collective *known = hash_get(&n->collectives, id);
	struct collective c;
	u32 *texts[5], i;

	if (!known)
		return 0;
	c = *known;
	texts[0] = &c.name;
	texts[1] = &c.type;
	texts[2] = &c.group;
	texts[3] = &c.description;
	texts[4] = &c.ranks;
	for (i = 0; i < 5; i++)
		if (*texts[i])
			*texts[i] = nsys_name(n, p, NAME_COLLECTIVE, *texts[i]);
	return import_collective(n->im, p->producer, &c);
}

void nsys_read_own(struct nsys *n)
{
	read_spans(n);
	read_counters(n);
	read_source(n);
	tell_devices(n);
}
