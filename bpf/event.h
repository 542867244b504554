/*
 * The head every record begins with, the register of kinds, and the records
 * that define what other records refer to by id.
 *
 * A record is a row in rings and pipes between probe and recorder, and a row
 * of columns in the trace file. Fields are only ever added at the end; a kind
 * number is never reused. Little-endian.
 *
 * Span records have ts = start and dur_ns as the first field behind the head.
 * Ids (names, devices, contexts, streams, correlations) are scoped by
 * producer: 0 is the recorder with its BPF programs, each traced process that
 * was handed a ring has a number of its own (a new one after exec).
 */
#ifndef EVENT_H
#define EVENT_H

#include "types.h"

enum event_kind {
	/* definitions: written before what uses them, repeated in long traces */
	EVENT_TASK = 1,		/* struct task */
	EVENT_DEVICE = 2,	/* struct device */
	EVENT_NAME = 3,		/* struct name */
	EVENT_STACK = 4,	/* struct stack */
	EVENT_MAP = 5,		/* struct map */
	EVENT_SYMBOL = 6,	/* struct symbol */
	EVENT_CLOCK = 7,	/* struct clock_pair */
	EVENT_LOST = 8,		/* struct lost */
	EVENT_NOTE = 9,		/* struct note_record */
	EVENT_GRAPH_NODE = 10,	/* struct graph_node, cuda.h */
	EVENT_UVM_GPU = 11,	/* struct uvm_gpu, uvm.h */
	EVENT_SOURCE = 12,	/* struct source, span.h */
	EVENT_COLLECTIVE = 13,	/* struct collective, span.h */
	EVENT_DEFINITIONS_END = 16,

	EVENT_API = 16,		/* cuda.h */
	EVENT_KERNEL = 17,
	EVENT_COPY = 18,
	EVENT_SET = 19,
	EVENT_SYNC = 20,
	EVENT_OVERHEAD = 21,
	EVENT_GRAPH = 22,
	EVENT_NVTX = 23,
	EVENT_API_STACK = 24,
	EVENT_ALLOC = 25,
	EVENT_SPAN = 26,	/* span.h */
	EVENT_COUNTER = 27,
	EVENT_FLOW = 28,
	EVENT_SAMPLE = 29,

	EVENT_SWITCH = 32,	/* host.h */
	EVENT_WAKE = 33,
	EVENT_FAULT = 34,
	EVENT_DRIVER = 35,
	EVENT_BLOCK = 36,
	EVENT_DRIVER_SUM = 37,

	EVENT_LAUNCH = 48,	/* culaunch.h */

	EVENT_UVM_FAULT = 64,	/* uvm.h */
	EVENT_UVM_SERVICE = 65,
	EVENT_UVM_BATCH = 66,
	EVENT_UVM_MIGRATION = 67,
	EVENT_UVM_EVICT = 68,
	EVENT_UVM_MARK = 69,

	EVENT_XID = 80,		/* xid.h */
	EVENT_XID_CALL = 81,
	EVENT_KIND_MAX = 256,
};

struct event {
	u64 ts;			/* CLOCK_MONOTONIC ns; a span's start */
	u32 pid;		/* process, host id (the kernel's tgid); 0: none */
	u32 tid;		/* thread, host id; 0: none (GPU side) */
	u16 size;		/* whole record in bytes, head included, multiple of 8 */
	u16 kind;		/* enum event_kind */
	u16 producer;
	u16 cpu;		/* 0xffff: unknown */
};
_Static_assert(sizeof(struct event) == 24, "event: files depend on this layout");

/*
 * How a record begins that sums calls or bytes: the number and the rest only
 * grow; a consumer subtracts two snapshots of the same row. One is written when
 * it has changed, e.ts being when it was read; what a dead process left is
 * written once more and then forgotten.
 */
struct sum_head {
	struct event e;
	u64 from_ns;		/* when the snapshot before this one was read */
	u64 interval;		/* counts the snapshots, from 1 */
	u64 count;
};
_Static_assert(sizeof(struct sum_head) == 48, "sum_head: files depend on this layout");

#define RECORD_MAX 65528	/* largest size: u16, multiple of 8 */
#define CPU_UNKNOWN 0xffff

/* Records that end in text or numbers: the tail is size - sizeof(struct) bytes; text is
 * NUL-terminated and padded with NULs to 8 bytes. */

enum task_what { TASK_FOUND = 0, TASK_FORK = 1, TASK_EXEC = 2, TASK_EXIT = 3, TASK_COMM = 4 };

struct task {			/* e.pid, e.tid name the task; e.ts: when it was seen so */
	struct event e;
	u64 start_ns;		/* CLOCK_MONOTONIC; 0 unknown. (pid, start_ns) is unique */
	u64 cgroup;		/* cgroup v2 id, 0 unknown */
	u32 ppid;		/* host id of the parent process */
	u32 ns_pid;		/* as the process itself sees it */
	u32 ns_tid;
	s32 exit_code;		/* TASK_EXIT: as wait(2) reports it */
	u16 what;		/* enum task_what */
	u16 process;		/* this task's library instance: its producer; 0 none */
	u32 pad;
	char comm[COMM_LEN];
};
_Static_assert(sizeof(struct task) == 80, "task: files depend on this layout");

struct device {			/* one CUDA device as one process sees it */
	struct event e;
	u64 mem_bytes;
	u32 ordinal;		/* CUDA ordinal within the producer */
	u32 minor;		/* N of /dev/nvidiaN; ~0 unknown */
	u32 pci_domain;
	u8 pci_bus, pci_device, pci_function;
	u8 simulated;		/* 1: the simulated GPU of the test suite */
	s32 numa_node;		/* of the PCI slot, -1 unknown */
	u32 sm_count;
	u32 cc_major, cc_minor;	/* compute capability */
	u8 uuid[16];
	char name[64];
};
_Static_assert(sizeof(struct device) == 144, "device: files depend on this layout");

enum name_what {
	NAME_KERNEL = 1, NAME_API = 2, NAME_NVTX = 3, NAME_NVTX_DOMAIN = 4, NAME_SPAN = 5,
	NAME_COUNTER = 6, NAME_COLLECTIVE = 7,
};

struct name {			/* text tail */
	struct event e;
	u32 id;			/* from 1; 0 means no name */
	u32 what;		/* enum name_what */
};
_Static_assert(sizeof(struct name) == 32, "name: files depend on this layout");

/*
 * A frame is a u64: the top 16 bits are the id of a struct map, the low 48 the
 * offset in that file (so equal code in two processes is one frame). Map 0:
 * the low 48 bits are a raw user address of no known file. FRAME_KERNEL: they
 * are the low bits of a kernel address.
 */
#define FRAME_SHIFT  48
#define FRAME_MASK   ((1ULL << FRAME_SHIFT) - 1)
#define FRAME_KERNEL 0xffffULL

struct stack {			/* tail: u64 frames, leaf first, kernel frames before user
				 * frames */
	struct event e;
	u64 id;			/* hash of the raw stack and its process; never 0 */
	u32 kernel_frames;
	u32 user_frames;
};
_Static_assert(sizeof(struct stack) == 40, "stack: files depend on this layout");

struct map {			/* a mapped file; text tail: its path as its process saw it */
	struct event e;
	u64 start, end;		/* where it was first seen mapped (e.pid) */
	u64 offset;
	u64 inode;
	u32 device;		/* major << 20 | minor */
	u16 id;			/* 1 .. 0xfffe */
	u16 build_id_size;
	u8 build_id[24];
};
_Static_assert(sizeof(struct map) == 88, "map: files depend on this layout");

struct symbol {			/* text tail: the name as in the file (mangled) */
	struct event e;
	u64 frame;
	u64 offset;		/* of the frame behind the symbol's first byte */
};
_Static_assert(sizeof(struct symbol) == 40, "symbol: files depend on this layout");

struct clock_pair {		/* sampled at e.ts (CLOCK_MONOTONIC) */
	struct event e;
	u64 realtime_ns;
	u64 width_ns;		/* between the two monotonic reads around realtime_ns */
	u32 cupti_realtime;	/* producer > 0: 1 when its CUPTI keeps CLOCK_REALTIME */
	u32 pad;
};
_Static_assert(sizeof(struct clock_pair) == 48, "clock_pair: files depend on this layout");

enum lost_where {
	LOST_BPF_RING = 1,	/* the kernel's ring was full */
	LOST_BPF_MAP = 2,	/* a BPF map was full: a call or task was not followed */
	LOST_SLOT_RING = 3,	/* a thread's ring in the traced process was full */
	LOST_NO_SLOT = 4,	/* every ring was taken */
	LOST_CUPTI = 5,		/* CUPTI says that it dropped records */
	LOST_UNFINISHED = 6,	/* the process died before CUPTI delivered; count unknown */
	LOST_HOSTILE = 7,	/* ring contents that are no records */
	LOST_WRITER = 8,	/* the file could not be written */
	LOST_CLOCK = 9,		/* GPU times that cannot be true (0, end before start) */
	LOST_KMSG = 10,		/* the kernel's log wrote over what was not read yet */
	LOST_BPF_MISSED = 11,	/* hits of probes whose program the kernel left out */
};
#define LOST_UNKNOWN (~0ULL)	/* some, nobody knows how many */

struct lost {
	struct event e;
	u64 count;		/* since the last one of the same producer and place */
	u32 where;		/* enum lost_where */
	u32 pad;
};
_Static_assert(sizeof(struct lost) == 40, "lost: files depend on this layout");

enum note_what {
	NOTE_MISSING = 1,	/* something was not recorded, and why */
	NOTE_SIMULATED = 2,	/* the GPU is simulated */
	NOTE_SETTING = 3,	/* how it was recorded: "graph=launch" */
};

struct note_record {		/* text tail */
	struct event e;
	u32 what;		/* enum note_what */
	u32 pad;
};
_Static_assert(sizeof(struct note_record) == 32, "note_record: files depend on this layout");

#endif
