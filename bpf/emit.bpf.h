/*
 * The only way out of a probe: reserve, fill, submit; what finds no room is
 * counted. Sets share the ring and the map of followed processes: the recorder
 * gives every set the same "events" and "followed" (user/probe.c).
 */
#ifndef EMIT_BPF_H
#define EMIT_BPF_H

#include "event.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#define E2BIG 7			/* vmlinux.h has types, not macros */
#define RING_BYTES (8 << 20)	/* user space may change it before load */
#define FOLLOWED_MAX 16384
#define CGROUPS_DEEP 32		/* levels looked at above a task's own */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_BYTES);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FOLLOWED_MAX);
	__type(key, u32);	/* pid, as user space counts */
	__type(value, u32);	/* FOLLOW_* of whoever fills it; present: followed */
} followed SEC(".maps");

const volatile u32 only_pid = 0;
const volatile u32 only_tid = 0;
const volatile u64 only_cgroup = 0;	/* its id; those below it too */
const volatile bool use_followed = false;	/* instead of only_pid: what is in `followed` */

/* The reader is woken once per so many unread bytes; it looks by itself ten times a second. */
const volatile u32 wake_bytes = 256 << 10;

u64 lost = 0;			/* records that found the ring full */
u64 lost_map = 0;		/* calls or tasks that found a map full */

static __always_inline bool is_followed(u32 pid)
{
	return bpf_map_lookup_elem(&followed, &pid) != NULL;
}

/* Upwards by the parents of `self`: ancestor_ids of older kernels became ancestors in 6.1, this
 * path is the same in all. */
static __always_inline bool in_only_cgroup(struct task_struct *task)
{
	struct cgroup *c = BPF_CORE_READ(task, cgroups, dfl_cgrp);

	for (int i = 0; i < CGROUPS_DEEP && c; i++) {
		if (BPF_CORE_READ(c, kn, id) == only_cgroup)
			return true;
		c = BPF_CORE_READ(c, self.parent, cgroup);
	}
	return false;
}

static __always_inline bool wanted_ids(u32 pid, u32 tid)
{
	if (use_followed)
		return is_followed(pid);
	return (!only_pid || only_pid == pid) && (!only_tid || only_tid == tid);
}

/* Is the current task one that the user asked for? */
static __always_inline bool wanted(void)
{
	u64 id = bpf_get_current_pid_tgid();

	return wanted_ids(id >> 32, id) && (!only_cgroup || use_followed ||
		in_only_cgroup((struct task_struct *)bpf_get_current_task()));
}

/* The same of a task that a probe is about and does not run in: the owner of an address space
 * that a kernel thread serves. */
static __always_inline bool wanted_task(struct task_struct *task)
{
	return wanted_ids(BPF_CORE_READ(task, tgid), BPF_CORE_READ(task, pid)) &&
	       (!only_cgroup || use_followed || in_only_cgroup(task));
}

static __always_inline void emit_lost(void)
{
	__sync_fetch_and_add(&lost, 1);
}

static __always_inline void emit_lost_map(void)
{
	__sync_fetch_and_add(&lost_map, 1);
}

/* Head of a record about the current task and now; span records set ts to their start. */
static __always_inline void emit_head(struct event *e, u32 size, u16 kind)
{
	u64 id = bpf_get_current_pid_tgid();

	e->ts = bpf_ktime_get_ns();
	e->pid = id >> 32;
	e->tid = id;
	e->size = size;
	e->kind = kind;
	e->producer = 0;
	e->cpu = bpf_get_smp_processor_id();
}

/* size: constant, a multiple of 8. The caller fills every field behind the head. */
static __always_inline void *emit_begin(u32 size, u16 kind)
{
	struct event *e = bpf_ringbuf_reserve(&events, size, 0);

	if (e)
		emit_head(e, size, kind);
	else
		emit_lost();
	return e;
}

static __always_inline u64 emit_flags(u32 size)
{
	u64 unread = bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA);

	return unread % wake_bytes < size + 8 && unread >= wake_bytes ?
		BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

static __always_inline void emit_end(void *record)
{
	bpf_ringbuf_submit(record, emit_flags(((struct event *)record)->size));
}

static __always_inline void emit_drop(void *record)	/* instead of emit_end(): not wanted
							 * after all */
{
	bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);
}

/* A record of variable length, built in a scratch buffer (scratch.bpf.h). size: proven bounded,
 * a multiple of 8, also what its head says. False when the ring was full (counted). */
static __always_inline bool emit_copy(void *record, u64 size)
{
	if (!bpf_ringbuf_output(&events, record, size, emit_flags(size)))
		return true;
	emit_lost();
	return false;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#endif
