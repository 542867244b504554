// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The program is often a tenth of what a hit costs: the trap is the rest, and no
 * kernel statistic counts it. So we probe a function of our own with an empty
 * program and time calls with and without.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "calibrate.h"
#include "kprobe_multi.h"
#include "probe.h"

#define CALLS 500		/* half a millisecond: less than a turn on the CPU */
#define TRIES 40

/*
 * Most functions begin by saving a register, which the kernel emulates. Most other
 * instructions it has to single-step out of line, and a virtual machine makes
 * that dear: 700 and 19,000 ns were measured on one.
 */
#ifdef __aarch64__
__asm__(".text\n.globl calibrate_saves, calibrate_steps\n"
	"calibrate_saves:	stp x29, x30, [sp, #-16]!\n ldp x29, x30, [sp], #16\n ret\n"
	"calibrate_steps:	mov x0, sp\n ret\n");
#else
__asm__(".text\n.globl calibrate_saves, calibrate_steps\n"
	"calibrate_saves:	push %rbp\n pop %rbp\n ret\n"
	"calibrate_steps:	mov %rsp, %rax\n ret\n");
#endif
void calibrate_steps(void);

static u64 loop_once(void (*victim)(void))
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int i = 0; i < CALLS; i++)
		victim();
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (b.tv_sec - a.tv_sec) * 1000000000ULL + b.tv_nsec - a.tv_nsec;
}

/* The best of many: what others did to this CPU is in the rest. */
static u64 loop_ns(void (*victim)(void))
{
	u64 best = ~0ULL, ns;

	for (int i = 0; i < TRIES; i++) {
		ns = loop_once(victim);
		if (ns < best)
			best = ns;
	}
	return best / CALLS;
}

/* By the mapping it lies in. */
int calibrate_offset(void (*victim)(void), u64 *offset)
{
	unsigned long long start, end, pgoff;
	unsigned long addr = (unsigned long)victim;
	FILE *f = fopen("/proc/self/maps", "re");
	char line[4352];
	int err = -ENOENT;

	while (err && f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx-%llx %*s %llx", &start, &end, &pgoff) == 3 &&
		    addr >= start && addr < end) {
			*offset = addr - start + pgoff;
			err = 0;
		}
	if (f)
		fclose(f);
	return err;
}

static int read_number(const char *path, const char *format)
{
	FILE *f = fopen(path, "re");
	int v = -1;

	if (f && fscanf(f, format, &v) != 1)
		v = -1;
	if (f)
		fclose(f);
	return v;
}

static int empty_program(enum bpf_attach_type attach)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach);

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "calibrate", "Dual BSD/GPL", insns, 2,
			     &opts);
}

static int open_probe(struct perf_event_attr *attr, pid_t pid, int cpu, int prog)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)) {
		close(fd);
		return -errno;
	}
	return fd;
}

static int probe_offset(int prog, u64 offset, bool ret)
{
	int type = read_number("/sys/bus/event_source/devices/uprobe/type", "%d");
	int bit = read_number("/sys/bus/event_source/devices/uprobe/format/retprobe",
			      "config:%d");
	struct perf_event_attr attr = {
		.type = type, .size = sizeof(attr), .config = ret ? 1ULL << bit : 0,
		.config1 = (unsigned long)"/proc/self/exe", .config2 = offset,
	};

	return type < 0 || bit < 0 ? -ENOENT : open_probe(&attr, getpid(), -1, prog);
}

/* What a probed call takes longer; both: entry and return probed. */
static int measure(int prog, void (*victim)(void), bool both, u64 *ns)
{
	int entry, ret = -1, err;
	u64 offset, plain;

	*ns = 0;
	err = calibrate_offset(victim, &offset);
	if (err)
		return err;
	plain = loop_ns(victim);
	err = entry = probe_offset(prog, offset, false);
	if (err >= 0 && both)
		err = ret = probe_offset(prog, offset, true);
	if (err >= 0)
		*ns = loop_ns(victim) - plain;
	if (ret >= 0)
		close(ret);
	if (entry >= 0)
		close(entry);
	return err < 0 ? err : 0;
}

int calibrate(struct trap_cost *t)
{
	int prog = empty_program(0), err;
	u64 both;

	*t = (struct trap_cost){};
	if (prog < 0)
		return prog;
	err = measure(prog, calibrate_saves, false, &t->uprobe_ns);
	if (!err)
		err = measure(prog, calibrate_saves, true, &both);
	if (!err)
		err = measure(prog, calibrate_steps, false, &t->stepped_ns);
	t->uretprobe_ns = !err && both > t->uprobe_ns ? both - t->uprobe_ns : 0;
	close(prog);
	return err;
}

/* ---- functions of the kernel: one that a system call is ---- */

#ifdef __aarch64__
#define SYSCALL_FUNCTION "__arm64_sys_getppid"
#else
#define SYSCALL_FUNCTION "__x64_sys_getppid"
#endif

static void call_kernel(void)
{
	syscall(SYS_getppid);
}

static int probe_kernel(int prog, bool ret)
{
	int bit = read_number("/sys/bus/event_source/devices/kprobe/format/retprobe",
			      "config:%d");
	struct perf_event_attr attr = {
		.type = read_number("/sys/bus/event_source/devices/kprobe/type", "%d"),
		.size = sizeof(attr), .config = ret ? 1ULL << bit : 0,
		.config1 = (unsigned long)SYSCALL_FUNCTION,
	};

	return bit < 0 ? -ENOENT : open_probe(&attr, -1, 0, prog);
}

static int probe_multi(int prog, bool ret)
{
	const char *name = SYSCALL_FUNCTION;
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	int fd;

	opts.kprobe_multi.flags = ret ? BPF_F_KPROBE_MULTI_RETURN : 0;
	opts.kprobe_multi.cnt = 1;
	opts.kprobe_multi.syms = &name;
	fd = bpf_link_create(prog, 0, BPF_TRACE_KPROBE_MULTI, &opts);
	return fd < 0 ? -errno : fd;
}

static u64 measure_kernel(int prog, int (*probe)(int prog, bool ret), bool ret, u64 plain)
{
	int fd = probe(prog, ret);
	u64 ns;

	if (fd < 0)
		return 0;
	ns = loop_ns(call_kernel);
	close(fd);
	return ns > plain ? ns - plain : 0;
}

static int calibrate_kernel(struct trap_cost *t)
{
	int prog = empty_program(0), multi = empty_program(BPF_TRACE_KPROBE_MULTI);
	u64 plain = loop_ns(call_kernel);

	if (prog < 0)
		return prog;
	t->kprobe_ns = measure_kernel(prog, probe_kernel, false, plain);
	t->kretprobe_ns = measure_kernel(prog, probe_kernel, true, plain);
	close(prog);
	if (multi >= 0 && !kprobe_multi_try()) {
		t->kprobe_multi_ns = measure_kernel(multi, probe_multi, false, plain);
		t->kretprobe_multi_ns = measure_kernel(multi, probe_multi, true, plain);
	} else {
		t->kprobe_multi_ns = t->kprobe_ns;	/* such rows go by a kprobe each */
		t->kretprobe_multi_ns = t->kretprobe_ns;
	}
	if (multi >= 0)
		close(multi);
	return 0;
}

int calibrate_types(struct trap_cost *t, bool user, bool kernel)
{
	int err = 0;

	*t = (struct trap_cost){};
	if (user)
		err = calibrate(t);
	return !err && kernel ? calibrate_kernel(t) : err;
}

u64 trap_ns(const struct trap_cost *t, u8 type)
{
	switch (type) {
	case PROBE_UPROBE: case PROBE_USDT: return t->uprobe_ns;
	case PROBE_URETPROBE: return t->uretprobe_ns;
	case PROBE_KPROBE: return t->kprobe_ns;
	case PROBE_KRETPROBE: return t->kretprobe_ns;
	case PROBE_KPROBE_MULTI: return t->kprobe_multi_ns;
	case PROBE_KRETPROBE_MULTI: return t->kretprobe_multi_ns;
	}
	/* tracepoints, fentry and fexit are calls: what they cost is in the program's time */
	return 0;
}
