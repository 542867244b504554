// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The probe sets of a recording: which ones, opened over one ring and one map
 * of followed processes. A set that cannot be used is named and left out.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "caps.h"
#include "out.h"
#include "recorder.h"
#include "source_rows.h"

#define HOOKS_MAX 64		/* of a set */

/* ---- which ones ---- */

static bool list_has(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (; *list; list = strchrnul(list, ','), list += !!*list)
		if (!strncmp(list, name, n) && (list[n] == ',' || !list[n]))
			return true;
	return false;
}

static const struct record_set *set_find(const struct record_set *sets, const char *name,
					 size_t n)
{
	for (; sets->set; sets++)
		if (!strncmp(sets->set->name, name, n) && !sets->set->name[n])
			return sets;
	return NULL;
}

int sets_check(const struct record_set *sets, const char *list)
{
	size_t n;

	for (; list && *list; list += n, list += !!*list) {
		n = strcspn(list, ",");
		if (!set_find(sets, list, n) && strcmp(list, "none"))
			return fail_usage("no probe set is called \"%.*s\" (--probes list shows "
					  "them)", (int)n, list);
	}
	return 0;
}

static bool set_wanted(const struct recorder *r, const struct record_set *s, bool first)
{
	if (s->stacks && (r->set->no_stacks || !r->command.cuda || r->attaching))
		return false;	/* attaching: sets_library() */
	return first || !r->set->probes || list_has(r->set->probes, s->set->name);
}

/* Kernels that turn a probe on a 5-byte nop into a call (6.18: half the cost of a trap) have
 * the system call that the call makes; from anywhere else it is refused. */
static bool nops_optimised(void)
{
#ifdef __x86_64__
	return syscall(336) < 0 && (errno == ENXIO || errno == EPROTO);
#else
	return false;
#endif
}

/* ---- opening ---- */

/* We are woken when a 32nd of the ring is full, as with the default size. */
static int set_ring_size(struct probe_object *o, const struct probe_set *set, u64 bytes)
{
	struct bpf_map *ring = bpf_object__find_map_by_name(probe_bpf(o), "events");
	u32 wake = bytes / 32;
	int err = bpf_map__set_max_entries(ring, bytes);

	memcpy((char *)probe_rodata(o, NULL) + set->skel->wake_bytes, &wake, sizeof(wake));
	return err ? fail(err, "cannot make a ring of %llu bytes", bytes) : 0;
}

static int set_load(struct recorder *r, const struct probe_set *set)
{
	struct probe_object *o;
	int err = probe_open(&o, set, r->shared);
	bool yes = true;

	if (err)
		return err;
	memcpy((char *)probe_rodata(o, NULL) + set->skel->use_followed, &yes, sizeof(yes));
	memcpy((char *)probe_rodata(o, NULL) + set->skel->only_cgroup, &r->cgroup,
	       sizeof(r->cgroup));
	if (set->prepare)
		err = set->prepare(o);
	if (!err && r->set->ring_bytes)
		err = set_ring_size(o, set, r->set->ring_bytes);
	if (!err)
		err = probe_load(o);
	if (err) {
		probe_close(o);
		return err;
	}
	r->probe_set[r->probes] = set;
	r->probe[r->probes++] = o;
	return 0;
}

static void set_missing(struct recorder *r, const struct probe_set *set)
{
	record_note(r, NOTE_MISSING, "probe set %s (%s): this kernel refused it", set->name,
		    set->about);
}

/* Its module may come while we record. False: it is not missing. */
static bool set_wait(struct recorder *r, const struct probe_set *set)
{
	const char *module = probe_module_missing(set);

	if (!module || r->waiting == RECORD_SETS_MAX)
		return false;
	record_note(r, NOTE_MISSING, "probe set %s (%s): %s is not loaded", set->name,
		    set->about, module);
	note("the probes \"%s\" wait for %s", set->name, module);
	r->waits[r->waiting++] = set;
	return true;
}

static void sets_load(struct recorder *r, const struct record_set *sets)
{
	for (const struct record_set *s = sets; s->set && r->probes < RECORD_SETS_MAX; s++) {
		const struct probe_set *set = s->fast && nops_optimised() ? s->fast : s->set;

		if (!set_wanted(r, s, s == sets) || set_wait(r, set) || !set_load(r, set))
			continue;
		set_missing(r, set);
		if (s == sets)
			return;		/* nobody is followed: the others would be silent */
	}
}

/* What each hook of a set is observed by. */
static void note_hooks(struct recorder *r, const struct probe_set *set, struct probe_object *o)
{
	struct probe_state states[HOOKS_MAX];
	size_t n = probe_states(o, states, HOOKS_MAX);

	for (const struct probe_state *s = states; s < states + n; s++) {
		if (!s->row)
			record_note(r, NOTE_MISSING, "%s: %s: %s", set->name, s->hook,
				    s->reason);
		else
			record_note(r, NOTE_SETTING, "%s: %s: %s%s%s%s", set->name, s->hook,
				    s->target, s->reason[0] ? " (not " : "", s->reason,
				    s->reason[0] ? ")" : "");
	}
}

/* False: what could not be attached is closed. library: a path of ours. */
static bool set_attach(struct recorder *r, const struct probe_set *set, struct probe_object *o,
		       const char *library)
{
	/* rows are of our library; the other programs have targets of their own */
	if (!probe_attach(o, set->probes ? library : NULL, 0)) {
		note_hooks(r, set, o);
		return true;
	}
	set_missing(r, set);
	probe_close(o);
	return false;
}

/* Of the set at place i, which is attached. */
static void sums_begin(struct recorder *r, u32 i)
{
	const char *map = r->probe_set[i]->sums;

	r->sums[i] = map ? source_rows_new(probe_map_fd(r->probe[i], map)) : NULL;
}

/* The place of what is closed is taken by the next. */
static void sets_attach(struct recorder *r)
{
	u32 loaded = r->probes, n = 0;

	for (u32 i = 0; i < loaded; i++) {
		if (!set_attach(r, r->probe_set[i], r->probe[i], command_library()))
			continue;
		r->probe_set[n] = r->probe_set[i];
		r->probe[n] = r->probe[i];
		sums_begin(r, n++);
	}
	r->probes = n;
}

static void sets_note(struct recorder *r, const struct record_set *sets)
{
	char names[256] = "";
	size_t n = 0;

	for (; sets->set; sets++)
		for (u32 i = 0; sets->stacks && i < r->probes; i++)
			r->taking_stacks |= r->probe_set[i] == sets->set ||
				r->probe_set[i] == sets->fast;
	for (u32 i = 0; i < r->probes && n < sizeof(names); i++)
		n += snprintf(names + n, sizeof(names) - n, "%s%s", i ? "," : "",
			      r->probe_set[i]->name);
	record_note(r, NOTE_SETTING, "probes=%s", names);
}

static int sets_ring(struct recorder *r)
{
	struct bpf_program *adopt;

	adopt = bpf_object__find_program_by_name(probe_bpf(r->probe[0]), "adopt");
	r->followed_fd = probe_map_fd(r->probe[0], "followed");
	r->adopt_fd = adopt ? bpf_program__fd(adopt) : -1;
	r->ring = ring_buffer__new(probe_map_fd(r->probe[0], "events"), deliver_bpf, r, NULL);
	return r->ring ? 0 : fail(errno, "cannot map the kernel's ring");
}

/* Ids that BPF sees are those of the outermost pid namespace. */
static bool in_pid_namespace(void)
{
	struct stat st;

	/* PROC_PID_INIT_INO */
	return !stat("/proc/self/ns/pid", &st) && st.st_ino != 0xEFFFFFFC;
}

int sets_open(struct recorder *r, const struct record_set *sets)
{
	const char *caps = missing_capabilities();

	r->inner = in_pid_namespace();
	r->sets = sets;
	if (r->set->probes && !strcmp(r->set->probes, "none"))
		return 0;
	if (*caps) {
		warn("cannot record the kernel side: needs %s (run as root); recording CUDA alone",
		     caps);
		record_note(r, NOTE_MISSING, "the kernel side: needs %s", caps);
		return 0;
	}
	if (r->set->cost && probe_stats_begin())
		warn("cannot count what the probes cost: %s", strerror(errno));
	mallopt(M_MMAP_THRESHOLD, 1 << 30);	/* each set reads the types anew: into the same
						 * memory */
	mallopt(M_TRIM_THRESHOLD, 1 << 28);
	r->shared = probe_shared_new();
	sets_load(r, sets);
	sets_attach(r);
	if (!r->probes || r->probe_set[0] != sets->set)
		return 0;
	sets_note(r, sets);
	return sets_ring(r);
}

/* ---- what they summed, lost and cost ---- */

static int put_sum(void *recorder, const struct event *e)
{
	return record_put(recorder, e);
}

void sets_sums(struct recorder *r)
{
	for (u32 i = 0; i < r->probes && !r->file_error; i++)
		if (r->sums[i])
			source_rows_read(r->sums[i], put_sum, r);
}

static void lost_since(struct recorder *r, u64 now, u64 *told, u32 where)
{
	if (now > *told)
		record_lost(r, where, now - *told);
	*told = now;
}

void sets_losses(struct recorder *r)
{
	for (u32 i = 0; i < r->probes; i++) {
		lost_since(r, probe_lost(r->probe[i]), &r->ring_lost[i], LOST_BPF_RING);
		lost_since(r, probe_lost_map(r->probe[i]), &r->map_lost[i], LOST_BPF_MAP);
		lost_since(r, probe_missed(r->probe[i]), &r->missed[i], LOST_BPF_MISSED);
	}
}

/* ---- modules that come and go ---- */

/* Its probes went with a module, or are those of the module as it was before. */
static void set_take_off(struct recorder *r, u32 i, const char *module)
{
	const struct probe_set *set = r->probe_set[i];

	probe_detach(r->probe[i]);	/* from here on it counts nothing */
	sets_sums(r);
	sets_losses(r);
	costs_take(&r->costs, set, r->probe[i]);
	source_rows_free(r->sums[i]);
	probe_close(r->probe[i]);	/* what it put into the ring stays there */
	r->probes--;
	for (u32 j = i; j < r->probes; j++) {
		r->probe_set[j] = r->probe_set[j + 1];
		r->probe[j] = r->probe[j + 1];
		r->sums[j] = r->sums[j + 1];
		r->ring_lost[j] = r->ring_lost[j + 1];
		r->map_lost[j] = r->map_lost[j + 1];
		r->missed[j] = r->missed[j + 1];
	}
	if (probe_module_there(module))
		record_note(r, NOTE_SETTING, "%s was loaded: the probe set %s is attached anew",
			    module, set->name);
	else
		record_note(r, NOTE_MISSING, "%s was unloaded: the probe set %s is gone",
			    module, set->name);
	if (r->waiting < RECORD_SETS_MAX)
		r->waits[r->waiting++] = set;
}

static void set_come(struct recorder *r, const struct probe_set *set, const char *library)
{
	u32 i = r->probes;

	if (i == RECORD_SETS_MAX)
		return;
	if (set_load(r, set)) {
		set_missing(r, set);
		return;
	}
	r->ring_lost[i] = r->map_lost[i] = r->missed[i] = 0;
	if (!set_attach(r, set, r->probe[i], library)) {
		r->probes--;
		return;
	}
	sums_begin(r, i);
	record_note(r, NOTE_SETTING, "probes+=%s", set->name);
	note("the probes \"%s\" are attached", set->name);
}

void sets_look(struct recorder *r)
{
	u32 waiting;

	for (u32 i = r->probes; r->ring && i-- > 1; ) {
		const char *module = probe_modules_changed(r->probe[i]);

		if (module)
			set_take_off(r, i, module);
	}
	waiting = r->ring ? r->waiting : 0;
	r->waiting = 0;
	for (u32 i = 0; i < waiting; i++) {
		const struct probe_set *set = r->waits[i];

		if (probe_module_missing(set))
			r->waits[r->waiting++] = set;
		else
			set_come(r, set, command_library());
	}
}

void sets_library(struct recorder *r, const char *path)
{
	const struct record_set *s;

	for (s = r->sets; r->ring && s->set; s++) {
		const struct probe_set *set = s->fast && nops_optimised() ? s->fast : s->set;
		u32 before = r->probes;

		if (!s->stacks || r->set->no_stacks ||
		    (r->set->probes && !list_has(r->set->probes, s->set->name)))
			continue;
		set_come(r, set, path);
		r->taking_stacks |= r->probes > before;
	}
}

void sets_costs(struct recorder *r)
{
	for (u32 i = 0; i < r->probes; i++)
		costs_take(&r->costs, r->probe_set[i], r->probe[i]);
}

static void *set_detach(void *object)
{
	probe_detach(object);
	return NULL;
}

/* The kernel takes 50 to 150 ms to be sure that a uprobe or a tracepoint of system calls is not
 * running anywhere: all at once, it takes that once. */
void sets_detach(struct recorder *r)
{
	pthread_t thread[RECORD_SETS_MAX];
	bool started[RECORD_SETS_MAX];

	for (u32 i = 0; i < r->probes; i++)
		started[i] = !pthread_create(&thread[i], NULL, set_detach, r->probe[i]);
	for (u32 i = 0; i < r->probes; i++) {
		if (started[i])
			pthread_join(thread[i], NULL);
		else
			probe_detach(r->probe[i]);
	}
}

void sets_close(struct recorder *r)
{
	ring_buffer__free(r->ring);
	r->ring = NULL;
	while (r->probes) {
		source_rows_free(r->sums[--r->probes]);
		probe_close(r->probe[r->probes]);
	}
	probe_shared_free(r->shared);
	costs_free(&r->costs);
	probe_stats_end();
}

int sets_list(const struct record_set *sets)
{
	static const char *const heads[] = { "<SET", "<RECORDS", NULL };
	struct table *t = table_new(heads);

	for (; sets->set; sets++) {
		table_cell(t, "%s", sets->set->name);
		table_cell(t, "%s", sets->set->about);
	}
	table_print(t, stdout, 0, "");
	table_free(t);
	return out_finish(stdout, "standard output");
}
