// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The field tables of all records; see schema.h. Units: _ns nanoseconds, _bytes bytes, else
 * counts. */
#include <string.h>
#include "cuda.h"
#include "culaunch.h"
#include "host.h"
#include "schema_parts.h"
#include "span.h"
#include "uvm.h"
#include "xid.h"

#define G(member, as, help)							\
	{ #member, offsetof(struct gpu_head, member),				\
	  sizeof(((struct gpu_head *)0)->member), as, NULL, help }
#define GPU_FIELDS								\
	G(dur_ns, AS_NS, "time on the GPU"),					\
	G(correlation, AS_DEC, "of the API call that caused it"),		\
	G(device, AS_DEC, "CUDA ordinal within the process"),			\
	G(context, AS_DEC, "CUDA context id"),					\
	G(stream, AS_DEC, "CUDA stream id"),					\
	G(graph_node, AS_DEC, "node of a CUDA graph, 0 none"),			\
	G(graph, AS_DEC, "executable graph, 0 none")

const struct field event_fields[] = {
	F(event, ts, AS_TIME, "CLOCK_MONOTONIC; a span's start"),
	F(event, pid, AS_DEC, "process"),
	F(event, tid, AS_DEC, "thread"),
	F(event, producer, AS_DEC, "who wrote it, 0 the recorder"),
	F(event, cpu, AS_DEC, "CPU, 65535 unknown"),
	{}
};

static const struct enum_name task_whats[] = {
	{ TASK_FOUND, "found" }, { TASK_FORK, "fork" }, { TASK_EXEC, "exec" },
	{ TASK_EXIT, "exit" }, { TASK_COMM, "comm" }, {}
};
static const struct enum_name name_whats[] = {
	{ NAME_KERNEL, "kernel" }, { NAME_API, "api" }, { NAME_NVTX, "nvtx" },
	{ NAME_NVTX_DOMAIN, "nvtx_domain" }, { NAME_SPAN, "span" },
	{ NAME_COUNTER, "counter" }, { NAME_COLLECTIVE, "collective" }, {}
};
static const struct enum_name lost_wheres[] = {
	{ LOST_BPF_RING, "bpf_ring" }, { LOST_BPF_MAP, "bpf_map" },
	{ LOST_SLOT_RING, "slot_ring" }, { LOST_NO_SLOT, "no_slot" },
	{ LOST_CUPTI, "cupti" }, { LOST_UNFINISHED, "unfinished" },
	{ LOST_HOSTILE, "hostile" }, { LOST_WRITER, "writer" }, { LOST_CLOCK, "clock" },
	{ LOST_KMSG, "kmsg" }, { LOST_BPF_MISSED, "bpf_missed" }, {}
};
static const struct enum_name note_whats[] = {
	{ NOTE_MISSING, "missing" }, { NOTE_SIMULATED, "simulated" },
	{ NOTE_SETTING, "setting" }, {}
};
static const struct enum_name api_domains[] = {
	{ API_DRIVER, "driver" }, { API_RUNTIME, "runtime" }, {}
};
static const struct enum_name api_classes[] = {
	{ API_OTHER, "other" }, { API_LAUNCH, "launch" }, { API_COPY, "copy" },
	{ API_SET, "set" }, { API_SYNC, "sync" }, { API_ALLOC, "alloc" },
	{ API_FREE, "free" }, { API_EVENT, "event" }, { API_GRAPH_LAUNCH, "graph_launch" },
	{ API_GRAPH, "graph" }, { API_STREAM, "stream" }, { API_MODULE, "module" }, {}
};
static const struct enum_name copy_kinds[] = {
	{ COPY_UNKNOWN, "unknown" }, { COPY_HTOD, "HtoD" }, { COPY_DTOH, "DtoH" },
	{ COPY_HTOA, "HtoA" }, { COPY_ATOH, "AtoH" }, { COPY_ATOA, "AtoA" },
	{ COPY_ATOD, "AtoD" }, { COPY_DTOA, "DtoA" }, { COPY_DTOD, "DtoD" },
	{ COPY_HTOH, "HtoH" }, { COPY_PTOP, "PtoP" }, { COPY_UVM_HTOD, "UVM HtoD" },
	{ COPY_UVM_DTOH, "UVM DtoH" }, { COPY_UVM_DTOD, "UVM DtoD" }, {}
};
static const struct enum_name memory_kinds[] = {
	{ MEMORY_UNKNOWN, "unknown" }, { MEMORY_PAGEABLE, "pageable" },
	{ MEMORY_PINNED, "pinned" }, { MEMORY_DEVICE, "device" }, { MEMORY_ARRAY, "array" },
	{ MEMORY_MANAGED, "managed" }, { MEMORY_DEVICE_STATIC, "device_static" },
	{ MEMORY_MANAGED_STATIC, "managed_static" }, {}
};
static const struct enum_name sync_types[] = {
	{ SYNC_UNKNOWN, "unknown" }, { SYNC_EVENT, "event" },
	{ SYNC_STREAM_WAIT_EVENT, "stream_wait_event" }, { SYNC_STREAM, "stream" },
	{ SYNC_CONTEXT, "context" }, {}
};
static const struct enum_name overhead_whats[] = {	/* CUpti_ActivityOverheadKind */
	{ 0, "unknown" }, { 1, "driver_compiler" }, { 1 << 16, "buffer_flush" },
	{ 2 << 16, "instrumentation" }, { 3 << 16, "resource" },
	{ 4 << 16, "runtime_module_loading" }, { 5 << 16, "lazy_function_loading" },
	{ 6 << 16, "command_buffer_full" }, { 7 << 16, "activity_buffer_request" },
	{ 8 << 16, "uvm_activity_init" }, {}
};
static const struct enum_name nvtx_whats[] = {
	{ NVTX_PUSH_POP, "push_pop" }, { NVTX_START_END, "start_end" }, { NVTX_MARK, "mark" },
	{}
};
static const struct enum_name launch_apis[] = {
	{ LAUNCH_KERNEL, "cuLaunchKernel" }, { LAUNCH_KERNEL_EX, "cuLaunchKernelEx" },
	{ LAUNCH_COOPERATIVE, "cuLaunchCooperativeKernel" }, { LAUNCH_GRAPH, "cuGraphLaunch" },
	{}
};

static const struct field task_fields[] = {
	F(task, start_ns, AS_TIME, "when the task began, 0 unknown"),
	F(task, cgroup, AS_DEC, "cgroup v2 id"),
	F(task, ppid, AS_DEC, "parent process"),
	F(task, ns_pid, AS_DEC, "process id in its own namespace"),
	F(task, ns_tid, AS_DEC, "thread id in its own namespace"),
	F(task, exit_code, AS_SIGNED, "as wait(2) reports it"),
	FE(task, what, task_whats, "what happened to the task"),
	F(task, process, AS_DEC, "producer of its library instance, 0 none"),
	F(task, comm, AS_STR, "name"),
	{}
};
static const struct field device_fields[] = {
	F(device, mem_bytes, AS_SIZE, "device memory"),
	F(device, ordinal, AS_DEC, "CUDA ordinal within the process"),
	F(device, minor, AS_DEC, "N of /dev/nvidiaN"),
	F(device, pci_domain, AS_HEX, "PCI domain"),
	F(device, pci_bus, AS_HEX, "PCI bus"),
	F(device, pci_device, AS_HEX, "PCI device"),
	F(device, pci_function, AS_HEX, "PCI function"),
	F(device, simulated, AS_DEC, "1: the simulated GPU"),
	F(device, numa_node, AS_SIGNED, "of the PCI slot, -1 unknown"),
	F(device, sm_count, AS_DEC, "multiprocessors"),
	F(device, cc_major, AS_DEC, "compute capability"),
	F(device, cc_minor, AS_DEC, "compute capability"),
	F(device, uuid, AS_BYTES, "UUID"),
	F(device, name, AS_STR, "name"),
	{}
};
static const struct field name_fields[] = {
	F(name, id, AS_DEC, "id"), FE(name, what, name_whats, "what is named"), {}
};
static const struct field stack_fields[] = {
	F(stack, id, AS_HEX, "id"),
	F(stack, kernel_frames, AS_DEC, "kernel frames, first in the list"),
	F(stack, user_frames, AS_DEC, "user frames"),
	{}
};
static const struct field map_fields[] = {
	F(map, start, AS_HEX, "address where first seen"),
	F(map, end, AS_HEX, "end address"),
	F(map, offset, AS_HEX, "file offset of start"),
	F(map, inode, AS_DEC, "inode"),
	F(map, device, AS_DEVNO, "file system"),
	F(map, id, AS_DEC, "id in frames"),
	F(map, build_id_size, AS_DEC, "bytes of the build id"),
	F(map, build_id, AS_BYTES, "build id"),
	{}
};
static const struct field symbol_fields[] = {
	F(symbol, frame, AS_HEX, "frame"), F(symbol, offset, AS_DEC, "bytes behind the symbol"),
	{}
};
static const struct field clock_fields[] = {
	F(clock_pair, realtime_ns, AS_DEC, "CLOCK_REALTIME at ts"),
	F(clock_pair, width_ns, AS_NS, "uncertainty"),
	F(clock_pair, cupti_realtime, AS_DEC, "1: GPU times came as CLOCK_REALTIME"),
	{}
};
static const struct field lost_fields[] = {
	F(lost, count, AS_DEC, "records; 2^64-1: unknown number"),
	FE(lost, where, lost_wheres, "which layer lost them"),
	{}
};
static const struct field note_fields[] = { FE(note_record, what, note_whats, "kind of note"),
					    {} };
static const struct field api_fields[] = {
	F(api, dur_ns, AS_NS, "time in the call"),
	F(api, correlation, AS_DEC, "id that GPU operations refer to"),
	F(api, name, AS_NAME, "function"),
	F(api, result, AS_CURESULT, "result, 0 success"),
	F(api, cbid, AS_DEC, "CUPTI callback id"),
	FE(api, domain, api_domains, "driver or runtime API"),
	FE(api, class, api_classes, "what the call is for"),
	F(api, depth, AS_DEC, "1: inside a runtime call"),
	{}
};
static const struct field api_stack_fields[] = {
	F(api_stack, stack, AS_STACK, "CPU stack at the call"),
	F(api_stack, correlation, AS_DEC, "of the call"),
	F(api_stack, process, AS_DEC, "producer of the call"),
	F(api_stack, slot, AS_DEC, "ring of the thread"),
	F(api_stack, ns_tid, AS_DEC, "thread id in its namespace"),
	{}
};
static const struct field kernel_fields[] = {
	GPU_FIELDS,
	F(kernel, name, AS_NAME, "kernel, mangled"),
	F(kernel, registers, AS_DEC, "per thread"),
	F(kernel, grid, AS_DIMS, "blocks"),
	F(kernel, block, AS_DIMS, "threads of a block"),
	F(kernel, static_shared_bytes, AS_SIZE, "shared memory, static"),
	F(kernel, dynamic_shared_bytes, AS_SIZE, "shared memory, dynamic"),
	F(kernel, local_bytes, AS_SIZE, "local memory per thread"),
	F(kernel, collective, AS_DEC, "collective it carries out, 0 none"),
	{}
};
static const struct field copy_fields[] = {
	GPU_FIELDS,
	F(copy, bytes, AS_SIZE, "copied"),
	F(copy, src_device, AS_DEC, "from this device"),
	F(copy, dst_device, AS_DEC, "to this device"),
	FE(copy, copy_kind, copy_kinds, "direction"),
	FE(copy, src_kind, memory_kinds, "memory read"),
	FE(copy, dst_kind, memory_kinds, "memory written"),
	F(copy, async, AS_DEC, "1: asynchronous"),
	{}
};
static const struct field set_fields[] = {
	GPU_FIELDS,
	F(set, bytes, AS_SIZE, "set"),
	F(set, value, AS_HEX, "value"),
	FE(set, memory_kind, memory_kinds, "memory written"),
	F(set, async, AS_DEC, "1: asynchronous"),
	{}
};
static const struct field sync_fields[] = {
	GPU_FIELDS,
	FE(sync, type, sync_types, "what was waited for"),
	F(sync, event, AS_DEC, "CUDA event id"),
	{}
};
static const struct field overhead_fields[] = {
	F(overhead, dur_ns, AS_NS, "time taken"),
	FE(overhead, what, overhead_whats, "by what"),
	F(overhead, correlation, AS_DEC, "API call, 0 unknown"),
	{}
};
static const struct field graph_fields[] = { GPU_FIELDS, {} };
static const struct field graph_node_fields[] = {
	F(graph_node, node, AS_DEC, "node id"),
	F(graph_node, source, AS_DEC, "node it was cloned from, 0 none"),
	F(graph_node, graph, AS_DEC, "graph id"),
	F(graph_node, correlation, AS_DEC, "call that made it"),
	{}
};
static const struct field nvtx_fields[] = {
	F(nvtx, dur_ns, AS_NS, "length of the range"),
	F(nvtx, name, AS_NAME, "message"),
	F(nvtx, nvtx_domain, AS_NAME, "domain"),
	F(nvtx, color, AS_HEX, "ARGB"),
	FE(nvtx, what, nvtx_whats, "range or mark"),
	F(nvtx, depth, AS_DEC, "nesting"),
	{}
};
static const struct field alloc_fields[] = {
	F(alloc, addr, AS_HEX, "address"),
	F(alloc, bytes, AS_SIZE, "length, 0 for a free"),
	F(alloc, correlation, AS_DEC, "of the API call"),
	FE(alloc, kind, memory_kinds, "kind of memory"),
	F(alloc, freed, AS_DEC, "1: given back"),
	{}
};
static const struct field launch_fields[] = {
	F(launch, dur_ns, AS_NS, "time the caller spent in the driver"),
	F(launch, func, AS_HEX, "CUfunction, or CUgraphExec"),
	F(launch, stream, AS_HEX, "CUstream"),
	F(launch, name, AS_NAME, "kernel"),
	F(launch, grid, AS_DIMS, "blocks"),
	F(launch, block, AS_DIMS, "threads of a block"),
	F(launch, shared_bytes, AS_SIZE, "dynamic shared memory"),
	F(launch, result, AS_CURESULT, "result, 0 success"),
	FE(launch, api, launch_apis, "function"),
	{}
};

static const struct record_type types[] = {	/* in order of kind */
	{ EVENT_TASK, sizeof(struct task), 0, "task", task_fields },
	{ EVENT_DEVICE, sizeof(struct device), 0, "device", device_fields },
	{ EVENT_NAME, sizeof(struct name), AS_TEXT, "name", name_fields },
	{ EVENT_STACK, sizeof(struct stack), AS_FRAMES, "stack", stack_fields },
	{ EVENT_MAP, sizeof(struct map), AS_TEXT, "map", map_fields },
	{ EVENT_SYMBOL, sizeof(struct symbol), AS_TEXT, "symbol", symbol_fields },
	{ EVENT_CLOCK, sizeof(struct clock_pair), 0, "clock", clock_fields },
	{ EVENT_LOST, sizeof(struct lost), 0, "lost", lost_fields },
	{ EVENT_NOTE, sizeof(struct note_record), AS_TEXT, "note", note_fields },
	{ EVENT_GRAPH_NODE, sizeof(struct graph_node), 0, "graph_node", graph_node_fields },
	{ EVENT_UVM_GPU, sizeof(struct uvm_gpu), 0, "uvm_gpu", uvm_gpu_fields },
	{ EVENT_SOURCE, sizeof(struct source), AS_TEXT, "source", source_fields },
	{ EVENT_COLLECTIVE, sizeof(struct collective), 0, "collective", collective_fields },
	{ EVENT_API, sizeof(struct api), 0, "api", api_fields },
	{ EVENT_KERNEL, sizeof(struct kernel), 0, "kernel", kernel_fields },
	{ EVENT_COPY, sizeof(struct copy), 0, "copy", copy_fields },
	{ EVENT_SET, sizeof(struct set), 0, "set", set_fields },
	{ EVENT_SYNC, sizeof(struct sync), 0, "sync", sync_fields },
	{ EVENT_OVERHEAD, sizeof(struct overhead), 0, "overhead", overhead_fields },
	{ EVENT_GRAPH, sizeof(struct graph), 0, "graph", graph_fields },
	{ EVENT_NVTX, sizeof(struct nvtx), 0, "nvtx", nvtx_fields },
	{ EVENT_API_STACK, sizeof(struct api_stack), 0, "api_stack", api_stack_fields },
	{ EVENT_ALLOC, sizeof(struct alloc), 0, "alloc", alloc_fields },
	{ EVENT_SPAN, sizeof(struct span), 0, "span", span_fields },
	{ EVENT_COUNTER, sizeof(struct counter), 0, "counter", counter_fields },
	{ EVENT_FLOW, sizeof(struct flow), 0, "flow", flow_fields },
	{ EVENT_SAMPLE, sizeof(struct sample), 0, "sample", sample_fields },
	{ EVENT_SWITCH, sizeof(struct sched_switch_rec), 0, "switch", switch_fields },
	{ EVENT_WAKE, sizeof(struct wake), 0, "wake", wake_fields },
	{ EVENT_FAULT, sizeof(struct fault), 0, "fault", fault_fields },
	{ EVENT_DRIVER, sizeof(struct driver_call), 0, "driver", driver_fields },
	{ EVENT_BLOCK, sizeof(struct block_io), 0, "block", block_fields },
	{ EVENT_DRIVER_SUM, sizeof(struct driver_sum), 0, "driver_sum", driver_sum_fields },
	{ EVENT_LAUNCH, sizeof(struct launch), 0, "launch", launch_fields },
	{ EVENT_UVM_FAULT, sizeof(struct uvm_fault), 0, "uvm_fault", uvm_fault_fields },
	{ EVENT_UVM_SERVICE, sizeof(struct uvm_service), 0, "uvm_service", uvm_service_fields },
	{ EVENT_UVM_BATCH, sizeof(struct uvm_batch), 0, "uvm_batch", uvm_batch_fields },
	{ EVENT_UVM_MIGRATION, sizeof(struct uvm_migration), 0, "uvm_migration",
	  uvm_migration_fields },
	{ EVENT_UVM_EVICT, sizeof(struct uvm_evict), 0, "uvm_evict", uvm_evict_fields },
	{ EVENT_UVM_MARK, sizeof(struct uvm_mark), 0, "uvm_mark", uvm_mark_fields },
	{ EVENT_XID, sizeof(struct xid), AS_TEXT, "xid", xid_fields },
	{ EVENT_XID_CALL, sizeof(struct xid_call), 0, "xid_call", xid_call_fields },
};

const struct record_type *record_type(u16 kind)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (types[i].kind == kind)
			return &types[i];
	return NULL;
}

const struct record_type *record_type_next(u16 *kind)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (types[i].kind > *kind) {
			*kind = types[i].kind;
			return &types[i];
		}
	return NULL;
}

const struct field *record_field(const struct record_type *type, const char *name)
{
	const struct field *f;

	for (f = event_fields; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	for (f = type->fields; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

const char *enum_name(const struct enum_name *names, s64 value)
{
	for (; names && names->name; names++)
		if (names->value == value)
			return names->name;
	return NULL;
}

const struct enum_name *record_enum_names(u16 kind, const char *field)
{
	return record_field(record_type(kind), field)->names;
}

const char *record_enum_name(u16 kind, const char *field, s64 value)
{
	return enum_name(record_enum_names(kind, field), value);
}
