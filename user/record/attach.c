// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Processes that run already: those that the user named and their children. They
 * are followed like a command's; a library that waits in one of them is invited.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "arena.h"
#include "cgroup.h"
#include "library.h"
#include "recorder.h"

#define LIBRARY "libgpuscope-cuda.so"
/* A library opens again within a second what its program closed. */
#define PATIENCE_NS 2500000000ULL

/* ---- who they are ---- */

static bool is_target(const struct attach *a, u32 pid)
{
	for (u32 i = 0; i < a->count; i++)
		if (a->all[i].pid == pid)
			return true;
	return false;
}

static int target_add(struct attach *a, u32 pid, bool named)
{
	struct target *t;

	if (is_target(a, pid))
		return 0;
	if (a->count == a->room) {
		a->room = a->room ? 2 * a->room : 64;
		a->all = must_realloc(a->all, a->room * sizeof(*a->all));
	}
	t = &a->all[a->count];
	*t = (struct target){ .pid = pid, .named = named,
			      .pidfd = syscall(SYS_pidfd_open, pid, 0) };
	if (t->pidfd < 0)
		return -errno;
	a->count++;
	return 0;
}

static bool target_lives(const struct target *t)
{
	struct pollfd p = { t->pidfd, POLLIN, 0 };

	return poll(&p, 1, 0) == 0;
}

static u32 parent_of(u32 pid)
{
	char *text = proc_text(pid, "stat");
	const char *rest = text ? strrchr(text, ')') : NULL;
	u32 parent = 0;

	if (rest)
		sscanf(rest + 1, " %*c %u", &parent);
	free(text);
	return parent;
}

/* Children that are there, theirs too. True when there were new ones. */
static bool family_add(struct attach *a)
{
	u32 before = a->count, last;
	struct dirent *e;
	DIR *proc = opendir("/proc");

	do {
		last = a->count;
		while (proc && (e = readdir(proc))) {
			u32 pid = strtoul(e->d_name, NULL, 10);

			if (pid && !is_target(a, pid) && is_target(a, parent_of(pid)))
				target_add(a, pid, false);
		}
		if (proc)
			rewinddir(proc);
	} while (proc && a->count > last);
	if (proc)
		closedir(proc);
	return a->count > before;
}

int attach_check(struct recorder *r)
{
	const struct record_settings *set = r->set;
	int err;

	for (u32 i = 0; i < set->pid_count; i++) {
		if (set->pids[i] == (u32)getpid())
			return fail(0, "cannot record process %u: that is gpurec itself",
				    set->pids[i]);
		err = target_add(&r->attach, set->pids[i], true);
		if (err == -ESRCH || err == -EINVAL)
			return fail(0, "cannot record process %u: there is none (see ps -e; a "
				    "thread's id is not its process's)", set->pids[i]);
		if (err)
			return fail(err, "cannot record process %u", set->pids[i]);
	}
	family_add(&r->attach);
	return set->cgroup ? cgroup_id(set->cgroup, &r->cgroup) : 0;
}

void attach_free(struct recorder *r)
{
	for (u32 i = 0; i < r->attach.count; i++)
		close(r->attach.all[i].pidfd);
	free(r->attach.all);
	r->attach = (struct attach){};
}

bool attach_ended(const struct recorder *r)
{
	if (r->cgroup)		/* others may come into it */
		return false;
	for (u32 i = 0; i < r->attach.count; i++)
		if (r->attach.all[i].named && target_lives(&r->attach.all[i]))
			return false;
	return true;
}

/* ---- the kernel's side ---- */

/* Reads until every thread of the machine was shown to the program. */
static int tasks_show(struct recorder *r, struct bpf_program *prog)
{
	struct bpf_link *link = bpf_program__attach_iter(prog, NULL);
	int err = link ? 0 : -errno, fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	ssize_t n = 1;
	char none[64];

	if (!err && fd < 0)
		err = -errno;
	while (!err && n) {
		n = read(fd, none, sizeof(none));
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			err = -errno;
		ring_buffer__consume(r->ring);
	}
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
	return err;
}

/* A child that comes while we look is followed by its parent's fork, or is found here. */
void attach_adopt(struct recorder *r)
{
	struct bpf_object *o = r->ring ? probe_bpf(r->probe[0]) : NULL;
	int map = o ? probe_map_fd(r->probe[0], "adopted") : -1, err = 0;
	struct bpf_program *prog;
	u32 done = 0, one = 1;

	if (!o)
		return;
	prog = bpf_object__find_program_by_name(o, "adopt_tasks");
	do {
		for (; !err && done < r->attach.count; done++)
			err = bpf_map_update_elem(map, &r->attach.all[done].pid, &one, BPF_ANY);
		if (!err)
			err = tasks_show(r, prog);
	} while (!err && family_add(&r->attach));
	if (!err)
		return;
	fail(err, "cannot follow the processes (their kernel side is not recorded)");
	record_note(r, NOTE_MISSING, "the kernel side: the processes were not followed");
}

/* ---- the library in them ---- */

/* Each container may have a file of its own: stacks are taken in every one that is met. */
void attach_library(struct recorder *r, u32 local)
{
	struct library_mapped *m = must_alloc(sizeof(*m));
	char path[64];

	if (library_mapped(local, LIBRARY, m) &&
	    seen_first(&r->libraries, m->inode ^ (u64)m->major << 52 ^ (u64)m->minor << 44) &&
	    library_open_mapped(m, path, sizeof(path)))
		sets_library(r, path);
	free(m);
}

void attach_invite(struct recorder *r)
{
	for (u32 i = 0; i < r->attach.count; i++) {
		struct target *t = &r->attach.all[i];
		struct process *p;

		if (!target_lives(t))
			continue;
		p = process_find_local(&r->processes, t->pid);
		if (!p)
			p = process_get(&r->processes, t->pid);
		if (!p->task.e.kind)
			process_from_proc(p);
		if (!t->asked && !p->came)
			unrecorded_now(p);
		t->asked = true;
		unrecorded_look_at(r, p);
	}
}

/* What is said of a process that was not invited. */
static const char *silent_reason(struct process *p)
{
	char *maps = proc_text(p->local, "maps");
	bool cuda = maps && strstr(maps, "/libcuda.so");
	bool ours = maps && strstr(maps, "/" LIBRARY);

	free(maps);
	if (ours && !p->ours_ns)
		p->ours_ns = now_ns();
	if (ours)
		return now_ns() - p->ours_ns > PATIENCE_NS ?
			"its library does not wait: another recorder has it, or CUDA is of no use in it (a forked child)" :
			NULL;
	return cuda ? "it was started without the library: no GPU times (CUDA_INJECTION64_PATH=.../" LIBRARY " in its environment)" :
		NULL;
}

const char *attach_reason(struct recorder *r, struct process *p)
{
	attach_library(r, p->local);
	switch (handover_invite(r->handover, p->local)) {
	case 0:
		p->came = true;
		return NULL;
	case -ENOENT:
		return silent_reason(p);
	case -EPERM:
	case -EACCES:
		return "it may not be traced (run as root or as its user; /proc/sys/kernel/yama/ptrace_scope)";
	case -EPROTO:
		return "its library is of another version";
	default:
		return NULL;
	}
}
