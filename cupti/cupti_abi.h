/*
 * What we use of CUPTI's binary interface, declared by ourselves: numbers,
 * layouts and function types, no text of NVIDIA's. The library looks the
 * functions up with dlsym(); the simulated CUPTI implements them.
 *
 * One binary reads the records of every CUPTI from 11.8 on. A newer record is
 * a prefix extension of an older one, so a struct here is the newest layout
 * known (13.0), each field behind the 11.8 ones says since when it exists, and
 * nobody may look at a field that the loaded CUPTI does not fill:
 * CUPTI_HAS(size, struct, field) with the size of *its* records. tests/abi.bats
 * compares every offset, size and constant with the real headers.
 */
#ifndef CUPTI_ABI_H
#define CUPTI_ABI_H

#include <stddef.h>
#include <stdint.h>

enum cupti_result {			/* CUptiResult; functions here return it as int */
	CUPTI_E_OK = 0, CUPTI_E_INVALID_PARAMETER = 1, CUPTI_E_INVALID_DEVICE = 2,
	CUPTI_E_INVALID_CONTEXT = 3, CUPTI_E_INVALID_OPERATION = 7, CUPTI_E_OUT_OF_MEMORY = 8,
	CUPTI_E_HARDWARE = 9, CUPTI_E_PARAMETER_SIZE_NOT_SUFFICIENT = 10,
	CUPTI_E_API_NOT_IMPLEMENTED = 11,
	CUPTI_E_MAX_LIMIT_REACHED = 12,	/* GetNextRecord: no more records */
	CUPTI_E_NOT_READY = 13, CUPTI_E_NOT_COMPATIBLE = 14,
	CUPTI_E_NOT_INITIALIZED = 15,	/* 11.x, 12.x: no usable driver */
	CUPTI_E_QUEUE_EMPTY = 18, CUPTI_E_INVALID_HANDLE = 19, CUPTI_E_INVALID_STREAM = 20,
	CUPTI_E_INVALID_KIND = 21, CUPTI_E_DISABLED = 23, CUPTI_E_INVALID_MODULE = 24,
	CUPTI_E_HARDWARE_BUSY = 26, CUPTI_E_NOT_SUPPORTED = 27,
	CUPTI_E_UM_PROFILING_NOT_SUPPORTED = 28,
	CUPTI_E_INSUFFICIENT_PRIVILEGES = 35,
	CUPTI_E_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED = 39,	/* another tool is here */
	CUPTI_E_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES = 40,
	CUPTI_E_UNKNOWN = 999,		/* 13.x: no usable driver */
};

enum cupti_domain {			/* CUpti_CallbackDomain */
	CUPTI_DOMAIN_DRIVER_API = 1, CUPTI_DOMAIN_RUNTIME_API = 2, CUPTI_DOMAIN_RESOURCE = 3,
	CUPTI_DOMAIN_SYNCHRONIZE = 4, CUPTI_DOMAIN_NVTX = 5, CUPTI_DOMAIN_STATE = 6,
	CUPTI_DOMAIN_SIZE = 7,
};

enum cupti_site { CUPTI_ENTER = 0, CUPTI_EXIT = 1 };	/* CUpti_ApiCallbackSite */

enum cupti_resource {			/* cbids of CUPTI_DOMAIN_RESOURCE */
	CUPTI_RESOURCE_CONTEXT_CREATED = 1, CUPTI_RESOURCE_CONTEXT_DESTROY_STARTING = 2,
	CUPTI_RESOURCE_STREAM_CREATED = 3, CUPTI_RESOURCE_STREAM_DESTROY_STARTING = 4,
	CUPTI_RESOURCE_CU_INIT_FINISHED = 5, CUPTI_RESOURCE_MODULE_LOADED = 6,
	CUPTI_RESOURCE_MODULE_UNLOAD_STARTING = 7, CUPTI_RESOURCE_GRAPH_CREATED = 9,
	CUPTI_RESOURCE_GRAPH_DESTROY_STARTING = 10, CUPTI_RESOURCE_GRAPH_CLONED = 11,
	CUPTI_RESOURCE_GRAPHNODE_CREATE_STARTING = 12, CUPTI_RESOURCE_GRAPHNODE_CREATED = 13,
	CUPTI_RESOURCE_GRAPHEXEC_CREATE_STARTING = 17, CUPTI_RESOURCE_GRAPHEXEC_CREATED = 18,
	CUPTI_RESOURCE_GRAPHEXEC_DESTROY_STARTING = 19, CUPTI_RESOURCE_GRAPHNODE_CLONED = 20,
	CUPTI_RESOURCE_SIZE = 24,
};

enum cupti_synchronize {		/* cbids of CUPTI_DOMAIN_SYNCHRONIZE */
	CUPTI_SYNCHRONIZE_STREAM_SYNCHRONIZED = 1, CUPTI_SYNCHRONIZE_CONTEXT_SYNCHRONIZED = 2,
	CUPTI_SYNCHRONIZE_SIZE = 3,
};

enum cupti_kind {			/* CUpti_ActivityKind */
	CUPTI_KIND_MEMCPY = 1, CUPTI_KIND_MEMSET = 2,
	CUPTI_KIND_KERNEL = 3,		/* serialises kernels: use CONCURRENT_KERNEL */
	CUPTI_KIND_DRIVER = 4, CUPTI_KIND_RUNTIME = 5,
	CUPTI_KIND_EVENT = 6, CUPTI_KIND_METRIC = 7,	/* can no longer be enabled */
	CUPTI_KIND_DEVICE = 8, CUPTI_KIND_CONTEXT = 9, CUPTI_KIND_CONCURRENT_KERNEL = 10,
	CUPTI_KIND_OVERHEAD = 17,
	CUPTI_KIND_MEMCPY2 = 22,	/* between two devices */
	CUPTI_KIND_UNIFIED_MEMORY_COUNTER = 25, CUPTI_KIND_CUDA_EVENT = 36,
	CUPTI_KIND_STREAM = 37, CUPTI_KIND_SYNCHRONIZATION = 38,
	CUPTI_KIND_EXTERNAL_CORRELATION = 39, CUPTI_KIND_MEMORY2 = 49,
	CUPTI_KIND_GRAPH_TRACE = 51,	/* one record a graph launch instead of its nodes' */
	CUPTI_KIND_COUNT = 56,		/* of 13.0 */
};

enum cupti_memcpy_kind {		/* CUpti_ActivityMemcpyKind */
	CUPTI_MEMCPY_UNKNOWN = 0, CUPTI_MEMCPY_HTOD = 1, CUPTI_MEMCPY_DTOH = 2,
	CUPTI_MEMCPY_HTOA = 3, CUPTI_MEMCPY_ATOH = 4, CUPTI_MEMCPY_ATOA = 5,
	CUPTI_MEMCPY_ATOD = 6, CUPTI_MEMCPY_DTOA = 7, CUPTI_MEMCPY_DTOD = 8,
	CUPTI_MEMCPY_HTOH = 9, CUPTI_MEMCPY_PTOP = 10,
};

enum cupti_memory_kind {		/* CUpti_ActivityMemoryKind */
	CUPTI_MEMORY_UNKNOWN = 0, CUPTI_MEMORY_PAGEABLE = 1, CUPTI_MEMORY_PINNED = 2,
	CUPTI_MEMORY_DEVICE = 3, CUPTI_MEMORY_ARRAY = 4, CUPTI_MEMORY_MANAGED = 5,
	CUPTI_MEMORY_DEVICE_STATIC = 6, CUPTI_MEMORY_MANAGED_STATIC = 7,
};

enum cupti_sync_type {			/* CUpti_ActivitySynchronizationType */
	CUPTI_SYNC_UNKNOWN = 0, CUPTI_SYNC_EVENT_SYNCHRONIZE = 1,
	CUPTI_SYNC_STREAM_WAIT_EVENT = 2, CUPTI_SYNC_STREAM_SYNCHRONIZE = 3,
	CUPTI_SYNC_CONTEXT_SYNCHRONIZE = 4,
};

enum cupti_overhead_kind {		/* CUpti_ActivityOverheadKind */
	CUPTI_OVERHEAD_DRIVER_COMPILER = 1, CUPTI_OVERHEAD_CUPTI_BUFFER_FLUSH = 1 << 16,
	CUPTI_OVERHEAD_CUPTI_INSTRUMENTATION = 2 << 16, CUPTI_OVERHEAD_CUPTI_RESOURCE = 3 << 16,
	CUPTI_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING = 4 << 16,
	CUPTI_OVERHEAD_LAZY_FUNCTION_LOADING = 5 << 16,
	CUPTI_OVERHEAD_COMMAND_BUFFER_FULL = 6 << 16,
	CUPTI_OVERHEAD_ACTIVITY_BUFFER_REQUEST = 7 << 16,
};

enum cupti_object_kind {		/* CUpti_ActivityObjectKind */
	CUPTI_OBJECT_PROCESS = 1, CUPTI_OBJECT_THREAD = 2, CUPTI_OBJECT_DEVICE = 3,
	CUPTI_OBJECT_CONTEXT = 4, CUPTI_OBJECT_STREAM = 5,
};

enum cupti_attribute {			/* CUpti_ActivityAttribute; size_t but where noted */
	CUPTI_ATTR_DEVICE_BUFFER_SIZE = 0, CUPTI_ATTR_DEVICE_BUFFER_POOL_LIMIT = 2,
	CUPTI_ATTR_PROFILING_SEMAPHORE_POOL_SIZE = 3,
	CUPTI_ATTR_PROFILING_SEMAPHORE_POOL_LIMIT = 4,
	CUPTI_ATTR_ZEROED_OUT_ACTIVITY_BUFFER = 5,	/* uint8_t: buffers come zeroed */
	CUPTI_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE = 6,
	CUPTI_ATTR_PROFILING_SEMAPHORE_PRE_ALLOCATE_VALUE = 7,
	CUPTI_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED = 8,
};

enum cupti_external_kind {		/* CUpti_ExternalCorrelationKind */
	CUPTI_EXTERNAL_UNKNOWN = 1, CUPTI_EXTERNAL_OPENACC = 2, CUPTI_EXTERNAL_CUSTOM0 = 3,
	CUPTI_EXTERNAL_CUSTOM1 = 4, CUPTI_EXTERNAL_CUSTOM2 = 5, CUPTI_EXTERNAL_SIZE = 6,
};

enum cupti_channel { CUPTI_CHANNEL_COMPUTE = 1, CUPTI_CHANNEL_ASYNC_MEMCPY = 2 };
enum cupti_launch_type { CUPTI_LAUNCH_REGULAR = 0, CUPTI_LAUNCH_COOPERATIVE_SINGLE_DEVICE = 1 };
/* pthread_self(), gettid() */
enum { CUPTI_THREAD_ID_DEFAULT = 0, CUPTI_THREAD_ID_SYSTEM = 1 };
enum { CUPTI_FLUSH_FORCED = 1, CUPTI_MEMCPY_ASYNC = 1, CUPTI_MEMSET_ASYNC = 1 };
#define CUPTI_NO_VALUE (~0U)	/* no stream, no context, no event, no channel */
#define CUPTI_RECORD_ALIGN 8	/* records and client buffers */

/* ---- callbacks ---- */

struct cupti_callback_data {		/* domains DRIVER_API and RUNTIME_API */
	uint32_t site;			/* enum cupti_site */
	uint32_t pad;
	const char *function;		/* "cudaLaunchKernel" */
	const void *params;		/* the call's generated params struct */
	void *result;			/* CUresult or cudaError_t; valid at CUPTI_EXIT */
	const char *symbol;		/* launches: mangled kernel name, else NULL */
	void *context;			/* CUcontext, NULL before there is one */
	uint32_t context_id;
	uint32_t pad2;
	uint64_t *data;			/* the subscriber's own, kept from enter to exit */
	uint32_t correlation;		/* of a runtime call and the driver calls inside it */
	uint32_t pad3;
};

/* cbids of the calls whose params are read, and these, in all versions */
enum cupti_managed_cbid {
	CUPTI_DRIVER_MEM_ALLOC_MANAGED = 371, CUPTI_RUNTIME_MALLOC_MANAGED = 206,
	CUPTI_DRIVER_MEM_FREE = 245, CUPTI_DRIVER_MEM_FREE_ASYNC = 600,
	CUPTI_DRIVER_MEM_FREE_ASYNC_PTSZ = 601, CUPTI_RUNTIME_FREE = 22,
	CUPTI_RUNTIME_FREE_ASYNC = 375, CUPTI_RUNTIME_FREE_ASYNC_PTSZ = 376,
};

struct cupti_managed_params { uint64_t *address; size_t bytes; unsigned int flags; };
struct cupti_free_params { uint64_t address; };	/* a stream behind it where it is async */

struct cupti_resource_data {		/* domain RESOURCE */
	void *context;
	void *stream;			/* STREAM_*; else undefined */
	void *descriptor;		/* MODULE_*: struct cupti_module_data, GRAPH*:
					 * cupti_graph_data */
};

struct cupti_module_data {
	uint32_t module;
	uint32_t pad;
	size_t cubin_size;
	const char *cubin;
};

struct cupti_graph_data {
	void *graph, *original_graph;
	void *node, *original_node;	/* ids by cuptiGetGraphNodeId() */
	uint32_t node_type;		/* CUgraphNodeType */
	uint32_t pad;
	void *dependency;
	void *exec;
};

struct cupti_synchronize_data {		/* domain SYNCHRONIZE */
	void *context;
	void *stream;
};

struct cupti_subscriber_params {	/* cuptiSubscribe_v2, since 13.0 */
	size_t size;			/* of this struct */
	const char *name;		/* who subscribes */
	char *old_name;			/* out: who holds the subscription already */
	size_t old_name_size;
};

/* ---- records: kind first, 8-byte multiples ---- */

#define CUPTI_HAS(size, type, field) \
	((size) >= offsetof(type, field) + sizeof(((type *)0)->field))

struct cupti_kernel {			/* CONCURRENT_KERNEL, KERNEL; CUpti_ActivityKernel10 */
	uint32_t kind;
	uint8_t cache_config;
	uint8_t shared_config;
	uint16_t registers;		/* per thread */
	uint32_t cache_requested, cache_executed;
	uint64_t start, end;		/* both 0: not known */
	uint64_t completed;
	uint32_t device, context, stream;
	int32_t grid[3], block[3];
	int32_t static_shared, dynamic_shared;
	uint32_t local_per_thread, local_total;
	uint32_t correlation;
	int64_t grid_id;
	const char *name;		/* mangled; copy it before the buffer is given back */
	void *reserved;
	uint64_t queued, submitted;	/* 0 unless EnableLatencyTimestamps */
	uint8_t launch_type;
	uint8_t carveout_requested, carveout;
	uint8_t pad;
	uint32_t shared_executed;
	uint64_t graph_node;
	uint32_t shmem_limit;
	uint32_t graph;
	void *access_policy;
	uint32_t channel, channel_type;
	uint32_t cluster[3];
	uint32_t cluster_policy;
	uint64_t local_total_64;
	uint32_t max_cluster, max_active_clusters;	/* 12.x: Kernel9 */
	uint8_t device_launched;			/* 13.0: Kernel10 */
	uint8_t pad2[7];
};

struct cupti_memcpy {			/* MEMCPY; CUpti_ActivityMemcpy6 */
	uint32_t kind;
	uint8_t copy_kind, src_kind, dst_kind;	/* enum cupti_memcpy_kind, cupti_memory_kind */
	uint8_t flags;			/* CUPTI_MEMCPY_ASYNC */
	uint64_t bytes;
	uint64_t start, end;
	uint32_t device, context, stream;
	uint32_t correlation;
	uint32_t runtime_correlation;
	uint32_t pad;
	void *reserved;
	uint64_t graph_node;
	uint32_t graph;
	uint32_t channel, channel_type;
	uint8_t device_launched;	/* 13.0, was padding */
	uint8_t pad2[3];
	uint64_t copies;		/* 13.0: Memcpy6 */
};

struct cupti_memcpy_peer {		/* MEMCPY2; CUpti_ActivityMemcpyPtoP4 */
	uint32_t kind;
	uint8_t copy_kind, src_kind, dst_kind;
	uint8_t flags;
	uint64_t bytes;
	uint64_t start, end;
	uint32_t device, context, stream;
	uint32_t src_device, src_context, dst_device, dst_context;
	uint32_t correlation;
	void *reserved;
	uint64_t graph_node;
	uint32_t graph;
	uint32_t channel, channel_type;
	uint32_t pad;
};

struct cupti_memset {			/* MEMSET; CUpti_ActivityMemset4 */
	uint32_t kind;
	uint32_t value;
	uint64_t bytes;
	uint64_t start, end;
	uint32_t device, context, stream;
	uint32_t correlation;
	uint16_t flags;			/* CUPTI_MEMSET_ASYNC */
	uint16_t memory_kind;
	uint32_t pad;
	void *reserved;
	uint64_t graph_node;
	uint32_t graph;
	uint32_t channel, channel_type;
	uint8_t device_launched;	/* 13.0, was padding */
	uint8_t pad2[3];
};

struct cupti_api_record {		/* DRIVER, RUNTIME; CUpti_ActivityAPI */
	uint32_t kind;
	uint32_t cbid;
	uint64_t start, end;
	uint32_t process, thread;
	uint32_t correlation;
	uint32_t result;
};

struct cupti_sync {			/* SYNCHRONIZATION; CUpti_ActivitySynchronization2 */
	uint32_t kind;
	uint32_t type;			/* enum cupti_sync_type */
	uint64_t start, end;
	uint32_t correlation;
	uint32_t context, stream;	/* stream CUPTI_NO_VALUE: the whole context */
	uint32_t event;			/* CUPTI_NO_VALUE: not about an event */
	uint64_t event_sync;		/* 13.0: Synchronization2 */
	uint32_t result;
	uint32_t pad;
};

struct cupti_overhead {			/* OVERHEAD; CUpti_ActivityOverhead3 */
	uint32_t kind;
	uint32_t what;			/* enum cupti_overhead_kind */
	uint32_t object_kind;		/* enum cupti_object_kind */
	uint32_t object[3];		/* {process, thread} or {device, context, stream} */
	uint64_t start, end;
	uint32_t correlation;		/* 12.x: Overhead2 */
	uint32_t reserved;
	void *data;			/* 12.x: Overhead3 */
};

struct cupti_graph_trace {		/* GRAPH_TRACE; CUpti_ActivityGraphTrace2 */
	uint32_t kind;
	uint32_t correlation;
	uint64_t start, end;
	uint32_t device, graph, context, stream;
	void *reserved;
	uint32_t end_device, end_context;	/* 12.x: GraphTrace2 */
};

struct cupti_external {			/* EXTERNAL_CORRELATION; before its API record */
	uint32_t kind;
	uint32_t external_kind;		/* enum cupti_external_kind */
	uint64_t id;
	uint32_t correlation;
	uint32_t reserved;
};

struct cupti_stream {			/* STREAM; CUpti_ActivityStream */
	uint32_t kind;
	uint32_t context, stream;
	uint32_t priority;
	uint32_t flag;			/* 1 default, 2 non-blocking, 3 null */
	uint32_t correlation;
};

struct cupti_context {			/* CONTEXT; CUpti_ActivityContext3 */
	uint32_t kind;
	uint32_t context, device;
	uint16_t api_kind;		/* 1 CUDA */
	uint16_t null_stream;
	uint32_t parent;		/* 12.x: Context2 */
	uint8_t green;
	uint8_t pad;
	uint16_t multiprocessors;
	uint32_t cig_mode;		/* 13.0: Context3 */
	uint32_t pad2;
};

struct cupti_device {			/* DEVICE; CUpti_ActivityDevice5 */
	uint32_t kind;
	uint32_t flags;
	uint64_t memory_bandwidth, memory_bytes;	/* kB/s */
	uint32_t constant_bytes, l2_bytes, warp_threads, clock_khz;
	uint32_t copy_engines, multiprocessors;
	/* per multiprocessor */
	uint32_t max_ipc, max_warps, max_blocks, max_shared, max_registers;
	uint32_t max_block_registers, max_block_shared, max_block_threads;
	uint32_t max_block[3], max_grid[3];
	uint32_t cc_major, cc_minor;
	uint32_t id;
	uint32_t ecc;
	uint8_t uuid[16];
	const char *name;
	uint8_t visible, mig;
	uint8_t reserved[6];
	uint32_t gpu_instance, compute_instance;
	uint8_t mig_uuid[16];
	uint32_t numa, numa_id;		/* 12.x: Device5 */
};

/* ---- functions ---- */

typedef void (*cupti_callback_fn)(void *user, int domain, uint32_t cbid, const void *data);
typedef void (*cupti_buffer_request_fn)(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void (*cupti_buffer_complete_fn)(void *context, uint32_t stream, uint8_t *buffer,
					 size_t size, size_t valid);
typedef uint64_t (*cupti_timestamp_fn)(void);

/*
 * X(need, field, symbol, arguments): all functions we use; each returns enum
 * cupti_result. CUPTI_NEED: nothing works without; CUPTI_MAY: newer or only
 * for comfort, its field stays NULL where it is missing.
 */
#define CUPTI_NEED 1
#define CUPTI_MAY  0
#define CUPTI_FUNCTIONS(X) \
	X(CUPTI_NEED, get_version, cuptiGetVersion, (uint32_t *version)) \
	X(CUPTI_NEED, subscribe, cuptiSubscribe, \
	  (void **subscriber, cupti_callback_fn callback, void *user)) \
	X(CUPTI_NEED, unsubscribe, cuptiUnsubscribe, (void *subscriber)) \
	X(CUPTI_NEED, enable_callback, cuptiEnableCallback, \
	  (uint32_t enable, void *subscriber, int domain, uint32_t cbid)) \
	X(CUPTI_NEED, enable_domain, cuptiEnableDomain, \
	  (uint32_t enable, void *subscriber, int domain)) \
	X(CUPTI_NEED, register_callbacks, cuptiActivityRegisterCallbacks, \
	  (cupti_buffer_request_fn request, cupti_buffer_complete_fn complete)) \
	X(CUPTI_NEED, enable, cuptiActivityEnable, (int kind)) \
	X(CUPTI_NEED, disable, cuptiActivityDisable, (int kind)) \
	X(CUPTI_NEED, flush_all, cuptiActivityFlushAll, (uint32_t flag)) \
	X(CUPTI_NEED, next_record, cuptiActivityGetNextRecord, \
	  (uint8_t *buffer, size_t valid, void **record)) \
	X(CUPTI_NEED, dropped, cuptiActivityGetNumDroppedRecords, \
	  (void *context, uint32_t stream, size_t *dropped)) \
	X(CUPTI_MAY, register_timestamp, cuptiActivityRegisterTimestampCallback, \
	  (cupti_timestamp_fn now)) \
	X(CUPTI_MAY, subscribe_v2, cuptiSubscribe_v2, \
	  (void **subscriber, cupti_callback_fn callback, void *user, \
	   struct cupti_subscriber_params *params)) \
	X(CUPTI_MAY, result_string, cuptiGetResultString, (int result, const char **text)) \
	X(CUPTI_MAY, error_message, cuptiGetErrorMessage, (int result, const char **text)) \
	X(CUPTI_MAY, last_error, cuptiGetLastError, (void)) \
	X(CUPTI_MAY, timestamp, cuptiGetTimestamp, (uint64_t *now)) \
	X(CUPTI_MAY, enable_all_domains, cuptiEnableAllDomains, \
	  (uint32_t enable, void *subscriber)) \
	X(CUPTI_MAY, callback_state, cuptiGetCallbackState, \
	  (uint32_t *enabled, void *subscriber, int domain, uint32_t cbid)) \
	X(CUPTI_MAY, callback_name, cuptiGetCallbackName, \
	  (int domain, uint32_t cbid, const char **name)) \
	X(CUPTI_MAY, supported_domains, cuptiSupportedDomains, \
	  (size_t *count, enum cupti_domain **domains)) \
	X(CUPTI_MAY, finalize, cuptiFinalize, (void)) \
	X(CUPTI_MAY, enable_and_dump, cuptiActivityEnableAndDump, (int kind)) \
	X(CUPTI_MAY, enable_context, cuptiActivityEnableContext, (void *context, int kind)) \
	X(CUPTI_MAY, disable_context, cuptiActivityDisableContext, (void *context, int kind)) \
	X(CUPTI_MAY, flush, cuptiActivityFlush, \
	  (void *context, uint32_t stream, uint32_t flag)) \
	X(CUPTI_MAY, flush_period, cuptiActivityFlushPeriod, (uint32_t ms)) \
	X(CUPTI_MAY, get_attribute, cuptiActivityGetAttribute, \
	  (int attr, size_t *size, void *value)) \
	X(CUPTI_MAY, set_attribute, cuptiActivitySetAttribute, \
	  (int attr, size_t *size, void *value)) \
	X(CUPTI_MAY, push_external, cuptiActivityPushExternalCorrelationId, \
	  (int kind, uint64_t id)) \
	X(CUPTI_MAY, pop_external, cuptiActivityPopExternalCorrelationId, \
	  (int kind, uint64_t *id)) \
	X(CUPTI_MAY, configure_um_counter, cuptiActivityConfigureUnifiedMemoryCounter, \
	  (void *config, uint32_t count)) \
	X(CUPTI_MAY, enable_latency, cuptiActivityEnableLatencyTimestamps, (uint8_t enable)) \
	X(CUPTI_MAY, enable_launch_attributes, cuptiActivityEnableLaunchAttributes, \
	  (uint8_t enable)) \
	X(CUPTI_MAY, enable_driver_api, cuptiActivityEnableDriverApi, \
	  (uint32_t cbid, uint8_t enable)) \
	X(CUPTI_MAY, enable_runtime_api, cuptiActivityEnableRuntimeApi, \
	  (uint32_t cbid, uint8_t enable)) \
	X(CUPTI_MAY, enable_hw_trace, cuptiActivityEnableHWTrace, (uint8_t enable)) \
	X(CUPTI_MAY, enable_device_graph, cuptiActivityEnableDeviceGraph, (uint8_t enable)) \
	X(CUPTI_MAY, enable_all_sync, cuptiActivityEnableAllSyncRecords, (uint8_t enable)) \
	X(CUPTI_MAY, set_thread_id_type, cuptiSetThreadIdType, (int type)) \
	X(CUPTI_MAY, get_thread_id_type, cuptiGetThreadIdType, (int *type)) \
	X(CUPTI_MAY, context_id, cuptiGetContextId, (void *context, uint32_t *id)) \
	X(CUPTI_MAY, device_id, cuptiGetDeviceId, (void *context, uint32_t *id)) \
	X(CUPTI_MAY, stream_id, cuptiGetStreamIdEx, \
	  (void *context, void *stream, uint8_t per_thread, uint32_t *id)) \
	X(CUPTI_MAY, graph_id, cuptiGetGraphId, (void *graph, uint32_t *id)) \
	X(CUPTI_MAY, graph_node_id, cuptiGetGraphNodeId, (void *node, uint64_t *id)) \
	X(CUPTI_MAY, graph_exec_id, cuptiGetGraphExecId, (void *exec, uint32_t *id))

#define CUPTI_FIELD(need, field, symbol, arguments) int (*field) arguments;
struct cupti_functions { CUPTI_FUNCTIONS(CUPTI_FIELD) };	/* filled by dlsym() */

/* What to look up: struct cupti_symbol symbols[] = { CUPTI_FUNCTIONS(CUPTI_SYMBOL) }; */
struct cupti_symbol { uint16_t offset, need; const char *name; };
#define CUPTI_SYMBOL(need, field, symbol, arguments) \
	{ offsetof(struct cupti_functions, field), need, #symbol },

#endif
