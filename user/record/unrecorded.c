// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Followed processes that have CUDA loaded and do not come to the socket: their
 * environment was cleared, or it is out of their reach. Told from their
 * mappings, soon after they executed and then ever less often.
 */
#include <stdlib.h>
#include <string.h>
#include "recorder.h"

#define FIRST_NS 100000000ULL
#define LAST_NS  4000000000ULL
#define CLEARED  " (what started it cleared it)"

void unrecorded_begin(struct process *p, bool forked)
{
	p->came = p->late = false;
	p->forked = forked;
	p->look_wait_ns = FIRST_NS;
	p->look_ns = now_ns() + FIRST_NS;
}

void unrecorded_now(struct process *p)
{
	unrecorded_begin(p, false);
	p->look_ns = 0;
}

/* As it was executed with; other values are nobody's business. What cannot be read has it. */
static bool environment_has(const struct process *p, const char *name, const char *value)
{
	size_t room = 0, n = strlen(name);
	char path[64], *entry = NULL;
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/environ", p->local);
	f = fopen(path, "re");
	if (!f)
		return true;
	while (!found && getdelim(&entry, &room, '\0', f) > 0)
		found = !strncmp(entry, name, n) && entry[n] == '=' &&
			(!value || !strcmp(entry + n + 1, value));
	free(entry);
	fclose(f);
	return found;
}

/* NULL: nothing is wrong, or nothing can be said (yet). */
static const char *reason(const struct recorder *r, struct process *p)
{
	char *maps = proc_text(p->local, "maps");
	bool cuda = maps && strstr(maps, "/libcuda.so");
	bool ours = maps && strstr(maps, "/libgpuscope-cuda.so");
	bool late = p->late;

	free(maps);
	if (!cuda || (ours && p->forked))	/* a child has its parent's mappings */
		return NULL;
	if (!environment_has(p, CUDA_ENV, NULL))
		return "its environment has no " CUDA_ENV CLEARED;
	if (ours && !handover_invite(r->handover, p->local)) {
		p->came = true;	/* it lost the way to our socket and waits for a recorder */
		return NULL;
	}
	if (!ours && !environment_has(p, CUDA_ENV, command_library()))
		return "its " CUDA_ENV " names another library";
	if (!ours)
		return NULL;	/* it may call cuInit() later */
	if (!environment_has(p, HANDOVER_SOCKET_ENV, NULL))
		return "its environment has no " HANDOVER_SOCKET_ENV CLEARED;
	if (!environment_has(p, HANDOVER_SOCKET_ENV, handover_socket_path(r->handover)))
		return "its " HANDOVER_SOCKET_ENV " is another recorder's";
	p->late = true;		/* it may be on its way */
	return late ? "it does not come to the socket (are its /tmp, its root or its user ids others?)" :
		      NULL;
}

/* Each reason is said once: a command may start hundreds of processes. */
static void process_look(struct recorder *r, struct process *p)
{
	const char *why = r->attaching ? attach_reason(r, p) : reason(r, p);

	p->look_wait_ns = p->look_wait_ns * 2 < LAST_NS ? p->look_wait_ns * 2 : LAST_NS;
	p->look_ns = now_ns() + p->look_wait_ns;
	if (!why)
		return;
	p->came = !r->attaching;	/* what is attached to may come yet */
	if (!seen_first(&r->reasons, (uintptr_t)why))
		return;
	warn("cannot record CUDA in process %u (%s): %s", p->pid, p->task.comm, why);
	record_note(r, NOTE_MISSING, "CUDA of process %u: %s", p->pid, why);
}

void unrecorded_look_at(struct recorder *r, struct process *p)
{
	if (!p->came && p->look_ns <= now_ns())
		process_look(r, p);
}

void unrecorded_look(struct recorder *r)
{
	struct hash_slot *slot;
	size_t at = 0;

	if (!r->handover)
		return;
	while ((slot = hash_next(&r->processes, &at))) {
		struct process *p = slot->value;

		if (p->look_wait_ns && (!r->inner || process_is_ours(p)))
			unrecorded_look_at(r, p);
	}
}
