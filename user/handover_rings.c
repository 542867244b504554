// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The memory of one traced process: made, sized, touched and sealed before it is handed
 * over. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "handover_peer.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#define READY_AHEAD 6	/* rings that threads may take before the next turn, 8 ms later */

/* Touched here, so that they are charged to us and no page fault meets the traced thread. */
static void prefault(u8 *at, size_t bytes)
{
	size_t i;

	if (!madvise(at, bytes, MADV_POPULATE_WRITE))
		return;
	for (i = 0; i < bytes; i += HANDOVER_PAGE)
		*(volatile u8 *)(at + i) = 0;
}

/*
 * Rings are touched a few ahead of the last one that a thread took: there are many,
 * so that threads seldom share one, and memory is used for those that are used.
 */
void rings_ready(struct peer *p)
{
	const struct ring_file like = { .slot_bytes = p->slot_bytes };
	u32 i, last = 0;

	if (p->ready >= p->slots)
		return;
	for (i = 1; i < p->slots; i++) {
		const struct ring_slot *slot = (void *)((u8 *)p->ring +
							handover_slot_off(&like, i));

		if (__atomic_load_n(&slot->state, __ATOMIC_RELAXED))
			last = i;
	}
	for (; p->ready < p->slots && p->ready <= last + READY_AHEAD; p->ready++)
		prefault((u8 *)p->ring + handover_slot_off(&like, p->ready) + HANDOVER_PAGE,
			 p->slot_bytes);
}

/* The memfd, or -1; p->ring is mapped and filled in. */
int rings_make(struct peer *p, const struct handover_settings *set, u16 producer)
{
	struct ring_file head = {
		.magic = HANDOVER_MAGIC, .version = HANDOVER_VERSION, .slots = set->slots,
		.slot_bytes = set->slot_bytes, .producer = producer, .wanted = set->wanted,
	};
	int fd = memfd_create("gpuscope", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	u32 i;

	p->slots = head.slots;
	p->slot_bytes = head.slot_bytes;
	p->bytes = handover_slot_off(&head, head.slots);
	p->tail = calloc(p->slots, sizeof(u64));
	p->head = calloc(p->slots, sizeof(u64));
	if (fd < 0 || !p->tail || !p->head || ftruncate(fd, p->bytes))
		goto failed;
	p->ring = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p->ring == MAP_FAILED) {
		p->ring = NULL;
		goto failed;
	}
	*p->ring = head;
	for (i = 0; i < p->slots; i++)
		prefault((u8 *)p->ring + handover_slot_off(&head, i), HANDOVER_PAGE);
	prefault((u8 *)p->ring + handover_slot_off(&head, 0), HANDOVER_PAGE + p->slot_bytes);
	p->ready = 1;
	rings_ready(p);
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		goto failed;
	return fd;
failed:
	if (fd >= 0)
		close(fd);
	return -1;
}

bool rings_send(struct peer *p, int memfd, u32 producer)
{
	struct handover_welcome welcome = { HANDOVER_MAGIC, HANDOVER_VERSION, producer,
					    p->bytes };
	union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control = {};
	struct iovec iov = { &welcome, sizeof(welcome) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			      .msg_controllen = sizeof(control) };

	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.head), &memfd, sizeof(int));
	return sendmsg(p->fd, &msg, MSG_NOSIGNAL) == sizeof(welcome);
}
