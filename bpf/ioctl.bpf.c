// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What programs ask of the drivers of character devices: open, ioctl, mmap, poll
 * and close, seen in the entry functions of NVIDIA's drivers or as system calls.
 * There the device comes from the inode behind the descriptor, so it is right
 * whatever name it was opened by.
 */
#include "driver.bpf.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

/* ---- inside the drivers ---- */

struct vm_area_struct___driver {
	unsigned long vm_start, vm_end;
} __attribute__((preserve_access_index));

static __always_inline int file_begin(struct file *file, u16 op, u32 cmd, u64 arg, u64 bytes)
{
	struct driver_begun b = { .op = op, .cmd = cmd, .arg = arg, .bytes = bytes, .fd = -1 };
	struct inode *inode;

	if (!wanted())
		return 0;
	inode = BPF_CORE_READ(file, f_inode);
	b.inode = inode;
	b.device = BPF_CORE_READ(inode, i_rdev);
	driver_begin(IN_DRIVER, &b);
	return 0;
}

static __always_inline int inode_begin(struct inode *inode, u32 place, u16 op)
{
	struct driver_begun b = { .op = op, .fd = -1, .inode = inode };

	if (!wanted())
		return 0;
	b.device = BPF_CORE_READ(inode, i_rdev);
	driver_begin(place, &b);
	return 0;
}

static __always_inline int mmap_begin(struct file *file, void *area)
{
	struct vm_area_struct___driver *vma = area;

	return file_begin(file, DRIVER_MMAP, 0, 0,
			  BPF_CORE_READ(vma, vm_end) - BPF_CORE_READ(vma, vm_start));
}

/* By the names of the functions: fentry has one target a program, a kprobe as many as one
 * likes. */
#define OF_INODE(name, op)							\
	SEC("fentry") int BPF_PROG(name##_fentry, struct inode *inode)		\
	{ return inode_begin(inode, IN_DRIVER, op); }					\
	SEC("fexit") int BPF_PROG(name##_fexit, u64 inode, u64 file, int ret)	\
	{ return driver_end(IN_DRIVER, op, ret); }
#define OF_IOCTL(name)								\
	SEC("fentry") int BPF_PROG(name##_fentry, struct file *file, u32 cmd, u64 arg) \
	{ return file_begin(file, DRIVER_IOCTL, cmd, arg, 0); }			\
	SEC("fexit") int BPF_PROG(name##_fexit, u64 file, u64 cmd, u64 arg, long ret) \
	{ return driver_end(IN_DRIVER, DRIVER_IOCTL, ret); }
#define OF_MMAP(name)								\
	SEC("fentry") int BPF_PROG(name##_fentry, struct file *file, void *vma)	\
	{ return mmap_begin(file, vma); }					\
	SEC("fexit") int BPF_PROG(name##_fexit, u64 file, u64 vma, int ret)	\
	{ return driver_end(IN_DRIVER, DRIVER_MMAP, ret); }
#define OF_POLL(name)								\
	SEC("fentry") int BPF_PROG(name##_fentry, struct file *file)		\
	{ return file_begin(file, DRIVER_POLL, 0, 0, 0); }			\
	SEC("fexit") int BPF_PROG(name##_fexit, u64 file, u64 table, u32 ret)	\
	{ return driver_end(IN_DRIVER, DRIVER_POLL, ret); }

OF_INODE(nvidia_open, DRIVER_OPEN)
OF_INODE(nvidia_close, DRIVER_CLOSE)
OF_IOCTL(nvidia_ioctl)
OF_MMAP(nvidia_mmap)
OF_POLL(nvidia_poll)
OF_INODE(frontend_open, DRIVER_OPEN)
OF_INODE(frontend_close, DRIVER_CLOSE)
OF_IOCTL(frontend_ioctl)
OF_MMAP(frontend_mmap)
OF_POLL(frontend_poll)
OF_INODE(uvm_open, DRIVER_OPEN)
OF_INODE(uvm_close, DRIVER_CLOSE)
OF_IOCTL(uvm_ioctl)
OF_MMAP(uvm_mmap)

SEC("kprobe")
int driver_open_entry(struct pt_regs *ctx)
{
	return inode_begin((void *)PT_REGS_PARM1(ctx), IN_DRIVER, DRIVER_OPEN);
}

SEC("kretprobe")
int driver_open_return(struct pt_regs *ctx)
{
	return driver_end(IN_DRIVER, DRIVER_OPEN, PT_REGS_RC(ctx));
}

SEC("kprobe")
int driver_close_entry(struct pt_regs *ctx)
{
	return inode_begin((void *)PT_REGS_PARM1(ctx), IN_DRIVER, DRIVER_CLOSE);
}

SEC("kretprobe")
int driver_close_return(struct pt_regs *ctx)
{
	return driver_end(IN_DRIVER, DRIVER_CLOSE, PT_REGS_RC(ctx));
}

SEC("kprobe")
int driver_ioctl_entry(struct pt_regs *ctx)
{
	return file_begin((void *)PT_REGS_PARM1(ctx), DRIVER_IOCTL, PT_REGS_PARM2(ctx),
			  PT_REGS_PARM3(ctx), 0);
}

SEC("kretprobe")
int driver_ioctl_return(struct pt_regs *ctx)
{
	return driver_end(IN_DRIVER, DRIVER_IOCTL, PT_REGS_RC(ctx));
}

SEC("kprobe")
int driver_mmap_entry(struct pt_regs *ctx)
{
	return mmap_begin((void *)PT_REGS_PARM1(ctx), (void *)PT_REGS_PARM2(ctx));
}

SEC("kretprobe")
int driver_mmap_return(struct pt_regs *ctx)
{
	return driver_end(IN_DRIVER, DRIVER_MMAP, PT_REGS_RC(ctx));
}

SEC("kprobe")
int driver_poll_entry(struct pt_regs *ctx)
{
	return file_begin((void *)PT_REGS_PARM1(ctx), DRIVER_POLL, 0, 0, 0);
}

SEC("kretprobe")
int driver_poll_return(struct pt_regs *ctx)
{
	return driver_end(IN_DRIVER, DRIVER_POLL, (u32)PT_REGS_RC(ctx));
}

/* ---- as system calls ---- */

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

/* 0: no character device. */
static __always_inline u32 char_device(u32 fd, struct inode **found)
{
	struct file *file = file_of(fd);
	struct inode *inode;

	if (!file)
		return 0;
	inode = BPF_CORE_READ(file, f_inode);
	*found = inode;
	return (BPF_CORE_READ(inode, i_mode) & S_IFMT) == S_IFCHR ?
		BPF_CORE_READ(inode, i_rdev) : 0;
}

static __always_inline int fd_begin(u32 fd, u16 op, u32 cmd, u64 arg, u64 bytes)
{
	struct driver_begun b = { .op = op, .cmd = cmd, .arg = arg, .bytes = bytes, .fd = fd };

	if ((s32)fd < 0 || !wanted())
		return 0;
	b.device = char_device(fd, &b.inode);
	driver_begin(IN_SYSCALL, &b);
	return 0;
}

SEC("tp/syscalls/sys_enter_ioctl")
int ioctl_enter(struct trace_event_raw_sys_enter *ctx)
{
	return fd_begin(ctx->args[0], DRIVER_IOCTL, ctx->args[1], ctx->args[2], 0);
}

SEC("tp/syscalls/sys_exit_ioctl")
int ioctl_exit(struct trace_event_raw_sys_exit *ctx)
{
	return driver_end(IN_SYSCALL, DRIVER_IOCTL, ctx->ret);
}

#define MAP_ANONYMOUS 0x20	/* x86 and arm64; the descriptor means nothing then */

SEC("tp/syscalls/sys_enter_mmap")
int mmap_enter(struct trace_event_raw_sys_enter *ctx)
{
	if (ctx->args[3] & MAP_ANONYMOUS)
		return 0;
	return fd_begin(ctx->args[4], DRIVER_MMAP, 0, 0, ctx->args[1]);
}

SEC("tp/syscalls/sys_exit_mmap")
int mmap_exit(struct trace_event_raw_sys_exit *ctx)
{
	return driver_end(IN_SYSCALL, DRIVER_MMAP, (u64)ctx->ret > -4096UL ? ctx->ret : 0);
}

SEC("tp/syscalls/sys_enter_close")
int close_enter(struct trace_event_raw_sys_enter *ctx)
{
	return fd_begin(ctx->args[0], DRIVER_CLOSE, 0, 0, 0);
}

SEC("tp/syscalls/sys_exit_close")
int close_exit(struct trace_event_raw_sys_exit *ctx)
{
	return driver_end(IN_SYSCALL, DRIVER_CLOSE, ctx->ret);
}

#define POLL_LOOK 16		/* descriptors of one call that are looked at */

struct poll_fd {
	s32 fd;
	s16 events, revents;
};

/* The call counts for the first wanted device in it. */
static __always_inline int poll_begin(u64 user, u64 count)
{
	struct driver_begun b = { .op = DRIVER_POLL };
	struct poll_fd p;

	if (!wanted())
		return 0;
	for (u32 i = 0; i < POLL_LOOK && i < count; i++) {
		if (bpf_probe_read_user(&p, sizeof(p), (void *)(user + i * sizeof(p))))
			return 0;
		b.fd = p.fd;
		b.device = p.fd < 0 ? 0 : char_device(p.fd, &b.inode);
		if (!device_wanted(b.device, DRIVER_POLL))
			continue;
		driver_begin(IN_SYSCALL, &b);
		return 0;
	}
	return 0;
}

SEC("tp/syscalls/sys_enter_poll")
int poll_enter(struct trace_event_raw_sys_enter *ctx)
{
	return poll_begin(ctx->args[0], ctx->args[1]);
}

SEC("tp/syscalls/sys_exit_poll")
int poll_exit(struct trace_event_raw_sys_exit *ctx)
{
	return driver_end(IN_SYSCALL, DRIVER_POLL, ctx->ret);
}

/* An open has no descriptor before it is done, and none when it fails, so better than these
 * two is the kernel's function between the system call and the driver. */
SEC("tp/syscalls/sys_enter_openat")
int open_enter(struct trace_event_raw_sys_enter *ctx)
{
	struct driver_begun b = { .op = DRIVER_OPEN };

	if (wanted())
		driver_keep(IN_SYSCALL, &b);
	return 0;
}

SEC("tp/syscalls/sys_exit_openat")
int open_exit(struct trace_event_raw_sys_exit *ctx)
{
	struct inode *inode = NULL;
	u32 device = ctx->ret < 0 ? 0 : char_device(ctx->ret, &inode);

	driver_opened(IN_SYSCALL, inode, device, ctx->ret);
	return driver_end(IN_SYSCALL, DRIVER_OPEN, ctx->ret);
}

SEC("kprobe")
int chrdev_open_entry(struct pt_regs *ctx)
{
	return inode_begin((void *)PT_REGS_PARM1(ctx), IN_SYSCALL, DRIVER_OPEN);
}

SEC("kretprobe")
int chrdev_open_return(struct pt_regs *ctx)
{
	return driver_end(IN_SYSCALL, DRIVER_OPEN, PT_REGS_RC(ctx));
}
