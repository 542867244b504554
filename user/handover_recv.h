/*
 * The recorder's end of the handover: a socket that traced processes connect
 * to, one sealed memfd of rings for each, drained as hostile input.
 */
#ifndef HANDOVER_RECV_H
#define HANDOVER_RECV_H

#include "handover.h"

struct handover;

struct handover_peer {			/* one traced process */
	u32 pid;			/* host id: SO_PEERCRED, seen from here */
	u32 ns_pid;
	u16 producer;
	bool simulated, gone;		/* gone: connection closed, rings drained */
	s32 cupti_status;
	u32 cupti_version;
	u32 state;			/* RING_LIBRARY_* */
	u64 clock_fixups;		/* when gone: GPU times converted from CLOCK_REALTIME */
};

struct handover_ops {
	/* May `pid` be traced? (a followed process) */
	bool (*accept)(void *ctx, u32 pid);
	/* One checked record, pid/tid already host ids where known; valid during
	 * the call. 0, or negative to stop: handover_poll() returns it. */
	int (*record)(void *ctx, const struct event *e);
	/* A process came, said what its CUPTI is good for (state no longer 0: cupti_status is
	 * true now; also when the state changes later), or ended (gone: its last record was
	 * delivered). Always the same producer number. */
	void (*peer)(void *ctx, const struct handover_peer *p);
	/* An invited process does not come: HELLO_BUSY it has another recorder, HELLO_COMES it
	 * said nothing. May be NULL. */
	void (*declined)(void *ctx, u32 pid, u32 answer);
};

struct handover_settings {
	u32 wanted;		/* WANT_*, 0: everything but API_NESTED and GRAPH_NODES */
	u32 slots;		/* of a process with slot 0, 0: 129 */
	u32 slot_bytes;		/* power of two, 0: 512 KiB; a page at least */
	u32 peers;		/* processes at a time, 0: 256 */
};

/* Makes a private directory with the socket; 0 or a reported error. */
int handover_open(struct handover **h, const struct handover_settings *set,
		  const struct handover_ops *ops, void *ctx);
const char *handover_socket_path(const struct handover *h);	/* for GPUSCOPE_SOCKET */
/* epoll fd: readable when a peer comes or goes, and when it is time to drain (a timer inside,
 * 1 to 8 ms by how full the rings were). */
int handover_fd(const struct handover *h);
int handover_poll(struct handover *h);		/* take newcomers, notice the dead, drain all
						 * rings */
u64 handover_refused(const struct handover *h);	/* processes that could not be taken */
/* Asks a process whose library waits for a recorder to come; `pid` as in our own /proc. 0: it
 * was asked, or negative as invite() (not reported). */
int handover_invite(struct handover *h, u32 pid);
/* Thread of a ring, learnt from the API-enter USDT (struct api_stack). */
void handover_thread(struct handover *h, u16 producer, u16 slot, u32 ns_tid, u32 pid, u32 tid);
void handover_stop(struct handover *h);		/* wanted = 0: libraries flush and stop */
bool handover_busy(const struct handover *h);	/* some peer has not said RING_LIBRARY_DONE and
						 * lives */
/* Delivers LOST records (struct lost) of every peer's counters since the last time. */
int handover_losses(struct handover *h);
void handover_close(struct handover *h);	/* removes the socket; NULL is fine */

#endif
