// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * gpuxid: errors of GPUs (Xid) and NVSwitches (SXid): which, on which device, what it means,
 * whose work it was and what that process asked of the driver before. As they happen, or out
 * of logs.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "arena.h"
#include "caps.h"
#include "hash.h"
#include "sets/sets.h"
#include "tool_run.h"
#include "xid_catalog.h"
#include "xid_kmsg.h"
#include "xid_log.h"
#include "xid_row.h"
#include "xid.skel.h"

#define FILES_MAX 64
#define CODES_MAX 64

enum { BY_TRACEPOINT = 1, BY_KPROBE = 2, BY_CONSOLE = 4, BY_KMSG = 8 };

static const struct enum_name sources[] = {
	{ BY_TRACEPOINT, "tracepoint" }, { BY_KPROBE, "kprobe" }, { BY_CONSOLE, "console" },
	{ BY_KMSG, "kmsg" }, {}
};

static struct {
	const char *files[FILES_MAX];
	const char *gpu;
	u64 fold_ns;
	u32 file_count, code_count, code[CODES_MAX], sources, calls;
} set = { .fold_ns = 10000000000ULL, .calls = 8 };
#define SET typeof(set)

static const struct option_row options[] = {
	OPT_SET_STRINGS(SET, files, file_count, FILES_MAX, 'f', "file", "FILE",
			"read a kernel log instead: dmesg, syslog, journal, /dev/kmsg; plain\n"
			"or gzip, - is stdin; several times for several files"),
	OPT_SET(SET, gpu, 'g', "gpu", "GPU", OPT_STRING,
		"only this one: its number, PCI address or UUID"),
	OPT_SET_LIST(SET, code, code_count, CODES_MAX, 'c', "code", "LIST",
		     "only these numbers"),
	OPT_SET(SET, fold_ns, 0, "fold", "TIME", OPT_DURATION_NS,
		"in the table, one line for errors of one device, number and\n"
		"process that are no more than TIME apart (default 10s, 0: none)"),
	OPT_SET(SET, calls, 0, "calls", "N", OPT_UNSIGNED,
		"in the table, so many of the process's last calls (default 8)"),
	OPT_SET_WORD(SET, sources, 0, "source", "LIST", OPT_WORDS, sources,
		     "see errors only by these: tracepoint, kprobe, console; or kmsg"),
	{}
};

/* ---- what is printed ---- */

static const struct column table[] = {
	COL(xid_row, first, "TIME", -23, AS_STR), COL(xid_row, last, "UNTIL", -12, AS_STR),
	COL(xid_row, count_text, "COUNT", 5, AS_STR),
	COL(xid_row, pci, "DEVICE", -12, AS_STR), COL(xid_row, gpu_text, "GPU", 3, AS_STR),
	COL(xid_row, label, "ERROR", -10, AS_STR),
	COL(xid_row, pid_text, "PID", 7, AS_STR), COL(xid_row, comm_text, "COMM", -15, AS_STR),
	COL(xid_row, severity_text, "SEVERITY", -8, AS_STR),
	COL(xid_row, advice, "WHAT TO DO", -42, AS_STR),
	COL(xid_row, said, "MESSAGE", -1, AS_STR),
	{}
};

static const struct column members[] = {
	COL_KEY(xid_row, e.ts, "ts", "", 0, AS_TIME), COL(xid_row, time, "", 0, AS_STR),
	COL(xid_row, realtime_ns, "", 0, AS_DEC), COL(xid_row, id, "", 0, AS_DEC),
	COL(xid_row, burst, "", 0, AS_DEC), COL(xid_row, nvswitch, "", 0, AS_DEC),
	COL(xid_row, code, "", 0, AS_DEC), COL(xid_row, name, "", 0, AS_STR),
	COL(xid_row, pci, "", 0, AS_STR), COL(xid_row, gpu, "", 0, AS_SIGNED),
	COL(xid_row, minor, "", 0, AS_SIGNED), COL(xid_row, uuid, "", 0, AS_STR),
	COL(xid_row, model, "", 0, AS_STR),
	COL(xid_row, gpu_instance, "", 0, AS_SIGNED),
	COL(xid_row, compute_instance, "", 0, AS_SIGNED),
	COL_KEY(xid_row, e.pid, "pid", "", 0, AS_DEC),
	COL_KEY(xid_row, e.tid, "tid", "", 0, AS_DEC),
	COL(xid_row, comm, "", 0, AS_STR), COL(xid_row, owner, "", 0, AS_ENUM, xid_owners),
	COL(xid_row, cgroup, "", 0, AS_STR), COL(xid_row, cgroup_id, "", 0, AS_DEC),
	COL(xid_row, severity, "", 0, AS_ENUM, xid_severities),
	COL(xid_row, meaning, "", 0, AS_STR),
	COL(xid_row, action, "", 0, AS_ENUM, xid_actions), COL(xid_row, advice, "", 0, AS_STR),
	COL(xid_row, source, "", 0, AS_ENUM, xid_sources),
	COL(xid_row, simulated, "", 0, AS_ENUM, xid_simulations),
	COL(xid_row, lines, "", 0, AS_DEC), COL(xid_row, text, "", 0, AS_STR),
	{}
};

static const struct column call_members[] = {
	COL_KEY(event, ts, "ts", "", 0, AS_TIME),
	COL_KEY(event, pid, "pid", "", 0, AS_DEC), COL_KEY(event, tid, "tid", "", 0, AS_DEC),
	COL_KEY(xid_call_row, c.xid, "xid", "", 0, AS_DEC),
	COL_KEY(xid_call_row, c.age, "age", "", 0, AS_DEC),
	COL_KEY(xid_call_row, c.dur_ns, "dur_ns", "", 0, AS_DEC),
	COL_KEY(xid_call_row, c.what, "what", "", 0, AS_ENUM, recent_whats),
	COL_KEY(xid_call_row, c.op, "op", "", 0, AS_DEC),
	COL_KEY(xid_call_row, c.device, "device", "", 0, AS_DEVNO),
	COL_KEY(xid_call_row, c.cmd, "cmd", "", 0, AS_HEX),
	COL_KEY(xid_call_row, c.rm, "rm", "", 0, AS_HEX),
	COL_KEY(xid_call_row, c.result, "result", "", 0, AS_SIGNED),
	COL_KEY(xid_call_row, name, "name", "", 0, AS_STR),
	{}
};

/* ---- bursts ---- */

struct burst {			/* errors of one device, number and process, near in time */
	struct burst *next;	/* in order of their first */
	u64 id, count, lines;
	u64 told;		/* occurrences for which a line was printed */
	u64 last_real, last_boot;	/* time of the last one */
	u32 calls;
	struct xid_call *call;	/* of the first one's process, set.calls at most */
	struct xid_record first;
};

static struct {
	struct hash open;	/* device, number and process -> the burst they are in */
	struct arena arena;
	struct burst *first, **end;
	struct burst *current;	/* of the last error */
	u64 ids, current_id;
	bool past;		/* a log or a recording: told at the end, in order */
} state = { .end = &state.first };

static u64 burst_key(const struct xid *x)
{
	u64 place = (u64)x->pci_domain << 16 | x->pci_bus << 8 | x->pci_device;

	return hash_mix(hash_mix(place) ^ (u64)x->code << 33 ^ (u64)x->nvswitch << 32 ^
			x->e.pid) | 1;
}

static bool apart(u64 a, u64 b)
{
	return (a > b ? a - b : b - a) > set.fold_ns;
}

/* Where no time is known at all, none is known to have passed. */
static bool gap(const struct burst *b, const struct xid *x)
{
	if (!set.fold_ns)
		return true;
	if (b->last_real && x->realtime_ns)
		return apart(b->last_real, x->realtime_ns);
	if (b->last_boot && x->e.ts)
		return apart(b->last_boot, x->e.ts);
	return b->last_real || b->last_boot || x->realtime_ns || x->e.ts;
}

static struct burst *burst_new(const struct xid *x)
{
	struct burst *b = arena_alloc(&state.arena, sizeof(*b));

	b->id = ++state.ids;
	b->call = arena_alloc(&state.arena, set.calls * sizeof(*b->call));
	memcpy(&b->first, x, x->e.size);
	if (state.past) {
		*state.end = b;
		state.end = &b->next;
	}
	return b;
}

/* ---- rows ---- */

static bool here(const struct sink *s, const struct xid *x)
{
	return !s->set->input && x->source != XID_FILE;
}

static int print_call(struct sink *s, const struct xid_call *c)
{
	struct xid_row r;

	xid_call_line(&r, c, state.current ? state.current->first.x.e.ts : 0);
	return sink_row(s, table, "xid", &r.e);
}

static int print_burst(struct sink *s, struct burst *b)
{
	struct xid_row r;
	int err;

	xid_row(&r, &b->first.x, here(s, &b->first.x));
	r.count = b->count - b->told;
	xid_row_count(&r, b->told, b->last_real, b->last_boot);
	err = sink_row(s, table, "xid", &r.e);
	for (u32 i = 0; !err && !b->told && i < b->calls; i++)
		err = print_call(s, &b->call[i]);
	b->told = b->count;
	return err;
}

/* What came behind the line that was printed when it began. */
static int close_burst(struct sink *s, struct burst *b)
{
	return b->count > b->told && !state.past ? print_burst(s, b) : 0;
}

static int print_json(struct sink *s, const struct burst *b, struct xid_row *r)
{
	r->burst = b->id;
	return sink_row(s, members, "xid", &r->e);
}

/* ---- which ones ---- */

static bool is_gpu(const struct xid_row *r)
{
	u32 domain, bus, device;
	char *end;
	long n = strtol(set.gpu, &end, 10);

	if (!*end)
		return r->gpu == n;
	if (sscanf(set.gpu, "%x:%x:%x", &domain, &bus, &device) == 3) {
		char pci[20];

		snprintf(pci, sizeof(pci), "%04x:%02x:%02x.", domain, bus, device);
		return !strncmp(r->pci, pci, strlen(pci));
	}
	return r->uuid[0] && !strncmp(r->uuid, set.gpu, strlen(set.gpu));
}

static bool in_cgroup(const struct xid_row *r, const char *path)
{
	static const char mount[] = "/sys/fs/cgroup";
	size_t n;

	if (!strncmp(path, mount, sizeof(mount) - 1))
		path += sizeof(mount) - 1;
	for (n = strlen(path); n && path[n - 1] == '/'; n--)
		;
	return r->cgroup[0] && !strncmp(r->cgroup, path, n) &&
	       (!r->cgroup[n] || r->cgroup[n] == '/');
}

static bool by_source(const struct xid_row *r)
{
	static const u32 bits[] = { [XID_TRACEPOINT] = BY_TRACEPOINT,
				    [XID_REPORT_ERROR] = BY_KPROBE, [XID_CONSOLE] = BY_CONSOLE,
				    [XID_KMSG] = BY_KMSG };

	return !set.sources || r->source == XID_FILE ||
	       (r->source < sizeof(bits) / sizeof(*bits) && set.sources & bits[r->source]);
}

static bool asked_for(const struct sink *s, const struct xid_row *r)
{
	bool code = !set.code_count;

	for (u32 i = 0; i < set.code_count; i++)
		code |= set.code[i] == r->code;
	return code && by_source(r) && (!s->set->pid || s->set->pid == r->e.pid) &&
	       (!set.gpu || is_gpu(r)) &&
	       (!s->set->cgroup || in_cgroup(r, s->set->cgroup));
}

/* ---- the view ---- */

static int put_xid(struct sink *s, const struct xid *x)
{
	struct burst *b = hash_get(&state.open, burst_key(x));
	struct xid_row r;
	bool begins;
	int err = 0;

	state.current = NULL;
	xid_row(&r, x, here(s, x));
	if (!asked_for(s, &r))
		return 0;
	begins = !b || gap(b, x);
	if (begins) {
		err = b ? close_burst(s, b) : 0;
		b = burst_new(x);
		hash_put(&state.open, burst_key(x), b);
	}
	b->count++;
	b->lines += x->lines;
	b->last_real = x->realtime_ns ? x->realtime_ns : r.realtime_ns;
	b->last_boot = x->e.ts;
	state.current = b;
	state.current_id = x->id;
	if (err || s->set->json)
		return err ? err : print_json(s, b, &r);
	return begins && !state.past ? print_burst(s, b) : 0;
}

static int put_call(struct sink *s, const struct xid_call *c)
{
	struct burst *b = state.current;

	if (!b || c->xid != state.current_id)
		return 0;
	if (s->set->json) {
		struct xid_call_row r;

		xid_call_row(&r, c);
		return sink_row(s, call_members, "xid_call", &r.c.e);
	}
	if (b->count > 1 || c->age >= set.calls)
		return 0;
	if (!state.past)
		return print_call(s, c);
	if (b->calls < set.calls)
		b->call[b->calls++] = *c;
	return 0;
}

static int view_begin(const struct tool *tool)
{
	state.past = set.file_count;
	return 0;
}

static int view_put(struct sink *s, const struct event *e)
{
	state.past |= s->set->input != NULL;
	switch (e->kind) {
	case EVENT_XID: return put_xid(s, (const struct xid *)e);
	case EVENT_XID_CALL: return put_call(s, (const struct xid_call *)e);
	default: return 0;
	}
}

static int view_end(struct sink *s)
{
	struct hash_slot *slot;
	size_t at = 0;
	int err = 0;

	for (struct burst *b = state.first; b && !err && !s->set->json; b = b->next) {
		state.current = b;
		err = print_burst(s, b);
	}
	while (!err && !s->set->json && (slot = hash_next(&state.open, &at)))
		err = close_burst(s, slot->value);
	hash_free(&state.open);
	arena_free(&state.arena);
	return err;
}

/* ---- where they come from ---- */

static int put_logged(void *ctx, const struct xid *x)
{
	struct sink *s = ctx;
	int err = sink_put(s, &x->e);

	return err || !s->set->json ? err : sink_flush(s);
}

static int read_logs(struct sink *s)
{
	struct xid_log *l = xid_log_new(XID_FILE, set.file_count > 1, put_logged, s);
	int err = sink_begin(s);

	for (u32 i = 0; i < set.file_count && !err; i++)
		err = xid_log_file(l, set.files[i]);
	xid_log_free(l);
	return err == -ECANCELED ? 0 : err;
}

/* Why the probes cannot be used; NULL: they can. */
static const char *no_probes(void)
{
	static char text[96];
	const char *caps = missing_capabilities();

	if (*caps) {
		snprintf(text, sizeof(text), "they need %s", caps);
		return text;
	}
	/* e6f2dd0f8067 ("bpf: Add bpf_loop helper"), 5.17 */
	if (libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_loop, NULL) != 1)
		return "this kernel's BPF is too old (5.17)";
	return NULL;
}

static int gpuxid_read(const struct tool *tool, struct sink *s)
{
	const char *why = NULL;

	if (s->file && (set.gpu || set.code_count || s->set->cgroup))
		return fail(0, "cannot record a part of the errors (--gpu, --code and --cgroup go with -i)");
	if (set.file_count)
		return read_logs(s);
	if (set.sources == BY_KMSG)
		return xid_kmsg(s);
	if (set.sources & BY_KMSG)
		return fail(0, "cannot use /dev/kmsg beside probes: they would tell the same twice");
	if (!set.sources)
		why = no_probes();
	if (!why)
		return TOOL_TRACE;
	warn("cannot use probes: %s; reading /dev/kmsg", why);
	return xid_kmsg(s);
}

/* A recorder that runs keeps the last calls of each process in a map, known by its name. */
static int recorder_map(const struct bpf_map *like)
{
	struct bpf_map_info info;
	u32 id = 0, size = sizeof(info);
	int fd, best = -1;

	while (!bpf_map_get_next_id(id, &id)) {
		fd = bpf_map_get_fd_by_id(id);
		memset(&info, 0, sizeof(info));
		if (fd < 0)
			continue;
		if (!bpf_obj_get_info_by_fd(fd, &info, &size) &&
		    !strcmp(info.name, bpf_map__name(like)) && info.max_entries > 1 &&
		    info.type == bpf_map__type(like) &&
		    info.value_size == bpf_map__value_size(like)) {
			if (best >= 0)
				close(best);
			best = fd;
		} else {
			close(fd);
		}
	}
	return best;
}

static int use_recorder(struct bpf_object *o)
{
	struct bpf_map *map = bpf_object__find_map_by_name(o, "shared_recent");
	int fd = map ? recorder_map(map) : -1, err;

	if (fd < 0) {
		note("calls: no gpurec or gpuioctl runs: the last calls of processes are not known");
		return map ? bpf_map__set_max_entries(map, 1) : 0;
	}
	err = bpf_map__reuse_fd(map, fd);
	close(fd);
	note("calls: from the recorder that runs");
	return err ? fail(err, "cannot use the calls that a recorder keeps") : 0;
}

static int prepare(const struct tool *tool, struct probe_object *object)
{
	static const struct { const char *program; u32 by; } programs[] = {
		{ "console", BY_CONSOLE }, { "dev_xid", BY_TRACEPOINT },
		{ "dev_sxid", BY_TRACEPOINT }, { "report_error", BY_KPROBE },
	};
	struct bpf_object *o = probe_bpf(object);
	struct bpf_program *p;

	for (size_t i = 0; set.sources && i < sizeof(programs) / sizeof(*programs); i++) {
		p = bpf_object__find_program_by_name(o, programs[i].program);
		if (p && !(set.sources & programs[i].by))
			bpf_program__set_autoload(p, false);
	}
	return use_recorder(o);
}

int main(int argc, char **argv)
{
	static const u16 kinds[] = { EVENT_XID, EVENT_XID_CALL, 0 };
	static const struct tool_view view = { view_begin, view_put, NULL, view_end };
	static const struct tool gpuxid = {
		.name = "gpuxid",
		.about = "errors of GPUs and NVSwitches (Xid, SXid): what they mean, whose work it was",
		.examples = "  gpuxid                      errors as they happen\n"
			    "  gpuxid -f /dev/kmsg         those that the kernel's log still holds\n"
			    "  gpuxid -f kern.log -f kern.log.1.gz -c 48,63,94\n"
			    "                              of two logs the memory errors\n"
			    "  journalctl -k -o short-iso | gpuxid -j -f -\n"
			    "                              each one as JSON\n",
		.set = &set_xid,
		.kinds = kinds,
		.view = &view,
		.options = options,
		.settings = &set,
		.prepare = prepare,
		.read = gpuxid_read,
	};

	return tool_main(&gpuxid, argc, argv);
}
