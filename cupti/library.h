/*
 * The library inside other people's processes. It turns what CUPTI and NVTX
 * tell it into records in rings that a recorder handed over; without a recorder
 * it does nothing at all. It never exits, prints, or lets the program wait.
 *
 *   inject.c    entry points, fork, exit     helper.c    our thread: idle, recording
 *   control.c   waiting for a recorder
 *   handover.c  socket and shared memory     ring.c   slots and records
 *   names.c     texts to ids                 clock.c  pairs of clocks
 *   load.c      finding CUPTI                switch.c kinds and callbacks on and off
 *   callback.c  API calls                    activity.c  GPU operations
 *   edges.c     which calls are of a recording
 *   devices.c   DEVICE records               nvtx.c   ranges
 *   managed.c   managed memory that comes and goes
 */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <pthread.h>
#include <time.h>
#include "cuda.h"
#include "cupti_abi.h"
#include "glibc.h"
#include "handover.h"

#define load_acquire(p)     __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define load_relaxed(p)     __atomic_load_n(p, __ATOMIC_RELAXED)
#define store_relaxed(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define add_relaxed(p, v)   __atomic_fetch_add(p, v, __ATOMIC_RELAXED)

#define SLOTS_MAX 256		/* slots of a ring file that we use */
#define CALLS_MAX 4		/* API calls inside each other; CUPTI has 2: runtime, driver */
#define NVTX_DEPTH 64		/* open push ranges of a thread that we remember */

struct call {			/* an API call that has begun */
	u64 start;
	u32 correlation;
	u32 what;		/* cbid | domain << 24 */
	bool captured;		/* it made a graph node: no operation follows */
	u64 managed;		/* address of managed memory that it gave (told by a call
				 * inside) or gives back; 0 none */
};

struct nvtx_frame {		/* an open push range */
	u64 start;
	const void *domain;
	u32 name, color;
};

struct writer {			/* of a slot; belongs to the thread that took it */
	struct ring_slot *slot;
	u8 *data;
	u64 head, tail;		/* end of what is written; the reader's, as last seen */
	u32 index;
	u32 busy;		/* in the middle of a record */
	u32 calling;		/* in a call that makes an operation, whose record is due */
	u32 frames;
	u32 frames_epoch;	/* of `frame`; another one than library.nvtx_epoch: they are
				 * stale */
	struct nvtx_frame frame[NVTX_DEPTH];
};

struct thread {			/* small: it lives in the static TLS of whoever loads us */
	struct writer *writer;	/* NULL: not taken yet */
	u32 session;		/* of `writer`; another one than library.session: it is gone */
	u32 ns_tid;
	u32 epoch;		/* of `calls`; another one than library.epoch: they are stale */
	u32 depth;
	u32 shared;		/* events since it wanted a slot and found none */
	u8 calling;		/* CALLING_*: where it said that it is in such a call */
	bool ours;		/* our own thread: its API calls are no news */
	struct call calls[CALLS_MAX];
};
extern __thread struct thread self __attribute__((tls_model("initial-exec")));

struct library {
	bool open;		/* there is a recorder; rings may be written */
	bool dead;		/* forked from a process that used CUPTI: nothing works any
				 * more */
	bool forcing;		/* a flush is on that hands out unfinished operations, without
				 * times */
	struct ring_file *ring;	/* its address space stays: a thread may be in the middle of
				 * a record */
	u32 session;		/* counts recorders */
	int socket;
	u32 slots, slot_bytes;	/* copied: the file is shared */
	u16 producer;
	u32 ns_pid;
	u32 on;			/* WANT_* that are switched on now */
	u32 epoch;		/* counts switching of API callbacks */
	u32 nvtx_epoch;		/* counts switching of NVTX */
	bool cuda;		/* InitializeInjection was called: there is a libcuda */
	bool cupti_tried, cupti_up;	/* tried: in this process, ever */
	u32 cupti_version;
	void *subscriber;
	struct cupti_functions cupti;
};
extern struct library library;

/* ---- handover.c: 0, or -1 when there is no recorder for us ---- */
int handover_take(void);	/* from the one that GPUSCOPE_SOCKET names */
/* from one that sent an end of a connection; its pid, 0 unknown */
int handover_accept(int fd, s32 recorder);
bool handover_alive(void);	/* false: the recorder has gone */
void handover_forget(void);
void ring_leave(void);		/* only when no thread writes any more */
u64 fd_inode(int fd);		/* 0: it is closed */
int fd_high(int fd);		/* the same file out of the program's way; fd is closed */

/* ---- control.c: all in our thread ---- */
/* A connection from a recorder, or -1 after a second at most. */
int control_wait(s32 *recorder);
void control_refuse(void);	/* whoever invites us while we have a recorder */
void control_close(void);

/* ---- helper.c ---- */
extern pthread_mutex_t switching;	/* never taken in a callback */
bool helper_start(void);	/* true: it runs */
bool helper_waits(void);	/* for a recorder, or has one */
bool helper_exiting(void);
void helper_leave(void);	/* the program exits: what CUPTI has is handed out first */
void helper_forget(void);	/* in a forked child */
void session_begin(bool early);	/* rings were taken; under `switching` */

/* ---- ring.c ---- */
int ring_init(void);		/* of library.ring */
void ring_quiet(void);		/* after library.open turned false: nobody is in a record */
void ring_forget(void);		/* in a forked child */
struct writer *writer_get(void);	/* of this thread; NULL: off */
struct writer *writer_get_patient(void);	/* of a thread that brings CUPTI's buffers */
/* Room for a record with its head filled in (ts 0, tid this thread's), or NULL: counted as
 * lost. */
void *record_begin(struct writer *w, u16 kind, u32 size);
/* This thread is in a call that makes an operation; until calling_end() the end of the
 * recording waits for it, unless it has begun already. */
void calling_begin(struct writer *w);
void calling_end(void);
void calling_forget(void);	/* a recording begins: calls from before it are none of it */
u32 calling_count(void);
void writers_fence(void);	/* what we stored is seen by whoever enters a call from now
				 * on */
/* waits a little for the reader */
void *record_begin_patient(struct writer *w, u16 kind, u32 size);
void record_end(struct writer *w, void *record);
struct writer *writer_shared(void);	/* slot 0: definitions */

/* ---- names.c ---- */
u32 name_intern(u16 what, const char *text);	/* id, its NAME record sent if it can be */
u32 name_kernel(const char *text);		/* the same, quick for a pointer seen before */
u32 name_again(u64 id);			/* sends it if need be; 0: no such id */
void name_api(u32 id, const char *text);	/* fixed ids 16 .. NAME_INTERNED */
void names_forget(void);			/* a new recorder knows none */
#define NAME_INTERNED 0x4000

/* ---- clock.c ---- */
static inline u64 clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000 + t.tv_nsec;
}
void clock_pair(void);			/* samples one and sends it */
u64 clock_convert(u64 ts);		/* CLOCK_REALTIME to CLOCK_MONOTONIC by the last pair */

/* ---- load.c, switch.c ---- */
void *libcuda_symbol(const char *name);
int cupti_load(void);			/* fills library.cupti; 0 or -1 */
void switch_to(u32 wanted, bool early);	/* not from a callback; early: no context can exist
					 * yet */
void cupti_flush(bool force);
void cupti_stop(void);			/* give the subscription back; it may be taken again */
void cupti_drops(void *context, u32 stream);

/* ---- callback.c, activity.c, devices.c ---- */
int api_callbacks(u32 on);		/* WANT_*; 0, or why CUPTI gives no calls */
void api_close(void);			/* no new calls; those that have begun are recorded */
void api_callback(void *user, int domain, uint32_t cbid, const void *data);
/* ---- edges.c: all by the correlation id of a call ---- */
void edges_reset(bool calls);		/* a recording begins; false: without calls, then every
					 * operation is inside */
void edge_recorded(u32 id);
void edge_left_out(u32 id);		/* it came after the end */
bool edges_outside(u32 id);		/* of an operation: its call is not recorded */
/* ---- managed.c: of calls of the classes ALLOC and FREE alone ---- */
/* At enter: the managed range that the call gives back, 0 none. */
u64 managed_leaving(u32 domain, u32 cbid, const void *params);
/* At exit; outer: the outermost call of the thread, which may be c. */
void managed_exit(u32 what, const struct cupti_callback_data *d, const struct call *c,
		  struct call *outer);
void managed_forget(void);		/* callbacks were off: what went meanwhile is unknown */

int activity_init(void);
void activity_request(uint8_t **buffer, size_t *size, size_t *max_records);
void activity_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size,
		       size_t valid);
void context_learn(u32 context, u32 device);
u32 context_device(u32 context);	/* 0 when nobody told */
void devices_send(void);		/* until it worked once; not from a callback */
bool device_simulated(void);

#endif
