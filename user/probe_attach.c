// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rows to links. A row of a library is attached to every file that library can be (library.h). */
#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/libbpf.h>
#include "library.h"
#include "log.h"
#include "probe_object.h"

#define LIBRARIES_MAX 32	/* copies of one library in use on a machine */

/* Where rows of one library go; found once for all rows that name it. */
struct target {
	struct probe_object *o;
	const char *lib;	/* --lib */
	u32 pid;
	const char *name;	/* of the library in `files` */
	struct library_file *files;
	size_t count;
	bool reported;		/* the failure was */
};

bool probe_has_library(const struct probe_row *row)
{
	return row->type <= PROBE_USDT;
}

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

static int keep(struct probe_object *o, struct bpf_link *link)
{
	struct bpf_link **links;

	if (!link)
		return -errno;
	links = reallocarray(o->links, o->link_count + 1, sizeof(*links));
	if (!links) {
		bpf_link__destroy(link);
		return -ENOMEM;
	}
	o->links = links;
	o->links[o->link_count++] = link;
	return 0;
}

static int attach_usdt(struct target *t, const struct probe_row *row, const char *path)
{
	char provider[64];
	const char *colon = strchr(row->what, ':');

	if (!colon || colon - row->what >= (int)sizeof(provider))
		return -EINVAL;
	snprintf(provider, sizeof(provider), "%.*s", (int)(colon - row->what), row->what);
	return keep(t->o, bpf_program__attach_usdt(probe_program(t->o, row), t->pid ? (int)t->pid : -1,
						   path, provider, colon + 1, NULL));
}

static int attach_in_file(struct target *t, const struct probe_row *row, const char *path)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts,
		    .func_name = row->what, .retprobe = row->type == PROBE_URETPROBE);

	if (row->type == PROBE_USDT)
		return attach_usdt(t, row, path);
	return keep(t->o, bpf_program__attach_uprobe_opts(probe_program(t->o, row),
							  t->pid ? (int)t->pid : -1, path, 0, &opts));
}

static int no_library(const struct target *t)
{
	if (strchr(t->name, '/'))
		return fail(-ENOENT, "cannot open the library %s", t->name);
	if (t->pid)
		return fail(0, "cannot find %s in process %u (--lib PATH names it)", t->name, t->pid);
	return fail(0, "cannot find %s: neither where the loader looks nor in a running process (--lib PATH names it)",
		    t->name);
}

/* 0, or an error: then t->reported says whether it was reported. */
static int find_library(struct target *t, const struct probe_row *row)
{
	const char *name = t->lib ? t->lib : row->where;

	if (!t->name || strcmp(t->name, name))
		t->count = library_files(name, t->pid, t->files, LIBRARIES_MAX);
	t->name = name;
	if (t->count || row->flags & PROBE_OPTIONAL)
		return 0;
	t->reported = true;
	return no_library(t);
}

/* In at least one of the files; a row that is nowhere fails, or is a note when it is optional. */
static int attach_in_library(struct target *t, const struct probe_row *row)
{
	int err = find_library(t, row), last = -ENOENT;
	size_t done = 0;

	for (size_t i = 0; i < t->count && !err; i++) {
		int e = attach_in_file(t, row, t->files[i].path);

		done += !e;
		last = e ? e : last;
	}
	return err ? err : done ? 0 : last;
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
		err = keep(o, bpf_program__attach_perf_event(probe_program(o, row), fd));
		if (err)
			close(fd);	/* else the link owns it */
	}
	return err;
}

static int attach_row(struct target *t, const struct probe_row *row)
{
	struct bpf_program *prog = probe_program(t->o, row);

	switch (row->type) {
	case PROBE_UPROBE: case PROBE_URETPROBE: case PROBE_USDT:
		return attach_in_library(t, row);
	case PROBE_TRACEPOINT:
		return keep(t->o, bpf_program__attach_tracepoint(prog, row->where, row->what));
	case PROBE_RAW_TRACEPOINT:
		return keep(t->o, bpf_program__attach_raw_tracepoint(prog, row->what));
	case PROBE_BTF_TRACEPOINT:
		return keep(t->o, bpf_program__attach_trace(prog));
	case PROBE_PERF_EVENT:
		return attach_perf_event(t->o, row);
	}
	return -EINVAL;
}

/* Kernels differ: some want CAP_SYS_ADMIN to probe user code, whatever else one has. */
static const char *wanted_capability(const struct probe_row *row)
{
	if (missing_capabilities()[0])
		return missing_capabilities();
	return probe_has_library(row) && !capability_held(CAP_SYS_ADMIN) ? "CAP_SYS_ADMIN" : NULL;
}

static int missing_row(const struct target *t, const struct probe_row *row, int err)
{
	char target[256];

	probe_target(row, target, sizeof(target));
	if (row->flags & PROBE_OPTIONAL) {
		note("%s left out: cannot attach to %s: %s", row->name, target, strerror(-err));
		return 0;
	}
	if (probe_has_library(row) && err == -ENOENT)
		return fail(0, "cannot attach %s: no %s in %s", row->name, row->what, t->name);
	if ((err == -EPERM || err == -EACCES) && wanted_capability(row))
		return fail(0, "cannot attach %s to %s: %s (needs %s: run as root)", row->name,
			    target, strerror(-err), wanted_capability(row));
	return fail(err, "cannot attach %s to %s", row->name, target);
}

int probe_attach(struct probe_object *o, const char *lib, u32 pid)
{
	struct target t = { .o = o, .lib = lib, .pid = pid };
	int err = 0;

	t.files = calloc(LIBRARIES_MAX, sizeof(*t.files));
	if (!t.files)
		return fail(-ENOMEM, "cannot attach the probes \"%s\"", o->set->name);
	for (const struct probe_row *row = o->set->probes; row && row->name && !err; row++) {
		if (!bpf_program__autoload(probe_program(o, row)))
			continue;	/* dropped by the tool or by the kernel's lack of it */
		err = attach_row(&t, row);
		if (err < 0 && !t.reported)
			err = missing_row(&t, row, err);
	}
	free(t.files);
	if (err)
		return err;
	err = o->set->skel->attach(o->skel);	/* programs with static targets */
	o->attached = true;
	return err ? fail(0, "cannot attach the probes \"%s\": %s (-v says why)", o->set->name,
			  strerror(-err)) : 0;
}

void probe_detach(struct probe_object *o)
{
	for (size_t i = o->link_count; i-- > 0; )
		bpf_link__destroy(o->links[i]);
	o->link_count = 0;
	if (o->attached)	/* every skeleton begins with a pointer to its description */
		bpf_object__detach_skeleton(*(struct bpf_object_skeleton **)o->skel);
	o->attached = false;
}
