/*
 * Writes a Perfetto trace: packets of one sequence, strings interned on first
 * use. Field numbers are those of perfetto v58's protos/perfetto/trace; they
 * are an interface and never change meaning.
 *
 * All functions add one packet (and the interned data it needs) to the file;
 * errors are kept and reported by perfetto_close().
 */
#ifndef PERFETTO_H
#define PERFETTO_H

#include "types.h"

struct perfetto;

/* As outfile_open(): path must live as long as p; "-" is stdout. json: Chrome's format instead
 * (chromejson.h), packed where path ends in .gz. 0 or a reported error. */
int perfetto_open(struct perfetto **p, const char *path, bool json);
int perfetto_close(struct perfetto *p, bool keep);	/* keep false: remove what was
							 * written */
#define PERFETTO_TIME_MAX (~0ULL >> 1)	/* of a packet; later ones are put there */
u64 perfetto_bytes(const struct perfetto *p);
/* Up to which time what was written takes so many bytes; 2^64-1: all of it. */
u64 perfetto_fit(const struct perfetto *p, u64 bytes);

enum intern { INTERN_NAME, INTERN_CATEGORY, INTERN_ANNOTATION, INTERN_ARG, INTERN_KINDS };
/* Id of a string in the sequence; it is written with the next packet. 0 only when out of
 * memory. */
u64 perfetto_intern(struct perfetto *p, enum intern kind, const char *text);

/* CLOCK_MONOTONIC is the trace's clock; the pair lets viewers show wall time. */
void perfetto_clock(struct perfetto *p, u64 monotonic_ns, u64 realtime_ns);

struct perfetto_gpu { const char *name, *vendor,	/* NULL: unknown */
		      *driver; const u8 *uuid; char pci[32]; char cc[16]; u64 mem_bytes; };
void perfetto_gpus(struct perfetto *p, const struct perfetto_gpu *gpus, u32 n);

void perfetto_process(struct perfetto *p, u64 uuid, u32 pid, const char *name);
void perfetto_thread(struct perfetto *p, u64 uuid, u64 parent, u32 pid, u32 tid,
		     const char *name);
void perfetto_track(struct perfetto *p, u64 uuid, u64 parent, const char *name);
enum { UNIT_NONE = 0, UNIT_NS = 1, UNIT_COUNT = 2, UNIT_BYTES = 3 };
void perfetto_counter_track(struct perfetto *p, u64 uuid, u64 parent, const char *name,
			    u32 unit);

/* ---- events; annotations are optional ---- */
/* name NULL ends */
struct perfetto_note { const char *name; u64 value; const char *text; bool hex; };
struct perfetto_slice {
	u64 track, name, category;	/* interned ids */
	const struct perfetto_note *notes;
	const u64 *submits;		/* render stage event ids that this call launched */
	u32 n_submits;
	u64 flow_out, flow_in;		/* ids of arrows that leave and end here, 0 none */
	bool cuda;			/* an API call of CUDA */
};
void perfetto_begin(struct perfetto *p, u64 ts, const struct perfetto_slice *s);
void perfetto_end(struct perfetto *p, u64 ts, u64 track);
void perfetto_instant(struct perfetto *p, u64 ts, const struct perfetto_slice *s);
void perfetto_counter(struct perfetto *p, u64 ts, u64 track, s64 value);
void perfetto_counter_real(struct perfetto *p, u64 ts, u64 track, double value);

/* State of a thread as Perfetto's generic kernel events count them. */
enum { STATE_RUNNABLE = 2, STATE_RUNNING = 3, STATE_SLEEP = 4, STATE_BLOCKED = 5,
       STATE_STOPPED = 6, STATE_DEAD = 7 };
void perfetto_task_state(struct perfetto *p, u64 ts, u32 cpu, u32 pid, u32 tid,
			 const char *comm, u32 state);
/* Where a thread was when it was sampled; frames[0] is the outermost. cpu 0xffff: unknown. */
void perfetto_sample(struct perfetto *p, u64 ts, u32 cpu, u32 pid, u32 tid,
		     const char *const *frames, u32 n);

/* ---- GPU operations ---- */
u64 perfetto_context(struct perfetto *p, u32 pid);		/* a CUDA context: its interned
								 * id */
/* queue or stage */
u64 perfetto_stage(struct perfetto *p, const char *name, const char *about, bool compute);
u64 perfetto_kernel(struct perfetto *p, const char *mangled, const char *demangled);

struct perfetto_op {
	u64 event_id, ts, dur_ns;
	u64 queue, stage, context, kernel, name;	/* interned ids; kernel 0 none */
	u32 gpu;
	bool called;		/* a slice to come names it among its submits, or is left out */
	const u32 *grid, *block;			/* NULL: none */
	const struct perfetto_note *args;		/* shown with the launch */
};
void perfetto_gpu_op(struct perfetto *p, const struct perfetto_op *op);
/* No slice will name these. */
void perfetto_call_left_out(struct perfetto *p, const u64 *submits, u32 n);
/* Arrows that JSON does not have because one end of them is missing. */
u64 perfetto_one_ended(const struct perfetto *p);

#endif
