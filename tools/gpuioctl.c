// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * gpuioctl: what the driver of a GPU is asked for, by process, device and call. The
 * probes sum; here snapshots become rates and totals.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "arena.h"
#include "driver_calls.h"
#include "hash.h"
#include "kernel_functions.h"
#include "sets/sets.h"
#include "tool.h"
#include "ioctl.skel.h"

#define MAJOR_NVIDIA 195
#define MINORS 0xfffff		/* all of a major (bpf/driver.bpf.h) */

enum { BEST, BY_FENTRY, BY_KPROBE, BY_SYSCALL };

static struct {
	const char *devices;
	u32 probe;
	bool each;
} settings;

static const struct enum_name probe_words[] = {
	{ BEST, "best" }, { BY_FENTRY, "fentry" }, { BY_KPROBE, "kprobe" },
	{ BY_SYSCALL, "syscall" }, {}
};

static const struct option_row options[] = {
	OPT_LIVE(typeof(settings), devices, 0, "device", "PATHS", OPT_STRING,
		 "these devices: paths with commas, * allowed, also those\nthat come later (default: NVIDIA's)"),
	OPT_SET(typeof(settings), each, 'e', "each", NULL, OPT_SWITCH,
		"each call as it comes, but for polls"),
	OPT_LIVE_WORD(typeof(settings), probe, 0, "probe", "KIND", probe_words,
		      "fentry, kprobe or syscall (default: the best there is)"),
	{}
};

/* ---- which devices ---- */

static int devices_map = -1;

static bool nvidia_alone(void)	/* by their paths: so it holds for nodes that come later */
{
	for (const char *p = settings.devices; p && *p; p = strchrnul(p, ','), p += !!*p)
		if (strncmp(p, "/dev/nvidia", 11))
			return false;
	return true;
}

static int add_device(u32 major, u32 minor)
{
	u32 key = major << 20 | minor, one = 1;

	if (!bpf_map_update_elem(devices_map, &key, &one, BPF_ANY))
		return 0;
	return fail(-errno, "cannot watch another device");
}

/* Nodes that match a pattern now. */
static int find_matching(const char *pattern, u32 *count)
{
	struct stat st;
	glob_t found;
	int err = 0;

	*count = 0;
	if (glob(pattern, GLOB_NOSORT, NULL, &found))
		return 0;
	for (size_t i = 0; i < found.gl_pathc && !err; i++) {
		if (stat(found.gl_pathv[i], &st) || !S_ISCHR(st.st_mode))
			continue;
		err = add_device(major(st.st_rdev), minor(st.st_rdev));
		(*count)++;
	}
	globfree(&found);
	return err;
}

/* nvidia-uvm may come at any time, and each time with another major. */
static int find_nvidia(void)
{
	u32 uvm = driver_uvm_major();

	return uvm ? add_device(uvm, MINORS) : 0;
}

/* Looked for once an interval; the first time it is said what there is none of. */
static int find_devices(const struct tool *tool)
{
	static bool said;
	char pattern[4096];
	u32 count;
	int err = 0;

	if (!settings.devices)
		return find_nvidia();
	for (const char *p = settings.devices; !err && p && *p;
	     p = strchrnul(p, ','), p += !!*p) {
		snprintf(pattern, sizeof(pattern), "%.*s", (int)strcspn(p, ","), p);
		err = find_matching(pattern, &count);
		if (!err && !count && !said)
			warn("no character device is %s: watched when it comes", pattern);
	}
	said = true;
	return err;
}

static int check(const struct tool *tool)
{
	const char *p = settings.devices;
	bool empty = p && !*p;

	for (; p && *p; p++)
		empty |= *p == ',' && (p == settings.devices || !p[1] || p[1] == ',');
	return empty ? fail_usage("--device wants paths with commas between them, not \"%s\"",
				  settings.devices) : 0;
}

static const char *missing(const struct tool *tool)
{
	return settings.devices || kernel_module("nvidia", NULL) == MODULE_LIVE ||
	       kernel_module("nvidia_uvm", NULL) == MODULE_LIVE ? NULL : "nvidia";
}

/* ---- which probes ---- */

static bool has(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/* Of which kind a program is, by its name (bpf/ioctl.bpf.c). */
static u32 kind_of(const char *program)
{
	if (has(program, "_fentry") || has(program, "_fexit"))
		return BY_FENTRY;
	if (!strncmp(program, "driver_", 7))
		return BY_KPROBE;
	return BY_SYSCALL;
}

/* Where nvidia-uvm's function is not known its calls are seen as system calls, and then all. */
static bool by_system_calls(void)
{
	struct kernel_wanted uvm = { "nvidia_uvm", "uvm_unlocked_ioctl_entry", 24 };
	bool known;

	if (settings.probe == BY_SYSCALL || !nvidia_alone())
		return true;
	if (settings.probe != BEST || kernel_module("nvidia_uvm", NULL) != MODULE_LIVE)
		return false;
	known = !kernel_functions_find(&uvm, 1) && uvm.count;
	kernel_functions_free(&uvm, 1);
	return !known;
}

static int prepare(const struct tool *tool, struct probe_object *o)
{
	struct ioctl_bpf__rodata *rodata = probe_rodata(o, NULL);
	u32 only = by_system_calls() ? BY_SYSCALL : settings.probe;
	struct bpf_program *p;

	*(bool *)&rodata->any_device = false;
	*(bool *)&rodata->sum_all = true;
	*(bool *)&rodata->each = settings.each;
	if (only != BEST)
		bpf_object__for_each_program(p, probe_bpf(o))
			if (kind_of(bpf_program__name(p)) != only)
				bpf_program__set_autoload(p, false);
	return 0;
}

static int loaded(const struct tool *tool, struct probe_object *o)
{
	int err = 0;

	devices_map = probe_map_fd(o, "devices");
	if (!settings.devices)
		err = add_device(MAJOR_NVIDIA, MINORS);
	return err ? err : find_devices(tool);
}

/* ---- sums ---- */

struct sum_name { u32 pid, device, cmd, rm, status; s32 result; u16 op, escape, driver, pad; };

struct sum {
	struct sum_name name;
	u64 since_ns, count, time_ns;	/* of the last snapshot */
	u64 new_calls, new_ns;		/* in this interval */
	u64 calls, ns, max_ns;		/* in all */
	u64 ts;				/* of its last snapshot */
	u32 slots[DRIVER_SLOTS], old[DRIVER_SLOTS];
	struct sum *next;		/* of equal hash */
};

static struct {
	struct hash all;
	struct sum **changed;
	size_t changes, sums, room;
	u64 from_ns, to_ns, interval;	/* of what changed */
} sums;

static struct sum *sum_find(const struct driver_sum *d)
{
	struct sum_name name = { d->e.pid, d->device, d->cmd, d->rm, d->status, d->result,
				 d->op, d->escape, d->driver, 0 };
	u64 hash = hash_bytes(&name, sizeof(name));
	struct sum *first = hash_get(&sums.all, hash), *s = first;

	while (s && memcmp(&s->name, &name, sizeof(name)))
		s = s->next;
	if (s)
		return s;
	s = must_alloc(sizeof(*s));
	s->name = name;
	s->next = first;
	hash_put(&sums.all, hash, s);
	sums.sums++;
	return s;
}

static void sum_changed(struct sum *s)
{
	if (sums.changes == sums.room) {
		sums.room = sums.room ? sums.room * 2 : 256;
		sums.changed = reallocarray(sums.changed, sums.room, sizeof(*sums.changed));
		if (!sums.changed)
			abort();
	}
	sums.changed[sums.changes++] = s;
}

/* A row that was taken out, or whose probes were opened anew, counts from 0 again; so does one
 * of a damaged recording that counts back. */
static void sum_add(struct sum *s, const struct driver_sum *d)
{
	if (s->since_ns != d->since_ns || d->count < s->count || d->time_ns < s->time_ns) {
		s->since_ns = d->since_ns;
		s->count = s->time_ns = 0;
		memset(s->old, 0, sizeof(s->old));
	}
	s->new_calls = d->count - s->count;
	s->new_ns = d->time_ns - s->time_ns;
	s->count = d->count;
	s->time_ns = d->time_ns;
	s->calls += s->new_calls;
	s->ns += s->new_ns;
	s->ts = d->e.ts;
	if (d->max_ns > s->max_ns)
		s->max_ns = d->max_ns;
	for (u32 i = 0; i < DRIVER_SLOTS; i++) {
		s->slots[i] += d->slots[i] - s->old[i];
		s->old[i] = d->slots[i];
	}
}

/* ---- rows ---- */

struct line {
	struct event e;
	u64 from_ns, calls, ns, calls_per_s, ns_per_s, avg_ns, max_ns;
	u32 devno, cmd, rm, nv_status;
	s32 result;
	u16 op, escape;
	u32 slots[DRIVER_SLOTS];
	char device[24], status[48], call[96];
};

static const struct enum_name ops[] = {
	{ DRIVER_OPEN, "open" }, { DRIVER_IOCTL, "ioctl" }, { DRIVER_MMAP, "mmap" },
	{ DRIVER_POLL, "poll" }, { DRIVER_CLOSE, "close" }, {}
};

#define LINE_JSON								\
	COL_JSON(event, ts, AS_TIME), COL_JSON(line, devno, AS_DEVNO),		\
	COL_JSON(line, op, AS_ENUM, ops), COL_JSON(line, cmd, AS_HEX),		\
	COL_JSON(line, escape, AS_DEC), COL_JSON(line, rm, AS_HEX),		\
	COL_JSON(line, nv_status, AS_HEX), COL_JSON(line, result, AS_ERRNO)
#define LINE_WHO								\
	COL_PID, COL_COMM, COL(line, device, "DEVICE", -16, AS_STR)
#define LINE_WHAT								\
	COL(line, avg_ns, "AVG(us)", 9, AS_US),					\
	COL(line, status, "STATUS", -24, AS_STR), COL(line, call, "CALL", -1, AS_STR)

static const struct column interval_columns[] = {
	LINE_JSON, COL_JSON(line, from_ns, AS_TIME), COL_JSON(line, ns, AS_NS), LINE_WHO,
	COL(line, calls, "CALLS", 9, AS_DEC),
	COL(line, calls_per_s, "CALLS/s", 9, AS_DEC),
	COL(line, ns_per_s, "US/s", 10, AS_US),
	LINE_WHAT, {}
};

static const struct column total_columns[] = {
	LINE_JSON, COL_JSON(line, slots, AS_HIST), LINE_WHO,
	COL(line, calls, "CALLS", 9, AS_DEC),
	COL(line, ns, "TIME(us)", 12, AS_US),
	COL(line, max_ns, "MAX(us)", 9, AS_US),
	LINE_WHAT, {}
};

struct each {
	struct driver_call c;
	char device[24], status[48], call[96];
};

static const struct column each_columns[] = {
	COL_TIME, COL_PID, COL_TID, COL_COMM,
	COL_KEY(driver_call, dur_ns, "dur_ns", "LAT(us)", 9, AS_US),
	COL_KEY(driver_call, device, "devno", "", 0, AS_DEVNO),
	COL_JSON(driver_call, op, AS_ENUM, ops), COL_JSON(driver_call, cmd, AS_HEX),
	COL_JSON(driver_call, escape, AS_DEC), COL_JSON(driver_call, rm, AS_HEX),
	COL_KEY(driver_call, status, "nv_status", "", 0, AS_HEX),
	COL_JSON(driver_call, fd, AS_SIGNED), COL_JSON(driver_call, bytes, AS_SIZE),
	COL(each, device, "DEVICE", -16, AS_STR),
	COL_KEY(driver_call, result, "result", "RESULT", 7, AS_SIGNED),
	COL_KEY(driver_call, client, "client", "CLIENT", 10, AS_HEX),
	COL_KEY(driver_call, object, "object", "OBJECT", 10, AS_HEX),
	COL(each, status, "STATUS", -24, AS_STR),
	COL(each, call, "CALL", -1, AS_STR), {}
};

static void line_name(struct line *l, const struct sum_name *n)
{
	struct driver_what what = { n->device, n->cmd, n->rm, n->op, n->escape, n->driver };

	l->e.pid = n->pid;
	l->devno = n->device;
	l->op = n->op;
	l->escape = n->escape;
	l->cmd = n->cmd;
	l->rm = n->rm;
	l->nv_status = n->status;
	l->result = n->result;
	driver_device_text(n->device, n->driver, l->device, sizeof(l->device));
	driver_status_text(n->status, n->result, l->status, sizeof(l->status));
	driver_call_text(&what, l->call, sizeof(l->call));
}

static u64 per_second(u64 n, u64 ns)
{
	return ns ? (double)n * 1e9 / ns + 0.5 : 0;
}

static int put_interval(struct sink *sink, const struct sum *s)
{
	u64 span = sums.to_ns - sums.from_ns;
	struct line l = {
		.e.ts = sums.to_ns, .from_ns = sums.from_ns, .calls = s->new_calls,
		.ns = s->new_ns, .calls_per_s = per_second(s->new_calls, span),
		.ns_per_s = per_second(s->new_ns, span), .avg_ns = s->new_ns / s->new_calls,
	};

	line_name(&l, &s->name);
	return sink_row(sink, interval_columns, "driver_interval", &l.e);
}

static int put_total(struct sink *sink, const struct sum *s)
{
	struct line l = {
		.e.ts = s->ts, .calls = s->calls, .ns = s->ns, .max_ns = s->max_ns,
		.avg_ns = s->ns / s->calls,
	};

	memcpy(l.slots, s->slots, sizeof(l.slots));
	line_name(&l, &s->name);
	return sink_row(sink, total_columns, "driver_total", &l.e);
}

static int put_each(struct sink *sink, const struct driver_call *c)
{
	struct driver_what what = { c->device, c->cmd, c->rm, c->op, c->escape, c->driver };
	struct each row = { .c = *c };

	driver_device_text(c->device, c->driver, row.device, sizeof(row.device));
	driver_status_text(c->status, c->result, row.status, sizeof(row.status));
	driver_call_text(&what, row.call, sizeof(row.call));
	return sink_row(sink, each_columns, "driver", &row.c.e);
}

/* The most time first; equal ones always in the same order. */
static int by_time(const void *a, const void *b)
{
	const struct sum *x = *(struct sum *const *)a, *y = *(struct sum *const *)b;
	u64 p = x->new_ns, q = y->new_ns;

	return p < q ? 1 : p > q ? -1 : memcmp(&x->name, &y->name, sizeof(x->name));
}

static int put_changed(struct sink *sink, int (*put)(struct sink *, const struct sum *))
{
	int err = 0;

	if (sums.changes)
		qsort(sums.changed, sums.changes, sizeof(*sums.changed), by_time);
	for (size_t i = 0; i < sums.changes && !err; i++)
		err = put(sink, sums.changed[i]);
	sums.changes = 0;
	return err;
}

/* ---- the view ---- */

static int on_sum(struct sink *sink, const struct driver_sum *d)
{
	struct sum *s;
	int err = 0;

	if (d->interval != sums.interval || d->e.ts != sums.to_ns)
		err = put_changed(sink, put_interval);
	sums.interval = d->interval;
	sums.from_ns = d->from_ns;
	sums.to_ns = d->e.ts;
	s = sum_find(d);
	sum_add(s, d);
	if (s->new_calls)
		sum_changed(s);
	return err;
}

static int view_put(struct sink *sink, const struct event *e)
{
	if (e->kind == EVENT_DRIVER && settings.each)
		return put_each(sink, (const void *)e);
	if (e->kind == EVENT_DRIVER_SUM && !settings.each)
		return on_sum(sink, (const void *)e);
	return 0;
}

static int view_tick(struct sink *sink, u64 from_ns, u64 to_ns)
{
	return put_changed(sink, put_interval);
}

/* `new_*` are what is sorted and shown. */
static int view_end(struct sink *sink)
{
	struct hash_slot *slot;
	size_t at = 0;
	int err = put_changed(sink, put_interval);

	while ((slot = hash_next(&sums.all, &at)))
		for (struct sum *s = slot->value; s; s = s->next) {
			s->new_ns = s->ns;
			if (s->calls)
				sum_changed(s);
		}
	return err ? err : put_changed(sink, put_total);
}

static const struct tool_view view = { NULL, view_put, view_tick, view_end };
static const u16 kinds[] = { EVENT_DRIVER_SUM, EVENT_DRIVER, 0 };

int main(int argc, char **argv)
{
	static const struct tool gpuioctl = {
		.name = "gpuioctl",
		.about = "calls of GPU drivers by process, device and command: how often, how long, what result",
		.examples = "  gpuioctl                       rates each second, the most time first; totals at the end\n"
			    "  gpuioctl -p 181 -e             each call of process 181\n"
			    "  gpuioctl --device '/dev/dri/*' the GPUs of other vendors\n"
			    "  gpuioctl -d 10s -o t.gst       record 10 seconds; gpuioctl -i t.gst prints them\n",
		.set = &set_gpuioctl,
		.kinds = kinds,
		.view = &view,
		.options = options,
		.settings = &settings,
		.check = check,
		.prepare = prepare,
		.loaded = loaded,
		.look = find_devices,
		.missing = missing,
	};

	return tool_main(&gpuioctl, argc, argv);
}
