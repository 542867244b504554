// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Probe sets: open, share maps, load, count, close. What attaches them is in probe_attach.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include "caps.h"
#include "log.h"
#include "probe_object.h"
#include "uprobe_multi.h"

#define SHARED_MAX 16

struct probe_shared {
	struct { char name[32]; int fd; } maps[SHARED_MAX];
	size_t count;
};

static void *member(void *skel, size_t off)
{
	return *(void **)((char *)skel + off);
}

struct bpf_object *probe_bpf(struct probe_object *o)
{
	return member(o->skel, o->set->skel->obj);
}

struct bpf_program *probe_program(struct probe_object *o, const struct probe_row *row)
{
	return member(o->skel, row->prog);
}

void *probe_rodata(struct probe_object *o, size_t *size)
{
	if (size)
		*size = o->set->skel->rodata_size;
	return member(o->skel, o->set->skel->rodata);
}

int probe_map_fd(struct probe_object *o, const char *map)
{
	int fd = bpf_object__find_map_fd_by_name(probe_bpf(o), map);

	return fd < 0 ? -1 : fd;
}

static char refused[64];		/* the program that libbpf said could not be loaded */
static bool quiet;

void probe_quiet(bool yes)
{
	quiet = yes;
}

static int from_libbpf(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char text[1024];
	int n;

	if (level == LIBBPF_DEBUG)
		return 0;
	n = vsnprintf(text, sizeof(text), fmt, ap);
	if (strstr(fmt, "load failed"))
		sscanf(text, "libbpf: prog '%63[^']'", refused);
	if (!log_verbose() || quiet)
		return 0;	/* our own message names the cause; -v shows the rest */
	if (n > 0 && (size_t)n < sizeof(text) && text[n - 1] == '\n')
		text[n - 1] = '\0';
	note("%s", text);
	return n;
}

/* ---- maps that sets share ---- */

struct probe_shared *probe_shared_new(void)
{
	return calloc(1, sizeof(struct probe_shared));
}

void probe_shared_free(struct probe_shared *s)
{
	for (size_t i = 0; s && i < s->count; i++)
		close(s->maps[i].fd);
	free(s);
}

static bool shareable(const char *name)
{
	return !strcmp(name, "events") || !strcmp(name, "followed") ||
	       !strncmp(name, "shared_", 7);
}

static int shared_fd(const struct probe_shared *s, const char *name)
{
	for (size_t i = 0; i < s->count; i++)
		if (!strcmp(s->maps[i].name, name))
			return s->maps[i].fd;
	return -1;
}

static int take_shared(struct probe_object *o)
{
	struct bpf_map *map;
	int fd, err = 0;

	bpf_object__for_each_map(map, probe_bpf(o)) {
		const char *name = bpf_map__name(map);

		if (err || !o->shared || !shareable(name))
			continue;
		fd = shared_fd(o->shared, name);
		if (fd >= 0)
			err = bpf_map__reuse_fd(map, fd);
	}
	return err ? fail(err, "cannot share the maps of the probes \"%s\"", o->set->name) : 0;
}

static void give_shared(struct probe_object *o)
{
	struct probe_shared *s = o->shared;
	struct bpf_map *map;

	bpf_object__for_each_map(map, probe_bpf(o)) {
		const char *name = bpf_map__name(map);

		if (!s || !shareable(name) || shared_fd(s, name) >= 0 || s->count == SHARED_MAX)
			continue;
		snprintf(s->maps[s->count].name, sizeof(s->maps[0].name), "%s", name);
		s->maps[s->count++].fd = fcntl(bpf_map__fd(map), F_DUPFD_CLOEXEC, 3);
	}
}

/* ---- life ---- */

int probe_open(struct probe_object **out, const struct probe_set *set,
	       struct probe_shared *shared)
{
	struct probe_object *o = calloc(1, sizeof(*o));

	libbpf_set_print(from_libbpf);
	*out = NULL;
	if (!o)
		return fail(-ENOMEM, "cannot open the probes \"%s\"", set->name);
	o->set = set;
	o->shared = shared;
	o->skel = set->skel->open();
	if (!o->skel) {
		free(o);
		return fail(-errno, "cannot open the probes \"%s\"", set->name);
	}
	*out = o;
	return 0;
}

static int tracepoint_missing(struct probe_object *o, const struct probe_row *row)
{
	if (probe_in_hook(row) || probe_settled(o, row)->possible)
		return 0;
	if (!(row->flags & PROBE_OPTIONAL))
		return fail(0, "cannot attach %s: this kernel's BTF has no tracepoint %s",
			    row->name, row->what);
	note("%s left out: this kernel's BTF has no tracepoint %s", row->name, row->what);
	return 0;
}

static int explain_load(struct probe_object *o, int err)
{
	const char *missing = missing_capabilities();

	if ((err == -EPERM || err == -EACCES) && missing[0])
		return fail(0, "cannot load the probes \"%s\": %s (needs %s: run as root)",
			    o->set->name, strerror(-err), missing);
	return fail(0, "cannot load the probes \"%s\": %s (-v says why)", o->set->name,
		    strerror(-err));
}

/* Kernels before 5.11 charge maps to the locked memory of the process. */
static void raise_memlock(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_MEMLOCK, &all);
}

void probe_few_links(struct probe_object *o, u32 pid)
{
	o->multi = !uprobe_multi_try();
	if (o->multi && pid) {
		o->multi_pid = uprobe_multi_by_process() ? pid : 0;
		/* else by perf events, which want more privileges, or in all processes */
		o->multi = o->multi_pid || !capability_held(CAP_SYS_ADMIN);
	}
	for (const struct probe_row *r = o->set->probes; o->multi && r && r->name; r++)
		if (r->type == PROBE_UPROBE || r->type == PROBE_URETPROBE)
			bpf_program__set_expected_attach_type(probe_program(o, r),
							      UPROBE_MULTI_ATTACH);
}

/* Everything that is decided before the kernel sees it. */
static int before_load(struct probe_object *o)
{
	struct bpf_map *followed;
	int err = take_shared(o);

	if (!err)
		err = probe_settle(o);
	for (EACH_ROW(r, o->set))
		err = err ? err : tracepoint_missing(o, r);
	if (!err)
		err = probe_settle_hooks(o);
	if (err)
		return err;
	followed = bpf_object__find_map_by_name(probe_bpf(o), "followed");
	if (!o->shared && followed)
		bpf_map__set_max_entries(followed, 1);	/* nobody follows: costs nothing */
	return 0;
}

int probe_load(struct probe_object *o)
{
	int err = before_load(o);

	refused[0] = '\0';
	raise_memlock();
	while (!err && (err = o->set->skel->load(o->skel))) {
		/* functions differ by the version of their module */
		if (!refused[0] || missing_capabilities()[0] ||
		    probe_reopen_without(o, refused))
			return explain_load(o, err);
		refused[0] = '\0';
		err = before_load(o);
	}
	if (err)
		return err;
	give_shared(o);
	o->loaded = true;
	return 0;
}

void probe_close(struct probe_object *o)
{
	if (!o)
		return;
	probe_detach(o);
	o->set->skel->destroy(o->skel);
	probe_settled_free(o);
	free(o->links);
	free(o);
}

/* ---- what it cost and lost ---- */

static u64 counter(struct probe_object *o, size_t off)
{
	char *bss = member(o->skel, o->set->skel->bss);

	return o->loaded && bss ? __atomic_load_n((u64 *)(bss + off), __ATOMIC_RELAXED) : 0;
}

u64 probe_lost(struct probe_object *o)
{
	return counter(o, o->set->skel->lost);
}

u64 probe_lost_map(struct probe_object *o)
{
	return counter(o, o->set->skel->lost_map);
}

static int stats_fd = -1;

int probe_stats_begin(void)
{
	if (stats_fd < 0)
		stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	return stats_fd < 0 ? -errno : 0;
}

void probe_stats_end(void)
{
	if (stats_fd >= 0)
		close(stats_fd);
	stats_fd = -1;
}

static u8 type_of(struct probe_object *o, const char *program)
{
	for (const struct probe_row *r = o->set->probes; r && r->name; r++)
		if (!strcmp(r->name, program))
			return r->type;
	return PROBE_BTF_TRACEPOINT;	/* static targets */
}

size_t probe_costs(struct probe_object *o, struct probe_cost *costs, size_t max)
{
	struct bpf_program *prog;
	size_t n = 0;

	bpf_object__for_each_program(prog, probe_bpf(o)) {
		struct bpf_prog_info info = {};
		u32 size = sizeof(info);

		if (n == max || bpf_program__fd(prog) < 0 ||
		    bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &size))
			continue;
		costs[n++] = (struct probe_cost){
			bpf_program__name(prog), type_of(o, bpf_program__name(prog)),
			info.run_cnt, info.run_time_ns, info.recursion_misses,
		};
	}
	return n;
}
