// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bpf/ioctl as plain C: which devices count, what is decoded, seen once, summed; garbage. */
#include "kernel.h"
#include <limits.h>
#include <linux/ioctl.h>

struct trace_event_raw_sys_enter { u64 args[6]; };
struct trace_event_raw_sys_exit { long ret; };

/* User memory: this window, all else faults. */
static _Alignas(8) u8 memory[512];
static u64 window = (u64)memory, window_end = (u64)memory + sizeof(memory);

static long user_read(void *to, u32 n, u64 from)
{
	memset(to, 0, n);
	if (from < window || from > window_end || n > window_end - from)
		return -14;
	memcpy(to, (void *)from, n);
	return 0;
}

#undef bpf_probe_read_user
#define bpf_probe_read_user(to, n, from) user_read((to), (n), (u64)(from))
#define preserve_access_index unused

static char module_uvm[56] = "nvidia_uvm", module_other[56] = "nvidia_uvm2";
static struct { void *owner; } cdev_uvm = { module_uvm }, cdev_other = { module_other },
	builtin;
static struct inode null = { &builtin, 0020000 | 0666, 1 << 20 | 3 },
	tty = { NULL, 0020000, 4 << 20 | 1 };
static struct inode pts = { NULL, 0020000, 136 << 20 }, disk = { NULL, 0060000, 8 << 20 },
	plain = { NULL, 0100000, 0 }, ctl = { NULL, 0020000, 195 << 20 | 255 },
	uvm = { &cdev_uvm, 0020000, 240 << 20 };
static struct file files[] = { { &null }, { &tty }, { &pts }, { &disk }, { &plain }, { &ctl },
			       { &uvm } };
static struct file *table[] = { &files[0], &files[1], &files[2], &files[3], &files[4],
				&files[5], &files[6] };
static struct fdtable fdt = { 7, table };
static struct files_struct open_files = { &fdt };
enum { NULL_FD, CTL = 5, UVM = 6 };

#include "../../bpf/ioctl.bpf.c"
#undef const

#define RM_CMD(nr, type) _IOC(3u, 'F', nr, (u32)sizeof(type))

static struct driver_call *last(void)
{
	return host_count ? host_records[host_count - 1] : NULL;
}

static void call(u32 fd, u32 cmd, const void *arg, long result)
{
	struct trace_event_raw_sys_enter in = { { fd, cmd, (u64)arg } };
	struct trace_event_raw_sys_exit out = { result };

	ioctl_enter(&in);
	ioctl_exit(&out);
}

static void descriptors_that_count(void)
{
	struct trace_event_raw_sys_exit out = { 0 };
	struct driver_call *c;

	call(NULL_FD, 46, NULL, 0);
	assert(!host_count);		/* not followed */
	host_follow(100);
	ioctl_exit(&out);
	assert(!host_count);		/* we came in the middle */
	call(NULL_FD, 46, NULL, -22);
	c = last();
	assert(host_count == 1 && c->cmd == 46 && c->fd == 0 && c->result == -22);
	assert(c->device == (1 << 20 | 3) && c->dur_ns > 0 && c->e.kind == EVENT_DRIVER);
	assert(c->escape == 46 && c->driver == DRIVER_OTHER && c->status == DRIVER_STATUS_NONE);
	for (u32 fd = 1; fd < 5; fd++)
		call(fd, 46, NULL, 0);	/* terminals, a disk, a file */
	call(-1, 46, NULL, 0);
	call(7, 46, NULL, 0);
	assert(host_count == 1);
	ioctl_exit(&out);
	assert(host_count == 1);	/* the one before was given out once */
	host_ring_full = 1;
	call(NULL_FD, 46, NULL, 0);
	host_ring_full = 0;
	assert(lost == 1);
	ioctl_exit(&out);
	assert(host_count == 1);	/* and is forgotten */
}

static void statuses(void)
{
	rm_statuses[RM_ROW(0x2a)][0] = (struct rm_status){ 32, AT(28) };
	rm_statuses[RM_ROW(0x2b)][0] = (struct rm_status){ 32, AT(28) };
	rm_statuses[RM_ROW(0x2b)][1] = (struct rm_status){ 48, AT(40) };
	uvm_statuses[39] = AT(4);
}

static void what_the_driver_was_asked(void)
{
	struct rm_control *control = (void *)memory;
	struct rm_alloc_rights *alloc = (void *)memory;
	struct driver_call *c;

	*control = (struct rm_control){ 0xc1, 0xc2, 0x214, 0, 0, 256, 0x57 };
	call(CTL, RM_CMD(0x2a, *control), memory, 0);
	c = last();
	assert(c->driver == DRIVER_NVIDIA && c->escape == 0x2a && c->rm == 0x214);
	assert(c->client == 0xc1 && c->object == 0xc2 && c->status == 0x57 && c->bytes == 256);
	call(CTL, RM_CMD(0x2a, *control), memory, -22);
	assert(last()->rm == 0x214 && last()->status == DRIVER_STATUS_NONE);
	*alloc = (struct rm_alloc_rights){ 0xc1, 0xc1, 0xcaf, 0x80, .status = 0x22 };
	call(CTL, RM_CMD(0x2b, *alloc), memory, 0);
	assert(last()->rm == 0x80 && last()->status == 0x22 && last()->object == 0xcaf);
	*(struct rm_alloc *)memory = (struct rm_alloc){ .class = 0x80, .status = 0x23 };
	call(CTL, RM_CMD(0x2b, struct rm_alloc), memory, 0);
	assert(last()->rm == 0x80 && last()->status == 0x23);
	*(u32 *)(memory + 4) = 0x16;
	call(UVM, 39, memory, 0);
	assert(last()->driver == DRIVER_NVIDIA_UVM && last()->status == 0x16 && !last()->rm);
	uvm.i_rdev = 241 << 20;		/* it was loaded again */
	call(UVM, 39, memory, 0);
	assert(last()->driver == DRIVER_NVIDIA_UVM && last()->device == 241 << 20);
	uvm.i_cdev = &cdev_other;	/* another has that major now */
	call(UVM, 39, memory, 0);
	assert(last()->driver == DRIVER_OTHER && last()->status == DRIVER_STATUS_NONE);
	uvm.i_cdev = &cdev_uvm;
	uvm.i_rdev = 240 << 20;
}

/* The first open of an inode finds the driver; who opens it again may know it before. */
static void first_open(void)
{
	uvm.i_cdev = NULL;
	inode_begin(&uvm, IN_SYSCALL, DRIVER_OPEN);
	uvm.i_cdev = &cdev_uvm;
	driver_end(IN_SYSCALL, DRIVER_OPEN, 0);
	assert(last()->op == DRIVER_OPEN && last()->driver == DRIVER_NVIDIA_UVM);
}

/* The class that was asked for, not what the driver puts in its place; read late if need be. */
static void asked_before_answered_after(void)
{
	struct rm_alloc *a = (void *)memory;
	struct trace_event_raw_sys_enter in = { { CTL, RM_CMD(0x2b, *a), (u64)memory } };
	struct trace_event_raw_sys_exit out = { 0 };

	*a = (struct rm_alloc){ .class = 0x30 };
	ioctl_enter(&in);
	*a = (struct rm_alloc){ .client = 5, .object = 6, .class = 0x41, .status = 7 };
	ioctl_exit(&out);
	assert(last()->rm == 0x30 && last()->client == 5 && last()->status == 7);
	window = window_end;		/* the page is not there yet */
	ioctl_enter(&in);
	window = (u64)memory;
	ioctl_exit(&out);
	assert(last()->rm == 0x41 && last()->status == 7);
}

static void wrappers_are_looked_into(void)
{
	struct rm_xfer *x = (void *)memory;
	struct rm_control *control = (void *)memory + 64;

	*control = (struct rm_control){ .cmd = 0x201, .status = 9 };
	*x = (struct rm_xfer){ 0x2a, sizeof(*control), (u64)control };
	call(CTL, RM_CMD(211, *x), memory, 0);
	assert(last()->escape == 0x2a && last()->rm == 0x201 && last()->status == 9);
	assert(last()->cmd == RM_CMD(211, *x));
	x->args = 8;
	call(CTL, RM_CMD(211, *x), memory, -14);
	assert(last()->escape == 0x2a && last()->rm == DRIVER_RM_UNKNOWN);
	assert(last()->status == DRIVER_STATUS_NONE);
	call(CTL, RM_CMD(211, *x), (void *)8, -14);
	assert(last()->escape == 211 && last()->rm == DRIVER_RM_UNKNOWN);
}

/* Inside the driver and as a system call at once: one call, the driver's. */
static void a_call_counts_once(void)
{
	struct trace_event_raw_sys_enter in = { { CTL, 238 } };
	struct trace_event_raw_sys_exit out = { -22 };
	struct pt_regs regs = { .di = (u64)&files[CTL], .si = 238, .ax = -22 };
	int before = host_count;

	ioctl_enter(&in);
	driver_ioctl_entry(&regs);
	driver_ioctl_return(&regs);
	ioctl_exit(&out);
	assert(host_count == before + 1 && last()->fd == -1 && last()->result == -22);
}

static void opens(void)
{
	struct trace_event_raw_sys_enter in = {};
	struct trace_event_raw_sys_exit fd = { CTL }, file = { 4 }, failed = { -5 };
	struct pt_regs regs = { .di = (u64)&ctl, .ax = -5 };
	int before = host_count;

	open_enter(&in);
	open_exit(&file);
	open_enter(&in);
	open_exit(&failed);
	assert(host_count == before);
	open_enter(&in);
	open_exit(&fd);
	assert(host_count == before + 1 && last()->op == DRIVER_OPEN && last()->fd == CTL);
	assert(last()->device == (195 << 20 | 255) && last()->driver == DRIVER_NVIDIA);
	chrdev_open_entry(&regs);
	chrdev_open_return(&regs);
	assert(host_count == before + 2 && last()->result == -5);
}

static struct driver_sum *sum_at(u32 pid, u16 op)
{
	for (int i = 0; i < 64; i++) {
		struct driver_sum *s = host_elems[i].value;

		if (host_elems[i].map == &driver_sums && s->e.pid == pid && s->op == op)
			return s;
	}
	return NULL;
}

static void polls_are_summed(void)
{
	struct poll_fd *p = (void *)memory;
	struct trace_event_raw_sys_enter in = { { (u64)memory, 3 } };
	struct trace_event_raw_sys_exit out = { 0 };
	int before = host_count;
	struct driver_sum *s;

	p[0] = (struct poll_fd){ .fd = -1 };
	p[1] = (struct poll_fd){ .fd = 4 };
	p[2] = (struct poll_fd){ .fd = CTL };
	for (int i = 0; i < 1000; i++) {
		poll_enter(&in);
		poll_exit(&out);
	}
	assert(host_count == before);
	s = sum_at(100, DRIVER_POLL);
	assert(s && s->count == 1000 && s->e.kind == EVENT_DRIVER_SUM);
	assert(s->e.size == sizeof(*s));
	assert(s->device == (195 << 20 | 255) && s->time_ns >= 1000 * 1000 && s->max_ns > 0);
	assert(s->slots[1] == 1000);	/* each look at the clock is a microsecond later */
	host_map_full = 1;
	host_task = (u64)200 << 32 | 200;
	host_follow(200);
	host_map_full = 0;
	host_follow(200);
	host_map_full = 1;
	poll_enter(&in);
	poll_exit(&out);
	host_map_full = 0;
	host_task = (u64)100 << 32 | 101;
	assert(lost_map == 1 && !sum_at(200, DRIVER_POLL));
}

static void logarithms(void)
{
	assert(log2_us(999) == 0 && log2_us(1000) == 1 && log2_us(1999) == 1);
	assert(log2_us(2000) == 2 && log2_us(~0ULL) == DRIVER_SLOTS - 1);
}

/* Whatever is in memory, and whatever command it comes with: no read outside of the window
 * succeeds, and nothing but that is believed. */
static void garbage(void)
{
	u64 seed = 42;

	for (int i = 0; i < 200000; i++) {
		u32 cmd, at;

		for (u32 j = 0; j < sizeof(memory); j += 8) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			*(u64 *)(memory + j) = seed >> (seed & 31);
		}
		cmd = i & 1 ? seed >> 20 : RM_CMD(i & 2 ? 211 : (seed >> 30) & 0xff, u64[6]);
		at = seed >> 40 & 511;
		if (i & 4)		/* a wrapper around the end of what there is */
			*(struct rm_xfer *)(memory + (at & 0x180)) = (struct rm_xfer){
				0x2b, seed & 63, window_end - (seed >> 8 & 63) };
		call(i & 8 ? UVM : CTL, cmd, memory + (i & 4 ? at & 0x180 : at),
		     seed & 16 ? 0 : -14);
		assert(last()->e.kind == EVENT_DRIVER);
		if (!(seed & 16))
			assert(last()->status == DRIVER_STATUS_NONE);
		host_forget();
	}
}

int main(void)
{
	use_followed = true;
	host_current.files = &open_files;
	descriptors_that_count();
	statuses();
	what_the_driver_was_asked();
	first_open();
	asked_before_answered_after();
	wrappers_are_looked_into();
	a_call_counts_once();
	opens();
	polls_are_summed();
	logarithms();
	garbage();
	host_forget();
	return 0;
}
