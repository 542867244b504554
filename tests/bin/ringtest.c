// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Plays the library's part of the handover, well or badly: ringtest ACT[=N]...
 * Acts happen in order on ring 1. "good=N" writes N correct API records, which
 * the recorder must deliver whatever happened before.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "cuda.h"
#include "handover.h"

static struct ring_file *ring, own;	/* own: the numbers before we spoil them */
static struct handover_welcome welcome;
static int sock = -1, memfd = -1;
static u32 correlation;

static struct ring_slot *slot(u32 i)
{
	return (void *)((u8 *)ring + handover_slot_off(&own, i));
}

static int connect_only(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	const char *path = getenv(HANDOVER_SOCKET_ENV);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	if (!path)
		exit(3);
	strncpy(addr.sun_path, path, sizeof(addr.sun_path) - 1);
	if (connect(fd, (void *)&addr, sizeof(addr)))
		exit(4);
	return fd;
}

static bool hello(int fd, u64 magic)
{
	struct handover_hello h = { magic, HANDOVER_VERSION, getpid(), 0, 0 };
	union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control = {};
	struct iovec iov = { &welcome, sizeof(welcome) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			      .msg_controllen = sizeof(control) };

	if (send(fd, &h, sizeof(h), MSG_NOSIGNAL) != sizeof(h) ||
	    recvmsg(fd, &msg, 0) != sizeof(welcome))
		return false;
	memcpy(&memfd, CMSG_DATA(&control.head), sizeof(int));
	ring = mmap(NULL, welcome.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	if (ring == MAP_FAILED)
		return false;
	own = *ring;
	return true;
}

static void wait_read(u32 i)
{
	int n;

	for (n = 0; n < 5000 &&
	     __atomic_load_n(&slot(i)->tail, __ATOMIC_ACQUIRE) != slot(i)->head; n++)
		usleep(1000);
	if (n == 5000)
		exit(5);
}

static u8 *data(u32 i)
{
	return (u8 *)slot(i) + HANDOVER_PAGE;
}

static void write_at(u32 i, const void *record, u32 size)
{
	u64 head = slot(i)->head, at = head & (own.slot_bytes - 1), left = own.slot_bytes - at;

	if (left < size) {
		struct event filler = { .size = left };

		if (left >= sizeof(filler))
			memcpy(data(i) + at, &filler, sizeof(filler));
		head += left;
		at = 0;
	}
	while (head + size - __atomic_load_n(&slot(i)->tail, __ATOMIC_ACQUIRE) > own.slot_bytes)
		usleep(500);
	memcpy(data(i) + at, record, size);
	__atomic_store_n(&slot(i)->head, head + size, __ATOMIC_RELEASE);
}

static struct api api_make(void)
{
	return (struct api){
		.e = { .ts = 1000, .pid = 4242, .tid = getpid(), .size = sizeof(struct api),
		       .kind = EVENT_API, .producer = 999, .cpu = CPU_UNKNOWN },
		.dur_ns = 10, .correlation = ++correlation, .name = 7, .cbid = 1,
		.domain = API_DRIVER,
	};
}

static void good(u32 n)
{
	while (n--) {
		struct api a = api_make();

		write_at(1, &a, sizeof(a));
	}
}

/* A record whose head is changed before it is written. */
static void bad_head(u32 kind, u32 size, u32 advance)
{
	struct api a = api_make();

	wait_read(1);
	a.e.kind = kind;
	a.e.size = size;
	memcpy(data(1) + (slot(1)->head & (own.slot_bytes - 1)), &a, sizeof(a));
	__atomic_store_n(&slot(1)->head, slot(1)->head + advance, __ATOMIC_RELEASE);
	wait_read(1);
}

static void garbage(u32 n)
{
	u32 x = 12345, i;

	while (n--) {
		u64 at = slot(1)->head & (own.slot_bytes - 1), left = own.slot_bytes - at;

		for (i = 0; i < left; i += 4) {
			x = x * 1664525 + 1013904223;
			memcpy(data(1) + at + i, &x, 4);
		}
		__atomic_store_n(&slot(1)->head, slot(1)->head + 8 + (x >> 8) % left / 8 * 8,
				 __ATOMIC_RELEASE);
		wait_read(1);
	}
}

static void move_head(s64 by)
{
	wait_read(1);
	__atomic_store_n(&slot(1)->head, slot(1)->head + by, __ATOMIC_RELEASE);
	usleep(100000);		/* the recorder puts an odd head straight only in its own
				 * tail */
	slot(1)->head = slot(1)->tail;
}

static void name_without_end(void)
{
	struct { struct name n; char text[8]; } r = {
		{ { .ts = 1, .size = 40, .kind = EVENT_NAME }, 7, NAME_API }, "abcdefgh" };

	write_at(0, &r, sizeof(r));
}

static void prove_sealed(void)
{
	void *m;

	if (!ftruncate(memfd, 4096) || !ftruncate(memfd, welcome.bytes * 2))
		exit(6);
	m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	if (m == MAP_FAILED || (fcntl(memfd, F_GET_SEALS) & 7) != 7)
		exit(7);
}

/* KiB of the memfd that exist at most; a little later, when the recorder had its turn. */
static void memory_below(u32 kib)
{
	struct stat st;

	usleep(100000);
	if (fstat(memfd, &st) || st.st_blocks / 2 > kib || st.st_blocks / 2 < kib / 2)
		exit(10);
}

static void take(u32 n)
{
	for (; n; n--)
		slot(n)->state = 1;
}

static void counters(u32 n)
{
	ring->no_slot_lost = n;
	ring->cupti_lost = n + 1;
	slot(2)->lost = n + 2;
	ring->clock_lost = n + 3;
}

static void act(const char *what, u32 n)
{
#define ACT(name, ...) else if (!strcmp(what, name)) { __VA_ARGS__; }
	if (0) {}
	ACT("hello", sock = connect_only(); if (!hello(sock, HANDOVER_MAGIC)) exit(8))
	ACT("badhello", sock = connect_only(); if (hello(sock, 1)) exit(9))
	ACT("silent", connect_only())
	ACT("good", good(n))
	ACT("garbage", garbage(n))
	ACT("pastend", bad_head(EVENT_API, 4096, sizeof(struct api)))
	ACT("pastname", bad_head(EVENT_NAME, 4096, sizeof(struct api)))
	ACT("small", bad_head(EVENT_API, 16, sizeof(struct api)))
	ACT("odd", bad_head(EVENT_API, 57, sizeof(struct api) + 8))
	ACT("kind", bad_head(n, sizeof(struct api), sizeof(struct api)))
	ACT("filler", bad_head(0, 64, sizeof(struct api)))
	ACT("back", move_head(-4096))
	ACT("jump", move_head(2 * (s64)own.slot_bytes))
	ACT("unaligned", move_head(3))
	ACT("tail", wait_read(1); slot(1)->tail = 0x1234567; slot(2)->tail = ~0ULL)
	ACT("name", name_without_end())
	ACT("sealed", prove_sealed())
	ACT("counters", counters(n))
	ACT("begun", slot(1)->begun = n)
	ACT("delivered", ring->delivered = n)
	ACT("state", ring->library_state = n)
	ACT("rss", memory_below(n))
	ACT("taken", take(n))
	ACT("wait", wait_read(1))
	ACT("header", ring->slots = 5000; ring->slot_bytes = 1 << 30; ring->producer = 77)
	ACT("abort", abort())
	ACT("fds", while (n--) connect_only())
	else
		exit(2);
}

int main(int argc, char **argv)
{
	struct rlimit files;
	int i;

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;	/* a test may have lowered the recorder's */
	setrlimit(RLIMIT_NOFILE, &files);
	for (i = 1; i < argc; i++) {
		char *n = strchr(argv[i], '=');

		if (n)
			*n++ = 0;
		act(argv[i], n ? strtoul(n, NULL, 0) : 1);
	}
	return 0;
}
