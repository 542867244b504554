// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The field tables of unified memory and of the driver's error reports; see schema.h. */
#include "schema_parts.h"
#include "xid_row.h"
#include "uvm.h"
#include "xid.h"

static const struct enum_name accesses[] = {
	{ UVM_PREFETCH, "prefetch" }, { UVM_READ, "read" }, { UVM_WRITE, "write" },
	{ UVM_ATOMIC_WEAK, "atomic_weak" }, { UVM_ATOMIC_STRONG, "atomic" }, {}
};
static const struct enum_name service_whats[] = {
	{ UVM_SERVICE_REPLAYABLE, "replayable" },
	{ UVM_SERVICE_NON_REPLAYABLE, "non_replayable" }, { UVM_SERVICE_CPU, "cpu" },
	{ UVM_SERVICE_ACCESS_COUNTERS, "access_counters" }, { UVM_SERVICE_ATS, "ats" }, {}
};
static const struct enum_name causes[] = {
	{ UVM_CAUSE_REPLAYABLE_FAULT, "replayable_fault" },
	{ UVM_CAUSE_NON_REPLAYABLE_FAULT, "non_replayable_fault" },
	{ UVM_CAUSE_ACCESS_COUNTER, "access_counter" }, { UVM_CAUSE_PREFETCH, "prefetch" },
	{ UVM_CAUSE_EVICTION, "eviction" }, { UVM_CAUSE_API_TOOLS, "api_tools" },
	{ UVM_CAUSE_API_MIGRATE, "api_migrate" },
	{ UVM_CAUSE_API_RANGE_GROUP, "api_range_group" }, { UVM_CAUSE_API_HINT, "api_hint" },
	{ UVM_CAUSE_UNKNOWN, "unknown" }, {}
};
static const struct enum_name mark_whats[] = {
	{ UVM_REVOCATION, "revocation" }, { UVM_THRASHING, "thrashing" },
	{ UVM_THROTTLE_START, "throttle_start" }, { UVM_THROTTLE_END, "throttle_end" },
	{ UVM_MAP_REMOTE, "map_remote" }, { UVM_READ_DUPLICATE, "read_duplicate" },
	{ UVM_READ_DUPLICATE_END, "read_duplicate_end" },
	{ UVM_ACCESS_COUNTER, "access_counter" }, { UVM_FATAL_FAULT, "fatal_fault" },
	{ UVM_PREFETCH_HINT, "prefetch_hint" }, {}
};
/* uvm_fault_type_t of nvidia-uvm/uvm_hal_types.h, 515..595 */
static const struct enum_name fault_types[] = {
	{ 0, "invalid_pde" }, { 1, "invalid_pte" }, { 2, "atomic" }, { 3, "write" },
	{ 4, "read" }, { 5, "pde_size" }, { 6, "va_limit_violation" },
	{ 7, "unbound_inst_block" }, { 8, "priv_violation" },
	{ 9, "pitch_mask_violation" }, { 10, "work_creation" },
	{ 11, "unsupported_aperture" }, { 12, "compression_failure" },
	{ 13, "unsupported_kind" }, { 14, "region_violation" }, { 15, "poisoned" },
	{ 16, "cc_violation" }, { 255, "cpu" }, {}
};
const struct enum_name xid_sources[] = {
	{ XID_TRACEPOINT, "tracepoint" }, { XID_REPORT_ERROR, "report_error" },
	{ XID_CONSOLE, "console" }, { XID_KMSG, "kmsg" }, { XID_FILE, "file" }, {}
};
const struct enum_name xid_simulations[] = {
	{ 0, "no" }, { XID_SIMULATED, "simulated" }, { XID_WRITTEN, "written" }, {}
};
const struct enum_name xid_owners[] = {
	{ 0, "unknown" }, { XID_OWNER_DRIVER, "driver" }, { XID_OWNER_TASK, "task" }, {}
};
const struct enum_name recent_whats[] = {
	{ RECENT_DRIVER, "driver" }, { RECENT_CUDA, "cuda" }, {}
};

#define RANGE(type)								\
	F(type, range, AS_HEX, "managed allocation, 0 unknown"),		\
	F(type, range_bytes, AS_SIZE, "its length")

const struct field uvm_gpu_fields[] = {
	F(uvm_gpu, gpu, AS_DEC, "UVM's processor id"),
	F(uvm_gpu, pci_domain, AS_HEX, "PCI domain"),
	F(uvm_gpu, pci_bus, AS_HEX, "PCI bus"),
	F(uvm_gpu, pci_device, AS_HEX, "PCI device"),
	F(uvm_gpu, pci_function, AS_HEX, "PCI function"),
	F(uvm_gpu, uuid, AS_BYTES, "GPU UUID"),
	F(uvm_gpu, name, AS_STR, "as the driver names it"),
	{}
};
const struct field uvm_fault_fields[] = {
	F(uvm_fault, addr, AS_HEX, "address"),
	F(uvm_fault, service, AS_DEC, "uvm_service in which it was handled, 0 none"),
	RANGE(uvm_fault),
	F(uvm_fault, gpu_ns, AS_NS, "time by the GPU's own clock, 0 CPU"),
	F(uvm_fault, pc, AS_HEX, "CPU: faulting code, 0 GPU"),
	F(uvm_fault, gpu, AS_DEC, "who faulted: processor id, 0 the CPU"),
	F(uvm_fault, batch, AS_DEC, "batch, 0 none"),
	F(uvm_fault, instances, AS_DEC, "faults of that page merged into this one"),
	F(uvm_fault, client, AS_DEC, "GPU: id of the unit"),
	FE(uvm_fault, access, accesses, "access"),
	FE(uvm_fault, type, fault_types, "why the page was not there"),
	F(uvm_fault, flags, AS_HEX, "1 duplicate, 2 non-replayable, 4 fatal"),
	{}
};
const struct field uvm_service_fields[] = {
	F(uvm_service, dur_ns, AS_NS, "time of the service"),
	F(uvm_service, id, AS_DEC, "of the service"),
	F(uvm_service, addr, AS_HEX, "VA block; CPU: fault"),
	F(uvm_service, bytes_in, AS_SIZE, "migrated to who faulted"),
	F(uvm_service, bytes_out, AS_SIZE, "migrated elsewhere meanwhile"),
	F(uvm_service, gpu, AS_DEC, "who is served: processor id"),
	F(uvm_service, batch, AS_DEC, "batch, 0 none"),
	F(uvm_service, faults, AS_DEC, "faults notified inside"),
	F(uvm_service, status, AS_SIGNED, "NV_STATUS"),
	FE(uvm_service, what, service_whats, "kind of service"),
	{}
};
const struct field uvm_batch_fields[] = {
	F(uvm_batch, dur_ns, AS_NS, "from the fetch to the replay"),
	F(uvm_batch, fetch_ns, AS_NS, "fetching and sorting"),
	F(uvm_batch, service_ns, AS_NS, "serving"),
	F(uvm_batch, bytes, AS_SIZE, "migrated inside"),
	F(uvm_batch, gpu, AS_DEC, "processor id"),
	F(uvm_batch, batch, AS_DEC, "batch"),
	F(uvm_batch, cached, AS_DEC, "faults fetched"),
	F(uvm_batch, coalesced, AS_DEC, "left after merging equal ones"),
	F(uvm_batch, duplicates, AS_DEC, "that needed no service"),
	F(uvm_batch, blocks, AS_DEC, "VA blocks served"),
	F(uvm_batch, replays, AS_DEC, "replays pushed"),
	F(uvm_batch, status, AS_SIGNED, "NV_STATUS"),
	{}
};
const struct field uvm_migration_fields[] = {
	F(uvm_migration, addr, AS_HEX, "address"),
	F(uvm_migration, bytes, AS_SIZE, "length"),
	F(uvm_migration, service, AS_DEC, "uvm_service, 0 none"),
	RANGE(uvm_migration),
	F(uvm_migration, src, AS_DEC, "from: processor id"),
	F(uvm_migration, dst, AS_DEC, "to: processor id"),
	F(uvm_migration, src_node, AS_SIGNED, "from: NUMA node, -1 unknown"),
	F(uvm_migration, dst_node, AS_SIGNED, "to: NUMA node, -1 unknown"),
	FE(uvm_migration, cause, causes, "cause"),
	F(uvm_migration, copy, AS_DEC, "1: the source keeps its pages"),
	{}
};
const struct field uvm_evict_fields[] = {
	F(uvm_evict, dur_ns, AS_NS, "time"),
	F(uvm_evict, addr, AS_HEX, "VA block"),
	F(uvm_evict, bytes, AS_SIZE, "copied out"),
	RANGE(uvm_evict),
	F(uvm_evict, service, AS_DEC, "that needed the room, 0 unknown"),
	F(uvm_evict, gpu, AS_DEC, "processor id"),
	F(uvm_evict, status, AS_SIGNED, "NV_STATUS"),
	{}
};
const struct field uvm_mark_fields[] = {
	F(uvm_mark, addr, AS_HEX, "address"),
	F(uvm_mark, bytes, AS_SIZE, "length, 0 unknown"),
	F(uvm_mark, service, AS_DEC, "uvm_service, 0 none"),
	RANGE(uvm_mark),
	F(uvm_mark, processors, AS_HEX, "mask of processor ids, 0 unknown"),
	F(uvm_mark, processor, AS_DEC, "processor id"),
	FE(uvm_mark, what, mark_whats, "what happened"),
	F(uvm_mark, value, AS_DEC, "cause, fatal reason, counter value"),
	{}
};
const struct field xid_fields[] = {
	F(xid, id, AS_DEC, "of the event"),
	F(xid, realtime_ns, AS_DEC, "CLOCK_REALTIME, 0 unknown"),
	F(xid, code, AS_DEC, "Xid or SXid"),
	F(xid, pci_domain, AS_HEX, "PCI domain"),
	F(xid, pci_bus, AS_HEX, "PCI bus"),
	F(xid, pci_device, AS_HEX, "PCI device"),
	F(xid, pci_function, AS_HEX, "PCI function"),
	FE(xid, source, xid_sources, "where it was seen"),
	F(xid, nvswitch, AS_DEC, "1: an SXid"),
	FE(xid, simulated, xid_simulations, "not by a driver of a real GPU"),
	F(xid, fatal, AS_DEC, "SXid: 1 fatal, 2 non-fatal"),
	FE(xid, owner, xid_owners, "how its process is known"),
	F(xid, cgroup, AS_DEC, "cgroup v2 id, 0 unknown"),
	F(xid, comm, AS_STR, "process, by the driver"),
	F(xid, gpu_instance, AS_DEC, "MIG, 65535 none"),
	F(xid, compute_instance, AS_DEC, "MIG, 65535 none"),
	F(xid, lines, AS_DEC, "lines of a log, 0: seen in the driver"),
	{}
};
const struct field xid_call_fields[] = {
	F(xid_call, dur_ns, AS_NS, "time in the call, 0 not returned"),
	F(xid_call, xid, AS_DEC, "xid it belongs to"),
	F(xid_call, device, AS_DEVNO, "driver: character device"),
	F(xid_call, cmd, AS_HEX, "driver: request; CUDA: correlation"),
	F(xid_call, rm, AS_HEX, "driver: control command or class; CUDA: callback id"),
	F(xid_call, result, AS_SIGNED, "result"),
	FE(xid_call, what, recent_whats, "driver or CUDA"),
	F(xid_call, op, AS_DEC, "driver: operation; CUDA: callback domain"),
	F(xid_call, age, AS_DEC, "0 the last one, 1 the one before"),
	{}
};
