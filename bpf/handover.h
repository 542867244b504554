/*
 * How a traced process hands its records to the recorder: one memfd a process,
 * made, sized, sealed (SHRINK, GROW, SEAL) and prefaulted by the recorder and
 * passed over a SOCK_SEQPACKET unix socket whose path stands in
 * GPUSCOPE_SOCKET. Both ends check SO_PEERCRED. The recorder trusts nothing it
 * reads from it.
 *
 *   0            struct ring_file (one page)
 *   slot_off(i)  struct ring_slot (one page), then slot_bytes of data
 *
 * A slot is a ring of records with one writer and one reader. Positions only
 * grow; the byte at position p is data[p % slot_bytes]. A record never wraps: a
 * writer that does not fit before the end writes one of kind 0 (size: up to the
 * end; where fewer bytes than a struct event remain both sides skip them
 * unsaid) and starts at the beginning. Slot 0 is shared: definitions (names,
 * devices, clock pairs) go there, and the records of threads that found no slot
 * free; its writers take turns by `lock`. A reader that looks at the heads of
 * the other slots first, then drains slot 0, then the others up to those heads,
 * never sees a record before the definition it refers to.
 */
#ifndef HANDOVER_H
#define HANDOVER_H

#include "event.h"

#define HANDOVER_MAGIC   0x31524547554353ULL	/* "SCUGER1" */
#define HANDOVER_VERSION 1
#define HANDOVER_PAGE    4096
#define HANDOVER_SOCKET_ENV "GPUSCOPE_SOCKET"

/* ring_file.wanted: what the recorder asks for; it may change at any time */
enum {
	WANT_API = 1, WANT_API_NESTED = 2, WANT_KERNEL = 4, WANT_COPY = 8, WANT_SET = 16,
	WANT_SYNC = 32, WANT_OVERHEAD = 64, WANT_GRAPH_NODES = 128, WANT_GRAPH_LAUNCH = 256,
	WANT_NVTX = 512,
};

/* library_state */
enum { RING_STATUS_NO_CUPTI = -1, RING_STATUS_NO_THREAD = -2 };	/* cupti_status */
enum { RING_LIBRARY_UP = 1, RING_LIBRARY_DONE = 2, RING_LIBRARY_OFF = 3 };

struct ring_file {
	u64 magic;
	u32 version;
	u32 slots;
	u32 slot_bytes;		/* data bytes of a slot, power of two */
	u16 producer;		/* what the process writes into its records */
	u16 pad;
	u32 wanted;		/* WANT_*, written by the recorder; 0: it has gone */
	u32 library_state;	/* written by the library */
	s32 cupti_status;	/* CUptiResult of what failed, 0 fine, RING_STATUS_* */
	u32 cupti_version;	/* as cuptiGetVersion says */
	u32 clock_realtime;	/* 1: the MONOTONIC callback was refused, see struct
				 * clock_pair */
	u32 reserved;
	u64 no_slot_lost;	/* records dropped because every ring was taken */
	u64 cupti_lost;		/* sum of cuptiActivityGetNumDroppedRecords */
	u64 clock_lost;		/* GPU records with impossible times */
	u64 delivered;		/* records of operations that were counted in ring_slot.begun */
	u64 unfinished;		/* operations that were not over when all had to be handed
				 * out */
	u64 clock_fixups;	/* GPU times that came in CLOCK_REALTIME and were converted */
	u64 begun;		/* operations of threads without a slot */
};

struct ring_slot {
	u32 state;		/* 0 free, 1 taken */
	u32 lock;		/* slot 0 only */
	u32 ns_pid, ns_tid;	/* of the owner, as it sees itself */
	u64 lost;		/* records that did not fit */
	u64 begun;		/* launches, copies, sets, graph launches that will give a
				 * record */
	u64 pad[4];
	u64 head;		/* written by the library: end of what is written */
	u64 pad2[7];
	u64 tail;		/* written by the recorder: end of what is read */
};

static inline u64 handover_slot_off(const struct ring_file *f, u32 i)
{
	return HANDOVER_PAGE + (u64)i * (HANDOVER_PAGE + (u64)f->slot_bytes);
}

/* Why a library that was invited does not take rings. */
enum { HELLO_COMES = 0, HELLO_BUSY = 1 /* another recorder has it */ };

struct handover_hello {		/* library to recorder; the memfd comes back with struct
				 * handover_welcome */
	u64 magic;
	u32 version;
	u32 ns_pid;
	u32 simulated;		/* 1: libcuda says it is the simulated one */
	u32 answer;		/* HELLO_* */
};

struct handover_welcome {
	u64 magic;
	u32 version;
	u32 producer;		/* 0: refused */
	u64 bytes;		/* of the memfd */
};

/*
 * A process whose library has no recorder waits for one. It holds a memfd of this name,
 * read-only by its seals, which says where its socket is; a recorder that may trace the
 * process takes a copy of that socket (pidfd_getfd) and sends struct handover_invite with one
 * end of a new connection. On that the library says hello as if it had connected itself.
 * No path, no name on the network: mount, network and pid namespaces do not matter.
 */
#define HANDOVER_CONTROL "gpuscope-control"

struct handover_control {
	u64 magic;
	u32 version;
	u32 ns_pid;
	s32 socket;		/* number of the descriptor that takes invitations */
	u32 pad;
};

struct handover_invite {	/* with the connection's other end as SCM_RIGHTS */
	u64 magic;
	u32 version;
	u32 pad;
};

/*
 * USDT: provider "gpuscope"; the same site (nop; nop5) has two notes of different
 * names, "api_enter" at the nop and "api_enter5" at the nop5; attach one.
 * Arguments: correlation u32, process (producer) u16, slot u16, ns_tid u32, cbid | domain <<
 * 24.
 */
#define GPUSCOPE_USDT_PROVIDER "gpuscope"

#endif
