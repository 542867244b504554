/*
 * Inside of the model, shared by its files alone: tables (what ids mean), joins
 * (operations to calls to stacks), host (kernel events to calls), uvm (unified memory
 * in order of time: managed.c to allocations, overlap.c to kernels).
 *
 * What waits is kept in order of arrival and leaves MODEL_HORIZON_NS of trace
 * time later, whatever happens.
 */
#ifndef MODEL_PARTS_H
#define MODEL_PARTS_H

#include "hash.h"
#include "heap.h"
#include "model.h"
#include "trace_set.h"

/* calls past the horizon whose operation has not ended yet */
#define HELD_MAX    (128u << 10)
/* calls, and events: a bound for traces whose clock stands still */
#define WAITING_MAX (4u << 20)
/* calls beyond a known disorder: as many operations may be queued on a GPU */
#define QUEUED_MAX  (32u << 10)

struct timed {			/* a node of a list sorted by time */
	struct timed *prev, *next;
	u64 ts;
};

struct timed_list {		/* hint: where the last search ended; records come in runs */
	struct timed *head, *tail, *hint;
};

void timed_insert(struct timed_list *l, struct timed *node);
void timed_remove(struct timed_list *l, struct timed *node);
struct timed *timed_at(struct timed_list *l, u64 ts);	/* last with .ts <= ts, NULL: none */

struct thread {
	struct thread_info info;
	struct timed_list calls, events;
	u64 launch_end;			/* of its last launch, copy, set; 0: none yet */
	u64 longest_ts, longest_ns;	/* its longest outermost call since then */
	u32 longest_name;
	u16 launch_class;		/* of that launch */
};

/* One API call, or what is known of it before its record comes. */
struct call {
	struct timed timed;		/* in thread->calls, once the record came */
	struct call *later;		/* in order of arrival */
	u64 key, arrival;
	u64 settled;			/* of the model when it came */
	struct thread *thread;
	struct waiting_op *ops, **ops_end;
	struct node *nodes;		/* graph nodes that want its stack */
	struct api_call c;
	u32 refs;			/* of waiting operations and host events */
	u32 away;			/* of its operations that wait at the call of their
					 * graph node */
	bool have_call, have_stack;
	bool expired;			/* horizon passed or replaced: nothing is awaited any
					 * more */
	bool nested;
};

struct waiting_op {
	struct waiting_op *next;
	struct call *call;		/* may be NULL */
	union {
		struct gpu_head g;
		struct kernel kernel;
		struct copy copy;
		struct set set;
		struct sync sync;
		struct graph graph;
	} r;
};

struct node {			/* of a CUDA graph */
	struct node *next;		/* of the same call */
	u64 source, stack;
	struct call *pending;		/* its stack is still awaited */
};

struct waiting_event {
	struct timed timed;		/* in thread->events */
	struct waiting_event *later;
	struct thread *thread;
	struct call *call;		/* innermost one known so far */
	u64 arrival;
	bool delivered;			/* with a later one of its thread */
	union {
		struct event e;
		struct sched_switch_rec sw;
		struct wake wake;
		struct fault fault;
		struct driver_call driver;
		struct block_io block;
	} r;
};

struct live {			/* managed memory that is allocated now */
	u64 start, end;
	u64 ts;				/* since when */
	struct managed *m;
	u64 rank;			/* by chance, but always the same: falls downwards */
	struct live *left, *right;
};

struct process {
	struct process_info info;	/* first: pointers to it are pointers to us */
	u64 seen_ns;			/* of its youngest task record */
	struct live *live;		/* by address, top of the tree; none overlap */
	struct hash places;		/* stack or range -> struct managed */
};

struct waiting_uvm {		/* until all that happened before it is here */
	const struct process_info *process;
	struct call *call;		/* alloc: the API call */
	union {
		struct event e;
		struct alloc alloc;
		struct uvm_fault fault;
		struct uvm_service service;
		struct uvm_batch batch;
		struct uvm_migration migration;
		struct uvm_evict evict;
		struct uvm_mark mark;
	} r;
};

struct block_memory { u64 addr, range, range_bytes; };	/* what a service is about */

struct runnings {		/* of one GPU: those that may still be met */
	struct running **list;
	size_t n, room;
	size_t sweep;			/* at how many the ended ones go */
};

struct uvm_part {
	struct heap waiting;		/* struct waiting_uvm */
	struct heap kernels;		/* struct running, not yet begun for `waiting` */
	struct runnings *gpus;		/* by device_info.gpu */
	size_t gpu_n;
	struct pool events, runnings, blocks, lives;
	struct hash ids;		/* UVM's GPU id + 1 -> struct uvm_gpu_info */
	struct hash services;		/* id -> struct block_memory, until its record is due */
	struct pointers met;		/* kernels of the event that is delivered */
	bool seen;
};

struct producer {
	struct process *process;
	struct hash names;		/* id -> interned text */
	struct hash devices;		/* ordinal -> struct device_info */
	struct hash nodes;		/* graph node -> struct node */
	struct hash collectives;	/* id -> struct collective_info */
	bool realtime;			/* its CUPTI keeps CLOCK_REALTIME */
};

#define CLOCKS 64

struct model {
	const struct view *view;
	void *ctx;
	struct trace_window window;	/* as asked for */
	u64 from, to;			/* where it is */
	struct model_counts counts;
	u64 now, gpu_now;		/* trace time: by CPU records; by GPU records if there
					 * are none */
	/* of a trace that says in what disorder its records may come: */
	bool alone;			/* no other trace is read beside it */
	u32 disorder;			/* struct source's; 0: not known */
	u64 in_order;			/* records but definitions, so far */
	u64 newest, marked, settled;	/* latest time; as of the last and the last but one
					 * multiple of the disorder */
	bool stacks_seen;

	struct producer *producers[1 << 16];
	struct arena arena;
	struct texts texts;
	const char *unknown;		/* "?" */
	struct hash stacks, maps, symbols, frames, threads, pids, gpus;
	struct pointers processes, devices, notes;
	size_t gpu_count;
	struct { s64 realtime_minus; u64 ts; } clocks[CLOCKS];
	size_t clock_count;

	struct pool calls, ops, nodes, events;
	struct hash call_map;		/* producer << 32 | correlation -> struct call */
	struct call *oldest, **youngest;
	size_t call_count;
	struct call *held, **held_end;
	size_t held_count;
	struct waiting_event *event_oldest, **event_youngest;
	size_t event_count;
	struct uvm_part uvm;
};

/* tables.c, tasks.c: definitions */
struct producer *producer_get(struct model *m, u16 producer);
void table_name(struct model *m, const struct name *n);
void table_stack(struct model *m, const struct stack *s);
void table_map(struct model *m, const struct map *x);
void table_symbol(struct model *m, const struct symbol *s);
void table_lost(struct model *m, const struct lost *l);
void table_note(struct model *m, const struct note_record *n);
void table_clock(struct model *m, const struct clock_pair *c);
int table_task(struct model *m, const struct task *t);
int table_device(struct model *m, const struct device *d);
void table_source(struct model *m, const struct source *s);
void table_collective(struct model *m, const struct collective *c);
const struct collective_info *collective_get(struct model *m, const struct kernel *k);
const struct device_info *device_get(struct model *m, u16 producer, u32 ordinal);
struct thread *thread_get(struct model *m, u32 tid, u32 pid);
u64 clock_convert(const struct model *m, u64 realtime);

/* joins.c */
int join_api(struct model *m, const struct api *a);
int join_stack(struct model *m, const struct api_stack *s);
int join_op(struct model *m, const struct gpu_head *g);
void join_node(struct model *m, const struct graph_node *n);
int join_expire(struct model *m, bool all);
void join_rebase(struct model *m, u64 now);	/* from the GPU's clock to the CPU's */
struct call *call_get(struct model *m, u16 producer, u32 correlation);
void call_unref(struct model *m, struct call *c);

/* host.c */
void host_call(struct model *m, struct call *c);	/* a call came */
int host_event_add(struct model *m, const struct event *e, size_t size);
int host_expire(struct model *m, bool all);
struct call *thread_call_at(struct thread *t, u64 ts);	/* innermost one, NULL: none */

/* uvm.c */
void uvm_gpu_define(struct model *m, const struct uvm_gpu *g);
int uvm_add(struct model *m, const struct event *e);
int uvm_expire(struct model *m, bool all);
int xid_deliver(struct model *m, const struct xid *x);
int xid_call_deliver(struct model *m, const struct xid_call *c);
void uvm_free(struct model *m);

/* managed.c */
void managed_alloc(struct model *m, const struct waiting_uvm *w);
/* NULL: unknown. range: as the driver says, 0 unknown. */
struct managed *managed_at(struct model *m, const struct process_info *p, u64 addr, u64 range,
			   u64 range_bytes, enum link_kind *link);
void managed_free(struct model *m);

/* overlap.c: what comes asks in order of time */
void overlap_kernel(struct model *m, const struct gpu_head *g);
/* Kernels on the GPU within [from, to] into m->uvm.met; pid 0: of any process. */
void overlap_find(struct model *m, u32 gpu, u32 pid, u64 from, u64 to);
void overlap_forget(struct model *m, u64 before);	/* nobody will ask for earlier */
void overlap_free(struct model *m);

/* Does it begin within the part of the trace that is wanted? */
static inline bool model_wants(const struct model *m, const struct event *e)
{
	return e->ts >= m->from && (e->ts < m->to || m->to == ~0ULL);
}

#endif
