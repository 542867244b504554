// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* BPF features. Each is tried: loaded, attached, taken away again; a backport counts, a version
 * does not. */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include "calibrate.h"
#include "check.h"
#include "kprobe_multi.h"
#include "uprobe_multi.h"

#define GROUP "BPF"

static int empty_program(enum bpf_prog_type type, enum bpf_attach_type attach, int btf_id)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach,
		    .attach_btf_id = btf_id);
	int fd = bpf_prog_load(type, "check", "Dual BSD/GPL", insns, 2, &opts);

	return fd < 0 ? -errno : fd;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* One finding from a try: 0 or a descriptor is yes, else the reason is shown. */
static void tried(struct checks *c, const char *name, int result, const char *yes, bool needed,
		  const char *remedy)
{
	if (result >= 0)
		check_add(c, GROUP, name, CHECK_OK, "", "%s", yes);
	else
		check_add(c, GROUP, name, needed ? CHECK_MISSING : CHECK_DEGRADED, remedy,
			  "no: %s", strerror(-result));
}

static int try_btf_program(const char *what, enum bpf_attach_type attach)
{
	int id = libbpf_find_vmlinux_btf_id(what, attach), prog, link;

	if (id < 0)
		return id;
	prog = empty_program(BPF_PROG_TYPE_TRACING, attach, id);
	if (prog < 0)
		return prog;
	link = bpf_raw_tracepoint_open(NULL, prog);
	link = link < 0 ? -errno : link;
	close_fd(link);
	close(prog);
	return link;
}

static int try_raw_tracepoint(void)
{
	int prog = empty_program(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0), link;

	if (prog < 0)
		return prog;
	link = bpf_raw_tracepoint_open("sys_enter", prog);
	link = link < 0 ? -errno : link;
	close_fd(link);
	close(prog);
	return link;
}

static int open_event(struct perf_event_attr *attr)
{
	int fd = syscall(SYS_perf_event_open, attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	fd = fd < 0 ? -errno : fd;
	close_fd(fd);
	return fd;
}

static int try_perf_event(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK, .freq = 1, .sample_freq = 99, .disabled = 1,
	};

	return open_event(&attr);
}

static int try_kprobe(void)
{
	char line[16] = "";
	struct perf_event_attr attr = {
		.size = sizeof(attr), .config1 = (unsigned long)"do_sys_openat2", .disabled = 1,
	};

	if (!check_read("/sys/bus/event_source/devices/kprobe/type", line, sizeof(line)) ||
	    sscanf(line, "%u", &attr.type) != 1)
		return -ENOENT;
	return open_event(&attr);
}

static int try_map(enum bpf_map_type type)
{
	int yes = libbpf_probe_bpf_map_type(type, NULL);

	return yes > 0 ? 0 : yes < 0 ? yes : -EOPNOTSUPP;
}

static int try_helper(enum bpf_func_id id)
{
	int yes = libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, id, NULL);

	return yes > 0 ? 0 : yes < 0 ? yes : -EOPNOTSUPP;
}

static void check_uprobe(struct checks *c)
{
	struct trap_cost t;
	int err = calibrate(&t), multi = uprobe_multi_try();

	if (err >= 0)
		check_add(c, GROUP, "uprobe", CHECK_OK, "",
			  "a hit costs %llu ns here, a return %llu, a single-stepped one %llu",
			  t.uprobe_ns, t.uretprobe_ns, t.stepped_ns);
	else if (multi >= 0)
		check_add(c, GROUP, "uprobe", CHECK_DEGRADED,
			  "run as root: without CAP_SYS_ADMIN there is no USDT, and --cost cannot calibrate",
			  "by uprobe_multi only; by perf events: %s", strerror(-err));
	else
		tried(c, "uprobe", err, "", true, err == -EACCES || err == -EPERM ?
		      "run as root: this kernel wants CAP_SYS_ADMIN to probe user code" :
		      "run a kernel built with CONFIG_UPROBE_EVENTS=y");
	tried(c, "usdt", err < 0 ? err :
	      access("/sys/bus/event_source/devices/uprobe/format/ref_ctr_offset", F_OK) ?
	      -ENOENT : 0, "with semaphores", true, "run as root, or Linux 4.20 or later");
	tried(c, "uprobe_multi", multi, "many probes in one link", false,
	      "Linux 6.6 or later attaches and detaches faster; nothing is lost without it");
}

static void check_kprobe(struct checks *c)
{
	int err = try_kprobe();
	struct trap_cost t;

	if (err < 0 || calibrate_types(&t, false, true))
		tried(c, "kprobe", err, "do_sys_openat2", false,
		      "a kernel built with CONFIG_KPROBES=y: functions of nvidia.ko can only be probed with it");
	else
		check_add(c, GROUP, "kprobe", CHECK_OK, "",
			  "a hit costs %llu ns here, a return %llu", t.kprobe_ns,
			  t.kretprobe_ns);
	tried(c, "kprobe_multi", kprobe_multi_try(), "many functions in one link", false,
	      "Linux 5.18 or later attaches faster; nothing is lost without it");
}

static void check_programs(struct checks *c)
{
	tried(c, "raw_tracepoint", try_raw_tracepoint(), "sys_enter", true,
	      "system calls cannot be seen without it");
	tried(c, "btf_tracepoint", try_btf_program("sched_switch", BPF_TRACE_RAW_TP),
	      "sched_switch", true,
	      "needs BTF and a kernel built with CONFIG_DEBUG_INFO_BTF=y");
	tried(c, "perf_event", try_perf_event(), "sampling by the CPU clock", false,
	      "see perf_event_paranoid");
	check_kprobe(c);
	tried(c, "fentry", try_btf_program("do_sys_openat2", BPF_TRACE_FENTRY),
	      "do_sys_openat2", false,
	      "a kernel built with CONFIG_FUNCTION_TRACER=y and CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS=y");
	tried(c, "bpf_loop", try_helper(BPF_FUNC_loop), "long loops", false,
	      "Linux 5.17 or later; stacks are shorter without it");
	tried(c, "get_func_ip", try_helper(BPF_FUNC_get_func_ip),
	      "one program for many functions", false,
	      "Linux 5.15 or later");
	tried(c, "get_attach_cookie", try_helper(BPF_FUNC_get_attach_cookie),
	      "arguments of USDT probes", false, "Linux 5.15 or later");
}

static void check_stats(struct checks *c)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	tried(c, "statistics", fd < 0 ? -errno : fd, "--cost can say what probes cost", false,
	      "Linux 5.8 or later");
	close_fd(fd);
}

void check_bpf(struct checks *c)
{
	int prog;

	libbpf_set_print(NULL);
	prog = empty_program(BPF_PROG_TYPE_KPROBE, 0, 0);
	tried(c, "load", prog, "programs may be loaded", true,
	      prog == -EPERM ?
	      "see privileges; or sysctl kernel.unprivileged_bpf_disabled and the container's seccomp profile" :
	      "run a kernel built with CONFIG_BPF_SYSCALL=y");
	if (prog < 0)
		return;		/* the rest would only say the same */
	close(prog);
	tried(c, "ring_buffer", try_map(BPF_MAP_TYPE_RINGBUF), "records reach user space by it",
	      true, "run Linux 5.8 or later");
	check_uprobe(c);
	check_programs(c);
	check_stats(c);
}
