// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls on devices. gpurec sees those of the processes it follows as system
 * calls, whatever the driver; gpuioctl looks inside NVIDIA's drivers where it can.
 */
#include <string.h>
#include <bpf/libbpf.h>
#include "sets.h"
#include "driver_calls.h"
#include "ioctl.skel.h"

TOOL_SKEL(ioctl_bpf);

#define FUNCTION(program, type, flags, module, function, hook, choice)		\
	HOOK(ioctl_bpf, program, type, flags, module, function, hook, choice)
#define FENTRY(program, flags, module, function, hook, choice)			\
	FUNCTION(program##_fentry, PROBE_FENTRY, flags, module, function, hook, choice), \
	FUNCTION(program##_fexit, PROBE_FEXIT, flags, module, function, hook, choice)
#define KPROBE(program, flags, module, function, hook, choice)			\
	FUNCTION(program##_entry, PROBE_KPROBE, flags, module, function, hook, choice), \
	FUNCTION(program##_return, PROBE_KRETPROBE, flags, module, function, hook, choice)
#define SYSCALL(program, name, hook, choice)					\
	FUNCTION(program##_enter, PROBE_TRACEPOINT, 0, "syscalls", "sys_enter_" name, hook, \
		 choice),							\
	FUNCTION(program##_exit, PROBE_TRACEPOINT, 0, "syscalls", "sys_exit_" name, hook,  \
		 choice)

/* From 545 on the driver's functions are the device's own; before, they sit behind others of
 * which they are the lower half. */
#define NVIDIA "calls of nvidia.ko"
#define NVIDIA_FENTRY(name, p, choice)						\
	FENTRY(name##_open, 0, "nvidia", p "open", NVIDIA, choice),		\
	FENTRY(name##_ioctl, 0, "nvidia", p "unlocked_ioctl", NVIDIA, choice),	\
	FENTRY(name##_mmap, 0, "nvidia", p "mmap", NVIDIA, choice),		\
	FENTRY(name##_poll, 0, "nvidia", p "poll", NVIDIA, choice),		\
	FENTRY(name##_close, 0, "nvidia", p "close", NVIDIA, choice)
#define NVIDIA_KPROBE(p, choice)						\
	KPROBE(driver_open, 0, "nvidia", p "open", NVIDIA, choice),		\
	KPROBE(driver_ioctl, 0, "nvidia", p "unlocked_ioctl", NVIDIA, choice),	\
	KPROBE(driver_mmap, 0, "nvidia", p "mmap", NVIDIA, choice),		\
	KPROBE(driver_poll, 0, "nvidia", p "poll", NVIDIA, choice),		\
	KPROBE(driver_close, 0, "nvidia", p "close", NVIDIA, choice)

#define UVM "calls of nvidia-uvm.ko"
#define TOOLS "calls of /dev/nvidia-uvm-tools"
#define UVM_ROW(KIND, program, function, hook, choice)				\
	KIND(program, PROBE_OPTIONAL, "nvidia_uvm", function, hook, choice)

#ifdef __x86_64__
#define POLL(hook, choice) SYSCALL(poll, "poll", hook, choice),
#else
#define POLL(hook, choice)		/* arm64 has ppoll alone */
#endif
#define SYSCALLS(hook, choice)							\
	SYSCALL(ioctl, "ioctl", hook, choice),					\
	SYSCALL(mmap, "mmap", hook, choice),					\
	POLL(hook, choice)							\
	SYSCALL(poll, "ppoll", hook, choice),					\
	SYSCALL(close, "close", hook, choice)
/* An open that fails has no descriptor, and so no device, as a system call. */
#define SYSTEM_CALLS(hook, choice)						\
	SYSCALLS(hook, choice),							\
	KPROBE(chrdev_open, 0, NULL, "chrdev_open", hook, choice),		\
	SYSCALLS(hook, choice + 1),						\
	SYSCALL(open, "openat", hook, choice + 1),				\
	SYSCALL(open, "openat2", hook, choice + 1)

static const struct probe_row inside[] = {
	NVIDIA_FENTRY(nvidia, "nvidia_", 0),
	NVIDIA_KPROBE("nvidia_", 1),
	NVIDIA_FENTRY(frontend, "nvidia_frontend_", 2),
	NVIDIA_KPROBE("nvidia_frontend_", 3),
	SYSTEM_CALLS(NVIDIA, 4),
	UVM_ROW(FENTRY, uvm_open, "uvm_open_entry", UVM, 0),
	UVM_ROW(FENTRY, uvm_ioctl, "uvm_unlocked_ioctl_entry", UVM, 0),
	UVM_ROW(FENTRY, uvm_mmap, "uvm_mmap_entry", UVM, 0),
	UVM_ROW(FENTRY, uvm_close, "uvm_release_entry", UVM, 0),
	UVM_ROW(KPROBE, driver_open, "uvm_open_entry", UVM, 1),
	UVM_ROW(KPROBE, driver_ioctl, "uvm_unlocked_ioctl_entry", UVM, 1),
	UVM_ROW(KPROBE, driver_mmap, "uvm_mmap_entry", UVM, 1),
	UVM_ROW(KPROBE, driver_close, "uvm_release_entry", UVM, 1),
	UVM_ROW(KPROBE, driver_open, "uvm_tools_open_entry", TOOLS, 0),
	UVM_ROW(KPROBE, driver_ioctl, "uvm_tools_unlocked_ioctl_entry", TOOLS, 0),
	UVM_ROW(KPROBE, driver_poll, "uvm_tools_poll_entry", TOOLS, 0),
	UVM_ROW(KPROBE, driver_close, "uvm_tools_release_entry", TOOLS, 0),
	{}
};

static const struct probe_row outside[] = {
	SYSTEM_CALLS("calls on devices", 0),
	{}
};

static int prepare(struct probe_object *o)
{
	struct ioctl_bpf__rodata *rodata = probe_rodata(o, NULL);

	driver_statuses((void *)rodata->rm_statuses, (void *)rodata->uvm_statuses);
	return 0;
}

static bool is_outside(const char *program)
{
	for (const struct probe_row *r = outside; r->name; r++)
		if (!strcmp(r->name, program))
			return true;
	return false;
}

static int prepare_outside(struct probe_object *o)
{
	struct bpf_program *p;

	bpf_object__for_each_program(p, probe_bpf(o)) {
		bpf_program__set_autoload(p, is_outside(bpf_program__name(p)));
	}
	return prepare(o);
}

const struct probe_set set_ioctl = {
	.name = "ioctl",
	.about = "calls on character devices other than terminals: the driver",
	.skel = &ioctl_bpf_ops,
	.probes = outside,
	.prepare = prepare_outside,
	.sums = "driver_sums",
};

const struct probe_set set_gpuioctl = {
	.name = "gpuioctl",
	.about = "calls on devices of GPUs, inside the driver or as system calls",
	.skel = &ioctl_bpf_ops,
	.probes = inside,
	.prepare = prepare,
	.sums = "driver_sums",
};
