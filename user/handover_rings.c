// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The memory of one traced process: made, sized, touched and sealed before it is handed over. */
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

/* Touched here, so that they are charged to us and no page fault meets the traced thread. */
static void prefault(u8 *at, size_t bytes)
{
	size_t i;

	if (!madvise(at, bytes, MADV_POPULATE_WRITE))
		return;
	for (i = 0; i < bytes; i += HANDOVER_PAGE)
		*(volatile u8 *)(at + i) = 0;
}

int rings_make(struct peer *p, const struct handover_settings *set, u16 producer)
{
	struct ring_file head = {
		.magic = HANDOVER_MAGIC, .version = HANDOVER_VERSION, .slots = set->slots,
		.slot_bytes = set->slot_bytes, .producer = producer, .wanted = set->wanted,
	};
	int fd = memfd_create("gpuscope", MFD_CLOEXEC | MFD_ALLOW_SEALING);

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
	prefault((u8 *)p->ring, p->bytes);
	*p->ring = head;
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
	struct handover_welcome welcome = { HANDOVER_MAGIC, HANDOVER_VERSION, producer, p->bytes };
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
