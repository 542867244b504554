// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rows to links, and links away again. Rows about libraries are in probe_library.c. */
#include <errno.h>
#include <pthread.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/libbpf.h>
#include "caps.h"
#include "log.h"
#include "probe_object.h"

#define DETACH_THREADS 31

const char *probe_target(const struct probe_row *row, char *buf, size_t size)
{
	if (row->type == PROBE_PERF_EVENT)
		snprintf(buf, size, "the timer");
	else if (row->where)
		snprintf(buf, size, "%s:%s", row->where, row->what);
	else
		snprintf(buf, size, "the tracepoint %s", row->what);
	return buf;
}

static int keep(struct probe_object *o, struct probe_link link)
{
	struct probe_link *links = reallocarray(o->links, o->link_count + 1, sizeof(*links));

	if (!links) {
		bpf_link__destroy(link.link);
		if (!link.link)
			close(link.fd);
		return -ENOMEM;
	}
	o->links = links;
	o->links[o->link_count++] = link;
	return 0;
}

int probe_keep(struct probe_object *o, const struct probe_row *row, struct bpf_link *link)
{
	return link ? keep(o, (struct probe_link){ link, -1, row->type }) : -errno;
}

int probe_keep_fd(struct probe_object *o, const struct probe_row *row, int fd)
{
	return fd >= 0 ? keep(o, (struct probe_link){ NULL, fd, row->type }) : fd;
}

static int perf_event(const struct probe_row *row, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = (u32)row->config,
		.freq = 1, .sample_freq = row->config >> 32,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int attach_perf_event(struct probe_object *o, const struct probe_row *row)
{
	int cpus = libbpf_num_possible_cpus(), fd, err = 0;

	for (int cpu = 0; cpu < cpus && !err; cpu++) {
		fd = perf_event(row, cpu);
		if (fd < 0 && errno == ENODEV)
			continue;	/* that CPU is offline */
		if (fd < 0)
			return -errno;
		err = probe_keep(o, row,
				 bpf_program__attach_perf_event(probe_program(o, row), fd));
		if (err)
			close(fd);	/* else the link owns it */
	}
	return err;
}

int probe_attach_row(struct probe_object *o, const struct probe_row *row)
{
	struct bpf_program *prog = probe_program(o, row);

	if (probe_is_kernel(row))
		return probe_kernel_attach(o, row);
	switch (row->type) {
	case PROBE_TRACEPOINT:
		return probe_keep(o, row,
				  bpf_program__attach_tracepoint(prog, row->where, row->what));
	case PROBE_RAW_TRACEPOINT:
		return probe_keep(o, row, bpf_program__attach_raw_tracepoint(prog, row->what));
	case PROBE_BTF_TRACEPOINT:
		return probe_keep(o, row, bpf_program__attach_trace(prog));
	case PROBE_PERF_EVENT:
		return attach_perf_event(o, row);
	}
	return -EINVAL;
}

/* Kernels differ: some want CAP_SYS_ADMIN to probe user code, whatever else one has. */
static const char *wanted_capability(const struct probe_row *row)
{
	if (missing_capabilities()[0])
		return missing_capabilities();
	return probe_has_library(row) && !capability_held(CAP_SYS_ADMIN) ? "CAP_SYS_ADMIN" :
		NULL;
}

int probe_row_missing(const struct probe_row *row, const char *library, int err)
{
	char target[256];

	probe_target(row, target, sizeof(target));
	if (row->flags & PROBE_OPTIONAL) {
		note("%s left out: cannot attach to %s: %s", row->name, target, strerror(-err));
		return 0;
	}
	if (library && err == -ENOENT)
		return fail(0, "cannot attach %s: no %s in %s", row->name, row->what, library);
	if ((err == -EPERM || err == -EACCES) && wanted_capability(row))
		return fail(0, "cannot attach %s to %s: %s (needs %s: run as root)", row->name,
			    target, strerror(-err), wanted_capability(row));
	return fail(err, "cannot attach %s to %s", row->name, target);
}

int probe_attach(struct probe_object *o, const char *lib, u32 pid)
{
	struct probe_libraries *t = probe_libraries_new(o, lib, pid);
	int err = t ? 0 : fail(-ENOMEM, "cannot attach the probes \"%s\"", o->set->name);

	for (const struct probe_row *row = o->set->probes; row && row->name && !err; row++) {
		if (probe_in_hook(row))
			err = probe_attach_hook(o, row);
		else if (!bpf_program__autoload(probe_program(o, row)))
			continue;	/* dropped by the tool or by the kernel's lack of it */
		else if (probe_has_library(row))
			err = probe_attach_library(t, row);
		else if ((err = probe_attach_row(o, row)))
			err = probe_row_missing(row, NULL, err);
	}
	probe_libraries_free(t);
	if (err)
		return err;
	err = o->set->skel->attach(o->skel);	/* programs with static targets */
	o->attached = true;
	return err ? fail(0, "cannot attach the probes \"%s\": %s (-v says why)", o->set->name,
			  strerror(-err)) : 0;
}

/* ---- detach ---- */

struct detach {
	struct probe_object *o;
	size_t next;
};

static void drop(struct probe_link *l)
{
	bpf_link__destroy(l->link);	/* NULL is fine */
	if (l->fd >= 0)
		close(l->fd);
	*l = (struct probe_link){ NULL, -1, l->type };
}

void probe_undo(struct probe_object *o, size_t first_link)
{
	while (o->link_count > first_link)
		drop(&o->links[--o->link_count]);
}

/* USDT links share a table inside libbpf: they are taken off one after the other, later. */
static bool takes_long(u8 type)
{
	return type == PROBE_UPROBE || type == PROBE_URETPROBE || type >= PROBE_KPROBE;
}

static void *detach_slow(void *ctx)
{
	struct detach *d = ctx;
	size_t i;

	while ((i = __atomic_fetch_add(&d->next, 1, __ATOMIC_RELAXED)) < d->o->link_count) {
		struct probe_link *l = &d->o->links[i];

		if (takes_long(l->type))
			drop(l);
	}
	return NULL;
}

/* The kernel waits for a grace period at each (130 ms here): all at once they wait together. */
void probe_detach(struct probe_object *o)
{
	struct detach d = { o, 0 };
	pthread_t threads[DETACH_THREADS];
	size_t n = 0;

	while (n < DETACH_THREADS && n + 1 < o->link_count &&
	       !pthread_create(&threads[n], NULL, detach_slow, &d))
		n++;
	detach_slow(&d);
	while (n > 0)
		pthread_join(threads[--n], NULL);
	probe_undo(o, 0);
	if (o->attached)	/* every skeleton begins with a pointer to its description */
		bpf_object__detach_skeleton(*(struct bpf_object_skeleton **)o->skel);
	o->attached = false;
}
