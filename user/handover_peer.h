/* One traced process as the recorder's end keeps it; shared by handover_*.c only. */
#ifndef HANDOVER_PEER_H
#define HANDOVER_PEER_H

#include <stddef.h>
#include "handover_recv.h"

#define TURN_BYTES (4 << 20)	/* of one peer before the others have their turn */

struct peer_thread { u32 ns_tid, tid; };	/* tid 0: asked for in vain */

struct peer {
	struct handover_peer shown;
	int fd, pidfd;
	u64 since_ns;		/* connected */
	bool invited;		/* it did not come by itself */
	bool hello, dying;	/* dying: its connection or process ended */
	u32 slots, slot_bytes;	/* as we made it; the file's own copies are not trusted */
	size_t bytes;
	struct ring_file *ring;
	u64 *tail;		/* of each slot: ours, the shared one is only written */
	u64 *head;		/* of each slot as looked at in this turn */
	u32 ready;		/* slots whose memory was touched */
	u32 next;		/* slot where the next turn begins */
	u64 hostile;
	u64 told[16];		/* by enum lost_where: how much of the counter was delivered */
	struct peer_thread *threads;	/* sorted by nothing: few, asked for the last first */
	u32 thread_count, thread_room;
	bool same_ns;		/* thread ids are ours */
};

struct handover_sink {
	const struct handover_ops *ops;
	void *ctx;
	int error;		/* the first that record() returned: then nothing more is
				 * delivered */
};

/* The memfd of new rings, or -1; p->ring is mapped and filled in. */
int rings_make(struct peer *p, const struct handover_settings *set, u16 producer);
void rings_ready(struct peer *p);		/* touches rings that will be taken next */
bool rings_send(struct peer *p, int memfd, u32 producer);

/* Drains up to TURN_BYTES; returns the bytes taken. *fullest: largest part of a ring in use,
 * percent. */
u64 peer_drain(struct peer *p, struct handover_sink *sink, u32 *fullest);
void peer_losses(struct peer *p, struct handover_sink *sink);
void peer_thread_set(struct peer *p, u32 ns_tid, u32 tid);
u32 peer_thread_tid(struct peer *p, u32 ns_tid);
void device_place(struct device *d, const char *root);	/* root "": this machine */

#endif
