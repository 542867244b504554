/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The simulated GPU. An operation knows its start and end as soon as the ends of all it waits
 * for are known, which is nearly always at submission; so streams are FIFOs of planned
 * operations, a heap orders the streams by what ends next, and time alone moves them on.
 */
#ifndef ENGINE_H
#define ENGINE_H

#include <pthread.h>

#include "api.h"
#include "cuda_abi.h"

#define unlikely(x) __builtin_expect(!!(x), 0)
#define MAX_DEVICES 16
#define COMPUTE_SLOTS 16	/* kernels that run at once */
#define COPY_ENGINES 3		/* to the device, from it, within it */
#define NONE (~0u)

/* When an event happened on the device: shared by the event, the recording and the waits. */
struct shared_mark {		/* of an event that several processes have */
	uint64_t when;
	uint32_t recorded, known, done;	/* how many; number of the last */
};

struct mark {
	struct shared_mark *shared;
	uint64_t when;
	uint32_t refs, number;		/* in shared */
	bool known;
};

enum payload { PAY_NONE, PAY_COPY, PAY_SET, PAY_HOST, PAY_FREE, PAY_WAIT };

/* What is to be done; a graph node holds one, each submission copies it into an op. */
struct work {
	struct sim_record rec;		/* type, sizes, names; the engine fills in times */
	uint64_t duration;
	enum payload payload;
	uint32_t element;		/* set: bytes of one element, 1 2 4 */
	char *dst;
	const char *src;
	size_t width, height, dst_pitch, src_pitch;
	void *staged;			/* copy of a small pageable source, freed when done */
	CUhostFn function;
	void *data;
	struct mark *mark;		/* event record: set it; event wait: wait for it */
	struct CUgraphNode_st *node;	/* of an exec */
	struct CUgraphExec_st *exec;	/* SIM_GRAPH: its end */
};

struct op {
	struct work w;
	struct op *next;		/* in the stream or a list */
	struct op *call_next;		/* in the queue of host functions */
	struct CUstream_st *stream;
	uint64_t seq;			/* order of submission in the process */
	uint64_t due;			/* leaves the stream; host function: may start */
	bool started;			/* host function: due is known, its end not yet */
	bool running;
};

struct device {
	struct sim_device_info info;
	uint64_t compute[COMPUTE_SLOTS];	/* busy until */
	uint64_t copy[COPY_ENGINES];
	uint64_t used_bytes;
	CUmemoryPool pool;		/* NULL: its own */
	uint64_t lost_after, submitted;	/* operations; 0: it is never lost */
	bool lost;
	CUcontext primary;
	uint32_t primary_refs, primary_flags;
	int ordinal;
};

struct CUctx_st {
	uint32_t magic, id;
	struct device *device;
	uint32_t flags;
	bool primary, destroyed;
	struct CUstream_st *legacy;
	struct CUstream_st *streams;	/* all of them */
	uint64_t legacy_end;		/* end of what the legacy stream has planned */
	uint64_t blocking_end;		/* end of what the streams it waits for have planned */
	struct CUmod_st *modules;
};

struct capture {			/* a stream that builds a graph */
	struct CUgraph_st *graph;
	struct CUgraphNode_st **tail;	/* what the next node depends on */
	size_t tail_count;
	bool origin, invalid;
};

struct CUstream_st {
	uint32_t magic, id;
	CUcontext ctx;
	struct CUstream_st *next;	/* in the context */
	uint32_t flags;
	int priority;
	bool dead;			/* destroyed, still has work */
	uint32_t heap_at;		/* position in the heap + 1, 0 not there */
	struct op *head, *tail;
	struct op *open;		/* first op whose end is not known */
	uint32_t length;
	uint64_t submitted, retired;	/* seq of the last one */
	uint64_t end;			/* of all planned */
	struct capture capture;
};

struct CUevent_st {
	uint32_t magic, id;
	CUcontext ctx;
	uint32_t flags;
	bool recorded;
	struct mark *mark;
	struct shared_mark *shared;	/* flag interprocess; its descriptor */
	int fd;
	struct CUgraph_st *graph;	/* recorded while a stream was captured */
	struct CUgraphNode_st **tail;
	size_t tail_count;
};

struct CUfunc_st {
	uint32_t magic;
	const char *name;
	struct CUmod_st *module;
	struct CUfunc_st *next;
	uint64_t base_ns;
	double thread_ns;
	uint32_t registers, static_shared, local_bytes, dynamic_max;
};

struct thread {				/* per thread of the application */
	CUcontext stack[16];
	uint32_t top;			/* how many; the last is current */
	uint32_t depth, correlation;
	struct CUstream_st *own;	/* per-thread default stream of own_ctx */
	CUcontext own_ctx;
	int capture_mode;
	bool in_callback;		/* runs host functions: may call nothing of CUDA */
};

struct engine {
	pthread_mutex_t lock;		/* all below, contexts, streams, events, devices */
	pthread_mutex_t advance;	/* who holds it moves time on; taken before lock */
	pthread_cond_t progress;	/* a host function returned, records were given */
	pthread_cond_t work;		/* wakes the worker */
	struct CUstream_st **heap;
	uint32_t heap_count, heap_size;
	uint32_t open;			/* streams whose open is set */
	struct op *free, *done, **done_end;
	uint64_t seq, over, recorded;	/* ops submitted, retired, with their record given */
	uint32_t urgent;		/* host functions submitted and not yet started */
	bool idle;			/* the worker sleeps until work is signalled */
	bool closing;
	struct device devices[MAX_DEVICES];
	int device_count;
	uint32_t queue_max, graph_ids, event_ids;
	int ioctl_fd;
	CUcontext contexts[64];
	uint32_t context_count;
};

extern struct engine engine;
extern struct sim_hooks *sim_hooks;
#define hooks_get() __atomic_load_n(&sim_hooks, __ATOMIC_ACQUIRE)
#define hooks_set(hooks) __atomic_store_n(&sim_hooks, hooks, __ATOMIC_RELEASE)
extern int sim_ready;			/* cuInit succeeded; no forked child, no exit */
extern bool sim_faults, sim_log;
extern __thread struct thread thread __attribute__((tls_model("initial-exec")));

/* core.c */
uint64_t now(void);
void call_enter(struct sim_call *call);
void call_exit(struct sim_call *call);
CUresult api_begin(struct sim_call *call);
CUresult api_begin_ctx(struct sim_call *call);
void api_end(struct sim_call *call);
void sync_report(uint32_t type, uint64_t start, uint32_t stream_id, uint32_t event_id);
void resource_report(enum sim_resource what, const struct sim_resource_data *data);

#define current (thread.top ? thread.stack[thread.top - 1] : NULL)

#define DRIVER(begin, ptsz, symbol, name, decl, args, expr)				       \
	CUresult name decl API_BODY(CUresult, 1, #name, #name, symbol, ptsz, begin, api_end,   \
				    args, expr)
/* entry points that need cuInit; a context; and those with a twin of another default stream */
#define API(name, decl, args, expr) DRIVER(api_begin, false, NULL, name, decl, args, expr)
#define CTX_API(name, decl, args, expr)	\
	DRIVER(api_begin_ctx, false, NULL, name, decl, args, expr)
#define STREAM_API(name, decl, args, expr)				\
	DRIVER(api_begin_ctx, false, NULL, name, decl, args, expr)	\
	DRIVER(api_begin_ctx, true, NULL, name##_ptsz, decl, args, expr)
#define DEFAULT_API(name, decl, args, expr)				\
	DRIVER(api_begin_ctx, false, NULL, name, decl, args, expr)	\
	DRIVER(api_begin_ctx, true, NULL, name##_ptds, decl, args, expr)

/* settings.c */
const char *setting(const char *name);
double setting_number(const char *name, double otherwise);
void faults_load(void);
int fault(const char *name);

/* engine.c */
void engine_init(void);
CUresult submit(struct CUstream_st *s, const struct work *w, uint64_t *seq);
void engine_advance(uint64_t until);
void host_done(struct op *op);
uint64_t heap_next(void);
void mark_put(struct mark *m);

/* worker.c */
void worker_start(void);
void worker_kick(void);
void worker_stop(void);
void host_queue(struct op *op);
void caller_start(void);
void wait_progress(void);
void wait_time(uint64_t when, bool sleepy);
void wait_seq(struct CUstream_st *s, uint64_t seq);
void wait_context(CUcontext ctx);
void quiesce(void);
void settle(void);
void in_flight(void (*give)(const struct sim_record *r));

/* device.c */
void devices_init(void);
struct device *device_of(CUdevice ordinal);

/* context.c */
bool context_valid(CUcontext ctx);
CUresult context_current(void);

/* stream.c */
struct CUstream_st *stream_of(CUstream stream, bool per_thread);
struct CUstream_st *stream_new(CUcontext ctx, uint32_t flags, int priority, uint32_t id);
void stream_bury(struct CUstream_st *s);

/* memory.c */
enum memory_kind {		/* CUPTI's numbers */
	MEM_PAGEABLE = 1, MEM_PINNED, MEM_DEVICE, MEM_ARRAY, MEM_MANAGED,
};
struct memory {
	uintptr_t start, end;
	enum memory_kind kind;
	bool mapped;			/* by mmap */
	bool registered;		/* the application's own, pinned */
	bool uvm;			/* of the real driver: see uvm.c */
	bool foreign;			/* another process's, by a handle */
	int fd;				/* shared with others; 0: not */
	CUmemoryPool pool;
	struct device *device;
	CUcontext ctx;
};
struct memory memory_find(const void *ptr);
bool memory_add(const struct memory *m);
void memory_shared(uintptr_t start, int fd);
CUresult memory_free(uintptr_t ptr, uint32_t kind);
CUresult memory_global(CUdeviceptr *ptr, size_t bytes);

/* pool.c */
CUmemoryPool pool_current(struct device *d);
struct device *pool_device(CUmemoryPool p);
void pool_count(CUmemoryPool p, int64_t bytes);
void pools_waited(struct device *d);

/* event.c, ipc.c */
CUresult event_descriptor(CUevent e, int *fd);
CUresult event_adopt(CUevent *out, struct shared_mark *shared, int fd);
struct shared_mark *mark_share(int *fd);
void mark_wait(const struct mark *m);

/* lost.c */
void lost_load(void);
void lost_count(struct device *d);	/* engine.lock is held */

/* uvm.c */
bool uvm_used(void);
int uvm_open(void);
void uvm_device(struct sim_device_info *d, int ordinal);
void *uvm_allocate(size_t bytes);
void uvm_free(void *p, size_t bytes);
CUresult uvm_prefetch(void *p, size_t bytes, int device);
void uvm_kernel(struct work *w, const struct CUctx_st *ctx, void **params);

/* copy.c */
void payload_run(struct work *w);
struct work copy_work(char *dst, const char *src, size_t width, size_t height, size_t dst_pitch,
		      size_t src_pitch);
CUresult copy3d_work(struct work *w, const CUDA_MEMCPY3D *c);
struct work set_work(CUdeviceptr dst, uint32_t value, uint32_t element, size_t width,
		     size_t height, size_t pitch);

/* model.c */
void model_load(void);
void model_apply(struct CUfunc_st *f);
uint64_t model_kernel(const struct CUfunc_st *f, uint64_t threads);
uint64_t model_copy(const struct sim_record *r);
uint64_t model_set(const struct sim_record *r);
extern uint64_t model_latency_ns, model_gap_ns;

/* module.c, image.c */
struct image {
	char **names;
	size_t count;
	bool opaque;			/* compressed: its names cannot be read */
};
int image_parse(const void *data, struct image *image);
const char *function_name(CUfunction f);
CUfunction function_of(CUfunction f);

/* launch.c */
CUresult kernel_work(struct work *w, CUfunction f, const uint32_t *grid, const uint32_t *block,
		     uint32_t shared_bytes);

/* capture.c, graph.c */
CUresult capture_add(struct CUstream_st *s, const struct work *w, CUgraphNodeType type);
CUresult capture_wait(struct CUstream_st *s, struct CUevent_st *e);
CUresult capture_record(struct CUstream_st *s, struct CUevent_st *e);
uint64_t graph_ready(const struct work *w, uint64_t ready);
void graph_planned(struct work *w);
uint64_t node_id(void *node);
uint32_t graph_id(void *graph);

#endif
