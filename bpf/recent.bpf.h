/*
 * The last calls of each process, for when something breaks: the sets that see
 * calls write them, the set that sees errors gives them out. Shared by map name:
 * the sets of one run have one map, and another tool finds it by that name.
 */
#ifndef RECENT_BPF_H
#define RECENT_BPF_H

#include "emit.bpf.h"
#include "xid.h"

#define RECENT_PROCESSES 2048	/* 5 MB */
#define RECENT_TORN 0		/* ts of a call that is being written */

struct recent {
	u64 start_ns;		/* of the process: its id is given again one day */
	u64 next;		/* calls so far */
	struct recent_call calls[RECENT_CALLS];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);	/* of processes that died, too */
	__uint(max_entries, RECENT_PROCESSES);
	__type(key, u32);	/* pid */
	__type(value, struct recent);
} shared_recent SEC(".maps");

static const struct recent recent_none = {};	/* too large for the stack of a program */

/* Of the current process. */
static __always_inline struct recent *recent_get(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 start_ns = task->group_leader->start_time;
	u32 pid = bpf_get_current_pid_tgid() >> 32;
	struct recent *r = bpf_map_lookup_elem(&shared_recent, &pid);

	if (r && r->start_ns == start_ns)
		return r;
	bpf_map_update_elem(&shared_recent, &pid, &recent_none, BPF_ANY);
	r = bpf_map_lookup_elem(&shared_recent, &pid);
	if (r)
		r->start_ns = start_ns;
	return r;
}

/* A call of the current thread; c->tid is filled in here. */
static __always_inline void recent_add(const struct recent_call *c)
{
	struct recent *r = recent_get();
	struct recent_call *slot;

	if (!r)
		return;
	slot = &r->calls[__sync_fetch_and_add(&r->next, 1) % RECENT_CALLS];
	*(volatile u64 *)&slot->ts = RECENT_TORN;
	slot->dur_ns = c->dur_ns;
	slot->tid = bpf_get_current_pid_tgid();
	slot->device = c->device;
	slot->cmd = c->cmd;
	slot->rm = c->rm;
	slot->result = c->result;
	slot->what = c->what;
	slot->op = c->op;
	*(volatile u64 *)&slot->ts = c->ts;
}

static __always_inline void recent_fill(struct xid_call *x, const struct recent_call *c)
{
	x->e.tid = c->tid;
	x->dur_ns = c->dur_ns;
	x->device = c->device;
	x->cmd = c->cmd;
	x->rm = c->rm;
	x->result = c->result;
	x->what = c->what;
	x->op = c->op;
}

/* One EVENT_XID_CALL; a call that is being overwritten is left out. */
static __always_inline void recent_emit_call(const struct recent_call *c, u32 pid, u64 xid,
					     u32 age)
{
	struct xid_call *x = emit_begin(sizeof(*x), EVENT_XID_CALL);

	if (!x)
		return;
	x->e.ts = *(volatile u64 *)&c->ts;
	recent_fill(x, c);
	x->e.pid = pid;
	x->xid = xid;
	x->age = age;
	if (x->e.ts != RECENT_TORN && x->e.ts == *(volatile u64 *)&c->ts)
		emit_end(x);
	else
		emit_drop(x);
}

/* The last calls of a process, the latest first, as records that name the Xid `xid`. */
static __always_inline void recent_emit(u32 pid, u64 xid)
{
	struct recent *r = bpf_map_lookup_elem(&shared_recent, &pid);
	u64 next = r ? r->next : 0;

	for (u32 age = 0; r && age < RECENT_CALLS && age < next; age++)
		recent_emit_call(&r->calls[(next - 1 - age) % RECENT_CALLS], pid, xid, age);
}

#endif
