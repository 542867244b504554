/*
 * Lets tests/abi/client.c, written with the names of cupti/cupti_abi.h, be
 * compiled with NVIDIA's headers instead: the same program, checked by another
 * authority.
 */
#ifndef REAL_H
#define REAL_H

#ifdef REAL
#include <cuda.h>
#include <cupti.h>

typedef CUpti_ActivityKernel10 kernel_record;
typedef CUpti_ActivityMemcpy6 memcpy_record;
typedef CUpti_ActivityMemset4 memset_record;
typedef CUpti_ActivityAPI api_record;
typedef CUpti_ActivitySynchronization2 sync_record;
typedef CUpti_ActivityGraphTrace2 graph_record;
typedef CUpti_Activity any_record;
typedef CUpti_CallbackData call_data;
typedef CUpti_ResourceData resource_data;
typedef CUpti_GraphData graph_data;
typedef CUpti_SubscriberHandle subscriber_handle;
typedef CUpti_CallbackDomain domain_type;
typedef CUcontext context_type;

#define correlation correlationId
#define context_id contextUid
#define stream_of(r) ((r)->streamId)
#define context_of(r) ((r)->contextId)
#define copy_kind copyKind
#define graph_node graphNodeId
#define graph_of(r) ((r)->graphId)
#define site callbackSite
#define symbol_of(d) ((d)->symbolName)
#define data_of(d) ((d)->correlationData)
#define original_node originalNode
#define descriptor resourceDescriptor
#define CUPTI_DOMAIN_DRIVER_API CUPTI_CB_DOMAIN_DRIVER_API
#define CUPTI_DOMAIN_RESOURCE CUPTI_CB_DOMAIN_RESOURCE
#define CUPTI_ENTER CUPTI_API_ENTER
#define CUPTI_RESOURCE_GRAPHNODE_CREATED CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED
#define CUPTI_RESOURCE_GRAPHNODE_CLONED CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED
#define CUPTI_KIND_MEMCPY CUPTI_ACTIVITY_KIND_MEMCPY
#define CUPTI_KIND_MEMSET CUPTI_ACTIVITY_KIND_MEMSET
#define CUPTI_KIND_DRIVER CUPTI_ACTIVITY_KIND_DRIVER
#define CUPTI_KIND_CONCURRENT_KERNEL CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
#define CUPTI_KIND_SYNCHRONIZATION CUPTI_ACTIVITY_KIND_SYNCHRONIZATION
#define CUPTI_KIND_GRAPH_TRACE CUPTI_ACTIVITY_KIND_GRAPH_TRACE
#define CUPTI_MEMCPY_HTOD CUPTI_ACTIVITY_MEMCPY_KIND_HTOD
#define CUPTI_MEMCPY_DTOH CUPTI_ACTIVITY_MEMCPY_KIND_DTOH
#define CUPTI_SYNC_STREAM_SYNCHRONIZE CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE
#define CUPTI_SYNC_CONTEXT_SYNCHRONIZE CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE
#define CUPTI_SYNC_EVENT_SYNCHRONIZE CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE
#define CUPTI_FLUSH_FORCED CUPTI_ACTIVITY_FLAG_FLUSH_FORCED
#else
#include "cuda_abi.h"
#include "cupti_abi.h"

#define DECLARE(need, field, symbol, arguments) int symbol arguments;
CUPTI_FUNCTIONS(DECLARE)

typedef struct cupti_kernel kernel_record;
typedef struct cupti_memcpy memcpy_record;
typedef struct cupti_memset memset_record;
typedef struct cupti_api_record api_record;
typedef struct cupti_sync sync_record;
typedef struct cupti_graph_trace graph_record;
typedef void any_record;
typedef struct cupti_callback_data call_data;
typedef struct cupti_resource_data resource_data;
typedef struct cupti_graph_data graph_data;
typedef void *subscriber_handle;
typedef int domain_type;
typedef void *context_type;

#define stream_of(r) ((r)->stream)
#define context_of(r) ((r)->context)
#define graph_of(r) ((r)->graph)
#define symbol_of(d) ((d)->symbol)
#define data_of(d) ((d)->data)

/* the names that cuda.h gives these */
#define cuMemAlloc cuMemAlloc_v2
#define cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2
#define cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2
#define cuStreamBeginCapture cuStreamBeginCapture_v2
#define cuStreamDestroy cuStreamDestroy_v2
#endif

#endif
