// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bpf/ioctl as plain C: which descriptors count, and calls without beginning or end. */
#include "kernel.h"

struct trace_event_raw_sys_enter { u64 args[6]; };
struct trace_event_raw_sys_exit { long ret; };

static struct inode null = { 0020000 | 0666, 1 << 20 | 3 }, tty = { 0020000, 4 << 20 | 1 };
static struct inode pts = { 0020000, 136 << 20 }, disk = { 0060000, 8 << 20 },
	plain = { 0100000, 0 };
static struct file files[] = { { &null }, { &tty }, { &pts }, { &disk }, { &plain } };
static struct file *table[] = { &files[0], &files[1], &files[2], &files[3], &files[4] };
static struct fdtable fdt = { 5, table };
static struct files_struct open_files = { &fdt };

#include "../../bpf/ioctl.bpf.c"
#undef const

static void call(u32 fd, u32 cmd, long result)
{
	struct trace_event_raw_sys_enter in = { { fd, cmd } };
	struct trace_event_raw_sys_exit out = { result };

	ioctl_enter(&in);
	ioctl_exit(&out);
}

int main(void)
{
	struct trace_event_raw_sys_exit out = { 0 };
	struct driver_call *c;

	host_current.files = &open_files;
	call(0, 46, 0);
	assert(!host_count);		/* not followed */
	host_follow(100);
	ioctl_exit(&out);
	assert(!host_count);		/* we came in the middle */
	call(0, 46, -22);
	c = host_records[0];
	assert(host_count == 1 && c->cmd == 46 && c->fd == 0 && c->result == -22);
	assert(c->device == (1 << 20 | 3) && c->dur_ns > 0 && c->e.kind == EVENT_DRIVER);
	for (u32 fd = 1; fd < 5; fd++)
		call(fd, 46, 0);	/* terminals, a disk, a file */
	assert(host_count == 1);
	ioctl_exit(&out);
	assert(host_count == 1);	/* the one before was given out once */
	host_ring_full = 1;
	call(0, 46, 0);
	host_ring_full = 0;
	assert(lost == 1);
	ioctl_exit(&out);
	assert(host_count == 1);	/* and is forgotten */
	return 0;
}
