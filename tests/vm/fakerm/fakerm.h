/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of the software GPU share. */
#ifndef FAKERM_H
#define FAKERM_H

#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/refcount.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include "nvtypes.h"
#include "nvstatus.h"
#include "nvlimits.h"
#include "nvmisc.h"
#include "hide.h" /* made at build time: what these files do not provide gets a stub */
#include "nv_uvm_interface.h"
#include "nv_uvm_types.h"
#include "fakerm_ioctl.h"

#define SZ2M		(2ul << 20)
#define PACKET_WORDS	8	/* of a fault or a notification */
#define FAULTS		1024u	/* entries of each buffer */
#define NR_FAULTS	64

/* Marks a function that the driver imports; stubs.sh looks for it. */
#define NVX(name) EXPORT_SYMBOL(name)
#define CALLED() do { if (trace) pr_info("fakerm: %s\n", __func__); } while (0)

extern unsigned int trace;

/* "Registers": words that UVM reads and writes. */
enum {
	R_TIME0, R_TIME1,
	R_GET, R_PUT, R_INFO, R_INTR, R_INTR_SET, R_INTR_CLR, R_PREFETCH,
	R_AC_GET, R_AC_PUT, R_AC_FULL, R_AC_INTR, R_AC_SET, R_AC_CLR,
	R_NR_PUT, R_DOORBELL, R_BAR1, R_CHRAM, R_RUNLIST, R_COUNT
};

struct space;

/* A channel that a process registered: the driver knows it by its instance block. */
struct user_chan {
	struct list_head link;
	struct space *space;
	u32 client, channel, number;
	bool engine_ce;
};

struct waiting {
	struct fakerm_fault fault;
	struct user_chan chan;
};

struct gpu {
	u32 id;
	NvProcessorUuid uuid;
	struct pci_dev *pci;
	u32 regs[R_COUNT];

	u8 *vid;
	u64 vid_size;
	unsigned long *pma_used;
	UvmPmaStatistics pma;
	struct mutex pma_lock;

	u32 (*faults)[PACKET_WORDS];
	u32 (*notes)[PACKET_WORDS];
	u32 (*nr_shadow)[PACKET_WORDS];
	u32 nr_queue[NR_FAULTS][PACKET_WORDS];
	u32 nr_n;
	spinlock_t nr_lock;
	struct mutex inject_lock;	/* a group at a time */
	struct mutex put_lock;
	u32 tail;			/* where the next entry goes; PUT follows it */
	struct waiting *wait;		/* accesses that fault again at a replay */
	u32 waiting;
	u32 gathered, generation;	/* injectors that wait for others to join */
	struct rw_semaphore tlb;	/* held for writing by an invalidate */
	struct irq_work irq;

	atomic64_t copies, copy_bytes, fills, replays, cancels, cleared, stopped, puts,
		notes_put;
};

/* A GPU address space; user ones are told apart by the process's handles. */
struct space {
	struct gpu *gpu;
	u64 pdb;
	bool pdb_set, pdb_vid;
	refcount_t users;
};

/* A channel of the driver's own, with the thread that runs its methods. */
struct chan {
	struct space *space;
	u32 *gp, n;
	u32 get, put;
	NvNotification notifier;
	struct task_struct *task;
	u32 sem_lo, sem_hi, pay_lo, pay_hi, memop_a, memop_b, memop_c, id;
	u64 in, out, csem;
	u32 cpay, src_mode, dst_mode, len, lines, remap_a, remap_b, remap;
};

struct leaf {
	u32 aperture, peer, writable;
	u64 pa, page;
};

extern struct gpu gpus[FAKERM_GPUS];
extern unsigned int gpu_count;
extern struct UvmOpsUvmEvents *ops;

struct gpu *gpu_find(const NvProcessorUuid *uuid);
int gpu_setup(struct gpu *gpu, u32 id, struct pci_dev *pci, u64 vid_size);
void gpu_teardown(struct gpu *gpu);

u8 *area_at(u64 va);
u64 areas_left(void);
void areas_from(u64 va);
u8 *gpu_phys(struct gpu *gpu, u32 aperture, u32 peer, u64 pa);
bool gpu_walk(struct space *space, u64 va, struct leaf *leaf);
u8 *gpu_virt(struct space *space, u64 va, u32 access, u64 *left);

int engine(void *chan);

void space_put(struct space *s);
u64 instance_of(const struct user_chan *c);
bool chan_find(struct gpu *gpu, u32 client, u32 channel, struct user_chan *copy);

u64 deadline_of(u32 timeout_ms);
int await(struct gpu *gpu, u64 deadline, bool (*done)(struct gpu *gpu),
	  bool (*due)(struct gpu *gpu));
int inject(struct fakerm_inject *in, const struct fakerm_fault *faults);
void refault(struct gpu *gpu, bool cancel, u64 va);
int notify(struct fakerm_notify *in);
void gpu_irq(struct irq_work *work);

int xid(const struct fakerm_xid *x);
void xid_fault(struct gpu *gpu, const struct fakerm_fault *f, bool replayable);

#endif
