// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Buffers of faults and of access counter notifications: what the driver asks of them. */
#include <linux/module.h>
#include "fakerm.h"

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
	gpu->regs[R_GET] = gpu->regs[R_PUT] = gpu->tail = 0;
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

/* A fatal one: the resource manager reports it and ends the channel. */
NV_STATUS nvUvmInterfaceReportNonReplayableFault(uvmGpuDeviceHandle d, const void *packet)
{
	struct gpu *gpu = (void *)d;

	CALLED();
	atomic64_inc(&gpu->stopped);
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
