// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What fills the fault buffers. An injector writes entries as the hardware does,
 * moves PUT, raises the interrupt and sees the driver answer: GET follows PUT, a
 * replay arrives at the engine, and the interrupt is enabled again.
 *
 * Locks: inject_lock is held while a group is under way; put_lock, inside it, for
 * what an engine's replay changes too: PUT and the accesses that still wait.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>
#include "fakerm.h"

#define BATCH		256u	/* uvm_perf_fault_batch_count's default */
#define PTR_MASK	0xfffffu

void gpu_irq(struct irq_work *work)
{
	struct gpu *gpu = container_of(work, struct gpu, irq);
	struct UvmOpsUvmEvents *o = READ_ONCE(ops);

	if (o && o->isrTopHalf)
		o->isrTopHalf(&gpu->uuid);
}

static void packet_fault(u32 *e, const struct user_chan *c, const struct fakerm_fault *f,
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

static int out_of_time(u64 deadline)
{
	if (fatal_signal_pending(current))
		return -EINTR;
	return ktime_get_ns() > deadline ? -ETIMEDOUT : 0;
}

/* Wait until done() or the time is over, and raise the interrupt while it is due. */
int await(struct gpu *gpu, u64 deadline, bool (*done)(struct gpu *gpu),
	  bool (*due)(struct gpu *gpu))
{
	int err = 0;

	while (!err && !done(gpu)) {
		err = out_of_time(deadline);
		if (due(gpu))
			irq_work_queue(&gpu->irq);
		usleep_range(20, 60);
	}
	return err;
}

u64 deadline_of(u32 timeout_ms)
{
	return ktime_get_ns() + (timeout_ms ?: 30000) * NSEC_PER_MSEC;
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
	return faults_fetched(gpu) && READ_ONCE(gpu->regs[R_INTR_SET]) &&
	       !READ_ONCE(gpu->waiting);
}

static bool nr_fetched(struct gpu *gpu)
{
	return !READ_ONCE(gpu->nr_n);
}

static bool always(struct gpu *gpu)
{
	return true;
}

static void put_one(struct gpu *gpu, const struct user_chan *c, const struct fakerm_fault *f)
{
	packet_fault(gpu->faults[gpu->tail], c, f, true);
	gpu->tail = (gpu->tail + 1) % FAULTS;
	atomic64_inc(&gpu->puts);
}

static void publish(struct gpu *gpu)
{
	smp_wmb();
	WRITE_ONCE(gpu->regs[R_PUT], gpu->tail);
}

static bool room(struct gpu *gpu)
{
	return (gpu->tail + 1) % FAULTS != (READ_ONCE(gpu->regs[R_GET]) & PTR_MASK);
}

/* Write a group; with FAKERM_REFAULT its accesses wait for a page that allows them. */
static int put_group(struct gpu *gpu, struct fakerm_inject *in, const struct fakerm_fault *f,
		     u32 n)
{
	struct user_chan c;
	int err = 0;
	u32 i;

	mutex_lock(&gpu->put_lock);
	for (i = 0; i < n; i++) {
		if (!chan_find(gpu, f[i].client, f[i].channel, &c)) {
			err = -ENODEV;
			break;
		}
		put_one(gpu, &c, &f[i]);
		in->put++;
		if (in->flags & FAKERM_REFAULT)
			gpu->wait[gpu->waiting++] = (struct waiting){ .fault = f[i],
				.chan = c };
		else
			space_put(c.space);
	}
	in->groups++;
	mutex_unlock(&gpu->put_lock);
	return err;
}

static void raise(struct gpu *gpu)
{
	mutex_lock(&gpu->put_lock);
	publish(gpu);
	mutex_unlock(&gpu->put_lock);
	if (xchg(&gpu->regs[R_INTR_SET], 0))
		irq_work_queue(&gpu->irq);
}

/* A prefetch is a hint: it is not tried twice. */
static bool satisfied(struct gpu *gpu, const struct waiting *w)
{
	u64 left;
	bool ok;

	if (w->fault.access == FAKERM_PREFETCH)
		return true;
	down_read(&gpu->tlb);
	ok = gpu_virt(w->chan.space, w->fault.va, w->fault.access, &left);
	up_read(&gpu->tlb);
	return ok;
}

/*
 * A replay arrived: what waits tries again, and faults again where it must. A
 * cancel ends the accesses to its page instead.
 */
void refault(struct gpu *gpu, bool cancel, u64 va)
{
	struct waiting *w;
	u32 i, kept = 0;
	bool over;

	mutex_lock(&gpu->put_lock);
	for (i = 0; i < gpu->waiting; i++) {
		w = &gpu->wait[i];
		over = cancel ? (w->fault.va >> 12) == (va >> 12) : satisfied(gpu, w);
		if (over) {
			space_put(w->chan.space);
			continue;
		}
		if (!cancel && room(gpu))
			put_one(gpu, &w->chan, &w->fault);
		gpu->wait[kept++] = *w;
	}
	WRITE_ONCE(gpu->waiting, kept);
	if (kept)
		publish(gpu);
	mutex_unlock(&gpu->put_lock);
}

/* Nothing waits any more, whatever became of it. */
static void forget(struct gpu *gpu)
{
	mutex_lock(&gpu->put_lock);
	while (gpu->waiting)
		space_put(gpu->wait[--gpu->waiting].chan.space);
	mutex_unlock(&gpu->put_lock);
}

static int inject_group(struct gpu *gpu, struct fakerm_inject *in, const struct fakerm_fault *f,
			u32 n, u64 deadline)
{
	int err = await(gpu, deadline, faults_fetched, faults_due);

	if (!err)
		err = put_group(gpu, in, f, n);
	raise(gpu);
	if (!err && (in->flags & (FAKERM_RUN | FAKERM_REFAULT)) != FAKERM_RUN)
		err = await(gpu, deadline, faults_served, faults_due);
	if (err)
		forget(gpu);
	return err;
}

static int inject_replayable(struct gpu *gpu, struct fakerm_inject *in,
			     const struct fakerm_fault *f, u64 deadline)
{
	u32 group = in->group ? min(in->group, FAULTS - 1) : BATCH, n;
	int err = 0;

	if (in->flags & FAKERM_REFAULT)
		group = min(group, BATCH);
	for (; !err && in->put < in->n; f += n) {
		n = min(group, in->n - in->put);
		mutex_lock(&gpu->inject_lock);
		err = inject_group(gpu, in, f, n, deadline);
		mutex_unlock(&gpu->inject_lock);
	}
	return err ?: await(gpu, deadline, faults_served, faults_due);
}

/* The last of the injectors publishes what all have written, as one group. */
static int inject_gathered(struct gpu *gpu, struct fakerm_inject *in,
			   const struct fakerm_fault *f, u64 deadline)
{
	u32 generation;
	int err = in->n * in->gather > BATCH ? -EINVAL : 0;

	mutex_lock(&gpu->inject_lock);
	generation = gpu->generation;
	if (!err)
		err = put_group(gpu, in, f, in->n);
	if (!err && ++gpu->gathered == in->gather) {
		raise(gpu);
		err = await(gpu, deadline, faults_served, faults_due);
		gpu->gathered = 0;
		WRITE_ONCE(gpu->generation, generation + 1);
	}
	mutex_unlock(&gpu->inject_lock);
	while (!err && READ_ONCE(gpu->generation) == generation) {
		usleep_range(20, 60);
		err = out_of_time(deadline);
	}
	if (err) { /* those who come next begin a gathering of their own */
		mutex_lock(&gpu->inject_lock);
		if (gpu->generation == generation)
			gpu->gathered = 0;
		mutex_unlock(&gpu->inject_lock);
	}
	return err;
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

	mutex_lock(&gpu->inject_lock);
	for (; !err && in->put < in->n; f++) {
		if (!chan_find(gpu, f->client, f->channel, &c)) {
			err = -ENODEV;
			break;
		}
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
			err = out_of_time(deadline);
		}
	}
	mutex_unlock(&gpu->inject_lock);
	return err;
}

int inject(struct fakerm_inject *in, const struct fakerm_fault *faults)
{
	struct gpu *gpu = &gpus[in->gpu];
	u64 deadline = deadline_of(in->timeout_ms), puts, replays, cancels, stopped;
	int err;

	if (!READ_ONCE(ops))
		return -ENODEV;
	in->put = in->groups = 0;
	puts = atomic64_read(&gpu->puts);
	replays = atomic64_read(&gpu->replays);
	cancels = atomic64_read(&gpu->cancels);
	stopped = atomic64_read(&gpu->stopped);
	in->begin_ns = ktime_get_ns();
	if (in->flags & FAKERM_NONREPLAYABLE)
		err = inject_nonreplayable(gpu, in, faults, deadline);
	else if (in->gather > 1)
		err = inject_gathered(gpu, in, faults, deadline);
	else
		err = inject_replayable(gpu, in, faults, deadline);
	in->end_ns = ktime_get_ns();
	in->refaults =
		in->flags & FAKERM_REFAULT ? atomic64_read(&gpu->puts) - puts - in->put : 0;
	in->replays = atomic64_read(&gpu->replays) - replays;
	in->cancels = atomic64_read(&gpu->cancels) - cancels;
	in->stopped = atomic64_read(&gpu->stopped) - stopped;
	if (!err && (in->cancels || in->stopped))
		xid_fault(gpu, faults, !(in->flags & FAKERM_NONREPLAYABLE));
	return err;
}
