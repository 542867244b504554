// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Asks nvidia.ko and nvidia-uvm.ko for what they can do without a GPU, in ways
 * that work and in ways that fail, and prints a line of truth for each call:
 *
 *   PID OP DEVICE CMD ESCAPE RM STATUS RESULT
 *
 * numbers in hex but for DEVICE (major:minor) and RESULT (0 or -errno); STATUS is what
 * the caller finds in its memory, ffffffff where there is none. What is repeated has a
 * line each time.  nvctl [POLLS [CHILDREN]]; nvctl bench CALLS: ns a call of RM_CONTROL
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

#define NONE 0xffffffff
#define BAD ((void *)8)		/* nothing is mapped there */

struct control { u32 client, object, cmd, flags; u64 params; u32 size, status; };
struct alloc { u32 root, parent, object, class; u64 params; u32 size, status; };
struct alloc_rights {
	u32 root, parent, object, class;
	u64 params, rights;
	u32 size, flags, status, pad;
};
struct object { u32 client, parent, object, status; };
struct dup { u32 client, parent, object, from, source, flags, status; };
struct map { u32 client, device, memory, pad; u64 offset, length, linear; u32 status, flags;
	     int fd; u32 pad2; };
struct unmap { u32 client, device, memory, pad; u64 linear; u32 status, flags; };
struct memory { u32 root, parent, object, class, flags, pad; u64 at, limit; u32 status, pad2;
		int fd; u32 pad3; };
struct xfer { u32 nr, size; u64 args; };
struct version { u32 cmd, reply; char text[64]; };
struct uvm_initialize { u64 flags; u32 status; };
struct uvm_pageable { u8 yes; u32 status; };

/* What is known of a call beforehand. */
struct call { const char *op; u32 cmd, escape, rm; };

static void truth(const struct call *c, dev_t device, u32 status, int result)
{
	printf("%d %s %u:%u %x %x %x %x %d\n", getpid(), c->op, major(device), minor(device),
	       c->cmd, c->escape, c->rm, result < 0 ? NONE : status, result);
}

static dev_t device_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : st.st_rdev;
}

static int do_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), err = errno;
	struct stat st;

	if (fd >= 0 || !stat(path, &st))
		truth(&(struct call){ "open", 0, 0, 0 }, fd >= 0 ? device_of(fd) : st.st_rdev,
		      NONE, fd < 0 ? -err : 0);
	return fd;
}

static void do_close(int fd)
{
	dev_t device = device_of(fd);

	close(fd);
	truth(&(struct call){ "close", 0, 0, 0 }, device, NONE, 0);
}

static void do_mmap(int fd, void *at, size_t bytes, int flags, u64 offset)
{
	void *p = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | flags, fd, offset);

	truth(&(struct call){ "mmap", 0, 0, 0 }, device_of(fd), NONE,
	      p == MAP_FAILED ? -errno : 0);
	if (p != MAP_FAILED)
		munmap(p, bytes);
}

static void do_polls(int fd, int n)
{
	struct pollfd p = { fd, POLLIN, 0 };

	for (int i = 0; i < n; i++) {
		poll(&p, 1, 0);
		truth(&(struct call){ "poll", 0, 0, 0 }, device_of(fd), NONE, 0);
	}
}

/* status: where the answer will be, NULL: it has none. */
static u32 do_ioctl(int fd, u32 cmd, void *arg, u32 escape, u32 rm, const u32 *status)
{
	int result = ioctl(fd, cmd, arg) < 0 ? -errno : 0;

	truth(&(struct call){ "ioctl", cmd, escape, rm }, device_of(fd),
	      status ? *status : NONE, result);
	return status ? *status : 0;
}

#define CMD(nr, type) _IOC(_IOC_READ | _IOC_WRITE, 'F', nr, sizeof(type))
#define RM(nr, params, what) \
	do_ioctl(ctl, CMD(nr, params), &(params), nr, what, &(params).status)

static u32 control(int ctl, u32 client, u32 object, u32 cmd, void *params, u32 size)
{
	struct control c = { client, object, cmd, 0, (uintptr_t)params, size, 0 };

	return RM(0x2a, c, cmd);
}

static u32 root_client(int ctl)
{
	struct alloc a = { .class = 0 };

	RM(0x2b, a, 0);
	return a.object;
}

/* Both sizes of RM_ALLOC, with classes that work and that do not. */
static void allocations(int ctl, u32 client)
{
	u32 params[16] = { 0 };
	struct alloc device = { client, client, 0xcaf00001, 0x80, (uintptr_t)params, 56, 0 };
	struct alloc unknown = { client, client, 0xcaf00002, 0xfeed, 0, 0, 0 };
	struct alloc_rights root = { .class = 0x41 };
	struct alloc_rights event = { client, client, 0xcaf00003, 0x79, (uintptr_t)params, 0,
				      24, 0, 0, 0 };
	struct object freed;

	RM(0x2b, device, 0x80);
	RM(0x2b, unknown, 0xfeed);
	RM(0x2b, root, 0x41);
	RM(0x2b, event, 0x79);
	freed = (struct object){ root.object, 0, root.object, 0 };
	RM(0x29, freed, 0);
	freed = (struct object){ client, client, 0xbadbad, 0 };
	RM(0x29, freed, 0);
}

static void objects(int ctl, u32 client)
{
	struct dup dup = { client, client, 0xcaf00004, client, 0xbadbad, 0, 0 };
	struct map map = { client, 0xbad, 0xbad, 0, 0, 4096, 0, 0, 0, ctl, 0 };
	struct unmap unmap = { client, 0xbad, 0xbad, 0, 0, 0, 0 };
	struct memory memory = { client, 0xbad, 0xcaf00005, 0x3e, 0, 0, 0, 4095, 0, 0, ctl, 0 };

	RM(0x34, dup, 0);
	RM(0x4e, map, 0);
	RM(0x4f, unmap, 0);
	RM(0x27, memory, 0x3e);
}

static void controls(int ctl, u32 client, int times)
{
	static u32 ids[64];

	for (int i = 0; i < times; i++)
		control(ctl, client, client, 0x201, ids, 128);	/* GPU_GET_ATTACHED_IDS */
	control(ctl, client, client, 0x214, ids, 256);		/* GPU_GET_PROBED_IDS */
	control(ctl, client, client, 0x201, ids, 4);		/* a size it does not have */
	control(ctl, client, client, 0x201, BAD, 128);		/* its parameters are nowhere */
	control(ctl, client, client, 0x2f77, ids, 4);		/* no such command */
	control(ctl, 0xdead, 0xdead, 0x214, ids, 256);		/* no such client */
	control(ctl, client, 0xbad, 0x20800101, ids, 4);	/* no such object */
}

/* Parameters behind an XFER wrapper; what is in the wrapper is named even when it fails. */
static void wrapped(int ctl, u32 client)
{
	static u32 ids[64];
	struct control c = { client, client, 0x214, 0, (uintptr_t)ids, 256, 0 };
	struct alloc_rights a = { client, client, 0xcaf00006, 0x80, 0, 0, 0, 0, 0, 0 };
	struct xfer x = { 0x2a, sizeof(c), (uintptr_t)&c };

	do_ioctl(ctl, CMD(211, x), &x, 0x2a, 0x214, &c.status);
	x = (struct xfer){ 0x2b, sizeof(a), (uintptr_t)&a };
	do_ioctl(ctl, CMD(211, x), &x, 0x2b, 0x80, &a.status);
	x = (struct xfer){ 0x2a, sizeof(c), (uintptr_t)BAD };
	do_ioctl(ctl, CMD(211, x), &x, 0x2a, NONE, NULL);
	x = (struct xfer){ 0x2a, 1 << 20, (uintptr_t)&c };	/* larger than any */
	do_ioctl(ctl, CMD(211, x), &x, 0x2a, 0x214, NULL);
	do_ioctl(ctl, CMD(211, x), BAD, 211, NONE, NULL);
}

static void others(int ctl)
{
	struct version v = { .cmd = '2' };
	static char cards[32 * 72];
	u64 block = 0;

	do_ioctl(ctl, CMD(210, v), &v, 210, 0, NULL);
	do_ioctl(ctl, CMD(200, cards), cards, 200, 0, NULL);
	do_ioctl(ctl, CMD(214, block), &block, 214, 0, NULL);
	do_ioctl(ctl, CMD(238, block), &block, 238, 0, NULL);		/* no such escape */
	do_ioctl(ctl, CMD(0x2a, struct control), BAD, 0x2a, NONE, NULL);
	do_ioctl(ctl, CMD(0x2b, struct alloc), BAD, 0x2b, NONE, NULL);
}

static void uvm(void)
{
	struct uvm_initialize init = { 0, 0 };
	struct uvm_pageable pageable = { 0, 0 };
	void *at = (void *)0x500000000000;
	int fd = do_open("/dev/nvidia-uvm");

	if (fd < 0)
		return;
	do_ioctl(fd, 39, &pageable, 39, 0, &pageable.status);	/* not initialized yet */
	do_ioctl(fd, 0x30000001, &init, 1, 0, &init.status);
	do_ioctl(fd, 39, &pageable, 39, 0, &pageable.status);
	do_ioctl(fd, 39, BAD, 39, 0, NULL);
	do_ioctl(fd, 0x7f0, &pageable, 0x7f0, 0, NULL);		/* no such command */
	do_mmap(fd, at, 1 << 21, MAP_FIXED, (uintptr_t)at);
	do_mmap(fd, NULL, 4096, 0, 4096);			/* offset and address differ */
	do_close(fd);
}

static void one_process(int polls, int times)
{
	int ctl = do_open("/dev/nvidiactl"), gpu;
	u32 client;

	if (ctl < 0)
		exit(1);
	others(ctl);
	client = root_client(ctl);
	controls(ctl, client, times);
	allocations(ctl, client);
	objects(ctl, client);
	wrapped(ctl, client);
	do_mmap(ctl, NULL, 4096, 0, 0);
	do_polls(ctl, polls);
	uvm();
	gpu = do_open("/dev/nvidia0");		/* EIO: no firmware */
	if (gpu >= 0)
		do_close(gpu);
	do_close(ctl);
}

static u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void bench(int calls)
{
	int ctl = open("/dev/nvidiactl", O_RDWR | O_CLOEXEC);
	struct alloc a = { .class = 0 };
	static u32 ids[64];
	struct control c = { 0, 0, 0x201, 0, (uintptr_t)ids, 128, 0 };
	u64 begin;

	ioctl(ctl, CMD(0x2b, a), &a);
	c.client = c.object = a.object;
	begin = now();
	for (int i = 0; i < calls; i++)
		ioctl(ctl, CMD(0x2a, c), &c);
	printf("%llu\n", (unsigned long long)(now() - begin) / calls);
}

int main(int argc, char **argv)
{
	int polls = argc > 1 ? atoi(argv[1]) : 100, children = argc > 2 ? atoi(argv[2]) : 0;

	if (argc > 2 && !strcmp(argv[1], "bench")) {
		bench(children);
		return 0;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);	/* children write to the same file */
	for (int i = 1; i <= children; i++) {
		if (!fork()) {
			one_process(polls / 2, 10 * i);
			return 0;
		}
	}
	one_process(polls, 100);
	while (wait(NULL) > 0)
		;
	return 0;
}
