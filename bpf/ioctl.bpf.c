// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ioctl calls of followed threads on character devices that are no terminals:
 * what a CUDA program asks of its driver. The device comes from the inode behind
 * the descriptor, so it is right whatever name it was opened by.
 */
#include "emit.bpf.h"
#include "host.h"
#include <bpf/bpf_core_read.h>

#define S_IFMT  0170000
#define S_IFCHR 0020000
#define MAJOR(dev) ((dev) >> 20)

struct ioctl_begun {
	u64 ts;			/* 0: none */
	u32 cmd, device;
	s32 fd;
	u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct ioctl_begun);
} ioctls SEC(".maps");

static __always_inline struct file *file_of(u32 fd)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct fdtable *fdt = BPF_CORE_READ(task, files, fdt);
	struct file **files = BPF_CORE_READ(fdt, fd);
	struct file *file = NULL;

	if (fd < BPF_CORE_READ(fdt, max_fds))
		bpf_probe_read_kernel(&file, sizeof(file), &files[fd]);
	return file;
}

/* Terminals of all sorts: Documentation/admin-guide/devices.txt. */
static __always_inline bool is_terminal(u32 major)
{
	return (major >= 2 && major <= 5) || (major >= 136 && major <= 143) ||
	       major == 166 || major == 188 || major == 204;
}

/* 0: no character device, or a terminal. */
static __always_inline u32 char_device(u32 fd)
{
	struct inode *inode = BPF_CORE_READ(file_of(fd), f_inode);
	u32 device = BPF_CORE_READ(inode, i_rdev);

	if ((BPF_CORE_READ(inode, i_mode) & S_IFMT) != S_IFCHR || is_terminal(MAJOR(device)))
		return 0;
	return device;
}

SEC("tp/syscalls/sys_enter_ioctl")
int ioctl_enter(struct trace_event_raw_sys_enter *ctx)
{
	struct ioctl_begun *b;
	u32 device;

	if (!is_followed(bpf_get_current_pid_tgid() >> 32))
		return 0;
	device = char_device(ctx->args[0]);
	if (!device)
		return 0;
	b = bpf_task_storage_get(&ioctls, bpf_get_current_task_btf(), NULL,
				 BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!b) {
		emit_lost_map();
		return 0;
	}
	b->device = device;
	b->fd = ctx->args[0];
	b->cmd = ctx->args[1];
	b->ts = bpf_ktime_get_ns();
	return 0;
}

SEC("tp/syscalls/sys_exit_ioctl")
int ioctl_exit(struct trace_event_raw_sys_exit *ctx)
{
	struct ioctl_begun *b;
	struct driver_call *c;

	if (!is_followed(bpf_get_current_pid_tgid() >> 32))
		return 0;
	b = bpf_task_storage_get(&ioctls, bpf_get_current_task_btf(), NULL, 0);
	if (!b || !b->ts)
		return 0;
	c = emit_begin(sizeof(*c), EVENT_DRIVER);
	if (c) {
		c->dur_ns = c->e.ts - b->ts;
		c->e.ts = b->ts;
		c->cmd = b->cmd;
		c->device = b->device;
		c->fd = b->fd;
		c->result = ctx->ret;
		c->rm = 0;
		c->status = DRIVER_STATUS_NONE;
		c->client = 0;
		c->object = 0;
		c->bytes = 0;
		c->op = DRIVER_IOCTL;
		c->escape = b->cmd & 0xff;
		c->pad = 0;
		emit_end(c);
	}
	b->ts = 0;
	return 0;
}
