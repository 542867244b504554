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
#include "caps.h"
#include "sets/sets.h"
#include "xid_kmsg.h"
#include "xid_log.h"
#include "xid_view.h"

static const struct enum_name sources[] = {
	{ BY_TRACEPOINT, "tracepoint" }, { BY_KPROBE, "kprobe" }, { BY_CONSOLE, "console" },
	{ BY_KMSG, "kmsg" }, {}
};

#define SET struct xid_settings

static const struct option_row options[] = {
	OPT_SET_STRINGS(SET, files, file_count, XID_FILES_MAX, 'f', "file", "FILE",
			"read a kernel log instead: dmesg, syslog, journal, /dev/kmsg; plain\n"
			"or gzip, - is stdin; several times for several files"),
	OPT_SET(SET, gpu, 'g', "gpu", "GPU", OPT_STRING,
		"only this one: its number, PCI address or UUID"),
	OPT_SET_LIST(SET, code, code_count, XID_CODES_MAX, 'c', "code", "LIST",
		     "only these numbers"),
	OPT_SET(SET, fold_ns, 0, "fold", "TIME", OPT_DURATION_NS,
		"in the table, one line for errors of one device, number and\n"
		"process that are no more than TIME apart (default 10s, 0: none)"),
	OPT_SET_RANGE(SET, calls, 0, "calls", "N", OPT_UNSIGNED, 0, RECENT_CALLS,
		      "in the table, so many of the process's last calls (default 8)"),
	OPT_SET_WORD(SET, sources, 0, "source", "LIST", OPT_WORDS, sources,
		     "see errors only by these: tracepoint, kprobe, console; or kmsg"),
	{}
};

/* ---- where they come from ---- */

static int put_logged(void *ctx, const struct xid *x)
{
	struct sink *s = ctx;
	int err = sink_put(s, &x->e);

	return err || !s->set->json ? err : sink_flush(s);
}

static int read_logs(struct sink *s)
{
	struct xid_log *l = xid_log_new(XID_FILE, xid_set.file_count > 1, put_logged, s);
	int err = sink_begin(s);

	for (u32 i = 0; i < xid_set.file_count && !err; i++)
		err = xid_log_file(l, xid_set.files[i]);
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

	if (s->file && (xid_set.gpu || xid_set.code_count || s->set->cgroup))
		return fail(0, "cannot record a part of the errors (--gpu, --code and --cgroup go with -i)");
	if (xid_set.file_count)
		return read_logs(s);
	if (xid_set.sources == BY_KMSG)
		return xid_kmsg(s);
	if (xid_set.sources & BY_KMSG)
		return fail(0, "cannot use /dev/kmsg beside probes: they would tell the same twice");
	if (!xid_set.sources)
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

	for (size_t i = 0; xid_set.sources && i < sizeof(programs) / sizeof(*programs); i++) {
		p = bpf_object__find_program_by_name(o, programs[i].program);
		if (p && !(xid_set.sources & programs[i].by))
			bpf_program__set_autoload(p, false);
	}
	return use_recorder(o);
}

int main(int argc, char **argv)
{
	static const u16 kinds[] = { EVENT_XID, EVENT_XID_CALL, 0 };
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
		.view = &xid_view,
		.quiet_ticks = true,
		.options = options,
		.settings = &xid_set,
		.prepare = prepare,
		.read = gpuxid_read,
	};

	return tool_main(&gpuxid, argc, argv);
}
