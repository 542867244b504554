// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Errors as gpuxid prints them: in the table bursts are one line, JSON has each
 * occurrence. As they happen, the first of a burst is printed at once; of a log or
 * a recording each burst is printed at the end, in order of their first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "clock.h"
#include "hash.h"
#include "xid_catalog.h"
#include "xid_log.h"
#include "xid_row.h"
#include "xid_view.h"

struct xid_settings xid_set = { .fold_ns = 10000000000ULL, .calls = 8 };

/* ---- what is printed ---- */

static const struct column table[] = {
	COL(xid_row, first, "TIME", -23, AS_STR), COL(xid_row, last, "UNTIL", -12, AS_STR),
	COL(xid_row, count_text, "COUNT", 5, AS_STR),
	COL(xid_row, pci, "DEVICE", -12, AS_STR), COL(xid_row, gpu_text, "GPU", 3, AS_STR),
	COL(xid_row, label, "ERROR", -10, AS_STR),
	COL(xid_row, pid_text, "PID", 7, AS_STR), COL(xid_row, comm_text, "COMM", -15, AS_STR),
	COL(xid_row, severity_text, "SEVERITY", -8, AS_STR),
	COL(xid_row, advice, "WHAT TO DO", -42, AS_STR),
	COL(xid_row, said, "MESSAGE", -1, AS_STR),
	{}
};

static const struct column members[] = {
	COL_KEY(xid_row, e.ts, "ts", "", 0, AS_TIME), COL(xid_row, time, "", 0, AS_STR),
	COL(xid_row, realtime_ns, "", 0, AS_DEC), COL(xid_row, id, "", 0, AS_DEC),
	COL(xid_row, burst, "", 0, AS_DEC), COL(xid_row, nvswitch, "", 0, AS_DEC),
	COL(xid_row, code, "", 0, AS_DEC), COL(xid_row, name, "", 0, AS_STR),
	COL(xid_row, pci, "", 0, AS_STR), COL(xid_row, gpu, "", 0, AS_SIGNED),
	COL(xid_row, minor, "", 0, AS_SIGNED), COL(xid_row, uuid, "", 0, AS_STR),
	COL(xid_row, model, "", 0, AS_STR),
	COL(xid_row, gpu_instance, "", 0, AS_SIGNED),
	COL(xid_row, compute_instance, "", 0, AS_SIGNED),
	COL_KEY(xid_row, e.pid, "pid", "", 0, AS_DEC),
	COL_KEY(xid_row, e.tid, "tid", "", 0, AS_DEC),
	COL(xid_row, comm, "", 0, AS_STR), COL(xid_row, owner, "", 0, AS_ENUM, xid_owners),
	COL(xid_row, cgroup, "", 0, AS_STR), COL(xid_row, cgroup_id, "", 0, AS_DEC),
	COL(xid_row, severity, "", 0, AS_ENUM, xid_severities),
	COL(xid_row, meaning, "", 0, AS_STR),
	COL(xid_row, action, "", 0, AS_ENUM, xid_actions), COL(xid_row, advice, "", 0, AS_STR),
	COL(xid_row, source, "", 0, AS_ENUM, xid_sources),
	COL(xid_row, simulated, "", 0, AS_ENUM, xid_simulations),
	COL(xid_row, lines, "", 0, AS_DEC), COL(xid_row, text, "", 0, AS_STR),
	{}
};

static const struct column call_members[] = {
	COL_KEY(event, ts, "ts", "", 0, AS_TIME),
	COL_KEY(event, pid, "pid", "", 0, AS_DEC), COL_KEY(event, tid, "tid", "", 0, AS_DEC),
	COL_KEY(xid_call_row, c.xid, "xid", "", 0, AS_DEC),
	COL_KEY(xid_call_row, c.age, "age", "", 0, AS_DEC),
	COL_KEY(xid_call_row, c.dur_ns, "dur_ns", "", 0, AS_DEC),
	COL_KEY(xid_call_row, c.what, "what", "", 0, AS_ENUM, recent_whats),
	COL_KEY(xid_call_row, c.op, "op", "", 0, AS_DEC),
	COL_KEY(xid_call_row, c.device, "device", "", 0, AS_DEVNO),
	COL_KEY(xid_call_row, c.cmd, "cmd", "", 0, AS_HEX),
	COL_KEY(xid_call_row, c.rm, "rm", "", 0, AS_HEX),
	COL_KEY(xid_call_row, c.result, "result", "", 0, AS_SIGNED),
	COL_KEY(xid_call_row, name, "name", "", 0, AS_STR),
	{}
};

/* ---- bursts ---- */

struct burst {			/* errors of one device, number and process, near in time */
	struct burst *next;	/* past: in order of their first; live: of those that owe a
				 * line for what came behind the first */
	u64 id, count;
	u64 told;		/* occurrences for which a line was printed */
	u64 last_real, last_boot;	/* time of the last one */
	u64 heard_ns;		/* when the last one came here */
	bool listed, over;	/* over: no other one will be of it */
	u32 calls;
	struct xid_call *call;	/* of the first one's process, xid_set.calls at most */
	struct xid *first;	/* NULL: JSON, which needs none */
};

static struct {
	struct hash open;	/* device, number and process -> the burst they are in */
	struct arena arena;
	struct burst *first, **end;	/* past: all of them; live: that owe a line */
	struct burst *current;	/* of the last error */
	u64 ids, current_id;
	struct hash waiting;	/* id -> calls that a recording has before their error */
	u64 realtime;		/* of a recording: at CLOCK_MONOTONIC 0; 0 unknown */
	bool past;		/* a log or a recording: told at the end, in order */
} state = { .end = &state.first };

struct waiting {
	u32 count;
	struct xid_call call[RECENT_CALLS];
};

static u64 burst_key(const struct xid *x)
{
	u64 place = (u64)x->pci_domain << 16 | x->pci_bus << 8 | x->pci_device;

	return hash_mix(hash_mix(place) ^ (u64)x->code << 33 ^ (u64)x->nvswitch << 32 ^
			x->e.pid) | 1;
}

static bool apart(u64 a, u64 b)
{
	return (a > b ? a - b : b - a) > xid_set.fold_ns;
}

/* Where no time is known at all, none is known to have passed. */
static bool gap(const struct burst *b, const struct xid *x)
{
	if (!xid_set.fold_ns)
		return true;
	if (b->last_real && x->realtime_ns)
		return apart(b->last_real, x->realtime_ns);
	if (b->last_boot && x->e.ts)
		return apart(b->last_boot, x->e.ts);
	return b->last_real || b->last_boot || x->realtime_ns || x->e.ts;
}

static void burst_list(struct burst *b)
{
	if (b->listed)
		return;
	b->listed = true;
	b->next = NULL;
	*state.end = b;
	state.end = &b->next;
}

static struct burst *burst_new(const struct xid *x, bool json)
{
	struct burst *b = must_alloc(sizeof(*b));

	b->id = ++state.ids;
	if (json)
		return b;
	b->first = must_alloc(x->e.size);
	memcpy(b->first, x, x->e.size);
	if (state.past)
		burst_list(b);
	return b;
}

static void burst_free(struct burst *b)
{
	free(b->first);
	free(b->call);
	free(b);
}

/* ---- rows ---- */

static bool here(const struct sink *s, const struct xid *x)
{
	return !s->set->input && x->source != XID_FILE;
}

static int print_call(struct sink *s, const struct xid_call *c)
{
	struct xid_row r;

	xid_call_line(&r, c, state.current ? state.current->first->e.ts : 0);
	return sink_row(s, table, "xid", &r.e);
}

static int print_burst(struct sink *s, struct burst *b)
{
	struct xid_row r;
	int err;

	xid_row(&r, b->first, here(s, b->first));
	r.count = b->count - b->told;
	xid_row_count(&r, b->told, b->last_real, b->last_boot);
	err = sink_row(s, table, "xid", &r.e);
	for (u32 i = 0; !err && !b->told && i < b->calls; i++)
		err = print_call(s, &b->call[i]);
	b->told = b->count;
	return err;
}

/* The burst is over: what came behind the line that was printed when it began. */
static int burst_end(struct sink *s, struct burst *b)
{
	int err = 0;

	if (!s->set->json && !state.past && b->count > b->told)
		err = print_burst(s, b);
	b->over = true;
	if (!b->listed)		/* else who goes through the list frees it */
		burst_free(b);
	return err;
}

static int print_json(struct sink *s, const struct burst *b, struct xid_row *r)
{
	r->burst = b->id;
	return sink_row(s, members, "xid", &r->e);
}

/* ---- which ones ---- */

static bool is_gpu(const struct xid_row *r)
{
	u32 domain, bus, device;
	char *end;
	long n = strtol(xid_set.gpu, &end, 10);

	if (!*end)
		return r->gpu == n;
	if (sscanf(xid_set.gpu, "%x:%x:%x", &domain, &bus, &device) == 3) {
		char pci[20];

		snprintf(pci, sizeof(pci), "%04x:%02x:%02x.", domain, bus, device);
		return !strncmp(r->pci, pci, strlen(pci));
	}
	return r->uuid[0] && !strncmp(r->uuid, xid_set.gpu, strlen(xid_set.gpu));
}

static bool in_cgroup(const struct xid_row *r, const char *path)
{
	static const char mount[] = "/sys/fs/cgroup";
	size_t n;

	if (!strncmp(path, mount, sizeof(mount) - 1))
		path += sizeof(mount) - 1;
	for (n = strlen(path); n && path[n - 1] == '/'; n--)
		;
	return r->cgroup[0] && !strncmp(r->cgroup, path, n) &&
	       (!r->cgroup[n] || r->cgroup[n] == '/');
}

static bool by_source(const struct xid_row *r)
{
	static const u32 bits[] = { [XID_TRACEPOINT] = BY_TRACEPOINT,
				    [XID_REPORT_ERROR] = BY_KPROBE, [XID_CONSOLE] = BY_CONSOLE,
				    [XID_KMSG] = BY_KMSG };

	return !xid_set.sources || r->source == XID_FILE ||
	       (r->source < sizeof(bits) / sizeof(*bits) && xid_set.sources & bits[r->source]);
}

static bool asked_for(const struct sink *s, const struct xid_row *r)
{
	bool code = !xid_set.code_count;

	for (u32 i = 0; i < xid_set.code_count; i++)
		code |= xid_set.code[i] == r->code;
	return code && by_source(r) && (!s->set->pid || s->set->pid == r->e.pid) &&
	       (!xid_set.gpu || is_gpu(r)) &&
	       (!s->set->cgroup || in_cgroup(r, s->set->cgroup));
}

/* ---- the view ---- */

static int put_error(struct sink *s, const struct xid *x)
{
	struct burst *b = hash_get(&state.open, burst_key(x));
	struct xid_row r;
	bool begins;
	int err = 0;

	state.current = NULL;
	xid_row(&r, x, here(s, x));
	if (!asked_for(s, &r))
		return 0;
	begins = !b || gap(b, x);
	if (begins) {
		err = b ? burst_end(s, b) : 0;
		b = burst_new(x, s->set->json);
		hash_put(&state.open, burst_key(x), b);
	}
	b->count++;
	b->heard_ns = now_ns();
	b->last_real = x->realtime_ns ? x->realtime_ns : r.realtime_ns;
	b->last_boot = x->e.ts;
	state.current = b;
	state.current_id = x->id;
	if (err || s->set->json)
		return err ? err : print_json(s, b, &r);
	if (state.past)
		return 0;
	if (begins)
		return print_burst(s, b);
	burst_list(b);
	return 0;
}

static int put_own_call(struct sink *s, const struct xid_call *c)
{
	struct burst *b = state.current;

	if (s->set->json) {
		struct xid_call_row r;

		xid_call_row(&r, c);
		return sink_row(s, call_members, "xid_call", &r.c.e);
	}
	if (b->count > 1 || c->age >= xid_set.calls)
		return 0;
	if (!state.past)
		return print_call(s, c);
	if (!b->call)
		b->call = must_alloc(xid_set.calls * sizeof(*b->call));
	if (b->calls < xid_set.calls)
		b->call[b->calls++] = *c;
	return 0;
}

/* A recording is read in order of time: calls first. */
static void call_waits(const struct xid_call *c)
{
	struct waiting *w = hash_get(&state.waiting, c->xid);

	if (!w) {
		w = arena_alloc(&state.arena, sizeof(*w));
		hash_put(&state.waiting, c->xid, w);
	}
	if (w->count < RECENT_CALLS)
		w->call[w->count++] = *c;
}

static int put_call(struct sink *s, const struct xid_call *c)
{
	if (state.current && c->xid == state.current_id)
		return put_own_call(s, c);
	if (s->set->input)
		call_waits(c);
	return 0;
}

/* Of what a file holds no more is taken than a record of ours can have. */
static int put_xid(struct sink *s, const struct xid *from)
{
	struct xid_record r = {};
	struct waiting *w = hash_take(&state.waiting, from->id);
	int err;

	r.x.e.size = from->e.size < sizeof(r) ? from->e.size : sizeof(r);
	memcpy(&r, from, r.x.e.size);
	r.x.e.size = from->e.size < sizeof(r) ? from->e.size : sizeof(r);
	r.text[sizeof(r.text) - 1] = '\0';
	if (!r.x.realtime_ns && r.x.e.ts && state.realtime && s->set->input)
		r.x.realtime_ns = r.x.e.ts + state.realtime;
	err = put_error(s, &r.x);
	for (u32 i = w ? w->count : 0; i && !err && state.current; i--)
		if (w->call[i - 1].e.pid == r.x.e.pid)
			err = put_own_call(s, &w->call[i - 1]);
	return err;
}

static void learn_clock(const struct clock_pair *c)
{
	if (!state.realtime && c->realtime_ns > c->e.ts)
		state.realtime = c->realtime_ns - c->e.ts;
}

static int view_begin(const struct tool *tool)
{
	state.past = xid_set.file_count;
	return 0;
}

static int view_put(struct sink *s, const struct event *e)
{
	state.past |= s->set->input != NULL;
	switch (e->kind) {
	case EVENT_XID: return put_xid(s, (const struct xid *)e);
	case EVENT_XID_CALL: return put_call(s, (const struct xid_call *)e);
	case EVENT_CLOCK:
		learn_clock((const struct clock_pair *)e);
		return 0;
	default: return 0;
	}
}

/* Of those that owe a line: the quiet ones, or all. */
static int pay(struct sink *s, u64 now, bool all)
{
	struct burst *b = state.first, *next;
	int err = 0;

	state.first = NULL;
	state.end = &state.first;
	for (; b; b = next) {
		next = b->next;
		b->listed = false;
		if (b->over) {
			burst_free(b);
			continue;
		}
		if (!all && now - b->heard_ns <= xid_set.fold_ns)
			burst_list(b);
		else if (!err && b->count > b->told)
			err = print_burst(s, b);
	}
	return err;
}

int xid_view_quiet(struct sink *s)
{
	if (state.past || s->set->json || s->file)
		return 0;
	if (state.first)
		s->head = table;	/* a line of the burst stands under it */
	return pay(s, now_ns(), false);
}

static int view_tick(struct sink *s, u64 from_ns, u64 to_ns)
{
	return xid_view_quiet(s);
}

static int print_past(struct sink *s)
{
	struct burst *b = state.first, *next;
	int err = 0;

	for (; b; b = next) {
		next = b->next;
		state.current = b;
		err = err ? err : print_burst(s, b);
		if (b->over)
			burst_free(b);
	}
	return err;
}

static int view_end(struct sink *s)
{
	struct hash_slot *slot;
	size_t at = 0;
	int err = state.past ? print_past(s) : pay(s, 0, true);

	while ((slot = hash_next(&state.open, &at)))
		burst_free(slot->value);
	hash_free(&state.open);
	hash_free(&state.waiting);
	arena_free(&state.arena);
	return err;
}

const struct tool_view xid_view = { view_begin, view_put, view_tick, view_end };
