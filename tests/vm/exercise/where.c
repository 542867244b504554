// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What needs the driver's own headers: its test ioctls, and the check of uvm_abi.h. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include "nvtypes.h"
#include "nvstatus.h"
#include "nvlimits.h"
#include "uvm_linux_ioctl.h"
#include "uvm_types.h"
#include "uvm_test_ioctl.h"
#include "truth.h"

#define SAME(number, ours, theirs, field)					\
	_Static_assert(number == theirs, "number of " #theirs);			\
	_Static_assert(offsetof(ours, field) == offsetof(theirs##_PARAMS, rmStatus),	\
		       "layout of " #theirs)

SAME(ABI_INITIALIZE, struct abi_initialize, UVM_INITIALIZE, status);
SAME(ABI_MM_INITIALIZE, struct abi_mm_initialize, UVM_MM_INITIALIZE, status);
SAME(ABI_REGISTER_GPU, struct abi_register_gpu, UVM_REGISTER_GPU, status);
SAME(ABI_REGISTER_GPU_VASPACE, struct abi_register_va_space, UVM_REGISTER_GPU_VASPACE, status);
SAME(ABI_REGISTER_CHANNEL, struct abi_register_channel, UVM_REGISTER_CHANNEL, status);
SAME(ABI_ENABLE_PEER, struct abi_enable_peer, UVM_ENABLE_PEER_ACCESS, status);
SAME(ABI_UNPREFER, struct abi_range, UVM_UNSET_PREFERRED_LOCATION, status);
SAME(ABI_READ_DUP_ON, struct abi_range, UVM_ENABLE_READ_DUPLICATION, status);
SAME(ABI_READ_DUP_OFF, struct abi_range, UVM_DISABLE_READ_DUPLICATION, status);
SAME(ABI_FREE, struct abi_range, UVM_FREE, status);
SAME(ABI_ACCESSED_BY, struct abi_accessed_by, UVM_SET_ACCESSED_BY, status);
SAME(ABI_NOT_ACCESSED_BY, struct abi_accessed_by, UVM_UNSET_ACCESSED_BY, status);
SAME(ABI_MIGRATE, struct abi_migrate, UVM_MIGRATE, status);
SAME(ABI_TOOLS_INIT, struct abi_tools_init, UVM_TOOLS_INIT_EVENT_TRACKER, status);
SAME(ABI_TOOLS_ENABLE, struct abi_tools_enable, UVM_TOOLS_EVENT_QUEUE_ENABLE_EVENTS, status);
SAME(ABI_TOOLS_UUIDS, struct abi_tools_uuids, UVM_TOOLS_GET_PROCESSOR_UUID_TABLE, status);
#if NVMAJOR < 545
SAME(ABI_PREFER, struct abi_prefer, UVM_SET_PREFERRED_LOCATION, node_or_status);
#else
SAME(ABI_PREFER, struct abi_prefer, UVM_SET_PREFERRED_LOCATION, status);
#define UvmEventEntry UvmEventEntry_V1
#define UvmToolsEventControlData UvmToolsEventControlData_V1
#endif

#define EVENT(ours, theirs)							\
	_Static_assert(offsetof(union abi_event, ours) ==			\
		       offsetof(UvmEventEntry, eventData.theirs), #theirs)

_Static_assert(sizeof(union abi_event) == sizeof(UvmEventEntry), "event");
_Static_assert(offsetof(struct abi_tools_control, dropped) ==
	       offsetof(UvmToolsEventControlData, dropped), "control");
EVENT(cpu.pc, cpuFault.pc);
EVENT(cpu.pid, cpuFault.pid);
EVENT(move.bytes, migration.migratedBytes);
EVENT(move.end, migration.endTimeStamp);
EVENT(move.dst, migration.dstIndex);
EVENT(gpu.addr, gpuFault.address);
EVENT(gpu.batch, gpuFault.batchId);
EVENT(gpu.gpu, gpuFault.gpuIndex);
EVENT(replay.batch, gpuFaultReplay.batchId);
EVENT(fatal.reason, fatalFault.reason);
EVENT(dup.bytes, readDuplicate.size);
EVENT(dup_over.bytes, readDuplicateInvalidate.size);
EVENT(thrash.bytes, thrashing.size);
EVENT(throttle.proc, throttlingStart.processorIndex);
EVENT(remote.cause, mapRemote.mapRemoteCause);
EVENT(remote.bytes, mapRemote.size);
EVENT(evict.bytes, eviction.size);
_Static_assert((int)EV_TYPES == (int)UvmEventNumTypes, "types");
_Static_assert((int)EV_ACCESS_COUNTER == (int)UvmEventTypeTestAccessCounter, "access counter");

static size_t list(char *text, size_t size, struct softgpu *s, const NvProcessorUuid *uuids,
		   unsigned int n)
{
	size_t used = 0;
	unsigned int i;

	text[0] = '-';
	text[1] = 0;
	for (i = 0; i < n && used < size - 8; i++)
		used += snprintf(text + used, size - used, "%s%s", i ? "," : "",
				 place_name(softgpu_place(s, uuids[i].uuid)));
	return used;
}

void where(struct softgpu *s, void *p)
{
	static UVM_TEST_VA_RESIDENCY_INFO_PARAMS r;
	char resident[80], mapped[80];

	memset(&r, 0, sizeof(r));
	r.lookup_address = (uintptr_t)p;
	if (ioctl(s->uvm, UVM_TEST_VA_RESIDENCY_INFO, &r) || r.rmStatus)
		die("cannot ask where %p is: status 0x%x (the driver needs uvm_enable_builtin_tests=1)", p, r.rmStatus);
	list(resident, sizeof(resident), s, r.resident_on, r.resident_on_count);
	list(mapped, sizeof(mapped), s, r.mapped_on, r.mapped_on_count);
	truth("where addr=%p resident=%s mapped=%s", p, resident, mapped);
}
