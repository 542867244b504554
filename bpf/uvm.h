/*
 * Unified memory as nvidia-uvm.ko serves it. The owner (e.pid) is the process
 * behind the VA space (va_space -> mm -> owner), also where a kernel thread
 * does the service; e.tid is the thread that ran.
 *
 *   batch   what the driver fetched from a GPU's fault buffer at once
 *   service one VA block's share of a batch, one CPU fault, one access-counter run
 *   fault, migration, ...   happened inside a service, whose id they carry
 *
 * Links are by id, never by time: service ids count up and are never 0;
 * (gpu, batch) names a batch as long as the module stays loaded.
 */
#ifndef UVM_H
#define UVM_H

#include "event.h"

/* Processors by UVM's own ids: 0 the CPU, from 1 GPUs (struct uvm_gpu tells which). */
#define UVM_CPU 0

struct uvm_gpu {		/* a definition */
	struct event e;
	u32 gpu;		/* UVM's processor id */
	u32 pci_domain;
	u8 pci_bus, pci_device, pci_function;
	u8 pad[5];
	u8 uuid[16];
	char name[40];
};
_Static_assert(sizeof(struct uvm_gpu) == 96, "uvm_gpu: files depend on this layout");

/* As uvm_fault_access_type_t: same values 515..595. */
enum uvm_access {
	UVM_PREFETCH = 0, UVM_READ = 1, UVM_WRITE = 2, UVM_ATOMIC_WEAK = 3,
	UVM_ATOMIC_STRONG = 4,
};

enum uvm_fault_flags {
	UVM_DUPLICATE = 1,		/* the page was serviced by an earlier fault of the
					 * batch */
	UVM_NON_REPLAYABLE = 2,		/* of a copy engine or the like: the channel waits */
	UVM_FATAL = 4,
};

/* One fault as the driver notifies it; e.ts: then. `instances` - 1 more of the same page were
 * merged into it when they were fetched. */
struct uvm_fault {
	struct event e;
	u64 addr;
	u64 service;		/* struct uvm_service id, 0 none */
	u64 range, range_bytes;	/* the managed allocation, 0 unknown */
	u64 gpu_ns;		/* the GPU's own clock (PTIMER); 0 CPU */
	u64 pc;			/* CPU: of the faulting code; 0 GPU */
	u32 gpu;		/* who faulted: processor id, UVM_CPU */
	u32 batch;		/* id of the batch; 0 CPU and non-replayable */
	u32 instances;
	u16 client;		/* GPU: which unit (fault_source.client_id) */
	u8 access;		/* enum uvm_access */
	u8 type;		/* uvm_fault_type_t: 0 invalid PDE, 1 invalid PTE, ...; 255
				 * CPU */
	u8 flags;		/* enum uvm_fault_flags */
	u8 pad[7];
};
_Static_assert(sizeof(struct uvm_fault) == 96, "uvm_fault: files depend on this layout");

enum uvm_service_what {
	UVM_SERVICE_REPLAYABLE = 1, UVM_SERVICE_NON_REPLAYABLE = 2, UVM_SERVICE_CPU = 3,
	UVM_SERVICE_ACCESS_COUNTERS = 4, UVM_SERVICE_ATS = 5,
};

struct uvm_service {		/* a span: in and out of the function that serves a block */
	struct event e;
	u64 dur_ns;
	u64 id;
	u64 addr;		/* of the VA block; CPU: of the fault */
	u64 bytes_in;		/* of this process, migrated to who faulted */
	u64 bytes_out;		/* of this process, migrated elsewhere meanwhile */
	u32 gpu;		/* who is served */
	u32 batch;
	u32 faults;		/* notified inside */
	s32 status;		/* NV_STATUS, 0 success */
	u32 what;		/* enum uvm_service_what */
	u32 pad;
};
_Static_assert(sizeof(struct uvm_service) == 88, "uvm_service: files depend on this layout");

/* A span: from the fetch to the replay that lets the GPU go on. e.pid is 0: a batch holds
 * faults of many processes. */
struct uvm_batch {
	struct event e;
	u64 dur_ns;
	u64 fetch_ns;		/* fetching and sorting, from e.ts */
	u64 service_ns;		/* inside service_fault_batch() */
	u64 bytes;		/* migrated inside */
	u32 gpu;
	u32 batch;
	u32 cached;		/* faults fetched */
	u32 coalesced;		/* left after merging equal ones */
	u32 duplicates;		/* that needed no service of their own */
	u32 blocks;		/* services */
	u32 replays;
	s32 status;		/* NV_STATUS of the service */
};
_Static_assert(sizeof(struct uvm_batch) == 88, "uvm_batch: files depend on this layout");

/* As uvm_make_resident_cause_t: 0..8, same values 515..595. */
enum uvm_cause {
	UVM_CAUSE_REPLAYABLE_FAULT = 0, UVM_CAUSE_NON_REPLAYABLE_FAULT = 1,
	UVM_CAUSE_ACCESS_COUNTER = 2, UVM_CAUSE_PREFETCH = 3, UVM_CAUSE_EVICTION = 4,
	UVM_CAUSE_API_TOOLS = 5, UVM_CAUSE_API_MIGRATE = 6, UVM_CAUSE_API_RANGE_GROUP = 7,
	UVM_CAUSE_API_HINT = 8,
	UVM_CAUSE_UNKNOWN = 255,
};

/* Pages copied from one processor to another; e.ts: when the copy was handed to the engine. */
struct uvm_migration {
	struct event e;
	u64 addr, bytes;
	u64 service;		/* struct uvm_service id, 0: an API call or an eviction by the
				 * resource manager */
	u64 range, range_bytes;
	u32 src, dst;		/* processor ids */
	s16 src_node, dst_node;	/* NUMA node of the CPU's side, -1 unknown */
	u8 cause;		/* enum uvm_cause */
	u8 copy;		/* 1: the source keeps its pages (read duplication) */
	u8 pad[2];
};
_Static_assert(sizeof(struct uvm_migration) == 80, "uvm_migration: files depend on it");

struct uvm_evict {		/* a span: a block loses its place in video memory */
	struct event e;		/* pid: who owned it, not who needed the room */
	u64 dur_ns;
	u64 addr;		/* of the VA block */
	u64 bytes;		/* copied out; less than a chunk where pages were elsewhere
				 * too */
	u64 range, range_bytes;
	u64 service;		/* that needed the room, 0 unknown */
	u32 gpu;
	s32 status;
};
_Static_assert(sizeof(struct uvm_evict) == 80, "uvm_evict: files depend on this layout");

enum uvm_mark_what {
	UVM_REVOCATION = 1,	/* access rights taken from `processor` */
	UVM_THRASHING = 2,	/* the page goes to and fro between `processors` */
	UVM_THROTTLE_START = 3, UVM_THROTTLE_END = 4,	/* `processor` is held back */
	UVM_MAP_REMOTE = 5,	/* `processor` reads it where it lies */
	UVM_READ_DUPLICATE = 6, UVM_READ_DUPLICATE_END = 7,
	UVM_ACCESS_COUNTER = 8,	/* hot remote page: a notification of the GPU */
	UVM_FATAL_FAULT = 9,	/* nobody can serve it: the channel dies */
	UVM_PREFETCH_HINT = 10,	/* the driver widened a fault to `bytes` */
};

struct uvm_mark {
	struct event e;
	u64 addr, bytes;	/* 0 bytes: unknown */
	u64 service;
	u64 range, range_bytes;
	u64 processors;		/* bit mask of processor ids below 64, 0 unknown */
	u32 processor;
	u32 what;		/* enum uvm_mark_what */
	u32 value;		/* cause, fatal reason, counter value; 0 */
	u32 pad;
};
_Static_assert(sizeof(struct uvm_mark) == 88, "uvm_mark: files depend on this layout");

#endif
