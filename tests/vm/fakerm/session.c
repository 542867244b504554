// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the driver asks about the machine and its GPUs. */
#include <linux/module.h>
#include "fakerm.h"

struct UvmOpsUvmEvents *ops;

NV_STATUS nvUvmInterfaceRegisterUvmCallbacks(struct UvmOpsUvmEvents *o)
{
	WRITE_ONCE(ops, o);
	return NV_OK;
}
NVX(nvUvmInterfaceRegisterUvmCallbacks);

void nvUvmInterfaceDeRegisterUvmOps(void)
{
	unsigned int i;

	WRITE_ONCE(ops, NULL);
	for (i = 0; i < gpu_count; i++)
		irq_work_sync(&gpus[i].irq);
}
NVX(nvUvmInterfaceDeRegisterUvmOps);

NV_STATUS nvUvmInterfaceRegisterGpu(const NvProcessorUuid *uuid, UvmGpuPlatformInfo *p)
{
	struct gpu *gpu = gpu_find(uuid);

	CALLED();
	if (!gpu)
		return NV_ERR_GPU_UUID_NOT_FOUND;
	p->pci_dev = gpu->pci;
	p->dma_addressable_start = 0;
	p->dma_addressable_limit = (1ull << 47) - 1;
	return NV_OK;
}
NVX(nvUvmInterfaceRegisterGpu);

void nvUvmInterfaceUnregisterGpu(const NvProcessorUuid *uuid)
{
	CALLED();
}
NVX(nvUvmInterfaceUnregisterGpu);

NV_STATUS nvUvmInterfaceSessionCreate(uvmGpuSessionHandle *s, UvmPlatformInfo *p)
{
	CALLED();
	*s = (void *)gpus;
	memset(p, 0, sizeof(*p));
	return NV_OK;
}
NVX(nvUvmInterfaceSessionCreate);

NV_STATUS nvUvmInterfaceSessionDestroy(uvmGpuSessionHandle s)
{
	return NV_OK;
}
NVX(nvUvmInterfaceSessionDestroy);

NV_STATUS nvUvmInterfaceDeviceCreate(uvmGpuSessionHandle s, const UvmGpuInfo *i,
				     const NvProcessorUuid *uuid, uvmGpuDeviceHandle *d,
					NvBool smc)
{
	struct gpu *gpu = gpu_find(uuid);

	CALLED();
	*d = (void *)gpu;
	return gpu ? NV_OK : NV_ERR_GPU_UUID_NOT_FOUND;
}
NVX(nvUvmInterfaceDeviceCreate);

void nvUvmInterfaceDeviceDestroy(uvmGpuDeviceHandle d)
{
}
NVX(nvUvmInterfaceDeviceDestroy);

NV_STATUS nvUvmInterfaceGetGpuInfo(const NvProcessorUuid *uuid, const UvmGpuClientInfo *c,
				   UvmGpuInfo *i)
{
	struct gpu *gpu = gpu_find(uuid);

	CALLED();
	if (!gpu)
		return NV_ERR_GPU_UUID_NOT_FOUND;
	memset(i, 0, sizeof(*i));
	snprintf(i->name, sizeof(i->name), "Software GPU %u", gpu->id);
	i->uuid = gpu->uuid;
	i->gpuArch = 0x140;
	i->hostClass = 0xc36f;
	i->ceClass = 0xc3b5;
	i->computeClass = 0xc3c0;
	i->subdeviceCount = 1;
	i->gpcCount = i->maxGpcCount = 6;
	i->tpcCount = 42;
	i->maxTpcPerGpcCount = 7;
	i->sysmemLink = UVM_LINK_TYPE_PCIE;
	i->sysmemLinkRateMBps = 16000;
	return NV_OK;
}
NVX(nvUvmInterfaceGetGpuInfo);

NV_STATUS nvUvmInterfaceQueryCaps(uvmGpuDeviceHandle d, UvmGpuCaps *c)
{
	memset(c, 0, sizeof(*c));
	return NV_OK;
}
NVX(nvUvmInterfaceQueryCaps);

NV_STATUS nvUvmInterfaceQueryCopyEnginesCaps(uvmGpuDeviceHandle d, UvmGpuCopyEnginesCaps *c)
{
	int i;

	memset(c, 0, sizeof(*c));
	for (i = 0; i < 4; i++) {
		c->copyEngineCaps[i].supported = 1;
		c->copyEngineCaps[i].sysmemRead = 1;
		c->copyEngineCaps[i].sysmemWrite = 1;
		c->copyEngineCaps[i].sysmem = 1;
		c->copyEngineCaps[i].p2p = 1;
		c->copyEngineCaps[i].nvlinkP2p = 1;
		c->copyEngineCaps[i].cePceMask = 1 << i;
	}
	return NV_OK;
}
NVX(nvUvmInterfaceQueryCopyEnginesCaps);

NV_STATUS nvUvmInterfaceGetFbInfo(uvmGpuDeviceHandle d, UvmGpuFbInfo *i)
{
	struct gpu *gpu = (void *)d;

	memset(i, 0, sizeof(*i));
	i->maxAllocatableAddress = gpu->vid_size - 1;
	i->heapSize = gpu->vid_size >> 10;
	return NV_OK;
}
NVX(nvUvmInterfaceGetFbInfo);

NV_STATUS nvUvmInterfaceGetEccInfo(uvmGpuDeviceHandle d, UvmGpuEccInfo *i)
{
	memset(i, 0, sizeof(*i));
	return NV_OK;
}
NVX(nvUvmInterfaceGetEccInfo);

NV_STATUS nvUvmInterfaceServiceDeviceInterruptsRM(uvmGpuDeviceHandle d)
{
	CALLED();
	return NV_OK;
}
NVX(nvUvmInterfaceServiceDeviceInterruptsRM);

/* Peers: GPU i knows GPU j as peer j. */

static bool nvlink = true;
module_param(nvlink, bool, 0444);
MODULE_PARM_DESC(nvlink, "GPUs are peers by NVLink from the start; N: by PCIe, when a process asks");

NV_STATUS nvUvmInterfaceGetP2PCaps(uvmGpuDeviceHandle a, uvmGpuDeviceHandle b,
				   UvmGpuP2PCapsParams *p)
{
	struct gpu *first = (void *)a, *second = (void *)b;

	CALLED();
	memset(p, 0, sizeof(*p));
	p->peerIds[0] = second->id;
	p->peerIds[1] = first->id;
	p->p2pLink = nvlink ? UVM_LINK_TYPE_NVLINK_2 : UVM_LINK_TYPE_PCIE;
	p->optimalNvlinkWriteCEs[0] = p->optimalNvlinkWriteCEs[1] = 3;
	p->totalLinkLineRateMBps = nvlink ? 50000 : 16000;
	return NV_OK;
}
NVX(nvUvmInterfaceGetP2PCaps);

NV_STATUS nvUvmInterfaceP2pObjectCreate(uvmGpuDeviceHandle a, uvmGpuDeviceHandle b,
					NvHandle *p2p)
{
	struct gpu *first = (void *)a, *second = (void *)b;

	CALLED();
	*p2p = 0x100 + first->id * FAKERM_GPUS + second->id;
	return NV_OK;
}
NVX(nvUvmInterfaceP2pObjectCreate);

void nvUvmInterfaceP2pObjectDestroy(uvmGpuSessionHandle s, NvHandle p2p)
{
	CALLED();
}
NVX(nvUvmInterfaceP2pObjectDestroy);

/* Asked for only with virtual GPUs, imported memory or confidential computing. */
#define NONE(name)							\
	NV_STATUS name(void)						\
	{								\
		pr_warn("fakerm: " #name " is not provided\n");		\
		return NV_ERR_NOT_SUPPORTED;				\
	}								\
	EXPORT_SYMBOL(name)
#include "none.h"
