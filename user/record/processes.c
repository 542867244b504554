// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Followed processes by host id: what the kernel last said of them, and their mappings. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "recorder.h"

struct process *process_get(struct hash *all, u32 pid)
{
	struct process *p = hash_get(all, pid);

	if (p)
		return p;
	p = must_alloc(sizeof(*p));
	p->pid = p->local = pid;
	hash_put(all, pid, p);
	return p;
}

struct process *process_find_local(const struct hash *all, u32 local)
{
	struct process *p = hash_get(all, local);
	struct hash_slot *slot;
	size_t at = 0;

	if (p && p->local == local)
		return p;
	while ((slot = hash_next(all, &at))) {
		p = slot->value;
		if (p->local == local)
			return p;
	}
	return NULL;
}

void process_forget(struct hash *all, u32 pid)
{
	struct process *p = hash_take(all, pid);

	if (p)
		maps_put(p->maps);
	free(p);
}

void processes_free(struct hash *all)
{
	struct hash_slot *slot;
	size_t at = 0;

	while ((slot = hash_next(all, &at))) {
		maps_put(((struct process *)slot->value)->maps);
		free(slot->value);
	}
	hash_free(all);
}

static ssize_t proc_read(u32 pid, const char *file, char *buf, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n >= 0)
		buf[n] = '\0';
	return n;
}

/* The last number of "NSpid: outer ... inner". */
static u32 inner_pid(const char *status)
{
	const char *line = strstr(status, "\nNSpid:");
	u32 pid = 0;
	int n;

	for (line = line ? line + 7 : ""; sscanf(line, " %u%n", &pid, &n) == 1; line += n)
		;
	return pid;
}

/* Start times in /proc count from boot, suspended time included. */
static u64 monotonic_from_boot(u64 ns)
{
	return ns - (clock_ns(CLOCK_BOOTTIME) - now_ns());
}

void process_from_proc(struct process *p)
{
	struct task *t = &p->task;
	char buf[4096], *comm, *rest;
	u64 ticks = 0;

	t->e = (struct event){ .ts = now_ns(), .pid = p->pid, .tid = p->pid, .size = sizeof(*t),
			       .kind = EVENT_TASK, .cpu = CPU_UNKNOWN };
	t->what = TASK_FOUND;
	if (proc_read(p->local, "stat", buf, sizeof(buf)) > 0) {
		comm = strchr(buf, '(');
		rest = strrchr(buf, ')');
		if (comm && rest) {
			*rest = '\0';
			snprintf(t->comm, sizeof(t->comm), "%s", comm + 1);
			sscanf(rest + 2,
			       "%*c %u %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
			       "%*d %*d %*d %*d %llu", &t->ppid, &ticks);
			ticks *= 1000000000ULL / sysconf(_SC_CLK_TCK);
			t->start_ns = monotonic_from_boot(ticks);
		}
	}
	if (proc_read(p->local, "status", buf, sizeof(buf)) > 0)
		t->ns_pid = t->ns_tid = inner_pid(buf);
}

/* Its innermost id may be another process's here; they do not begin in the same moment. */
bool process_is_ours(const struct process *p)
{
	struct process seen = { .pid = p->pid, .local = p->local };
	u64 a, b = p->task.start_ns;

	process_from_proc(&seen);
	a = seen.task.start_ns;
	return a && (a > b ? a - b : b - a) < 2 * 1000000000ULL / sysconf(_SC_CLK_TCK);
}
