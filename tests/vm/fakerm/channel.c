// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Address spaces and channels: the driver's own, each with an engine thread, and
 * those that processes register, which are names for the sources of faults.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "fakerm.h"

static void space_info(struct gpu *gpu, UvmGpuAddressSpaceInfo *i)
{
	memset(i, 0, sizeof(*i));
	i->bigPageSize = 64 << 10;
	i->time0Offset = &gpu->regs[R_TIME0];
	i->time1Offset = &gpu->regs[R_TIME1];
	i->maxSubctxCount = 64;
}

static NV_STATUS space_new(uvmGpuDeviceHandle d, uvmGpuAddressSpaceHandle *h,
			   UvmGpuAddressSpaceInfo *i)
{
	struct space *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NV_ERR_NO_MEMORY;
	s->gpu = (void *)d;
	refcount_set(&s->users, 1);
	space_info(s->gpu, i);
	*h = (void *)s;
	return NV_OK;
}

void space_put(struct space *s)
{
	if (refcount_dec_and_test(&s->users))
		kfree(s);
}

NV_STATUS nvUvmInterfaceAddressSpaceCreate(uvmGpuDeviceHandle d, unsigned long long base,
					   unsigned long long size,
#if NVMAJOR >= 550
					   NvBool ats,
#endif
					   uvmGpuAddressSpaceHandle *h,
						UvmGpuAddressSpaceInfo *i)
{
	CALLED();
	areas_from(base + SZ2M);
	return space_new(d, h, i);
}
NVX(nvUvmInterfaceAddressSpaceCreate);

NV_STATUS nvUvmInterfaceDupAddressSpace(uvmGpuDeviceHandle d, NvHandle client,
					NvHandle va_space,
					uvmGpuAddressSpaceHandle *h, UvmGpuAddressSpaceInfo *i)
{
	CALLED();
	return space_new(d, h, i);
}
NVX(nvUvmInterfaceDupAddressSpace);

void nvUvmInterfaceAddressSpaceDestroy(uvmGpuAddressSpaceHandle h)
{
	space_put((void *)h);
}
NVX(nvUvmInterfaceAddressSpaceDestroy);

NV_STATUS nvUvmInterfaceSetPageDirectory(uvmGpuAddressSpaceHandle h, NvU64 pa,
					 unsigned int entries,
					 NvBool vid, NvU32 pasid)
{
	struct space *s = (void *)h;

	s->pdb = pa;
	s->pdb_vid = vid;
	s->pdb_set = true;
	return NV_OK;
}
NVX(nvUvmInterfaceSetPageDirectory);

NV_STATUS nvUvmInterfaceUnsetPageDirectory(uvmGpuAddressSpaceHandle h)
{
	struct space *s = (void *)h;

	down_write(&s->gpu->tlb); /* nobody walks it from here on */
	s->pdb_set = false;
	up_write(&s->gpu->tlb);
	return NV_OK;
}
NVX(nvUvmInterfaceUnsetPageDirectory);

/* A group of channels is no more than its address space. */
NV_STATUS nvUvmInterfaceTsgAllocate(uvmGpuAddressSpaceHandle h, const UvmGpuTsgAllocParams *p,
				    uvmGpuTsgHandle *t)
{
	*t = (void *)h;
	return NV_OK;
}
NVX(nvUvmInterfaceTsgAllocate);

void nvUvmInterfaceTsgDestroy(uvmGpuTsgHandle t)
{
}
NVX(nvUvmInterfaceTsgDestroy);

static void chan_info(struct chan *c, UvmGpuChannelInfo *i)
{
	memset(i, 0, sizeof(*i));
	i->gpGet = &c->get;
	i->gpPut = &c->put;
	i->gpFifoEntries = (void *)c->gp;
	i->numGpFifoEntries = c->n;
	i->channelClassNum = 0xc36f;
	i->errorNotifier = &c->notifier;
	i->hwChannelId = c->id;
	i->dummyBar1Mapping = &c->space->gpu->regs[R_BAR1];
	i->workSubmissionOffset = &c->space->gpu->regs[R_DOORBELL];
	i->pWorkSubmissionToken = &c->id;
}

NV_STATUS nvUvmInterfaceChannelAllocate(const uvmGpuTsgHandle t,
					const UvmGpuChannelAllocParams *p,
					uvmGpuChannelHandle *h, UvmGpuChannelInfo *i)
{
	static atomic_t ids = ATOMIC_INIT(-1);
	struct chan *c = kzalloc(sizeof(*c), GFP_KERNEL);

	CALLED();
	if (!c)
		return NV_ERR_NO_MEMORY;
	c->space = (void *)t;
	c->n = p->numGpFifoEntries;
	c->gp = vzalloc(8ul * c->n);
	c->id = atomic_inc_return(&ids);
	if (c->gp)
		c->task = kthread_run(engine, c, "fakegpu%u-ch%u", c->space->gpu->id, c->id);
	if (!c->gp || IS_ERR(c->task)) {
		vfree(c->gp);
		kfree(c);
		return NV_ERR_NO_MEMORY;
	}
	chan_info(c, i);
	*h = (void *)c;
	return NV_OK;
}
NVX(nvUvmInterfaceChannelAllocate);

void nvUvmInterfaceChannelDestroy(uvmGpuChannelHandle h)
{
	struct chan *c = (void *)h;

	kthread_stop(c->task);
	vfree(c->gp);
	kfree(c);
}
NVX(nvUvmInterfaceChannelDestroy);

/* Channels of processes */

static LIST_HEAD(user_chans);
static DEFINE_SPINLOCK(user_lock);

u64 instance_of(const struct user_chan *c)
{
	return 0x10000000ull + ((u64)c->number << 12);
}

/* The copy holds its address space: give that back by space_put(). */
bool chan_find(struct gpu *gpu, u32 client, u32 channel, struct user_chan *copy)
{
	struct user_chan *c;
	bool found = false;

	spin_lock(&user_lock);
	list_for_each_entry(c, &user_chans, link)
		if (c->space->gpu == gpu && c->client == client && c->channel == channel) {
			*copy = *c;
			refcount_inc(&c->space->users);
			found = true;
			break;
		}
	spin_unlock(&user_lock);
	return found;
}

static void instance_info(struct gpu *gpu, const struct user_chan *c,
			  UvmGpuChannelInstanceInfo *i)
{
	memset(i, 0, sizeof(*i));
	i->base = instance_of(c);
	i->runlistId = 1;
	i->chId = c->number;
	i->channelEngineType =
		c->engine_ce ? UVM_GPU_CHANNEL_ENGINE_TYPE_CE : UVM_GPU_CHANNEL_ENGINE_TYPE_GR;
	i->clearFaultedToken = c->number;
	i->pChramChannelRegister = &gpu->regs[R_CHRAM];
	i->pRunlistPRIBaseRegister = &gpu->regs[R_RUNLIST];
}

NV_STATUS nvUvmInterfaceRetainChannel(uvmGpuAddressSpaceHandle h, NvHandle client,
				      NvHandle channel,
				      void **retained, UvmGpuChannelInstanceInfo *i)
{
	static atomic_t numbers = ATOMIC_INIT(0);
	struct user_chan *c = kzalloc(sizeof(*c), GFP_KERNEL);

	CALLED();
	if (!c)
		return NV_ERR_NO_MEMORY;
	c->space = (void *)h;
	c->client = client;
	c->channel = channel;
	c->number = atomic_inc_return(&numbers) & 0xfff;
	refcount_inc(&c->space->users);
	spin_lock(&user_lock);
	list_add(&c->link, &user_chans);
	spin_unlock(&user_lock);
	instance_info(c->space->gpu, c, i);
	*retained = c;
	return NV_OK;
}
NVX(nvUvmInterfaceRetainChannel);

NV_STATUS nvUvmInterfaceBindChannelResources(void *c, UvmGpuChannelResourceBindParams *p)
{
	return NV_OK;
}
NVX(nvUvmInterfaceBindChannelResources);

void nvUvmInterfaceReleaseChannel(void *retained)
{
	struct user_chan *c = retained;

	spin_lock(&user_lock);
	list_del(&c->link);
	spin_unlock(&user_lock);
	space_put(c->space);
	kfree(c);
}
NVX(nvUvmInterfaceReleaseChannel);

void nvUvmInterfaceStopChannel(void *retained, NvBool now)
{
	struct user_chan *c = retained;

	atomic64_inc(&c->space->gpu->stopped);
	if (trace)
		pr_info("fakerm: channel %u of client %u stopped\n", c->channel, c->client);
}
NVX(nvUvmInterfaceStopChannel);
