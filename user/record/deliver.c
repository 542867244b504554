// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the recorder learns from records on their way to the file: which
 * processes there are and when to look at their mappings, which thread owns
 * which ring, what was lost.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>
#include "recorder.h"

/* ---- from the kernel's ring ---- */

static void task_forked(struct recorder *r, struct process *p)
{
	const struct process *parent = hash_get(&r->processes, p->task.ppid);

	if (!parent || !parent->maps || p->maps)
		return;
	p->maps = parent->maps;		/* until it executes something else */
	p->maps->refs++;
}

static void task_executed(struct recorder *r, struct process *p)
{
	maps_put(p->maps);
	p->maps = NULL;
	p->in_vain = 0;
	stack_maps(r, p);
}

static void task_learn(struct recorder *r, const struct task *t)
{
	struct process *p;

	if (t->what != TASK_EXEC && t->e.tid != t->e.pid)
		return;
	p = process_get(&r->processes, t->e.pid);
	if (t->what != TASK_EXIT)
		p->task = *t;
	p->local = r->inner ? t->ns_pid : t->e.pid;
	if (t->what == TASK_FORK || t->what == TASK_EXEC)
		unrecorded_begin(p, t->what == TASK_FORK);
	else if (t->what == TASK_FOUND && r->attaching && !p->came)
		unrecorded_now(p);
	if (t->what == TASK_FORK)
		task_forked(r, p);
	if (t->what == TASK_EXEC)
		task_executed(r, p);
}

static int deliver_task(struct recorder *r, const struct task *from_bpf)
{
	struct task t = *from_bpf;

	t.pad = 0;
	if (r->inner && t.what != TASK_EXIT)
		hash_put(&r->inner_ids, t.ns_tid, (void *)(uintptr_t)t.e.tid);
	task_learn(r, &t);
	if (from_bpf->pad)	/* the last thread: what it did stands in the ring before
				 * this */
		process_forget(&r->processes, t.e.pid);
	return record_put(r, &t.e);
}

static int deliver_api_stack(struct recorder *r, const struct api_stack *a)
{
	if (r->handover)
		handover_thread(r->handover, a->process, a->slot, a->ns_tid, a->e.pid,
				a->e.tid);
	return record_put(r, &a->e);
}

int deliver_bpf(void *recorder, void *record, size_t size)
{
	const struct event *e = record;

	if (size < sizeof(*e) || e->size != size)
		return 0;
	if (e->kind == EVENT_TASK)
		return deliver_task(recorder, record);
	if (e->kind == EVENT_STACK)
		return stack_put(recorder, record);
	if (e->kind == EVENT_API_STACK)
		return deliver_api_stack(recorder, record);
	return record_put(recorder, e);
}

/* ---- from the library's rings ---- */

static u32 host_id(struct recorder *r, u32 id)
{
	u32 host = (uintptr_t)hash_get(&r->inner_ids, id);

	return host ? host : id;
}

static bool deliver_accept(void *recorder, u32 pid)
{
	struct recorder *r = recorder;
	u32 host, flags;

	if (!r->ring)
		return true;	/* nobody knows our children; the socket's name is a secret */
	ring_buffer__consume(r->ring);	/* its fork may be in there */
	host = host_id(r, pid);
	return !bpf_map_lookup_elem(r->followed_fd, &host, &flags);
}

/* In a pid namespace the library's records carry ids of ours, the kernel's those of the
 * host. */
static int deliver_record(void *recorder, const struct event *e)
{
	static u64 copy[(RECORD_MAX + 8) / 8];
	struct event *mine = (struct event *)copy;
	struct recorder *r = recorder;

	if (!r->inner)
		return record_put(r, e);
	memcpy(copy, e, e->size);
	mine->pid = host_id(r, e->pid);
	mine->tid = host_id(r, e->tid);
	return record_put(r, mine);
}

static void peer_came(struct recorder *r, const struct handover_peer *peer)
{
	struct process *p = process_find_local(&r->processes, peer->pid);
	struct task t;

	if (!p)
		p = process_get(&r->processes, peer->pid);
	if (!p->task.e.kind)
		process_from_proc(p);
	p->came = true;
	if (r->attaching)
		attach_library(r, p->local);
	stack_maps(r, p);	/* all of CUDA is mapped by now, and it may not live long */
	t = p->task;
	t.e.ts = now_ns();
	t.what = TASK_FOUND;
	t.process = peer->producer;
	record_put(r, &t.e);
	if (!peer->simulated || r->simulated)
		return;
	r->simulated = true;
	record_note(r, NOTE_SIMULATED, "the GPU is simulated");
}

static const char *cupti_reason(s32 status)
{
	switch (status) {
	case RING_STATUS_NO_CUPTI: return "no libcupti was found (GPUSCOPE_CUPTI=FILE names it)";
	case RING_STATUS_NO_THREAD: return "it may start no thread for the library (ulimit -u)";
	case 8: return "another tool has taken CUPTI (CUPTI_ERROR_MAX_LIMIT_REACHED)";
	case 15: return "the driver is not ready (CUPTI_ERROR_NOT_INITIALIZED)";
	case 35: return "only administrators may profile (CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)";
	case 39: return "another tool has taken CUPTI (CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)";
	case 999: return "CUPTI does not work with this driver (CUPTI_ERROR_UNKNOWN)";
	default: return NULL;
	}
}

/* Said once for each reason: a command may start hundreds of processes. */
static void peer_cupti(struct recorder *r, const struct handover_peer *peer)
{
	const char *why = cupti_reason(peer->cupti_status);
	char number[48];

	if (!peer->state || !peer->cupti_status || !seen_first(&r->reasons, peer->cupti_status))
		return;
	if (!why) {
		snprintf(number, sizeof(number), "CUPTI error %d", peer->cupti_status);
		why = number;
	}
	warn("cannot record CUDA in process %u: %s", peer->pid, why);
	record_note(r, NOTE_MISSING, "CUDA of process %u: %s", peer->pid, why);
}

static void deliver_peer(void *recorder, const struct handover_peer *peer)
{
	struct recorder *r = recorder;

	if (seen_first(&r->peers, peer->producer))
		peer_came(r, peer);
	if (peer->state == RING_LIBRARY_UP && !peer->gone)
		note("CUDA in process %u is recorded", peer->pid);
	peer_cupti(r, peer);
}

static void deliver_declined(void *recorder, u32 pid, u32 answer)
{
	const char *why = answer == HELLO_BUSY ? "another recorder has it" :
		"it does not answer (is it stopped?)";
	struct recorder *r = recorder;

	warn("cannot record CUDA in process %u: %s", pid, why);
	record_note(r, NOTE_MISSING, "CUDA of process %u: %s", pid, why);
}

const struct handover_ops deliver_handover = { deliver_accept, deliver_record, deliver_peer,
					       deliver_declined };
