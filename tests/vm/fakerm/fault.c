// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Buffers of faults and of access counter notifications: what the driver asks of
 * them, and what fills them. An injector writes entries as the hardware does,
 * moves PUT, raises the interrupt and sees the driver answer: GET follows PUT, a
 * replay arrives at the engine, and the interrupt is enabled again.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include "fakerm.h"

#define BATCH		256u	/* uvm_perf_fault_batch_count's default */
#define PTR_MASK	0xfffffu

NV_STATUS nvUvmInterfaceOwnPageFaultIntr(uvmGpuDeviceHandle d, NvBool own)
{
	CALLED();
	return NV_OK;
}
NVX(nvUvmInterfaceOwnPageFaultIntr);

NV_STATUS nvUvmInterfaceInitFaultInfo(uvmGpuDeviceHandle d, UvmGpuFaultInfo *f)
{
	struct gpu *gpu = (void *)d;

	CALLED();
	memset(f, 0, sizeof(*f));
	gpu->regs[R_GET] = gpu->regs[R_PUT] = 0;
	f->replayable.pFaultBufferGet = &gpu->regs[R_GET];
	f->replayable.pFaultBufferPut = &gpu->regs[R_PUT];
	f->replayable.pFaultBufferInfo = &gpu->regs[R_INFO];
	f->replayable.pPmcIntr = &gpu->regs[R_INTR];
	f->replayable.pPmcIntrEnSet = &gpu->regs[R_INTR_SET];
	f->replayable.pPmcIntrEnClear = &gpu->regs[R_INTR_CLR];
	f->replayable.pPrefetchCtrl = &gpu->regs[R_PREFETCH];
	f->replayable.replayableFaultMask = 1;
	f->replayable.bufferAddress = gpu->faults;
	f->replayable.bufferSize = FAULTS * sizeof(*gpu->faults);
#if NVMAJOR < 550
	f->replayable.bUvmOwnsHwFaultBuffer = NV_TRUE;
#endif
	f->nonReplayable.shadowBufferAddress = gpu->nr_shadow;
	f->nonReplayable.bufferSize = NR_FAULTS * sizeof(*gpu->nr_shadow);
	f->nonReplayable.pFaultBufferPut = &gpu->regs[R_NR_PUT];
	return NV_OK;
}
NVX(nvUvmInterfaceInitFaultInfo);

NV_STATUS nvUvmInterfaceDestroyFaultInfo(uvmGpuDeviceHandle d, UvmGpuFaultInfo *f)
{
	return NV_OK;
}
NVX(nvUvmInterfaceDestroyFaultInfo);

/* These two get no device: the buffer's address says which GPU is meant. */
static struct gpu *gpu_of_faults(const UvmGpuFaultInfo *f)
{
	unsigned int i;

	for (i = 0; i < gpu_count; i++)
		if (f->nonReplayable.shadowBufferAddress == gpus[i].nr_shadow)
			return &gpus[i];
	return NULL;
}

NV_STATUS nvUvmInterfaceHasPendingNonReplayableFaults(UvmGpuFaultInfo *f, NvBool *pending)
{
	struct gpu *gpu = gpu_of_faults(f);

	*pending = gpu && READ_ONCE(gpu->nr_n);
	return NV_OK;
}
NVX(nvUvmInterfaceHasPendingNonReplayableFaults);

NV_STATUS nvUvmInterfaceGetNonReplayableFaults(UvmGpuFaultInfo *f, void *buf, NvU32 *n)
{
	struct gpu *gpu = gpu_of_faults(f);
	unsigned long flags;

	*n = 0;
	if (!gpu)
		return NV_ERR_INVALID_ARGUMENT;
	spin_lock_irqsave(&gpu->nr_lock, flags);
	memcpy(buf, gpu->nr_queue, gpu->nr_n * sizeof(gpu->nr_queue[0]));
	*n = gpu->nr_n;
	gpu->nr_n = 0;
	spin_unlock_irqrestore(&gpu->nr_lock, flags);
	return NV_OK;
}
NVX(nvUvmInterfaceGetNonReplayableFaults);

NV_STATUS nvUvmInterfaceReportNonReplayableFault(uvmGpuDeviceHandle d, const void *packet)
{
	CALLED();
	return NV_OK;
}
NVX(nvUvmInterfaceReportNonReplayableFault);

#if NVMAJOR < 550
NV_STATUS nvUvmInterfaceFlushReplayableFaultBuffer(uvmGpuDeviceHandle d)
{
	return NV_OK;
}
#else
NV_STATUS nvUvmInterfaceFlushReplayableFaultBuffer(UvmGpuFaultInfo *f, NvBool copy)
{
	return NV_OK;
}

NV_STATUS nvUvmInterfaceTogglePrefetchFaults(UvmGpuFaultInfo *f, NvBool on)
{
	return NV_OK;
}
NVX(nvUvmInterfaceTogglePrefetchFaults);
#endif
NVX(nvUvmInterfaceFlushReplayableFaultBuffer);

NV_STATUS nvUvmInterfaceInitAccessCntrInfo(uvmGpuDeviceHandle d, UvmGpuAccessCntrInfo *a,
					   NvU32 index)
{
	struct gpu *gpu = (void *)d;

	CALLED();
	memset(a, 0, sizeof(*a));
	gpu->regs[R_AC_GET] = gpu->regs[R_AC_PUT] = 0;
	a->accessCntrBufferHandle = 0x200 + gpu->id;
	a->pAccessCntrBufferGet = &gpu->regs[R_AC_GET];
	a->pAccessCntrBufferPut = &gpu->regs[R_AC_PUT];
	a->pAccessCntrBufferFull = &gpu->regs[R_AC_FULL];
	a->pHubIntr = &gpu->regs[R_AC_INTR];
	a->pHubIntrEnSet = &gpu->regs[R_AC_SET];
	a->pHubIntrEnClear = &gpu->regs[R_AC_CLR];
	a->accessCounterMask = 2;
	a->bufferAddress = gpu->notes;
	a->bufferSize = FAULTS * sizeof(*gpu->notes);
	return NV_OK;
}
NVX(nvUvmInterfaceInitAccessCntrInfo);

NV_STATUS nvUvmInterfaceDestroyAccessCntrInfo(uvmGpuDeviceHandle d, UvmGpuAccessCntrInfo *a)
{
	return NV_OK;
}
NVX(nvUvmInterfaceDestroyAccessCntrInfo);

NV_STATUS nvUvmInterfaceEnableAccessCntr(uvmGpuDeviceHandle d, UvmGpuAccessCntrInfo *a,
					 UvmGpuAccessCntrConfig *c)
{
	CALLED();
	return NV_OK;
}
NVX(nvUvmInterfaceEnableAccessCntr);

NV_STATUS nvUvmInterfaceDisableAccessCntr(uvmGpuDeviceHandle d, UvmGpuAccessCntrInfo *a)
{
	CALLED();
	return NV_OK;
}
NVX(nvUvmInterfaceDisableAccessCntr);

void gpu_irq(struct irq_work *work)
{
	struct gpu *gpu = container_of(work, struct gpu, irq);
	struct UvmOpsUvmEvents *o = READ_ONCE(ops);

	if (o && o->isrTopHalf)
		o->isrTopHalf(&gpu->uuid);
}

void packet_fault(u32 *e, const struct user_chan *c, const struct fakerm_fault *f,
		  bool replayable)
{
	u64 inst = instance_of(c), t = ktime_get_ns();

	e[0] = (u32)inst & ~0xfffu;
	e[1] = inst >> 32;
	e[2] = (u32)f->va & ~0xfffu;
	e[3] = f->va >> 32;
	e[4] = (u32)t;
	e[5] = t >> 32;
	e[6] = replayable ? 64 : 15; /* the graphics engine, or copy engine 0 */
	smp_wmb();
	e[7] = (f->type & 31) | ((f->access & 15) << 16) | (3u << 30);
	if (replayable) /* the unit's texture client: two of them share a uTLB */
		e[7] |= (1 << 7) | ((f->unit & 3) * 2) << 8 | (f->gpc % 6) << 24;
	else
		e[7] |= 1 << 20;
}

/* Wait until done() or the time is over, and raise the interrupt while it is due. */
static int await(struct gpu *gpu, u64 deadline, bool (*done)(struct gpu *gpu),
		 bool (*due)(struct gpu *gpu))
{
	while (!done(gpu)) {
		if (ktime_get_ns() > deadline)
			return -ETIMEDOUT;
		if (fatal_signal_pending(current))
			return -EINTR;
		if (due(gpu))
			irq_work_queue(&gpu->irq);
		usleep_range(20, 60);
	}
	return 0;
}

static bool faults_fetched(struct gpu *gpu)
{
	return (READ_ONCE(gpu->regs[R_GET]) & PTR_MASK) == READ_ONCE(gpu->regs[R_PUT]);
}

/* The driver enables the interrupt when its service is over. */
static bool faults_due(struct gpu *gpu)
{
	return !faults_fetched(gpu) && xchg(&gpu->regs[R_INTR_SET], 0);
}

static bool faults_served(struct gpu *gpu)
{
	return faults_fetched(gpu) && READ_ONCE(gpu->regs[R_INTR_SET]);
}

static bool nr_fetched(struct gpu *gpu)
{
	return !READ_ONCE(gpu->nr_n);
}

static int put_group(struct gpu *gpu, struct fakerm_inject *in, const struct fakerm_fault *f,
		     u32 n)
{
	u32 put = gpu->regs[R_PUT], i;
	struct user_chan c;

	for (i = 0; i < n; i++, put = (put + 1) % FAULTS) {
		if (!chan_find(gpu, f[i].client, f[i].channel, &c))
			return -ENODEV;
		packet_fault(gpu->faults[put], &c, &f[i], true);
		space_put(c.space);
	}
	atomic64_add(n, &gpu->puts);
	in->put += n;
	in->groups++;
	smp_wmb();
	WRITE_ONCE(gpu->regs[R_PUT], put);
	if (xchg(&gpu->regs[R_INTR_SET], 0))
		irq_work_queue(&gpu->irq);
	return 0;
}

static int inject_replayable(struct gpu *gpu, struct fakerm_inject *in,
			     const struct fakerm_fault *f, u64 deadline)
{
	u32 group = in->group ? min(in->group, FAULTS - 1) : BATCH, n;
	int err = 0;

	for (; !err && in->put < in->n; f += n) {
		n = min(group, in->n - in->put);
		err = await(gpu, deadline, faults_fetched, faults_due);
		if (!err)
			err = put_group(gpu, in, f, n);
		if (!err && !(in->flags & FAKERM_RUN))
			err = await(gpu, deadline, faults_served, faults_due);
	}
	return err ?: await(gpu, deadline, faults_served, faults_due);
}

static bool always(struct gpu *gpu)
{
	return true;
}

/*
 * One at a time: the driver takes what is queued and says that it is done by
 * clearing the faulted channel, or by stopping it.
 */
static int inject_nonreplayable(struct gpu *gpu, struct fakerm_inject *in,
				const struct fakerm_fault *f, u64 deadline)
{
	struct user_chan c;
	unsigned long flags;
	u64 before;
	int err = 0;

	for (; !err && in->put < in->n; f++) {
		if (!chan_find(gpu, f->client, f->channel, &c))
			return -ENODEV;
		before = atomic64_read(&gpu->cleared) + atomic64_read(&gpu->stopped);
		spin_lock_irqsave(&gpu->nr_lock, flags);
		packet_fault(gpu->nr_queue[gpu->nr_n++], &c, f, false);
		spin_unlock_irqrestore(&gpu->nr_lock, flags);
		space_put(c.space);
		atomic64_inc(&gpu->puts);
		in->put++;
		in->groups++;
		irq_work_queue(&gpu->irq);
		err = await(gpu, deadline, nr_fetched, always);
		while (!err &&
		       before == atomic64_read(&gpu->cleared) + atomic64_read(&gpu->stopped)) {
			usleep_range(20, 60);
			if (ktime_get_ns() > deadline)
				err = -ETIMEDOUT;
		}
	}
	return err;
}

static u64 deadline_of(u32 timeout_ms)
{
	return ktime_get_ns() + (timeout_ms ?: 30000) * NSEC_PER_MSEC;
}

int inject(struct fakerm_inject *in, const struct fakerm_fault *faults)
{
	struct gpu *gpu = &gpus[in->gpu];
	u64 replays, cancels, stopped;
	int err;

	if (!READ_ONCE(ops))
		return -ENODEV;
	if (mutex_lock_interruptible(&gpu->inject_lock))
		return -EINTR;
	in->put = in->groups = 0;
	replays = atomic64_read(&gpu->replays);
	cancels = atomic64_read(&gpu->cancels);
	stopped = atomic64_read(&gpu->stopped);
	in->begin_ns = ktime_get_ns();
	if (in->flags & FAKERM_NONREPLAYABLE)
		err = inject_nonreplayable(gpu, in, faults, deadline_of(in->timeout_ms));
	else
		err = inject_replayable(gpu, in, faults, deadline_of(in->timeout_ms));
	in->end_ns = ktime_get_ns();
	in->replays = atomic64_read(&gpu->replays) - replays;
	in->cancels = atomic64_read(&gpu->cancels) - cancels;
	in->stopped = atomic64_read(&gpu->stopped) - stopped;
	mutex_unlock(&gpu->inject_lock);
	return err;
}

/* Access counters */

static bool notes_fetched(struct gpu *gpu)
{
	return READ_ONCE(gpu->regs[R_AC_GET]) == READ_ONCE(gpu->regs[R_AC_PUT]);
}

static bool notes_due(struct gpu *gpu)
{
	return !notes_fetched(gpu) && xchg(&gpu->regs[R_AC_SET], 0);
}

static bool notes_served(struct gpu *gpu)
{
	return notes_fetched(gpu) && READ_ONCE(gpu->regs[R_AC_SET]);
}

/* A GPU counts accesses to memory that is not its own: by physical address of 2 MiB. */
static void packet_note(u32 *e, const struct leaf *leaf, u32 regions, u32 value, u32 tag)
{
	u64 pa = leaf->pa & ~(SZ2M - 1);

	if (!regions)
		regions = 1u << ((leaf->pa & (SZ2M - 1)) >> 16);
	memset(e, 0, PACKET_WORDS * sizeof(*e));
	e[0] = 1 | (1 << 1) | ((tag & 15) << 2) | (leaf->aperture << 8);
	e[2] = (u32)pa;
	e[3] = pa >> 32;
	e[4] = regions;
	e[5] = tag & 0xfffff;
	e[6] = value & 0xffff;
	smp_wmb();
	e[7] = (leaf->peer & 7) | (64 << 20) | (1u << 31);
}

/* Write one notification, if the page is mapped and is not in the GPU's own memory. */
static void put_note(struct gpu *gpu, struct fakerm_notify *in, struct space *space, u64 va)
{
	u32 put = gpu->regs[R_AC_PUT];
	struct leaf leaf;
	bool ok;

	down_read(&gpu->tlb);
	ok = gpu_walk(space, va, &leaf) && leaf.aperture != FAKERM_VID;
	up_read(&gpu->tlb);
	if (!ok)
		return;
	packet_note(gpu->notes[put], &leaf, in->regions, in->value, in->put);
	in->put++;
	atomic64_inc(&gpu->notes_put);
	smp_wmb();
	WRITE_ONCE(gpu->regs[R_AC_PUT], (put + 1) % FAULTS);
}

int notify(struct fakerm_notify *in)
{
	u64 deadline = deadline_of(in->timeout_ms);
	struct user_chan c;
	struct gpu *gpu;
	int err = 0;
	u32 i;

	if (in->gpu >= gpu_count || in->n >= FAULTS)
		return -EINVAL;
	gpu = &gpus[in->gpu];
	if (!READ_ONCE(ops) || !chan_find(gpu, in->client, in->channel, &c))
		return -ENODEV;
	in->put = 0;
	mutex_lock(&gpu->inject_lock);
	in->begin_ns = ktime_get_ns();
	for (i = 0; i < in->n; i++)
		put_note(gpu, in, c.space, in->va + i * in->stride);
	if (in->put)
		err = await(gpu, deadline, notes_served, notes_due);
	in->end_ns = ktime_get_ns();
	mutex_unlock(&gpu->inject_lock);
	space_put(c.space);
	return err;
}
